/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RoCE v2 packets: from bytes to a checked description and back.
 *
 * A packet here begins with the BTH and ends with the ICRC: the payload of a
 * UDP datagram to port 4791. IP and UDP headers are the owner's, but for the
 * part they have in the ICRC (icrc.h).
 */
#ifndef OHCA_TRANSPORT_PACKET_H
#define OHCA_TRANSPORT_PACKET_H

#include <linux/types.h>

struct tp_train;

#define TP_ROCE_V2_PORT		4791
#define TP_BTH_BYTES		12u
#define TP_ICRC_BYTES		4u
/* The largest payload of a packet. */
#define TP_MAX_MTU		4096u
/* The largest headers of an opcode: BTH, DETH or AtomicETH, ImmDt, rounded up. */
#define TP_HEADER_MAX		64u

/**
 * enum tp_service - transport services (IBA 9.2.1): the upper three bits of the BTH opcode
 */
enum tp_service {
	TP_RC	= 0,		/* reliable connection */
	TP_UC	= 1,		/* unreliable connection */
	TP_UD	= 3,		/* unreliable datagram */
	TP_NUM_SERVICES
};

/**
 * enum tp_op - what a packet or a message is, its place in the message aside
 */
enum tp_op {
	TP_OP_SEND,
	TP_OP_WRITE,
	TP_OP_READ,		/* READ request */
	TP_OP_CMP_SWAP,
	TP_OP_FETCH_ADD,
	TP_OP_READ_RESP,
	TP_OP_ACK,		/* ACK and NAK: see the AETH */
	TP_OP_ATOMIC_ACK,
	TP_NUM_OPS
};

/**
 * enum tp_drop - why a packet was dropped; each has a counter of its own at the owner
 */
enum tp_drop {
	TP_DROP_NONE,
	TP_DROP_SHORT,		/* shorter than its headers and the ICRC */
	TP_DROP_ICRC,
	TP_DROP_VERSION,	/* transport header version is not 0 */
	TP_DROP_OPCODE,		/* unknown, or of a transport this QP doesn't run */
	TP_DROP_PAD,		/* pad count larger than the payload, or not allowed */
	TP_DROP_LENGTH,		/* payload that the opcode can't have */
	TP_DROP_QPN,		/* no such QP */
	TP_DROP_SOURCE,		/* not from the connected peer's address */
	TP_DROP_PKEY,
	TP_DROP_QKEY,		/* a datagram's Q_Key is not the QP's */
	TP_DROP_STATE,		/* the QP does not receive now */
	TP_DROP_PSN,		/* a response to nothing outstanding, or an invalid duplicate */
	TP_DROP_BUSY,		/* no memory or queue space to take it in */
	TP_DROP_RECV,		/* unreliable: there is no receive WR for it, or too small a one */
	TP_DROP_ACCESS,		/* unreliable: a WRITE to what the peer may not write to */
	TP_NUM_DROPS
};

/**
 * struct tp_packet - a parsed packet, host byte order
 * @service: transport service
 * @op: message kind
 * @opcode: BTH opcode as on the wire
 * @flags: TP_TRAIN_FIRST, _LAST, _IMM, _INV, _SE, _ACKREQ, _MIGREQ
 * @pkey: P_Key
 * @dest_qpn: 24 bits
 * @psn: 24 bits
 * @header_len: bytes of the headers; the payload begins there
 * @length: payload bytes, without padding
 * @va: RETH or AtomicETH
 * @rkey: RETH or AtomicETH
 * @dmalen: RETH
 * @swap: AtomicETH
 * @compare: AtomicETH
 * @qkey: DETH
 * @src_qpn: DETH, 24 bits
 * @imm: ImmDt, as on the wire
 * @inv_rkey: IETH
 * @syndrome: AETH
 * @msn: AETH
 * @orig: AtomicAckETH
 */
struct tp_packet {
	enum tp_service service;
	enum tp_op op;
	u8 opcode;
	u32 flags;
	u16 pkey;
	u32 dest_qpn;
	u32 psn;
	u32 header_len;
	u32 length;
	u64 va;
	u32 rkey;
	u32 dmalen;
	u64 swap;
	u64 compare;
	u32 qkey;
	u32 src_qpn;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u8 syndrome;
	u32 msn;
	u64 orig;
};

/**
 * tp_packet_parse() - checks and reads a packet's headers
 * @head: the packet's first bytes, contiguous: min(@len, TP_HEADER_MAX) of them
 * @len: bytes of the packet, BTH to ICRC
 * @pkt: filled on success
 *
 * Everything that can be told without the QP and the ICRC is checked here and
 * nowhere else. Any bytes are safe.
 *
 * Return: TP_DROP_NONE, or why the packet is to be dropped.
 */
enum tp_drop tp_packet_parse(const void *head, u32 len, struct tp_packet *pkt);

/**
 * tp_train_headers() - writes the headers of one packet of a train
 * @train: the train
 * @i: which packet
 * @head: room for TP_HEADER_MAX bytes
 *
 * The payload of the packet is bytes [i * mtu, min((i + 1) * mtu, length)) of
 * the train; it is followed by 0 to 3 zero bytes of padding and the ICRC.
 *
 * Return: bytes written.
 */
u32 tp_train_headers(const struct tp_train *train, u32 i, void *head);

/* BTH opcode of packet @i of @train. */
u8 tp_train_opcode(const struct tp_train *train, u32 i);

/* Payload bytes of packet @i of @train, without padding. */
u32 tp_train_payload(const struct tp_train *train, u32 i);

/**
 * tp_train_begin() - makes a train of one from a packet
 * @train: to fill; @seg and @nr_seg are the caller's to set
 * @pkt: the packet
 */
void tp_train_begin(struct tp_train *train, const struct tp_packet *pkt);

/**
 * tp_train_join() - appends a packet to a train if it is its continuation
 * @train: a train made by tp_train_begin()
 * @pkt: the next packet that came for the same QP
 *
 * It is one if it has the next PSN, goes on with the same message, and every
 * packet before it is full (all of one payload size, which becomes the train's
 * mtu). The caller appends the payload's segments.
 *
 * Return: false if @pkt begins a train of its own; @train is then unchanged.
 */
bool tp_train_join(struct tp_train *train, const struct tp_packet *pkt);

/* Whether @op travels from requester to responder. */
bool tp_op_is_request(enum tp_op op);

/* Names for traces, counters and test output. */
extern const char *const tp_op_names[TP_NUM_OPS];
extern const char *const tp_drop_names[TP_NUM_DROPS];

#endif /* OHCA_TRANSPORT_PACKET_H */
