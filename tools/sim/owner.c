// SPDX-License-Identifier: GPL-2.0
/*
 * The owner of the transport: work queues, completions, timers and events.
 * Its memory is in memory.c, its wire in wire.c.
 */
#include "sim.h"

#include <linux/crc32.h>

/* The transport is to hold the lock that its header promises. */
static struct sim_qp *in_req(struct tp_qp *tp, const char *what)
{
	sim_check(tp->req.lock.held, "%s without req.lock", what);
	return container_of(tp, struct sim_qp, tp);
}

static struct sim_qp *in_resp(struct tp_qp *tp, const char *what)
{
	sim_check(tp->resp.lock.held, "%s without resp.lock", what);
	return container_of(tp, struct sim_qp, tp);
}

/*
 * A call into the transport begins or ends. None is made from inside another,
 * but for tp_deliver_local(), which does not come through here.
 */
static void enter(struct sim_qp *qp)
{
	sim_check(!world->depth++, "a call into the transport from inside another");
	sim_check(qp->up, "the simulator calls into a QP that is not there");
}

static void leave(void)
{
	world->depth--;
}

void kick_send_at(struct sim_qp *qp, u64 at)
{
	if (qp->send_due)
		return;
	qp->send_due = true;
	clock_add(&world->clock, at, EV_SEND, qp);
}

void kick_respond_at(struct sim_qp *qp, u64 at)
{
	if (qp->respond_due)
		return;
	qp->respond_due = true;
	clock_add(&world->clock, at, EV_RESPOND, qp);
}

static u64 soon(void)
{
	return world->clock.now + random_range(&world->rng, 50, 500);
}

void kick_send(struct sim_qp *qp)
{
	bool more;

	enter(qp);
	more = tp_send(&qp->tp);
	leave();
	if (more)
		kick_send_at(qp, soon());
}

void kick_respond(struct sim_qp *qp)
{
	bool more;

	enter(qp);
	more = tp_respond(&qp->tp);
	leave();
	if (more)
		kick_respond_at(qp, soon());
}

void wire_deliver(struct sim_qp *to, const struct tp_train *train)
{
	bool more;

	trace("qp %u <- %s psn %06x x%u len %u flags %x syndrome %02x", to->qpn,
	      tp_op_names[train->op], train->psn, train->npkts, train->length, train->flags,
	      train->syndrome);
	enter(to);
	more = tp_receive(&to->tp, train);
	leave();
	if (more) {
		kick_send_at(to, soon());
		kick_respond_at(to, soon());
	}
}

static void arm(struct sim_qp *qp, u64 deadline)
{
	qp->armed = true;
	qp->deadline = deadline;
	if (qp->earliest && qp->earliest <= deadline)
		return;
	qp->earliest = deadline > world->clock.now ? deadline : world->clock.now;
	clock_add(&world->clock, qp->earliest, EV_TIMER, qp);
}

void owner_timer(struct sim_qp *qp)
{
	u64 now = world->clock.now;
	bool due, more;

	if (qp->earliest != now)
		return;		/* one before it took its place */
	qp->earliest = 0;
	if (!qp->up)
		return;
	due = qp->armed && qp->deadline <= now;
	if (due)
		qp->armed = false;
	else if (qp->armed)
		arm(qp, qp->deadline);
	if (!due && !random_chance(&world->rng, world->cfg.spurious))
		return;
	if (broken(BREAK_dead_timer))
		return;
	trace("qp %u timer%s", qp->qpn, due ? "" : " (spurious)");
	enter(qp);
	more = tp_timeout(&qp->tp);
	leave();
	if (more)
		kick_send_at(qp, soon());
}

