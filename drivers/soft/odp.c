// SPDX-License-Identifier: GPL-2.0
/*
 * On-demand paging: regions whose pages are not pinned.
 *
 * The transport runs with bottom halves off and can't wait for a page. It asks for
 * what is not there and comes again later: a requester after a pause, a responder
 * when its peer, which gets an RNR NAK, does. When the memory management takes a
 * page away, new mappings of the region are put off, those under way get to their
 * end, and then the page goes: nobody reads or writes a page that the program has
 * not got any more.
 */
#include "odp.h"

#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/slab.h>
#include <ohca/compat.h>
#include <rdma/ib_umem_odp.h>

#include "device.h"
#include "mr.h"
#include "transport.h"

/* In an entry of soft_odp.page, below the page's address. */
#define SOFT_ODP_PRESENT	BIT(0)
#define SOFT_ODP_WRITE		BIT(1)

/* Pages brought at once: more than a mapping has segments. */
#define SOFT_ODP_AHEAD		256u

/* Accesses that need a page that can be written. */
#define SOFT_ODP_WRITES		(TP_ACCESS_LOCAL_WRITE | TP_ACCESS_REMOTE_WRITE | \
				 TP_ACCESS_REMOTE_ATOMIC)

static unsigned long page_nr(const struct soft_odp *odp)
{
	return ib_umem_odp_num_pages(odp->umem);
}

/* Puts off new mappings, and waits for those under way. */
static void block(struct soft_odp *odp)
{
	unsigned int spins = 0;

	atomic_inc(&odp->blocked);
	/* Pairs with the one in soft_odp_begin(). */
	smp_mb__after_atomic();
	/* They hold a spinlock: it is short. */
	while (atomic_read_acquire(&odp->users)) {
		if (spins++ < 1000)
			cpu_relax();
		else
			usleep_range(10, 50);
	}
}

static void unblock(struct soft_odp *odp)
{
	/* Entries are cleared before anybody reads them again. */
	smp_mb__before_atomic();
	atomic_dec(&odp->blocked);
}

/* Forgets pages; what may have been written is dirty. Blocked, under the umem's mutex. */
static void forget(struct soft_odp *odp, unsigned long first, unsigned long end)
{
	unsigned long i;

	for (i = first; i < end; i++) {
		unsigned long entry = odp->page[i];

		if (entry & SOFT_ODP_WRITE)
			set_page_dirty(compound_head(virt_to_page((void *)(entry & PAGE_MASK))));
		WRITE_ONCE(odp->page[i], 0);
	}
}

static bool invalidate(struct mmu_interval_notifier *mni, const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct ib_umem_odp *umem = container_of(mni, struct ib_umem_odp, notifier);
	/* NULL: the region is being made, it has no page yet. */
	struct soft_odp *odp = READ_ONCE(umem->private);
	u64 start = max_t(u64, range->start, ib_umem_start(umem));
	u64 end = min_t(u64, range->end, ib_umem_end(umem));

	if (!mmu_notifier_range_blockable(range))
		return false;
	if (odp)
		block(odp);
	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(mni, seq);
	if (odp && start < end)
		forget(odp, (start - odp->first) >> PAGE_SHIFT,
		       (PAGE_ALIGN(end) - odp->first) >> PAGE_SHIFT);
	ib_umem_odp_unmap_dma_pages(umem, start, end);
	mutex_unlock(&umem->umem_mutex);
	if (odp)
		unblock(odp);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = invalidate,
};

/* Brings @nr pages from @first on, or (not @fault) those that are there. May sleep. */
static int bring(struct soft_odp *odp, unsigned long first, unsigned long nr, bool write,
		 bool fault)
{
	struct ib_umem_odp *umem = odp->umem;
	unsigned long i;
	int ret;

	/* The umem's list of pages is written by a fault before it takes the mutex. */
	mutex_lock(&odp->fault_lock);
	ret = ib_umem_odp_map_dma_and_lock(umem, odp->first + (u64)first * PAGE_SIZE,
					   (u64)nr * PAGE_SIZE, ohca_odp_mask(write), fault);
	if (ret < 0)
		goto out;
	for (i = first; i < first + nr; i++) {
		bool writable;
		void *kva = ohca_odp_page(umem, i, &writable);

		/* A page that may have been written stays such a one until it goes. */
		if (kva)
			WRITE_ONCE(odp->page[i], (unsigned long)kva | SOFT_ODP_PRESENT |
						 (writable ? SOFT_ODP_WRITE : 0) |
						 (odp->page[i] & SOFT_ODP_WRITE));
	}
	mutex_unlock(&umem->umem_mutex);
	ret = 0;
out:
	mutex_unlock(&odp->fault_lock);
	return ret;
}

