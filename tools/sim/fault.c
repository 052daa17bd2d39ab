// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of what goes wrong: each fault's status on both sides, the event, and
 * what is flushed after it (IBA 9.9, 10.10, 11.6.2, 11.6.3).
 */
#include "case.h"
#include "suite.h"

#define NO_WC		((enum tp_wc_status)255)
#define NO_EVENT	((enum tp_event)255)

/**
 * struct fault - one way to fail
 * @name: for messages
 * @opcode: of the WR that fails
 * @length: its bytes
 * @recv: bytes of the receive WR that is posted for it; -1: none
 * @spoil: makes the good WR a bad one
 * @send: status of it
 * @recv_wc: status of the peer's receive WR, or NO_WC: it is left alone or flushed
 * @event: what the peer raises, or NO_EVENT
 * @peer: state that the peer is in then
 */
struct fault {
	const char *name;
	u32 opcode;
	u32 length;
	int recv;
	void (*spoil)(struct sim_qp *a, struct sim_send *s, struct sim_recv *r);
	enum tp_wc_status send;
	enum tp_wc_status recv_wc;
	enum tp_event event;
	enum tp_qp_state peer;
};

static void local_unknown(struct sim_send *s)
{
	s->local[0] = (struct sim_range){ NULL, 0, 0 };
	s->remote = (struct sim_range){ NULL, 0, 0 };
}

static void bad_lkey(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	local_unknown(s);
	s->sge[0].lkey ^= 0x10101;
}

static void rkey_as_lkey(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)r;
	local_unknown(s);
	s->sge[0].lkey = region_pick(a->local, 0, 64, a->pd, 0)->rkey;
}

static void local_range(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	struct sim_region *region;

	(void)r;
	local_unknown(s);
	region = region_make(a->local, 0, 100, 0x1000, a->pd, TP_ACCESS_LOCAL_WRITE);
	s->sge[0].lkey = region->lkey;
	s->sge[0].addr = 0x1000 + 101 - s->length;
}

static void local_wrap(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	local_unknown(s);
	s->sge[0].addr = 0 - 8ull;
}

static void local_pd(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	struct sim_region *region;

	(void)r;
	local_unknown(s);
	region = region_make(a->local, 0, a->local->size, 0, 99, TP_ACCESS_LOCAL_WRITE);
	s->sge[0].lkey = region->lkey;
	s->sge[0].addr = 0;
}

static void local_readonly(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	struct sim_region *region;

	(void)r;
	local_unknown(s);
	region = region_make(a->local, 0, a->local->size, 0, a->pd, 0);
	s->sge[0].lkey = region->lkey;
	s->sge[0].addr = 0;
}

static void malformed(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	s->bad = TP_WC_LOC_QP_OP_ERR;
	s->remote.area = NULL;
}

static void strange_opcode(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	local_unknown(s);
	s->opcode = 77;
}

static void too_long(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	local_unknown(s);
	s->length = 0x80000001u;
	s->num_sge = 2;
	s->sge[1] = s->sge[0];
	s->sge[0].length = 0x40000000u;
	s->sge[1].length = 0x40000001u;
	s->local[1] = s->local[0];
}

static void atomic_length(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	local_unknown(s);
	s->length = 16;
	s->sge[0].length = 16;
}

static void remote_unknown(struct sim_send *s)
{
	local_unknown(s);
}

static void bad_rkey(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	remote_unknown(s);
	s->rkey ^= 0x10101;
}

static void lkey_as_rkey(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)r;
	remote_unknown(s);
	s->rkey = region_by_rkey(s->rkey)->lkey;
	(void)a;
}

static void remote_range(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	struct sim_qp *b = a->peer;
	struct sim_region *region;

	(void)r;
	remote_unknown(s);
	region = region_make(b->target, 0, 4000, 0x2000, b->pd, TP_ACCESS_REMOTE_WRITE |
			     TP_ACCESS_REMOTE_READ | TP_ACCESS_REMOTE_ATOMIC);
	s->rkey = region->rkey;
	s->va = 0x2000 + 4008 - s->length;
}

