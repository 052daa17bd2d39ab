// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the QP's states: RTR, SQD, ERROR, RESET.
 */
#include "case.h"
#include "suite.h"

/* A packet in RTR: one COMM_EST event, and the message is received. */
static void comm_est(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	case_begin_reset(&cfg, &a, &b);
	world_modify(a, TP_QPS_INIT);
	world_modify(a, TP_QPS_RTR);
	world_modify(a, TP_QPS_RTS);
	world_modify(b, TP_QPS_INIT);
	world_modify(b, TP_QPS_RTR);
	case_recv(b, 64, 2);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(1));
	want_recvs(b, 2);
	want_send(a, 1, TP_WC_SUCCESS);
	want_event(b, TP_EVENT_COMM_EST, 1);
	want_no_event(a);
	world_modify(b, TP_QPS_RTS);
	case_recv(a, 64, 1);
	case_send(b, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(1));
	want_send(b, 0, TP_WC_SUCCESS);
	case_end();
}

/* In RESET, INIT and ERROR packets are dropped without an answer. */
static void deaf_states(void)
{
	static const enum tp_qp_state states[] = { TP_QPS_RESET, TP_QPS_INIT, TP_QPS_ERR };
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	u32 i;

	cfg.retry_cnt = 2;
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		case_begin_reset(&cfg, &a, &b);
		world_modify(a, TP_QPS_INIT);
		world_modify(a, TP_QPS_RTR);
		world_modify(a, TP_QPS_RTS);
		if (states[i] != TP_QPS_RESET)
			world_modify(b, states[i]);
		case_send(a, IB_UVERBS_WR_SEND, 64);
		case_run(SEC(10));
		want_send(a, 0, TP_WC_RETRY_EXC_ERR);
		sim_check(!seen_count(b, TP_NUM_OPS), "an answer in state %d", states[i]);
		sim_check(b->drops[TP_DROP_STATE] == 3, "%u drops counted in state %d",
			  b->drops[TP_DROP_STATE], states[i]);
		case_end();
	}
}

/* Another partition's packets are dropped. */
static void other_pkey(void)
{
	struct tp_qp_attr attr = { .pkey = 0x8001 };
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	cfg.retry_cnt = 1;
	case_begin(&cfg, &a, &b);
	world_set(b, &attr, TP_ATTR_PKEY);
	case_recv(b, 64, 1);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(10));
	want_send(a, 0, TP_WC_RETRY_EXC_ERR);
	want_recvs(b, 0);
	sim_check(b->drops[TP_DROP_PKEY] == 2, "%u drops counted", b->drops[TP_DROP_PKEY]);
	case_end();
}

/* SQD: what was begun ends, one event tells of it, the rest waits for RTS. */
static void drained(void)
{
	struct tp_qp_attr attr = { .state = TP_QPS_SQD };
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	bool draining;

	case_begin(&cfg, &a, &b);
	s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 0, 3000);
	case_post(a, &s);
	case_go(a);
	world_set(a, &attr, TP_ATTR_STATE | TP_ATTR_SQD_EVENT);
	want_no_event(a);
	tp_qp_query(&a->tp, &attr, &draining);
	sim_check(draining, "SQD with a WRITE out is not draining");
	s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 3000, 100);
	case_post(a, &s);
	case_go(a);
	case_run(SEC(1));
	want_sends(a, 1);
	want_send(a, 0, TP_WC_SUCCESS);
	want_event(a, TP_EVENT_SQ_DRAINED, 1);
	tp_qp_query(&a->tp, &attr, &draining);
	sim_check(!draining && attr.state == TP_QPS_SQD, "SQD is draining for ever");
	attr.state = TP_QPS_RTS;
	world_set(a, &attr, TP_ATTR_STATE);
	case_go(a);
	case_run(SEC(1));
	want_sends(a, 2);
	want_send(a, 1, TP_WC_SUCCESS);
	want_event(a, TP_EVENT_SQ_DRAINED, 1);
	/* With nothing out it is drained at once; without the wish there is no event. */
	attr.state = TP_QPS_SQD;
	world_set(a, &attr, TP_ATTR_STATE | TP_ATTR_SQD_EVENT);
	want_event(a, TP_EVENT_SQ_DRAINED, 2);
	attr.state = TP_QPS_RTS;
	world_set(a, &attr, TP_ATTR_STATE);
	attr.state = TP_QPS_SQD;
	world_set(a, &attr, TP_ATTR_STATE);
	want_event(a, TP_EVENT_SQ_DRAINED, 2);
	case_end();
}

/* ERROR: sends and receives are flushed in order, those that are posted later too. */
static void flushed(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i;

	case_begin(&cfg, &a, &b);
	world->dead = true;
	case_recv(a, 64, 3);
	for (i = 0; i < 5; i++) {
		s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 64 * i, 64);
		s.signaled = i & 1;
		case_post(a, &s);
	}
	case_go(a);
	world_modify(a, TP_QPS_ERR);
	case_run(SEC(1));
	want_sends(a, 5);
	want_recvs(a, 3);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_recv(a, 64, 1);
	case_run(SEC(1));
	want_sends(a, 6);
	want_recvs(a, 4);
	for (i = 0; i < 6; i++)
		want_send(a, i, TP_WC_WR_FLUSH_ERR);
	for (i = 0; i < 4; i++)
		want_recv(a, i, TP_WC_WR_FLUSH_ERR);
	want_no_event(a);
	case_end();
}

