// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: of programs, pinned or paged on demand; of kernel consumers,
 * over all memory or registered by a work request.
 */
#include "mr.h"

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <ohca/compat.h>

#include "device.h"
#include "dmabuf.h"
#include "qp.h"
#include "transport.h"

/* What a region may be asked to allow. Relaxed ordering is what CPUs do anyway. */
#define SOFT_MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ZERO_BASED |		\
			 IB_ACCESS_HUGETLB | IB_ACCESS_RELAXED_ORDERING)

static struct soft_mr *mr_alloc(struct ib_pd *pd, int access)
{
	struct soft_dev *dev = to_soft_dev(pd->device);
	struct soft_mr *mr;

	if (!soft_count_up(&dev->nr_mr, SOFT_MAX_MR))
		return ERR_PTR(-ENOMEM);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr) {
		atomic_dec(&dev->nr_mr);
		return ERR_PTR(-ENOMEM);
	}
	/* IB core sets these too, but a peer may use the key before it gets to that. */
	mr->ibmr.device = pd->device;
	mr->ibmr.pd = pd;
	mr->access = access;
	soft_key_init(&mr->key, pd, false);
	return mr;
}

/* Of a region that has no key any more, or never had. */
static void mr_free(struct soft_mr *mr)
{
	struct soft_dev *dev = to_soft_dev(mr->ibmr.device);

	ohca_page_list_fini(&mr->pages);
	ohca_page_list_fini(&mr->staged);
	if (mr->odp)
		soft_odp_destroy(mr->odp);
	ib_umem_release(mr->umem);
	if (mr->dmabuf)
		soft_dmabuf_put(mr->dmabuf);
	atomic_dec(&dev->nr_mr);
	kfree_rcu(mr, rcu);
}

/* The region is complete: gives it a key, by which it can be found from now on. */
static struct ib_mr *mr_publish(struct soft_mr *mr, bool valid)
{
	int err = soft_key_publish(to_soft_dev(mr->ibmr.device), &mr->key, valid);

	if (err) {
		mr_free(mr);
		return ERR_PTR(err);
	}
	mr->ibmr.lkey = mr->key.value;
	mr->ibmr.rkey = mr->key.value;
	return &mr->ibmr;
}

/*
 * A region over all memory has kernel addresses. Consumers take them from
 * ib_dma_map_*(); a peer can make one up, so it must be memory that the kernel
 * maps for good. Memory comes and goes by 2 MiB at least (SUBSECTION_SIZE).
 */
static int dma_check(u64 addr, u64 len)
{
	u64 at;

	if (len - 1 > U64_MAX - addr)
		return -EACCES;
	for (at = 0; at < len; at += SZ_2M) {
		if (!virt_addr_valid((void *)(uintptr_t)(addr + at)))
			return -EACCES;
	}
	return virt_addr_valid((void *)(uintptr_t)(addr + len - 1)) ? 0 : -EACCES;
}

/**
 * soft_mr_check() - whether an access is within a region's range and rights
 * @mr: the region; the caller has a reference on its key, which is valid
 * @addr: I/O virtual address
 * @len: bytes, not 0
 * @access: TP_ACCESS_*
 *
 * Return: 0 or -EACCES.
 */
int soft_mr_check(const struct soft_mr *mr, u64 addr, u32 len, u32 access)
{
	if ((mr->access & access) != access)
		return -EACCES;
	if (mr->dma)
		return access & ~TP_ACCESS_LOCAL_WRITE ? dma_check(addr, len) : 0;
	return soft_mr_covers(mr, addr, len) ? 0 : -EACCES;
}

/**
 * soft_mr_covers() - whether a range lies in a region
 * @mr: the region, not one over all memory
 * @addr: I/O virtual address
 * @len: bytes
 *
 * Return: true if so.
 */
bool soft_mr_covers(const struct soft_mr *mr, u64 addr, u64 len)
{
	if (mr->odp)
		return !soft_odp_check(mr->odp, addr, len);
	return !ohca_page_list_check(&mr->pages, addr, len);
}

/**
 * soft_mr_run() - the bytes from an address on that lie in a row
 * @mr: the region; the caller has a reference on a key by which it may be used
 * @addr: I/O virtual address
 * @len: bytes wanted, 1 to INT_MAX
 * @access: TP_ACCESS_*
 * @kva: set to where the byte at @addr is
 *
 * Return: bytes at @kva, at most @len; -EACCES: out of range; -EAGAIN: a page has
 * been asked for, come again.
 */
