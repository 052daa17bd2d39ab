// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a QP: made, modified, queried, failed, freed; and the door for what
 * comes from the peer.
 */
#include "internal.h"

#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

/* The SQ is one allocation, of less than this. */
#define TP_MAX_SQ_BYTES		0x7fffffffu

int tp_qp_init(struct tp_qp *qp, const struct tp_qp_init_attr *init)
{
	u32 slots, extra;
	u64 bytes;

	if (!init->max_send_wr || init->max_send_wr > 0x10000 ||
	    init->max_send_sge > TP_MAX_SGE || init->max_inline > TP_TRAIN_BYTES)
		return -EINVAL;
	memset(qp, 0, sizeof(*qp));
	spin_lock_init(&qp->req.lock);
	spin_lock_init(&qp->resp.lock);
	qp->qpn = init->qpn;
	qp->service = init->service;
	qp->has_srq = init->has_srq;
	tp_req_reset(&qp->req);

	/* A datagram is sent and done with. */
	slots = init->service == TP_UD ? 1 : roundup_pow_of_two(init->max_send_wr);
	extra = max_t(u32, init->max_send_sge * sizeof(struct tp_sge), init->max_inline);
	qp->req.sq_mask = slots - 1;
	qp->req.sq_stride = round_up(sizeof(struct tp_send_wr) + extra, 8);
	bytes = (u64)slots * qp->req.sq_stride;
	if (bytes > TP_MAX_SQ_BYTES)
		return -EINVAL;
	qp->req.sq = kvcalloc(slots, qp->req.sq_stride, GFP_KERNEL);
	if (!qp->req.sq)
		return -ENOMEM;
	/* Only a reliable service answers anything again. */
	if (init->service != TP_RC)
		return 0;
	qp->resp.res = kvcalloc(TP_MAX_RD_ATOMIC, sizeof(*qp->resp.res), GFP_KERNEL);
	if (!qp->resp.res)
		goto no_resources;
	return 0;

no_resources:
	kvfree(qp->req.sq);
	qp->req.sq = NULL;
	return -ENOMEM;
}

void tp_qp_fini(struct tp_qp *qp)
{
	kvfree(qp->resp.res);
	kvfree(qp->req.sq);
	qp->resp.res = NULL;
	qp->req.sq = NULL;
}

static void tp_take_attributes(struct tp_qp_attr *own, const struct tp_qp_attr *attr, u32 mask)
{
	if (mask & TP_ATTR_ACCESS)
		own->access = attr->access;
	if (mask & TP_ATTR_PKEY)
		own->pkey = attr->pkey;
	if (mask & TP_ATTR_QKEY)
		own->qkey = attr->qkey;
	if (mask & TP_ATTR_DEST_QPN)
		own->dest_qpn = attr->dest_qpn;
	if (mask & TP_ATTR_MTU)
		own->mtu = attr->mtu;
	if (mask & TP_ATTR_MAX_RD)
		own->max_rd_atomic = min_t(u32, attr->max_rd_atomic, TP_MAX_RD_ATOMIC);
	if (mask & TP_ATTR_MAX_DEST_RD)
		own->max_dest_rd_atomic = min_t(u32, attr->max_dest_rd_atomic, TP_MAX_RD_ATOMIC);
	if (mask & TP_ATTR_TIMEOUT)
		own->timeout = attr->timeout;
	if (mask & TP_ATTR_RETRY)
		own->retry_cnt = attr->retry_cnt;
	if (mask & TP_ATTR_RNR_RETRY)
		own->rnr_retry = attr->rnr_retry;
	if (mask & TP_ATTR_RNR_TIMER)
		own->min_rnr_timer = attr->min_rnr_timer;
}

/* What an attribute means beyond its value. */
static void tp_apply_attributes(struct tp_qp *qp, const struct tp_qp_attr *attr, u32 mask)
{
	if (mask & TP_ATTR_RETRY)
		qp->req.retries = attr->retry_cnt;
	if (mask & TP_ATTR_RNR_RETRY)
		qp->req.rnr_retries = attr->rnr_retry;
	if (mask & TP_ATTR_SQ_PSN) {
		qp->req.una = attr->sq_psn & TP_PSN_MASK;
		qp->req.next_psn = qp->req.una;
		qp->req.pos.psn = qp->req.una;
		qp->req.pos.sent = qp->req.una;
	}
	if (mask & TP_ATTR_RQ_PSN)
		qp->resp.psn = attr->rq_psn & TP_PSN_MASK;
}

static void tp_qp_reset(struct tp_qp *qp)
{
	tp_owner_disarm(qp);
	tp_req_reset(&qp->req);
	tp_resp_reset(&qp->resp);
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->req.state = TP_QPS_RESET;
	qp->resp.state = TP_QPS_RESET;
	qp->failed = false;
}

