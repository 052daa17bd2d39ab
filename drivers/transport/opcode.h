/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BTH opcodes: what each one is, which headers follow it, what it may carry.
 */
#ifndef OHCA_TRANSPORT_OPCODE_H
#define OHCA_TRANSPORT_OPCODE_H

#include <linux/types.h>

#include "packet.h"

/* Extension headers, in the order in which they follow the BTH (IBA 9.3). */
#define TP_HDR_RETH		(1u << 0)
#define TP_HDR_ATOMIC		(1u << 1)
#define TP_HDR_AETH		(1u << 2)
#define TP_HDR_ATOMIC_ACK	(1u << 3)
#define TP_HDR_IMM		(1u << 4)
#define TP_HDR_IETH		(1u << 5)
#define TP_HDR_DETH		(1u << 6)	/* a datagram's: before all others */

/**
 * enum tp_payload - what payload an opcode has
 * @TP_PAYLOAD_NONE: no payload
 * @TP_PAYLOAD_FULL: the path MTU exactly: First and Middle
 * @TP_PAYLOAD_SOME: 1 to the path MTU: Last
 * @TP_PAYLOAD_ANY: 0 to the path MTU: Only
 */
enum tp_payload {
	TP_PAYLOAD_NONE,
	TP_PAYLOAD_FULL,
	TP_PAYLOAD_SOME,
	TP_PAYLOAD_ANY,
};

/**
 * struct tp_opcode - one row of the table of BTH opcodes
 * @known: the row is filled
 * @service: enum tp_service
 * @op: message kind
 * @flags: TP_TRAIN_FIRST, _LAST, _IMM, _INV: place in the message
 * @headers: TP_HDR_*
 * @header_len: bytes of the BTH and of @headers
 * @payload: what it may carry
 */
struct tp_opcode {
	bool known;
	u8 service;
	u8 op;
	u8 flags;
	u8 headers;
	u8 header_len;
	u8 payload;
};

/* The row of BTH opcode @code, or NULL. */
const struct tp_opcode *tp_opcode_find(u8 code);

/* The BTH opcode of a packet of @op at the place that @flags tell. */
u8 tp_opcode_of(enum tp_service service, enum tp_op op, u32 flags);

#endif /* OHCA_TRANSPORT_OPCODE_H */
