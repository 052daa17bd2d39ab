// SPDX-License-Identifier: GPL-2.0
/*
 * The wire: carries trains as packets that it loses, repeats, delays, reorders
 * and corrupts. A fair wire loses nothing more than twice in a row, so that the
 * retry count of a QP is always enough and everything ends.
 */
#include "sim.h"
#include "frame.h"

#define FAIR_LIMIT	2u
#define BATCH_MAX	TP_TRAIN_PACKETS

/**
 * struct sim_parcel - a train that is carried whole
 * @to: whom it is for
 * @train: a copy
 * @seg: its payload
 * @data: that payload
 */
struct sim_parcel {
	struct sim_qp *to;
	struct tp_train train;
	struct tp_seg seg;
	u8 data[];
};

/* What must hold for any train that the transport sends. */
static void check_train(const struct sim_qp *from, const struct tp_train *t)
{
	const u32 known = TP_TRAIN_FIRST | TP_TRAIN_LAST | TP_TRAIN_IMM | TP_TRAIN_INV |
			  TP_TRAIN_SE | TP_TRAIN_ACKREQ | TP_TRAIN_MIGREQ | TP_TRAIN_RESENT;
	bool payload = t->op == TP_OP_SEND || t->op == TP_OP_WRITE || t->op == TP_OP_READ_RESP;
	u32 i, sum = 0;

	sim_check(t->op < TP_NUM_OPS && !(t->flags & ~known), "train: op %d flags %x", t->op,
		  t->flags);
	sim_check(t->npkts && t->npkts <= TP_TRAIN_PACKETS, "train of %u packets", t->npkts);
	sim_check(t->length <= TP_TRAIN_BYTES, "train of %u bytes", t->length);
	sim_check(t->service == world->cfg.service, "train of service %d", t->service);
	sim_check(t->service == TP_RC || !(t->flags & TP_TRAIN_ACKREQ),
		  "a train that nobody acknowledges asks for it");
	sim_check(t->psn == SIM_PSN(t->psn), "train: psn %x", t->psn);
	sim_check(t->dest_qpn == from->attr.dest_qpn, "train to qp %u", t->dest_qpn);
	sim_check(t->pkey == from->attr.pkey, "train with pkey %x", t->pkey);
	sim_check(t->mtu == from->attr.mtu, "train with mtu %u", t->mtu);
	for (i = 0; i < t->nr_seg; i++) {
		sim_check(t->seg[i].len, "train: segment %u is empty", i);
		sum += t->seg[i].len;
	}
	sim_check(sum == t->length, "train of %u bytes, segments of %u", t->length, sum);
	if (!payload) {
		sim_check(t->npkts == 1 && !t->length, "%s of %u packets and %u bytes",
			  tp_op_names[t->op], t->npkts, t->length);
		return;
	}
	/* Every packet but a message's last is full; none is empty but an only one. */
	if (t->flags & TP_TRAIN_LAST)
		sim_check(t->length <= (u64)t->npkts * t->mtu &&
			  (t->length > (t->npkts - 1) * t->mtu ||
			   (!t->length && t->npkts == 1 && (t->flags & TP_TRAIN_FIRST))),
			  "train of %u packets and %u bytes, mtu %u", t->npkts, t->length, t->mtu);
	else
		sim_check(t->length == t->npkts * t->mtu,
			  "train without the last of %u packets and %u bytes, mtu %u",
			  t->npkts, t->length, t->mtu);
	if (t->flags & (TP_TRAIN_IMM | TP_TRAIN_INV))
		sim_check((t->flags & TP_TRAIN_LAST) && t->op != TP_OP_READ_RESP &&
			  (t->op == TP_OP_SEND || !(t->flags & TP_TRAIN_INV)) &&
			  (t->flags & (TP_TRAIN_IMM | TP_TRAIN_INV)) !=
			  (TP_TRAIN_IMM | TP_TRAIN_INV), "train: op %d flags %x", t->op, t->flags);
}

