// SPDX-License-Identifier: GPL-2.0
/*
 * The responder: requests in, their effects, and what is answered to SEND and
 * WRITE (IBA 9.7.4, 9.7.5). READ and ATOMIC are resources.c's.
 *
 * Everything here runs under resp.lock.
 */
#include "internal.h"

#include <linux/errno.h>

/* Completes the receive WR that is held; @wc lacks its identity only. */
void tp_complete_recv(struct tp_qp *qp, struct tp_wc *wc)
{
	wc->wr_id = qp->resp.recv.wr_id;
	if (qp->service != TP_UD)
		wc->src_qp = qp->attr.dest_qpn;
	qp->resp.have_recv = false;
	if (wc->status == TP_WC_WR_FLUSH_ERR)
		tp_owner_count(qp, TP_CNT_resp_cqe_flush_error, 1);
	else if (wc->status)
		tp_owner_count(qp, TP_CNT_resp_cqe_error, 1);
	tp_owner_complete_recv(qp, wc);
}

/* Completes the receive WR that is held in error. */
void tp_fail_recv(struct tp_qp *qp, enum tp_wc_status status)
{
	struct tp_wc wc = { .status = status, .opcode = TP_WC_RECV, .solicited = true };

	tp_complete_recv(qp, &wc);
}

/* Flushes what is held and what is posted; an SRQ's WRs are not this QP's. */
static void tp_resp_flush(struct tp_qp *qp)
{
	struct tp_resp *resp = &qp->resp;
	u32 n;

	if (resp->have_recv)
		tp_fail_recv(qp, TP_WC_WR_FLUSH_ERR);
	if (qp->has_srq)
		return;
	for (n = 0; n < TP_FLUSH_MAX && tp_owner_next_recv(qp, &resp->recv); n++)
		tp_fail_recv(qp, TP_WC_WR_FLUSH_ERR);
}

static void tp_resp_silence(struct tp_resp *resp)
{
	u32 i;

	for (i = 0; resp->res && i < TP_MAX_RD_ATOMIC; i++)
		resp->res[i].queued = false;
	resp->queue_head = 0;
	resp->queue_len = 0;
	resp->ack_due = false;
	resp->closing = false;
}

/**
 * tp_resp_error() - moves the responder to ERR
 * @qp: the QP
 *
 * Answers that are due are dropped, unless they lead up to the NAK that tells
 * the peer why. Flushes receive WRs. Under resp.lock.
 */
void tp_resp_error(struct tp_qp *qp)
{
	struct tp_resp *resp = &qp->resp;

	if (resp->state == TP_QPS_ERR)
		return;
	resp->state = TP_QPS_ERR;
	if (!resp->closing)
		tp_resp_silence(resp);
	resp->in_msg = false;
	tp_resp_flush(qp);
	if (qp->has_srq)
		tp_owner_event(qp, TP_EVENT_LAST_WQE);
}

/* Forgets everything. Under resp.lock. */
void tp_resp_reset(struct tp_resp *resp)
{
	u32 i;

	tp_resp_silence(resp);
	for (i = 0; resp->res && i < TP_MAX_RD_ATOMIC; i++)
		resp->res[i].valid = false;
	resp->res_next = 0;
	resp->msn = 0;
	resp->in_msg = false;
	resp->nak_sent = false;
	resp->told_none = false;
	resp->comm_est = false;
	resp->have_recv = false;
}

static void tp_resp_answer(struct tp_resp *resp, u32 psn, u8 syndrome)
{
	resp->ack_due = true;
	resp->ack_psn = psn;
	resp->ack_syndrome = syndrome;
}

/**
 * tp_resp_fault() - ends the connection over a request
 * @qp: the QP
 * @fault: what is wrong: one that has an effect in tp_fault_effects
 * @psn: PSN of the request
 *
 * The NAK goes out after the answers that are due already, though the QP is in
 * ERR by then. Under resp.lock.
 */
void tp_resp_fault(struct tp_qp *qp, enum tp_fault fault, u32 psn)
{
	const struct tp_fault_effect *effect = &tp_fault_effects[fault];

	if (fault == TP_FAULT_ACCESS || fault == TP_FAULT_INVALIDATE)
		tp_owner_count(qp, TP_CNT_resp_remote_access_errors, 1);
	if (fault == TP_FAULT_TOO_LONG)
		tp_owner_count(qp, TP_CNT_resp_local_length_error, 1);
	tp_resp_answer(&qp->resp, psn, TP_AETH_NAK | effect->nak);
	qp->resp.closing = true;
	WRITE_ONCE(qp->failed, true);
	if (effect->has_event)
		tp_owner_event(qp, effect->event);
	tp_resp_error(qp);
}

