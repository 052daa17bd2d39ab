// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of unreliable connections: what is lost, and what goes on after it.
 */
#include "case.h"
#include "suite.h"

#define SEND	IB_UVERBS_WR_SEND
#define SENDM	IB_UVERBS_WR_SEND_WITH_IMM
#define WRITE	IB_UVERBS_WR_RDMA_WRITE
#define WRITEM	IB_UVERBS_WR_RDMA_WRITE_WITH_IMM

/* Four trains. */
#define LONG	(4 * TP_TRAIN_BYTES)

static u32 nth_lost;

/* Loses the @nth_lost-th train. */
static bool lose_nth(struct sim_qp *from, const struct tp_train *train)
{
	(void)from;
	(void)train;
	return nr_seen == nth_lost + 1;
}

static void begin(struct sim_qp **a, struct sim_qp **b)
{
	struct sim_config cfg = case_config();

	cfg.service = TP_UC;
	cfg.max_msg = LONG;
	cfg.max_send = LONG;
	cfg.rq_depth = 4;
	case_begin(&cfg, a, b);
}

static const struct sim_recv *held(const struct sim_qp *qp, u32 i)
{
	return qp->held.item[i];
}

/* @n send completions, all good, and a connection that can go on. */
static void want_well(struct sim_qp *a, struct sim_qp *b, u32 n)
{
	u32 i;

	want_sends(a, n);
	for (i = 0; i < n; i++)
		want_send(a, i, TP_WC_SUCCESS);
	want_state(a, TP_QPS_RTS);
	want_state(b, TP_QPS_RTS);
	want_no_event(b);
	sim_check(!a->retransmits, "something was sent again");
	sim_check(!seen_count(b, TP_NUM_OPS), "something was answered");
}

/* A message that lacks its @train-th train, and one after it, into the same receive WR. */
static void lost_train(u32 train, u32 opcode)
{
	struct sim_qp *a, *b;

	begin(&a, &b);
	nth_lost = train;
	case_lose = lose_nth;
	case_recv(b, LONG, 2);
	case_send(a, opcode, LONG);
	case_send(a, SENDM, 100);
	case_run(SEC(1));
	want_well(a, b, 2);
	want_recvs(b, 1);
	want_recv(b, 0, TP_WC_SUCCESS);
	sim_check(held(b, 0)->slot < 0, "the first receive WR was not used again");
	sim_check(b->held.nr == 1, "%u receive WRs were taken", b->held.nr);
	sim_check(!b->drops[TP_DROP_PSN] == (train == 3), "%u packets dropped for their PSN",
		  b->drops[TP_DROP_PSN]);
	case_end();
}

static void lost_part(void)
{
	u32 train;

	for (train = 0; train < 4; train++) {
		lost_train(train, SEND);
		lost_train(train, WRITE);
		lost_train(train, WRITEM);
	}
}

/* Whole messages are lost: the next one is taken in, whatever its PSN. */
static void lost_messages(void)
{
	struct sim_qp *a, *b;
	u32 i;

	begin(&a, &b);
	case_recv(b, 4096, 2);
	world->dead = true;
	for (i = 0; i < 10; i++)
		case_send(a, SEND, 3000);
	world->dead = false;
	case_send(a, SEND, 3000);
	case_send(a, WRITEM, 3000);
	case_run(SEC(1));
	want_well(a, b, 12);
	want_recvs(b, 2);
	sim_check(b->counter[TP_CNT_out_of_sequence], "no gap was counted");
	case_end();
}

static void no_recv(void)
{
	struct sim_qp *a, *b;

	begin(&a, &b);
	case_send(a, SEND, 3000);
	case_send(a, WRITEM, 3000);
	case_run(SEC(1));
	want_recvs(b, 0);
	sim_check(b->counter[TP_CNT_out_of_buffer] == 2, "%llu messages without a receive WR",
		  (unsigned long long)b->counter[TP_CNT_out_of_buffer]);
	case_recv(b, 4096, 1);
	case_send(a, SEND, 3000);
	case_run(SEC(1));
	want_well(a, b, 3);
	want_recvs(b, 1);
	want_recv(b, 0, TP_WC_SUCCESS);
	case_end();
}

/* The receive WR is left for a message that it can hold. */
static void too_long(void)
{
	struct sim_qp *a, *b;

	begin(&a, &b);
	case_recv(b, 1500, 1);
	case_send(a, SEND, 1501);
	case_send(a, SEND, LONG);
	case_send(a, SEND, 1500);
	case_run(SEC(1));
	want_well(a, b, 3);
	want_recvs(b, 1);
	want_recv(b, 0, TP_WC_SUCCESS);
	sim_check(b->counter[TP_CNT_resp_local_length_error] == 2, "lengths are not counted");
	case_end();
}

/* A shared queue's receive WR can't be left: it ends in error. */
static void too_long_shared(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	cfg.service = TP_UC;
	cfg.srq = true;
	case_begin(&cfg, &a, &b);
	case_recv(b, 100, 1);
	case_send(a, SEND, 101);
	case_run(SEC(1));
	want_sends(a, 1);
	want_send(a, 0, TP_WC_SUCCESS);
	want_recvs(b, 1);
	want_recv(b, 0, TP_WC_LOC_LEN_ERR);
	want_state(b, TP_QPS_ERR);
	case_end();
}

