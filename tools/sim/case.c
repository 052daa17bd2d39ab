// SPDX-License-Identifier: GPL-2.0
/*
 * What the cases are made of.
 */
#include "case.h"

struct seen_train *seen;
u32 nr_seen;
bool (*case_lose)(struct sim_qp *from, const struct tp_train *train);

static u32 seen_room;

static bool tap(struct sim_qp *from, const struct tp_train *train)
{
	if (nr_seen == seen_room) {
		seen_room = seen_room ? 2 * seen_room : 256;
		seen = realloc(seen, seen_room * sizeof(*seen));
		if (!seen)
			abort();
	}
	seen[nr_seen].from = from;
	seen[nr_seen].at = world->clock.now;
	seen[nr_seen].train = *train;
	seen[nr_seen].train.seg = NULL;
	nr_seen++;
	return case_lose && case_lose(from, train);
}

struct sim_config case_config(void)
{
	return (struct sim_config){
		.pairs = 1, .mtu = 1024, .latency = 1000, .max_msg = 8192, .max_send = 8192,
		.pieces = SHAPE_ODD, .sq_depth = 16, .rq_depth = 16, .max_sge = 4,
		.max_inline = 64, .sig_all = true, .rd = 4, .dest_rd = 4, .timeout = 10,
		.retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 1,
		.sq_psn = { 0xfffffe, 0x7ffffe }, .turn = 1000,
	};
}

void case_begin_reset(const struct sim_config *cfg, struct sim_qp **a, struct sim_qp **b)
{
	case_lose = NULL;
	nr_seen = 0;
	world_make(1, cfg);
	world->lenient = true;
	world->tap = tap;
	*a = &world->qp[0];
	*b = &world->qp[1];
}

void case_begin(const struct sim_config *cfg, struct sim_qp **a, struct sim_qp **b)
{
	case_begin_reset(cfg, a, b);
	world_connect();
}

void case_end(void)
{
	memory_check();
	world_free();
	case_lose = NULL;
}

void seen_clear(void)
{
	nr_seen = 0;
}

const struct seen_train *seen_nth(const struct sim_qp *from, enum tp_op op, u32 n)
{
	u32 i;

	for (i = 0; i < nr_seen; i++) {
		if (seen[i].from != from || (op != TP_NUM_OPS && seen[i].train.op != op))
			continue;
		if (!n--)
			return &seen[i];
	}
	return NULL;
}

u32 seen_count(const struct sim_qp *from, enum tp_op op)
{
	u32 n = 0;

	while (seen_nth(from, op, n))
		n++;
	return n;
}

static struct sim_region *pick(struct sim_area *area, u32 off, u32 len, u32 pd, u32 access)
{
	struct sim_region *region = region_pick(area, off, len, pd, access);

	sim_check(region, "the case's memory is too small");
	return region;
}

struct sim_send make_wr(struct sim_qp *qp, u32 opcode, u32 off, u32 len)
{
	u32 access = is_write(opcode) ? TP_ACCESS_REMOTE_WRITE :
		     is_atomic(opcode) ? TP_ACCESS_REMOTE_ATOMIC : TP_ACCESS_REMOTE_READ;
	struct sim_send s = { .opcode = opcode, .signaled = true, .length = len };
	struct sim_region *region;

	if (len) {
		region = pick(qp->local, off, len, qp->pd,
			      is_fetch(opcode) ? TP_ACCESS_LOCAL_WRITE : 0);
		s.num_sge = 1;
		s.local[0] = (struct sim_range){ qp->local, off, len };
		s.sge[0].addr = region->iova + off - region->off;
		s.sge[0].length = len;
		s.sge[0].lkey = region->lkey;
	}
	if (len && (is_write(opcode) || is_fetch(opcode))) {
		region = pick(qp->peer->target, off, len, qp->peer->pd, access);
		s.remote = (struct sim_range){ qp->peer->target, off, len };
		s.va = region->iova + off - region->off;
		s.rkey = region->rkey;
	}
	s.imm = cpu_to_be32(0x12345678);
	s.compare = 5;
	s.swap = 9;
	return s;
}

void case_post(struct sim_qp *qp, struct sim_send *s)
{
	post_send(qp, s);
}

void case_go(struct sim_qp *qp)
{
	kick_send(qp);
}

void case_send(struct sim_qp *qp, u32 opcode, u32 len)
{
	struct sim_send s = make_wr(qp, opcode, 0, len);

	case_post(qp, &s);
	case_go(qp);
}

struct sim_recv *case_recv(struct sim_qp *qp, u32 len, u32 n)
{
	struct sim_recv *first = NULL, *r;

	while (n--) {
		r = work_make_recv(qp, len);
		sim_check(r, "the case posts too many receives");
		post_recv(qp, r);
		first = first ? first : r;
	}
	tell_recv(qp);
	return first;
}

void case_run(u64 limit)
{
	sim_check(world_run(world->clock.now + limit), "it is not over after %llu us",
		  (unsigned long long)limit / 1000);
}

void case_wait(u64 ns)
{
	u64 until = world->clock.now + ns;

	world_run(until);
	world->clock.now = until;
}

static void want_wc(const struct sim_qp *qp, const struct sim_queue *log, u32 i,
		    enum tp_wc_status status, const char *what)
{
	const struct sim_cqe *cqe;

	sim_check(i < log->nr, "qp of side %u has %u %s completions, %s is wanted", qp->side,
		  log->nr, what, status_name(status));
	cqe = log->item[i];
	sim_check(cqe->wc.status == status, "%s completion %u of side %u is %s, not %s", what, i,
		  qp->side, status_name(cqe->wc.status), status_name(status));
}

void want_send(const struct sim_qp *qp, u32 i, enum tp_wc_status status)
{
	want_wc(qp, &qp->send_log, i, status, "send");
}

void want_recv(const struct sim_qp *qp, u32 i, enum tp_wc_status status)
{
	want_wc(qp, &qp->recv_log, i, status, "receive");
}

void want_sends(const struct sim_qp *qp, u32 n)
{
	sim_check(qp->send_log.nr == n, "side %u has %u send completions, not %u", qp->side,
		  qp->send_log.nr, n);
}

void want_recvs(const struct sim_qp *qp, u32 n)
{
	sim_check(qp->recv_log.nr == n, "side %u has %u receive completions, not %u", qp->side,
		  qp->recv_log.nr, n);
}

void want_state(struct sim_qp *qp, enum tp_qp_state state)
{
	struct tp_qp_attr attr;
	bool draining;

	tp_qp_query(&qp->tp, &attr, &draining);
	sim_check(attr.state == state, "side %u is in state %d, not %d", qp->side, attr.state,
		  state);
}

void want_event(const struct sim_qp *qp, enum tp_event event, u32 times)
{
	u32 i;

	for (i = 0; i <= TP_EVENT_ACCESS_ERR; i++)
		sim_check(qp->events[i] == (i == event ? times : 0),
			  "side %u has had event %u %u times; it was to have %u %u times", qp->side,
			  i, qp->events[i], event, times);
}

void want_no_event(const struct sim_qp *qp)
{
	want_event(qp, TP_EVENT_COMM_EST, 0);
}

u64 send_time(const struct sim_qp *qp, u32 i)
{
	sim_check(i < qp->send_log.nr, "side %u has %u send completions", qp->side,
		  qp->send_log.nr);
	return ((struct sim_cqe *)qp->send_log.item[i])->at;
}
