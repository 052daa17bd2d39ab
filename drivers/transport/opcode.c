// SPDX-License-Identifier: GPL-2.0
/*
 * The table of BTH opcodes (IBA table 38, annex A14 for SEND with invalidate).
 */
#include "opcode.h"

#include <linux/kernel.h>

#include "transport.h"

/*
 * TP_RC_OPCODES - the opcodes of the reliable connection:
 * X(code, op, place, headers, payload)
 *
 * Both tables below come from it.
 */
#define TP_RC_OPCODES(X)						\
	X(0x00, SEND, FIRST, 0, FULL)					\
	X(0x01, SEND, MIDDLE, 0, FULL)					\
	X(0x02, SEND, LAST, 0, SOME)					\
	X(0x03, SEND, LAST_IMM, TP_HDR_IMM, SOME)			\
	X(0x04, SEND, ONLY, 0, ANY)					\
	X(0x05, SEND, ONLY_IMM, TP_HDR_IMM, ANY)			\
	X(0x06, WRITE, FIRST, TP_HDR_RETH, FULL)			\
	X(0x07, WRITE, MIDDLE, 0, FULL)					\
	X(0x08, WRITE, LAST, 0, SOME)					\
	X(0x09, WRITE, LAST_IMM, TP_HDR_IMM, SOME)			\
	X(0x0a, WRITE, ONLY, TP_HDR_RETH, ANY)				\
	X(0x0b, WRITE, ONLY_IMM, TP_HDR_RETH | TP_HDR_IMM, ANY)		\
	X(0x0c, READ, ONLY, TP_HDR_RETH, NONE)				\
	X(0x0d, READ_RESP, FIRST, TP_HDR_AETH, FULL)			\
	X(0x0e, READ_RESP, MIDDLE, 0, FULL)				\
	X(0x0f, READ_RESP, LAST, TP_HDR_AETH, SOME)			\
	X(0x10, READ_RESP, ONLY, TP_HDR_AETH, ANY)			\
	X(0x11, ACK, ONLY, TP_HDR_AETH, NONE)				\
	X(0x12, ATOMIC_ACK, ONLY, TP_HDR_AETH | TP_HDR_ATOMIC_ACK, NONE) \
	X(0x13, CMP_SWAP, ONLY, TP_HDR_ATOMIC, NONE)			\
	X(0x14, FETCH_ADD, ONLY, TP_HDR_ATOMIC, NONE)			\
	X(0x16, SEND, LAST_INV, TP_HDR_IETH, SOME)			\
	X(0x17, SEND, ONLY_INV, TP_HDR_IETH, ANY)

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
	 ((h) & TP_HDR_RETH ? 16 : 0) +			\
	 ((h) & TP_HDR_ATOMIC ? 28 : 0) +		\
	 ((h) & TP_HDR_AETH ? 4 : 0) +			\
	 ((h) & TP_HDR_ATOMIC_ACK ? 8 : 0) +		\
	 ((h) & TP_HDR_IMM ? 4 : 0) +			\
	 ((h) & TP_HDR_IETH ? 4 : 0))

#define ROW(code, kind, place, hdrs, pay)		\
	[code] = {					\
		.known = true,				\
		.op = TP_OP_##kind,			\
		.flags = PLACE_##place,			\
		.headers = (hdrs),			\
		.header_len = HEADERS_LEN(hdrs),	\
		.payload = TP_PAYLOAD_##pay,		\
	},
#define CODE(code, kind, place, hdrs, pay)	[TP_OP_##kind][PLACE_##place] = (code),

static const struct tp_opcode tp_opcodes[] = { TP_RC_OPCODES(ROW) };
static const u8 tp_opcode_codes[TP_NUM_OPS][PLACE_MASK + 1] = { TP_RC_OPCODES(CODE) };

const struct tp_opcode *tp_opcode_find(u8 code)
{
	if (code >= ARRAY_SIZE(tp_opcodes) || !tp_opcodes[code].known)
		return NULL;
	return &tp_opcodes[code];
}

u8 tp_opcode_of(enum tp_op op, u32 flags)
{
	return tp_opcode_codes[op][flags & PLACE_MASK];
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
