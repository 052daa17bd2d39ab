// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: send WRs in, request trains out (IBA 9.7.3).
 *
 * A WR is copied from the owner once, when its turn comes, and gets its PSNs
 * then. It stays in @sq until it completes, and is sent again from there. All
 * sending happens at one place, @pos; going back to send again is to move @pos.
 *
 * Everything here runs under req.lock. tp_owner_xmit() may deliver the train to a QP
 * of this host and run the completer for its answers before it returns: @pos,
 * the window and the state are different afterwards, and WRs are gone.
 */
#include "internal.h"

#include <linux/errno.h>

/* A packet asks for an answer at the latest after so many that did not, or 1/4 of the window. */
#define TP_ASK_PACKETS		32u
/* After so many, the end of a signaled message asks though more is posted. */
#define TP_ASK_SIGNALED		16u

/**
 * enum tp_step - what came of one step of the requester
 * @TP_STEP_ON: something was done, go on
 * @TP_STEP_WAIT: nothing to do until a response, a timer or the consumer comes
 * @TP_STEP_FULL: nothing to do until the owner calls again: it has no room
 * @TP_STEP_AGAIN: more could be done by a later call
 */
enum tp_step {
	TP_STEP_ON,
	TP_STEP_WAIT,
	TP_STEP_FULL,
	TP_STEP_AGAIN,
};

/* Takes the next WR from the owner, and gives it its PSNs. */
static bool tp_req_take(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	struct tp_send_wr *wr = tp_req_wr(req, req->tail);
	u32 messages = 1;

	if (req->state != TP_QPS_RTS || req->tail - req->head > req->sq_mask)
		return false;
	if (!tp_owner_next_send(qp, wr))
		return false;
	req->tail++;
	wr->bad = tp_wr_check(qp, wr);
	wr->started = false;
	wr->done = 0;
	wr->first_psn = req->next_psn;
	wr->ssn = tp_psn_add(req->ssn, 1);
	wr->npkts = 0;
	if (wr->bad || tp_wr_type(wr)->local)
		return true;
	wr->npkts = 1;
	if (!tp_op_is_atomic(tp_wr_op(wr)))
		wr->npkts = tp_packets(wr->length, qp->attr.mtu);
	if (tp_wr_op(wr) == TP_OP_READ)
		messages = tp_packets(wr->npkts, tp_read_packets(qp));
	req->next_psn = tp_psn_add(req->next_psn, wr->npkts);
	req->ssn = tp_psn_add(req->ssn, messages);
	return true;
}

/* A WR that sends nothing, and has had its effect. */
static bool tp_req_executed(const struct tp_send_wr *wr)
{
	return !wr->bad && wr->started && tp_wr_type(wr)->local;
}

static void tp_complete_send(struct tp_qp *qp, struct tp_send_wr *wr, struct tp_wc *wc)
{
	wc->wr_id = wr->wr_id;
	wc->solicited = wc->status != TP_WC_SUCCESS;
	if (wc->status == TP_WC_WR_FLUSH_ERR)
		tp_owner_count(qp, TP_CNT_req_cqe_flush_error, 1);
	else if (wc->status)
		tp_owner_count(qp, TP_CNT_req_cqe_error, 1);
	tp_owner_complete_send(qp, wc);
}

/* The oldest WR has ended well. */
static void tp_req_finish_one(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	struct tp_send_wr *wr = tp_req_wr(req, req->head);
	const struct tp_wr_type *type = tp_wr_type(wr);
	struct tp_wc wc = { .status = TP_WC_SUCCESS, .opcode = type->wc_opcode };

	if (!type->local && tp_op_has_answer(type->op))
		wc.byte_len = wr->length;
	/* Who still reads or writes by the key is not this WR, which is at its end. */
	if (type->inv_after)
		tp_owner_invalidate(qp, wr->inv_rkey, false);
	req->head++;
	if (wr->signaled)
		tp_complete_send(qp, wr, &wc);
	else
		tp_owner_retire_send(qp);
}

/**
 * tp_req_finish() - the oldest WR has ended well
 * @qp: the QP
 *
 * So have the WRs behind it that were executed as their turn came and only waited
 * for their completion to be next. The oldest WR is never such a one. Under req.lock.
 */
