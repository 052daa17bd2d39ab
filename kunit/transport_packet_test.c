// SPDX-License-Identifier: GPL-2.0
/*
 * Packets: a table of good and bad ones, and trains written and read back.
 */
#include "../drivers/transport/packet.c"

#include <kunit/test.h>

#include "random.h"

#define BUFFER	(TP_HEADER_MAX + TP_MAX_MTU + 64)

/* The BTH, the extension headers and what they carry, by opcode (IBA table 38). */
struct opcode_case {
	u8 opcode;
	enum tp_op op;
	u32 header_len;
	u32 flags;
	bool no_payload;
	bool no_pad;
	enum tp_service service;
};

#define FIRST	TP_TRAIN_FIRST
#define LAST	TP_TRAIN_LAST
#define ONLY	(FIRST | LAST)
#define IMM	TP_TRAIN_IMM
#define INV	TP_TRAIN_INV

static const struct opcode_case opcodes[] = {
	{ 0, TP_OP_SEND, 12, FIRST, .no_pad = true },
	{ 1, TP_OP_SEND, 12, 0, .no_pad = true },
	{ 2, TP_OP_SEND, 12, LAST },
	{ 3, TP_OP_SEND, 16, LAST | IMM },
	{ 4, TP_OP_SEND, 12, ONLY },
	{ 5, TP_OP_SEND, 16, ONLY | IMM },
	{ 6, TP_OP_WRITE, 28, FIRST, .no_pad = true },
	{ 7, TP_OP_WRITE, 12, 0, .no_pad = true },
	{ 8, TP_OP_WRITE, 12, LAST },
	{ 9, TP_OP_WRITE, 16, LAST | IMM },
	{ 10, TP_OP_WRITE, 28, ONLY },
	{ 11, TP_OP_WRITE, 32, ONLY | IMM },
	{ 12, TP_OP_READ, 28, ONLY, .no_payload = true },
	{ 13, TP_OP_READ_RESP, 16, FIRST, .no_pad = true },
	{ 14, TP_OP_READ_RESP, 12, 0, .no_pad = true },
	{ 15, TP_OP_READ_RESP, 16, LAST },
	{ 16, TP_OP_READ_RESP, 16, ONLY },
	{ 17, TP_OP_ACK, 16, ONLY, .no_payload = true },
	{ 18, TP_OP_ATOMIC_ACK, 24, ONLY, .no_payload = true },
	{ 19, TP_OP_CMP_SWAP, 40, ONLY, .no_payload = true },
	{ 20, TP_OP_FETCH_ADD, 40, ONLY, .no_payload = true },
	{ 22, TP_OP_SEND, 16, LAST | INV },
	{ 23, TP_OP_SEND, 16, ONLY | INV },
	{ 0x20, TP_OP_SEND, 12, FIRST, .no_pad = true, .service = TP_UC },
	{ 0x21, TP_OP_SEND, 12, 0, .no_pad = true, .service = TP_UC },
	{ 0x22, TP_OP_SEND, 12, LAST, .service = TP_UC },
	{ 0x23, TP_OP_SEND, 16, LAST | IMM, .service = TP_UC },
	{ 0x24, TP_OP_SEND, 12, ONLY, .service = TP_UC },
	{ 0x25, TP_OP_SEND, 16, ONLY | IMM, .service = TP_UC },
	{ 0x26, TP_OP_WRITE, 28, FIRST, .no_pad = true, .service = TP_UC },
	{ 0x27, TP_OP_WRITE, 12, 0, .no_pad = true, .service = TP_UC },
	{ 0x28, TP_OP_WRITE, 12, LAST, .service = TP_UC },
	{ 0x29, TP_OP_WRITE, 16, LAST | IMM, .service = TP_UC },
	{ 0x2a, TP_OP_WRITE, 28, ONLY, .service = TP_UC },
	{ 0x2b, TP_OP_WRITE, 32, ONLY | IMM, .service = TP_UC },
	{ 0x64, TP_OP_SEND, 20, ONLY, .service = TP_UD },
	{ 0x65, TP_OP_SEND, 24, ONLY | IMM, .service = TP_UD },
};

