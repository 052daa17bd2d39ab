// SPDX-License-Identifier: GPL-2.0
/*
 * The oracle: a sequential model of what each WR does, executed when it is
 * posted, and the comparison of what came of it. It knows nothing of packets.
 *
 * The consumers (work.c) see to it that the model's order is the only one that
 * the rules of fences and completions allow, so memory has one right value.
 */
#include "sim.h"

bool takes_recv(u32 wr_opcode)
{
	return wr_opcode == IB_UVERBS_WR_SEND || wr_opcode == IB_UVERBS_WR_SEND_WITH_IMM ||
	       wr_opcode == IB_UVERBS_WR_SEND_WITH_INV ||
	       wr_opcode == IB_UVERBS_WR_RDMA_WRITE_WITH_IMM;
}

bool is_write(u32 wr_opcode)
{
	return wr_opcode == IB_UVERBS_WR_RDMA_WRITE ||
	       wr_opcode == IB_UVERBS_WR_RDMA_WRITE_WITH_IMM;
}

bool is_atomic(u32 wr_opcode)
{
	return wr_opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP ||
	       wr_opcode == IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD;
}

bool is_fetch(u32 wr_opcode)
{
	return wr_opcode == IB_UVERBS_WR_RDMA_READ || is_atomic(wr_opcode);
}

static bool with_imm(u32 wr_opcode)
{
	return wr_opcode == IB_UVERBS_WR_SEND_WITH_IMM ||
	       wr_opcode == IB_UVERBS_WR_RDMA_WRITE_WITH_IMM;
}

/* Local memory that the model knows; a case's WR may name memory that isn't there. */
static bool known_local(const struct sim_send *s)
{
	u32 i;

	for (i = 0; i < s->num_sge; i++)
		if (s->sge[i].length && !s->local[i].area)
			return false;
	return true;
}

static void gather(struct sim_send *s, u8 *to)
{
	u32 i;

	if (s->flags & TP_SEND_INLINE) {
		memcpy(to, s->inline_data, s->length);
		return;
	}
	for (i = 0; i < s->num_sge; i++) {
		if (!s->local[i].len)
			continue;
		memcpy(to, s->local[i].area->model + s->local[i].off, s->local[i].len);
		to += s->local[i].len;
	}
}

static void scatter(const struct sim_range *range, u32 n, const u8 *from, u32 len)
{
	u32 i, part;

	for (i = 0; i < n && len; i++) {
		part = range[i].len < len ? range[i].len : len;
		if (part)
			memcpy(range[i].area->model + range[i].off, from, part);
		from += part;
		len -= part;
	}
}

static void model_atomic(struct sim_send *s)
{
	u8 *at = s->remote.area->model + s->remote.off;
	u64 before, after;

	memcpy(&before, at, 8);
	if (s->opcode == IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD)
		after = before + s->compare;
	else
		after = before == s->compare ? s->swap : before;
	memcpy(at, &after, 8);
	memcpy(s->payload, &before, 8);
	scatter(s->local, s->num_sge, s->payload, 8);
}

/* Executes @s in the model. */
void oracle_post(struct sim_qp *qp, struct sim_send *s)
{
	(void)qp;
	if (!known_local(s) || s->bad)
		return;
	s->payload = malloc(s->length + 1);
	if (is_fetch(s->opcode)) {
		if (!s->remote.area)
			return;
		if (is_atomic(s->opcode)) {
			model_atomic(s);
			return;
		}
		memcpy(s->payload, s->remote.area->model + s->remote.off, s->length);
		scatter(s->local, s->num_sge, s->payload, s->length);
		return;
	}
	gather(s, s->payload);
	if (world->cfg.service == TP_UC && !uc_lossless())
		return;
	if (is_write(s->opcode) && s->remote.area)
		memcpy(s->remote.area->model + s->remote.off, s->payload, s->length);
}

/* Whether a WR that is out, other than @s, may still change @range or has not yet. */
static bool in_doubt(const struct sim_qp *qp, const struct sim_send *s,
		     const struct sim_range *range, bool remote)
{
	const struct sim_send *other;
	u32 i, k;

	for (i = qp->seen; i < qp->sends.nr; i++) {
		other = qp->sends.item[i];
		if (other == s)
			continue;
		if (remote) {
			if (other->opcode != IB_UVERBS_WR_RDMA_READ &&
			    ranges_overlap(range, &other->remote))
				return true;
			continue;
		}
		for (k = 0; is_fetch(other->opcode) && k < other->num_sge; k++)
			if (ranges_overlap(range, &other->local[k]))
				return true;
	}
	return false;
}