static void fault_work(struct work_struct *work)
{
	struct soft_odp *odp = container_of(work, struct soft_odp, work);
	unsigned long first, last;
	bool write;

	spin_lock_bh(&odp->lock);
	first = odp->ask_first;
	last = odp->ask_last;
	write = odp->ask_write;
	spin_unlock_bh(&odp->lock);

	/* If not all can be had, the first may. */
	if (bring(odp, first, last - first + 1, write, true) &&
	    bring(odp, first, 1, write, true))
		xa_store_bh(&odp->bad, first, xa_mk_value(0), GFP_KERNEL);

	spin_lock_bh(&odp->lock);
	odp->asked = false;
	spin_unlock_bh(&odp->lock);
}

/* Has pages brought, if none are on their way: who needs them comes again in any case. */
static void ask(struct soft_odp *odp, unsigned long first, unsigned long last, bool write)
{
	spin_lock_bh(&odp->lock);
	if (!odp->asked) {
		odp->asked = true;
		odp->ask_first = first;
		odp->ask_last = min(last, first + SOFT_ODP_AHEAD - 1);
		odp->ask_write = write;
		queue_work(system_unbound_wq, &odp->work);
	}
	spin_unlock_bh(&odp->lock);
}

/**
 * soft_odp_run() - soft_mr_run() of a region that is paged on demand
 * @odp: its pages; between soft_odp_begin() and soft_odp_end()
 * @addr: I/O virtual address
 * @len: bytes wanted, 1 to INT_MAX
 * @access: TP_ACCESS_*
 * @kva: set to where the byte at @addr is
 *
 * Context: bottom halves off.
 * Return: see soft_mr_run().
 */
int soft_odp_run(struct soft_odp *odp, u64 addr, u32 len, u32 access, void **kva)
{
	unsigned long need = SOFT_ODP_PRESENT | (access & SOFT_ODP_WRITES ? SOFT_ODP_WRITE : 0);
	unsigned long i, entry, next;
	u64 at, run;

	if (soft_odp_check(odp, addr, len))
		return -EACCES;
	at = addr - odp->iova + (odp->start - odp->first);
	i = at >> PAGE_SHIFT;
	entry = READ_ONCE(odp->page[i]);
	if ((entry & need) != need) {
		if (xa_erase_bh(&odp->bad, i))
			return -EACCES;
		ask(odp, i, (at + len - 1) >> PAGE_SHIFT, need & SOFT_ODP_WRITE);
		return -EAGAIN;
	}
	at &= ~PAGE_MASK;
	*kva = (void *)((entry & PAGE_MASK) + at);
	for (run = PAGE_SIZE - at; run < len; run += PAGE_SIZE) {
		next = READ_ONCE(odp->page[++i]);
		if ((next & need) != need || (next & PAGE_MASK) - (entry & PAGE_MASK) != PAGE_SIZE)
			return run;
		entry = next;
	}
	return len;
}

/**
 * soft_odp_create() - makes a region's pages, none of which is there yet
 * @ibdev: the device
 * @start: address in the program, which calls this
 * @length: bytes
 * @iova: I/O virtual address of the first byte; with @length checked not to wrap
 * @access: IB_ACCESS_*
 *
 * Context: may sleep.
 * Return: the pages or an ERR_PTR: -EOPNOTSUPP: all of the address space; -EINVAL:
 * nothing, or not a range; -ENOMEM.
 */