void tp_req_finish(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;

	tp_req_finish_one(qp);
	while (req->head != req->tail && tp_req_executed(tp_req_wr(req, req->head))) {
		/* On its way to send again what was acknowledged just now. */
		if (req->pos.cur == req->head)
			req->pos.cur++;
		tp_req_finish_one(qp);
	}
}

/* Flushes all that was taken, then all that is posted. Under req.lock. */
void tp_req_flush(struct tp_qp *qp)
{
	struct tp_wc wc = { .status = TP_WC_WR_FLUSH_ERR };
	struct tp_req *req = &qp->req;
	u32 n;

	for (; req->head != req->tail; req->head++)
		tp_complete_send(qp, tp_req_wr(req, req->head), &wc);
	req->pos = (struct tp_pos){ .cur = req->tail, .psn = req->pos.psn, .sent = req->pos.sent };
	for (n = 0; n < TP_FLUSH_MAX && tp_owner_next_send(qp, tp_req_wr(req, req->tail)); n++)
		tp_complete_send(qp, tp_req_wr(req, req->tail), &wc);
}

/**
 * tp_req_error() - moves the requester to ERR, and flushes
 * @qp: the QP
 *
 * Under req.lock.
 */
void tp_req_error(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;

	if (req->state != TP_QPS_ERR) {
		req->state = TP_QPS_ERR;
		req->draining = false;
		req->ack_deadline = 0;
		req->rnr_deadline = 0;
		req->stall_deadline = 0;
		req->armed = 0;
		tp_owner_disarm(qp);
	}
	tp_req_flush(qp);
}

/**
 * tp_req_fail() - the oldest WR ends in error, and with it the connection
 * @qp: the QP; it has a WR
 * @status: of the WR
 * @vendor_err: place which found it, or the AETH syndrome
 *
 * Where nothing is acknowledged only the send queue ends: SQE, out of which its
 * consumer may bring it (IBA 10.3.1). Under req.lock.
 */
void tp_req_fail(struct tp_qp *qp, enum tp_wc_status status, u32 vendor_err)
{
	struct tp_wc wc = { .status = status, .vendor_err = vendor_err };
	struct tp_req *req = &qp->req;

	tp_complete_send(qp, tp_req_wr(req, req->head++), &wc);
	if (qp->service != TP_RC) {
		req->state = TP_QPS_SQE;
		req->draining = false;
		/* PSNs of what was taken and is flushed now are given out again. */
		if (qp->service == TP_UC)
			req->next_psn = req->pos.psn;
		tp_owner_state(qp, TP_QPS_SQE);
		tp_req_flush(qp);
		return;
	}
	WRITE_ONCE(qp->failed, true);
	tp_req_error(qp);
}

/* Forgets everything. Under req.lock. */
void tp_req_reset(struct tp_req *req)
{
	req->head = 0;
	req->tail = 0;
	req->una = 0;
	req->next_psn = 0;
	req->pos = (struct tp_pos){};
	req->ssn = 0;
	req->lsn = 0;
	req->limited = false;
	req->window = TP_WINDOW_PACKETS;
	req->implied_valid = false;
	req->sqd_event = false;
	req->draining = false;
	req->ack_deadline = 0;
	req->rnr_deadline = 0;
	req->stall_deadline = 0;
	req->armed = 0;
}

/**
 * tp_req_seek() - sending goes on at the oldest PSN that was not acknowledged
 * @qp: the QP
 *
 * Go-back-N, or a response that came for what is only to be sent again. Under
 * req.lock.
 */
void tp_req_seek(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	u32 sent = req->pos.sent;

	req->pos = (struct tp_pos){ .cur = req->head, .psn = req->una, .sent = sent };
	if (req->head != req->tail)
		req->pos.pkt = tp_psn_add(req->una, -tp_req_wr(req, req->head)->first_psn);
	req->ack_deadline = 0;
}

/**
 * tp_req_pause() - sends again from the oldest unacknowledged PSN, in a moment
 * @qp: the QP
 *
 * For memory that can't be reached now: nobody's fault, no retry is used up. Under
 * req.lock.
 */
