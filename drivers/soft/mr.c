// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions.
 *
 * A key is a number in the device's table, and a low byte that changes from one
 * region to the next of the same number, so that a key that is out of date is
 * found out. Look-ups are under RCU; whoever maps a region holds a reference, and
 * deregistration waits for it: that is no longer than a transport lock is held.
 */
#include "mr.h"

#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <ohca/compat.h>

#include "device.h"
#include "transport.h"

/* Key 0 is no region's, so number 0 is not given out. */
#define SOFT_KEY_LIMIT	XA_LIMIT(1, SOFT_MAX_MR)

/* What a region may be asked to allow. Relaxed ordering is what CPUs do anyway. */
#define SOFT_MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ZERO_BASED |		\
			 IB_ACCESS_HUGETLB | IB_ACCESS_RELAXED_ORDERING)

static_assert(TP_ACCESS_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert(TP_ACCESS_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert(TP_ACCESS_REMOTE_READ == IB_ACCESS_REMOTE_READ);
static_assert(TP_ACCESS_REMOTE_ATOMIC == IB_ACCESS_REMOTE_ATOMIC);

static void mr_put(struct soft_mr *mr)
{
	if (refcount_dec_and_test(&mr->refs))
		complete(&mr->idle);
}

static struct soft_mr *mr_alloc(struct ib_pd *pd, int access)
{
	struct soft_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* IB core sets these too, but a peer may use the key before it gets to that. */
	mr->ibmr.device = pd->device;
	mr->ibmr.pd = pd;
	mr->access = access;
	refcount_set(&mr->refs, 1);
	init_completion(&mr->idle);
	return mr;
}

/* The region is complete: gives it a key, by which it can be found from now on. */
static int mr_publish(struct soft_mr *mr)
{
	struct soft_dev *dev = to_soft_dev(mr->ibmr.device);
	u32 number, key;
	int err;

	err = xa_alloc_cyclic(&dev->keys, &number, NULL, SOFT_KEY_LIMIT, &dev->next_key,
			      GFP_KERNEL);
	if (err < 0)
		return err;
	key = number << 8 | (atomic_inc_return(&dev->key_variant) & 0xff);
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	mr->valid = true;
	/* The slot is there: nothing is allocated. */
	xa_store(&dev->keys, number, mr, GFP_KERNEL);
	return 0;
}

/* A reference to the region of @key, if it is valid. RCU or bottom halves off. */
static struct soft_mr *mr_get(struct soft_dev *dev, u32 key)
{
	struct soft_mr *mr;

	rcu_read_lock();
	mr = xa_load(&dev->keys, key >> 8);
	if (mr && (mr->ibmr.lkey != key || !READ_ONCE(mr->valid) ||
		   !refcount_inc_not_zero(&mr->refs)))
		mr = NULL;
	rcu_read_unlock();
	return mr;
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

static int mr_check(const struct soft_mr *mr, const struct ib_pd *pd, u64 addr, u32 len,
		    u32 access)
{
	if (mr->ibmr.pd != pd || (mr->access & access) != access)
		return -EACCES;
	if (mr->dma)
		return access & ~TP_ACCESS_LOCAL_WRITE ? dma_check(addr, len) : 0;
	return ohca_page_list_check(&mr->pages, addr, len) ? -EACCES : 0;
}

static u32 mr_run(const struct soft_mr *mr, u64 addr, u32 len, void **kva)
{
	if (mr->dma) {
		*kva = (void *)(uintptr_t)addr;
		return len;
	}
	return ohca_page_list_run(&mr->pages, addr, len, kva);
}

/* Adds segments until the range or the room is at its end: bytes added. */
static u32 mr_segments(const struct soft_mr *mr, struct tp_mem *mem, u64 addr, u32 len)
{
	u32 done = 0;

	while (done < len && mem->nr < TP_MAX_SEGS) {
		struct tp_seg *seg = &mem->seg[mem->nr];

		seg->len = mr_run(mr, addr + done, len - done, &seg->addr);
		if (!seg->len)
			break;
		done += seg->len;
		mem->nr++;
	}
	mem->length += done;
	return done;
}

int soft_mr_map(struct ib_pd *pd, struct tp_mem *mem, u32 key, u64 addr, u32 len, u32 access)
{
	struct soft_mr *mr;
	int ret;

	mr = mr_get(to_soft_dev(pd->device), key);
	if (!mr)
		return -EACCES;

	ret = mr_check(mr, pd, addr, len, access);
	if (!ret && mem->nr_refs < TP_MAX_SGE)
		/* The number returned is an int; what is left is asked for again. */
		ret = mr_segments(mr, mem, addr, min_t(u32, len, SZ_1G));
	if (ret <= 0) {
		mr_put(mr);
		return ret;
	}
	mem->ref[mem->nr_refs++] = mr;
	return ret;
}

void soft_mr_unmap(struct tp_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->nr_refs; i++)
		mr_put(mem->ref[i]);
	mem->nr = 0;
	mem->length = 0;
	mem->nr_refs = 0;
}

/*
 * IBA 10.6.5: only what a fast registration or a bind made valid can be
 * invalidated. A region of ib_umem or get_dma_mr is neither, and stays.
 */
int soft_mr_invalidate(struct ib_pd *pd, u32 rkey, bool remote)
{
	struct soft_mr *mr = mr_get(to_soft_dev(pd->device), rkey);
	int err = -EACCES;

	if (!mr)
		return -EACCES;
	if (mr->ibmr.pd == pd && mr->ibmr.type == IB_MR_TYPE_MEM_REG) {
		WRITE_ONCE(mr->valid, false);
		err = 0;
	}
	mr_put(mr);
	return err;
}

/* ib_device_ops.get_dma_mr: the region behind a kernel consumer's local_dma_lkey. */
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access)
{
	struct soft_mr *mr;
	int err;

	if (access & ~SOFT_MR_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = mr_alloc(pd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->dma = true;
	mr->ibmr.type = IB_MR_TYPE_DMA;
	err = mr_publish(mr);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}

static int mr_pin(struct soft_mr *mr, u64 start, u64 length, u64 iova)
{
	int err;

	/* A region of no bytes pins nothing: every access to it is out of bounds. */
	if (!length) {
		mr->pages.iova = iova;
		return 0;
	}
	mr->umem = ohca_umem_get(mr->ibmr.device, start, length, mr->access);
	if (IS_ERR(mr->umem))
		return PTR_ERR(mr->umem);
	err = ohca_page_list_init_umem(&mr->pages, mr->umem, iova);
	if (err)
		ib_umem_release(mr->umem);
	return err;
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
 * The pages are pinned, and charged to the program, until dereg_mr. A zero based
 * region has @iova 0, whatever the consumer says.
 *
 * Return: the region or an ERR_PTR: -EOPNOTSUPP for rights that the device has
 * not, or an error of pinning.
 */
struct ib_mr *soft_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
			       struct ib_udata *udata)
{
	struct soft_mr *mr;
	int err;

	if (access & ~SOFT_MR_ACCESS) {
		ibdev_dbg(pd->device, "reg_mr: access %#x\n", access);
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (length && length - 1 > U64_MAX - iova)
		return ERR_PTR(-EINVAL);

	mr = mr_alloc(pd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->ibmr.type = IB_MR_TYPE_USER;
	err = mr_pin(mr, start, length, access & IB_ZERO_BASED ? 0 : iova);
	if (err)
		goto err_pin;
	err = mr_publish(mr);
	if (err)
		goto err_publish;
	return &mr->ibmr;

err_publish:
	ohca_page_list_fini(&mr->pages);
	ib_umem_release(mr->umem);
err_pin:
	kfree(mr);
	return ERR_PTR(err);
}

/* ib_device_ops.dereg_mr: nobody reads or writes the region's memory once this returns. */
int soft_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct soft_mr *mr = to_soft_mr(ibmr);
	struct soft_dev *dev = to_soft_dev(ibmr->device);

	WRITE_ONCE(mr->valid, false);
	xa_erase(&dev->keys, ibmr->lkey >> 8);
	mr_put(mr);
	wait_for_completion(&mr->idle);

	ohca_page_list_fini(&mr->pages);
	ib_umem_release(mr->umem);
	kfree_rcu(mr, rcu);
	return 0;
}
