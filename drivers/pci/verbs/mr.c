// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: pinned memory as a list of pages, and a memory key of the device's
 * that knows it.
 *
 * The command that makes the key carries the whole list, so that a region is there or
 * is not: nothing is filled in later. Deregistration destroys the key first; when the
 * command is done the device has ended what it did with the pages.
 */
#include "mr.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <ohca/compat.h>

#include "../hw/object.h"
#include "mkc.h"
#include "verbs.h"

/* Page sizes that a key can name, 4 KiB to 2 GiB. */
#define MR_PAGE_SIZES	GENMASK_ULL(31, MLX5_ADAPTER_PAGE_SHIFT)

/* What a region may be asked to allow. */
#define MR_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND | IB_ACCESS_HUGETLB |	\
			 IB_ACCESS_OPTIONAL)

static struct verbs_mr *mr_alloc(struct ib_pd *ibpd, int access)
{
	struct verbs_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->ibmr.device = ibpd->device;
	mr->ibmr.pd = ibpd;
	mr->access = access;
	return mr;
}

static void set_key(struct verbs_mr *mr, u32 mkey)
{
	mr->mkey = mkey;
	mr->ibmr.lkey = mkey;
	mr->ibmr.rkey = mkey;
}

/* Makes the key of a list of pages. */
static int make_key(struct verbs_mr *mr, const struct ohca_page_list *pages, u64 iova, u64 length)
{
	struct ohca_hca *hca = to_hca(mr->ibmr.device);
	const struct verbs_mkc mkc = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.pdn = to_verbs_pd(mr->ibmr.pd)->pdn,
		.qpn = VERBS_MKC_ANY_QP,
		.access = mr->access,
		.start = iova,
		.length = length,
		.log_page_size = pages->nr ? pages->shift : MLX5_ADAPTER_PAGE_SHIFT,
		.octwords = verbs_mkc_octwords(pages->nr),
	};
	size_t bytes = MLX5_ST_SZ_BYTES(create_mkey_in) + mkc.octwords * 16ul;
	unsigned long i;
	__be64 *list;
	u32 mkey;
	void *in;
	int err;

	in = kvzalloc(bytes, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	verbs_mkc_write(MLX5_ADDR_OF(create_mkey_in, in, memory_key_mkey_entry), &mkc,
			MLX5_CAP_GEN(hca, relaxed_ordering_read),
			MLX5_CAP_GEN(hca, relaxed_ordering_write));
	MLX5_SET(create_mkey_in, in, pg_access, !!(mr->access & IB_ACCESS_LOCAL_WRITE));
	MLX5_SET(create_mkey_in, in, translations_octword_actual_size, mkc.octwords);
	list = MLX5_ADDR_OF(create_mkey_in, in, klm_pas_mtt);
	for (i = 0; i < pages->nr; i++)
		list[i] = cpu_to_be64(pages->block[i] | MLX5_MTT_PERM_RW);
	err = ohca_mkey_create(hca, &mkey, in, bytes);
	kvfree(in);
	if (!err)
		set_key(mr, mkey);
	return err;
}

/* Makes the key of pinned memory, which is @mr's from now on. */
static int map_umem(struct verbs_mr *mr, u64 iova)
{
	struct ohca_page_list pages;
	int err;

	err = ohca_page_list_init_dma(&pages, mr->umem, iova, MR_PAGE_SIZES);
	if (err)
		return err;
	err = make_key(mr, &pages, iova, mr->umem->length);
	ohca_page_list_fini(&pages);
	return err;
}

static int pin(struct verbs_mr *mr, u64 start, u64 length, u64 iova)
{
	static const struct ohca_page_list none;
	int err;

	/* A region of no bytes pins nothing: every access to it is out of bounds. */
	if (!length)
		return make_key(mr, &none, iova, 0);
	mr->umem = ohca_umem_get(mr->ibmr.device, start, length, mr->access);
	if (IS_ERR(mr->umem))
		return PTR_ERR(mr->umem);
	err = map_umem(mr, iova);
	if (err)
		ib_umem_release(mr->umem);
	return err;
}

/* ib_device_ops.get_dma_mr: all of memory, for the kernel's consumers. */
struct ib_mr *verbs_get_dma_mr(struct ib_pd *ibpd, int access)
{
	const int remote = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ;
	struct verbs_mr *mr;
	u32 mkey;
	int err;

