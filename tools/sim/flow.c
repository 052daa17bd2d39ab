// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of what goes on the wire: acknowledgment, going back, replay, fences,
 * credits (IBA 9.7).
 */
#include "case.h"
#include "suite.h"

static u32 lose_op, lose_from, lose_left;

/* Loses trains number lose_from and on of kind lose_op, lose_left of them. */
static bool lose_some(struct sim_qp *from, const struct tp_train *train)
{
	(void)from;
	if (train->op != lose_op || !lose_left)
		return false;
	if (lose_from) {
		lose_from--;
		return false;
	}
	lose_left--;
	return true;
}

static void lose(enum tp_op op, u32 from, u32 n)
{
	lose_op = op;
	lose_from = from;
	lose_left = n;
	case_lose = lose_some;
}

/* Every train has MigReq set, as adapters have it; the last of the work asks for an ACK. */
static void header_bits(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i, asked = 0;

	case_begin(&cfg, &a, &b);
	case_recv(b, 4000, 2);
	s = make_wr(a, IB_UVERBS_WR_SEND, 0, 3000);
	s.flags |= TP_SEND_SOLICITED;
	case_post(a, &s);
	s = make_wr(a, IB_UVERBS_WR_RDMA_READ, 0, 3000);
	case_post(a, &s);
	s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 3000, 3000);
	case_post(a, &s);
	case_go(a);
	case_run(SEC(1));
	want_sends(a, 3);
	for (i = 0; i < nr_seen; i++) {
		const struct tp_train *t = &seen[i].train;

		sim_check(t->flags & TP_TRAIN_MIGREQ, "%s without MigReq", tp_op_names[t->op]);
		sim_check(!(t->flags & TP_TRAIN_SE) ||
			  (t->op == TP_OP_SEND && (t->flags & TP_TRAIN_LAST)),
			  "%s with the solicited event bit", tp_op_names[t->op]);
		if (t->op == TP_OP_WRITE && (t->flags & TP_TRAIN_ACKREQ))
			asked++;
	}
	sim_check(asked, "the last WRITE does not ask for an ACK");
	case_end();
}

/* The MSN counts messages, READs and ATOMICs too, and an ACK names the newest. */
static void message_numbers(void)
{
	static const u32 ops[] = { IB_UVERBS_WR_SEND, IB_UVERBS_WR_RDMA_WRITE,
				   IB_UVERBS_WR_RDMA_READ, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD,
				   IB_UVERBS_WR_SEND };
	struct sim_config cfg = case_config();
	const struct seen_train *t;
	struct sim_qp *a, *b;
	u32 i;

	case_begin(&cfg, &a, &b);
	case_recv(b, 64, 2);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		seen_clear();
		case_send(a, ops[i], 8);
		case_run(SEC(1));
		t = seen_nth(b, TP_NUM_OPS, 0);
		sim_check(t && t->train.msn == i + 1, "message %u is answered with MSN %u", i + 1,
			  t ? t->train.msn : 0);
	}
	want_sends(a, ARRAY_SIZE(ops));
	case_end();
}

/* Many messages, few ACKs. */
static void coalesced_acks(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i;

	case_begin(&cfg, &a, &b);
	for (i = 0; i < 16; i++) {
		s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 64 * i, 64);
		case_post(a, &s);
	}
	case_go(a);
	case_run(SEC(1));
	want_sends(a, 16);
	sim_check(seen_count(b, TP_OP_ACK) <= 4, "%u ACKs for 16 messages posted at once",
		  seen_count(b, TP_OP_ACK));
	case_end();
}

/* A lost packet is NAKed once, and sent again without a timeout. */
static void nak_sequence(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i, naks = 0;

	case_begin(&cfg, &a, &b);
	lose(TP_OP_WRITE, 1, 1);
	for (i = 0; i < 6; i++) {
		s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 64 * i, 64);
		case_post(a, &s);
	}
	case_go(a);
	case_run(SEC(1));
	want_sends(a, 6);
	sim_check(send_time(a, 5) - SEC(1) < USEC(100), "recovered only by the timer");
	for (i = 0; i < seen_count(b, TP_OP_ACK); i++)
		if (seen_nth(b, TP_OP_ACK, i)->train.syndrome == 0x60) {
			naks++;
			sim_check(seen_nth(b, TP_OP_ACK, i)->train.psn ==
				  SIM_PSN(a->attr.sq_psn + 1), "a NAK of psn %x",
				  seen_nth(b, TP_OP_ACK, i)->train.psn);
		}
	sim_check(naks == 1, "%u NAKs for one lost packet", naks);
	sim_check(a->counter[TP_CNT_packet_seq_err] == 1, "packet_seq_err is not 1");
	sim_check(b->counter[TP_CNT_out_of_sequence] > 0, "out_of_sequence is 0");
	case_end();
}

