// SPDX-License-Identifier: GPL-2.0
/*
 * The completer: ACKs, NAKs and READ and ATOMIC responses in (IBA 9.7.5, 9.9.2).
 *
 * Everything here runs under req.lock. It may run inside the requester's
 * tp_owner_xmit(), for a response of a QP of this host; it sends nothing itself.
 */
#include "internal.h"

#include <linux/errno.h>

/* vendor_err of what the completer finds wrong itself. */
#define TP_VENDOR_RESP_SHAPE	0x101
#define TP_VENDOR_RESP_MEMORY	0x102

static struct tp_send_wr *tp_oldest(struct tp_req *req)
{
	return tp_req_wr(req, req->head);
}

static bool tp_needs_answer(const struct tp_send_wr *wr)
{
	enum tp_op op = tp_wr_op(wr);

	return op != TP_OP_SEND && op != TP_OP_WRITE;
}

/* The oldest @n PSNs, of the oldest WR, are acknowledged. */
static void tp_comp_advance(struct tp_qp *qp, u32 n)
{
	struct tp_req *req = &qp->req;
	struct tp_send_wr *wr = tp_oldest(req);

	req->una = tp_psn_add(req->una, n);
	if (req->una == tp_psn_add(wr->first_psn, wr->npkts))
		tp_req_finish(qp);
}

/* Something was acknowledged. */
static void tp_comp_progress(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	struct tp_pos *pos = &req->pos;

	req->retries = qp->attr.retry_cnt;
	req->rnr_retries = qp->attr.rnr_retry;
	req->implied_valid = false;
	req->ack_deadline = 0;
	if (req->window < TP_WINDOW_PACKETS)
		req->window++;
	if (tp_psn_before(pos->psn, req->una)) {
		/* The answer to what was sent first; no need to send it again. */
		tp_req_seek(qp);
		return;
	}
	pos->unasked = min_t(u32, pos->unasked, tp_psn_diff(pos->psn, req->una));
	if (pos->probing && tp_psn_before(pos->probe_psn, req->una))
		pos->probing = false;
}

/*
 * All PSNs before @psn are acknowledged. Returns false at a READ or ATOMIC that
 * was not answered: then it is the oldest, and its answer must have been lost.
 */
static bool tp_comp_ack(struct tp_qp *qp, u32 psn)
{
	struct tp_req *req = &qp->req;
	bool progress = false;
	bool answered = true;

	while (tp_psn_before(req->una, psn)) {
		struct tp_send_wr *wr = tp_oldest(req);
		u32 end = tp_psn_add(wr->first_psn, wr->npkts);
		u32 n;

		if (tp_needs_answer(wr)) {
			answered = false;
			break;
		}
		n = tp_psn_diff(tp_psn_before(psn, end) ? psn : end, req->una);
		req->pos.out -= min(req->pos.out, n);
		tp_comp_advance(qp, n);
		progress = true;
	}
	if (progress)
		tp_comp_progress(qp);
	return answered;
}

/*
 * A later PSN was answered, and not the oldest: an implied NAK. Once for a PSN:
 * more answers that were on their way already tell the same, and that may go on
 * for longer than the ACK timer runs. If what is sent again gets lost too, the
 * timer sees to it.
 */
static void tp_comp_implied_nak(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;

	if (!tp_psn_before(req->una, req->pos.psn))
		return;
	if (req->implied_valid && req->implied_psn == req->una)
		return;
	tp_owner_count(qp, TP_CNT_implied_nak_seq_err, 1);
	req->implied_valid = true;
	req->implied_psn = req->una;
	tp_req_retry(qp, "response lost");
}

/* Credits of an AETH: up to which message there are receive WRs (IBA 9.7.7.2). */
static void tp_comp_credits(struct tp_req *req, const struct tp_train *train)
{
	u8 value = train->syndrome & TP_AETH_VALUE_MASK;

	req->limited = value != TP_AETH_NO_CREDITS;
	if (req->limited)
		req->lsn = tp_psn_add(train->msn, tp_credits_decode(value));
}

