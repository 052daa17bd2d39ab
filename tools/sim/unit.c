// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the pure functions: sequence numbers, headers, trains, ICRC.
 */
#include "sim.h"
#include "frame.h"
#include "icrc.h"
#include "psn.h"
#include "suite.h"

static void psn_arithmetic(void)
{
	static const struct {
		u32 a, b;
		s32 diff;
	} t[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 0, 1, -1 }, { 0xffffff, 0, -1 }, { 0, 0xffffff, 1 },
		{ 5, 0xfffffb, 10 }, { 0xfffffb, 5, -10 }, { 0x7fffff, 0, 0x7fffff },
		{ 0x800000, 0, -0x800000 }, { 0, 0x800000, -0x800000 }, { 0, 0x800001, 0x7fffff },
		{ 0x800001, 0, -0x7fffff }, { 0x3fffff, 0xc00000, 0x7fffff },
		{ 0x400000, 0xc00000, -0x800000 },
	};
	struct sim_random rng = { .state = 1 };
	u32 i, a, n;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		sim_check(tp_psn_diff(t[i].a, t[i].b) == t[i].diff, "tp_psn_diff(%x, %x) is %d",
			  t[i].a, t[i].b, tp_psn_diff(t[i].a, t[i].b));
		sim_check(tp_psn_before(t[i].a, t[i].b) == (t[i].diff < 0),
			  "tp_psn_before(%x, %x)", t[i].a, t[i].b);
	}
	for (i = 0; i < 100000; i++) {
		a = random_bits(&rng) & 0xffffff;
		n = random_below(&rng, 0x800000);
		sim_check(tp_psn_add(a, n) == (a + n) % (1 << 24), "tp_psn_add(%x, %x)", a, n);
		sim_check(tp_psn_diff(tp_psn_add(a, n), a) == (s32)n, "diff of %x, %x", a, n);
	}
}

/* IBA table 38, and the sizes of 9.3's headers. */
static const struct {
	u8 opcode;
	u8 header_len;
	enum tp_op op;
	u32 flags;
	bool payload;
	bool full;
} opcodes[] = {
#define F	TP_TRAIN_FIRST
#define L	TP_TRAIN_LAST
	{ 0x00, 12, TP_OP_SEND, F, true, true },
	{ 0x01, 12, TP_OP_SEND, 0, true, true },
	{ 0x02, 12, TP_OP_SEND, L, true, false },
	{ 0x03, 16, TP_OP_SEND, L | TP_TRAIN_IMM, true, false },
	{ 0x04, 12, TP_OP_SEND, F | L, true, false },
	{ 0x05, 16, TP_OP_SEND, F | L | TP_TRAIN_IMM, true, false },
	{ 0x06, 28, TP_OP_WRITE, F, true, true },
	{ 0x07, 12, TP_OP_WRITE, 0, true, true },
	{ 0x08, 12, TP_OP_WRITE, L, true, false },
	{ 0x09, 16, TP_OP_WRITE, L | TP_TRAIN_IMM, true, false },
	{ 0x0a, 28, TP_OP_WRITE, F | L, true, false },
	{ 0x0b, 32, TP_OP_WRITE, F | L | TP_TRAIN_IMM, true, false },
	{ 0x0c, 28, TP_OP_READ, F | L, false, false },
	{ 0x0d, 16, TP_OP_READ_RESP, F, true, true },
	{ 0x0e, 12, TP_OP_READ_RESP, 0, true, true },
	{ 0x0f, 16, TP_OP_READ_RESP, L, true, false },
	{ 0x10, 16, TP_OP_READ_RESP, F | L, true, false },
	{ 0x11, 16, TP_OP_ACK, F | L, false, false },
	{ 0x12, 24, TP_OP_ATOMIC_ACK, F | L, false, false },
	{ 0x13, 40, TP_OP_CMP_SWAP, F | L, false, false },
	{ 0x14, 40, TP_OP_FETCH_ADD, F | L, false, false },
	{ 0x16, 16, TP_OP_SEND, L | TP_TRAIN_INV, true, false },
	{ 0x17, 16, TP_OP_SEND, F | L | TP_TRAIN_INV, true, false },
	{ 0x20, 12, TP_OP_SEND, F, true, true },
	{ 0x21, 12, TP_OP_SEND, 0, true, true },
	{ 0x22, 12, TP_OP_SEND, L, true, false },
	{ 0x23, 16, TP_OP_SEND, L | TP_TRAIN_IMM, true, false },
	{ 0x24, 12, TP_OP_SEND, F | L, true, false },
	{ 0x25, 16, TP_OP_SEND, F | L | TP_TRAIN_IMM, true, false },
	{ 0x26, 28, TP_OP_WRITE, F, true, true },
	{ 0x27, 12, TP_OP_WRITE, 0, true, true },
	{ 0x28, 12, TP_OP_WRITE, L, true, false },
	{ 0x29, 16, TP_OP_WRITE, L | TP_TRAIN_IMM, true, false },
	{ 0x2a, 28, TP_OP_WRITE, F | L, true, false },
	{ 0x2b, 32, TP_OP_WRITE, F | L | TP_TRAIN_IMM, true, false },
	{ 0x64, 20, TP_OP_SEND, F | L, true, false },
	{ 0x65, 24, TP_OP_SEND, F | L | TP_TRAIN_IMM, true, false },
#undef F
#undef L
};

