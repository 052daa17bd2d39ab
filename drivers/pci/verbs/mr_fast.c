// SPDX-License-Identifier: GPL-2.0
/*
 * Regions and windows whose keys are made valid by work requests (UMR): fast
 * registration for the kernel's consumers, memory windows for programs.
 *
 * The list of pages of a fast registration lies in coherent memory: the device reads
 * it when it comes to the work request.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../hw/object.h"
#include "mkc.h"
#include "mr.h"
#include "verbs.h"

/* Pages of a region: the work request counts 64-byte blocks of the list in 16 bits. */
#define FAST_MAX	(U16_MAX / 4 * 8)

/**
 * verbs_fast_max() - pages of the largest fast registration
 *
 * Context: any.
 * Return: pages.
 */
u32 verbs_fast_max(void)
{
	return FAST_MAX;
}

/**
 * verbs_can_umr() - whether work requests can make keys valid
 * @ibdev: the device
 *
 * Context: any.
 * Return: whether they can.
 */
bool verbs_can_umr(struct ib_device *ibdev)
{
	struct ohca_hca *hca = to_hca(ibdev);

	return !MLX5_CAP_GEN(hca, umr_modify_entity_size_disabled);
}

/**
 * verbs_can_mw() - whether there are memory windows
 * @ibdev: the device
 *
 * Context: any.
 * Return: whether there are.
 */
bool verbs_can_mw(struct ib_device *ibdev)
{
	struct ohca_hca *hca = to_hca(ibdev);

	return MLX5_CAP_GEN(hca, imaicl) && verbs_can_umr(ibdev);
}

/* A key with room for a list, which a work request fills. */
static int make_free_key(struct ib_device *ibdev, const struct verbs_mkc *mkc, u32 *mkey)
{
	u32 in[MLX5_ST_SZ_DW(create_mkey_in)] = {};

	verbs_mkc_write(MLX5_ADDR_OF(create_mkey_in, in, memory_key_mkey_entry), mkc, false, false);
	return ohca_mkey_create(to_hca(ibdev), mkey, in, sizeof(in));
}

static int list_alloc(struct verbs_mr *mr, u32 max)
{
	struct verbs_fast *fast = &mr->fast;

	/* The work request names whole blocks of 64 bytes. */
	fast->bytes = ALIGN(max * sizeof(__be64), MLX5_UMR_FLEX_ALIGNMENT);
	fast->list = dma_alloc_coherent(mr->ibmr.device->dma_device, fast->bytes, &fast->dma,
					GFP_KERNEL);
	if (!fast->list)
		return -ENOMEM;
	fast->max = max;
	return 0;
}

/**
 * verbs_fast_free() - frees a region's list
 * @mr: a region of verbs_alloc_mr(), whose key has gone
 *
 * Context: may sleep.
 */
void verbs_fast_free(struct verbs_mr *mr)
{
	dma_free_coherent(mr->ibmr.device->dma_device, mr->fast.bytes, mr->fast.list,
			  mr->fast.dma);
}

/**
 * verbs_alloc_mr() - ib_device_ops.alloc_mr
 * @ibpd: protection domain
 * @type: IB_MR_TYPE_MEM_REG; there are no others
 * @max_sg: pages
 *
 * Return: the region, which a work request makes valid; or an ERR_PTR.
 */
struct ib_mr *verbs_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_sg)
{
	struct verbs_mkc mkc = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.free = true,
		.umr = true,
		.inval = true,
		.pdn = to_verbs_pd(ibpd)->pdn,
		.qpn = VERBS_MKC_ANY_QP,
		.log_page_size = PAGE_SHIFT,
	};
	struct verbs_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG || !verbs_can_umr(ibpd->device))
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_sg || max_sg > FAST_MAX)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->ibmr.device = ibpd->device;
	err = list_alloc(mr, max_sg);
	if (err)
		goto err_list;
	mkc.octwords = mr->fast.bytes / 16;
	err = make_free_key(ibpd->device, &mkc, &mr->mkey);
	if (err)
		goto err_key;
	mr->ibmr.lkey = mr->mkey;
	mr->ibmr.rkey = mr->mkey;
	return &mr->ibmr;

err_key:
	verbs_fast_free(mr);
err_list:
	kfree(mr);
	return ERR_PTR(err);
}

static int add_page(struct ib_mr *ibmr, u64 addr)
{
	struct verbs_fast *fast = &to_verbs_mr(ibmr)->fast;

	if (fast->nr == fast->max)
		return -ENOMEM;
	fast->list[fast->nr++] = cpu_to_be64(addr | MLX5_MTT_PERM_RW);
	return 0;
}

/**
 * verbs_map_mr_sg() - ib_device_ops.map_mr_sg
 * @ibmr: a region of verbs_alloc_mr()
 * @sg: DMA-mapped memory
 * @nents: entries of @sg
 * @offset: in the first, or NULL
 *
 * Return: entries taken, or an error of ib_sg_to_pages().
 */
int verbs_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct verbs_mr *mr = to_verbs_mr(ibmr);
	u32 i;
	int n;

	mr->fast.nr = 0;
	n = ib_sg_to_pages(ibmr, sg, nents, offset, add_page);
	/* What fills the last block up to 64 bytes is read too. */
	for (i = mr->fast.nr; i < mr->fast.bytes / sizeof(__be64); i++)
		mr->fast.list[i] = 0;
	return n;
}

/**
 * verbs_alloc_mw() - ib_device_ops.alloc_mw
 * @ibmw: the window, with its type
 * @udata: struct mlx5_ib_alloc_mw, or nothing
 *
 * Return: 0; -EOPNOTSUPP: the device has none; -EINVAL; an error of the command.
 */
int verbs_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct verbs_mkc mkc = {
		.mode = MLX5_MKC_ACCESS_MODE_KLMS,
		.free = true,
		.umr = true,
		.inval = ibmw->type == IB_MW_TYPE_2,
		.pdn = to_verbs_pd(ibmw->pd)->pdn,
		.qpn = VERBS_MKC_ANY_QP,
	};
	struct mlx5_ib_alloc_mw req;
	int err;

	if (!verbs_can_mw(ibmw->device))
		return -EOPNOTSUPP;
	err = verbs_read_udata(udata, &req, sizeof(req), 0);
	if (err)
		return err;
	if (req.comp_mask || req.reserved1 || req.reserved2)
		return -EOPNOTSUPP;
	/* Four to a block of 64 bytes; a window is on one region, so one will do. */
	mkc.octwords = ALIGN(max_t(u32, req.num_klms, 1), 4);
	return make_free_key(ibmw->device, &mkc, &ibmw->rkey);
}

/**
 * verbs_dealloc_mw() - ib_device_ops.dealloc_mw
 * @ibmw: the window
 *
 * Return: 0 or the command's error.
 */
int verbs_dealloc_mw(struct ib_mw *ibmw)
{
	struct ohca_hca *hca = to_hca(ibmw->device);
	int err = ohca_mkey_destroy(hca, ibmw->rkey);

	return ohca_hca_dead(hca) ? 0 : err;
}
