/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared receive queues.
 */
#ifndef OHCA_PCI_VERBS_SRQ_H
#define OHCA_PCI_VERBS_SRQ_H

#include <linux/mlx5/qp.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../hw/event.h"
#include "mem.h"

/* Scatter entries of a request: a segment of the list's comes before them. */
#define VERBS_SRQ_MAX_SGE(hca)							\
	((u32)MLX5_CAP_GEN(hca, max_wqe_sz_rq) / sizeof(struct mlx5_wqe_data_seg) - 1)

/**
 * struct verbs_srq - a shared receive queue: a linked list of entries
 * @ibsrq: IB core's
 * @srqn: the device's number (of its RMP or XRC SRQ)
 * @res: for events
 * @mem: its entries
 * @db: doorbell record: [0] entries posted
 * @size: entries, a power of two; one is never posted
 * @log_stride: log2 of an entry's bytes
 * @max_sge: scatter entries
 * @lock: of a kernel's: guards what follows
 * @head: the entry to be posted next
 * @last: the last one of the list, which is not posted
 * @posted: counts on
 * @wr_id: the consumer's, by entry
 */
struct verbs_srq {
	struct ib_srq ibsrq;
	u32 srqn;
	struct ohca_res res;
	struct verbs_mem mem;
	struct verbs_db db;
	u32 size;
	u8 log_stride;
	u32 max_sge;
	spinlock_t lock;
	u16 head;
	u16 last;
	u16 posted;
	u64 *wr_id;
};

static inline struct verbs_srq *to_verbs_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct verbs_srq, ibsrq);
}

/* srq.c */
int verbs_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int verbs_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata);
int verbs_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int verbs_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

/* srq_hw.c: as the device has them */
int verbs_srq_hw_create(struct verbs_srq *srq, const struct ib_srq_init_attr *init,
			u32 user_index);
int verbs_srq_hw_destroy(struct verbs_srq *srq);
int verbs_srq_hw_limit(struct verbs_srq *srq, u16 limit);
int verbs_srq_hw_query(struct verbs_srq *srq, u16 *limit);

/* srq_post.c: of the kernel's */
int verbs_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad);
void verbs_srq_link(struct verbs_srq *srq);
u64 verbs_srq_take(struct verbs_srq *srq, u16 index);

#endif /* OHCA_PCI_VERBS_SRQ_H */
