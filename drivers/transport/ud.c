// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable datagrams: a send WR is one packet, which its DETH tells the sender
 * of, and nothing is answered (IBA 9.8.3). GSI QPs are such QPs too.
 */
#include "internal.h"

#include <linux/errno.h>

/* What is wrong with a WR before anything of it is sent. */
static enum tp_wc_status tp_ud_check(const struct tp_send_wr *wr)
{
	if (wr->bad)
		return wr->bad;
	if (wr->opcode != IB_UVERBS_WR_SEND && wr->opcode != IB_UVERBS_WR_SEND_WITH_IMM)
		return TP_WC_LOC_QP_OP_ERR;
	/* A message is a packet. The port may carry less: the owner knows. */
	if (wr->length > TP_MAX_MTU)
		return TP_WC_LOC_LEN_ERR;
	return TP_WC_SUCCESS;
}

/* Takes the next WR from the owner. One is out at a time: it is gone once it is sent. */
static bool tp_ud_take(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	struct tp_send_wr *wr = tp_req_wr(req, req->tail);

	if (req->state != TP_QPS_RTS || !tp_owner_next_send(qp, wr))
		return false;
	req->tail++;
	wr->bad = tp_ud_check(wr);
	return true;
}

static void tp_ud_fill(struct tp_qp *qp, const struct tp_send_wr *wr, struct tp_train *train)
{
	*train = (struct tp_train){
		.service = TP_UD,
		.op = TP_OP_SEND,
		.flags = TP_TRAIN_FIRST | TP_TRAIN_LAST | TP_TRAIN_MIGREQ,
		.npkts = 1,
		.psn = qp->req.next_psn,
		.dest_qpn = wr->dest_qpn,
		.pkey = qp->attr.pkey,
		.mtu = wr->length,
		.length = wr->length,
		/* IBA 10.2.5: the highest bit stands for the QP's own. */
		.qkey = wr->qkey & TP_QKEY_OWN ? qp->attr.qkey : wr->qkey,
		.src_qpn = qp->qpn,
		.ah = wr->ah,
	};
	if (wr->flags & TP_SEND_SOLICITED)
		train->flags |= TP_TRAIN_SE;
	if (wr->opcode == IB_UVERBS_WR_SEND_WITH_IMM) {
		train->flags |= TP_TRAIN_IMM;
		train->imm = wr->imm;
	}
}

/* Maps the payload: 0, or an errno of tp_owner_map(). */
static int tp_ud_map(struct tp_qp *qp, struct tp_send_wr *wr, struct tp_train *train)
{
	struct tp_mem *mem = &qp->req.mem;
	int got;

	if (wr->flags & TP_SEND_INLINE) {
		mem->seg[0].addr = wr->inline_data;
		mem->seg[0].len = wr->length;
		train->nr_seg = 1;
	} else {
		got = tp_map_sges(qp, mem, wr->sge, wr->num_sge, 0, wr->length, 0);
		if (got < 0)
			return got;
		if ((u32)got < wr->length)
			return -EACCES;
		train->nr_seg = mem->nr;
	}
	train->seg = mem->seg;
	return 0;
}

/* Sends the WR at hand. 0: it has ended, well or not; -EAGAIN: it has to wait. */
static int tp_ud_send(struct tp_qp *qp)
{
	struct tp_send_wr *wr = tp_req_wr(&qp->req, qp->req.head);
	struct tp_train train;
	int err = 0;

	if (wr->bad) {
		tp_req_fail(qp, wr->bad, 0);
		return 0;
	}
	tp_ud_fill(qp, wr, &train);
	if (wr->length)
		err = tp_ud_map(qp, wr, &train);
	if (err && err != -EAGAIN) {
		tp_owner_unmap(&qp->req.mem);
		tp_req_fail(qp, TP_WC_LOC_PROT_ERR, 0);
		return 0;
	}
	if (!err)
		err = tp_owner_xmit(qp, &train) ? -ENOBUFS : 0;
	tp_owner_unmap(&qp->req.mem);
	if (err)
		return err;
	qp->req.next_psn = tp_psn_add(qp->req.next_psn, 1);
	tp_owner_count(qp, TP_CNT_sent_pkts, 1);
	tp_owner_count(qp, TP_CNT_sent_bytes, train.length);
	tp_owner_count(qp, TP_CNT_rdma_sends, 1);
	tp_req_finish(qp);
	return 0;
}

/**
 * tp_ud_run() - sends what is posted, or flushes it in SQE and ERR
 * @qp: a datagram QP
 *
 * Under req.lock.
 *
 * Return: true if more can be done by a later call. What the owner had no room for
 * waits for it to call again.
 */