void tp_req_pause(struct tp_qp *qp)
{
	if (qp->req.state == TP_QPS_ERR || qp->req.una == qp->req.pos.sent)
		return;
	tp_req_seek(qp);
	qp->req.rnr_deadline = tp_owner_now() + TP_PAUSE_NS;
}

/**
 * tp_req_retry() - go-back-N, if a retry is left
 * @qp: the QP; something is outstanding
 * @why: for tracing
 *
 * Under req.lock.
 */
void tp_req_retry(struct tp_qp *qp, const char *why)
{
	struct tp_req *req = &qp->req;

	if (!req->retries) {
		tp_owner_count(qp, TP_CNT_retry_exceeded_err, 1);
		tp_req_fail(qp, TP_WC_RETRY_EXC_ERR, 0);
		return;
	}
	req->retries--;
	tp_owner_count(qp, TP_CNT_completer_retry_err, 1);
	tp_owner_retransmit(qp, req->una, why);
	tp_req_seek(qp);
}

/* A train of @wr at @pos, all but its payload and what follows from it. */
static void tp_req_fill(struct tp_qp *qp, const struct tp_send_wr *wr, struct tp_train *train)
{
	const struct tp_pos *pos = &qp->req.pos;

	*train = (struct tp_train){
		.service = qp->service,
		.op = tp_wr_op(wr),
		.flags = TP_TRAIN_FIRST | TP_TRAIN_LAST | TP_TRAIN_MIGREQ,
		.npkts = 1,
		.psn = pos->psn,
		.dest_qpn = qp->attr.dest_qpn,
		.pkey = qp->attr.pkey,
		.mtu = qp->attr.mtu,
		.xrc_srqn = wr->xrc_srqn,
	};
	if (train->op != TP_OP_SEND) {
		train->va = wr->remote_addr;
		train->rkey = wr->rkey;
	}
	if (tp_psn_before(pos->psn, pos->sent))
		train->flags |= TP_TRAIN_RESENT;
}

/* Whether @wr takes a receive WR of the peer's that the peer gave no credit for. */
static bool tp_req_uncovered(const struct tp_req *req, const struct tp_send_wr *wr)
{
	return req->limited && tp_wr_type(wr)->takes_recv && tp_psn_diff(wr->ssn, req->lsn) > 0;
}

/*
 * Without a credit one message at a time may be sent to try (IBA 9.7.7.2.5): its
 * answer has new credits, or is an RNR NAK.
 */
static bool tp_req_must_wait(const struct tp_req *req, const struct tp_send_wr *wr)
{
	const struct tp_pos *pos = &req->pos;

	return pos->probing && !pos->pkt && !tp_psn_before(pos->probe_psn, req->una) &&
	       tp_req_uncovered(req, wr);
}

/*
 * Sends @train and moves on by @npsn PSNs of @wr. Moving comes first, the answer may
 * be there before tp_owner_xmit() returns; @wr may be gone by then.
 */
static enum tp_step tp_req_xmit(struct tp_qp *qp, struct tp_send_wr *wr,
				const struct tp_train *train, u32 npsn)
{
	struct tp_req *req = &qp->req;
	struct tp_pos before = req->pos;
	struct tp_pos *pos = &req->pos;
	bool started = wr->started;

	if (tp_op_has_answer(train->op)) {
		pos->reads++;
		pos->unasked = 0;
		if (train->op == TP_OP_READ)
			pos->read_pkts += npsn;
	} else {
		pos->out += npsn;
		pos->unasked = train->flags & TP_TRAIN_ACKREQ ? 0 : pos->unasked + npsn;
	}
	if (!pos->pkt && tp_req_uncovered(req, wr)) {
		pos->probing = true;
		pos->probe_psn = tp_psn_add(wr->first_psn, wr->npkts - 1);
	}
	wr->started = true;
	pos->psn = tp_psn_add(pos->psn, npsn);
	if (tp_psn_before(pos->sent, pos->psn))
		pos->sent = pos->psn;
	pos->pkt += npsn;
	if (pos->pkt == wr->npkts) {
		pos->cur++;
		pos->pkt = 0;
	}
	if (tp_owner_xmit(qp, train)) {
		req->pos = before;
		wr->started = started;
		return TP_STEP_FULL;
	}
	tp_owner_count(qp, TP_CNT_sent_pkts, train->npkts);
	if (train->length)
		tp_owner_count(qp, TP_CNT_sent_bytes, train->length);
	if (train->op == TP_OP_SEND && train->flags & TP_TRAIN_LAST &&
	    !(train->flags & TP_TRAIN_RESENT))
		tp_owner_count(qp, TP_CNT_rdma_sends, 1);
	return TP_STEP_ON;
}

