// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable connections: what differs from the reliable ones of requester.c and
 * responder.c (IBA 9.8.2). Nothing is acknowledged or sent again. A message that
 * lacks a packet is lost as a whole, and its receive WR stays for the next.
 */
#include "internal.h"

/**
 * tp_uc_sent() - a train of the oldest WR is on its way, and that is all
 * @qp: the QP
 *
 * A WR has ended well with its last packet: all before it have. Under req.lock.
 */
void tp_uc_sent(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;

	req->una = req->pos.psn;
	req->pos.out = 0;
	req->pos.unasked = 0;
	if (!req->pos.pkt)
		tp_req_finish(qp);
}

/* The message at hand is lost; what it wrote before stays written. */
static void tp_uc_lose(struct tp_qp *qp, u32 psn, enum tp_drop why)
{
	qp->resp.in_msg = false;
	tp_owner_drop(qp, psn, why);
}

/* The receive WR ends in error, and the QP with it. */
static void tp_uc_fail(struct tp_qp *qp, enum tp_wc_status status)
{
	tp_fail_recv(qp, status);
	WRITE_ONCE(qp->failed, true);
	tp_resp_error(qp);
}

/*
 * A train that can't be executed (IBA 9.9.3). The peer is told nothing, and but for
 * the faults of a receive WR of its own the QP goes on. A message longer than its
 * receive WR leaves that where it was; but a shared queue's WR has been taken from
 * the others, and must be accounted for.
 */
static void tp_uc_fault(struct tp_qp *qp, const struct tp_train *train, enum tp_fault fault)
{
	struct tp_resp *resp = &qp->resp;

	switch (fault) {
	case TP_FAULT_RNR:
		if (!resp->have_recv && tp_needs_recv(train)) {
			tp_owner_count(qp, TP_CNT_out_of_buffer, 1);
			tp_uc_lose(qp, train->psn, TP_DROP_RECV);
		} else {
			tp_uc_lose(qp, train->psn, TP_DROP_BUSY);
		}
		break;
	case TP_FAULT_ACCESS:
		tp_owner_count(qp, TP_CNT_resp_remote_access_errors, 1);
		tp_uc_lose(qp, train->psn, TP_DROP_ACCESS);
		break;
	case TP_FAULT_TOO_LONG:
		tp_owner_count(qp, TP_CNT_resp_local_length_error, 1);
		tp_uc_lose(qp, train->psn, TP_DROP_RECV);
		if (qp->has_srq)
			tp_uc_fail(qp, TP_WC_LOC_LEN_ERR);
		break;
	case TP_FAULT_RECV:
		tp_uc_lose(qp, train->psn, TP_DROP_RECV);
		tp_uc_fail(qp, resp->recv.bad ? resp->recv.bad : TP_WC_LOC_PROT_ERR);
		break;
	default:
		tp_uc_lose(qp, train->psn, TP_DROP_LENGTH);
		break;
	}
}

/**
 * tp_uc_request() - executes a train of an unreliable connection
 * @qp: the QP
 * @train: the train
 * @data: its payload
 *
 * The beginning of a message is taken in whatever its PSN, and ends a message that
 * has not come to its end. Anything else has to continue a message; if it doesn't,
 * all is dropped up to the next beginning (IBA 9.8.2.2). Under resp.lock.
 */
void tp_uc_request(struct tp_qp *qp, const struct tp_train *train, struct tp_cursor *data)
{
	struct tp_resp *resp = &qp->resp;
	bool gap = train->psn != resp->psn;
	enum tp_fault fault;

	if (gap)
		tp_owner_count(qp, TP_CNT_out_of_sequence, train->npkts);
	if (train->flags & TP_TRAIN_FIRST) {
		resp->in_msg = false;
		resp->psn = train->psn;
	} else if (gap || !resp->in_msg) {
		tp_uc_lose(qp, train->psn, TP_DROP_PSN);
		return;
	}
	fault = tp_resp_message(qp, train, data);
	if (!fault)
		return;
	resp->psn = tp_psn_add(train->psn, train->npkts);
	tp_uc_fault(qp, train, fault);
}