bool tp_owner_next_send(struct tp_qp *tp, struct tp_send_wr *wr)
{
	struct sim_qp *qp = in_req(tp, "tp_owner_next_send()");
	struct tp_wc wc = { .status = TP_WC_SUCCESS };
	struct sim_send *s;

	if (qp->taken == qp->sends.nr)
		return false;
	s = qp->sends.item[qp->taken++];
	memset(wr, 0, sizeof(*wr));
	wr->wr_id = s->wr_id;
	wr->opcode = s->opcode;
	wr->flags = s->flags;
	if (broken(BREAK_no_fence))
		wr->flags &= ~TP_SEND_FENCE;
	wr->bad = s->bad;
	wr->imm = s->imm;
	if (s->opcode == IB_UVERBS_WR_SEND_WITH_INV || s->opcode == IB_UVERBS_WR_LOCAL_INV)
		wr->inv_rkey = s->inv_rkey;
	wr->length = s->length;
	wr->num_sge = s->num_sge;
	wr->rkey = s->rkey;
	wr->remote_addr = s->va;
	wr->compare_add = s->compare;
	wr->swap = s->swap;
	wr->signaled = s->signaled;
	if (s->opcode == TP_WR_REG_MR)
		wr->bind.key = s->number;
	if (s->flags & TP_SEND_INLINE)
		memcpy(wr->inline_data, s->inline_data, s->length);
	else
		memcpy(wr->sge, s->sge, s->num_sge * sizeof(s->sge[0]));
	trace("qp %u takes send %llx: %s len %u flags %x", qp->qpn, (unsigned long long)s->wr_id,
	      opcode_name(s->opcode), s->length, s->flags);
	if (broken(BREAK_early_send_wc) && s->signaled && qp->taken == qp->seen + 1) {
		wc.wr_id = s->wr_id;
		s->early = true;
		oracle_send(qp, &wc);
	}
	return true;
}

bool tp_owner_more_sends(struct tp_qp *tp)
{
	struct sim_qp *qp = in_req(tp, "tp_owner_more_sends()");

	return qp->taken < qp->sends.nr;
}

bool tp_owner_next_recv(struct tp_qp *tp, struct tp_recv_wr *wr)
{
	struct sim_qp *qp = in_resp(tp, "tp_owner_next_recv()");
	struct sim_rq *rq = qp->rq;
	struct sim_recv *r;

	if (rq->taken == rq->posted.nr)
		return false;
	r = rq->posted.item[rq->taken++];
	queue_add(&qp->held, r);
	wr->wr_id = r->wr_id;
	wr->bad = r->bad;
	wr->length = r->length;
	wr->num_sge = r->num_sge;
	memcpy(wr->sge, r->sge, r->num_sge * sizeof(r->sge[0]));
	trace("qp %u takes recv %llx: len %u", qp->qpn, (unsigned long long)r->wr_id, r->length);
	return true;
}

u32 tp_owner_recv_count(struct tp_qp *tp)
{
	struct sim_qp *qp = in_resp(tp, "tp_owner_recv_count()");

	return qp->rq->posted.nr - qp->rq->taken;
}

static void report_send(struct sim_qp *qp, const struct tp_wc *wc)
{
	struct tp_wc twisted = *wc;

	if (broken(BREAK_lose_send_wc) && random_chance(&world->rng, 50))
		return;
	if (broken(BREAK_wrong_status) && twisted.status == TP_WC_REM_ACCESS_ERR)
		twisted.status = TP_WC_REM_OP_ERR;
	if (broken(BREAK_swap_send_wc) && !qp->stashed && random_chance(&world->rng, 50)) {
		qp->stash = twisted;
		qp->stashed = true;
		return;
	}
	if (broken(BREAK_flush_reverse) && twisted.status == TP_WC_WR_FLUSH_ERR && !qp->stashed) {
		qp->stash = twisted;
		qp->stashed = true;
		return;
	}
	oracle_send(qp, &twisted);
	if (broken(BREAK_repeat_send_wc) && random_chance(&world->rng, 50))
		oracle_send(qp, &twisted);
	if (qp->stashed) {
		qp->stashed = false;
		oracle_send(qp, &qp->stash);
	}
}

void tp_owner_complete_send(struct tp_qp *tp, const struct tp_wc *wc)
{
	struct sim_qp *qp = in_req(tp, "tp_owner_complete_send()");
	struct sim_send *s;

	trace("qp %u send completes %llx: %s opcode %u len %u", qp->qpn,
	      (unsigned long long)wc->wr_id, status_name(wc->status), wc->opcode, wc->byte_len);
	sim_check(qp->done < qp->taken, "qp %u: a send completion, but no send WR is out", qp->qpn);
	s = qp->sends.item[qp->done++];
	if (!s->early)
		report_send(qp, wc);
}