/*
 * Whether the last packet of @train asks for an answer. To stop, for whatever
 * reason, with packets out that didn't ask is dealt with by tp_req_ask(), but costs a
 * packet: here it is foreseen where it can be.
 */
static bool tp_req_asks(struct tp_qp *qp, const struct tp_send_wr *wr,
			const struct tp_train *train)
{
	struct tp_req *req = &qp->req;
	u32 unasked = req->pos.unasked + train->npkts;

	if (qp->service == TP_UC)
		return false;
	if (unasked >= min(TP_ASK_PACKETS, req->window / 4) ||
	    req->pos.out + train->npkts >= req->window)
		return true;
	if (!(train->flags & TP_TRAIN_LAST))
		return false;
	if (wr->signaled && unasked >= TP_ASK_SIGNALED)
		return true;
	if (tp_req_uncovered(req, wr))
		return true;
	if (req->pos.cur + 1 != req->tail)
		return false;
	return req->state != TP_QPS_RTS || !tp_owner_more_sends(qp);
}

/* Maps up to @len payload bytes of @wr at @offset, whole packets; bytes or an errno. */
static int tp_req_map(struct tp_qp *qp, struct tp_send_wr *wr, u32 offset, u32 len,
		      struct tp_train *train)
{
	struct tp_mem *mem = &qp->req.mem;
	int got;

	if (wr->flags & TP_SEND_INLINE) {
		mem->seg[0].addr = wr->inline_data + offset;
		mem->seg[0].len = len;
		train->seg = mem->seg;
		train->nr_seg = 1;
		return len;
	}
	got = tp_map_sges(qp, mem, wr->sge, wr->num_sge, offset, len, 0);
	if (got < 0)
		return got;
	if ((u32)got < len)
		got = round_down((u32)got, qp->attr.mtu);
	if (!got)
		return -EACCES;
	train->seg = mem->seg;
	train->nr_seg = mem->nr;
	tp_cut_segs(mem->seg, &train->nr_seg, got);
	return got;
}

/* The fields of a SEND or WRITE train that depend on which part of @wr it has. */
static void tp_req_place(struct tp_qp *qp, struct tp_send_wr *wr, struct tp_train *train, u32 len)
{
	u32 first = qp->req.pos.pkt;

	train->length = len;
	train->npkts = tp_packets(len, train->mtu);
	if (train->op == TP_OP_WRITE)
		train->dmalen = wr->length;
	if (first)
		train->flags &= ~TP_TRAIN_FIRST;
	if (first + train->npkts < wr->npkts) {
		train->flags &= ~TP_TRAIN_LAST;
	} else {
		train->flags |= tp_wr_type(wr)->flags;
		train->imm = wr->imm;
		if (wr->flags & TP_SEND_SOLICITED && tp_wr_type(wr)->takes_recv)
			train->flags |= TP_TRAIN_SE;
	}
}

/* Sends up to @max packets of a SEND or WRITE; @ask: the last of them asks for an answer. */
static enum tp_step tp_req_send_part(struct tp_qp *qp, struct tp_send_wr *wr, u32 max, bool ask)
{
	u32 mtu = qp->attr.mtu;
	u32 offset = qp->req.pos.pkt * mtu;
	struct tp_train train;
	enum tp_step step;
	int len = 0;