/* A WRITE to where the peer may not write is dropped, and nothing else happens. */
static void bad_rkey(void)
{
	struct sim_qp *a, *b;
	struct sim_send s;

	begin(&a, &b);
	case_recv(b, 100, 1);
	s = make_wr(a, WRITE, 0, LONG);
	s.remote.area = NULL;
	s.rkey ^= 0x10101;
	case_post(a, &s);
	s = make_wr(a, WRITEM, 0, 64);
	s.remote.area = NULL;
	s.rkey = 0;
	case_post(a, &s);
	case_send(a, SEND, 100);
	case_run(SEC(1));
	want_well(a, b, 3);
	want_recvs(b, 1);
	sim_check(b->drops[TP_DROP_ACCESS] == 2, "%u were dropped for the access",
		  b->drops[TP_DROP_ACCESS]);
	sim_check(area_compare(b->target, 0, b->target->model, b->target->size) ==
		  b->target->size, "something was written");
	case_end();
}

static void no_access(void)
{
	struct tp_qp_attr attr = { .access = TP_ACCESS_REMOTE_READ };
	struct sim_qp *a, *b;

	begin(&a, &b);
	world_set(b, &attr, TP_ATTR_ACCESS);
	case_recv(b, 100, 1);
	case_send(a, WRITEM, 64);
	case_send(a, SEND, 100);
	case_run(SEC(1));
	want_well(a, b, 2);
	want_recvs(b, 1);
	sim_check(area_compare(b->target, 0, b->target->model, b->target->size) ==
		  b->target->size, "something was written");
	case_end();
}

static void bad_recv(void)
{
	struct sim_qp *a, *b;
	struct sim_recv *r;

	begin(&a, &b);
	r = work_make_recv(b, 100);
	r->num_sge = 1;
	r->sge[0].length = 100;
	r->sge[0].lkey ^= 0x10101;
	post_recv(b, r);
	case_recv(b, 100, 1);
	case_send(a, SEND, 100);
	case_send(a, SEND, 100);
	case_run(SEC(1));
	want_sends(a, 2);
	want_send(a, 1, TP_WC_SUCCESS);
	want_recvs(b, 2);
	want_recv(b, 0, TP_WC_LOC_PROT_ERR);
	want_recv(b, 1, TP_WC_WR_FLUSH_ERR);
	want_state(a, TP_QPS_RTS);
	want_state(b, TP_QPS_ERR);
	case_end();
}

static void bad_send_of(const struct sim_send *bad, struct sim_qp *a, struct sim_qp *b,
			enum tp_wc_status status)
{
	struct tp_qp_attr attr = { .state = TP_QPS_RTS };
	struct sim_send s = *bad;

	case_recv(b, 4096, 1);
	case_post(a, &s);
	case_send(a, SEND, 2000);
	case_run(SEC(1));
	want_sends(a, 2);
	want_send(a, 0, status);
	want_send(a, 1, TP_WC_WR_FLUSH_ERR);
	want_recvs(b, 0);
	want_state(a, TP_QPS_SQE);
	want_state(b, TP_QPS_RTS);
	/* Out of SQE, and on; the oracle holds a queue that has failed for dead. */
	a->failed[0] = false;
	world_set(a, &attr, TP_ATTR_STATE);
	/* Flushed messages never come. */
	case_send(a, SENDM, 3000);
	case_run(SEC(1));
	want_sends(a, 3);
	want_send(a, 2, TP_WC_SUCCESS);
	want_recvs(b, 1);
	want_recv(b, 0, TP_WC_SUCCESS);
	case_end();
}

static void bad_send(void)
{
	static const u32 refused[] = {
		IB_UVERBS_WR_RDMA_READ, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD,
		IB_UVERBS_WR_ATOMIC_CMP_AND_SWP, IB_UVERBS_WR_SEND_WITH_INV,
	};
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		begin(&a, &b);
		s = make_wr(a, refused[i], 0, 8);
		s.remote.area = NULL;
		bad_send_of(&s, a, b, TP_WC_LOC_QP_OP_ERR);
	}
	begin(&a, &b);
	s = make_wr(a, SEND, 0, 3000);
	s.local[0].area = NULL;
	s.sge[0].lkey ^= 0x10101;
	bad_send_of(&s, a, b, TP_WC_LOC_PROT_ERR);
	/* Found when a part is on the wire already. */
	begin(&a, &b);
	s = make_wr(a, SEND, 0, LONG);
	s.num_sge = 2;
	s.sge[0].length = LONG / 2;
	s.sge[1].length = LONG / 2;
	s.local[0].area = NULL;
	bad_send_of(&s, a, b, TP_WC_LOC_PROT_ERR);
}

const struct sim_case uc_cases[] = {
	{ "uc_lost_part", "a message that lacks a part is lost, and its receive WR used again",
	  lost_part, false },
	{ "uc_lost_messages", "any beginning of a message is taken in after a gap",
	  lost_messages, false },
	{ "uc_no_recv", "a message without a receive WR is lost, and no more", no_recv, false },
	{ "uc_too_long", "so is one that its receive WR can't hold", too_long, false },
	{ "uc_too_long_shared", "which ends in error if it is a shared queue's", too_long_shared,
	  false },
	{ "uc_bad_rkey", "a WRITE with a wrong key is dropped, and no more", bad_rkey, false },
	{ "uc_no_access", "so is any, if the QP lets none in", no_access, false },
	{ "uc_bad_recv", "a receive WR that is no good ends the connection", bad_recv, false },
	{ "uc_bad_send", "a send WR that is no good ends the send queue, for a while", bad_send,
	  false },
	{ NULL, NULL, NULL, false }
};
