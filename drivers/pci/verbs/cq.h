/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queues.
 */
#ifndef OHCA_PCI_VERBS_CQ_H
#define OHCA_PCI_VERBS_CQ_H

#include <linux/mlx5/device.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../hw/cq.h"
#include "mem.h"

struct uverbs_attr_bundle;
struct verbs_srq;
struct verbs_uar;

/**
 * struct verbs_cq - a completion queue
 * @ibcq: IB core's
 * @hw: the device's
 * @mem: its entries
 * @db: its doorbell record
 * @uar: a program's: where it arms it
 * @log_size: log2 of its entries
 * @stride: bytes of an entry
 * @resize: one at a time
 * @lock: of a kernel's: guards what follows; taken with interrupts off
 * @ci: entries polled
 * @sends: QPs whose sends complete here (struct verbs_qp's send_node), for when the
 *         device is dead
 * @recvs: the same of receives (recv_node)
 */
struct verbs_cq {
	struct ib_cq ibcq;
	struct ohca_hw_cq hw;
	struct verbs_mem mem;
	struct verbs_db db;
	struct verbs_uar *uar;
	u8 log_size;
	u32 stride;
	struct mutex resize;
	spinlock_t lock;
	u32 ci;
	struct list_head sends;
	struct list_head recvs;
};

static inline struct verbs_cq *to_verbs_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct verbs_cq, ibcq);
}

/* cq.c */
int verbs_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs);
int verbs_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int verbs_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int verbs_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);

/* cq_poll.c: of the kernel's */
int verbs_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc);
int verbs_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void verbs_cq_clean(struct verbs_cq *cq, u32 qpn, struct verbs_srq *srq);
void verbs_cq_wake(struct verbs_cq *cq);

/* Entry @index, which counts on; 128 byte entries have theirs in the second half. */
static inline struct mlx5_cqe64 *verbs_cqe_at(const struct verbs_cq *cq, u32 index)
{
	u32 at = (index & ((1u << cq->log_size) - 1)) * cq->stride;

	return verbs_mem_at(&cq->mem, at + cq->stride - sizeof(struct mlx5_cqe64));
}

#endif /* OHCA_PCI_VERBS_CQ_H */
