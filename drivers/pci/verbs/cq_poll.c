// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues of the kernel's: polling, arming, and cleaning.
 */
#include "cq.h"
#include "cqe.h"
#include "qp.h"
#include "srq.h"
#include "verbs.h"

static bool next_ready(const struct verbs_cq *cq)
{
	return verbs_cqe_ready(verbs_cqe_at(cq, cq->ci), cq->ci, cq->log_size);
}

/* A send: what it was, and which requests before it have gone with it. */
static void finish_send(struct verbs_qp *qp, const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	const struct verbs_sq_entry *entry = verbs_sq_entry(&qp->sq, be16_to_cpu(cqe->wqe_counter));

	wc->wr_id = entry->wr_id;
	wc->opcode = entry->opcode;
	WRITE_ONCE(qp->sq.tail, entry->next);
	if (wc->status)
		wc->byte_len = 0;
	else if (wc->opcode == IB_WC_COMP_SWAP || wc->opcode == IB_WC_FETCH_ADD)
		wc->byte_len = sizeof(u64);
}

static void finish_recv(struct verbs_qp *qp, const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	if (qp->ibqp.srq) {
		struct verbs_srq *srq = to_verbs_srq(qp->ibqp.srq);
		u16 index = be16_to_cpu(cqe->wqe_counter);

		wc->wr_id = verbs_srq_take(srq, index);
		return;
	}
	wc->wr_id = qp->rq.wr_id[qp->rq.tail & (qp->rq.size - 1)];
	WRITE_ONCE(qp->rq.tail, qp->rq.tail + 1);
}

/* Whether the entry was for a consumer. The QP stays while its entries may be here. */
static bool poll_one(struct verbs_cq *cq, const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	struct ohca_ib *ib = to_ohca_ib(cq->ibcq.device);
	enum verbs_cqe_kind kind = verbs_cqe_kind(cqe);
	struct verbs_qp *qp;

	if (kind != VERBS_CQE_SEND && kind != VERBS_CQE_RECV)
		return false;
	qp = xa_load(&ib->qps, verbs_cqe_qpn(cqe));
	if (!qp)
		return false;
	verbs_cqe_to_wc(cqe, wc);
	wc->qp = &qp->ibqp;
	if (kind == VERBS_CQE_SEND)
		finish_send(qp, cqe, wc);
	else
		finish_recv(qp, cqe, wc);
	return true;
}

/* The device is dead: what is outstanding is flushed here. */
static int flush_dead(struct verbs_cq *cq, int n, struct ib_wc *wc)
{
	struct verbs_qp *qp;
	int done = 0;

	list_for_each_entry(qp, &cq->sends, send_node) {
		while (done < n && verbs_sq_flush(qp, &wc[done]))
			done++;
	}
	list_for_each_entry(qp, &cq->recvs, recv_node) {
		while (done < n && verbs_rq_flush(qp, &wc[done]))
			done++;
	}
	return done;
}

/**
 * verbs_poll_cq() - ib_device_ops.poll_cq
 * @ibcq: the CQ
 * @n: room in @wc
 * @wc: to fill
 *
 * Context: any.
 * Return: completions.
 */
int verbs_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct verbs_cq *cq = to_verbs_cq(ibcq);
	unsigned long flags;
	u32 before;
	int done = 0;

	spin_lock_irqsave(&cq->lock, flags);
	before = cq->ci;
	while (done < n && next_ready(cq)) {
		/* The entry is read after its ownership bit. */
		dma_rmb();
		if (poll_one(cq, verbs_cqe_at(cq, cq->ci), &wc[done]))
			done++;
		cq->ci++;
	}
	if (cq->ci != before)
		ohca_hw_cq_set_ci(&cq->hw, cq->ci);
	if (done < n && ohca_hca_dead(cq->hw.hca))
		done += flush_dead(cq, n - done, wc + done);
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

/**
 * verbs_req_notify_cq() - ib_device_ops.req_notify_cq
 * @ibcq: the CQ
 * @flags: what for
 *
 * The device raises the event at once if it has written entries that were not polled,
 * so none is missed. A dead one raises nothing: the consumer is told to poll.
 *
 * Context: any.
 * Return: 0; 1: there may be completions already.
 */
int verbs_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct verbs_cq *cq = to_verbs_cq(ibcq);
	bool solicited = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED;
	unsigned long irq;

	spin_lock_irqsave(&cq->lock, irq);
	ohca_hw_cq_arm(&cq->hw, cq->ci, solicited ? OHCA_ARM_SOLICITED : OHCA_ARM_NEXT);
	spin_unlock_irqrestore(&cq->lock, irq);
	return ohca_hca_dead(cq->hw.hca) && flags & IB_CQ_REPORT_MISSED_EVENTS &&
	       (!list_empty(&cq->sends) || !list_empty(&cq->recvs));
}

/**
 * verbs_cq_clean() - takes a QP's entries out
 * @cq: a CQ of the kernel's
 * @qpn: number of the QP, which the device does not run any more
 * @srq: where its receives came from, to give them back; NULL: its own queue
 *
 * The others move up, and keep the ownership bits of the places that they move to:
 * from the newest entry down, so that none is lost when a handler polls afterwards.
 *
 * Context: any.
 */
void verbs_cq_clean(struct verbs_cq *cq, u32 qpn, struct verbs_srq *srq)
{
	u32 newest, freed = 0, index;
	struct mlx5_cqe64 *cqe, *to;
	unsigned long flags;
	u8 owner;

	spin_lock_irqsave(&cq->lock, flags);
	for (newest = cq->ci; newest - cq->ci < BIT(cq->log_size); newest++) {
		if (!verbs_cqe_ready(verbs_cqe_at(cq, newest), newest, cq->log_size))
			break;
	}
	dma_rmb();
	for (index = newest; index != cq->ci; index--) {
		cqe = verbs_cqe_at(cq, index - 1);
		if (verbs_cqe_qpn(cqe) == qpn) {
			if (srq && verbs_cqe_kind(cqe) == VERBS_CQE_RECV)
				verbs_srq_take(srq, be16_to_cpu(cqe->wqe_counter));
			freed++;
		} else if (freed) {
			to = verbs_cqe_at(cq, index - 1 + freed);
			owner = to->op_own & MLX5_CQE_OWNER_MASK;
			memcpy(to, cqe, sizeof(*to));
			to->op_own = (to->op_own & ~MLX5_CQE_OWNER_MASK) | owner;
		}
	}
	if (freed) {
		cq->ci += freed;
		/* What is moved is in its place before the device may use what is free. */
		wmb();
		ohca_hw_cq_set_ci(&cq->hw, cq->ci);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}

/**
 * verbs_cq_wake() - has a consumer poll, as the device is dead
 * @cq: a CQ of the kernel's
 *
 * Context: any.
 */
void verbs_cq_wake(struct verbs_cq *cq)
{
	if (cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}
