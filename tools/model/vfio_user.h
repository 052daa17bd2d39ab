/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The server's side of the vfio-user protocol (docs/interop/vfio-user.rst of QEMU).
 */
#ifndef OHCA_MODEL_VFIO_USER_H
#define OHCA_MODEL_VFIO_USER_H

#include <linux/types.h>

#include "dma.h"
#include "loop.h"

#define VFU_MAX_FDS	8u
#define VFU_MAX_XFER	65536u
#define VFU_MAX_MSG	(VFU_MAX_XFER + 256u)
#define VFU_MAX_VECTORS	256u

/**
 * struct vfu_ops - what the device behind the protocol does
 * @region_size: bytes of a region (VFIO_PCI_*_REGION_INDEX); 0: there is none
 * @access: reads or writes a region; the range lies within it. 0 or -errno
 * @reset: the client resets the device
 * @gone: the client has gone: forget it
 * @arg: their argument
 */
struct vfu_ops {
	u64 (*region_size)(void *arg, u32 region);
	int (*access)(void *arg, u32 region, u64 offset, void *data, u32 len, bool write);
	void (*reset)(void *arg);
	void (*gone)(void *arg);
	void *arg;
};

/**
 * struct vfu_msg - a message, as much of it as has come
 * @data: header and body
 * @got: bytes of @data
 * @fd: descriptors that came along; -1 once taken
 * @nr_fds: how many
 * @next: in the queue of those that wait for their turn
 */
struct vfu_msg {
	u8 *data;
	u32 got;
	int fd[VFU_MAX_FDS];
	u32 nr_fds;
	struct vfu_msg *next;
};

/**
 * struct vfu_irq - a vector
 * @fd: eventfd that raises it; -1: none
 * @masked: by the client
 * @pending: raised while masked or without a descriptor
 */
struct vfu_irq {
	int fd;
	bool masked;
	bool pending;
};

/**
 * struct vfu - the server
 * @loop: runs it
 * @dma: the client's memory
 * @ops: the device
 * @listen_fd: where clients come
 * @fd: the client; -1: none
 * @versioned: the client has sent its version
 * @msg: the message that is coming in
 * @queue: messages that came while the server waited for an answer
 * @queued: how many
 * @later: works on @queue
 * @next_id: of the server's own messages
 * @depth: the server waits for an answer
 * @irq: MSI-X vectors
 * @nr_irqs: how many the device has
 * @other_fd: eventfds of the error and the removal request interrupt; -1: none
 * @irqs_raised: counts
 */
struct vfu {
	struct loop *loop;
	struct dma *dma;
	const struct vfu_ops *ops;
	int listen_fd;
	int fd;
	bool versioned;
	struct vfu_msg msg;
	struct vfu_msg *queue;
	u32 queued;
	struct work later;
	u16 next_id;
	u32 depth;
	struct vfu_irq irq[VFU_MAX_VECTORS];
	u32 nr_irqs;
	int other_fd[2];
	u64 irqs_raised;
};

/* Listens at @path; 0 or -errno. */
int vfu_init(struct vfu *vfu, struct loop *loop, struct dma *dma, const struct vfu_ops *ops,
	     const char *path, u32 vectors);
/* The same, with the client's socket at hand. */
void vfu_init_connected(struct vfu *vfu, struct loop *loop, struct dma *dma,
			const struct vfu_ops *ops, int fd, u32 vectors);
void vfu_fini(struct vfu *vfu);
/* Raises a vector, or remembers that it is to be raised. */
void vfu_raise(struct vfu *vfu, u32 vector);
/* Does one whole message that is at hand (for the fuzzer). */
void vfu_message(struct vfu *vfu, struct vfu_msg *msg);

#endif /* OHCA_MODEL_VFIO_USER_H */