static void opcode_desc(const struct opcode_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "opcode 0x%02x", c->opcode);
}

KUNIT_ARRAY_PARAM(opcode, opcodes, opcode_desc);

/* A buffer whose last byte is the buffer's last: KASAN sees what reads past it. */
static u8 *buffer(struct kunit *test, u32 len)
{
	u8 *p = kunit_kzalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

/* Parses a packet of @len bytes of which only the first TP_HEADER_MAX are there. */
static enum tp_drop parse(struct kunit *test, const u8 *bytes, u32 len, struct tp_packet *pkt)
{
	u32 there = min(len, TP_HEADER_MAX);
	u8 *head = kmemdup(bytes, max(there, 1u), GFP_KERNEL);
	enum tp_drop drop;

	if (!head) {
		KUNIT_FAIL_AND_ABORT(test, "no memory");
		return TP_DROP_BUSY;
	}
	drop = tp_packet_parse(head, len, pkt);
	kfree(head);
	return drop;
}

static void packet_opcodes(struct kunit *test)
{
	const struct opcode_case *c = test->param_value;
	u32 small = c->header_len + TP_ICRC_BYTES, len;
	u8 *b = buffer(test, BUFFER);
	struct tp_packet pkt;

	b[0] = c->opcode;
	/* No byte too few. */
	for (len = 0; len < small; len++)
		KUNIT_EXPECT_EQ_MSG(test, parse(test, b, len, &pkt), TP_DROP_SHORT, "len %u", len);
	KUNIT_ASSERT_EQ(test, parse(test, b, small, &pkt), TP_DROP_NONE);
	KUNIT_EXPECT_EQ(test, pkt.service, c->service);
	KUNIT_EXPECT_EQ(test, pkt.op, c->op);
	KUNIT_EXPECT_EQ(test, pkt.opcode, c->opcode);
	KUNIT_EXPECT_EQ(test, pkt.header_len, c->header_len);
	KUNIT_EXPECT_EQ(test, pkt.flags, c->flags);
	KUNIT_EXPECT_EQ(test, pkt.length, 0);

	/* Payload, or none. */
	KUNIT_EXPECT_EQ(test, parse(test, b, small + 256, &pkt),
			c->no_payload ? TP_DROP_LENGTH : TP_DROP_NONE);
	KUNIT_EXPECT_EQ(test, parse(test, b, small + 4096, &pkt),
			c->no_payload ? TP_DROP_LENGTH : TP_DROP_NONE);
	KUNIT_EXPECT_EQ(test, parse(test, b, small + 4100, &pkt), TP_DROP_LENGTH);
	KUNIT_EXPECT_EQ(test, parse(test, b, 0xfffffffc, &pkt), TP_DROP_LENGTH);
	/* A packet is a multiple of four bytes. */
	for (len = 1; len < 4; len++)
		KUNIT_EXPECT_EQ(test, parse(test, b, small + 256 + len, &pkt), TP_DROP_PAD);

	/* Padding: no more than there is, none where the payload is whole. */
	b[1] = 3 << 4;
	KUNIT_EXPECT_EQ(test, parse(test, b, small, &pkt), TP_DROP_PAD);
	KUNIT_EXPECT_EQ(test, parse(test, b, small + 4, &pkt),
			c->no_payload ? TP_DROP_LENGTH : c->no_pad ? TP_DROP_PAD : TP_DROP_NONE);
	if (!c->no_payload && !c->no_pad)
		KUNIT_EXPECT_EQ(test, pkt.length, 1);

	/* The transport header's version. */
	b[1] = 1;
	KUNIT_EXPECT_EQ(test, parse(test, b, small, &pkt), TP_DROP_VERSION);
}

static void packet_unknown_opcodes(struct kunit *test)
{
	u8 *b = buffer(test, BUFFER);
	struct tp_packet pkt;
	unsigned int code, i;

	for (code = 0; code < 256; code++) {
		bool known = false;

		for (i = 0; i < ARRAY_SIZE(opcodes); i++)
			known |= opcodes[i].opcode == code;
		if (known)
			continue;
		b[0] = code;
		KUNIT_EXPECT_EQ_MSG(test, parse(test, b, 200, &pkt), TP_DROP_OPCODE, "0x%x", code);
	}
}

/* Each field of a WRITE with immediate, where it is on the wire. */
static void packet_fields(struct kunit *test)
{
	static const u8 write_imm[] = {
		0x0b, 0x80 | 0x40 | 2 << 4, 0x80, 0x01,
		0xff, 0xab, 0xcd, 0xef,
		0x80, 0x12, 0x34, 0x56,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0x11, 0x12, 0x13, 0x14,
		0x00, 0x00, 0x00, 0x02,
		0xa1, 0xa2, 0xa3, 0xa4,
		0x55, 0x66, 0, 0,
		1, 2, 3, 4,
	};
	static const u8 cmp_swap[] = {
		0x13, 0x40, 0xff, 0xff, 0, 0, 0, 9, 0, 0, 0, 7,
		1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x12, 0x13, 0x14,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
		0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0, 0, 0, 0,
	};
	static const u8 atomic_ack[] = {
		0x12, 0x40, 0xff, 0xff, 0, 0, 0, 9, 0, 0, 0, 7, 0x1f, 0xf1, 0xf2, 0xf3,
		0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0, 0, 0, 0,
	};
	static const u8 send_inv[] = {
		0x17, 0x40, 0xff, 0xff, 0, 0, 0, 9, 0, 0, 0, 7, 0x51, 0x52, 0x53, 0x54, 0, 0, 0, 0,
	};
	struct tp_packet pkt;

	KUNIT_ASSERT_EQ(test, parse(test, write_imm, sizeof(write_imm), &pkt), TP_DROP_NONE);
	KUNIT_EXPECT_EQ(test, pkt.flags, ONLY | IMM | TP_TRAIN_SE | TP_TRAIN_MIGREQ |
			TP_TRAIN_ACKREQ);
	KUNIT_EXPECT_EQ(test, pkt.pkey, 0x8001);
	KUNIT_EXPECT_EQ(test, pkt.dest_qpn, 0xabcdef);
	KUNIT_EXPECT_EQ(test, pkt.psn, 0x123456);
	KUNIT_EXPECT_EQ(test, pkt.va, 0x0102030405060708ull);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x11121314);
	KUNIT_EXPECT_EQ(test, pkt.dmalen, 2);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(pkt.imm), 0xa1a2a3a4);
	KUNIT_EXPECT_EQ(test, pkt.length, 2);

	KUNIT_ASSERT_EQ(test, parse(test, cmp_swap, sizeof(cmp_swap), &pkt), TP_DROP_NONE);
	KUNIT_EXPECT_EQ(test, pkt.va, 0x0102030405060708ull);
	KUNIT_EXPECT_EQ(test, pkt.rkey, 0x11121314);
	KUNIT_EXPECT_EQ(test, pkt.swap, 0x2122232425262728ull);
	KUNIT_EXPECT_EQ(test, pkt.compare, 0x3132333435363738ull);

	KUNIT_ASSERT_EQ(test, parse(test, atomic_ack, sizeof(atomic_ack), &pkt), TP_DROP_NONE);
	KUNIT_EXPECT_EQ(test, pkt.syndrome, 0x1f);
	KUNIT_EXPECT_EQ(test, pkt.msn, 0xf1f2f3);
	KUNIT_EXPECT_EQ(test, pkt.orig, 0x4142434445464748ull);

	KUNIT_ASSERT_EQ(test, parse(test, send_inv, sizeof(send_inv), &pkt), TP_DROP_NONE);
	KUNIT_EXPECT_EQ(test, pkt.inv_rkey, 0x51525354);
}

