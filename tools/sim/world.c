// SPDX-License-Identifier: GPL-2.0
/*
 * A world: makes QP pairs and their memory, runs the events, takes all down.
 */
#include "sim.h"

struct sim_world *world;

static const u32 remote_all = TP_ACCESS_REMOTE_WRITE | TP_ACCESS_REMOTE_READ |
			      TP_ACCESS_REMOTE_ATOMIC;

/* A start address: anywhere, at zero, or so that the region ends where addresses do. */
static u64 choose_iova(u32 len)
{
	struct sim_random *rng = &world->rng;

	if (random_chance(rng, 100))
		return 0;
	if (random_chance(rng, 100))
		return (0 - (u64)len) & ~7ull;
	return (random_bits(rng) >> 1) & ~7ull;
}

static struct sim_region *whole(struct sim_area *area, u32 pd, u32 access)
{
	return region_make(area, 0, area->size, choose_iova(area->size), pd, access);
}

/* A part of @area; at multiples of 8, for ATOMICs. */
static void some_part(struct sim_area *area, u32 pd, u32 access)
{
	u32 off = random_below(&world->rng, area->size / 2) & ~7u;
	u32 len = random_range(&world->rng, 64, area->size - off);

	region_make(area, off, len, choose_iova(len), pd, access);
}

static void make_memory(struct sim_qp *qp)
{
	const struct sim_config *cfg = &world->cfg;
	u32 i, size = 4 * cfg->max_msg + 8192;

	qp->local = area_make("local", size, cfg->pieces);
	whole(qp->local, qp->pd, TP_ACCESS_LOCAL_WRITE);
	whole(qp->local, qp->pd, TP_ACCESS_LOCAL_WRITE | remote_all);
	some_part(qp->local, qp->pd, 0);

	qp->target = area_make("target", size,
			       cfg->pieces == SHAPE_ODD ? SHAPE_EIGHTS : SHAPE_WHOLE);
	whole(qp->target, qp->pd, TP_ACCESS_LOCAL_WRITE | remote_all);
	whole(qp->target, qp->pd, TP_ACCESS_LOCAL_WRITE | TP_ACCESS_REMOTE_WRITE);
	whole(qp->target, qp->pd, TP_ACCESS_REMOTE_READ);
	whole(qp->target, qp->pd, TP_ACCESS_LOCAL_WRITE | TP_ACCESS_REMOTE_ATOMIC);
	some_part(qp->target, qp->pd, TP_ACCESS_LOCAL_WRITE | remote_all);
	for (i = 0; i < 4; i++) {
		struct sim_region *region = whole(qp->target, qp->pd, remote_all);

		region->spare = true;
		queue_add(&qp->spare, region);
	}
}

static void make_rq(struct sim_rq *rq, u32 pd)
{
	const struct sim_config *cfg = &world->cfg;

	rq->depth = cfg->rq_depth;
	rq->slot_len = cfg->max_send > 16 ? cfg->max_send : 16;
	rq->slots = calloc(1, rq->depth);
	rq->area = area_make("receive", rq->depth * rq->slot_len, cfg->pieces);
	whole(rq->area, pd, TP_ACCESS_LOCAL_WRITE);
	whole(rq->area, pd, TP_ACCESS_LOCAL_WRITE | remote_all);
}

struct sim_qp *world_find(u32 qpn)
{
	u32 i;

	for (i = 0; i < world->nr_qps; i++)
		if (world->qp[i].qpn == qpn)
			return &world->qp[i];
	return NULL;
}

static void make_qp(struct sim_qp *qp, u32 index)
{
	const struct sim_config *cfg = &world->cfg;

	qp->index = index;
	qp->side = index & 1;
	qp->peer = &world->qp[index ^ 1];
	qp->pd = 10 + qp->side;
	do
		qp->qpn = 2 + random_below(&world->rng, 0xfffffd);
	while (world_find(qp->qpn) != qp);
	qp->moved = -1;
	qp->sig_all = cfg->sig_all;
	make_memory(qp);
	if (cfg->srq) {
		qp->rq = &world->srq[qp->side];
	} else {
		qp->rq = &qp->own_rq;
		make_rq(qp->rq, qp->pd);
	}
	qp->init = (struct tp_qp_init_attr){
		.service = cfg->service,
		.qpn = qp->qpn,
		.max_send_wr = cfg->sq_depth,
		.max_send_sge = cfg->max_sge,
		.max_inline = cfg->max_inline,
		.has_srq = cfg->srq,
	};
	sim_check(!tp_qp_init(&qp->tp, &qp->init), "tp_qp_init() fails");
	qp->up = true;
}

static size_t arena_bytes(const struct sim_config *cfg)
{
	size_t one = 2 * (4 * (size_t)cfg->max_msg + 8192);
	size_t recv = (size_t)cfg->rq_depth * (cfg->max_send + 64);

	return (2 * cfg->pairs * (one + recv) + 65536) * 5 / 4 + (1 << 18);
}