static void check_range(const struct sim_qp *qp, const struct sim_send *s,
			const struct sim_range *range, bool remote, const char *what)
{
	u32 bad;

	if (!range->area || !range->len || in_doubt(qp, s, range, remote))
		return;
	bad = area_compare(range->area, range->off, range->area->model + range->off, range->len);
	sim_check(bad == range->len,
		  "qp %u wr %llx (%s, %u bytes): byte %u of %u in '%s' is wrong: %s",
		  qp->qpn, (unsigned long long)s->wr_id, opcode_name(s->opcode), s->length, bad,
		  range->len, range->area->name, what);
}

static void rewrite(void *what)
{
	struct sim_send *s = what;

	area_write(s->remote.area, s->remote.off, s->payload, s->length);
}

/* What must be so when @s has ended well. */
static void check_done(struct sim_qp *qp, struct sim_send *s)
{
	struct sim_region *region;
	u32 i;

	sim_check(!takes_recv(s->opcode) || s->delivered || world->hostile ||
		  world->cfg.service == TP_UC,
		  "qp %u wr %llx: a %s completes that the peer has not received", qp->qpn,
		  (unsigned long long)s->wr_id, opcode_name(s->opcode));
	if (s->opcode == IB_UVERBS_WR_LOCAL_INV) {
		region = region_by_rkey(s->inv_rkey);
		sim_check(region && !region->valid, "qp %u: LOCAL_INV of %x has had no effect",
			  qp->qpn, s->inv_rkey);
	}
	sim_check(s->opcode != TP_WR_REG_MR || s->bound,
		  "qp %u wr %llx: REG_MR completes that was not executed", qp->qpn,
		  (unsigned long long)s->wr_id);
	if (!s->payload || world->hostile || world->cfg.service == TP_UC)
		return;
	if (!is_fetch(s->opcode)) {
		check_range(qp, s, &s->remote, true, "a WRITE that completed");
		if (broken(BREAK_rewrite) && s->remote.area)
			clock_call(&world->clock, world->clock.now + USEC(20), rewrite, s);
		return;
	}
	for (i = 0; i < s->num_sge; i++)
		check_range(qp, s, &s->local[i], false, "what a READ or ATOMIC brought");
	if (is_atomic(s->opcode))
		check_range(qp, s, &s->remote, true, "an ATOMIC that completed");
}

static const u32 send_wc_opcode[] = {
	[IB_UVERBS_WR_RDMA_WRITE] = IB_UVERBS_WC_RDMA_WRITE,
	[IB_UVERBS_WR_RDMA_WRITE_WITH_IMM] = IB_UVERBS_WC_RDMA_WRITE,
	[IB_UVERBS_WR_SEND] = IB_UVERBS_WC_SEND,
	[IB_UVERBS_WR_SEND_WITH_IMM] = IB_UVERBS_WC_SEND,
	[IB_UVERBS_WR_SEND_WITH_INV] = IB_UVERBS_WC_SEND,
	[IB_UVERBS_WR_RDMA_READ] = IB_UVERBS_WC_RDMA_READ,
	[IB_UVERBS_WR_ATOMIC_CMP_AND_SWP] = IB_UVERBS_WC_COMP_SWAP,
	[IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD] = IB_UVERBS_WC_FETCH_ADD,
	[IB_UVERBS_WR_LOCAL_INV] = IB_UVERBS_WC_LOCAL_INV,
	[TP_WR_REG_MR] = TP_WC_REG_MR,
};

static void log_cqe(struct sim_queue *log, const struct tp_wc *wc)
{
	struct sim_cqe *cqe = malloc(sizeof(*cqe));

	cqe->wc = *wc;
	cqe->at = world->clock.now;
	queue_add(log, cqe);
}

/* An error ends the queue: what follows is flushed. */
static void check_status(struct sim_qp *qp, u32 queue, const struct tp_wc *wc)
{
	sim_check(wc->status == TP_WC_SUCCESS || world->lenient,
		  "qp %u: %s completion %llx with %s (vendor_err %u)", qp->qpn,
		  queue ? "receive" : "send", (unsigned long long)wc->wr_id,
		  status_name(wc->status), wc->vendor_err);
	sim_check(!qp->failed[queue] || wc->status == TP_WC_WR_FLUSH_ERR,
		  "qp %u: %s completion %llx with %s after one in error", qp->qpn,
		  queue ? "receive" : "send", (unsigned long long)wc->wr_id,
		  status_name(wc->status));
	if (wc->status == TP_WC_SUCCESS)
		return;
	qp->failed[queue] = true;
	sim_check(wc->solicited, "qp %u: a completion in error is not marked solicited", qp->qpn);
}