/* Whether this packet may be lost now, and if so that it is. */
static bool fair_loss(struct sim_qp *from, enum tp_op op, u32 psn, u32 permille)
{
	struct sim_fair *fair = &from->fair;
	u32 class = tp_op_is_request(op) ? 0 : 1;
	u32 cell = psn % SIM_LOSS_CELLS;
	bool lost = random_chance(&world->rng, permille);

	if (world->cfg.unfair)
		return lost;
	if (op == TP_OP_ACK) {
		lost = lost && fair->acks < FAIR_LIMIT;
		fair->acks = lost ? fair->acks + 1 : 0;
		return lost;
	}
	if (fair->psn[class][cell] != psn) {
		fair->psn[class][cell] = psn;
		fair->lost[class][cell] = 0;
	}
	lost = lost && fair->lost[class][cell] < FAIR_LIMIT;
	if (lost)
		fair->lost[class][cell]++;
	return lost;
}

static u64 flight(void)
{
	const struct sim_config *cfg = &world->cfg;
	u64 at = world->clock.now + cfg->latency;

	if (random_chance(&world->rng, cfg->reorder))
		at += random_below(&world->rng, cfg->jitter + 1);
	return at;
}

/* Bits flip, or the end is missing; where a router may change things they stay. */
static void corrupt(struct sim_frame *f)
{
	struct sim_random *rng = &world->rng;
	u32 from = f->ip_len + FRAME_UDP;
	u32 bit, n = random_range(rng, 1, 3), at[3] = { 0 }, i;

	if (!random_below(rng, 4)) {
		f->len -= random_range(rng, 1, frame_packet_len(f));
		f->bad = true;
		return;
	}
	for (i = 0; i < n; i++) {
		do {
			bit = random_range(rng, from * 8, f->len * 8 - 1);
		} while (bit / 8 == from + 4 ||	/* resv8a */
			 (i > 0 && bit == at[0]) || (i > 1 && bit == at[1]));
		at[i] = bit;
		f->data[bit / 8] ^= 1 << (bit % 8);
	}
	f->bad = true;
}

static void send_frame(struct sim_frame *f, u64 at)
{
	struct sim_frame *exact;

	/* A frame cut short moves to a block of its new size. */
	exact = f->bad ? frame_copy(f) : f;
	if (exact != f)
		free(f);
	clock_add(&world->clock, at, EV_PACKET, exact);
}

static void send_packet(struct sim_qp *from, const struct tp_train *train, u32 i)
{
	struct sim_random *rng = &world->rng;
	struct sim_config *cfg = &world->cfg;
	u32 psn = SIM_PSN(train->psn + i);
	struct sim_frame *f;

	if (world->dead || broken(BREAK_dead_wire))
		return;
	f = frame_build(from->peer, train, i);
	if (random_chance(rng, cfg->duplicate))
		send_frame(frame_copy(f), flight() + random_below(rng, 10 * cfg->jitter + 1));
	if (fair_loss(from, train->op, psn, cfg->lose + cfg->corrupt)) {
		if (random_below(rng, cfg->lose + cfg->corrupt) < cfg->lose) {
			trace("wire loses %s psn %06x", tp_op_names[train->op], psn);
			free(f);
			return;
		}
		trace("wire corrupts %s psn %06x", tp_op_names[train->op], psn);
		corrupt(f);
	}
	send_frame(f, flight());
}

static void send_parcel(struct sim_qp *from, const struct tp_train *train)
{
	struct sim_parcel *p;
	u32 i, done = 0;

	if (world->dead || broken(BREAK_dead_wire))
		return;
	if (fair_loss(from, train->op, train->psn, world->cfg.lose))
		return;
	p = malloc(sizeof(*p) + train->length);
	if (!p)
		abort();
	p->to = from->peer;
	p->train = *train;
	p->train.flags &= ~TP_TRAIN_RESENT;
	p->seg.addr = p->data;
	p->seg.len = train->length;
	p->train.seg = &p->seg;
	p->train.nr_seg = train->length ? 1 : 0;
	for (i = 0; i < train->nr_seg; i++) {
		memcpy(p->data + done, train->seg[i].addr, train->seg[i].len);
		done += train->seg[i].len;
	}
	clock_add(&world->clock, flight(), EV_TRAIN, p);
}

