// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues.
 */
#include "srq.h"

#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "ucontext.h"
#include "verbs.h"

/* Hard interrupt context. */
static void on_event(struct ohca_res *res, u8 type)
{
	struct verbs_srq *srq = container_of(res, struct verbs_srq, res);
	struct ib_event event = { .device = srq->ibsrq.device, .element.srq = &srq->ibsrq };

	if (!srq->ibsrq.event_handler)
		return;
	switch (type) {
	case MLX5_EVENT_TYPE_SRQ_RQ_LIMIT:
		event.event = IB_EVENT_SRQ_LIMIT_REACHED;
		break;
	case MLX5_EVENT_TYPE_SRQ_CATAS_ERROR:
		event.event = IB_EVENT_SRQ_ERR;
		break;
	default:
		return;
	}
	srq->ibsrq.event_handler(&event, srq->ibsrq.srq_context);
}

/*
 * One more entry than can be posted, as the last of the list never is; an entry is a
 * segment that links and the scatter list. Libraries count the same way.
 */
static int set_sizes(struct verbs_srq *srq, const struct ib_srq_attr *attr)
{
	struct ohca_hca *hca = to_hca(srq->ibsrq.device);
	u32 bytes;

	if (!attr->max_wr || attr->max_wr >= BIT(MLX5_CAP_GEN(hca, log_max_srq_sz)) ||
	    attr->max_sge > VERBS_SRQ_MAX_SGE(hca))
		return -EINVAL;
	bytes = sizeof(struct mlx5_wqe_srq_next_seg) +
		attr->max_sge * sizeof(struct mlx5_wqe_data_seg);
	srq->size = roundup_pow_of_two(attr->max_wr + 1);
	srq->log_stride = order_base_2(max_t(u32, bytes, 32));
	srq->max_sge = (BIT(srq->log_stride) - sizeof(struct mlx5_wqe_srq_next_seg)) /
		       sizeof(struct mlx5_wqe_data_seg);
	return 0;
}

static int make_user(struct verbs_srq *srq, struct ib_udata *udata, u32 *user_index)
{
	struct verbs_ucontext *uctx = rdma_udata_to_drv_context(udata, struct verbs_ucontext,
								ibuctx);
	struct mlx5_ib_create_srq req;
	int err;

	err = verbs_read_udata(udata, &req, sizeof(req), offsetof(struct mlx5_ib_create_srq, uidx));
	if (err)
		return err;
	if (req.flags || req.reserved0 || req.reserved1)
		return -EOPNOTSUPP;
	*user_index = uctx->cqe_version ? req.uidx & 0xffffff : 0xffffff;
	err = verbs_db_user(uctx, &srq->db, req.db_addr);
	return err ?: verbs_mem_user(srq->ibsrq.device, &srq->mem, req.buf_addr,
				     (u64)srq->size << srq->log_stride,
				     srq->ibsrq.srq_type == IB_SRQT_XRC ? VERBS_OFFSET_BITS :
									  VERBS_OFFSET_BITS_WQ);
}

static int make_kernel(struct verbs_srq *srq)
{
	int err;

	spin_lock_init(&srq->lock);
	srq->wr_id = kvcalloc(srq->size, sizeof(*srq->wr_id), GFP_KERNEL);
	if (!srq->wr_id)
		return -ENOMEM;
	err = verbs_db_kernel(srq->ibsrq.device, &srq->db);
	err = err ?: verbs_mem_kernel(srq->ibsrq.device, &srq->mem,
				      (u64)srq->size << srq->log_stride);
	if (!err)
		verbs_srq_link(srq);
	return err;
}

static void unmake(struct verbs_srq *srq)
{
	verbs_mem_free(srq->ibsrq.device, &srq->mem);
	verbs_db_free(srq->ibsrq.device, &srq->db);
	kvfree(srq->wr_id);
}

static int answer(const struct verbs_srq *srq, struct ib_udata *udata)
{
	struct mlx5_ib_create_srq_resp resp = { .srqn = srq->srqn };

	return ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
}

static int check_type(struct ib_device *ibdev, enum ib_srq_type type, bool kernel)
{
	struct ohca_hca *hca = to_hca(ibdev);

	switch (type) {
	case IB_SRQT_BASIC:
		return 0;
	case IB_SRQT_XRC:
		return !kernel && MLX5_CAP_GEN(hca, xrc) ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

/**
 * verbs_create_srq() - ib_device_ops.create_srq
 * @ibsrq: the queue
 * @init: what is asked for; sizes are rounded up
 * @udata: a program's: struct mlx5_ib_create_srq; NULL: the kernel's
 *
 * Return: 0; -EINVAL, -EOPNOTSUPP, -ENOMEM; an error of pinning or of the command.
 */
int verbs_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	struct ohca_hca *hca = to_hca(ibsrq->device);
	struct verbs_srq *srq = to_verbs_srq(ibsrq);
	u32 user_index = 0xffffff;
	int err;

	err = check_type(ibsrq->device, init->srq_type, !udata);
	err = err ?: set_sizes(srq, &init->attr);
	if (err)
		return err;
	err = udata ? make_user(srq, udata, &user_index) : make_kernel(srq);
	err = err ?: verbs_srq_hw_create(srq, init, user_index);
	if (err)
		goto err_make;
	srq->res.event = on_event;
	err = ohca_res_add(hca, OHCA_RES_SRQ, srq->srqn, &srq->res);
	if (err)
		goto err_res;
	if (init->srq_type == IB_SRQT_XRC)
		ibsrq->ext.xrc.srq_num = srq->srqn;
	err = udata ? answer(srq, udata) : 0;
	if (err)
		goto err_answer;
	init->attr.max_wr = srq->size - 1;
	return 0;

err_answer:
	ohca_res_remove(hca, OHCA_RES_SRQ, srq->srqn);
err_res:
	verbs_srq_hw_destroy(srq);
err_make:
	unmake(srq);
	return err;
}

/* ib_device_ops.modify_srq: the limit; a queue can't be resized. */
int verbs_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata)
{
	struct verbs_srq *srq = to_verbs_srq(ibsrq);

	if (mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit >= srq->size)
		return -EINVAL;
	return verbs_srq_hw_limit(srq, attr->srq_limit);
}

/* ib_device_ops.query_srq */
int verbs_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct verbs_srq *srq = to_verbs_srq(ibsrq);
	u16 limit = 0;
	int err = verbs_srq_hw_query(srq, &limit);

	if (err)
		return err;
	attr->srq_limit = limit;
	attr->max_wr = srq->size - 1;
	attr->max_sge = srq->max_sge;
	return 0;
}

/* ib_device_ops.destroy_srq: no QP uses it any more. */
int verbs_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct verbs_srq *srq = to_verbs_srq(ibsrq);
	struct ohca_hca *hca = to_hca(ibsrq->device);
	int err;

	/* Its number is free for another one as soon as it is destroyed. */
	ohca_res_remove(hca, OHCA_RES_SRQ, srq->srqn);
	err = verbs_srq_hw_destroy(srq);
	if (err)
		return ohca_res_add(hca, OHCA_RES_SRQ, srq->srqn, &srq->res) ?: err;
	unmake(srq);
	return 0;
}