void oracle_send(struct sim_qp *qp, const struct tp_wc *wc)
{
	struct sim_send *s;

	log_cqe(&qp->send_log, wc);
	sim_check(qp->seen < qp->sends.nr, "qp %u: a send completion %llx too many", qp->qpn,
		  (unsigned long long)wc->wr_id);
	s = qp->sends.item[qp->seen++];
	sim_check(s->wr_id == wc->wr_id, "qp %u: send completion %llx, but it is the turn of %llx",
		  qp->qpn, (unsigned long long)wc->wr_id, (unsigned long long)s->wr_id);
	check_status(qp, 0, wc);
	if (wc->status == TP_WC_SUCCESS) {
		sim_check(s->signaled, "qp %u: wr %llx completes, but is not signaled", qp->qpn,
			  (unsigned long long)wc->wr_id);
		sim_check(!s->bad, "qp %u: the malformed wr %llx completes well", qp->qpn,
			  (unsigned long long)wc->wr_id);
		sim_check(wc->opcode == send_wc_opcode[s->opcode],
			  "qp %u: %s completes with opcode %u", qp->qpn, opcode_name(s->opcode),
			  wc->opcode);
		sim_check(!is_fetch(s->opcode) || wc->byte_len == s->length,
			  "qp %u: %s of %u bytes completes with byte_len %u", qp->qpn,
			  opcode_name(s->opcode), s->length, wc->byte_len);
		check_done(qp, s);
	}
	work_wake(qp);
}

void oracle_retire(struct sim_qp *qp)
{
	struct sim_send *s;

	sim_check(qp->seen < qp->sends.nr, "qp %u: a send WR ends too many", qp->qpn);
	s = qp->sends.item[qp->seen++];
	sim_check(!s->signaled, "qp %u: the signaled wr %llx ends without a completion", qp->qpn,
		  (unsigned long long)s->wr_id);
	sim_check(!qp->failed[0], "qp %u: wr %llx ends well after one in error", qp->qpn,
		  (unsigned long long)s->wr_id);
	check_done(qp, s);
	work_wake(qp);
}

/* All that @peer posted before @m is in memory when @m is received. */
static void check_placed(struct sim_qp *peer, const struct sim_send *m)
{
	struct sim_send *s;

	for (; peer->placed < m->number; peer->placed++) {
		s = peer->sends.item[peer->placed];
		/* What the sender flushed is in the model, but was never sent. */
		if (is_write(s->opcode) && s->payload && !peer->failed[0])
			check_range(peer, s, &s->remote, true, "a WRITE before a received message");
	}
}

void check_received(struct sim_qp *qp, struct sim_recv *r, struct sim_send *m,
		    const struct tp_wc *wc)
{
	bool write = is_write(m->opcode), inv = m->opcode == IB_UVERBS_WR_SEND_WITH_INV;
	u32 flags = (with_imm(m->opcode) ? TP_WC_WITH_IMM : 0) | (inv ? TP_WC_WITH_INV : 0);
	u32 i, bad, done = 0, part, left = write ? 0 : m->length;
	struct sim_region *region;

	sim_check(!r->bad, "qp %u: the malformed receive %llx completes well", qp->qpn,
		  (unsigned long long)wc->wr_id);
	sim_check(m->number < qp->peer->taken &&
		  (m->number >= qp->peer->seen || qp->peer->failed[0] ||
		   world->cfg.service == TP_UC),
		  "qp %u: message %llx is received, but its sender %s", qp->qpn,
		  (unsigned long long)m->wr_id,
		  m->number < qp->peer->seen ? "has its completion" : "has not sent it");
	sim_check(wc->opcode == (write ? SIM_WC_RECV_IMM : SIM_WC_RECV),
		  "qp %u: a %s is received with opcode %u", qp->qpn, opcode_name(m->opcode),
		  wc->opcode);
	sim_check(wc->byte_len == m->length, "qp %u: %u bytes received, %u were sent", qp->qpn,
		  wc->byte_len, m->length);
	sim_check(wc->flags == flags, "qp %u: received with flags %x, not %x", qp->qpn, wc->flags,
		  flags);
	sim_check(!with_imm(m->opcode) || wc->imm == m->imm, "qp %u: immediate data %x, not %x",
		  qp->qpn, be32_to_cpu(wc->imm), be32_to_cpu(m->imm));
	sim_check(!inv || wc->inv_rkey == m->inv_rkey, "qp %u: invalidated key %x, not %x", qp->qpn,
		  wc->inv_rkey, m->inv_rkey);
	sim_check(wc->src_qp == qp->peer->qpn, "qp %u: received from qp %u, not %u", qp->qpn,
		  wc->src_qp, qp->peer->qpn);
	sim_check(wc->solicited == !!(m->flags & TP_SEND_SOLICITED),
		  "qp %u: solicited is %d, not %d", qp->qpn, wc->solicited, !wc->solicited);
	region = inv ? region_by_rkey(m->inv_rkey) : NULL;
	sim_check(!inv || (region && !region->valid), "qp %u: key %x is still valid", qp->qpn,
		  m->inv_rkey);
	for (i = 0; i < r->num_sge && left && m->payload; i++) {
		part = r->local[i].len < left ? r->local[i].len : left;
		if (!part)
			continue;
		bad = area_compare(r->local[i].area, r->local[i].off, m->payload + done, part);
		sim_check(bad == part, "qp %u: byte %u of %u received is wrong", qp->qpn,
			  done + bad, m->length);
		done += part;
		left -= part;
	}
	if (!write && m->payload)
		scatter(r->local, r->num_sge, m->payload, m->length);
}