static void remote_before(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	remote_range(a, s, r);
	s->va = 0x2000 - 8;
}

static void remote_wrap(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	remote_unknown(s);
	s->va = 0 - 8ull;
}

static void remote_pd(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	struct sim_qp *b = a->peer;
	struct sim_region *region;

	(void)r;
	remote_unknown(s);
	region = region_make(b->target, 0, b->target->size, 0, 99, TP_ACCESS_LOCAL_WRITE |
			     TP_ACCESS_REMOTE_WRITE | TP_ACCESS_REMOTE_READ |
			     TP_ACCESS_REMOTE_ATOMIC);
	s->rkey = region->rkey;
	s->va = 0;
}

/* A region with every right but the one that is needed. */
static void remote_right(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	u32 needed = is_write(s->opcode) ? TP_ACCESS_REMOTE_WRITE :
		     is_atomic(s->opcode) ? TP_ACCESS_REMOTE_ATOMIC : TP_ACCESS_REMOTE_READ;
	struct sim_qp *b = a->peer;
	struct sim_region *region;

	(void)r;
	remote_unknown(s);
	region = region_make(b->target, 0, b->target->size, 0, b->pd,
			     (TP_ACCESS_LOCAL_WRITE | TP_ACCESS_REMOTE_WRITE |
			      TP_ACCESS_REMOTE_READ | TP_ACCESS_REMOTE_ATOMIC) & ~needed);
	s->rkey = region->rkey;
	s->va = 0;
}

static void unaligned(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	remote_unknown(s);
	s->va += 4;
}

/* The QP allows nothing remote. */
static void qp_right(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	struct tp_qp_attr attr = { .access = 0 };

	(void)r;
	remote_unknown(s);
	world_set(a->peer, &attr, TP_ATTR_ACCESS);
}

static void recv_lkey(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	u32 i;

	(void)a;
	(void)s;
	for (i = 0; i < r->num_sge; i++)
		r->sge[i].lkey ^= 0x10101;
}

static void recv_malformed(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)s;
	r->bad = TP_WC_LOC_QP_OP_ERR;
}

static void no_resources(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	struct tp_qp_attr attr = { .max_dest_rd_atomic = 0 };

	(void)r;
	remote_unknown(s);
	world_set(a->peer, &attr, TP_ATTR_MAX_DEST_RD);
}

static void bad_inv(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	s->inv_rkey = 0x5a5a5a5a;
}

static void inv_not_spare(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)r;
	s->inv_rkey = region_pick(a->peer->target, 0, 64, a->peer->pd, 0)->rkey;
}

static void local_inv(struct sim_qp *a, struct sim_send *s, struct sim_recv *r)
{
	(void)a;
	(void)r;
	s->num_sge = 0;
	s->length = 0;
	s->inv_rkey = 0x5a5a5a5a;
}

#define SEND	IB_UVERBS_WR_SEND
#define SENDI	IB_UVERBS_WR_SEND_WITH_INV
#define WRITE	IB_UVERBS_WR_RDMA_WRITE
#define WRITEI	IB_UVERBS_WR_RDMA_WRITE_WITH_IMM
#define READ	IB_UVERBS_WR_RDMA_READ
#define CAS	IB_UVERBS_WR_ATOMIC_CMP_AND_SWP
#define ADD	IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD
#define LINV	IB_UVERBS_WR_LOCAL_INV
#define LOC(s)	s, NO_WC, NO_EVENT, TP_QPS_RTS