/* Parses a copy of exactly the bytes that the contract allows to be read. */
static enum tp_drop parse_exact(const u8 *bytes, u32 len, struct tp_packet *pkt)
{
	u32 n = len < TP_HEADER_MAX ? len : TP_HEADER_MAX;
	u8 *head = malloc(n ? n : 1);
	enum tp_drop why;

	memcpy(head, bytes, n);
	why = tp_packet_parse(n ? head : head + 1, len, pkt);
	free(head);
	return why;
}

static void opcode_table(void)
{
	static u8 bytes[TP_HEADER_MAX + 4096 + 8];
	struct tp_packet pkt;
	enum tp_drop why;
	u32 code, i, payload;

	for (code = 0; code < 256; code++) {
		for (i = 0; i < ARRAY_SIZE(opcodes) && opcodes[i].opcode != code; i++)
			;
		memset(bytes, 0, sizeof(bytes));
		bytes[0] = code;
		if (i == ARRAY_SIZE(opcodes)) {
			why = parse_exact(bytes, 12 + 32 + 256 + 4, &pkt);
			sim_check(why == TP_DROP_OPCODE, "opcode %02x: drop is %d", code, why);
			continue;
		}
		payload = opcodes[i].payload ? 256 : 0;
		why = parse_exact(bytes, opcodes[i].header_len + payload + 4, &pkt);
		sim_check(why == TP_DROP_NONE, "opcode %02x: drop is %d", code, why);
		sim_check(pkt.service == code >> 5, "opcode %02x: service %d", code, pkt.service);
		sim_check(pkt.opcode == code && pkt.op == opcodes[i].op &&
			  pkt.flags == opcodes[i].flags, "opcode %02x: op %d flags %x", code,
			  pkt.op, pkt.flags);
		sim_check(pkt.header_len == opcodes[i].header_len && pkt.length == payload,
			  "opcode %02x: %u bytes of headers, %u of payload", code, pkt.header_len,
			  pkt.length);
		sim_check(tp_op_is_request(pkt.op) == (code < 0x0d || code > 0x12),
			  "opcode %02x: request or not", code);
	}
}

static void want_drop(const u8 *bytes, u32 len, enum tp_drop want, const char *what)
{
	struct tp_packet pkt;
	enum tp_drop why = parse_exact(bytes, len, &pkt);

	sim_check(why == want, "%s, opcode %02x, %u bytes: drop is %s, not %s", what, bytes[0], len,
		  tp_drop_names[why], tp_drop_names[want]);
}