/* Whether there is a receive WR for the message at hand; takes one if need be. */
bool tp_take_recv(struct tp_qp *qp)
{
	struct tp_resp *resp = &qp->resp;

	if (!resp->have_recv)
		resp->have_recv = tp_owner_next_recv(qp, &resp->recv);
	return resp->have_recv;
}

/* Whether the train may come now, and is made as it should be (IBA 9.7.4.1.3, 9.7.4.1.6). */
static bool tp_in_place(const struct tp_resp *resp, const struct tp_train *train, u32 mtu)
{
	bool first = train->flags & TP_TRAIN_FIRST;
	bool last = train->flags & TP_TRAIN_LAST;
	u32 tail = tp_train_payload(train, train->npkts - 1);

	if (first == resp->in_msg || (!first && resp->op != train->op))
		return false;
	if (train->npkts > 1 && train->mtu != mtu)
		return false;
	if (!last)
		return tail == mtu;
	if (!tail)
		return first && train->npkts == 1;
	return tail <= mtu;
}

static enum tp_fault tp_take_send(struct tp_qp *qp, const struct tp_train *train,
				  struct tp_cursor *data)
{
	struct tp_resp *resp = &qp->resp;
	struct tp_recv_wr *recv = &resp->recv;
	int err;

	if (recv->bad)
		return TP_FAULT_RECV;
	if (train->length > recv->length - resp->offset)
		return TP_FAULT_TOO_LONG;
	err = tp_fill_sges(qp, &resp->mem, recv->sge, recv->num_sge, resp->offset, data,
			   train->length);
	if (err)
		return err == -EAGAIN ? TP_FAULT_RNR : TP_FAULT_RECV;
	if (!(train->flags & TP_TRAIN_INV))
		return TP_FAULT_NONE;
	err = tp_owner_invalidate(qp, train->inv_rkey, true);
	if (err)
		return err == -EAGAIN ? TP_FAULT_RNR : TP_FAULT_INVALIDATE;
	return TP_FAULT_NONE;
}

/*
 * Writes @len bytes at @va. @check bytes from there on have to be writable, or
 * nothing is written (IBA 9.7.4.1.5: the first packet is checked for them all).
 */
static int tp_write_remote(struct tp_qp *qp, u64 va, u32 len, u32 check, struct tp_cursor *data)
{
	struct tp_mem *mem = &qp->resp.mem;
	int got;

	while (len) {
		got = tp_owner_map(qp, mem, qp->resp.rkey, va, min(check, TP_MAP_BYTES),
				   TP_ACCESS_REMOTE_WRITE);
		if (got > 0) {
			got = min_t(u32, got, len);
			tp_copy(mem->seg, mem->nr, data, got);
		}
		tp_owner_unmap(mem);
		if (got < 0)
			return got;
		if (!got)
			return -EACCES;
		va += got;
		len -= got;
		check = len;
	}
	return 0;
}

static enum tp_fault tp_take_write(struct tp_qp *qp, const struct tp_train *train,
				   struct tp_cursor *data)
{
	struct tp_resp *resp = &qp->resp;
	bool last = train->flags & TP_TRAIN_LAST;
	bool first = train->flags & TP_TRAIN_FIRST;
	u32 rest;
	int err;

	if (first) {
		if (!(qp->attr.access & TP_ACCESS_REMOTE_WRITE) || train->dmalen > TP_MAX_MESSAGE)
			return TP_FAULT_INVALID;
		resp->va = train->va;
		resp->rkey = train->rkey;
		resp->dmalen = train->dmalen;
	}
	rest = resp->dmalen - resp->offset;
	if (train->length > rest || (last && train->length != rest))
		return TP_FAULT_INVALID;
	if (last && train->flags & TP_TRAIN_IMM && resp->recv.bad)
		return TP_FAULT_RECV;
	err = tp_write_remote(qp, resp->va + resp->offset, train->length,
			      first ? resp->dmalen : train->length, data);
	if (err)
		return err == -EAGAIN ? TP_FAULT_RNR : TP_FAULT_ACCESS;
	return TP_FAULT_NONE;
}