/* Any bytes are safe, and what passes keeps its promises. */
static void packet_random(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i, passed = 0;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 5000; i++) {
		u8 bytes[TP_HEADER_MAX];
		u32 len = prandom_u32_state(&rnd) % 300;
		struct tp_packet pkt;

		prandom_bytes_state(&rnd, bytes, sizeof(bytes));
		bytes[0] %= 0x40;
		if (i % 4)
			bytes[1] &= 0xf0;
		if (parse(test, bytes, len, &pkt))
			continue;
		passed++;
		KUNIT_ASSERT_GE(test, pkt.header_len, TP_BTH_BYTES);
		KUNIT_ASSERT_LE(test, pkt.header_len, TP_HEADER_MAX);
		KUNIT_ASSERT_LE(test, pkt.header_len + pkt.length + TP_ICRC_BYTES, len);
		KUNIT_ASSERT_LT(test, len - pkt.header_len - pkt.length - TP_ICRC_BYTES, 4);
		KUNIT_ASSERT_LT(test, (u32)pkt.op, (u32)TP_NUM_OPS);
		KUNIT_ASSERT_LE(test, pkt.psn, 0xffffff);
		KUNIT_ASSERT_LE(test, pkt.dest_qpn, 0xffffff);
		KUNIT_ASSERT_LE(test, pkt.msn, 0xffffff);
	}
	KUNIT_EXPECT_GT(test, passed, 100);
}