static void free_slot(struct sim_qp *qp, struct sim_recv *r)
{
	u32 i;

	if (r->slot < 0)
		return;
	/* The consumer uses what it received: a message that is placed twice does harm. */
	for (i = 0; i < r->num_sge; i++)
		if (r->local[i].len && random_chance(&world->rng, 300))
			area_scribble(r->local[i].area, r->local[i].off,
				      r->local[i].len < 64 ? r->local[i].len : 64);
	qp->rq->slots[r->slot] = 0;
	r->slot = -1;
}

/* The message that @qp is to have received now, or NULL. */
static struct sim_send *next_message(struct sim_qp *qp, struct sim_recv *r,
				     const struct tp_wc *wc)
{
	if (world->cfg.service == TP_UC && !uc_lossless())
		return uc_match(qp, r, wc);
	return qp->matched < qp->peer->msgs.nr ? qp->peer->msgs.item[qp->matched++] : NULL;
}

void oracle_recv(struct sim_qp *qp, const struct tp_wc *wc)
{
	struct sim_recv *r;
	struct sim_send *m;

	log_cqe(&qp->recv_log, wc);
	sim_check(qp->held_seen < qp->held.nr, "qp %u: a receive completion %llx too many",
		  qp->qpn, (unsigned long long)wc->wr_id);
	r = qp->held.item[qp->held_seen++];
	sim_check(r->wr_id == wc->wr_id,
		  "qp %u: receive completion %llx, but it is the turn of %llx", qp->qpn,
		  (unsigned long long)wc->wr_id, (unsigned long long)r->wr_id);
	check_status(qp, 1, wc);
	if (world->hostile) {
		free_slot(qp, r);
		work_wake(qp);
		return;
	}
	if (wc->status == TP_WC_SUCCESS) {
		m = next_message(qp, r, wc);
		sim_check(m, "qp %u: a message is received that was not sent", qp->qpn);
		check_received(qp, r, m, wc);
		m->delivered = true;
		if (world->cfg.service == TP_UC)
			uc_received(qp, m);
		else
			check_placed(qp->peer, m);
		free_slot(qp, r);
	}
	work_wake(qp);
}

void oracle_finish(void)
{
	const struct sim_config *cfg = &world->cfg;
	u32 i, rnr = 0, back = 0, event;
	struct sim_qp *qp;

	for (i = 0; i < world->nr_qps; i++) {
		qp = &world->qp[i];
		sim_check(qp->seen == qp->sends.nr && qp->done == qp->sends.nr,
			  "qp %u: %u of %u send WRs have ended", qp->qpn, qp->seen, qp->sends.nr);
		if (cfg->service == TP_UC && !uc_lossless()) {
			uc_finish(qp);
			continue;
		}
		sim_check(qp->matched == qp->peer->msgs.nr,
			  "qp %u: %u of %u messages were received", qp->qpn, qp->matched,
			  qp->peer->msgs.nr);
		sim_check(qp->held_seen == qp->matched,
			  "qp %u: %u receive completions for %u messages",
			  qp->qpn, qp->held_seen, qp->matched);
		sim_check(!qp->stashed, "qp %u: a send completion is missing", qp->qpn);
		for (event = 0; event <= TP_EVENT_ACCESS_ERR; event++)
			sim_check(!qp->events[event], "qp %u: event %u on a healthy connection",
				  qp->qpn, event);
		rnr += qp->counter[TP_CNT_send_rnr_err];
		back += qp->retransmits;
	}
	if (!cfg->lose && !cfg->duplicate && !cfg->reorder && !cfg->corrupt && !cfg->busy &&
	    !cfg->paging && !rnr)
		sim_check(!back, "packets were sent again on a perfect wire");
	memory_check();
	if (cfg->service == TP_RC || uc_lossless())
		memory_compare();
}