struct sim_world *world_make(u64 seed, const struct sim_config *cfg)
{
	u32 i;

	world = calloc(1, sizeof(*world));
	world->seed = seed;
	world->rng.state = seed * 0x9e3779b97f4a7c15ull + 1;
	world->cfg = *cfg;
	world->clock.now = SEC(1);
	memory_init(&world->mem, arena_bytes(cfg));
	world->nr_qps = 2 * cfg->pairs;
	world->qp = calloc(world->nr_qps, sizeof(*world->qp));
	if (cfg->srq) {
		make_rq(&world->srq[0], 10);
		make_rq(&world->srq[1], 11);
	}
	for (i = 0; i < world->nr_qps; i++)
		make_qp(&world->qp[i], i);
	return world;
}

static void free_send(struct sim_send *s)
{
	free(s->inline_data);
	free(s->payload);
	free(s);
}

static void free_queue(struct sim_queue *q)
{
	u32 i;

	for (i = 0; i < q->nr; i++)
		free(q->item[i]);
	free(q->item);
	memset(q, 0, sizeof(*q));
}

/* The work of a QP, done or not. */
static void forget_work(struct sim_qp *qp)
{
	u32 i;

	for (i = 0; i < qp->sends.nr; i++)
		free_send(qp->sends.item[i]);
	free(qp->sends.item);
	free(qp->msgs.item);
	free(qp->held.item);
	memset(&qp->sends, 0, sizeof(qp->sends));
	memset(&qp->msgs, 0, sizeof(qp->msgs));
	memset(&qp->held, 0, sizeof(qp->held));
	qp->taken = 0;
	qp->done = 0;
	qp->seen = 0;
	qp->held_done = 0;
	qp->held_seen = 0;
	qp->matched = 0;
	qp->placed = 0;
	qp->failed[0] = false;
	qp->failed[1] = false;
	free_queue(&qp->send_log);
	free_queue(&qp->recv_log);
}

static void forget_recvs(struct sim_rq *rq)
{
	free_queue(&rq->posted);
	rq->taken = 0;
	rq->done = 0;
	if (rq->slots)
		memset(rq->slots, 0, rq->depth);
}

void world_reset(struct sim_qp *qp)
{
	forget_work(qp);
	if (qp->rq == &qp->own_rq)
		forget_recvs(qp->rq);
	memset(qp->events, 0, sizeof(qp->events));
	qp->moved = -1;
}

void world_free(void)
{
	struct sim_event ev;
	struct sim_qp *qp;
	u32 i;

	for (i = 0; i < world->nr_qps; i++) {
		qp = &world->qp[i];
		if (qp->up)
			tp_qp_fini(&qp->tp);
		qp->up = false;
		forget_work(qp);
		forget_recvs(&qp->own_rq);
		free(qp->own_rq.slots);
		free(qp->spare.item);
	}
	for (i = 0; i < 2; i++) {
		forget_recvs(&world->srq[i]);
		free(world->srq[i].slots);
	}
	while (clock_take(&world->clock, &ev))
		if (ev.kind == EV_PACKET || ev.kind == EV_TRAIN)
			free(ev.what);
	clock_free(&world->clock);
	memory_free(&world->mem);
	free(world->qp);
	free(world);
	world = NULL;
}

void world_set(struct sim_qp *qp, const struct tp_qp_attr *attr, u32 mask)
{
	trace("qp %u modified: state %d mask %x", qp->qpn, attr->state, mask);
	world->depth++;
	tp_qp_modify(&qp->tp, attr, mask);
	world->depth--;
}

void world_modify(struct sim_qp *qp, enum tp_qp_state state)
{
	static const u32 mask[] = {
		[TP_QPS_RESET] = TP_ATTR_STATE,
		[TP_QPS_INIT] = TP_ATTR_STATE | TP_ATTR_ACCESS | TP_ATTR_PKEY,
		[TP_QPS_RTR] = TP_ATTR_STATE | TP_ATTR_DEST_QPN | TP_ATTR_RQ_PSN | TP_ATTR_MTU |
			       TP_ATTR_MAX_DEST_RD | TP_ATTR_RNR_TIMER,
		[TP_QPS_RTS] = TP_ATTR_STATE | TP_ATTR_SQ_PSN | TP_ATTR_MAX_RD | TP_ATTR_TIMEOUT |
			       TP_ATTR_RETRY | TP_ATTR_RNR_RETRY,
		[TP_QPS_SQD] = TP_ATTR_STATE,
		[TP_QPS_ERR] = TP_ATTR_STATE,
	};
	const struct sim_config *cfg = &world->cfg;

	qp->attr.state = state;
	qp->attr.access = remote_all;
	qp->attr.pkey = 0xffff;
	qp->attr.dest_qpn = qp->peer->qpn;
	qp->attr.sq_psn = cfg->sq_psn[qp->side];
	qp->attr.rq_psn = cfg->sq_psn[!qp->side];
	qp->attr.mtu = cfg->mtu;
	qp->attr.max_rd_atomic = cfg->rd;
	qp->attr.max_dest_rd_atomic = cfg->dest_rd;
	qp->attr.timeout = cfg->timeout;
	qp->attr.retry_cnt = cfg->retry_cnt;
	qp->attr.rnr_retry = cfg->rnr_retry;
	qp->attr.min_rnr_timer = cfg->min_rnr_timer;
	world_set(qp, &qp->attr, mask[state]);
	if (state == TP_QPS_RESET)
		world_reset(qp);
}

