// SPDX-License-Identifier: GPL-2.0
/*
 * The table of BTH opcodes (IBA table 38, annex A14 for SEND with invalidate).
 */
#include "opcode.h"

#include <linux/kernel.h>

#include "transport.h"

/*
 * TP_OPCODES - the opcodes of each transport service:
 * X(code, service, op, place, headers, payload)
 *
 * Both tables below come from it.
 */
#define TP_OPCODES(X)							\
	X(0x00, RC, SEND, FIRST, 0, FULL)				\
	X(0x01, RC, SEND, MIDDLE, 0, FULL)				\
	X(0x02, RC, SEND, LAST, 0, SOME)				\
	X(0x03, RC, SEND, LAST_IMM, TP_HDR_IMM, SOME)			\
	X(0x04, RC, SEND, ONLY, 0, ANY)					\
	X(0x05, RC, SEND, ONLY_IMM, TP_HDR_IMM, ANY)			\
	X(0x06, RC, WRITE, FIRST, TP_HDR_RETH, FULL)			\
	X(0x07, RC, WRITE, MIDDLE, 0, FULL)				\
	X(0x08, RC, WRITE, LAST, 0, SOME)				\
	X(0x09, RC, WRITE, LAST_IMM, TP_HDR_IMM, SOME)			\
	X(0x0a, RC, WRITE, ONLY, TP_HDR_RETH, ANY)			\
	X(0x0b, RC, WRITE, ONLY_IMM, TP_HDR_RETH | TP_HDR_IMM, ANY)	\
	X(0x0c, RC, READ, ONLY, TP_HDR_RETH, NONE)			\
	X(0x0d, RC, READ_RESP, FIRST, TP_HDR_AETH, FULL)		\
	X(0x0e, RC, READ_RESP, MIDDLE, 0, FULL)				\
	X(0x0f, RC, READ_RESP, LAST, TP_HDR_AETH, SOME)			\
	X(0x10, RC, READ_RESP, ONLY, TP_HDR_AETH, ANY)			\
	X(0x11, RC, ACK, ONLY, TP_HDR_AETH, NONE)			\
	X(0x12, RC, ATOMIC_ACK, ONLY, TP_HDR_AETH | TP_HDR_ATOMIC_ACK, NONE) \
	X(0x13, RC, CMP_SWAP, ONLY, TP_HDR_ATOMIC, NONE)		\
	X(0x14, RC, FETCH_ADD, ONLY, TP_HDR_ATOMIC, NONE)		\
	X(0x16, RC, SEND, LAST_INV, TP_HDR_IETH, SOME)			\
	X(0x17, RC, SEND, ONLY_INV, TP_HDR_IETH, ANY)			\
	X(0x20, UC, SEND, FIRST, 0, FULL)				\
	X(0x21, UC, SEND, MIDDLE, 0, FULL)				\
	X(0x22, UC, SEND, LAST, 0, SOME)				\
	X(0x23, UC, SEND, LAST_IMM, TP_HDR_IMM, SOME)			\
	X(0x24, UC, SEND, ONLY, 0, ANY)					\
	X(0x25, UC, SEND, ONLY_IMM, TP_HDR_IMM, ANY)			\
	X(0x26, UC, WRITE, FIRST, TP_HDR_RETH, FULL)			\
	X(0x27, UC, WRITE, MIDDLE, 0, FULL)				\
	X(0x28, UC, WRITE, LAST, 0, SOME)				\
	X(0x29, UC, WRITE, LAST_IMM, TP_HDR_IMM, SOME)			\
	X(0x2a, UC, WRITE, ONLY, TP_HDR_RETH, ANY)			\
	X(0x2b, UC, WRITE, ONLY_IMM, TP_HDR_RETH | TP_HDR_IMM, ANY)	\
	X(0x64, UD, SEND, ONLY, TP_HDR_DETH, ANY)			\
	X(0x65, UD, SEND, ONLY_IMM, TP_HDR_DETH | TP_HDR_IMM, ANY)

#define PLACE_FIRST	TP_TRAIN_FIRST
#define PLACE_MIDDLE	0
#define PLACE_LAST	TP_TRAIN_LAST
#define PLACE_LAST_IMM	(TP_TRAIN_LAST | TP_TRAIN_IMM)
#define PLACE_LAST_INV	(TP_TRAIN_LAST | TP_TRAIN_INV)
#define PLACE_ONLY	(TP_TRAIN_FIRST | TP_TRAIN_LAST)
#define PLACE_ONLY_IMM	(PLACE_ONLY | TP_TRAIN_IMM)
#define PLACE_ONLY_INV	(PLACE_ONLY | TP_TRAIN_INV)
#define PLACE_MASK	(PLACE_ONLY | TP_TRAIN_IMM | TP_TRAIN_INV)

#define HEADERS_LEN(h)					\
	(TP_BTH_BYTES +					\
	 ((h) & TP_HDR_DETH ? 8 : 0) +			\
	 ((h) & TP_HDR_RETH ? 16 : 0) +			\
	 ((h) & TP_HDR_ATOMIC ? 28 : 0) +		\
	 ((h) & TP_HDR_AETH ? 4 : 0) +			\
	 ((h) & TP_HDR_ATOMIC_ACK ? 8 : 0) +		\
	 ((h) & TP_HDR_IMM ? 4 : 0) +			\
	 ((h) & TP_HDR_IETH ? 4 : 0))

#define ROW(code, serv, kind, place, hdrs, pay)		\
	[code] = {					\
		.known = true,				\
		.service = TP_##serv,			\
		.op = TP_OP_##kind,			\
		.flags = PLACE_##place,			\
		.headers = (hdrs),			\
		.header_len = HEADERS_LEN(hdrs),	\
		.payload = TP_PAYLOAD_##pay,		\
	},
#define CODE(code, serv, kind, place, hdrs, pay)	\
	[TP_##serv][TP_OP_##kind][PLACE_##place] = (code),

static const struct tp_opcode tp_opcodes[] = { TP_OPCODES(ROW) };
static const u8 tp_opcode_codes[TP_NUM_SERVICES][TP_NUM_OPS][PLACE_MASK + 1] = {
	TP_OPCODES(CODE)
};

const struct tp_opcode *tp_opcode_find(u8 code)
{
	if (code >= ARRAY_SIZE(tp_opcodes) || !tp_opcodes[code].known)
		return NULL;
	return &tp_opcodes[code];
}

u8 tp_opcode_of(enum tp_service service, enum tp_op op, u32 flags)
{
	return tp_opcode_codes[service][op][flags & PLACE_MASK];
}

bool tp_op_is_request(enum tp_op op)
{
	return op < TP_OP_READ_RESP;
}

const char *const tp_op_names[TP_NUM_OPS] = {
	[TP_OP_SEND]		= "send",
	[TP_OP_WRITE]		= "write",
	[TP_OP_READ]		= "read",
	[TP_OP_CMP_SWAP]	= "cmp_swap",
	[TP_OP_FETCH_ADD]	= "fetch_add",
	[TP_OP_READ_RESP]	= "read_resp",
	[TP_OP_ACK]		= "ack",
	[TP_OP_ATOMIC_ACK]	= "atomic_ack",
};
