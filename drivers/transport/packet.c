// SPDX-License-Identifier: GPL-2.0
/*
 * Packets: parsed into struct tp_packet, joined to trains, and written.
 *
 * The structures here are the bytes on the wire (IBA 9.2, 9.3; RoCE v2, annex
 * A17). They are copied to and from the packet, which may have any alignment.
 */
#include "packet.h"

#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "opcode.h"
#include "psn.h"
#include "transport.h"

struct tp_wire_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 dest_qpn;	/* its high byte is resv8a: FECN, BECN */
	__be32 psn;		/* its highest bit is AckReq */
};

#define BTH_SE			0x80u
#define BTH_MIGREQ		0x40u
#define BTH_PAD_SHIFT		4
#define BTH_PAD_MASK		3u
#define BTH_TVER_MASK		0x0fu
#define BTH_ACKREQ		0x80000000u

struct tp_wire_deth {
	__be32 qkey;
	__be32 src_qpn;		/* its high byte is reserved */
};

struct tp_wire_reth {
	__be64 va;
	__be32 rkey;
	__be32 dmalen;
} __packed;

struct tp_wire_atomic {
	__be64 va;
	__be32 rkey;
	__be64 swap;
	__be64 compare;
} __packed;

struct tp_wire_aeth {
	__be32 syndrome_msn;
};

struct tp_wire_atomic_ack {
	__be64 orig;
} __packed;

struct tp_wire_imm {
	__be32 imm;
};

struct tp_wire_ieth {
	__be32 rkey;
};

static_assert(sizeof(struct tp_wire_bth) == TP_BTH_BYTES);
static_assert(sizeof(struct tp_wire_deth) == 8);
static_assert(sizeof(struct tp_wire_reth) == 16);
static_assert(sizeof(struct tp_wire_atomic) == 28);
static_assert(sizeof(struct tp_wire_aeth) == 4);
static_assert(sizeof(struct tp_wire_atomic_ack) == 8);
static_assert(sizeof(struct tp_wire_imm) == 4);
static_assert(sizeof(struct tp_wire_ieth) == 4);
static_assert(TP_BTH_BYTES + sizeof(struct tp_wire_atomic) <= TP_HEADER_MAX);

/* The headers after the BTH; @p has the row's header_len bytes, less the BTH's. */
static void tp_parse_extensions(const struct tp_opcode *row, const u8 *p, struct tp_packet *pkt)
{
	struct tp_wire_deth deth;
	struct tp_wire_reth reth;
	struct tp_wire_atomic atomic;
	struct tp_wire_aeth aeth;
	struct tp_wire_atomic_ack atomic_ack;
	struct tp_wire_imm imm;
	struct tp_wire_ieth ieth;

	if (row->headers & TP_HDR_DETH) {
		memcpy(&deth, p, sizeof(deth));
		p += sizeof(deth);
		pkt->qkey = be32_to_cpu(deth.qkey);
		pkt->src_qpn = be32_to_cpu(deth.src_qpn) & TP_PSN_MASK;
	}
	if (row->headers & TP_HDR_RETH) {
		memcpy(&reth, p, sizeof(reth));
		p += sizeof(reth);
		pkt->va = be64_to_cpu(reth.va);
		pkt->rkey = be32_to_cpu(reth.rkey);
		pkt->dmalen = be32_to_cpu(reth.dmalen);
	}
	if (row->headers & TP_HDR_ATOMIC) {
		memcpy(&atomic, p, sizeof(atomic));
		p += sizeof(atomic);
		pkt->va = be64_to_cpu(atomic.va);
		pkt->rkey = be32_to_cpu(atomic.rkey);
		pkt->swap = be64_to_cpu(atomic.swap);
		pkt->compare = be64_to_cpu(atomic.compare);
	}
	if (row->headers & TP_HDR_AETH) {
		memcpy(&aeth, p, sizeof(aeth));
		p += sizeof(aeth);
		pkt->syndrome = be32_to_cpu(aeth.syndrome_msn) >> 24;
		pkt->msn = be32_to_cpu(aeth.syndrome_msn) & TP_PSN_MASK;
	}
	if (row->headers & TP_HDR_ATOMIC_ACK) {
		memcpy(&atomic_ack, p, sizeof(atomic_ack));
		p += sizeof(atomic_ack);
		pkt->orig = be64_to_cpu(atomic_ack.orig);
	}
	if (row->headers & TP_HDR_IMM) {
		memcpy(&imm, p, sizeof(imm));
		pkt->imm = imm.imm;
	}
	if (row->headers & TP_HDR_IETH) {
		memcpy(&ieth, p, sizeof(ieth));
		pkt->inv_rkey = be32_to_cpu(ieth.rkey);
	}
}