/* An ACK is lost: the request comes again, is not executed, and is acknowledged. */
static void duplicate_send(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	case_begin(&cfg, &a, &b);
	case_recv(b, 64, 3);
	lose(TP_OP_ACK, 0, 2);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(1));
	want_sends(a, 1);
	want_send(a, 0, TP_WC_SUCCESS);
	want_recvs(b, 1);
	sim_check(b->counter[TP_CNT_duplicate_request] >= 2, "duplicate_request is %llu",
		  (unsigned long long)b->counter[TP_CNT_duplicate_request]);
	sim_check(a->counter[TP_CNT_local_ack_timeout_err] == 2, "local_ack_timeout_err is not 2");
	case_end();
}

/* An ATOMIC's answer is lost: it is answered again from what was kept, not executed. */
static void duplicate_atomic(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	u64 first, again;
	u32 i;

	case_begin(&cfg, &a, &b);
	lose(TP_OP_ATOMIC_ACK, 0, 3);
	case_send(a, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, 8);
	case_run(SEC(1));
	want_send(a, 0, TP_WC_SUCCESS);
	sim_check(seen_count(b, TP_OP_ATOMIC_ACK) == 4, "%u answers",
		  seen_count(b, TP_OP_ATOMIC_ACK));
	first = seen_nth(b, TP_OP_ATOMIC_ACK, 0)->train.orig;
	for (i = 1; i < 4; i++) {
		again = seen_nth(b, TP_OP_ATOMIC_ACK, i)->train.orig;
		sim_check(again == first, "a replayed ATOMIC returns %llx, not %llx",
			  (unsigned long long)again, (unsigned long long)first);
	}
	memory_compare();
	case_end();
}

/* A part of READ data is lost: the rest alone is asked for again. */
static void read_resumed(void)
{
	struct sim_config cfg = case_config();
	const struct seen_train *again;
	struct sim_qp *a, *b;
	struct sim_send s;
	u64 va;

	cfg.mtu = 256;
	cfg.raw = true;
	cfg.max_msg = 65536;
	case_begin(&cfg, &a, &b);
	/* The answer is longer than a train; its second train does not arrive. */
	lose(TP_OP_READ_RESP, 1, 1);
	s = make_wr(a, IB_UVERBS_WR_RDMA_READ, 0, 50000);
	va = s.va;
	case_post(a, &s);
	case_go(a);
	case_run(SEC(10));
	want_send(a, 0, TP_WC_SUCCESS);
	again = seen_nth(a, TP_OP_READ, 1);
	sim_check(again && SIM_PSN(again->train.psn - a->attr.sq_psn) > 0 &&
		  again->train.va > va && again->train.dmalen < 50000,
		  "a READ is repeated from its beginning");
	memory_compare();
	case_end();
}

/* A retry count of 1 is enough if every packet is lost once: progress gives it back. */
static u32 lost_psns[256];
static u32 nr_lost;

static bool lose_once(struct sim_qp *from, const struct tp_train *train)
{
	u32 i;

	if (from->side || !tp_op_is_request(train->op))
		return false;
	for (i = 0; i < nr_lost; i++)
		if (lost_psns[i] == train->psn)
			return false;
	sim_check(nr_lost < ARRAY_SIZE(lost_psns), "too many packets");
	lost_psns[nr_lost++] = train->psn;
	return true;
}

static void retries_come_back(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	u32 i;

	cfg.retry_cnt = 1;
	case_begin(&cfg, &a, &b);
	nr_lost = 0;
	case_lose = lose_once;
	for (i = 0; i < 8; i++) {
		case_send(a, IB_UVERBS_WR_RDMA_WRITE, 64);
		case_run(SEC(1));
		want_send(a, i, TP_WC_SUCCESS);
	}
	want_state(a, TP_QPS_RTS);
	case_end();
}

