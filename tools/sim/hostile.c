// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile peer: anything may come, in any state of the QP.
 *
 * Consumers work as usual meanwhile. Nothing may be asked of the outcome but
 * that no WR completes twice or out of turn, that memory which no remote access
 * is allowed to stays as it is, and that everything ends.
 */
#include "sim.h"
#include "frame.h"

#define KEPT		16u
#define SECRET_BYTES	4096u

/* Bytes of packets that were on the wire, BTH to payload, to be sent again or changed. */
static struct {
	u32 len;
	u8 data[TP_HEADER_MAX + 4096 + 4];
} kept[KEPT];
static u32 nr_kept;

static u32 injections_left;

static u32 gather_packet(const struct tp_train *t, u32 i, u8 *to)
{
	u32 len = tp_train_headers(t, i, to), left = tp_train_payload(t, i);
	u32 skip = i * t->mtu, k, n;

	for (k = 0; k < t->nr_seg && left; k++) {
		if (skip >= t->seg[k].len) {
			skip -= t->seg[k].len;
			continue;
		}
		n = t->seg[k].len - skip < left ? t->seg[k].len - skip : left;
		memcpy(to + len, (u8 *)t->seg[k].addr + skip, n);
		len += n;
		left -= n;
		skip = 0;
	}
	while (len & 3)
		to[len++] = 0;
	return len;
}

static bool keep(struct sim_qp *from, const struct tp_train *train)
{
	u32 slot = nr_kept++ % KEPT;

	(void)from;
	kept[slot].len = gather_packet(train, random_below(&world->rng, train->npkts),
				       kept[slot].data);
	return false;
}

/* A PSN that the QP takes for new, old, early, or none of these. */
static u32 choose_psn(struct sim_qp *to, bool request)
{
	struct sim_random *rng = &world->rng;
	u32 base = request ? to->peer->last_psn : to->last_psn;

	switch (random_below(rng, 8)) {
	case 0:
		return random_bits(rng) & 0xffffff;
	case 1:
		return SIM_PSN(base + 0x800000 + random_range(rng, 0, 4) - 2);
	case 2:
		return SIM_PSN(base + random_range(rng, 0, 40) - 20);
	default:
		return SIM_PSN(base + random_range(rng, 0, 3) - (request ? 0 : 2));
	}
}

static void choose_remote(struct sim_qp *to, struct tp_train *t)
{
	struct sim_random *rng = &world->rng;
	struct sim_region *region = world->mem.regions, *r;
	u32 n = 0, off;

	for (r = world->mem.regions; r; r = r->next)
		if ((random_chance(rng, 200) || r->area == to->target) && !random_below(rng, ++n))
			region = r;
	off = random_below(rng, region->len + 8);
	t->rkey = random_chance(rng, 900) ? region->rkey : random_bits(rng);
	t->va = random_chance(rng, 900) ? region->iova + (off & ~7u) : random_bits(rng);
	t->dmalen = random_chance(rng, 700) ? t->length :
		    random_chance(rng, 700) ? random_magnitude(rng, 10000) : random_bits(rng);
}

/* A packet with well-formed headers, and whatever in them. */
static u32 forge(struct sim_qp *to, u8 *bytes)
{
	static const enum tp_op ops[] = {
		TP_OP_SEND, TP_OP_WRITE, TP_OP_READ, TP_OP_CMP_SWAP, TP_OP_FETCH_ADD,
		TP_OP_READ_RESP, TP_OP_ACK, TP_OP_ATOMIC_ACK
	};
	struct sim_random *rng = &world->rng;
	static u8 payload[4096];
	struct tp_seg seg = { payload, 0 };
	struct tp_train t = { .npkts = 1, .seg = &seg };

	t.service = random_chance(rng, 950) ? world->cfg.service : TP_RC;
	t.op = ops[random_below(rng, ARRAY_SIZE(ops))];
	t.mtu = 4096;
	t.pkey = random_chance(rng, 950) ? 0xffff : random_bits(rng);
	t.dest_qpn = random_chance(rng, 980) ? to->qpn : random_bits(rng) & 0xffffff;
	t.psn = choose_psn(to, tp_op_is_request(t.op));
	t.flags = random_below(rng, 4) | (random_bits(rng) & (TP_TRAIN_SE | TP_TRAIN_ACKREQ |
							     TP_TRAIN_MIGREQ));
	if (t.op != TP_OP_SEND && t.op != TP_OP_WRITE && t.op != TP_OP_READ_RESP)
		t.flags |= TP_TRAIN_FIRST | TP_TRAIN_LAST;
	else
		t.length = random_chance(rng, 500) ? world->cfg.mtu : random_below(rng, 4097);
	if (t.op == TP_OP_WRITE || t.op == TP_OP_SEND) {
		if ((t.flags & TP_TRAIN_LAST) && random_chance(rng, 300))
			t.flags |= TP_TRAIN_IMM;
		else if ((t.flags & TP_TRAIN_LAST) && t.op == TP_OP_SEND && random_chance(rng, 300))
			t.flags |= TP_TRAIN_INV;
	}
	t.imm = random_bits(rng);
	choose_remote(to, &t);
	t.swap = random_bits(rng);
	t.compare = random_bits(rng);
	t.orig = random_bits(rng);
	t.syndrome = random_chance(rng, 500) ? random_below(rng, 32) : random_bits(rng);
	t.msn = random_bits(rng) & 0xffffff;
	seg.len = t.length;
	t.nr_seg = t.length ? 1 : 0;
	random_fill(rng, payload, 16);
	return gather_packet(&t, 0, bytes);
}

