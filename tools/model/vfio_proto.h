/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of the vfio-user protocol, and what the files of the server share. Sizes
 * and offsets are of the machine's byte order, as both ends are on one.
 */
#ifndef OHCA_MODEL_VFIO_PROTO_H
#define OHCA_MODEL_VFIO_PROTO_H

#include "vfio_user.h"

/* Commands. */
enum {
	VFU_VERSION = 1,
	VFU_DMA_MAP,
	VFU_DMA_UNMAP,
	VFU_GET_INFO,
	VFU_GET_REGION_INFO,
	VFU_GET_REGION_IO_FDS,
	VFU_GET_IRQ_INFO,
	VFU_SET_IRQS,
	VFU_REGION_READ,
	VFU_REGION_WRITE,
	VFU_DMA_READ,
	VFU_DMA_WRITE,
	VFU_DEVICE_RESET,
	VFU_NR_COMMANDS
};

/* Flags of the header. */
#define VFU_TYPE_MASK	0xfu
#define VFU_REPLY	0x1u
#define VFU_NO_REPLY	0x10u
#define VFU_ERROR	0x20u

struct vfu_hdr {
	u16 id;
	u16 command;
	u32 size;
	u32 flags;
	u32 error;
};

struct vfu_dma_map {
	u32 argsz;
	u32 flags;
	u64 offset;
	u64 iova;
	u64 size;
};

struct vfu_dma_unmap {
	u32 argsz;
	u32 flags;
	u64 iova;
	u64 size;
};

struct vfu_access {
	u64 offset;
	u32 region;
	u32 count;
};

struct vfu_dma_rw {
	u64 iova;
	u64 count;
};

/**
 * struct vfu_req - a request at work
 * @vfu: the server
 * @msg: the message, for its descriptors
 * @hdr: its header
 * @body: what follows, @len bytes
 * @len: see @body
 * @reply: room for the answer, of VFU_MAX_MSG bytes
 * @reply_len: bytes of the answer behind its header
 */
struct vfu_req {
	struct vfu *vfu;
	struct vfu_msg *msg;
	struct vfu_hdr hdr;
	const u8 *body;
	u32 len;
	u8 *reply;
	u32 reply_len;
};

/* vfio_request.c: does a request; 0 or -errno, with the answer in @req. */
int vfu_do_request(struct vfu_req *req);
/* The answer's body, which begins as a copy of the request's first @len bytes. */
void *vfu_reply_body(struct vfu_req *req, u32 len);

/* vfio_irq.c */
int vfu_irq_info(struct vfu_req *req);
int vfu_set_irqs(struct vfu_req *req);
/* Closes all descriptors of interrupts: the client has gone. */
void vfu_drop_irqs(struct vfu *vfu);

#endif /* OHCA_MODEL_VFIO_PROTO_H */