/* A fenced WR is not on the wire before the READ in front of it has ended. */
static void fence(void)
{
	struct sim_config cfg = case_config();
	const struct seen_train *read, *send;
	struct sim_qp *a, *b;
	struct sim_send s;
	int fenced;

	for (fenced = 0; fenced < 2; fenced++) {
		case_begin(&cfg, &a, &b);
		case_recv(b, 64, 1);
		b->blocked[0] = world->clock.now + USEC(50);
		kick_respond_at(b, b->blocked[0]);
		s = make_wr(a, IB_UVERBS_WR_RDMA_READ, 0, 64);
		case_post(a, &s);
		s = make_wr(a, IB_UVERBS_WR_SEND, fenced ? 0 : 4096, 64);
		if (fenced)
			s.flags |= TP_SEND_FENCE;
		case_post(a, &s);
		case_go(a);
		case_run(SEC(1));
		want_sends(a, 2);
		want_send(a, 1, TP_WC_SUCCESS);
		read = seen_nth(b, TP_OP_READ_RESP, 0);
		send = seen_nth(a, TP_OP_SEND, 0);
		if (fenced)
			sim_check(send->at >= read->at + cfg.latency,
				  "the fenced SEND is sent before the READ's data is there");
		else
			sim_check(send->at < read->at, "a SEND waits for a READ without a fence");
		case_end();
	}
}

/* Never more READs and ATOMICs out than max_rd_atomic. */
static void read_limit(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i;

	cfg.rd = 3;
	cfg.dest_rd = 3;
	case_begin(&cfg, &a, &b);
	for (i = 0; i < 8; i++) {
		s = make_wr(a, i & 1 ? IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD : IB_UVERBS_WR_RDMA_READ,
			    64 * i, 8);
		case_post(a, &s);
	}
	b->blocked[0] = world->clock.now + USEC(50);
	kick_respond_at(b, b->blocked[0]);
	case_go(a);
	case_wait(USEC(40));
	sim_check(nr_seen == 3, "%u READs and ATOMICs are out, 3 are allowed", nr_seen);
	case_run(SEC(1));
	want_sends(a, 8);
	want_send(a, 7, TP_WC_SUCCESS);
	case_end();
}

/* IBA table 60: receive WRs, and the credit field that tells of them. */
static void credits(void)
{
	static const struct {
		u32 posted;
		u8 field;
	} t[] = { { 1, 0 }, { 2, 1 }, { 3, 2 }, { 5, 4 }, { 6, 4 }, { 7, 5 }, { 9, 6 }, { 12, 6 },
		  { 13, 7 }, { 16, 7 } };
	struct sim_config cfg = case_config();
	const struct seen_train *ack;
	struct sim_qp *a, *b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		case_begin(&cfg, &a, &b);
		case_recv(b, 64, t[i].posted);
		case_send(a, IB_UVERBS_WR_SEND, 64);
		case_run(SEC(1));
		ack = seen_nth(b, TP_OP_ACK, 0);
		sim_check(ack->train.syndrome == t[i].field, "%u receive WRs left: syndrome %02x",
			  t[i].posted - 1, ack->train.syndrome);
		case_end();
	}
	cfg.srq = true;
	case_begin(&cfg, &a, &b);
	case_recv(b, 64, 4);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(1));
	ack = seen_nth(b, TP_OP_ACK, 0);
	sim_check(ack->train.syndrome == 0x1f, "with a shared queue: syndrome %02x",
		  ack->train.syndrome);
	case_end();
}

/* Without credits there is one SEND out at most; new receive WRs set the sender going. */
static void out_of_credits(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i, before;

	cfg.min_rnr_timer = 20;		/* 10.24 ms */
	case_begin(&cfg, &a, &b);
	case_recv(b, 64, 1);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(1));
	seen_clear();
	for (i = 0; i < 6; i++) {
		s = make_wr(a, IB_UVERBS_WR_SEND, 64 * i, 64);
		case_post(a, &s);
	}
	case_go(a);
	case_wait(USEC(1));
	before = seen_count(a, TP_OP_SEND);
	sim_check(before <= 2, "%u SENDs are sent without a credit", before);
	case_recv(b, 64, 6);
	case_run(SEC(1));
	want_sends(a, 7);
	want_recvs(b, 7);
	want_send(a, 6, TP_WC_SUCCESS);
	case_end();
}