/* @wire: bytes between the headers and the ICRC, padding included. */
static enum tp_drop tp_check_payload(const struct tp_opcode *row, u32 wire, u32 pad)
{
	/* A packet is a multiple of 4 bytes; the pad count says what of it is data (IBA 9.2.4). */
	if (wire % 4 || pad > wire)
		return TP_DROP_PAD;
	if (row->payload == TP_PAYLOAD_NONE && wire)
		return TP_DROP_LENGTH;
	if (row->payload == TP_PAYLOAD_FULL && pad)
		return TP_DROP_PAD;
	if (wire > TP_MAX_MTU)
		return TP_DROP_LENGTH;
	return TP_DROP_NONE;
}

enum tp_drop tp_packet_parse(const void *head, u32 len, struct tp_packet *pkt)
{
	const struct tp_opcode *row;
	struct tp_wire_bth bth;
	enum tp_drop drop;
	u32 wire, pad;

	if (len < TP_BTH_BYTES + TP_ICRC_BYTES)
		return TP_DROP_SHORT;
	memcpy(&bth, head, sizeof(bth));
	if (bth.flags & BTH_TVER_MASK)
		return TP_DROP_VERSION;
	row = tp_opcode_find(bth.opcode);
	if (!row)
		return TP_DROP_OPCODE;
	if (len < row->header_len + TP_ICRC_BYTES)
		return TP_DROP_SHORT;
	wire = len - row->header_len - TP_ICRC_BYTES;
	pad = bth.flags >> BTH_PAD_SHIFT & BTH_PAD_MASK;
	drop = tp_check_payload(row, wire, pad);
	if (drop)
		return drop;

	memset(pkt, 0, sizeof(*pkt));
	pkt->service = row->service;
	pkt->op = row->op;
	pkt->opcode = bth.opcode;
	pkt->flags = row->flags;
	if (bth.flags & BTH_SE)
		pkt->flags |= TP_TRAIN_SE;
	if (bth.flags & BTH_MIGREQ)
		pkt->flags |= TP_TRAIN_MIGREQ;
	if (be32_to_cpu(bth.psn) & BTH_ACKREQ)
		pkt->flags |= TP_TRAIN_ACKREQ;
	pkt->pkey = be16_to_cpu(bth.pkey);
	pkt->dest_qpn = be32_to_cpu(bth.dest_qpn) & TP_PSN_MASK;
	pkt->psn = be32_to_cpu(bth.psn) & TP_PSN_MASK;
	pkt->header_len = row->header_len;
	pkt->length = wire - pad;
	tp_parse_extensions(row, (const u8 *)head + TP_BTH_BYTES, pkt);
	return TP_DROP_NONE;
}

/* The flags of packet @i alone: its place in the message, and its BTH bits. */
static u32 tp_packet_flags(const struct tp_train *train, u32 i)
{
	u32 flags = train->flags;

	if (i)
		flags &= ~TP_TRAIN_FIRST;
	if (i + 1 < train->npkts)
		flags &= ~(TP_TRAIN_LAST | TP_TRAIN_IMM | TP_TRAIN_INV | TP_TRAIN_ACKREQ);
	if (!(flags & TP_TRAIN_LAST))
		flags &= ~(TP_TRAIN_IMM | TP_TRAIN_INV | TP_TRAIN_SE);
	return flags;
}

