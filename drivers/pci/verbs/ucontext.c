// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts of programs.
 *
 * Libraries of every age ask with a structure that has grown, and take an answer that
 * has grown: missing members of the question are 0, the answer is cut to what there
 * is room for.
 */
#include "ucontext.h"

#include <linux/cache.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "clock.h"
#include "verbs.h"

/* The oldest question has two words. */
#define REQ_LEAST	sizeof(struct mlx5_ib_alloc_ucontext_req)

static int read_request(struct ib_udata *udata, struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	int err = verbs_read_udata(udata, req, sizeof(*req), REQ_LEAST);

	if (err)
		return err;
	/* There is no DEVX: the library asks again without. */
	if (req->flags || req->comp_mask || req->reserved0 || req->reserved1 || req->reserved2)
		return -EOPNOTSUPP;
	return 0;
}

static void say_sizes(struct ohca_hca *hca, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	resp->qp_tab_size = 1u << MLX5_CAP_GEN(hca, log_max_qp);
	resp->bf_reg_size = MLX5_CAP_GEN(hca, bf) ? 1u << MLX5_CAP_GEN(hca, log_bf_reg_size) : 0;
	resp->cache_line_size = cache_line_size();
	resp->max_sq_desc_sz = MLX5_CAP_GEN(hca, max_wqe_sz_sq);
	resp->max_rq_desc_sz = MLX5_CAP_GEN(hca, max_wqe_sz_rq);
	resp->max_send_wqebb = 1u << MLX5_CAP_GEN(hca, log_max_qp_sz);
	resp->max_recv_wr = 1u << MLX5_CAP_GEN(hca, log_max_qp_sz);
	resp->max_srq_recv_wr = 1u << MLX5_CAP_GEN(hca, log_max_srq_sz);
	resp->num_ports = VERBS_PORT;
	resp->log_uar_size = MLX5_ADAPTER_PAGE_SHIFT;
	resp->num_uars_per_page = PAGE_SIZE / OHCA_UAR_BYTES;
}

static void say_features(struct ohca_ib *ib, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	struct ohca_hca *hca = ib->hca;

	resp->cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
			      MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	resp->eth_min_inline = MLX5_USER_INLINE_MODE_NONE;
	resp->comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET;
	resp->hca_core_clock_offset = VERBS_CLOCK_OFFSET;
	if (ib->clock)
		resp->clock_info_versions = BIT(MLX5_IB_CLOCK_INFO_V1);
	if (MLX5_CAP_GEN(hca, dump_fill_mkey)) {
		resp->dump_fill_mkey = hca->key.dump_fill_mkey;
		resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY;
	}
}

static int keep_map(struct verbs_ucontext *uctx, enum verbs_map_kind kind, phys_addr_t addr,
		    struct verbs_uar *uar, u32 cmd)
{
	u32 offset = verbs_map_offset(cmd, 0);
	struct verbs_map *map;

	map = verbs_map_add(&uctx->ibuctx, kind, addr, uar, offset, offset);
	if (IS_ERR(map))
		return PTR_ERR(map);
	uctx->map[uctx->nr_maps++] = &map->entry;
	return 0;
}

/*
 * Static mode, of libraries that can't make UARs: one that all queues share. The
 * program maps it as it likes, and takes no lock for the first doorbell of it, which
 * is the one that all its QPs are told.
 */
static int add_static_uar(struct verbs_ucontext *uctx)
{
	struct verbs_uar *uar = verbs_uar_make(uctx);
	int err;

	if (IS_ERR(uar))
		return PTR_ERR(uar);
	uctx->static_uar = uar;
	err = keep_map(uctx, VERBS_MAP_UAR_NC, uar->uar.addr, uar, MLX5_IB_MMAP_REGULAR_PAGE);
	return err ?: keep_map(uctx, VERBS_MAP_UAR_NC, uar->uar.addr, uar, MLX5_IB_MMAP_NC_PAGE);
}

static int add_clock(struct verbs_ucontext *uctx)
{
	struct ohca_ib *ib = to_ohca_ib(uctx->ibuctx.device);
	int err;

	err = keep_map(uctx, VERBS_MAP_CLOCK, verbs_clock_page(ib->hca), NULL,
		       MLX5_IB_MMAP_CORE_CLOCK);
	if (err || !ib->clock)
		return err;
	return keep_map(uctx, VERBS_MAP_CLOCK_INFO, verbs_clock_info_page(ib->clock), NULL,
			MLX5_IB_MMAP_CLOCK_INFO);
}

/* Mappings that exist keep what they need. */
static void drop_maps(struct verbs_ucontext *uctx)
{
	while (uctx->nr_maps)
		rdma_user_mmap_entry_remove(uctx->map[--uctx->nr_maps]);
	if (uctx->static_uar)
		verbs_uar_put(uctx->static_uar);
	uctx->static_uar = NULL;
}

/**
 * verbs_alloc_ucontext() - ib_device_ops.alloc_ucontext
 * @ibuctx: the context
 * @udata: struct mlx5_ib_alloc_ucontext_req or its second version; the answer is
 *         struct mlx5_ib_alloc_ucontext_resp
 *
 * Return: 0; -EINVAL, -EOPNOTSUPP: asks for what there is not; -ENOMEM; an error of a
 * command.
 */
int verbs_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata)
{
	struct verbs_ucontext *uctx = to_verbs_ucontext(ibuctx);
	struct ohca_ib *ib = to_ohca_ib(ibuctx->device);
	struct mlx5_ib_alloc_ucontext_resp resp = {};
	struct mlx5_ib_alloc_ucontext_req_v2 req;
	int err;

	err = read_request(udata, &req);
	if (err)
		return err;
	mutex_init(&uctx->db_lock);
	INIT_LIST_HEAD(&uctx->db_pages);
	xa_init(&uctx->uars);
	uctx->cqe_version = min_t(u8, req.max_cqe_version, MLX5_CAP_GEN(ib->hca, cqe_version));

	err = add_clock(uctx);
	if (!err && !(req.lib_caps & MLX5_LIB_CAP_DYN_UAR))
		err = add_static_uar(uctx);
	if (err)
		goto err_maps;

	say_sizes(ib->hca, &resp);
	say_features(ib, &resp);
	resp.cqe_version = uctx->cqe_version;
	resp.tot_bfregs = uctx->static_uar ? VERBS_BFREGS_PER_UAR : 0;
	resp.response_length = min(udata->outlen, sizeof(resp));
	err = ib_copy_to_udata(udata, &resp, resp.response_length);
	if (err)
		goto err_maps;
	return 0;

err_maps:
	drop_maps(uctx);
	return err;
}

/**
 * verbs_dealloc_ucontext() - ib_device_ops.dealloc_ucontext
 * @ibuctx: the context; it has no objects and no mappings any more
 */
void verbs_dealloc_ucontext(struct ib_ucontext *ibuctx)
{
	struct verbs_ucontext *uctx = to_verbs_ucontext(ibuctx);

	drop_maps(uctx);
	xa_destroy(&uctx->uars);
}

/**
 * verbs_disassociate_ucontext() - ib_device_ops.disassociate_ucontext
 * @ibuctx: the context
 *
 * The adapter goes: IB core has zapped the mappings, and destroys the objects.
 */
void verbs_disassociate_ucontext(struct ib_ucontext *ibuctx)
{
}