	tp_req_fill(qp, wr, &train);
	if (wr->length) {
		len = min3(wr->length - offset, max * mtu, TP_TRAIN_BYTES);
		len = tp_req_map(qp, wr, offset, len, &train);
	}
	if (len < 0) {
		tp_owner_unmap(&qp->req.mem);
		if (len == -EAGAIN) {
			qp->req.stall_deadline = tp_owner_now() + TP_PAUSE_NS;
			return TP_STEP_WAIT;
		}
		wr->bad = TP_WC_LOC_PROT_ERR;
		return TP_STEP_ON;
	}
	tp_req_place(qp, wr, &train, len);
	if (ask || tp_req_asks(qp, wr, &train))
		train.flags |= TP_TRAIN_ACKREQ;
	step = tp_req_xmit(qp, wr, &train, train.npkts);
	tp_owner_unmap(&qp->req.mem);
	if (step != TP_STEP_ON)
		return step;
	tp_budget_take(&qp->req.budget, len);
	if (qp->service == TP_UC)
		tp_uc_sent(qp);
	return step;
}

static enum tp_step tp_req_send_message(struct tp_qp *qp, struct tp_send_wr *wr)
{
	struct tp_req *req = &qp->req;

	if (qp->service == TP_UC)
		return tp_req_send_part(qp, wr, TP_TRAIN_PACKETS, false);
	if (req->pos.out >= req->window)
		return TP_STEP_WAIT;
	if (tp_req_must_wait(req, wr))
		return TP_STEP_WAIT;
	return tp_req_send_part(qp, wr, min(req->window - req->pos.out, TP_TRAIN_PACKETS), false);
}

static enum tp_step tp_req_send_read(struct tp_qp *qp, struct tp_send_wr *wr)
{
	const struct tp_pos *pos = &qp->req.pos;
	u32 first = pos->pkt;
	u32 end = tp_read_end(qp, wr, first);
	u32 mtu = qp->attr.mtu;
	struct tp_train train;

	if (pos->read_pkts &&
	    (pos->read_pkts + end - first) * mtu > qp->req.window * TP_READ_WINDOW_BYTES)
		return TP_STEP_WAIT;
	tp_req_fill(qp, wr, &train);
	train.va += (u64)first * mtu;
	train.dmalen = min(wr->length - first * mtu, (end - first) * mtu);
	return tp_req_xmit(qp, wr, &train, end - first);
}

static enum tp_step tp_req_send_atomic(struct tp_qp *qp, struct tp_send_wr *wr)
{
	struct tp_train train;

	tp_req_fill(qp, wr, &train);
	train.swap = wr->compare_add;
	if (train.op == TP_OP_CMP_SWAP) {
		train.swap = wr->swap;
		train.compare = wr->compare_add;
	}
	return tp_req_xmit(qp, wr, &train, 1);
}

/*
 * A WR that sends nothing. One in error waits for all before it, so that
 * completions stay in order, and LOCAL_INV does, so that what may be sent again
 * still finds its key. A key that BIND_MW or REG_MR makes is used by none before
 * them: they are executed at once, and complete in their turn (IBA 10.8.3.3).
 */
static enum tp_step tp_req_local(struct tp_qp *qp, struct tp_send_wr *wr)
{
	struct tp_req *req = &qp->req;
	int err;

	if (!wr->bad && wr->started) {
		req->pos.cur++;
		return TP_STEP_ON;
	}
	if (req->pos.cur != req->head && (wr->bad || tp_wr_type(wr)->ordered))
		return TP_STEP_WAIT;
	if (wr->bad) {
		tp_req_fail(qp, wr->bad, 0);
		return TP_STEP_ON;
	}
	if (wr->flags & TP_SEND_FENCE && req->pos.reads)
		return TP_STEP_WAIT;
	err = wr->opcode == IB_UVERBS_WR_LOCAL_INV ? tp_owner_invalidate(qp, wr->inv_rkey, false) :
						     tp_owner_bind(qp, wr);
	if (err == -EAGAIN)
		return TP_STEP_AGAIN;
	if (err) {
		wr->bad = TP_WC_MW_BIND_ERR;
		return TP_STEP_ON;
	}
	wr->started = true;
	if (req->pos.cur++ == req->head)
		tp_req_finish(qp);
	return TP_STEP_ON;
}