bool tp_ud_run(struct tp_qp *qp)
{
	struct tp_budget budget = TP_BUDGET_INIT;
	struct tp_req *req = &qp->req;
	int err = 0;

	while (!err && (req->head != req->tail || tp_ud_take(qp))) {
		if (tp_budget_spent(&budget))
			return true;
		if (req->state != TP_QPS_RTS && req->state != TP_QPS_SQD)
			break;
		tp_budget_take(&budget, tp_req_wr(req, req->head)->length);
		err = tp_ud_send(qp);
	}
	if (req->state == TP_QPS_SQE || req->state == TP_QPS_ERR) {
		tp_req_flush(qp);
		return false;
	}
	tp_req_drained(qp);
	return err == -EAGAIN;
}

/* Whether a datagram is for this QP, which is to receive it. */
static enum tp_drop tp_ud_admit(struct tp_qp *qp, const struct tp_train *train)
{
	if (!tp_resp_receives(&qp->resp))
		return TP_DROP_STATE;
	if (!tp_pkey_match(qp, train->pkey))
		return TP_DROP_PKEY;
	if (train->qkey != qp->attr.qkey)
		return TP_DROP_QKEY;
	return TP_DROP_NONE;
}

/* Puts the GRH and the payload into the receive WR's memory. */
static int tp_ud_scatter(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_seg seg = { .addr = (void *)train->origin->grh, .len = TP_GRH_BYTES };
	struct tp_cursor grh = { .seg = &seg, .nr = 1 };
	struct tp_cursor data = tp_train_data(train);
	const struct tp_recv_wr *recv = &qp->resp.recv;
	struct tp_mem *mem = &qp->resp.mem;
	int err;

	err = tp_fill_sges(qp, mem, recv->sge, recv->num_sge, 0, &grh, TP_GRH_BYTES);
	if (err)
		return err;
	return tp_fill_sges(qp, mem, recv->sge, recv->num_sge, TP_GRH_BYTES, &data,
			    train->length);
}

/* The receive WR is no good: it ends in error, and the QP with it. */
static void tp_ud_fault(struct tp_qp *qp, enum tp_wc_status status)
{
	tp_fail_recv(qp, status);
	WRITE_ONCE(qp->failed, true);
	tp_resp_error(qp);
}

static void tp_ud_complete(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_wc wc = {
		.status = TP_WC_SUCCESS,
		.opcode = TP_WC_RECV,
		.byte_len = TP_GRH_BYTES + train->length,
		.imm = train->imm,
		.src_qp = train->src_qpn,
		.origin = train->origin,
		.flags = TP_WC_GRH,
		.solicited = train->flags & TP_TRAIN_SE,
	};

	if (train->flags & TP_TRAIN_IMM)
		wc.flags |= TP_WC_WITH_IMM;
	tp_owner_count(qp, TP_CNT_rcvd_bytes, train->length);
	tp_owner_count(qp, TP_CNT_rdma_recvs, 1);
	tp_complete_recv(qp, &wc);
}

/**
 * tp_ud_receive() - takes a datagram in
 * @qp: a datagram QP
 * @train: the datagram
 *
 * One that finds no receive WR, or too small a one, is dropped; the WR stays for
 * the next (IBA 9.9.3, class D). Under resp.lock.
 */
void tp_ud_receive(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_recv_wr *recv = &qp->resp.recv;
	enum tp_drop why = tp_ud_admit(qp, train);
	int err;

	if (why) {
		tp_owner_drop(qp, train->psn, why);
		return;
	}
	tp_owner_count(qp, TP_CNT_rcvd_pkts, 1);
	if (!tp_take_recv(qp)) {
		tp_owner_count(qp, TP_CNT_out_of_buffer, 1);
		tp_owner_drop(qp, train->psn, TP_DROP_RECV);
		return;
	}
	if (recv->bad) {
		tp_ud_fault(qp, recv->bad);
		return;
	}
	if (recv->length < TP_GRH_BYTES || train->length > recv->length - TP_GRH_BYTES) {
		tp_owner_count(qp, TP_CNT_resp_local_length_error, 1);
		tp_owner_drop(qp, train->psn, TP_DROP_RECV);
		return;
	}
	err = tp_ud_scatter(qp, train);
	if (err == -EAGAIN)
		tp_owner_drop(qp, train->psn, TP_DROP_BUSY);
	else if (err)
		tp_ud_fault(qp, TP_WC_LOC_PROT_ERR);
	else
		tp_ud_complete(qp, train);
}