static void bad_packets(void)
{
	static u8 bytes[TP_HEADER_MAX + 8192];
	struct tp_packet pkt;
	u32 i, n, head;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		head = opcodes[i].header_len;
		memset(bytes, 0, sizeof(bytes));
		bytes[0] = opcodes[i].opcode;
		for (n = 0; n < head + 4; n++)
			want_drop(bytes, n, TP_DROP_SHORT, "short");
		n = head + 4 + (opcodes[i].payload ? 256 : 0);
		bytes[1] = 0x01;
		want_drop(bytes, n, TP_DROP_VERSION, "version 1");
		bytes[1] = 0x30;
		if (!opcodes[i].payload || opcodes[i].full) {
			sim_check(parse_exact(bytes, n, &pkt) != TP_DROP_NONE,
				  "opcode %02x with padding is taken in", bytes[0]);
		} else {
			want_drop(bytes, head + 4, TP_DROP_PAD, "padding of no payload");
			sim_check(parse_exact(bytes, head + 4 + 4, &pkt) == TP_DROP_NONE &&
				  pkt.length == 1, "opcode %02x with one byte of payload",
				  bytes[0]);
		}
		bytes[1] = 0;
		if (!opcodes[i].payload)
			want_drop(bytes, head + 4 + 4, TP_DROP_LENGTH, "payload");
		if (opcodes[i].payload)
			want_drop(bytes, head + 4 + 4100, TP_DROP_LENGTH, "4100 bytes of payload");
	}
}

/* A random train that the transport could send. */
static void make_train(struct sim_random *rng, struct tp_train *t)
{
	static const enum tp_op ops[] = { TP_OP_SEND, TP_OP_WRITE, TP_OP_READ, TP_OP_CMP_SWAP,
					  TP_OP_FETCH_ADD, TP_OP_READ_RESP, TP_OP_ACK,
					  TP_OP_ATOMIC_ACK };
	bool payload, edge;

	memset(t, 0, sizeof(*t));
	t->op = ops[random_below(rng, ARRAY_SIZE(ops))];
	payload = t->op == TP_OP_SEND || t->op == TP_OP_WRITE || t->op == TP_OP_READ_RESP;
	t->npkts = 1;
	t->mtu = 256u << random_below(rng, 5);
	t->psn = random_bits(rng) & 0xffffff;
	t->dest_qpn = random_bits(rng) & 0xffffff;
	t->pkey = random_bits(rng);
	t->flags = TP_TRAIN_FIRST | TP_TRAIN_LAST;
	if (payload) {
		t->flags = random_below(rng, 4);
		t->npkts = random_range(rng, 1, 61440 / t->mtu < 64 ? 61440 / t->mtu : 64);
		t->length = t->npkts * t->mtu;
		if (t->flags & TP_TRAIN_LAST)
			t->length -= random_below(rng, t->mtu);
		if ((t->flags & 3) == 3 && t->npkts == 1 && random_chance(rng, 200))
			t->length = 0;
	}
	edge = t->flags & TP_TRAIN_LAST;
	if (edge && (t->op == TP_OP_SEND || t->op == TP_OP_WRITE)) {
		if (random_chance(rng, 300)) {
			t->flags |= TP_TRAIN_IMM;
			t->imm = random_bits(rng);
		} else if (t->op == TP_OP_SEND && random_chance(rng, 300)) {
			t->flags |= TP_TRAIN_INV;
			t->inv_rkey = random_bits(rng);
		}
		t->flags |= random_chance(rng, 300) ? TP_TRAIN_SE : 0;
	}
	if (tp_op_is_request(t->op))
		t->flags |= random_chance(rng, 500) ? TP_TRAIN_ACKREQ : 0;
	t->flags |= random_chance(rng, 500) ? TP_TRAIN_MIGREQ : 0;
	if ((t->op == TP_OP_WRITE && (t->flags & TP_TRAIN_FIRST)) || t->op == TP_OP_READ ||
	    t->op == TP_OP_CMP_SWAP || t->op == TP_OP_FETCH_ADD) {
		t->va = random_bits(rng);
		t->rkey = random_bits(rng);
	}
	if ((t->op == TP_OP_WRITE && (t->flags & TP_TRAIN_FIRST)) || t->op == TP_OP_READ)
		t->dmalen = random_bits(rng);
	if (t->op == TP_OP_CMP_SWAP || t->op == TP_OP_FETCH_ADD)
		t->swap = random_bits(rng);
	if (t->op == TP_OP_CMP_SWAP)
		t->compare = random_bits(rng);
	if (t->op == TP_OP_ACK || t->op == TP_OP_ATOMIC_ACK ||
	    (t->op == TP_OP_READ_RESP && (t->flags & (TP_TRAIN_FIRST | TP_TRAIN_LAST)))) {
		t->syndrome = random_bits(rng) & 0x7f;
		t->msn = random_bits(rng) & 0xffffff;
	}
	if (t->op == TP_OP_ATOMIC_ACK)
		t->orig = random_bits(rng);
}