static u32 mutate(u8 *bytes)
{
	struct sim_random *rng = &world->rng;
	u32 slot, n, len;

	if (!nr_kept)
		return 0;
	slot = random_below(rng, nr_kept < KEPT ? nr_kept : KEPT);
	len = kept[slot].len;
	memcpy(bytes, kept[slot].data, len);
	for (n = random_below(rng, 4); n; n--)
		bytes[random_below(rng, len < 44 || random_chance(rng, 100) ? len : 44)] =
			random_bits(rng);
	if (random_chance(rng, 100))
		len = random_range(rng, 1, len) & ~3u;
	return len;
}

static void inject(struct sim_qp *to)
{
	struct sim_random *rng = &world->rng;
	static u8 bytes[TP_HEADER_MAX + 4096 + 8];
	u64 at = world->clock.now + random_below(rng, 300);
	u32 len;

	switch (random_below(rng, 10)) {
	case 0:
		len = random_below(rng, 120);
		random_fill(rng, bytes, len);
		break;
	case 1:
	case 2:
	case 3:
		len = mutate(bytes);
		break;
	default:
		len = forge(to, bytes);
		break;
	}
	wire_inject(to, bytes, len, random_chance(rng, 950), at);
}

/* A message of several packets, most of them right. */
static void inject_message(struct sim_qp *to)
{
	struct sim_random *rng = &world->rng;
	static u8 bytes[TP_HEADER_MAX + 4096 + 8];
	static u8 payload[8 * 4096];
	struct tp_seg seg = { payload, 0 };
	struct tp_train t = { .seg = &seg, .nr_seg = 1 };
	u32 i, len;

	t.service = world->cfg.service;
	t.op = random_chance(rng, 500) ? TP_OP_SEND : TP_OP_WRITE;
	t.mtu = random_chance(rng, 900) ? world->cfg.mtu : 256u << random_below(rng, 5);
	t.npkts = random_range(rng, 2, 8);
	t.length = t.npkts * t.mtu - random_below(rng, t.mtu);
	t.flags = TP_TRAIN_FIRST | TP_TRAIN_LAST | (random_bits(rng) & TP_TRAIN_ACKREQ);
	t.pkey = 0xffff;
	t.dest_qpn = to->qpn;
	t.psn = choose_psn(to, true);
	seg.len = t.length;
	choose_remote(to, &t);
	for (i = 0; i < t.npkts; i++) {
		if (random_chance(rng, 50))
			continue;
		len = gather_packet(&t, i, bytes);
		if (random_chance(rng, 50))
			bytes[random_below(rng, 12)] = random_bits(rng);
		wire_inject(to, bytes, len, true, world->clock.now + i);
	}
}

static void reconnect(struct sim_qp *qp)
{
	static const enum tp_qp_state way[] = { TP_QPS_RESET, TP_QPS_INIT, TP_QPS_RTR, TP_QPS_RTS };
	u32 i, n = random_range(&world->rng, 1, 4);

	if (qp->rq != &qp->own_rq)
		n = 4;
	for (i = 0; i < n; i++)
		world_modify(qp, way[i]);
	if (n == 4)
		work_wake(qp);
}

/* What a consumer or a device may do to its own QP at any time. */
static void meddle(struct sim_qp *qp)
{
	struct sim_random *rng = &world->rng;
	struct tp_qp_attr attr = { 0 };
	bool draining;

	tp_qp_query(&qp->tp, &attr, &draining);
	switch (random_below(rng, 8)) {
	case 0:
		world_modify(qp, TP_QPS_ERR);
		break;
	case 1:
		world->depth++;
		tp_qp_error(&qp->tp, TP_EVENT_QP_FATAL);
		world->depth--;
		break;
	case 2:
		attr.access = random_bits(rng) & 14;
		world_set(qp, &attr, TP_ATTR_ACCESS);
		break;
	case 3:
		if (attr.state == TP_QPS_RTS) {
			attr.state = TP_QPS_SQD;
			world_set(qp, &attr, TP_ATTR_STATE |
				  (random_bits(rng) & TP_ATTR_SQD_EVENT));
		} else if (attr.state == TP_QPS_SQD && !draining) {
			attr.state = TP_QPS_RTS;
			world_set(qp, &attr, TP_ATTR_STATE);
		}
		break;
	default:
		if (attr.state == TP_QPS_ERR || attr.state == TP_QPS_RESET)
			reconnect(qp);
		break;
	}
	kick_send(qp);
}