/* A QP with a shared queue leaves its WRs alone, and tells when it holds none. */
static void last_wqe(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	cfg.srq = true;
	case_begin(&cfg, &a, &b);
	case_recv(b, 64, 3);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(1));
	want_recvs(b, 1);
	world_modify(b, TP_QPS_ERR);
	case_run(SEC(1));
	want_recvs(b, 1);
	want_event(b, TP_EVENT_LAST_WQE, 1);
	case_end();
}

/* The device fails the QP: the event, and a flush. */
static void device_error(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	case_begin(&cfg, &a, &b);
	world->dead = true;
	case_recv(a, 64, 1);
	case_send(a, IB_UVERBS_WR_RDMA_WRITE, 64);
	tp_qp_error(&a->tp, TP_EVENT_QP_FATAL);
	case_run(SEC(1));
	want_event(a, TP_EVENT_QP_FATAL, 1);
	want_send(a, 0, TP_WC_WR_FLUSH_ERR);
	want_recv(a, 0, TP_WC_WR_FLUSH_ERR);
	want_state(a, TP_QPS_ERR);
	sim_check(a->moved == TP_QPS_ERR, "tp_owner_state() was not called");
	case_end();
}

/* RESET drops all work without a completion; the QP is as new then. */
static void reset_reuse(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i;

	case_begin(&cfg, &a, &b);
	case_recv(b, 64, 2);
	world->dead = true;
	case_send(a, IB_UVERBS_WR_SEND, 64);
	s = make_wr(a, IB_UVERBS_WR_RDMA_READ, 4096, 64);
	case_post(a, &s);
	case_go(a);
	world_set(a, &(struct tp_qp_attr){ .state = TP_QPS_RESET }, TP_ATTR_STATE);
	/* The owner comes late with what it found before. */
	tp_qp_error(&a->tp, TP_EVENT_QP_FATAL);
	want_event(a, TP_EVENT_QP_FATAL, 0);
	want_state(a, TP_QPS_RESET);
	want_sends(a, 0);
	world_set(b, &(struct tp_qp_attr){ .state = TP_QPS_RESET }, TP_ATTR_STATE);
	want_recvs(b, 0);
	case_run(SEC(10));
	want_sends(a, 0);
	want_no_event(a);
	world->dead = false;
	for (i = 0; i < 2; i++)
		world_reset(&world->qp[i]);
	world->cfg.sq_psn[0] = 77;
	world_connect();
	case_recv(b, 64, 1);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_run(SEC(1));
	want_send(a, 0, TP_WC_SUCCESS);
	want_recv(b, 0, TP_WC_SUCCESS);
	case_end();
}

/* query gives back what modify set. */
static void query(void)
{
	struct sim_config cfg = case_config();
	struct tp_qp_attr attr;
	struct sim_qp *a, *b;
	bool draining;

	case_begin(&cfg, &a, &b);
	memset(&attr, 0, sizeof(attr));
	tp_qp_query(&a->tp, &attr, &draining);
	sim_check(attr.state == TP_QPS_RTS && attr.access == a->attr.access &&
		  attr.pkey == a->attr.pkey && attr.dest_qpn == b->qpn &&
		  attr.sq_psn == a->attr.sq_psn && attr.rq_psn == a->attr.rq_psn &&
		  attr.mtu == a->attr.mtu && attr.max_rd_atomic == cfg.rd &&
		  attr.max_dest_rd_atomic == cfg.dest_rd && attr.timeout == cfg.timeout &&
		  attr.retry_cnt == cfg.retry_cnt && attr.rnr_retry == cfg.rnr_retry &&
		  attr.min_rnr_timer == cfg.min_rnr_timer && !draining,
		  "an attribute comes back changed");
	case_end();
}

/* Between QPs of a host: a fault of the responder flushes its own sends too. */
static void local_error(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;

	cfg.local = true;
	case_begin(&cfg, &a, &b);
	b->blocked[1] = world->clock.now + MSEC(1);
	case_send(b, IB_UVERBS_WR_RDMA_WRITE, 64);
	s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 0, 64);
	s.rkey ^= 0x1111;
	s.remote.area = NULL;
	case_post(a, &s);
	case_go(a);
	case_run(SEC(1));
	want_send(a, 0, TP_WC_REM_ACCESS_ERR);
	want_state(b, TP_QPS_ERR);
	want_sends(b, 1);
	want_send(b, 0, TP_WC_WR_FLUSH_ERR);
	case_end();
}

const struct sim_case state_cases[] = {
	{ "comm_est", "a packet in RTR raises one event and is taken in", comm_est, false },
	{ "deaf_states", "RESET, INIT and ERROR answer nothing", deaf_states, false },
	{ "other_pkey", "a packet of another partition is dropped", other_pkey, false },
	{ "drained", "SQD ends what was begun, tells, and goes on later", drained, false },
	{ "flushed", "ERROR flushes in order, later posts too", flushed, false },
	{ "last_wqe", "the last WQE event of a QP with a shared queue", last_wqe, false },
	{ "device_error", "tp_qp_error() raises its event and flushes", device_error, false },
	{ "reset_reuse", "RESET drops work silently, the QP works again", reset_reuse, false },
	{ "query", "query gives back what was set", query, false },
	{ "local_error", "an error on one host flushes both sides", local_error, false },
	{ NULL, NULL, NULL, false }
};