static void same_train(const struct tp_train *a, const struct tp_train *b)
{
	bool aeth = a->op == TP_OP_ACK || a->op == TP_OP_ATOMIC_ACK || a->op == TP_OP_READ_RESP;

	sim_check(a->op == b->op && a->flags == b->flags && a->npkts == b->npkts &&
		  a->psn == b->psn && a->dest_qpn == b->dest_qpn && a->pkey == b->pkey &&
		  a->length == b->length,
		  "%s psn %x x%u len %u flags %x comes back as %s psn %x x%u len %u flags %x",
		  tp_op_names[a->op], a->psn, a->npkts, a->length, a->flags, tp_op_names[b->op],
		  b->psn, b->npkts, b->length, b->flags);
	sim_check(a->npkts == 1 || a->mtu == b->mtu, "mtu %u comes back as %u", a->mtu, b->mtu);
	sim_check(a->va == b->va && a->rkey == b->rkey && a->dmalen == b->dmalen,
		  "%s: RETH or AtomicETH is changed", tp_op_names[a->op]);
	sim_check(a->swap == b->swap && a->compare == b->compare && a->orig == b->orig,
		  "%s: atomic operands are changed", tp_op_names[a->op]);
	sim_check(a->imm == b->imm, "%s: ImmDt or IETH is changed", tp_op_names[a->op]);
	sim_check(!aeth || (a->syndrome == b->syndrome && a->msn == b->msn),
		  "%s: AETH %02x %x is changed to %02x %x", tp_op_names[a->op], a->syndrome,
		  a->msn, b->syndrome, b->msn);
}

static void round_trip(void)
{
	static u8 bytes[TP_HEADER_MAX + 4096 + 8];
	struct sim_random rng = { .state = 7 };
	struct tp_train t, back;
	struct tp_packet pkt;
	u32 n, i, payload, head;

	for (n = 0; n < 20000; n++) {
		make_train(&rng, &t);
		memset(&back, 0, sizeof(back));
		for (i = 0; i < t.npkts; i++) {
			random_fill(&rng, bytes, TP_HEADER_MAX);
			head = tp_train_headers(&t, i, bytes);
			payload = tp_train_payload(&t, i);
			sim_check(payload <= t.mtu, "%u bytes in a packet of mtu %u", payload,
				  t.mtu);
			sim_check(bytes[0] == tp_train_opcode(&t, i), "opcode %02x, not %02x",
				  bytes[0], tp_train_opcode(&t, i));
			sim_check(!parse_exact(bytes, head + ((payload + 3) & ~3u) + 4, &pkt),
				  "%s packet %u of %u is dropped", tp_op_names[t.op], i, t.npkts);
			sim_check(pkt.header_len == head && pkt.length == payload,
				  "%u + %u bytes parse as %u + %u", head, payload, pkt.header_len,
				  pkt.length);
			if (!i)
				tp_train_begin(&back, &pkt);
			else
				sim_check(tp_train_join(&back, &pkt),
					  "packet %u of %u does not join",
					  i, t.npkts);
		}
		same_train(&t, &back);
	}
}

