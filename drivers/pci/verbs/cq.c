// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues: commands.
 */
#include "cq.h"

#include <linux/log2.h>
#include <linux/mlx5/cq.h>
#include <linux/slab.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/uverbs_ioctl.h>

#include "../hw/cmd.h"
#include "cqe.h"
#include "ucontext.h"
#include "verbs.h"

#define CQ_FLAGS	(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |	\
			 IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)

/* It has completions, and was armed. Hard interrupt context. */
static void on_completion(struct ohca_hw_cq *hw)
{
	struct verbs_cq *cq = container_of(hw, struct verbs_cq, hw);

	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* It is overrun: nothing can complete any more (IBA 11.6.3.1). Hard interrupt context. */
static void on_event(struct ohca_hw_cq *hw, u8 type)
{
	struct verbs_cq *cq = container_of(hw, struct verbs_cq, hw);
	struct ib_event event = {
		.device = cq->ibcq.device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = &cq->ibcq,
	};

	if (type == MLX5_EVENT_TYPE_CQ_ERROR && cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
}

/* log2 of a queue that has room for @cqe entries and the one that is always free. */
static int log_entries(struct ohca_hca *hca, unsigned int cqe)
{
	u32 log = MLX5_CAP_GEN(hca, log_max_cq_sz);

	if (!cqe || cqe > BIT(log) - 1)
		return -EINVAL;
	return order_base_2(cqe + 1);
}

static int read_request(struct ib_udata *udata, struct mlx5_ib_create_cq *req)
{
	int err = verbs_read_udata(udata, req, sizeof(*req),
				   offsetof(struct mlx5_ib_create_cq, flags));

	if (err)
		return err;
	/* No compressed entries, no padding to 128 bytes, no time of day: not announced. */
	if (req->cqe_comp_en || req->reserved0 || req->reserved1 ||
	    req->flags & ~MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX)
		return -EOPNOTSUPP;
	return req->cqe_size == 64 || req->cqe_size == 128 ? 0 : -EINVAL;
}

/* The UAR that the program arms the CQ in: named in one of three ways. */
static struct verbs_uar *find_uar(struct verbs_ucontext *uctx, const struct mlx5_ib_create_cq *req,
				  struct uverbs_attr_bundle *attrs)
{
	u32 index = req->uar_page_index;
	struct verbs_uar *uar;
	int err;

	if (uverbs_attr_is_valid(attrs, MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX)) {
		err = uverbs_copy_from(&index, attrs, MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX);
		if (err)
			return ERR_PTR(err);
	} else if (!(req->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX)) {
		if (!uctx->static_uar)
			return ERR_PTR(-EINVAL);
		index = uctx->static_uar->uar.index;
	}
	uar = verbs_uar_get(uctx, index);
	return uar ?: ERR_PTR(-EINVAL);
}

static int make_user(struct verbs_cq *cq, struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = &attrs->driver_udata;
	struct verbs_ucontext *uctx = rdma_udata_to_drv_context(udata, struct verbs_ucontext,
								ibuctx);
	struct mlx5_ib_create_cq req;
	int err;

	err = read_request(udata, &req);
	if (err)
		return err;
	cq->stride = req.cqe_size;
	cq->uar = find_uar(uctx, &req, attrs);
	if (IS_ERR(cq->uar)) {
		err = PTR_ERR(cq->uar);
		cq->uar = NULL;
		return err;
	}
	err = verbs_db_user(uctx, &cq->db, req.db_addr);
	if (err)
		return err;
	return verbs_mem_user(cq->ibcq.device, &cq->mem, req.buf_addr,
			      (u64)cq->stride << cq->log_size, VERBS_OFFSET_BITS);
}

static int make_kernel(struct verbs_cq *cq)
{
	u32 i;
	int err;

	cq->stride = sizeof(struct mlx5_cqe64);
	err = verbs_db_kernel(cq->ibcq.device, &cq->db);
	if (err)
		return err;
	err = verbs_mem_kernel(cq->ibcq.device, &cq->mem, (u64)cq->stride << cq->log_size);
	if (err)
		return err;
	for (i = 0; i < BIT(cq->log_size); i++)
		verbs_cqe_at(cq, i)->op_own = VERBS_CQE_FRESH;
	cq->hw.db = cq->db.rec;
	return 0;
}

static void unmake(struct verbs_cq *cq)
{
	verbs_mem_free(cq->ibcq.device, &cq->mem);
	verbs_db_free(cq->ibcq.device, &cq->db);
	if (cq->uar)
		verbs_uar_put(cq->uar);
}

static void write_buffer(void *cqc, const struct verbs_mem *mem, u8 log_size)
{
	MLX5_SET(cqc, cqc, log_cq_size, log_size);
	MLX5_SET(cqc, cqc, log_page_size, mem->log_page_size);
	MLX5_SET(cqc, cqc, page_offset, mem->page_offset);
}

static int make_hw(struct verbs_cq *cq, const struct ib_cq_init_attr *attr)
{
	struct ohca_hca *hca = to_hca(cq->ibcq.device);
	size_t bytes = MLX5_ST_SZ_BYTES(create_cq_in) + 8ul * verbs_mem_pages(&cq->mem);
	u32 out[MLX5_ST_SZ_DW(create_cq_out)] = {};
	void *in, *cqc;
	int err;

	in = kvzalloc(bytes, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	MLX5_SET(cqc, cqc, cqe_sz, cqe_sz_to_mlx_sz(cq->stride, 0));
	MLX5_SET(cqc, cqc, oi, !!(attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN));
	MLX5_SET(cqc, cqc, uar_page, cq->uar ? cq->uar->uar.index : hca->uar.index);
	MLX5_SET64(cqc, cqc, dbr_addr, cq->db.dma);
	write_buffer(cqc, &cq->mem, cq->log_size);
	verbs_mem_write(&cq->mem, MLX5_ADDR_OF(create_cq_in, in, pas));
	cq->hw.comp = on_completion;
	cq->hw.event = on_event;
	err = ohca_hw_cq_create(hca, &cq->hw, attr->comp_vector, in, bytes, out, sizeof(out));
	kvfree(in);
	return err;
}

static int answer(struct verbs_cq *cq, struct ib_udata *udata)
{
	struct mlx5_ib_create_cq_resp resp = { .cqn = cq->hw.cqn };

	return ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
}

/**
 * verbs_create_cq() - ib_device_ops.create_cq and create_user_cq
 * @ibcq: the CQ
 * @attr: its size, vector and flags
 * @attrs: a program's: struct mlx5_ib_create_cq; NULL: the kernel's
 *
 * A program's library takes the size that it is told as its mask: it is what it asked
 * for, which it has rounded itself.
 *
 * Return: 0; -EINVAL, -EOPNOTSUPP, -ENOMEM; an error of pinning or of the command.
 */
int verbs_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs)
{
	struct ohca_hca *hca = to_hca(ibcq->device);
	struct verbs_cq *cq = to_verbs_cq(ibcq);
	int log = log_entries(hca, attr->cqe);
	int err;

	if (log < 0)
		return log;
	if (attr->flags & ~CQ_FLAGS ||
	    (attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN && !MLX5_CAP_GEN(hca, cq_oi)))
		return -EOPNOTSUPP;
	if (attr->comp_vector >= ibcq->device->num_comp_vectors)
		return -EINVAL;
	cq->log_size = log;
	mutex_init(&cq->resize);
	spin_lock_init(&cq->lock);
	INIT_LIST_HEAD(&cq->sends);
	INIT_LIST_HEAD(&cq->recvs);
	err = attrs ? make_user(cq, attrs) : make_kernel(cq);
	if (err)
		goto err_make;
	err = make_hw(cq, attr);
	if (err)
		goto err_make;
	ibcq->cqe = BIT(log) - 1;
	err = attrs ? answer(cq, &attrs->driver_udata) : 0;
	if (err)
		goto err_answer;
	return 0;

err_answer:
	ohca_hw_cq_destroy(&cq->hw);
err_make:
	unmake(cq);
	return err;
}

/* ib_device_ops.destroy_cq: no QP completes here any more. */
int verbs_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct verbs_cq *cq = to_verbs_cq(ibcq);

	ohca_hw_cq_destroy(&cq->hw);
	unmake(cq);
	return 0;
}

static int move_buffer(struct verbs_cq *cq, const struct verbs_mem *mem, u8 log_size)
{
	size_t bytes = MLX5_ST_SZ_BYTES(modify_cq_in) + 8ul * verbs_mem_pages(mem);
	u32 out[MLX5_ST_SZ_DW(modify_cq_out)] = {};
	void *in;
	int err;

	in = kvzalloc(bytes, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(modify_cq_in, in, opcode, MLX5_CMD_OP_MODIFY_CQ);
	MLX5_SET(modify_cq_in, in, op_mod, MLX5_CQ_OPMOD_RESIZE);
	MLX5_SET(modify_cq_in, in, cqn, cq->hw.cqn);
	MLX5_SET(modify_cq_in, in,
		 modify_field_select_resize_field_select.resize_field_select.resize_field_select,
		 MLX5_MODIFY_CQ_MASK_LOG_SIZE | MLX5_MODIFY_CQ_MASK_PG_OFFSET |
		 MLX5_MODIFY_CQ_MASK_PG_SIZE);
	write_buffer(MLX5_ADDR_OF(modify_cq_in, in, cq_context), mem, log_size);
	MLX5_SET(modify_cq_in, in, cq_context.cqe_sz, cqe_sz_to_mlx_sz(cq->stride, 0));
	verbs_mem_write(mem, MLX5_ADDR_OF(modify_cq_in, in, pas));
	err = ohca_cmd_exec(to_hca(cq->ibcq.device), in, bytes, out, sizeof(out));
	kvfree(in);
	return err;
}

/**
 * verbs_resize_cq() - resizes a program's CQ
 * @ibcq: the CQ
 * @cqe: entries wanted
 * @udata: struct mlx5_ib_resize_cq
 *
 * The device marks in the old buffer where the new one begins, before the command is
 * done; the library copies what was left. It refuses a size that is too small for the
 * entries that are waiting.
 *
 * Return: 0; -EINVAL, -EOPNOTSUPP, -ENOMEM; an error of pinning or of the command.
 */
int verbs_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct verbs_cq *cq = to_verbs_cq(ibcq);
	struct ohca_hca *hca = to_hca(ibcq->device);
	struct mlx5_ib_resize_cq req = {};
	int log = log_entries(hca, cqe);
	struct verbs_mem mem;
	int err;

	if (!udata || !MLX5_CAP_GEN(hca, cq_resize))
		return -EOPNOTSUPP;
	if (log < 0)
		return log;
	if (udata->inlen < offsetof(struct mlx5_ib_resize_cq, reserved0) ||
	    ib_copy_from_udata(&req, udata, min(udata->inlen, sizeof(req))))
		return -EINVAL;
	if (req.reserved0 || req.reserved1 || req.cqe_size != cq->stride)
		return -EINVAL;
	mutex_lock(&cq->resize);
	err = verbs_mem_user(ibcq->device, &mem, req.buf_addr, (u64)cq->stride << log,
			     VERBS_OFFSET_BITS);
	if (err)
		goto out;
	err = move_buffer(cq, &mem, log);
	if (err) {
		verbs_mem_free(ibcq->device, &mem);
		goto out;
	}
	verbs_mem_free(ibcq->device, &cq->mem);
	cq->mem = mem;
	cq->log_size = log;
	ibcq->cqe = BIT(log) - 1;
out:
	mutex_unlock(&cq->resize);
	return err;
}

/* ib_device_ops.modify_cq: @period in microseconds. */
int verbs_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	return ohca_hw_cq_moderate(&to_verbs_cq(ibcq)->hw, period, count);
}