static const struct fault faults[] = {
	/* Found by the requester: the peer hears nothing. */
	{ "SEND, unknown lkey", SEND, 64, 64, bad_lkey, LOC(TP_WC_LOC_PROT_ERR) },
	{ "SEND, an rkey as lkey", SEND, 64, 64, rkey_as_lkey, LOC(TP_WC_LOC_PROT_ERR) },
	{ "SEND, one byte past the region", SEND, 64, 64, local_range, LOC(TP_WC_LOC_PROT_ERR) },
	{ "WRITE, addresses that wrap", WRITE, 64, -1, local_wrap, LOC(TP_WC_LOC_PROT_ERR) },
	{ "WRITE, region of another domain", WRITE, 3000, -1, local_pd, LOC(TP_WC_LOC_PROT_ERR) },
	{ "READ to a region without local write", READ, 3000, -1, local_readonly,
	  LOC(TP_WC_LOC_PROT_ERR) },
	{ "ATOMIC to a region without local write", ADD, 8, -1, local_readonly,
	  LOC(TP_WC_LOC_PROT_ERR) },
	{ "SEND, found malformed by the owner", SEND, 64, 64, malformed, LOC(TP_WC_LOC_QP_OP_ERR) },
	{ "unknown opcode", SEND, 64, 64, strange_opcode, LOC(TP_WC_LOC_QP_OP_ERR) },
	{ "SEND of 2^31 + 1 bytes", SEND, 64, 64, too_long, LOC(TP_WC_LOC_LEN_ERR) },
	{ "WRITE of 2^31 + 1 bytes", WRITE, 64, -1, too_long, LOC(TP_WC_LOC_LEN_ERR) },
	{ "READ of 2^31 + 1 bytes", READ, 64, -1, too_long, LOC(TP_WC_LOC_LEN_ERR) },
	{ "CMP_SWAP of 16 bytes", CAS, 8, -1, atomic_length, LOC(TP_WC_LOC_LEN_ERR) },
	{ "LOCAL_INV of no key", LINV, 0, -1, local_inv, LOC(TP_WC_MW_BIND_ERR) },

	/* Remote access: rkey, domain, right, range. */
	{ "WRITE, unknown rkey", WRITE, 64, -1, bad_rkey, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE of several packets, unknown rkey", WRITE, 5000, -1, bad_rkey,
	  TP_WC_REM_ACCESS_ERR, NO_WC, TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE_WITH_IMM, unknown rkey", WRITEI, 64, 64, bad_rkey, TP_WC_REM_ACCESS_ERR,
	  TP_WC_LOC_ACCESS_ERR, TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "READ, unknown rkey", READ, 64, -1, bad_rkey, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "FETCH_ADD, unknown rkey", ADD, 8, -1, bad_rkey, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE, an lkey as rkey", WRITE, 64, -1, lkey_as_rkey, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE past the region", WRITE, 64, -1, remote_range, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE of several packets past the region", WRITE, 3900, -1, remote_range,
	  TP_WC_REM_ACCESS_ERR, NO_WC, TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "READ past the region", READ, 3900, -1, remote_range, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "ATOMIC past the region", CAS, 8, -1, remote_range, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE before the region", WRITE, 64, -1, remote_before, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE to addresses that wrap", WRITE, 3000, -1, remote_wrap, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "READ of addresses that wrap", READ, 3000, -1, remote_wrap, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE, region of another domain", WRITE, 64, -1, remote_pd, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "WRITE without the right", WRITE, 64, -1, remote_right, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "READ without the right", READ, 64, -1, remote_right, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },
	{ "CMP_SWAP without the right", CAS, 8, -1, remote_right, TP_WC_REM_ACCESS_ERR, NO_WC,
	  TP_EVENT_ACCESS_ERR, TP_QPS_ERR },

	/* Invalid requests. */
	{ "SEND longer than the receive WR", SEND, 65, 64, NULL, TP_WC_REM_INV_REQ_ERR,
	  TP_WC_LOC_LEN_ERR, NO_EVENT, TP_QPS_ERR },
	{ "SEND of several packets, too long in the last", SEND, 5000, 4999, NULL,
	  TP_WC_REM_INV_REQ_ERR, TP_WC_LOC_LEN_ERR, NO_EVENT, TP_QPS_ERR },
	{ "CMP_SWAP at an unaligned address", CAS, 8, -1, unaligned, TP_WC_REM_INV_REQ_ERR, NO_WC,
	  TP_EVENT_REQ_ERR, TP_QPS_ERR },
	{ "WRITE that the QP does not allow", WRITE, 64, -1, qp_right, TP_WC_REM_INV_REQ_ERR, NO_WC,
	  TP_EVENT_REQ_ERR, TP_QPS_ERR },
	{ "READ that the QP does not allow", READ, 64, -1, qp_right, TP_WC_REM_INV_REQ_ERR, NO_WC,
	  TP_EVENT_REQ_ERR, TP_QPS_ERR },
	{ "FETCH_ADD that the QP does not allow", ADD, 8, -1, qp_right, TP_WC_REM_INV_REQ_ERR,
	  NO_WC, TP_EVENT_REQ_ERR, TP_QPS_ERR },
	{ "READ with no responder resources", READ, 64, -1, no_resources, TP_WC_REM_INV_REQ_ERR,
	  NO_WC, TP_EVENT_REQ_ERR, TP_QPS_ERR },

	/* The responder's own trouble. */
	{ "SEND to a receive WR with an unknown lkey", SEND, 64, 64, recv_lkey, TP_WC_REM_OP_ERR,
	  TP_WC_LOC_PROT_ERR, NO_EVENT, TP_QPS_ERR },
	{ "SEND to a malformed receive WR", SEND, 64, 64, recv_malformed, TP_WC_REM_OP_ERR,
	  TP_WC_LOC_QP_OP_ERR, NO_EVENT, TP_QPS_ERR },
};

static void spoil_recv(struct sim_qp *b, const struct fault *f, struct sim_recv **r)
{
	case_recv(b, 128, 1);
	*r = NULL;
	if (f->recv >= 0)
		*r = case_recv(b, f->recv, 1);
	case_recv(b, 128, 2);
}

/*
 * A good WR, the bad one and two more, of which the last is posted when all is
 * over. The good one ends well, the bad one as it must, the rest is flushed.
 */
static void one_fault(const struct fault *f, bool local)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_recv *r;
	struct sim_send s;
	u32 n;

	cfg.local = local;
	case_begin(&cfg, &a, &b);
	spoil_recv(b, f, &r);
	s = make_wr(a, IB_UVERBS_WR_SEND, 4096, 100);
	case_post(a, &s);
	s = make_wr(a, f->opcode, 0, f->length);
	if (f->spoil)
		f->spoil(a, &s, r);
	case_post(a, &s);
	s = make_wr(a, IB_UVERBS_WR_RDMA_READ, 4096, 100);
	s.signaled = false;
	case_post(a, &s);
	case_go(a);
	case_run(SEC(60));
	s = make_wr(a, IB_UVERBS_WR_SEND, 0, 1);
	case_post(a, &s);
	case_go(a);
	case_run(SEC(1));

	trace("%s%s", f->name, local ? ", local" : "");
	want_sends(a, 4);
	want_send(a, 0, TP_WC_SUCCESS);
	want_send(a, 1, f->send);
	want_send(a, 2, TP_WC_WR_FLUSH_ERR);
	want_send(a, 3, TP_WC_WR_FLUSH_ERR);
	want_no_event(a);
	want_state(a, TP_QPS_ERR);
	want_state(b, f->peer);
	want_event(b, f->event, f->event == NO_EVENT ? 0 : 1);
	want_sends(b, 0);
	n = f->peer == TP_QPS_ERR ? 3 + !!r : 1;
	want_recvs(b, n);
	want_recv(b, 0, TP_WC_SUCCESS);
	if (n == 4)
		want_recv(b, 1, f->recv_wc == NO_WC ? TP_WC_WR_FLUSH_ERR : f->recv_wc);
	if (n > 1) {
		want_recv(b, n - 2, TP_WC_WR_FLUSH_ERR);
		want_recv(b, n - 1, TP_WC_WR_FLUSH_ERR);
	}
	case_end();
}