int soft_mr_run(struct soft_mr *mr, u64 addr, u32 len, u32 access, void **kva)
{
	u32 run;

	if (mr->dma) {
		*kva = (void *)(uintptr_t)addr;
		return len;
	}
	if (mr->odp)
		return soft_odp_run(mr->odp, addr, len, access, kva);
	run = ohca_page_list_run(&mr->pages, addr, len, kva);
	return run ? run : -EACCES;
}

/**
 * soft_mr_invalidate() - LOCAL_INV, or a SEND with invalidate of the peer's
 * @mr: the region; the caller has a reference on its key, and soft_dev.key_lock
 * @remote: the peer asks
 *
 * IBA 10.6.5: only what a work request registered can be invalidated by one. A
 * region of a program or of get_dma_mr stays.
 *
 * Return: see tp_owner_invalidate().
 */
int soft_mr_invalidate(struct soft_mr *mr, bool remote)
{
	if (mr->ibmr.type != IB_MR_TYPE_MEM_REG || mr->windows)
		return -EACCES;
	if (!mr->key.valid && !mr->key.closing)
		return remote ? -EACCES : 0;
	return soft_key_close(&mr->key);
}

/**
 * soft_mr_register() - REG_MR
 * @qp: the QP
 * @bind: key and rights; the pages are those that map_mr_sg was given last
 *
 * The address is the region's, as the consumer has left it: he may have changed
 * it since map_mr_sg. Under soft_dev.key_lock.
 *
 * Return: 0; -EACCES: not a region of this kind, not free, or not of the QP's PD;
 * -EAGAIN: somebody still uses what it was before.
 */
int soft_mr_register(struct soft_qp *qp, const struct tp_bind *bind)
{
	struct soft_mr *mr = bind->region;
	struct soft_key *key = &mr->key;

	if (key->pd != qp->ibqp.pd || key->valid || bind->access & ~SOFT_MR_ACCESS ||
	    soft_key_number(key->value) != soft_key_number(bind->key))
		return -EACCES;
	if (key->closing) {
		if (refcount_read(&key->refs) > 1)
			return -EAGAIN;
		/* What the users of the key did is before what follows. */
		smp_rmb();
		key->closing = false;
	}
	if (ohca_page_list_set(&mr->staged, mr->ibmr.iova, mr->ibmr.length, mr->staged_shift))
		return -EACCES;
	swap(mr->staged, mr->pages);
	mr->access = bind->access;
	WRITE_ONCE(key->value, bind->key);
	soft_key_enable(key);
	return 0;
}

