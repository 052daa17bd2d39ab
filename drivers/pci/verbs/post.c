// SPDX-License-Identifier: GPL-2.0
/*
 * Posting to QPs of the kernel's.
 *
 * A request is written to the queue, then the doorbell record says so, then the
 * doorbell is rung once for all that were posted together. Receives have no doorbell:
 * the device looks at the record.
 */
#include "cq.h"
#include "qp.h"
#include "verbs.h"

/* Blocks that are free. The tail moves meanwhile, which only makes more of them free. */
static u32 sq_free(const struct verbs_sq *sq)
{
	return sq->size - (sq->head - READ_ONCE(sq->tail));
}

/* Copies the request to the ring, which it may wrap around, block by block. */
static void *copy_blocks(struct verbs_qp *qp, u32 blocks)
{
	struct verbs_sq *sq = &qp->sq;
	void *first = NULL, *to;
	u32 i, at;

	for (i = 0; i < blocks; i++) {
		at = (sq->head + i) & (sq->size - 1);
		to = verbs_mem_at(&qp->mem, sq->at + at * VERBS_WQEBB);
		memcpy(to, sq->wqe->data + i * VERBS_WQEBB, VERBS_WQEBB);
		if (!i)
			first = to;
	}
	return first;
}

/* Writes one request; @ctrl gets its control segment, for the doorbell. */
static int post_one(struct verbs_qp *qp, const struct ib_send_wr *wr, u8 umr_fence, void **ctrl)
{
	struct verbs_sq *sq = &qp->sq;
	struct verbs_sq_entry *entry;
	u32 blocks;
	u8 flags;
	int err;

	if (!sq->size)
		return -EINVAL;
	err = verbs_wqe_build(sq->wqe, &sq->limits, wr);
	if (err)
		return err;
	blocks = verbs_wqe_blocks(sq->wqe->bytes);
	if (blocks > sq_free(sq))
		return -ENOMEM;
	flags = verbs_wqe_flags(sq->wqe, wr, qp->signal_all, sq->after_umr, umr_fence);
	verbs_wqe_finish(sq->wqe, qp->qpn, sq->head, flags);
	entry = verbs_sq_entry(sq, sq->head);
	entry->wr_id = wr->wr_id;
	entry->opcode = sq->wqe->wc_opcode;
	entry->next = sq->head + blocks;
	*ctrl = copy_blocks(qp, blocks);
	sq->after_umr = sq->wqe->umr;
	/* A dead device's queue is flushed by who polls: it looks at the entry first. */
	smp_store_release(&sq->head, entry->next);
	return 0;
}

/* What a registration or invalidation itself has to wait for. */
static u8 umr_fence(struct ohca_hca *hca)
{
	switch (MLX5_CAP_GEN(hca, umr_fence)) {
	case MLX5_CAP_UMR_FENCE_NONE:
		return MLX5_FENCE_MODE_NONE;
	case MLX5_CAP_UMR_FENCE_SMALL:
		return MLX5_FENCE_MODE_INITIATOR_SMALL;
	default:
		return MLX5_FENCE_MODE_STRONG_ORDERING;
	}
}

static void ring(struct verbs_qp *qp, struct ohca_hca *hca, const void *ctrl)
{
	/* The requests are there before the record says so. */
	dma_wmb();
	qp->db.rec[MLX5_SND_DBR] = cpu_to_be32(qp->sq.head & 0xffff);
	/* The record says so before the device is told to look. */
	wmb();
	ohca_uar_send(&hca->uar, ctrl);
}

/**
 * verbs_post_send() - ib_device_ops.post_send
 * @ibqp: the QP
 * @wr: requests
 * @bad: set to the first that was not posted
 *
 * A QP whose adapter is dead takes requests too: polling flushes them.
 *
 * Context: any.
 * Return: 0; -EINVAL: a bad request; -ENOMEM: the queue is full.
 */
