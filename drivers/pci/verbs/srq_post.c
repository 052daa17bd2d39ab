// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues of the kernel's: posting.
 *
 * The entries are one list, which the device follows: from the entry that it uses next
 * to the last that is posted, and on to those that are free. An entry that has been
 * used goes to the end.
 */
#include "srq.h"
#include "verbs.h"
#include "wqe.h"

static struct mlx5_wqe_srq_next_seg *entry_at(const struct verbs_srq *srq, u16 index)
{
	return verbs_mem_at(&srq->mem, (u32)index << srq->log_stride);
}

/**
 * verbs_srq_link() - links all entries of a new queue
 * @srq: the queue
 *
 * Context: any.
 */
void verbs_srq_link(struct verbs_srq *srq)
{
	u32 i;

	for (i = 0; i < srq->size; i++)
		entry_at(srq, i)->next_wqe_index = cpu_to_be16((i + 1) & (srq->size - 1));
	srq->head = 0;
	srq->last = srq->size - 1;
	srq->posted = 0;
}

/**
 * verbs_post_srq_recv() - ib_device_ops.post_srq_recv
 * @ibsrq: the queue
 * @wr: requests
 * @bad: set to the first that was not posted
 *
 * Context: any.
 * Return: 0; -EINVAL: too many scatter entries; -ENOMEM: the queue is full.
 */
int verbs_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad)
{
	struct verbs_srq *srq = to_verbs_srq(ibsrq);
	struct mlx5_wqe_srq_next_seg *entry;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&srq->lock, flags);
	for (; wr; wr = wr->next) {
		entry = entry_at(srq, srq->head);
		err = srq->head == srq->last ? -ENOMEM :
		      verbs_wqe_recv((struct mlx5_wqe_data_seg *)(entry + 1), srq->max_sge, wr);
		if (err) {
			*bad = wr;
			break;
		}
		srq->wr_id[srq->head] = wr->wr_id;
		srq->head = be16_to_cpu(entry->next_wqe_index) & (srq->size - 1);
		srq->posted++;
	}
	/* The requests are there before the record says so. */
	dma_wmb();
	srq->db.rec[0] = cpu_to_be32(srq->posted);
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}

/**
 * verbs_srq_take() - takes an entry that has been used back
 * @srq: the queue
 * @index: the entry, as a completion names it
 *
 * Context: any.
 * Return: the consumer's number of the request that was in it.
 */
u64 verbs_srq_take(struct verbs_srq *srq, u16 index)
{
	unsigned long flags;
	u64 wr_id;

	index &= srq->size - 1;
	spin_lock_irqsave(&srq->lock, flags);
	wr_id = srq->wr_id[index];
	entry_at(srq, srq->last)->next_wqe_index = cpu_to_be16(index);
	srq->last = index;
	spin_unlock_irqrestore(&srq->lock, flags);
	return wr_id;
}