static void fault_table(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		one_fault(&faults[i], false);
}

static void fault_table_local(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		one_fault(&faults[i], true);
}

/* An rkey that can't be invalidated: both sides hear of it (IBA 9.4.1.1.3). */
static void invalidate_fault(void)
{
	static void (*const spoil[])(struct sim_qp *a, struct sim_send *s, struct sim_recv *r) = {
		bad_inv, inv_not_spare
	};
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i;

	for (i = 0; i < 2; i++) {
		case_begin(&cfg, &a, &b);
		case_recv(b, 64, 2);
		s = make_wr(a, SENDI, 0, 64);
		spoil[i](a, &s, NULL);
		case_post(a, &s);
		case_go(a);
		case_run(SEC(1));
		want_sends(a, 1);
		sim_check(a->failed[0] && b->failed[1], "a SEND that can't invalidate ends well");
		want_state(a, TP_QPS_ERR);
		want_state(b, TP_QPS_ERR);
		want_recvs(b, 2);
		want_recv(b, 1, TP_WC_WR_FLUSH_ERR);
		case_end();
	}
}

/* A key that was invalidated is good for nothing. */
static void invalidated_key(void)
{
	struct sim_config cfg = case_config();
	struct sim_region *region;
	struct sim_qp *a, *b;
	struct sim_send s;

	case_begin(&cfg, &a, &b);
	region = b->spare.item[0];
	case_recv(b, 64, 2);
	s = make_wr(a, WRITE, 0, 64);
	s.rkey = region->rkey;
	s.va = region->iova;
	case_post(a, &s);
	s = make_wr(a, SENDI, 0, 64);
	s.inv_rkey = region->rkey;
	case_post(a, &s);
	s = make_wr(a, WRITE, 0, 64);
	s.remote.area = NULL;
	s.rkey = region->rkey;
	s.va = region->iova;
	case_post(a, &s);
	case_go(a);
	case_run(SEC(1));
	want_send(a, 0, TP_WC_SUCCESS);
	want_send(a, 1, TP_WC_SUCCESS);
	want_send(a, 2, TP_WC_REM_ACCESS_ERR);
	want_recv(b, 0, TP_WC_SUCCESS);
	want_event(b, TP_EVENT_ACCESS_ERR, 1);
	case_end();
}