/* Both halves to ERR, and both queues flushed. Under both locks. */
static void tp_qp_fail(struct tp_qp *qp)
{
	WRITE_ONCE(qp->failed, false);
	tp_req_error(qp);
	tp_resp_error(qp);
}

static bool tp_qp_in_error(const struct tp_qp *qp)
{
	return qp->req.state == TP_QPS_ERR || qp->resp.state == TP_QPS_ERR;
}

static void tp_qp_move(struct tp_qp *qp, enum tp_qp_state state, bool sqd_event)
{
	struct tp_req *req = &qp->req;

	if (state == TP_QPS_RESET) {
		tp_qp_reset(qp);
		return;
	}
	if (state == TP_QPS_ERR) {
		tp_qp_fail(qp);
		return;
	}
	/* It may have failed after the owner looked; only RESET leads out of ERR. */
	if (tp_qp_in_error(qp))
		return;
	req->state = state;
	qp->resp.state = state;
	req->draining = state == TP_QPS_SQD;
	req->sqd_event = req->draining && sqd_event;
	tp_req_drained(qp);
}

void tp_qp_modify(struct tp_qp *qp, const struct tp_qp_attr *attr, u32 mask)
{
	spin_lock_bh(&qp->req.lock);
	spin_lock(&qp->resp.lock);
	tp_take_attributes(&qp->attr, attr, mask);
	tp_apply_attributes(qp, attr, mask);
	if (mask & TP_ATTR_STATE)
		tp_qp_move(qp, attr->state, mask & TP_ATTR_SQD_EVENT);
	spin_unlock(&qp->resp.lock);
	spin_unlock_bh(&qp->req.lock);
}

void tp_qp_query(struct tp_qp *qp, struct tp_qp_attr *attr, bool *sq_draining)
{
	spin_lock_bh(&qp->req.lock);
	spin_lock(&qp->resp.lock);
	*attr = qp->attr;
	attr->state = tp_qp_in_error(qp) ? TP_QPS_ERR : (enum tp_qp_state)qp->req.state;
	attr->sq_psn = qp->req.next_psn;
	attr->rq_psn = qp->resp.psn;
	*sq_draining = qp->req.draining;
	spin_unlock(&qp->resp.lock);
	spin_unlock_bh(&qp->req.lock);
}

/**
 * tp_qp_settle() - brings the half of a QP along whose other half has failed
 * @qp: the QP
 *
 * At the end of every call from outside; no lock is held.
 */
void tp_qp_settle(struct tp_qp *qp)
{
	if (likely(!READ_ONCE(qp->failed)))
		return;
	spin_lock_bh(&qp->req.lock);
	spin_lock(&qp->resp.lock);
	if (qp->failed) {
		tp_qp_fail(qp);
		tp_owner_state(qp, TP_QPS_ERR);
	}
	spin_unlock(&qp->resp.lock);
	spin_unlock_bh(&qp->req.lock);
}

void tp_qp_error(struct tp_qp *qp, enum tp_event event)
{
	spin_lock_bh(&qp->req.lock);
	spin_lock(&qp->resp.lock);
	/* What the owner found may have been before a RESET: that forgets everything. */
	if (qp->req.state != TP_QPS_RESET) {
		tp_owner_event(qp, event);
		tp_qp_fail(qp);
		tp_owner_state(qp, TP_QPS_ERR);
	}
	spin_unlock(&qp->resp.lock);
	spin_unlock_bh(&qp->req.lock);
}

/**
 * tp_pkey_match() - whether a packet's P_Key lets it in (IBA 10.9.3)
 * @qp: the QP
 * @pkey: P_Key of the packet
 *
 * Return: true if the partition is the same, and one of the two ends is a full
 * member. Under either lock.
 */
bool tp_pkey_match(const struct tp_qp *qp, u16 pkey)
{
	u16 own = qp->attr.pkey;

	return !((own ^ pkey) & 0x7fff) && (own | pkey) & 0x8000;
}

bool tp_receive(struct tp_qp *qp, const struct tp_train *train)
{
	bool more;

	if (train->service != qp->service) {
		tp_owner_drop(qp, train->psn, TP_DROP_OPCODE);
		return false;
	}
	if (tp_op_is_request(train->op)) {
		spin_lock_bh(&qp->resp.lock);
		tp_resp_train(qp, train);
		more = tp_resp_run(qp);
		spin_unlock_bh(&qp->resp.lock);
	} else {
		spin_lock_bh(&qp->req.lock);
		tp_comp_train(qp, train);
		more = tp_req_run(qp);
		spin_unlock_bh(&qp->req.lock);
	}
	tp_qp_settle(qp);
	return more;
}
