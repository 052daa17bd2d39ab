/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: RoCE v2 packets with their IP and UDP headers, as an Ethernet carries them.
 */
#ifndef OHCA_SIM_FRAME_H
#define OHCA_SIM_FRAME_H

#include <linux/types.h>
#include "packet.h"

struct sim_qp;

/**
 * struct sim_frame - a frame on the wire
 * @to: whom it is for
 * @bad: it was corrupted where the ICRC must show it
 * @ip_len: bytes of the IP header; the UDP header is behind it
 * @len: bytes in all
 * @data: exactly that many, so that reading past the end is found
 */
struct sim_frame {
	struct sim_qp *to;
	bool bad;
	u32 ip_len;
	u32 len;
	u8 data[];
};

#define FRAME_UDP	8u

/* Bytes from the BTH on. */
static inline u8 *frame_packet(struct sim_frame *f)
{
	return f->data + f->ip_len + FRAME_UDP;
}

static inline u32 frame_packet_len(const struct sim_frame *f)
{
	return f->len - f->ip_len - FRAME_UDP;
}

/* Packet @i of @train, for @to. */
struct sim_frame *frame_build(struct sim_qp *to, const struct tp_train *train, u32 i);

/* A frame around @len bytes from the BTH to the end of the payload; the ICRC is added. */
struct sim_frame *frame_wrap(struct sim_qp *to, const void *bytes, u32 len);

struct sim_frame *frame_copy(const struct sim_frame *f);

/* What an owner does on receipt: parses it and checks the ICRC. */
enum tp_drop frame_check(struct sim_frame *f, struct tp_packet *pkt);

/* Whether the ICRC is right, by icrc.h. */
bool frame_icrc_ok(struct sim_frame *f);

/* The ICRC as IBA A17.3.3 tells it, in one plain loop: an opinion besides icrc.h's. */
u32 frame_icrc_naive(const u8 *data, u32 ip_len, u32 len);

#endif /* OHCA_SIM_FRAME_H */