/* Packets of PSNs about 2^23 away are old or early, and never executed. */
static void far_psns(void)
{
	static const s32 far[] = { 1, 2, 0x7ffffe, 0x7fffff, -1, -2, -0x7ffffe, -0x7fffff,
				   -0x800000 };
	struct sim_config cfg = case_config();
	struct tp_train t = { .op = TP_OP_SEND, .npkts = 1, .pkey = 0xffff, .mtu = 1024,
			      .flags = TP_TRAIN_FIRST | TP_TRAIN_LAST | TP_TRAIN_ACKREQ };
	const struct seen_train *ack;
	struct sim_qp *a, *b;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(far); i++) {
		case_begin(&cfg, &a, &b);
		case_recv(b, 64, 1);
		t.dest_qpn = b->qpn;
		t.psn = SIM_PSN(b->attr.rq_psn + far[i]);
		wire_deliver(b, &t);
		case_wait(USEC(10));
		want_recvs(b, 0);
		want_state(b, TP_QPS_RTS);
		ack = seen_nth(b, TP_OP_ACK, 0);
		if (far[i] > 0)
			sim_check(ack && ack->train.syndrome == 0x60 &&
				  ack->train.psn == b->attr.rq_psn, "psn + %d: no NAK", far[i]);
		else
			sim_check(!ack || !(ack->train.syndrome & 0x60), "psn - %d: a NAK",
				  -far[i]);
		case_send(a, IB_UVERBS_WR_SEND, 64);
		case_run(SEC(1));
		want_recvs(b, 1);
		case_end();
	}
}

/* ATOMICs of several QPs on one place: none is lost, none is done twice. */
static void shared_counter(void)
{
	struct sim_config cfg = case_config();
	struct sim_region *region;
	struct sim_qp *a, *b, *qp;
	u64 before, after, orig[3 * 8];
	u32 i, k, n = 0;
	struct sim_send s;

	cfg.pairs = 3;
	cfg.lose = 200;
	cfg.jitter = 5000;
	cfg.reorder = 300;
	case_begin(&cfg, &a, &b);
	region = region_make(b->target, 0, 8, 0x4000, b->pd, TP_ACCESS_REMOTE_ATOMIC);
	area_read(b->target, 0, &before, 8);
	for (i = 0; i < 3; i++) {
		qp = &world->qp[2 * i];
		for (k = 0; k < 8; k++) {
			s = make_wr(qp, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, 8 * k, 8);
			s.remote.area = NULL;
			s.local[0].area = NULL;
			s.va = 0x4000;
			s.rkey = region->rkey;
			s.compare = 1;
			case_post(qp, &s);
		}
		case_go(qp);
	}
	case_run(SEC(100));
	for (i = 0; i < 3; i++) {
		qp = &world->qp[2 * i];
		want_sends(qp, 8);
		want_send(qp, 7, TP_WC_SUCCESS);
		for (k = 0; k < 8; k++)
			area_read(qp->local, 8 * k, &orig[n++], 8);
	}
	area_read(b->target, 0, &after, 8);
	sim_check(after == before + 24, "24 additions added %llu",
		  (unsigned long long)(after - before));
	for (i = 0; i < 24; i++) {
		sim_check(orig[i] - before < 24, "an ATOMIC returns what never was there");
		for (k = 0; k < i; k++)
			sim_check(orig[i] != orig[k], "two ATOMICs return the same");
	}
	case_end();
}

const struct sim_case flow_cases[] = {
	{ "header_bits", "MigReq, AckReq and the solicited event bit are where they belong",
	  header_bits, false },
	{ "message_numbers", "the MSN counts every message", message_numbers, false },
	{ "coalesced_acks", "one ACK serves many messages", coalesced_acks, false },
	{ "nak_sequence", "a gap is NAKed once and filled at once", nak_sequence, false },
	{ "duplicate_send", "a SEND that comes again is acknowledged, not received",
	  duplicate_send, false },
	{ "duplicate_atomic", "an ATOMIC that comes again is answered, not executed",
	  duplicate_atomic, false },
	{ "read_resumed", "lost READ data is asked for from where it is missing", read_resumed,
	  false },
	{ "retries_come_back", "progress gives the retries back", retries_come_back, false },
	{ "fence", "a fence waits for READs, and nothing else does", fence, false },
	{ "read_limit", "max_rd_atomic is kept", read_limit, false },
	{ "credits", "the AETH tells how many receive WRs there are", credits, false },
	{ "out_of_credits", "a sender without credits probes, and goes on when there are some",
	  out_of_credits, false },
	{ "far_psns", "PSNs near 2^23 away are early or old", far_psns, false },
	{ "shared_counter", "ATOMICs of three QPs each happen once", shared_counter, false },
	{ NULL, NULL, NULL, false }
};