void world_connect_pair(struct sim_qp *a)
{
	static const enum tp_qp_state way[] = { TP_QPS_INIT, TP_QPS_RTR, TP_QPS_RTS };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(way); i++) {
		world_modify(a, way[i]);
		world_modify(a->peer, way[i]);
	}
}

void world_connect(void)
{
	u32 i;

	for (i = 0; i < world->nr_qps; i += 2)
		world_connect_pair(&world->qp[i]);
}

bool world_step(void)
{
	struct sim_event ev;
	struct sim_qp *qp;

	if (!clock_take(&world->clock, &ev))
		return false;
	world->steps++;
	qp = ev.what;
	switch (ev.kind) {
	case EV_PACKET:
		wire_packet(ev.what);
		break;
	case EV_TRAIN:
		wire_parcel(ev.what);
		break;
	case EV_TIMER:
		owner_timer(qp);
		break;
	case EV_SEND:
		qp->send_due = false;
		if (qp->up)
			kick_send(qp);
		break;
	case EV_RESPOND:
		qp->respond_due = false;
		if (qp->up)
			kick_respond(qp);
		break;
	case EV_APP:
		work_turn(qp);
		break;
	case EV_CALL:
		ev.fn(ev.what);
		break;
	}
	return true;
}

bool world_run(u64 until)
{
	const struct sim_event *next;

	while ((next = clock_peek(&world->clock))) {
		if (next->at > until) {
			world->clock.now = until;
			return false;
		}
		world_step();
	}
	return true;
}

const char *status_name(enum tp_wc_status status)
{
	static const char *const name[] = {
		[TP_WC_SUCCESS] = "SUCCESS",
		[TP_WC_LOC_LEN_ERR] = "LOC_LEN_ERR",
		[TP_WC_LOC_QP_OP_ERR] = "LOC_QP_OP_ERR",
		[TP_WC_LOC_PROT_ERR] = "LOC_PROT_ERR",
		[TP_WC_WR_FLUSH_ERR] = "WR_FLUSH_ERR",
		[TP_WC_MW_BIND_ERR] = "MW_BIND_ERR",
		[TP_WC_BAD_RESP_ERR] = "BAD_RESP_ERR",
		[TP_WC_LOC_ACCESS_ERR] = "LOC_ACCESS_ERR",
		[TP_WC_REM_INV_REQ_ERR] = "REM_INV_REQ_ERR",
		[TP_WC_REM_ACCESS_ERR] = "REM_ACCESS_ERR",
		[TP_WC_REM_OP_ERR] = "REM_OP_ERR",
		[TP_WC_RETRY_EXC_ERR] = "RETRY_EXC_ERR",
		[TP_WC_RNR_RETRY_EXC_ERR] = "RNR_RETRY_EXC_ERR",
		[TP_WC_REM_ABORT_ERR] = "REM_ABORT_ERR",
		[TP_WC_FATAL_ERR] = "FATAL_ERR",
		[TP_WC_GENERAL_ERR] = "GENERAL_ERR",
	};

	return status < ARRAY_SIZE(name) && name[status] ? name[status] : "(unknown status)";
}

const char *opcode_name(u32 wr_opcode)
{
	static const char *const name[] = {
		[IB_UVERBS_WR_RDMA_WRITE] = "WRITE",
		[IB_UVERBS_WR_RDMA_WRITE_WITH_IMM] = "WRITE_WITH_IMM",
		[IB_UVERBS_WR_SEND] = "SEND",
		[IB_UVERBS_WR_SEND_WITH_IMM] = "SEND_WITH_IMM",
		[IB_UVERBS_WR_SEND_WITH_INV] = "SEND_WITH_INV",
		[IB_UVERBS_WR_RDMA_READ] = "READ",
		[IB_UVERBS_WR_ATOMIC_CMP_AND_SWP] = "CMP_SWAP",
		[IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD] = "FETCH_ADD",
		[IB_UVERBS_WR_LOCAL_INV] = "LOCAL_INV",
		[TP_WR_REG_MR] = "REG_MR",
	};

	return wr_opcode < ARRAY_SIZE(name) && name[wr_opcode] ? name[wr_opcode] : "(unknown)";
}