static void tp_comp_rnr_nak(struct tp_qp *qp, u8 code)
{
	struct tp_req *req = &qp->req;

	tp_owner_count(qp, TP_CNT_rcvd_rnr_err, 1);
	if (req->rnr_deadline)
		return;
	if (qp->attr.rnr_retry != 7) {
		if (!req->rnr_retries) {
			tp_owner_count(qp, TP_CNT_retry_rnr_exceeded_err, 1);
			tp_req_fail(qp, TP_WC_RNR_RETRY_EXC_ERR, TP_AETH_RNR_NAK | code);
			return;
		}
		req->rnr_retries--;
	}
	tp_owner_retransmit(qp, req->una, "RNR NAK");
	tp_req_seek(qp);
	req->rnr_deadline = tp_owner_now() + tp_rnr_ns(code);
}

/* A NAK for the oldest PSN. */
static void tp_comp_nak(struct tp_qp *qp, u8 code)
{
	const struct tp_nak_effect *effect;

	if (code >= TP_NUM_NAKS) {
		tp_owner_drop(qp, qp->req.una, TP_DROP_OPCODE);
		return;
	}
	effect = &tp_nak_effects[code];
	if (effect->has_counter)
		tp_owner_count(qp, effect->counter, 1);
	if (effect->status) {
		tp_req_fail(qp, effect->status, TP_AETH_NAK | code);
		return;
	}
	tp_owner_count(qp, TP_CNT_rcvd_seq_err, 1);
	/* The peer misses what waits to be sent again anyway, if an RNR wait is on. */
	if (!qp->req.rnr_deadline)
		tp_req_retry(qp, "NAK sequence error");
}

static void tp_comp_ack_train(struct tp_qp *qp, const struct tp_train *train)
{
	u8 kind = train->syndrome & (TP_AETH_KIND_MASK | TP_AETH_RESERVED);
	u8 value = train->syndrome & TP_AETH_VALUE_MASK;
	struct tp_req *req = &qp->req;

	if (kind == TP_AETH_ACK) {
		tp_comp_credits(req, train);
		if (!tp_comp_ack(qp, tp_psn_add(train->psn, 1)))
			tp_comp_implied_nak(qp);
		return;
	}
	if (tp_psn_before(train->psn, req->una)) {
		tp_owner_drop(qp, train->psn, TP_DROP_PSN);
		return;
	}
	if (!tp_comp_ack(qp, train->psn))
		tp_comp_implied_nak(qp);
	else if (kind == TP_AETH_RNR_NAK)
		tp_comp_rnr_nak(qp, value);
	else if (kind == TP_AETH_NAK)
		tp_comp_nak(qp, value);
	else
		tp_owner_drop(qp, train->psn, TP_DROP_OPCODE);
}

/* Puts @len bytes of a response at @offset of the WR. False: not done, and seen to. */
static bool tp_comp_place(struct tp_qp *qp, struct tp_send_wr *wr, u32 offset,
			  struct tp_cursor *data, u32 len)
{
	int err;

	err = tp_fill_sges(qp, &qp->req.resp_mem, wr->sge, wr->num_sge, offset, data, len);
	if (err == -EAGAIN)
		tp_req_pause(qp);
	else if (err)
		tp_req_fail(qp, TP_WC_LOC_PROT_ERR, TP_VENDOR_RESP_MEMORY);
	return !err;
}

/* Whether READ response packets [@pkt, @pkt + n) of @wr are what was asked for. */
static bool tp_comp_read_fits(const struct tp_qp *qp, const struct tp_send_wr *wr, u32 pkt,
			      const struct tp_train *train)
{
	u32 end = tp_read_end(qp, wr, pkt);
	u32 mtu = qp->attr.mtu;
	bool last = train->flags & TP_TRAIN_LAST;

	if (train->npkts > end - pkt || last != (train->npkts == end - pkt))
		return false;
	if (train->npkts > 1 && train->mtu != mtu)
		return false;
	return train->length == min(wr->length - pkt * mtu, train->npkts * mtu);
}