/* A READ beyond max_dest_rd_atomic while the answers before it wait. */
static void too_many_reads(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	struct sim_send s;
	u32 i;

	cfg.rd = 3;
	cfg.dest_rd = 2;
	case_begin(&cfg, &a, &b);
	for (i = 0; i < 3; i++) {
		s = make_wr(a, READ, 1024 * i, 1024);
		case_post(a, &s);
	}
	b->blocked[0] = world->clock.now + USEC(100);
	kick_respond_at(b, b->blocked[0]);
	case_go(a);
	case_run(SEC(60));
	want_sends(a, 3);
	want_send(a, 0, TP_WC_SUCCESS);
	want_send(a, 1, TP_WC_SUCCESS);
	want_send(a, 2, TP_WC_REM_INV_REQ_ERR);
	want_event(b, TP_EVENT_REQ_ERR, 1);
	want_state(b, TP_QPS_ERR);
	case_end();
}

const struct sim_case fault_cases[] = {
	{ "fault_table", "each fault has its status on both sides, its event, and a flush",
	  fault_table, false },
	{ "fault_table_local", "the same between two QPs of a host", fault_table_local, false },
	{ "invalidate_fault", "a SEND that can't invalidate fails on both sides", invalidate_fault,
	  false },
	{ "invalidated_key", "an invalidated rkey no longer works", invalidated_key, false },
	{ "too_many_reads", "READs past max_dest_rd_atomic are refused", too_many_reads, false },
	{ NULL, NULL, NULL, false }
};