/* The message has come to its end. */
static void tp_end_message(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_resp *resp = &qp->resp;
	bool imm = train->flags & TP_TRAIN_IMM;
	bool send = train->op == TP_OP_SEND;
	struct tp_wc wc = {
		.status = TP_WC_SUCCESS,
		.opcode = send ? TP_WC_RECV : TP_WC_RECV_WITH_IMM,
		.byte_len = resp->offset,
		.imm = train->imm,
		.solicited = train->flags & TP_TRAIN_SE,
	};

	resp->in_msg = false;
	resp->msn = tp_psn_add(resp->msn, 1);
	tp_owner_count(qp, send ? TP_CNT_rdma_recvs : TP_CNT_rx_write_requests, 1);
	if (!send && !imm)
		return;
	if (imm)
		wc.flags |= TP_WC_WITH_IMM;
	if (train->flags & TP_TRAIN_INV)
		wc.flags |= TP_WC_WITH_INV;
	tp_complete_recv(qp, &wc);
}

/* A train that has its place, and the receive WR that it needs. */
static enum tp_fault tp_take_train(struct tp_qp *qp, const struct tp_train *train,
				   struct tp_cursor *data)
{
	struct tp_resp *resp = &qp->resp;
	enum tp_fault fault;

	if (train->flags & TP_TRAIN_FIRST)
		resp->offset = 0;
	if (train->op == TP_OP_SEND)
		fault = tp_take_send(qp, train, data);
	else
		fault = tp_take_write(qp, train, data);
	if (fault)
		return fault;
	resp->in_msg = true;
	resp->op = train->op;
	resp->offset += train->length;
	resp->psn = tp_psn_add(resp->psn, train->npkts);
	tp_owner_count(qp, TP_CNT_rcvd_bytes, train->length);
	if (train->flags & TP_TRAIN_LAST)
		tp_end_message(qp, train);
	return TP_FAULT_NONE;
}

/**
 * tp_needs_recv() - whether a train takes a receive WR
 * @train: a SEND or WRITE
 *
 * Return: SEND does with its first packet, WRITE with immediate with its last.
 */
bool tp_needs_recv(const struct tp_train *train)
{
	u32 needs = train->op == TP_OP_SEND ? TP_TRAIN_FIRST : TP_TRAIN_LAST | TP_TRAIN_IMM;

	return (train->flags & needs) == needs;
}

/**
 * tp_resp_message() - executes a SEND or WRITE that begins at the expected PSN
 * @qp: the QP
 * @train: the request
 * @data: its payload
 *
 * Return: what is wrong with it; a part may be done then, as the expected PSN
 * tells. Under resp.lock.
 */
enum tp_fault tp_resp_message(struct tp_qp *qp, const struct tp_train *train,
			      struct tp_cursor *data)
{
	struct tp_train front;
	enum tp_fault fault;

	if (!tp_in_place(&qp->resp, train, qp->attr.mtu))
		return TP_FAULT_INVALID;
	if (!tp_needs_recv(train) || tp_take_recv(qp))
		return tp_take_train(qp, train, data);
	if (train->op == TP_OP_SEND || train->npkts == 1)
		return TP_FAULT_RNR;
	/* All but the packet that found no receive WR is good. */
	front = *train;
	front.npkts--;
	front.length = front.npkts * front.mtu;
	front.flags &= TP_TRAIN_FIRST;
	fault = tp_take_train(qp, &front, data);
	return fault ? fault : TP_FAULT_RNR;
}

/* The train begins at the expected PSN. */
static void tp_resp_expected(struct tp_qp *qp, const struct tp_train *train, struct tp_cursor *data)
{
	struct tp_resp *resp = &qp->resp;
	enum tp_fault fault;

	if (resp->nak_sent) {
		resp->nak_sent = false;
		if (resp->ack_syndrome & TP_AETH_KIND_MASK)
			resp->ack_due = false;
	}
	if (train->op == TP_OP_SEND || train->op == TP_OP_WRITE)
		fault = tp_resp_message(qp, train, data);
	else if (resp->in_msg)
		fault = TP_FAULT_INVALID;
	else if (train->op == TP_OP_READ)
		fault = tp_res_read(qp, train);
	else
		fault = tp_res_atomic(qp, train);

	if (fault == TP_FAULT_RNR) {
		tp_owner_count(qp, TP_CNT_send_rnr_err, 1);
		tp_resp_answer(resp, resp->psn,
			       TP_AETH_RNR_NAK | (qp->attr.min_rnr_timer & TP_AETH_VALUE_MASK));
		resp->nak_sent = true;
	} else if (fault) {
		if (resp->have_recv)
			tp_fail_recv(qp, resp->recv.bad ? resp->recv.bad :
				     tp_fault_effects[fault].recv);
		tp_resp_fault(qp, fault, resp->psn);
	} else if (train->flags & TP_TRAIN_ACKREQ &&
		   (train->op == TP_OP_SEND || train->op == TP_OP_WRITE)) {
		tp_resp_answer(resp, tp_psn_add(resp->psn, TP_PSN_MASK), TP_AETH_ACK);
	}
}