u8 tp_train_opcode(const struct tp_train *train, u32 i)
{
	return tp_opcode_of(train->service, train->op, tp_packet_flags(train, i));
}

u32 tp_train_payload(const struct tp_train *train, u32 i)
{
	if (i + 1 < train->npkts)
		return train->mtu;
	return train->length - i * train->mtu;
}

static u8 *tp_put(u8 *p, const void *header, u32 len)
{
	memcpy(p, header, len);
	return p + len;
}

static u8 *tp_write_bth(const struct tp_train *train, u32 i, u8 *p)
{
	u32 flags = tp_packet_flags(train, i);
	u32 pad = -tp_train_payload(train, i) & BTH_PAD_MASK;
	u32 psn = tp_psn_add(train->psn, i);
	struct tp_wire_bth bth = {
		.opcode = tp_opcode_of(train->service, train->op, flags),
		.flags = pad << BTH_PAD_SHIFT,
		.pkey = cpu_to_be16(train->pkey),
		.dest_qpn = cpu_to_be32(train->dest_qpn & TP_PSN_MASK),
	};

	if (flags & TP_TRAIN_SE)
		bth.flags |= BTH_SE;
	if (flags & TP_TRAIN_MIGREQ)
		bth.flags |= BTH_MIGREQ;
	if (flags & TP_TRAIN_ACKREQ)
		psn |= BTH_ACKREQ;
	bth.psn = cpu_to_be32(psn);
	return tp_put(p, &bth, sizeof(bth));
}

static u8 *tp_write_deth(const struct tp_train *train, u8 *p)
{
	struct tp_wire_deth deth = {
		.qkey = cpu_to_be32(train->qkey),
		.src_qpn = cpu_to_be32(train->src_qpn & TP_PSN_MASK),
	};

	return tp_put(p, &deth, sizeof(deth));
}

static u8 *tp_write_reth(const struct tp_train *train, u8 *p)
{
	struct tp_wire_reth reth = {
		.va = cpu_to_be64(train->va),
		.rkey = cpu_to_be32(train->rkey),
		.dmalen = cpu_to_be32(train->dmalen),
	};

	return tp_put(p, &reth, sizeof(reth));
}

static u8 *tp_write_atomic(const struct tp_train *train, u8 *p)
{
	struct tp_wire_atomic atomic = {
		.va = cpu_to_be64(train->va),
		.rkey = cpu_to_be32(train->rkey),
		.swap = cpu_to_be64(train->swap),
		.compare = cpu_to_be64(train->compare),
	};

	return tp_put(p, &atomic, sizeof(atomic));
}

static u8 *tp_write_aeth(const struct tp_train *train, u8 *p)
{
	struct tp_wire_aeth aeth = {
		.syndrome_msn = cpu_to_be32((u32)train->syndrome << 24 |
					    (train->msn & TP_PSN_MASK)),
	};

	return tp_put(p, &aeth, sizeof(aeth));
}

u32 tp_train_headers(const struct tp_train *train, u32 i, void *head)
{
	const struct tp_opcode *row = tp_opcode_find(tp_train_opcode(train, i));
	struct tp_wire_atomic_ack atomic_ack;
	struct tp_wire_ieth ieth;
	u8 *p = head;

	p = tp_write_bth(train, i, p);
	if (row->headers & TP_HDR_DETH)
		p = tp_write_deth(train, p);
	if (row->headers & TP_HDR_RETH)
		p = tp_write_reth(train, p);
	if (row->headers & TP_HDR_ATOMIC)
		p = tp_write_atomic(train, p);
	if (row->headers & TP_HDR_AETH)
		p = tp_write_aeth(train, p);
	if (row->headers & TP_HDR_ATOMIC_ACK) {
		atomic_ack.orig = cpu_to_be64(train->orig);
		p = tp_put(p, &atomic_ack, sizeof(atomic_ack));
	}
	if (row->headers & TP_HDR_IMM)
		p = tp_put(p, &train->imm, sizeof(train->imm));
	if (row->headers & TP_HDR_IETH) {
		ieth.rkey = cpu_to_be32(train->inv_rkey);
		p = tp_put(p, &ieth, sizeof(ieth));
	}
	return p - (u8 *)head;
}

