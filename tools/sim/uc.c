// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable connections: random runs, and the oracle's part about them.
 *
 * A message comes whole, once, or not at all. On a wire that loses but keeps the
 * order, what comes is in order. On one that loses nothing everything comes, as long
 * as there is a receive WR for it, to which the consumers see then.
 */
#include "sim.h"

bool uc_lossless(void)
{
	const struct sim_config *cfg = &world->cfg;

	return !world->lenient && !cfg->lose && !cfg->duplicate && !cfg->reorder &&
	       !cfg->corrupt && !cfg->paging;
}

/* Whether messages come in the order in which they were sent, none of them twice. */
static bool in_order(void)
{
	return !world->cfg.duplicate && !world->cfg.reorder;
}

bool uc_may_post(const struct sim_qp *qp, const struct sim_send *s)
{
	const struct sim_rq *rq = qp->peer->rq;

	if (world->cfg.service != TP_UC || !takes_recv(s->opcode))
		return true;
	if (uc_lossless())
		return qp->msgs.nr < rq->posted.nr;
	/* Where things are lost this may be lost too, but not all of it to want of receives. */
	return rq->taken < rq->posted.nr || random_chance(&world->rng, 100);
}

/* Whether the receive WR's memory begins with what @m carries. */
static bool has_payload(const struct sim_recv *r, const struct sim_send *m)
{
	u32 i, part, done = 0, left = m->payload && !is_write(m->opcode) ? m->length : 0;

	for (i = 0; i < r->num_sge && left; i++) {
		part = r->local[i].len < left ? r->local[i].len : left;
		if (part && area_compare(r->local[i].area, r->local[i].off, m->payload + done,
					 part) != part)
			return false;
		done += part;
		left -= part;
	}
	return !left;
}

/* Whether @m may be what was received, by all that can be seen of it. */
static bool is_like(const struct sim_recv *r, const struct sim_send *m, const struct tp_wc *wc)
{
	bool write = is_write(m->opcode), imm = wc->flags & TP_WC_WITH_IMM;

	if (wc->opcode != (write ? SIM_WC_RECV_IMM : SIM_WC_RECV) || wc->byte_len != m->length)
		return false;
	if (imm != (write || m->opcode == IB_UVERBS_WR_SEND_WITH_IMM))
		return false;
	if (imm && wc->imm != m->imm)
		return false;
	return wc->solicited == !!(m->flags & TP_SEND_SOLICITED) && has_payload(r, m);
}

struct sim_send *uc_match(struct sim_qp *qp, const struct sim_recv *r, const struct tp_wc *wc)
{
	struct sim_send *m;
	u32 i;

	for (i = in_order() ? qp->matched : 0; i < qp->peer->msgs.nr; i++) {
		m = qp->peer->msgs.item[i];
		if (!is_like(r, m, wc))
			continue;
		/* The earliest that it can be leaves the most for those after it. */
		qp->matched = i + 1;
		return m;
	}
	return NULL;
}

void uc_received(struct sim_qp *qp, const struct sim_send *m)
{
	u32 bad;

	/* Nothing that was sent later has come yet. */
	if (!in_order() || !is_write(m->opcode) || !m->payload || !m->length || !m->remote.area)
		return;
	bad = area_compare(m->remote.area, m->remote.off, m->payload, m->length);
	sim_check(bad == m->length, "qp %u: byte %u of %u written is wrong", qp->qpn, bad,
		  m->length);
}

/* Each byte of @qp's memory is as it was, or what some WRITE of the peer's has put there. */
static void check_target(struct sim_qp *qp)
{
	struct sim_area *area = qp->target;
	u8 *real = malloc(area->size), *good = malloc(area->size);
	const struct sim_send *s;
	u32 i, k;

	area_read(area, 0, real, area->size);
	for (k = 0; k < area->size; k++)
		good[k] = real[k] == area->model[k];
	for (i = 0; i < qp->peer->sends.nr; i++) {
		s = qp->peer->sends.item[i];
		if (!is_write(s->opcode) || !s->payload || s->remote.area != area)
			continue;
		for (k = 0; k < s->length; k++)
			good[s->remote.off + k] |= real[s->remote.off + k] == s->payload[k];
	}
	for (k = 0; k < area->size; k++)
		sim_check(good[k], "qp %u: byte %u of the target is nobody's", qp->qpn, k);
	/* What a second connection finds. */
	memcpy(area->model, real, area->size);
	free(real);
	free(good);
}

void uc_finish(struct sim_qp *qp)
{
	u32 event, bad;

	sim_check(qp->held.nr - qp->held_seen <= 1, "qp %u holds %u receive WRs", qp->qpn,
		  qp->held.nr - qp->held_seen);
	for (event = 0; event <= TP_EVENT_ACCESS_ERR; event++)
		sim_check(!qp->events[event], "qp %u: event %u on a connection that only loses",
			  qp->qpn, event);
	sim_check(!qp->retransmits, "qp %u: something was sent again", qp->qpn);
	bad = area_compare(qp->local, 0, qp->local->model, qp->local->size);
	sim_check(bad == qp->local->size, "qp %u: byte %u of the sender's memory changed", qp->qpn,
		  bad);
	check_target(qp);
}

void run_uc(u64 seed)
{
	struct sim_random rng = { .state = seed ^ 0x0c0c0c0c0c0cull };
	struct sim_config cfg;
	u32 kind;

	random_config(seed, &cfg);
	random_bits(&rng);
	kind = random_below(&rng, 10);
	cfg.service = TP_UC;
	/* WRs of a shared queue end in error for a message that is too long. */
	cfg.srq = false;
	if (kind < 7) {
		cfg.duplicate = 0;
		cfg.reorder = 0;
	}
	if (kind < 3) {
		cfg.lose = 0;
		cfg.corrupt = 0;
		cfg.paging = 0;
	}
	run_config(seed, &cfg);
}
