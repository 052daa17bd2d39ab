/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions, and the keys that name them.
 */
#ifndef OHCA_SOFT_MR_H
#define OHCA_SOFT_MR_H

#include <linux/refcount.h>
#include <linux/completion.h>
#include <rdma/ib_verbs.h>
#include <ohca/page_list.h>

struct soft_dev;
struct soft_pd;
struct tp_mem;

/**
 * struct soft_mr - a memory region
 * @ibmr: what IB core sees; lkey equals rkey
 * @pages: what it maps: [iova, iova + length) to pages; unused by a DMA region
 * @umem: pinned user pages, or NULL
 * @access: IB_ACCESS_*
 * @dma: a kernel user's region over all memory (get_dma_mr): address is identity
 * @valid: false once invalidated or being destroyed: no new use begins
 * @refs: one of the object itself, one of each mapping under way
 * @idle: completed when @refs falls to 0; destruction waits for it
 * @rcu: frees the structure after lookups by key have gone
 */
struct soft_mr {
	struct ib_mr ibmr;
	struct ohca_page_list pages;
	struct ib_umem *umem;
	u32 access;
	bool dma;
	bool valid;
	refcount_t refs;
	struct completion idle;
	struct rcu_head rcu;
};

static inline struct soft_mr *to_soft_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct soft_mr, ibmr);
}

/**
 * soft_mr_map() - tp_owner_map() of a protection domain
 * @pd: the QP's
 * @mem: to add segments and a reference to
 * @key: lkey, or rkey if @access is remote
 * @addr: I/O virtual address
 * @len: bytes, not 0
 * @access: TP_ACCESS_*
 *
 * Any context, bottom halves off.
 *
 * Return: see tp_owner_map().
 */
int soft_mr_map(struct ib_pd *pd, struct tp_mem *mem, u32 key, u64 addr, u32 len, u32 access);

/* tp_owner_unmap(): drops the references. */
void soft_mr_unmap(struct tp_mem *mem);

/* tp_owner_invalidate(). */
int soft_mr_invalidate(struct ib_pd *pd, u32 rkey, bool remote);

/* ib_device_ops */
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *soft_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
			       struct ib_udata *udata);
int soft_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

#endif /* OHCA_SOFT_MR_H */