void wire_parcel(void *parcel)
{
	struct sim_parcel *p = parcel;

	if (p->to->up)
		wire_deliver(p->to, &p->train);
	free(p);
}

/* Straight to the peer; its answers come back before this returns. */
static void send_local(struct sim_qp *from, const struct tp_train *train)
{
	if (world->dead || broken(BREAK_dead_wire) || !from->peer->up)
		return;
	if (fair_loss(from, train->op, train->psn, world->cfg.lose))
		return;
	if (tp_deliver_local(&from->tp, &from->peer->tp, train))
		kick_send_at(from->peer, world->clock.now + 100);
}

static bool refuse(struct sim_qp *from, const struct tp_train *train)
{
	bool request = tp_op_is_request(train->op);
	u64 now = world->clock.now;

	if (from->blocked[request] <= now) {
		if (from->blocked[request] || !random_chance(&world->rng, world->cfg.busy)) {
			from->blocked[request] = 0;
			return false;
		}
		from->blocked[request] = now + random_range(&world->rng, 100, 10000);
	}
	/* There will be room then. */
	if (request)
		kick_send_at(from, from->blocked[request]);
	else
		kick_respond_at(from, from->blocked[request]);
	return true;
}

int wire_send(struct sim_qp *from, const struct tp_train *train)
{
	u32 i;

	check_train(from, train);
	if (refuse(from, train)) {
		trace("qp %u -> %s psn %06x: refused", from->qpn, tp_op_names[train->op],
		      train->psn);
		return -EAGAIN;
	}
	trace("qp %u -> %s psn %06x x%u len %u flags %x syndrome %02x msn %u", from->qpn,
	      tp_op_names[train->op], train->psn, train->npkts, train->length, train->flags,
	      train->syndrome, train->msn);
	world->trains++;
	if (tp_op_is_request(train->op))
		from->last_psn = SIM_PSN(train->psn + train->npkts - 1);
	if (world->tap && world->tap(from, train))
		return 0;
	if (world->cfg.local && tp_op_is_request(train->op)) {
		send_local(from, train);
		return 0;
	}
	if (world->cfg.local || world->cfg.raw) {
		send_parcel(from, train);
		return 0;
	}
	for (i = 0; i < train->npkts; i++)
		send_packet(from, train, i);
	return 0;
}

void wire_inject(struct sim_qp *to, const void *bytes, u32 len, bool good_icrc, u64 at)
{
	struct sim_frame *f = frame_wrap(to, bytes, len);

	if (!good_icrc)
		f->data[f->len - 1] ^= 0x55;
	clock_add(&world->clock, at, EV_PACKET, f);
}

/**
 * struct batch - packets received in a row that may become one train
 * @to: whom they are for
 * @train: so far
 * @pkt: what was parsed from each
 * @frame: the packets
 * @nr: how many
 * @seg: their payloads
 */
struct batch {
	struct sim_qp *to;
	struct tp_train train;
	struct tp_packet pkt[BATCH_MAX];
	struct sim_frame *frame[BATCH_MAX];
	u32 nr;
	struct tp_seg seg[2 * BATCH_MAX];
};

/* A train put together from packets is to give the same packets again. */
static void check_joined(const struct batch *b)
{
	const u32 keep = TP_TRAIN_FIRST | TP_TRAIN_LAST | TP_TRAIN_IMM | TP_TRAIN_INV |
			 TP_TRAIN_MIGREQ;
	const struct tp_train *t = &b->train;
	u32 i, length = 0, flags = 0;

	sim_check(t->npkts == b->nr, "a train of %u packets from %u", t->npkts, b->nr);
	for (i = 0; i < b->nr; i++) {
		sim_check(tp_train_opcode(t, i) == b->pkt[i].opcode, "joined opcode %02x, was %02x",
			  tp_train_opcode(t, i), b->pkt[i].opcode);
		sim_check(tp_train_payload(t, i) == b->pkt[i].length,
			  "joined payload of %u bytes, was %u", tp_train_payload(t, i),
			  b->pkt[i].length);
		sim_check(SIM_PSN(t->psn + i) == b->pkt[i].psn, "joined psn %x, was %x",
			  SIM_PSN(t->psn + i), b->pkt[i].psn);
		length += b->pkt[i].length;
		flags |= b->pkt[i].flags;
	}
	sim_check(t->length == length, "a train of %u bytes from %u", t->length, length);
	sim_check((t->flags & keep) == (flags & keep), "a train with flags %x from %x", t->flags,
		  flags);
	sim_check(!(flags & TP_TRAIN_ACKREQ) || (t->flags & TP_TRAIN_ACKREQ), "AckReq is lost");
	sim_check(!(flags & TP_TRAIN_SE) || (t->flags & TP_TRAIN_SE), "solicited event is lost");
}