/* Something before it was lost: say so once, until that comes (IBA C9-114, C9-115). */
static void tp_resp_ahead(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_resp *resp = &qp->resp;

	tp_owner_count(qp, TP_CNT_out_of_sequence, train->npkts);
	tp_owner_count(qp, TP_CNT_out_of_seq_request, 1);
	if (resp->nak_sent)
		return;
	tp_owner_count(qp, TP_CNT_rcvd_seq_err, 1);
	tp_resp_answer(resp, resp->psn, TP_AETH_NAK | TP_NAK_SEQUENCE);
	resp->nak_sent = true;
}

/* The train was executed before; its answer may have been lost (IBA 9.7.5.1.4). */
static void tp_resp_duplicate(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_resp *resp = &qp->resp;
	u32 psn;

	tp_owner_count(qp, TP_CNT_duplicate_request, 1);
	if (train->op != TP_OP_SEND && train->op != TP_OP_WRITE) {
		if (!tp_res_replay(qp, train))
			tp_owner_drop(qp, train->psn, TP_DROP_PSN);
		return;
	}
	/* An answer that waits for its turn says as much, or more. */
	if (resp->ack_due)
		return;
	psn = tp_res_limit(qp, train->psn);
	tp_resp_answer(resp, psn, TP_AETH_ACK);
}

/**
 * tp_resp_train() - executes a request
 * @qp: the QP
 * @train: the request
 *
 * What is to be answered is noted; tp_resp_run() sends it. Under resp.lock.
 */
void tp_resp_train(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_cursor data = tp_train_data(train);
	struct tp_resp *resp = &qp->resp;
	struct tp_train rest;
	s32 ahead;

	if (qp->service == TP_UD) {
		tp_ud_receive(qp, train);
		return;
	}
	if (!tp_resp_receives(resp)) {
		tp_owner_drop(qp, train->psn, TP_DROP_STATE);
		return;
	}
	if (!tp_pkey_match(qp, train->pkey)) {
		tp_owner_drop(qp, train->psn, TP_DROP_PKEY);
		return;
	}
	tp_owner_count(qp, TP_CNT_rcvd_pkts, train->npkts);
	if (resp->state == TP_QPS_RTR && !resp->comm_est) {
		resp->comm_est = true;
		tp_owner_event(qp, TP_EVENT_COMM_EST);
	}
	if (qp->service == TP_UC) {
		tp_uc_request(qp, train, &data);
		return;
	}
	ahead = tp_psn_diff(train->psn, resp->psn);
	if (ahead > 0) {
		tp_resp_ahead(qp, train);
		return;
	}
	if (ahead < 0) {
		if ((u32)-ahead >= train->npkts) {
			tp_resp_duplicate(qp, train);
			return;
		}
		tp_owner_count(qp, TP_CNT_duplicate_request, 1);
		rest = *train;
		tp_train_trim(&rest, &data, -ahead);
		train = &rest;
	}
	tp_resp_expected(qp, train, &data);
}

/**
 * tp_resp_fill() - begins a response train
 * @qp: the QP
 * @train: to fill
 * @op: kind of response
 * @psn: its PSN
 * @msn: its MSN
 *
 * An ACK of one packet, with the credits that there are; the caller changes what
 * is not so. With an SRQ there are no credits to give (IBA 9.7.7.2). Under resp.lock.
 */
void tp_resp_fill(struct tp_qp *qp, struct tp_train *train, enum tp_op op, u32 psn, u32 msn)
{
	u8 credits;

	*train = (struct tp_train){
		.service = qp->service,
		.op = op,
		.flags = TP_TRAIN_FIRST | TP_TRAIN_LAST | TP_TRAIN_MIGREQ,
		.npkts = 1,
		.psn = psn,
		.dest_qpn = qp->attr.dest_qpn,
		.pkey = qp->attr.pkey,
		.mtu = qp->attr.mtu,
		.syndrome = TP_AETH_ACK | TP_AETH_NO_CREDITS,
		.msn = msn,
	};
	if (qp->has_srq)
		return;
	credits = tp_credits_encode(tp_owner_recv_count(qp));
	qp->resp.told_none = !credits;
	train->syndrome = TP_AETH_ACK | credits;
}

