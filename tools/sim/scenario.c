// SPDX-License-Identifier: GPL-2.0
/*
 * A random run: a configuration from the seed, work both ways, and an end.
 */
#include "sim.h"

#define STEPS_MAX	5000000ull
#define TIME_MAX	SEC(600)

/* What the wire does, and so what the QPs must put up with. */
static void choose_wire(struct sim_random *rng, struct sim_config *cfg)
{
	bool perfect = random_chance(rng, 150);

	cfg->ipv6 = random_chance(rng, 500);
	cfg->local = random_chance(rng, 200);
	cfg->raw = !cfg->local && random_chance(rng, 100);
	cfg->latency = random_range(rng, 200, 5000);
	cfg->join = random_chance(rng, 700) ? random_range(rng, 1, 1000) : 0;
	cfg->spurious = random_chance(rng, 300) ? 500 : 0;
	cfg->timeout = random_range(rng, 7, 11);
	cfg->retry_cnt = 7;
	if (perfect) {
		cfg->timeout = random_chance(rng, 500) ? 0 : random_range(rng, 6, 20);
		cfg->retry_cnt = random_below(rng, 8);
		return;
	}
	cfg->jitter = random_below(rng, 20000);
	if (random_chance(rng, 700))
		cfg->lose = random_magnitude(rng, 250);
	if (random_chance(rng, 500))
		cfg->duplicate = random_magnitude(rng, 300);
	if (random_chance(rng, 500))
		cfg->reorder = random_magnitude(rng, 500);
	if (random_chance(rng, 500))
		cfg->corrupt = random_magnitude(rng, 150);
	if (random_chance(rng, 300))
		cfg->busy = random_magnitude(rng, 200);
	if (random_chance(rng, 200))
		cfg->paging = random_magnitude(rng, 300);
}

static u32 choose_psn(struct sim_random *rng)
{
	switch (random_below(rng, 4)) {
	case 0:
		return random_bits(rng) & 0xffffff;
	case 1:
		return SIM_PSN(0x800000 - random_below(rng, 60));
	default:
		return SIM_PSN(0 - random_below(rng, 60));
	}
}

static void choose_work(struct sim_random *rng, struct sim_config *cfg)
{
	static const u32 sizes[] = { 16, 256, 2048, 8192, 20000 };

	cfg->pairs = random_chance(rng, 850) ? 1 : random_range(rng, 2, 3);
	cfg->mtu = 256u << random_below(rng, 5);
	cfg->max_msg = sizes[random_below(rng, ARRAY_SIZE(sizes))];
	cfg->quota = random_range(rng, 5, 30) / cfg->pairs + 1;
	if (random_chance(rng, 15)) {
		cfg->pairs = 1;
		cfg->max_msg = random_range(rng, 65536, 400000);
		cfg->quota = 4;
	}
	cfg->max_send = cfg->max_msg < 20000 ? cfg->max_msg : 20000;
	cfg->sq_depth = random_chance(rng, 200) ? random_range(rng, 1, 2) :
						  random_range(rng, 1, 32);
	cfg->rq_depth = random_range(rng, 1, cfg->max_send > 4096 ? 6 : 20);
	cfg->max_sge = random_chance(rng, 100) ? TP_MAX_SGE : random_range(rng, 1, 6);
	cfg->max_inline = random_chance(rng, 500) ? random_below(rng, 300) : 0;
	cfg->sig_all = random_chance(rng, 300);
	cfg->late_recv = random_chance(rng, 300);
	cfg->srq = random_chance(rng, 300);
	cfg->pieces = random_below(rng, SHAPE_NUM);
	cfg->turn = random_magnitude(rng, 20000);
	cfg->rd = random_chance(rng, 100) ? 0 : random_range(rng, 1, 16);
	cfg->dest_rd = random_range(rng, cfg->rd, 16);
	cfg->rnr_retry = 7;
	cfg->min_rnr_timer = random_range(rng, 1, 10);
	cfg->sq_psn[0] = choose_psn(rng);
	cfg->sq_psn[1] = choose_psn(rng);
}

void random_config(u64 seed, struct sim_config *cfg)
{
	struct sim_random rng = { .state = seed ^ 0x5eed5eed5eed5eedull };

	memset(cfg, 0, sizeof(*cfg));
	random_bits(&rng);
	choose_work(&rng, cfg);
	choose_wire(&rng, cfg);
}

static void describe(const struct sim_config *cfg)
{
	trace("pairs %u mtu %u %s max_msg %u quota %u sq %u rq %u%s sge %u inline %u rd %u/%u",
	      cfg->pairs, cfg->mtu, cfg->local ? "local" : cfg->raw ? "raw" :
	      cfg->ipv6 ? "ipv6" : "ipv4", cfg->max_msg, cfg->quota, cfg->sq_depth, cfg->rq_depth,
	      cfg->srq ? " shared" : "", cfg->max_sge, cfg->max_inline, cfg->rd, cfg->dest_rd);
	trace("lose %u duplicate %u reorder %u corrupt %u busy %u paging %u join %u spurious %u",
	      cfg->lose, cfg->duplicate, cfg->reorder, cfg->corrupt, cfg->busy, cfg->paging,
	      cfg->join, cfg->spurious);
	trace("latency %llu jitter %llu timeout %u retry_cnt %u rnr timer %u psn %06x %06x",
	      (unsigned long long)cfg->latency, (unsigned long long)cfg->jitter, cfg->timeout,
	      cfg->retry_cnt, cfg->min_rnr_timer, cfg->sq_psn[0], cfg->sq_psn[1]);
}