/* What a train of an operation can have. */
struct train_case {
	const char *name;
	enum tp_op op;
	u32 flags;
	u32 npkts;
	u32 mtu;
	u32 length;
	enum tp_service service;
};

static const struct train_case trains[] = {
	{ "SEND only", TP_OP_SEND, ONLY, 1, 1024, 17 },
	{ "SEND empty", TP_OP_SEND, ONLY, 1, 1024, 0 },
	{ "SEND with immediate", TP_OP_SEND, ONLY | IMM | TP_TRAIN_SE, 1, 256, 256 },
	{ "SEND with invalidate", TP_OP_SEND, ONLY | INV, 3, 256, 513 },
	{ "SEND whole", TP_OP_SEND, ONLY | TP_TRAIN_ACKREQ, 3, 512, 1536 },
	{ "SEND beginning", TP_OP_SEND, FIRST, 4, 1024, 4096 },
	{ "SEND middle", TP_OP_SEND, TP_TRAIN_MIGREQ, 4, 1024, 4096 },
	{ "SEND end", TP_OP_SEND, LAST | IMM | TP_TRAIN_SE, 4, 1024, 3073 },
	{ "WRITE only", TP_OP_WRITE, ONLY, 1, 4096, 4095 },
	{ "WRITE whole", TP_OP_WRITE, ONLY | IMM | TP_TRAIN_MIGREQ, 16, 4096, 65536 },
	{ "WRITE beginning", TP_OP_WRITE, FIRST, 2, 256, 512 },
	{ "WRITE end", TP_OP_WRITE, LAST | TP_TRAIN_ACKREQ, 64, 256, 64 * 256 - 3 },
	{ "READ", TP_OP_READ, ONLY | TP_TRAIN_ACKREQ, 1, 1024, 0 },
	{ "compare and swap", TP_OP_CMP_SWAP, ONLY, 1, 1024, 0 },
	{ "fetch and add", TP_OP_FETCH_ADD, ONLY, 1, 1024, 0 },
	{ "READ response only", TP_OP_READ_RESP, ONLY, 1, 1024, 1000 },
	{ "READ response whole", TP_OP_READ_RESP, ONLY, 5, 1024, 4097 },
	{ "READ response middle", TP_OP_READ_RESP, 0, 5, 1024, 5120 },
	{ "ACK", TP_OP_ACK, ONLY, 1, 1024, 0 },
	{ "atomic ACK", TP_OP_ATOMIC_ACK, ONLY, 1, 1024, 0 },
	{ "UC SEND only", TP_OP_SEND, ONLY | IMM | TP_TRAIN_SE, 1, 1024, 17, TP_UC },
	{ "UC SEND whole", TP_OP_SEND, ONLY, 3, 512, 1501, TP_UC },
	{ "UC WRITE whole", TP_OP_WRITE, ONLY | IMM, 16, 4096, 65535, TP_UC },
	{ "UC WRITE middle", TP_OP_WRITE, 0, 2, 256, 512, TP_UC },
	{ "UD SEND", TP_OP_SEND, ONLY | TP_TRAIN_SE | TP_TRAIN_MIGREQ, 1, 1024, 17, TP_UD },
	{ "UD SEND with immediate", TP_OP_SEND, ONLY | IMM, 1, 4096, 4096, TP_UD },
	{ "UD SEND empty", TP_OP_SEND, ONLY, 1, 1024, 0, TP_UD },
};