struct soft_odp *soft_odp_create(struct ib_device *ibdev, u64 start, u64 length, u64 iova,
				 int access)
{
	struct soft_odp *odp;
	int err = -ENOMEM;

	if (length == U64_MAX)
		return ERR_PTR(-EOPNOTSUPP);
	if (!length)
		return ERR_PTR(-EINVAL);
	odp = kzalloc(sizeof(*odp), GFP_KERNEL);
	if (!odp)
		return ERR_PTR(-ENOMEM);
	odp->iova = iova;
	odp->start = start;
	odp->length = length;
	odp->first = start & PAGE_MASK;
	mutex_init(&odp->fault_lock);
	spin_lock_init(&odp->lock);
	INIT_WORK(&odp->work, fault_work);
	xa_init_flags(&odp->bad, XA_FLAGS_LOCK_BH);

	/* Huge pages come and go in small ones as well as any. */
	odp->umem = ib_umem_odp_get(ibdev, start, length, access & ~IB_ACCESS_HUGETLB,
				    &notifier_ops);
	if (IS_ERR(odp->umem)) {
		err = PTR_ERR(odp->umem);
		goto err_umem;
	}
	odp->page = kvcalloc(page_nr(odp), sizeof(*odp->page),
			     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!odp->page)
		goto err_page;
	WRITE_ONCE(odp->umem->private, odp);
	return odp;

err_page:
	ib_umem_odp_release(odp->umem);
err_umem:
	kfree(odp);
	return ERR_PTR(err);
}

/**
 * soft_odp_destroy() - the end of a region's pages
 * @odp: the pages; nobody uses the region any more
 *
 * Context: may sleep.
 */
void soft_odp_destroy(struct soft_odp *odp)
{
	cancel_work_sync(&odp->work);
	mutex_lock(&odp->umem->umem_mutex);
	forget(odp, 0, page_nr(odp));
	mutex_unlock(&odp->umem->umem_mutex);
	/* After it, the notifier does not call any more. */
	ib_umem_odp_release(odp->umem);
	xa_destroy(&odp->bad);
	kvfree(odp->page);
	mutex_destroy(&odp->fault_lock);
	kfree(odp);
}

/* Where the pages come from, and whether they can be written. */
struct ib_umem *soft_odp_umem(const struct soft_odp *odp)
{
	return &odp->umem->umem;
}

/* What query_device says of paging. */
void soft_odp_caps(struct ib_device_attr *attr)
{
	attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	attr->odp_caps.general_caps = IB_ODP_SUPPORT;
	attr->odp_caps.per_transport_caps.rc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_WRITE |
		IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC;
}

static int advise_region(struct soft_mr *mr, u64 addr, u32 len,
			 enum ib_uverbs_advise_mr_advice advice)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	bool fault = advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
	struct soft_odp *odp = mr->odp;
	unsigned long first, last;
	u64 at;
	int err;

	if (!odp)
		return -EINVAL;
	if (write && !odp->umem->umem.writable)
		return -EPERM;
	if (soft_odp_check(odp, addr, len))
		return -EFAULT;
	if (!len)
		return 0;
	at = addr - odp->iova + (odp->start - odp->first);
	last = (at + len - 1) >> PAGE_SHIFT;
	for (first = at >> PAGE_SHIFT; first <= last; first += SOFT_ODP_AHEAD) {
		err = bring(odp, first, min_t(u64, last - first + 1, SOFT_ODP_AHEAD), write, fault);
		if (err)
			return err;
	}
	return 0;
}

static int advise_sge(struct ib_pd *pd, const struct ib_sge *sge,
		      enum ib_uverbs_advise_mr_advice advice)
{
	struct soft_key *key = soft_key_get(to_soft_dev(pd->device), sge->lkey);
	int err = -ENOENT;

	if (!key)
		return -ENOENT;
	if (key->pd == pd && !key->window)
		err = advise_region(key_to_soft_mr(key), sge->addr, sge->length, advice);
	soft_key_put(key);
	return err;
}

/**
 * soft_advise_mr() - ib_device_ops.advise_mr
 * @pd: protection domain
 * @advice: how to prefetch
 * @flags: IB_UVERBS_ADVISE_MR_FLAG_FLUSH: the pages are there on return; they are in
 *         any case
 * @sge: ranges of regions that are paged on demand
 * @num_sge: how many
 * @attrs: of the system call
 *
 * Return: 0; -EOPNOTSUPP: the advice or a flag; -ENOENT: no such key; -EINVAL: a
 * pinned region; -EPERM: to be written, but may not be; -EFAULT: out of the region, or
 * the program has no memory there.
 */
int soft_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		   struct ib_sge *sge, u32 num_sge, struct uverbs_attr_bundle *attrs)
{
	int err = 0;
	u32 i;

	if (flags & ~IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return -EOPNOTSUPP;
	if (advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	for (i = 0; i < num_sge && !err; i++)
		err = advise_sge(pd, &sge[i], advice);
	return err;
}