static void batch_flip(struct batch *b)
{
	enum sim_break want = b->train.op == TP_OP_READ_RESP ? BREAK_flip_response :
							      BREAK_flip_payload;

	if (broken(want) && b->train.length && random_chance(&world->rng, 100))
		*(u8 *)b->seg[0].addr ^= 4;
}

static void batch_deliver(struct batch *b)
{
	u32 i, n = 0, len, cut;
	u8 *data;

	if (!b->nr)
		return;
	check_joined(b);
	for (i = 0; i < b->nr; i++) {
		data = frame_packet(b->frame[i]) + b->pkt[i].header_len;
		len = b->pkt[i].length;
		if (!len)
			continue;
		/* An skb's payload may lie in two parts. */
		cut = random_chance(&world->rng, 200) ? random_below(&world->rng, len) : 0;
		if (cut)
			b->seg[n++] = (struct tp_seg){ data, cut };
		b->seg[n++] = (struct tp_seg){ data + cut, len - cut };
	}
	b->train.seg = b->seg;
	b->train.nr_seg = n;
	batch_flip(b);
	wire_deliver(b->to, &b->train);
	if (broken(BREAK_ghost_message) && b->train.op == TP_OP_SEND &&
	    (b->train.flags & TP_TRAIN_FIRST) && (b->train.flags & TP_TRAIN_LAST) &&
	    random_chance(&world->rng, 100)) {
		b->train.psn = SIM_PSN(b->train.psn + b->train.npkts);
		wire_deliver(b->to, &b->train);
	}
	for (i = 0; i < b->nr; i++)
		free(b->frame[i]);
	b->nr = 0;
}

static void batch_add(struct batch *b, struct sim_frame *f)
{
	struct tp_packet fresh;
	enum tp_drop why;

	why = frame_check(f, &fresh);
	if (why == TP_DROP_NONE && fresh.dest_qpn != f->to->qpn)
		why = TP_DROP_QPN;
	if (why != TP_DROP_NONE || !f->to->up) {
		trace("qp %u: a packet is dropped: %s", f->to->qpn, tp_drop_names[why]);
		f->to->drops[why]++;
		free(f);
		return;
	}
	sim_check(!f->bad || broken(BREAK_skip_icrc), "a corrupted packet was taken in");
	if (b->nr && b->nr < BATCH_MAX && f->to == b->to &&
	    random_chance(&world->rng, world->cfg.join) && tp_train_join(&b->train, &fresh)) {
		b->pkt[b->nr] = fresh;
		b->frame[b->nr++] = f;
		return;
	}
	batch_deliver(b);
	b->to = f->to;
	b->pkt[0] = fresh;
	b->frame[0] = f;
	b->nr = 1;
	memset(&b->train, 0, sizeof(b->train));
	tp_train_begin(&b->train, &fresh);
}

void wire_packet(void *frame)
{
	const struct sim_event *next;
	struct sim_event ev;
	struct batch b;

	b.nr = 0;
	batch_add(&b, frame);
	/* What comes in the same moment may be taken in together, as NAPI does. */
	while (world->cfg.join && b.nr) {
		next = clock_peek(&world->clock);
		if (!next || next->kind != EV_PACKET || next->at > world->clock.now + 200)
			break;
		if (((struct sim_frame *)next->what)->to != b.to)
			break;
		clock_take(&world->clock, &ev);
		batch_add(&b, ev.what);
	}
	batch_deliver(&b);
}