KUNIT_ARRAY_PARAM_DESC(train, trains, name);

static void fill_train(struct tp_train *t, const struct train_case *c)
{
	const struct tp_opcode *row;

	*t = (struct tp_train){
		.service = c->service, .op = c->op, .flags = c->flags, .npkts = c->npkts,
		.mtu = c->mtu, .length = c->length, .psn = 0xfffffe, .dest_qpn = 0x123456,
		.pkey = 0xffff,
	};
	/* Only what its packets carry: the rest is 0, as struct tp_train says. */
	row = tp_opcode_find(tp_train_opcode(t, 0));
	if (row->headers & TP_HDR_DETH) {
		t->qkey = 0x80010203;
		t->src_qpn = 0xfedcba;
	}
	if (row->headers & (TP_HDR_RETH | TP_HDR_ATOMIC)) {
		t->va = 0x0102030405060708;
		t->rkey = 0xcafe0001;
	}
	if (row->headers & TP_HDR_RETH)
		t->dmalen = 0x7fffffff;
	if (row->headers & TP_HDR_ATOMIC) {
		t->swap = 0x1112131415161718;
		t->compare = 0x2122232425262728;
	}
	if (c->flags & (IMM | INV))
		t->inv_rkey = 0xbeef0002;
	if (row->headers & TP_HDR_AETH) {
		t->syndrome = 0x1f;
		t->msn = 0xfffffd;
	}
	if (row->headers & TP_HDR_ATOMIC_ACK)
		t->orig = 0x3132333435363738;
}

/* Writes every packet, parses it, joins them again: the same train comes out. */
static void packet_trains(struct kunit *test)
{
	const struct train_case *c = test->param_value;
	struct tp_train *t = kunit_kzalloc(test, 2 * sizeof(*t), GFP_KERNEL), *back = t + 1;
	u32 i, sum = 0;

	KUNIT_ASSERT_NOT_NULL(test, t);
	fill_train(t, c);
	for (i = 0; i < c->npkts; i++) {
		u32 payload = tp_train_payload(t, i);
		u8 *head = buffer(test, TP_HEADER_MAX);
		struct tp_packet pkt;
		u32 n, len;

		n = tp_train_headers(t, i, head);
		KUNIT_ASSERT_LE(test, n, TP_HEADER_MAX);
		KUNIT_ASSERT_LE(test, payload, c->mtu);
		len = n + ALIGN(payload, 4) + TP_ICRC_BYTES;
		KUNIT_ASSERT_EQ(test, tp_packet_parse(head, len, &pkt), TP_DROP_NONE);
		KUNIT_EXPECT_EQ(test, pkt.header_len, n);
		KUNIT_EXPECT_EQ(test, pkt.length, payload);
		KUNIT_EXPECT_EQ(test, pkt.psn, (0xfffffe + i) & 0xffffff);
		KUNIT_EXPECT_EQ(test, pkt.opcode, tp_train_opcode(t, i));
		sum += payload;
		if (!i)
			tp_train_begin(back, &pkt);
		else
			KUNIT_ASSERT_TRUE_MSG(test, tp_train_join(back, &pkt), "packet %u", i);
	}
	KUNIT_EXPECT_EQ(test, sum, c->length);
	/* A train of one does not know the path MTU. */
	if (c->npkts == 1)
		back->mtu = c->mtu;
	KUNIT_EXPECT_MEMEQ(test, t, back, sizeof(*t));
}

