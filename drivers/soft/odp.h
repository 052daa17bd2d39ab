/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On-demand paging.
 */
#ifndef OHCA_SOFT_ODP_H
#define OHCA_SOFT_ODP_H

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

struct ib_umem;
struct ib_umem_odp;

/**
 * struct soft_odp - the pages of a region that come and go
 * @umem: what tells of pages that go, and brings them
 * @iova: I/O virtual address of the first byte
 * @start: the first byte's address in the program
 * @length: bytes
 * @first: address of the first page in the program
 * @page: an entry a page: its kernel virtual address and SOFT_ODP_*; 0: not there
 * @users: mappings under way
 * @blocked: pages are being taken away: no new mapping
 * @fault_lock: one fault at a time; outside @umem's mutex
 * @lock: of the next members; bottom halves off
 * @asked: @work is to bring pages [@ask_first, @ask_last], to be written if @ask_write
 * @ask_first: see @asked
 * @ask_last: see @asked
 * @ask_write: see @asked
 * @work: brings pages
 * @bad: pages that could not be had, by number: who waits for them is told once
 *
 * Entries are set under @umem's mutex. They are cleared under it too, while @blocked
 * is not 0 and @users is: so who is a user reads them without a lock, and what he
 * found stays.
 */
struct soft_odp {
	struct ib_umem_odp *umem;
	u64 iova;
	u64 start;
	u64 length;
	u64 first;
	unsigned long *page;
	atomic_t users;
	atomic_t blocked;
	struct mutex fault_lock;	/* see @fault_lock */
	spinlock_t lock;		/* see @lock */
	bool asked;
	unsigned long ask_first;
	unsigned long ask_last;
	bool ask_write;
	struct work_struct work;
	struct xarray bad;
};

/* Whether [@addr, @addr + @len) is in the region: 0 or -EFAULT. */
static inline int soft_odp_check(const struct soft_odp *odp, u64 addr, u64 len)
{
	u64 at = addr - odp->iova;

	if (addr < odp->iova || at > odp->length || len > odp->length - at)
		return -EFAULT;
	return 0;
}

/* See soft_mr_begin(). Any context. */
static inline bool soft_odp_begin(struct soft_odp *odp)
{
	atomic_inc(&odp->users);
	/* Pairs with the one in block(): either it sees us, or we see it. */
	smp_mb__after_atomic();
	if (likely(!atomic_read(&odp->blocked)))
		return true;
	atomic_dec(&odp->users);
	return false;
}

/* See soft_mr_end(). */
static inline void soft_odp_end(struct soft_odp *odp)
{
	/* What was done to the pages is before they go. */
	atomic_dec_return_release(&odp->users);
}

#ifdef CONFIG_INFINIBAND_ON_DEMAND_PAGING

struct soft_odp *soft_odp_create(struct ib_device *ibdev, u64 start, u64 length, u64 iova,
				 int access);
void soft_odp_destroy(struct soft_odp *odp);
struct ib_umem *soft_odp_umem(const struct soft_odp *odp);
int soft_odp_run(struct soft_odp *odp, u64 addr, u32 len, u32 access, void **kva);
void soft_odp_caps(struct ib_device_attr *attr);

/* ib_device_ops.advise_mr */
int soft_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		   struct ib_sge *sge, u32 num_sge, struct uverbs_attr_bundle *attrs);

#else /* !CONFIG_INFINIBAND_ON_DEMAND_PAGING */

static inline struct soft_odp *soft_odp_create(struct ib_device *ibdev, u64 start, u64 length,
					       u64 iova, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void soft_odp_destroy(struct soft_odp *odp)
{
}

static inline struct ib_umem *soft_odp_umem(const struct soft_odp *odp)
{
	return NULL;
}

static inline int soft_odp_run(struct soft_odp *odp, u64 addr, u32 len, u32 access, void **kva)
{
	return -EACCES;
}

static inline void soft_odp_caps(struct ib_device_attr *attr)
{
}

#define soft_advise_mr	NULL

#endif /* CONFIG_INFINIBAND_ON_DEMAND_PAGING */

#endif /* OHCA_SOFT_ODP_H */