static void tp_comp_read_train(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_cursor data = tp_train_data(train);
	struct tp_req *req = &qp->req;
	struct tp_train rest = *train;
	struct tp_send_wr *wr;
	u32 pkt;

	if (tp_psn_before(rest.psn, req->una))
		tp_train_trim(&rest, &data, tp_psn_diff(req->una, rest.psn));
	if (!tp_comp_ack(qp, rest.psn)) {
		tp_comp_implied_nak(qp);
		return;
	}
	wr = tp_oldest(req);
	if (tp_wr_op(wr) != TP_OP_READ) {
		tp_owner_drop(qp, rest.psn, TP_DROP_PSN);
		return;
	}
	pkt = tp_psn_add(req->una, -wr->first_psn);
	if (!tp_comp_read_fits(qp, wr, pkt, &rest)) {
		tp_req_fail(qp, TP_WC_BAD_RESP_ERR, TP_VENDOR_RESP_SHAPE);
		return;
	}
	if (!tp_comp_place(qp, wr, pkt * qp->attr.mtu, &data, rest.length))
		return;
	tp_budget_take(&req->budget, rest.length);
	tp_owner_count(qp, TP_CNT_rcvd_bytes, rest.length);
	if (rest.flags & TP_TRAIN_LAST) {
		tp_comp_credits(req, train);
		req->pos.reads -= min(req->pos.reads, 1u);
	}
	req->pos.read_pkts -= min(req->pos.read_pkts, rest.npkts);
	wr->done += rest.length;
	tp_comp_advance(qp, rest.npkts);
	tp_comp_progress(qp);
}

static void tp_comp_atomic_train(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_req *req = &qp->req;
	struct tp_send_wr *wr;
	u64 orig = train->orig;
	struct tp_seg seg = { .addr = &orig, .len = sizeof(orig) };
	struct tp_cursor data = { .seg = &seg, .nr = 1 };

	if (!tp_comp_ack(qp, train->psn)) {
		tp_comp_implied_nak(qp);
		return;
	}
	wr = tp_oldest(req);
	if (tp_wr_op(wr) != TP_OP_CMP_SWAP && tp_wr_op(wr) != TP_OP_FETCH_ADD) {
		tp_owner_drop(qp, train->psn, TP_DROP_PSN);
		return;
	}
	if (!tp_comp_place(qp, wr, 0, &data, sizeof(orig)))
		return;
	tp_comp_credits(req, train);
	req->pos.reads -= min(req->pos.reads, 1u);
	tp_comp_advance(qp, 1);
	tp_comp_progress(qp);
}

/* Whether what the train answers was sent, and is not all behind (ghosts: IBA C9-126). */
static bool tp_comp_expected(const struct tp_req *req, const struct tp_train *train)
{
	u32 newest = tp_psn_add(train->psn, train->npkts - 1);

	if (!tp_psn_before(newest, req->pos.sent))
		return false;
	/* The newest acknowledged PSN may be acknowledged again, with new credits. */
	if (train->op == TP_OP_ACK)
		newest = tp_psn_add(newest, 1);
	return !tp_psn_before(newest, req->una);
}

/**
 * tp_comp_train() - takes in a response
 * @qp: the QP
 * @train: the response
 *
 * Under req.lock. The window may have opened, and the QP may be in ERR on return:
 * the caller runs the requester.
 */
void tp_comp_train(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_req *req = &qp->req;

	if (req->state != TP_QPS_RTS && req->state != TP_QPS_SQD) {
		tp_owner_drop(qp, train->psn, TP_DROP_STATE);
		return;
	}
	if (!tp_pkey_match(qp, train->pkey)) {
		tp_owner_drop(qp, train->psn, TP_DROP_PKEY);
		return;
	}
	if (!tp_comp_expected(req, train)) {
		tp_owner_drop(qp, train->psn, TP_DROP_PSN);
		return;
	}
	tp_owner_count(qp, TP_CNT_rcvd_pkts, train->npkts);
	if (train->op == TP_OP_ACK)
		tp_comp_ack_train(qp, train);
	else if (train->op == TP_OP_READ_RESP)
		tp_comp_read_train(qp, train);
	else
		tp_comp_atomic_train(qp, train);
}