void tp_train_begin(struct tp_train *train, const struct tp_packet *pkt)
{
	*train = (struct tp_train){
		.service = pkt->service,
		.op = pkt->op,
		.flags = pkt->flags,
		.npkts = 1,
		.psn = pkt->psn,
		.dest_qpn = pkt->dest_qpn,
		.pkey = pkt->pkey,
		.mtu = pkt->length,
		.length = pkt->length,
		.va = pkt->va,
		.rkey = pkt->rkey,
		.dmalen = pkt->dmalen,
		.swap = pkt->swap,
		.compare = pkt->compare,
		.qkey = pkt->qkey,
		.src_qpn = pkt->src_qpn,
		.imm = pkt->imm,
		.syndrome = pkt->syndrome,
		.msn = pkt->msn,
		.orig = pkt->orig,
	};
}

/* Bits that all packets of a train have in common. */
#define TP_JOIN_SAME	TP_TRAIN_MIGREQ
/* Bits that a train has if one of its packets has them. */
#define TP_JOIN_ANY	(TP_TRAIN_LAST | TP_TRAIN_IMM | TP_TRAIN_INV | TP_TRAIN_ACKREQ)

bool tp_train_join(struct tp_train *train, const struct tp_packet *pkt)
{
	if (pkt->service != train->service || pkt->op != train->op ||
	    pkt->flags & TP_TRAIN_FIRST || train->flags & TP_TRAIN_LAST)
		return false;
	if (pkt->psn != tp_psn_add(train->psn, train->npkts) || pkt->pkey != train->pkey ||
	    pkt->dest_qpn != train->dest_qpn || (pkt->flags ^ train->flags) & TP_JOIN_SAME)
		return false;
	if (train->npkts >= TP_TRAIN_PACKETS || pkt->length > TP_TRAIN_BYTES - train->length)
		return false;
	/* What is there is full packets. This one is too, or is the message's last. */
	if (!pkt->length || pkt->length > train->mtu ||
	    train->length != train->npkts * train->mtu)
		return false;
	if (pkt->length < train->mtu && !(pkt->flags & TP_TRAIN_LAST))
		return false;

	train->npkts++;
	train->length += pkt->length;
	train->flags |= pkt->flags & TP_JOIN_ANY;
	if (pkt->flags & TP_TRAIN_LAST) {
		train->flags &= ~TP_TRAIN_SE;
		train->flags |= pkt->flags & TP_TRAIN_SE;
		train->imm = pkt->imm;
		train->syndrome = pkt->syndrome;
		train->msn = pkt->msn;
	}
	return true;
}

const char *const tp_drop_names[TP_NUM_DROPS] = {
	[TP_DROP_NONE]		= "none",
	[TP_DROP_SHORT]		= "short",
	[TP_DROP_ICRC]		= "icrc",
	[TP_DROP_VERSION]	= "version",
	[TP_DROP_OPCODE]	= "opcode",
	[TP_DROP_PAD]		= "pad",
	[TP_DROP_LENGTH]	= "length",
	[TP_DROP_QPN]		= "qpn",
	[TP_DROP_SOURCE]	= "source",
	[TP_DROP_PKEY]		= "pkey",
	[TP_DROP_QKEY]		= "qkey",
	[TP_DROP_STATE]		= "state",
	[TP_DROP_PSN]		= "psn",
	[TP_DROP_BUSY]		= "busy",
	[TP_DROP_RECV]		= "recv",
	[TP_DROP_ACCESS]	= "access",
};