static void attack(void *unused)
{
	struct sim_qp *to = &world->qp[random_below(&world->rng, world->nr_qps)];
	u32 n = random_range(&world->rng, 1, 6);

	(void)unused;
	if (!world->working)
		return;
	if (random_chance(&world->rng, 60))
		meddle(to);
	else if (random_chance(&world->rng, 150))
		inject_message(to);
	else
		while (n--)
			inject(to);
	if (--injections_left)
		clock_call(&world->clock, world->clock.now + random_magnitude(&world->rng, 20000),
			   attack, NULL);
}

static void choose_config(u64 seed, struct sim_config *cfg)
{
	struct sim_random rng = { .state = seed ^ 0xbad5eedbad5eedull };

	memset(cfg, 0, sizeof(*cfg));
	random_bits(&rng);
	cfg->pairs = 1;
	cfg->mtu = 256u << random_below(&rng, 5);
	cfg->local = random_chance(&rng, 200);
	cfg->latency = random_range(&rng, 100, 2000);
	cfg->join = random_chance(&rng, 500) ? 700 : 0;
	cfg->spurious = random_chance(&rng, 200) ? 500 : 0;
	cfg->busy = random_chance(&rng, 200) ? 100 : 0;
	cfg->paging = random_chance(&rng, 200) ? 100 : 0;
	cfg->max_msg = random_chance(&rng, 200) ? 20000 : 3000;
	cfg->max_send = cfg->max_msg;
	cfg->quota = random_range(&rng, 5, 40);
	cfg->sq_depth = random_range(&rng, 1, 20);
	cfg->rq_depth = random_range(&rng, 1, 10);
	cfg->max_sge = random_range(&rng, 1, 5);
	cfg->max_inline = random_below(&rng, 200);
	cfg->late_recv = random_chance(&rng, 300);
	cfg->srq = random_chance(&rng, 200);
	cfg->pieces = random_below(&rng, SHAPE_NUM);
	cfg->turn = random_magnitude(&rng, 20000);
	cfg->rd = random_range(&rng, 1, 8);
	cfg->dest_rd = random_range(&rng, 0, 8);
	cfg->timeout = random_range(&rng, 6, 10);
	cfg->retry_cnt = random_below(&rng, 8);
	cfg->rnr_retry = random_below(&rng, 8);
	cfg->min_rnr_timer = random_range(&rng, 1, 10);
	cfg->sq_psn[0] = SIM_PSN(random_bits(&rng));
	cfg->sq_psn[1] = SIM_PSN(0 - random_below(&rng, 30));
	cfg->service = random_chance(&rng, 250) ? TP_UC : TP_RC;
}

void run_hostile(u64 seed)
{
	struct sim_area *mine, *foreign;
	struct sim_config cfg;
	u32 i, bad;

	choose_config(seed, &cfg);
	world_make(seed, &cfg);
	world->lenient = true;
	world->hostile = true;
	world->tap = keep;
	nr_kept = 0;
	/* Memory that no peer has a right to. */
	mine = area_make("no remote write", SECRET_BYTES, SHAPE_WHOLE);
	region_make(mine, 0, SECRET_BYTES, 0, 10, TP_ACCESS_LOCAL_WRITE | TP_ACCESS_REMOTE_READ);
	region_make(mine, 0, SECRET_BYTES, 0, 11, TP_ACCESS_LOCAL_WRITE);
	foreign = area_make("another domain", SECRET_BYTES, SHAPE_WHOLE);
	region_make(foreign, 0, SECRET_BYTES, 0, 99, TP_ACCESS_LOCAL_WRITE |
		    TP_ACCESS_REMOTE_READ | TP_ACCESS_REMOTE_WRITE | TP_ACCESS_REMOTE_ATOMIC);
	world_connect();
	work_start();
	injections_left = 60;
	attack(NULL);
	while (world->clock.now < SEC(1) + MSEC(100) && world->steps < 4000 && world_step())
		;
	world->working = false;
	for (i = 0; i < world->nr_qps; i++) {
		world_modify(&world->qp[i], TP_QPS_ERR);
		tell_recv(&world->qp[i]);
		kick_send(&world->qp[i]);
	}
	if (!world_run(world->clock.now + SEC(60)))
		stuck("something goes on after the end in ERROR");
	for (i = 0; i < world->nr_qps; i++)
		check_flushed(&world->qp[i]);
	bad = area_compare(mine, 0, mine->model, SECRET_BYTES);
	sim_check(bad == SECRET_BYTES, "memory without remote write was written");
	bad = area_compare(foreign, 0, foreign->model, SECRET_BYTES);
	sim_check(bad == SECRET_BYTES, "memory of another domain was written");
	memory_check();
	world_free();
}