void tp_owner_retire_send(struct tp_qp *tp)
{
	struct sim_qp *qp = in_req(tp, "tp_owner_retire_send()");

	sim_check(qp->done < qp->taken, "qp %u: a send WR ends, but none is out", qp->qpn);
	qp->done++;
	oracle_retire(qp);
}

void tp_owner_complete_recv(struct tp_qp *tp, const struct tp_wc *wc)
{
	struct sim_qp *qp = in_resp(tp, "tp_owner_complete_recv()");
	struct tp_wc twisted = *wc;

	trace("qp %u recv completes %llx: %s opcode %u len %u", qp->qpn,
	      (unsigned long long)wc->wr_id, status_name(wc->status), wc->opcode, wc->byte_len);
	sim_check(qp->held_done < qp->held.nr,
		  "qp %u: a receive completion, but no receive WR is out",
		  qp->qpn);
	qp->held_done++;
	qp->rq->done++;
	if (broken(BREAK_lose_recv_wc) && random_chance(&world->rng, 50))
		return;
	if (broken(BREAK_wrong_imm) && (wc->flags & TP_WC_WITH_IMM))
		twisted.imm ^= cpu_to_be32(0x100);
	if (broken(BREAK_wrong_byte_len))
		twisted.byte_len++;
	if (broken(BREAK_lose_solicited))
		twisted.solicited = false;
	oracle_recv(qp, &twisted);
	if (broken(BREAK_repeat_recv_wc) && random_chance(&world->rng, 50))
		oracle_recv(qp, &twisted);
}

void tp_owner_event(struct tp_qp *tp, enum tp_event event)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);

	sim_check(tp->req.lock.held || tp->resp.lock.held, "tp_owner_event() without a lock");
	sim_check(event <= TP_EVENT_ACCESS_ERR, "event %d", event);
	trace("qp %u event %d", qp->qpn, event);
	if (broken(BREAK_lose_event))
		return;
	qp->events[event]++;
	qp->event_at[event] = world->clock.now;
}

void tp_owner_state(struct tp_qp *tp, enum tp_qp_state state)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);

	sim_check(tp->req.lock.held || tp->resp.lock.held, "tp_owner_state() without a lock");
	trace("qp %u moves to state %d", qp->qpn, state);
	qp->moved = state;
}

int tp_owner_xmit(struct tp_qp *tp, const struct tp_train *train)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);

	if (tp_op_is_request(train->op))
		in_req(tp, "tp_owner_xmit() of a request");
	else
		in_resp(tp, "tp_owner_xmit() of a response");
	return wire_send(qp, train);
}

u32 tp_owner_crc32(u32 crc, const void *data, u32 len)
{
	return crc32_le(crc, data, len);
}

u64 tp_owner_now(void)
{
	return world->clock.now;
}

void tp_owner_arm(struct tp_qp *tp, u64 deadline)
{
	arm(in_req(tp, "tp_owner_arm()"), deadline);
}

void tp_owner_disarm(struct tp_qp *tp)
{
	struct sim_qp *qp = in_req(tp, "tp_owner_disarm()");

	qp->armed = false;
}

void tp_owner_count(struct tp_qp *tp, enum tp_counter counter, u64 n)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);

	sim_check(counter < TP_NUM_COUNTERS, "counter %d", counter);
	qp->counter[counter] += n;
}

void tp_owner_retransmit(struct tp_qp *tp, u32 psn, const char *why)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);

	trace("qp %u goes back to psn %06x: %s", qp->qpn, psn, why);
	qp->retransmits++;
}

void tp_owner_drop(struct tp_qp *tp, u32 psn, enum tp_drop why)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);

	sim_check(why < TP_NUM_DROPS, "drop reason %d", why);
	trace("qp %u drops psn %06x: %s", qp->qpn, psn, tp_drop_names[why]);
	qp->drops[why]++;
}