	if (access & ~(MR_ACCESS & ~IB_ACCESS_REMOTE_ATOMIC))
		return ERR_PTR(-EOPNOTSUPP);
	mr = mr_alloc(ibpd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->ibmr.type = IB_MR_TYPE_DMA;
	err = ohca_mkey_create_all(to_hca(ibpd->device), &mkey, to_verbs_pd(ibpd)->pdn,
				   access & remote);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	set_key(mr, mkey);
	return &mr->ibmr;
}

static int check_range(struct ib_device *ibdev, u64 length, u64 iova, int access)
{
	if (access & ~MR_ACCESS) {
		ibdev_dbg(ibdev, "reg_mr: access %#x\n", access);
		return -EOPNOTSUPP;
	}
	return length && length - 1 > U64_MAX - iova ? -EINVAL : 0;
}

/**
 * verbs_reg_user_mr() - ib_device_ops.reg_user_mr
 * @ibpd: protection domain
 * @start: address in the program
 * @length: bytes
 * @iova: address by which the region's first byte is known
 * @access: IB_ACCESS_*; IB core has checked that they go together
 * @udata: of the system call; nothing in it is this driver's
 *
 * The pages are pinned, and charged to the program, until dereg_mr.
 *
 * Return: the region or an ERR_PTR: -EOPNOTSUPP for rights that the device has not, or
 * an error of pinning or of the command.
 */
struct ib_mr *verbs_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova, int access,
				struct ib_udata *udata)
{
	struct verbs_mr *mr;
	int err;

	err = check_range(ibpd->device, length, iova, access);
	if (err)
		return ERR_PTR(err);
	mr = mr_alloc(ibpd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->ibmr.type = IB_MR_TYPE_USER;
	mr->start = start;
	err = pin(mr, start, length, iova);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}

/**
 * verbs_reg_user_mr_dmabuf() - ib_device_ops.reg_user_mr_dmabuf
 * @ibpd: protection domain
 * @offset: in the dma-buf
 * @length: bytes
 * @iova: address by which the region's first byte is known
 * @fd: the dma-buf
 * @access: IB_ACCESS_*
 *
 * The buffer is pinned where it is: the device has no paging on demand, so its
 * exporter can't move it meanwhile.
 *
 * Return: the region or an ERR_PTR.
 */
struct ib_mr *verbs_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 iova,
				       int fd, int access)
{
	struct ib_umem_dmabuf *dmabuf;
	struct verbs_mr *mr;
	int err;

	err = check_range(ibpd->device, length, iova, access);
	if (err || !length)
		return ERR_PTR(err ?: -EINVAL);
	mr = mr_alloc(ibpd, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->ibmr.type = IB_MR_TYPE_USER;
	dmabuf = ib_umem_dmabuf_get_pinned(ibpd->device, offset, length, fd, access);
	if (IS_ERR(dmabuf)) {
		err = PTR_ERR(dmabuf);
		goto err_pin;
	}
	mr->umem = &dmabuf->umem;
	err = map_umem(mr, iova);
	if (err)
		goto err_map;
	return &mr->ibmr;

err_map:
	ib_umem_release(mr->umem);
err_pin:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * verbs_rereg_user_mr() - ib_device_ops.rereg_user_mr
 * @ibmr: the region
 * @flags: IB_MR_REREG_*: what changes
 * @start: IB_MR_REREG_TRANS: address in the program
 * @length: IB_MR_REREG_TRANS: bytes
 * @iova: IB_MR_REREG_TRANS: address by which the first byte is known
 * @access: IB_MR_REREG_ACCESS: rights
 * @ibpd: IB_MR_REREG_PD: protection domain
 * @udata: of the system call
 *
 * The device can't change a key's context by command: there is a new region, with a
 * new key, for which IB core gives the old one up. On an error the old one stays as
 * it is.
 *
 * Return: the new region or an ERR_PTR.
 */
struct ib_mr *verbs_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				  int access, struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct verbs_mr *mr = to_verbs_mr(ibmr);

	if (flags & ~(IB_MR_REREG_TRANS | IB_MR_REREG_PD | IB_MR_REREG_ACCESS))
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (!(flags & IB_MR_REREG_PD))
		ibpd = ibmr->pd;
	if (!(flags & IB_MR_REREG_TRANS)) {
		/* A dma-buf has no address in the program by which to pin it again. */
		if (mr->umem && mr->umem->is_dmabuf)
			return ERR_PTR(-EOPNOTSUPP);
		start = mr->start;
		length = mr->ibmr.length;
		iova = mr->ibmr.iova;
	}
	return verbs_reg_user_mr(ibpd, start, length, iova, access, udata);
}

/**
 * verbs_dereg_mr() - ib_device_ops.dereg_mr
 * @ibmr: the region
 * @udata: of the system call, or NULL
 *
 * Return: 0; or the command's error, such as -EBUSY for a region with windows on it:
 * the region is still there then.
 */
int verbs_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct verbs_mr *mr = to_verbs_mr(ibmr);
	struct ohca_hca *hca = to_hca(ibmr->device);
	int err;

	err = ohca_mkey_destroy(hca, mr->mkey);
	if (err && !ohca_hca_dead(hca))
		return err;
	if (mr->fast.list)
		verbs_fast_free(mr);
	if (mr->umem)
		ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}