/**
 * tp_resp_emit() - sends a response, by wire or straight to a requester of this host
 * @qp: the QP
 * @train: the response
 *
 * Return: 0, or -EAGAIN: it was not sent. Under resp.lock.
 */
int tp_resp_emit(struct tp_qp *qp, const struct tp_train *train)
{
	int err = 0;

	if (qp->resp.local)
		tp_comp_train(qp->resp.local, train);
	else
		err = tp_owner_xmit(qp, train);
	if (err)
		return err;
	tp_owner_count(qp, TP_CNT_sent_pkts, train->npkts);
	if (train->length)
		tp_owner_count(qp, TP_CNT_sent_bytes, train->length);
	return 0;
}

static int tp_resp_send_ack(struct tp_qp *qp)
{
	struct tp_resp *resp = &qp->resp;
	struct tp_train train;
	int err;

	tp_resp_fill(qp, &train, TP_OP_ACK, resp->ack_psn, resp->msn);
	if (resp->ack_syndrome & TP_AETH_KIND_MASK)
		train.syndrome = resp->ack_syndrome;
	err = tp_resp_emit(qp, &train);
	if (err)
		return err;
	resp->ack_due = false;
	resp->closing = false;
	return 0;
}

/*
 * Sends what is due: READ and ATOMIC answers in their order, then an ACK or NAK.
 * 0: all of it; -EAGAIN: the owner has no room; -EBUSY: memory can't be reached
 * now; -EINPROGRESS: @budget is spent.
 */
static int tp_resp_send(struct tp_qp *qp, struct tp_budget *budget)
{
	struct tp_resp *resp = &qp->resp;
	int err = 0;

	while (resp->queue_len && !err) {
		if (tp_budget_spent(budget))
			err = -EINPROGRESS;
		else
			err = tp_res_send(qp, budget);
	}
	if (!err && resp->ack_due)
		err = tp_resp_send_ack(qp);
	if (err && resp->ack_due)
		tp_owner_count(qp, TP_CNT_ack_deferred, 1);
	return err;
}

/**
 * tp_resp_run() - sends what is due, within a call's share
 * @qp: the QP
 *
 * Return: true if there is more that can be sent by a later call. What the owner
 * had no room for waits for it to call again. Under resp.lock.
 */
bool tp_resp_run(struct tp_qp *qp)
{
	struct tp_budget budget = TP_BUDGET_INIT;
	int err = tp_resp_send(qp, &budget);

	return err && err != -EAGAIN;
}

bool tp_respond(struct tp_qp *qp)
{
	bool more;

	spin_lock_bh(&qp->resp.lock);
	more = tp_resp_run(qp);
	spin_unlock_bh(&qp->resp.lock);
	tp_qp_settle(qp);
	return more;
}

void tp_recv_posted(struct tp_qp *qp)
{
	struct tp_resp *resp = &qp->resp;

	spin_lock_bh(&resp->lock);
	if (resp->state == TP_QPS_ERR) {
		tp_resp_flush(qp);
	} else if (tp_resp_receives(resp) && resp->told_none && !resp->queue_len &&
		   !resp->ack_due && !resp->nak_sent && tp_owner_recv_count(qp)) {
		/* The peer was told that there is no credit, and may be waiting. */
		tp_resp_answer(resp, tp_psn_add(resp->psn, TP_PSN_MASK), TP_AETH_ACK);
		tp_resp_run(qp);
	}
	spin_unlock_bh(&resp->lock);
}

bool tp_deliver_local(struct tp_qp *from, struct tp_qp *to, const struct tp_train *train)
{
	struct tp_budget all = { .bytes = U32_MAX, .trains = U32_MAX };
	struct tp_resp *resp = &to->resp;
	bool failed;

	/* Bottom halves are off: @from's req.lock is held. */
	spin_lock(&resp->lock);
	resp->local = from;
	tp_resp_train(to, train);
	if (tp_resp_send(to, &all)) {
		/*
		 * Memory that would have to be paged in: nobody can hand @from the
		 * answer later, so it has to ask again.
		 */
		tp_resp_silence(resp);
		tp_req_pause(from);
	}
	resp->local = NULL;
	failed = READ_ONCE(to->failed);
	spin_unlock(&resp->lock);
	return failed;
}