/* Packets that are no continuation must begin a train of their own. */
static void no_join(void)
{
	struct tp_packet first = { .op = TP_OP_SEND, .opcode = 0, .flags = TP_TRAIN_FIRST,
				   .psn = 0xffffff, .header_len = 12, .length = 1024,
				   .pkey = 0xffff, .dest_qpn = 5 };
	struct tp_packet middle = first, last, bad;
	struct tp_train t;

	middle.opcode = 1;
	middle.flags = 0;
	middle.psn = 0;
	last = middle;
	last.opcode = 2;
	last.flags = TP_TRAIN_LAST;
	last.psn = 1;
	last.length = 1;
#define NO_JOIN(from, change, what) do {						\
	tp_train_begin(&t, &first);							\
	bad = (from);									\
	change;										\
	sim_check(!tp_train_join(&t, &bad), "joined: %s", what);			\
	sim_check(t.npkts == 1 && t.length == 1024, "a join refused changed the train: %s", what); \
} while (0)
	NO_JOIN(middle, bad.psn = 1, "a PSN too far");
	NO_JOIN(middle, bad.psn = 0xffffff, "the same PSN");
	NO_JOIN(middle, bad.length = 2048, "a larger payload");
	NO_JOIN(middle, (bad.op = TP_OP_WRITE, bad.opcode = 7), "another message kind");
	NO_JOIN(middle, bad.flags = TP_TRAIN_FIRST, "a new message");
	NO_JOIN(last, (bad.psn = 0, bad.length = 1025), "a last one larger than the rest");
	NO_JOIN(middle, bad.pkey = 1, "another P_Key");
	tp_train_begin(&t, &first);
	sim_check(tp_train_join(&t, &middle) && tp_train_join(&t, &last),
		  "a message does not join");
	sim_check(t.length == 2049 && t.npkts == 3, "a joined train of %u bytes", t.length);
	bad = last;
	bad.psn = 2;
	sim_check(!tp_train_join(&t, &bad), "joined: a packet after the last");
}

/*
 * Packets whose ICRC was computed elsewhere: by Python's zlib.crc32() over the
 * bytes as IBA A17.3.3 wants them,
 *   zlib.crc32(b'\xff' * 8 + masked).to_bytes(4, 'little')
 * where masked is the packet from its IP header to its payload's end with
 * tos, ttl, IP checksum, UDP checksum and resv8a as ones (IPv4), or traffic
 * class, flow label, hop limit, UDP checksum and resv8a (IPv6).
 */
#include "icrc_vectors.h"

static void icrc_known(void)
{
	const struct icrc_vector *v;
	struct sim_frame *f;
	u32 i, naive;
	u8 *last;

	for (i = 0; i < ARRAY_SIZE(icrc_vectors); i++) {
		v = &icrc_vectors[i];
		f = malloc(sizeof(*f) + v->len);
		f->ip_len = v->ip_len;
		f->len = v->len;
		memcpy(f->data, v->data, v->len);
		last = f->data + f->len - 4;
		naive = frame_icrc_naive(f->data, f->ip_len, f->len);
		sim_check(naive == (last[0] | (u32)last[1] << 8 | (u32)last[2] << 16 |
				    (u32)last[3] << 24), "%s: the naive ICRC is wrong", v->name);
		sim_check(frame_icrc_ok(f), "%s: the ICRC is wrong", v->name);
		last[0] ^= 1;
		sim_check(!frame_icrc_ok(f), "%s: a wrong ICRC is good", v->name);
		free(f);
	}
}

const struct sim_case unit_cases[] = {
	{ "psn_arithmetic", "PSNs are compared and added modulo 2^24", psn_arithmetic, false },
	{ "opcode_table", "every opcode has the headers of IBA table 38; no other is known",
	  opcode_table, false },
	{ "bad_packets", "short, padded and misshapen packets are dropped for the right reason",
	  bad_packets, false },
	{ "round_trip", "a train's packets parse and join to the same train", round_trip, false },
	{ "no_join", "a packet that is no continuation does not join", no_join, false },
	{ "icrc_known", "known packets have their ICRC", icrc_known, false },
	{ NULL, NULL, NULL, false }
};