/* One train, or one WR that needs none. */
static enum tp_step tp_req_step(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	struct tp_send_wr *wr;
	enum tp_step step;

	if ((req->state != TP_QPS_RTS && req->state != TP_QPS_SQD) || req->rnr_deadline ||
	    req->stall_deadline)
		return TP_STEP_WAIT;
	if (req->pos.cur == req->tail && !tp_req_take(qp))
		return TP_STEP_WAIT;
	if (tp_budget_spent(&req->budget))
		return TP_STEP_AGAIN;
	wr = tp_req_wr(req, req->pos.cur);
	if (wr->bad || tp_wr_type(wr)->local)
		return tp_req_local(qp, wr);
	if (wr->flags & TP_SEND_FENCE && !req->pos.pkt && req->pos.reads)
		return TP_STEP_WAIT;
	if (!tp_op_has_answer(tp_wr_op(wr)))
		return tp_req_send_message(qp, wr);
	if (req->pos.reads >= max_t(u32, qp->attr.max_rd_atomic, 1))
		return TP_STEP_WAIT;
	step = tp_wr_op(wr) == TP_OP_READ ? tp_req_send_read(qp, wr) : tp_req_send_atomic(qp, wr);
	tp_budget_take(&req->budget, 0);
	return step;
}

/* Takes back the last @n packets of the current WR. */
static void tp_req_unsend(struct tp_pos *pos, u32 n)
{
	pos->pkt -= n;
	pos->psn = tp_psn_add(pos->psn, -n);
	pos->out -= min(pos->out, n);
	pos->unasked -= min(pos->unasked, n);
}

/*
 * Sending stops with packets out that nobody was asked to acknowledge: the last one
 * is sent again and asks. It is a SEND's or WRITE's; after a READ or ATOMIC there
 * is nothing unasked.
 */
static enum tp_step tp_req_ask(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	struct tp_pos before = req->pos;
	struct tp_pos *pos = &req->pos;
	enum tp_step step;

	if (pos->pkt && tp_req_wr(req, pos->cur)->bad) {
		/* What was sent of it before its memory was found bad is of no use. */
		tp_req_unsend(pos, pos->pkt);
		return TP_STEP_ON;
	}
	/* WRs that send nothing have no packets. */
	while (!pos->pkt)
		pos->pkt = tp_req_wr(req, --pos->cur)->npkts;
	tp_req_unsend(pos, 1);
	step = tp_req_send_part(qp, tp_req_wr(req, pos->cur), 1, true);
	if (step != TP_STEP_ON)
		*pos = before;
	return step;
}

/**
 * tp_req_drained() - sees whether a QP in SQD has nothing outstanding any more
 * @qp: the QP
 *
 * Under req.lock.
 */
void tp_req_drained(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;

	if (!req->draining || req->head != req->tail)
		return;
	req->draining = false;
	if (req->sqd_event)
		tp_owner_event(qp, TP_EVENT_SQ_DRAINED);
	req->sqd_event = false;
}

/**
 * tp_req_run() - sends what can be sent, or flushes what there is in SQE and ERR
 * @qp: the QP
 *
 * Sees to it that a timer runs for what is out. Under req.lock.
 *
 * Return: true if more can be done by a later call.
 */
bool tp_req_run(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	enum tp_step step;

	if (qp->service == TP_UD)
		return tp_ud_run(qp);
	req->budget = (struct tp_budget)TP_BUDGET_INIT;
	do {
		step = tp_req_step(qp);
		if (step == TP_STEP_WAIT && req->pos.unasked && !req->rnr_deadline)
			step = tp_req_ask(qp);
	} while (step == TP_STEP_ON);
	if (req->state == TP_QPS_SQE || req->state == TP_QPS_ERR) {
		tp_req_flush(qp);
		return false;
	}
	tp_req_drained(qp);
	tp_timer_update(qp);
	return step == TP_STEP_AGAIN;
}

bool tp_send(struct tp_qp *qp)
{
	bool more;

	spin_lock_bh(&qp->req.lock);
	more = tp_req_run(qp);
	spin_unlock_bh(&qp->req.lock);
	tp_qp_settle(qp);
	return more;
}