/* What is no continuation begins a train of its own. */
static void packet_no_join(struct kunit *test)
{
	static const struct tp_packet first = {
		.op = TP_OP_WRITE, .flags = FIRST, .pkey = 0xffff, .dest_qpn = 5, .psn = 0xffffff,
		.length = 1024,
	};
	static const struct tp_packet next = {
		.op = TP_OP_WRITE, .pkey = 0xffff, .dest_qpn = 5, .psn = 0, .length = 1024,
	};
	struct tp_train *t = kunit_kzalloc(test, 2 * sizeof(*t), GFP_KERNEL), *old = t + 1;
	struct tp_packet pkt;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	tp_train_begin(t, &first);
	*old = *t;
#define REFUSED(member, value) do {						\
	pkt = next;								\
	pkt.member = value;							\
	KUNIT_EXPECT_FALSE_MSG(test, tp_train_join(t, &pkt), #member);		\
	KUNIT_EXPECT_MEMEQ(test, t, old, sizeof(*t));				\
} while (0)
	REFUSED(op, TP_OP_SEND);
	REFUSED(service, TP_UC);
	REFUSED(flags, FIRST);
	REFUSED(flags, ONLY);
	REFUSED(flags, TP_TRAIN_MIGREQ);
	REFUSED(psn, 1);
	REFUSED(psn, 0xffffff);
	REFUSED(pkey, 0x7fff);
	REFUSED(dest_qpn, 6);
	REFUSED(length, 1025);
	REFUSED(length, 0);
	/* One that is not full is the message's last. */
	REFUSED(length, 1000);
	pkt = next;
	pkt.length = 1000;
	pkt.flags = LAST;
	KUNIT_EXPECT_TRUE(test, tp_train_join(t, &pkt));

	/* Nor does anything follow the end of a message. */
	tp_train_begin(t, &first);
	pkt = next;
	pkt.flags = LAST;
	KUNIT_EXPECT_TRUE(test, tp_train_join(t, &pkt));
	*old = *t;
	REFUSED(psn, 1);

	/* A train has an end: packets, and bytes. */
	tp_train_begin(t, &first);
	for (i = 1; i < 200; i++) {
		pkt = next;
		pkt.psn = tp_psn_add(first.psn, i);
		if (!tp_train_join(t, &pkt))
			break;
	}
	KUNIT_EXPECT_LE(test, t->npkts, TP_TRAIN_PACKETS);
	KUNIT_EXPECT_LE(test, t->length, TP_TRAIN_BYTES);
	KUNIT_EXPECT_GT(test, t->npkts, TP_TRAIN_PACKETS / 2);
#undef REFUSED
}

static struct kunit_case packet_cases[] = {
	KUNIT_CASE_PARAM(packet_opcodes, opcode_gen_params),
	KUNIT_CASE(packet_unknown_opcodes),
	KUNIT_CASE(packet_fields),
	KUNIT_CASE(packet_random),
	KUNIT_CASE_PARAM(packet_trains, train_gen_params),
	KUNIT_CASE(packet_no_join),
	{}
};

static struct kunit_suite packet_suite = {
	.name = "ohca_transport_packet",
	.test_cases = packet_cases,
};

kunit_test_suite(packet_suite);