int verbs_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad)
{
	struct verbs_qp *qp = to_verbs_qp(ibqp);
	struct ohca_hca *hca = to_hca(ibqp->device);
	u8 fence = umr_fence(hca);
	unsigned long flags;
	void *ctrl = NULL;
	int err = 0;

	spin_lock_irqsave(&qp->sq.lock, flags);
	for (; wr; wr = wr->next) {
		err = post_one(qp, wr, fence, &ctrl);
		if (err) {
			*bad = wr;
			break;
		}
	}
	if (ctrl && !ohca_hca_dead(hca))
		ring(qp, hca, ctrl);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	if (ctrl && ohca_hca_dead(hca))
		verbs_cq_wake(to_verbs_cq(ibqp->send_cq));
	return err;
}

/**
 * verbs_post_recv() - ib_device_ops.post_recv
 * @ibqp: the QP
 * @wr: requests
 * @bad: set to the first that was not posted
 *
 * Context: any.
 * Return: 0; -EINVAL: a bad request; -ENOMEM: the queue is full.
 */
int verbs_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad)
{
	struct verbs_qp *qp = to_verbs_qp(ibqp);
	struct verbs_rq *rq = &qp->rq;
	unsigned long flags;
	int err = 0;
	u32 at;

	spin_lock_irqsave(&rq->lock, flags);
	for (; wr; wr = wr->next) {
		at = rq->head & (rq->size - 1);
		if (!rq->size)
			err = -EINVAL;
		else if (rq->head - READ_ONCE(rq->tail) >= rq->size)
			err = -ENOMEM;
		else
			err = verbs_wqe_recv(verbs_mem_at(&qp->mem, at << rq->log_stride),
					     rq->max_sge, wr);
		if (err) {
			*bad = wr;
			break;
		}
		rq->wr_id[at] = wr->wr_id;
		/* As of sends. */
		smp_store_release(&rq->head, rq->head + 1);
	}
	/* The requests are there before the record says so. */
	dma_wmb();
	qp->db.rec[MLX5_RCV_DBR] = cpu_to_be32(rq->head & 0xffff);
	spin_unlock_irqrestore(&rq->lock, flags);
	if (ohca_hca_dead(to_hca(ibqp->device)))
		verbs_cq_wake(to_verbs_cq(ibqp->recv_cq));
	return err;
}

static void flushed(struct verbs_qp *qp, u64 wr_id, enum ib_wc_opcode opcode, struct ib_wc *wc)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = wr_id;
	wc->opcode = opcode;
	wc->status = IB_WC_WR_FLUSH_ERR;
	wc->qp = &qp->ibqp;
}

/**
 * verbs_sq_flush() - flushes the oldest send request of a dead adapter's QP
 * @qp: the QP
 * @wc: to fill
 *
 * Context: any; the lock of the CQ of its sends.
 * Return: whether there was one.
 */
bool verbs_sq_flush(struct verbs_qp *qp, struct ib_wc *wc)
{
	const struct verbs_sq_entry *entry;

	/* Pairs with the post: what the entry says is there. */
	if (qp->sq.tail == smp_load_acquire(&qp->sq.head))
		return false;
	entry = verbs_sq_entry(&qp->sq, qp->sq.tail);
	flushed(qp, entry->wr_id, entry->opcode, wc);
	WRITE_ONCE(qp->sq.tail, entry->next);
	return true;
}

/**
 * verbs_rq_flush() - flushes the oldest receive request of a dead adapter's QP
 * @qp: the QP; requests of an SRQ are not flushed (IBA 10.2.9.4)
 * @wc: to fill
 *
 * Context: any; the lock of the CQ of its receives.
 * Return: whether there was one.
 */
bool verbs_rq_flush(struct verbs_qp *qp, struct ib_wc *wc)
{
	struct verbs_rq *rq = &qp->rq;

	/* Pairs with the post. */
	if (rq->tail == smp_load_acquire(&rq->head))
		return false;
	flushed(qp, rq->wr_id[rq->tail & (rq->size - 1)], IB_WC_RECV, wc);
	WRITE_ONCE(rq->tail, rq->tail + 1);
	return true;
}