/* ib_device_ops.get_dma_mr: the region behind a kernel consumer's local_dma_lkey. */
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access)
{
	struct soft_mr *mr;

	if (access & ~SOFT_MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = mr_alloc(pd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->dma = true;
	mr->ibmr.type = IB_MR_TYPE_DMA;
	return mr_publish(mr, true);
}

/**
 * struct mr_pages - what a region of a program maps
 * @list: see struct soft_mr
 * @umem: see struct soft_mr
 * @odp: see struct soft_mr
 */
struct mr_pages {
	struct ohca_page_list list;
	struct ib_umem *umem;
	struct soft_odp *odp;
};

static void put_pages(struct mr_pages *pages)
{
	ohca_page_list_fini(&pages->list);
	if (pages->odp)
		soft_odp_destroy(pages->odp);
	ib_umem_release(pages->umem);
}

static int get_pages(struct mr_pages *pages, struct soft_mr *mr, u64 start, u64 length, u64 iova,
		     int access)
{
	int err;

	if (length && length - 1 > U64_MAX - iova)
		return -EINVAL;
	memset(pages, 0, sizeof(*pages));
	if (access & IB_ACCESS_ON_DEMAND) {
		pages->odp = soft_odp_create(mr->ibmr.device, start, length, iova, access);
		return PTR_ERR_OR_ZERO(pages->odp);
	}
	/* A region of no bytes pins nothing: every access to it is out of bounds. */
	if (!length) {
		pages->list.iova = iova;
		return 0;
	}
	pages->umem = ohca_umem_get(mr->ibmr.device, start, length, access);
	if (IS_ERR(pages->umem))
		return PTR_ERR(pages->umem);
	err = ohca_page_list_init_umem(&pages->list, pages->umem, iova);
	if (err)
		ib_umem_release(pages->umem);
	return err;
}

static void swap_pages(struct soft_mr *mr, struct mr_pages *pages)
{
	swap(mr->pages, pages->list);
	swap(mr->umem, pages->umem);
	swap(mr->odp, pages->odp);
}

static int check_access(struct ib_device *ibdev, int access)
{
	if (!(access & ~(SOFT_MR_ACCESS | IB_ACCESS_ON_DEMAND)))
		return 0;
	ibdev_dbg(ibdev, "reg_mr: access %#x\n", access);
	return -EOPNOTSUPP;
}

/**
 * soft_reg_user_mr() - ib_device_ops.reg_user_mr
 * @pd: protection domain
 * @start: address in the program
 * @length: bytes
 * @iova: address by which the region's first byte is known
 * @access: IB_ACCESS_*; IB core has checked that they go together
 * @udata: of the system call
 *
 * The pages are pinned, and charged to the program, until dereg_mr; those of a
 * region that is paged on demand come when they are used. A zero based region has
 * @iova 0, whatever the consumer says.
 *
 * Return: the region or an ERR_PTR: -EOPNOTSUPP for rights that the device has
 * not, -ENOMEM, or an error of pinning.
 */
struct ib_mr *soft_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
			       struct ib_udata *udata)
{
	int err = check_access(pd->device, access);
	struct mr_pages pages;
	struct soft_mr *mr;

	if (err)
		return ERR_PTR(err);
	mr = mr_alloc(pd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->ibmr.type = IB_MR_TYPE_USER;
	err = get_pages(&pages, mr, start, length, access & IB_ZERO_BASED ? 0 : iova, access);
	if (err) {
		mr_free(mr);
		return ERR_PTR(err);
	}
	swap_pages(mr, &pages);
	return mr_publish(mr, true);
}

/**
 * soft_reg_user_mr_dmabuf() - ib_device_ops.reg_user_mr_dmabuf
 * @pd: protection domain
 * @offset: first byte of the region in the buffer
 * @length: bytes
 * @iova: address by which that byte is known; IB core has seen to its place in a page
 * @fd: the buffer
 * @access: IB_ACCESS_*
 *
 * Return: the region or an ERR_PTR: -EOPNOTSUPP for rights that the device has not,
 * or an error of soft_dmabuf_get().
 */
struct ib_mr *soft_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,
				      int access)
{
	struct soft_dmabuf *buf;
	struct soft_mr *mr;

	if (access & ~SOFT_MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = mr_alloc(pd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->ibmr.type = IB_MR_TYPE_USER;
	buf = soft_dmabuf_get(fd, offset, length, iova, &mr->pages);
	if (IS_ERR(buf)) {
		mr_free(mr);
		return ERR_CAST(buf);
	}
	mr->dmabuf = buf;
	return mr_publish(mr, true);
}

/*
 * Takes a region without windows from its users. A window is bound to a valid
 * region only: from then on there are none.
 */
static int mr_disable(struct soft_dev *dev, struct soft_mr *mr)
{
	bool bound;

	spin_lock_bh(&dev->key_lock);
	bound = mr->windows;
	if (!bound)
		WRITE_ONCE(mr->key.valid, false);
	spin_unlock_bh(&dev->key_lock);
	return bound ? -EBUSY : 0;
}

/*
 * The pages that a region is to have: those asked for; or the same memory anew, if it
 * is to be had in another way than before. Returns 1, or 0 if the old ones will do.
 */
static int get_new_pages(struct mr_pages *pages, struct soft_mr *mr, int flags, u64 start,
			 u64 length, u64 iova, int access)
{
	struct ib_umem *old = mr->odp ? soft_odp_umem(mr->odp) : mr->umem;

	if (!(flags & IB_MR_REREG_TRANS)) {
		if (!old || (!(access & IB_ACCESS_ON_DEMAND) == !mr->odp &&
			     (old->writable || !ib_access_writable(access))))
			return 0;
		start = old->address;
		length = old->length;
		iova = mr->odp ? mr->odp->iova : mr->pages.iova;
	}
	return get_pages(pages, mr, start, length, access & IB_ZERO_BASED ? 0 : iova, access) ?: 1;
}

/**
 * soft_rereg_user_mr() - ib_device_ops.rereg_user_mr
 * @ibmr: the region
 * @flags: IB_MR_REREG_*: which of the rest are new
 * @start: address in the program
 * @length: bytes
 * @iova: address by which the region's first byte is known
 * @access: IB_ACCESS_*
 * @pd: protection domain
 * @udata: of the system call
 *
 * The key stays. New pages are pinned before the old ones go, so that nothing
 * changes if that fails.
 *
 * Return: NULL: the region is what was asked for; or an ERR_PTR: as
 * soft_reg_user_mr(), or -EBUSY: a window is bound to it (IBA 11.2.8.7).
 */
struct ib_mr *soft_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				 int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct soft_dev *dev = to_soft_dev(ibmr->device);
	struct soft_mr *mr = to_soft_mr(ibmr);
	struct mr_pages pages = {};
	bool fresh;
	int err;

	if (ibmr->type != IB_MR_TYPE_USER)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	err = check_access(ibmr->device, access);
	if (err)
		return ERR_PTR(err);
	err = get_new_pages(&pages, mr, flags, start, length, iova, access);
	if (err < 0)
		return ERR_PTR(err);
	fresh = err;

	err = mr_disable(dev, mr);
	if (err) {
		put_pages(&pages);
		return ERR_PTR(err);
	}
	soft_key_quiesce(&mr->key);
	mr->access = access;
	if (flags & IB_MR_REREG_PD)
		mr->key.pd = pd;
	if (fresh)
		swap_pages(mr, &pages);
	soft_key_enable(&mr->key);
	put_pages(&pages);
	return NULL;
}

/**
 * soft_alloc_mr() - ib_device_ops.alloc_mr, for kernel consumers
 * @pd: protection domain
 * @type: what is to be registered
 * @max_num_sg: pages of a registration at most
 *
 * The region has a key, which is of no use before it is registered (REG_MR).
 *
 * Return: the region or an ERR_PTR: -EOPNOTSUPP: another type than pages; -EINVAL:
 * too many; -ENOMEM.
 */
struct ib_mr *soft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct soft_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > SOFT_MAX_FAST_REG) {
		ibdev_dbg(pd->device, "alloc_mr: %u pages\n", max_num_sg);
		return ERR_PTR(-EINVAL);
	}
	mr = mr_alloc(pd, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->ibmr.type = type;
	err = ohca_page_list_init_empty(&mr->pages, max_num_sg) ?:
	      ohca_page_list_init_empty(&mr->staged, max_num_sg);
	if (err) {
		mr_free(mr);
		return ERR_PTR(err);
	}
	return mr_publish(mr, false);
}

static int stage_page(struct ib_mr *ibmr, u64 addr)
{
	return ohca_page_list_add(&to_soft_mr(ibmr)->staged, addr);
}

/**
 * soft_map_mr_sg() - ib_device_ops.map_mr_sg
 * @ibmr: a region of soft_alloc_mr(), with the page size: any power of two
 * @sg: mapped for the device: DMA addresses are kernel virtual ones
 * @nents: entries of @sg
 * @offset: in the first entry; NULL: 0
 *
 * The next REG_MR registers these pages. What is registered now stays as it is, so
 * that the consumer may call this before its invalidation is through.
 *
 * Context: any.
 * Return: entries that fit, or -EINVAL.
 */
int soft_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct soft_mr *mr = to_soft_mr(ibmr);

	if (ibmr->type != IB_MR_TYPE_MEM_REG || !is_power_of_2(ibmr->page_size))
		return -EINVAL;
	ohca_page_list_clear(&mr->staged);
	mr->staged_shift = ilog2(ibmr->page_size);
	return ib_sg_to_pages(ibmr, sg, nents, offset, stage_page);
}

/**
 * soft_dereg_mr() - ib_device_ops.dereg_mr
 * @ibmr: the region
 * @udata: of the system call, or NULL
 *
 * Nobody reads or writes the region's memory once this returns.
 *
 * Return: 0 or -EBUSY: a window is bound to it (IBA 11.2.8.6).
 */
int soft_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct soft_dev *dev = to_soft_dev(ibmr->device);
	struct soft_mr *mr = to_soft_mr(ibmr);
	int err = mr_disable(dev, mr);

	if (err)
		return err;
	soft_key_remove(dev, &mr->key);
	mr_free(mr);
	return 0;
}