/* Where each QP is, when the run got stuck. */
void stuck(const char *why)
{
	const struct sim_qp *qp;
	u32 i;

	for (i = 0; i < world->nr_qps; i++) {
		qp = &world->qp[i];
		fprintf(stderr,
			"qp %u: sends %u of %u, taken %u, ended %u; received %u of %u; rq %u\n",
			qp->qpn, qp->sends.nr, qp->quota, qp->taken, qp->seen, qp->matched,
			qp->peer->msgs.nr, qp->rq->posted.nr - qp->rq->taken);
	}
	sim_fail("%s", why);
}

/* Runs to the end of the work, or @steps events. */
static bool work_on(u64 steps)
{
	u64 until = world->clock.now + TIME_MAX, last = world->steps + steps;

	while (!work_done()) {
		if (world->steps >= last)
			return false;
		if (!world_step())
			stuck("no event is left, but work is");
		if (world->clock.now > until)
			stuck("the work takes too long");
	}
	return true;
}

/* Lets late packets arrive. There is an end of it: nothing goes on by itself. */
static void settle(void)
{
	world->working = false;
	if (!world_run(world->clock.now + SEC(60)))
		stuck("something goes on after the end of the work");
}

static void post_extra(struct sim_qp *qp, u32 n)
{
	struct sim_send s;

	while (n-- && qp->sends.nr - qp->done < qp->init.max_send_wr) {
		memset(&s, 0, sizeof(s));
		s.opcode = IB_UVERBS_WR_SEND;
		s.signaled = random_chance(&world->rng, 500);
		post_send(qp, &s);
	}
}

void check_flushed(struct sim_qp *qp)
{
	sim_check(qp->seen == qp->sends.nr, "qp %u in ERROR: %u of %u send WRs have ended", qp->qpn,
		  qp->seen, qp->sends.nr);
	if (qp->rq != &qp->own_rq)
		return;
	sim_check(qp->held_seen == qp->rq->posted.nr,
		  "qp %u in ERROR: %u of %u receive WRs have ended", qp->qpn, qp->held_seen,
		  qp->rq->posted.nr);
}

void tell_recv(struct sim_qp *qp)
{
	world->depth++;
	tp_recv_posted(&qp->tp);
	world->depth--;
}

/* ERROR: everything that is out, and what is posted later, is flushed. */
static void flush(struct sim_qp *qp)
{
	struct sim_recv *r;

	world->lenient = true;
	post_extra(qp, random_below(&world->rng, 4));
	world_modify(qp, TP_QPS_ERR);
	if (random_chance(&world->rng, 500)) {
		post_extra(qp, random_range(&world->rng, 1, 4));
		r = work_make_recv(qp, 0);
		if (r)
			post_recv(qp, r);
	}
	tell_recv(qp);
	kick_send(qp);
	world_run(world->clock.now + MSEC(1));
	check_flushed(qp);
}

/* A second connection on the same QPs. */
static void again(void)
{
	struct sim_random *rng = &world->rng;
	u32 i;

	for (i = 0; i < world->nr_qps; i++)
		world_modify(&world->qp[i], TP_QPS_RESET);
	for (i = 0; i < 2; i++) {
		world->srq[i].taken = 0;
		world->srq[i].done = 0;
		world->srq[i].posted.nr = 0;
		if (world->srq[i].slots)
			memset(world->srq[i].slots, 0, world->srq[i].depth);
	}
	world->cfg.sq_psn[0] = choose_psn(rng);
	world->cfg.sq_psn[1] = choose_psn(rng);
	world->cfg.quota = 5;
	world->lenient = false;
	world_connect();
	work_start();
	if (!work_on(STEPS_MAX))
		stuck("the work takes too many steps");
	settle();
	oracle_finish();
}

/* One QP of each pair goes to ERROR in the middle of things; the other must find out. */
static void abrupt(void)
{
	u32 side = random_below(&world->rng, 2), i;
	struct sim_qp *qp;

	world->lenient = true;
	world->working = false;
	for (i = side; i < world->nr_qps; i += 2) {
		qp = &world->qp[i];
		world_modify(qp, TP_QPS_ERR);
		tell_recv(qp);
		kick_send(qp);
	}
	if (!world_run(world->clock.now + SEC(600)))
		stuck("something goes on after an end in ERROR");
	for (i = side; i < world->nr_qps; i += 2) {
		qp = &world->qp[i];
		check_flushed(qp);
		qp = qp->peer;
		if (world->cfg.timeout)
			sim_check(qp->seen == qp->sends.nr,
				  "qp %u: %u of %u send WRs have ended with the peer in ERROR",
				  qp->qpn, qp->seen, qp->sends.nr);
	}
	memory_check();
}

void run_config(u64 seed, const struct sim_config *cfg)
{
	bool cut_short;
	u32 i;

	world_make(seed, cfg);
	describe(cfg);
	world_connect();
	work_start();
	cut_short = random_chance(&world->rng, 120);
	if (!work_on(cut_short ? random_range(&world->rng, 1, 300) : STEPS_MAX)) {
		if (!cut_short)
			stuck("the work takes too many steps");
		abrupt();
		world_free();
		return;
	}
	settle();
	oracle_finish();
	if (random_chance(&world->rng, 500)) {
		for (i = 0; i < world->nr_qps; i++)
			flush(&world->qp[i]);
		memory_check();
	}
	if (random_chance(&world->rng, 250))
		again();
	world_free();
}

void run_random(u64 seed)
{
	struct sim_config cfg;

	random_config(seed, &cfg);
	run_config(seed, &cfg);
}
