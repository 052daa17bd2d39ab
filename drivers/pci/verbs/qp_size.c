// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes of queues: those that a program has chosen, checked; and those of the
 * kernel's, chosen.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "mr.h"
#include "qp.h"
#include "ucontext.h"
#include "verbs.h"

/* A receive entry is 16 to 2048 bytes: its log2 less 4 has 3 bits in the context. */
#define MIN_LOG_STRIDE	4
#define MAX_LOG_STRIDE	11

#define QP_FLAGS	(MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE | \
			 MLX5_QP_FLAG_UAR_PAGE_INDEX)

/**
 * verbs_max_send_sge() - gather entries that fit a request of any kind
 * @wqe_bytes: bytes of the largest one
 *
 * Context: any.
 * Return: entries.
 */
u32 verbs_max_send_sge(u32 wqe_bytes)
{
	const u32 fixed = sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_datagram_seg);

	/* How many a request can count itself is less than a device may allow. */
	wqe_bytes = min_t(u32, wqe_bytes, MLX5_WQE_CTRL_DS_MASK * MLX5_SEND_WQE_DS);
	return wqe_bytes > fixed ? (wqe_bytes - fixed) / sizeof(struct mlx5_wqe_data_seg) : 0;
}

static bool has_rq(const struct ib_qp_init_attr *init)
{
	return !init->srq && init->qp_type != IB_QPT_XRC_INI && init->qp_type != IB_QPT_XRC_TGT;
}

static int read_request(struct ib_udata *udata, struct mlx5_ib_create_qp *req)
{
	int err = verbs_read_udata(udata, req, sizeof(*req),
				   offsetofend(struct mlx5_ib_create_qp, bfreg_index));

	if (err)
		return err;
	return req->flags & ~QP_FLAGS ? -EOPNOTSUPP : 0;
}

/* Sizes that a program has chosen: each is bounded before it is multiplied. */
static int set_sizes(struct verbs_qp *qp, const struct ib_qp_init_attr *init,
		     const struct mlx5_ib_create_qp *req)
{
	struct ohca_hca *hca = to_hca(qp->ibqp.device);
	u32 max = 1u << MLX5_CAP_GEN(hca, log_max_qp_sz);
	u32 max_rq_bytes = MLX5_CAP_GEN(hca, max_wqe_sz_rq);

	if (req->sq_wqe_count > max ||
	    (req->sq_wqe_count && !is_power_of_2(req->sq_wqe_count)))
		return -EINVAL;
	qp->sq.size = req->sq_wqe_count;
	if (has_rq(init) && req->rq_wqe_count) {
		if (req->rq_wqe_count > max || !is_power_of_2(req->rq_wqe_count) ||
		    req->rq_wqe_shift < MIN_LOG_STRIDE || req->rq_wqe_shift > MAX_LOG_STRIDE ||
		    BIT(req->rq_wqe_shift) > max_rq_bytes)
			return -EINVAL;
		qp->rq.size = req->rq_wqe_count;
		qp->rq.log_stride = req->rq_wqe_shift;
	}
	/* What was asked for has to fit what there is. */
	if (init->cap.max_send_wr > qp->sq.size ||
	    (has_rq(init) && init->cap.max_recv_wr > qp->rq.size))
		return -EINVAL;
	return 0;
}

/* The UAR that the program rings the QP's doorbell in. */
static int find_uar(struct verbs_qp *qp, struct verbs_ucontext *uctx,
		    const struct mlx5_ib_create_qp *req)
{
	u32 index = req->bfreg_index;

	if (!(req->flags & MLX5_QP_FLAG_UAR_PAGE_INDEX)) {
		if (!uctx->static_uar)
			return -EINVAL;
		index = uctx->static_uar->uar.index;
	}
	qp->uar = verbs_uar_get(uctx, index);
	return qp->uar ? 0 : -EINVAL;
}

/**
 * verbs_qp_size_user() - takes a program's queues over
 * @qp: the QP
 * @init: what was asked for
 * @udata: struct mlx5_ib_create_qp
 *
 * The library knows what of its sizes it can use, so they are told back unchanged.
 *
 * Context: may sleep. verbs_qp_free_queues() undoes it, also after an error.
 * Return: the program's index of the QP; -EINVAL, -EOPNOTSUPP, or an error of pinning.
 */
int verbs_qp_size_user(struct verbs_qp *qp, const struct ib_qp_init_attr *init,
		       struct ib_udata *udata)
{
	struct verbs_ucontext *uctx = rdma_udata_to_drv_context(udata, struct verbs_ucontext,
								ibuctx);
	struct mlx5_ib_create_qp req;
	u64 bytes;
	int err;

	err = read_request(udata, &req);
	err = err ?: set_sizes(qp, init, &req);
	err = err ?: find_uar(qp, uctx, &req);
	if (err)
		return err;
	qp->sq.at = qp->rq.size << qp->rq.log_stride;
	bytes = (u64)qp->sq.at + (u64)qp->sq.size * VERBS_WQEBB;
	if (bytes) {
		err = verbs_db_user(uctx, &qp->db, req.db_addr);
		err = err ?: verbs_mem_user(qp->ibqp.device, &qp->mem, req.buf_addr, bytes,
					    VERBS_OFFSET_BITS);
		if (err)
			return err;
	}
	return uctx->cqe_version ? req.uidx & 0xffffff : 0xffffff;
}

static int choose_sq(struct verbs_qp *qp, struct ib_qp_init_attr *init)
{
	struct ohca_hca *hca = to_hca(qp->ibqp.device);
	struct ib_qp_cap *cap = &init->cap;
	u32 max_wqe = min_t(u32, MLX5_CAP_GEN(hca, max_wqe_sz_sq), VERBS_WQE_MAX);
	u32 room, blocks;

	if (!cap->max_send_wr)
		return 0;
	room = verbs_wqe_room(init->qp_type, cap->max_send_sge, cap->max_inline_data,
			      verbs_can_umr(qp->ibqp.device) && init->qp_type != IB_QPT_UD &&
			      init->qp_type != IB_QPT_GSI);
	if (room > max_wqe)
		return -EINVAL;
	blocks = room / VERBS_WQEBB;
	if (cap->max_send_wr > BIT(MLX5_CAP_GEN(hca, log_max_qp_sz)) / blocks)
		return -EINVAL;
	qp->sq.size = roundup_pow_of_two(cap->max_send_wr * blocks);
	cap->max_send_wr = qp->sq.size / blocks;
	qp->sq.limits = (struct verbs_wqe_limits){
		.type = init->qp_type,
		.max_sge = cap->max_send_sge,
		.max_inline = cap->max_inline_data,
		.relaxed_read = MLX5_CAP_GEN(hca, relaxed_ordering_read_umr),
		.relaxed_write = MLX5_CAP_GEN(hca, relaxed_ordering_write_umr),
	};
	qp->sq.entry = kvcalloc(qp->sq.size, sizeof(*qp->sq.entry), GFP_KERNEL);
	qp->sq.wqe = kzalloc(sizeof(*qp->sq.wqe), GFP_KERNEL);
	return qp->sq.entry && qp->sq.wqe ? 0 : -ENOMEM;
}

static int choose_rq(struct verbs_qp *qp, struct ib_qp_init_attr *init)
{
	struct ohca_hca *hca = to_hca(qp->ibqp.device);
	struct ib_qp_cap *cap = &init->cap;
	u32 max_bytes = MLX5_CAP_GEN(hca, max_wqe_sz_rq);
	u32 bytes;

	if (!has_rq(init) || !cap->max_recv_wr)
		return 0;
	if (cap->max_recv_sge > max_bytes / sizeof(struct mlx5_wqe_data_seg) ||
	    cap->max_recv_wr > BIT(MLX5_CAP_GEN(hca, log_max_qp_sz)))
		return -EINVAL;
	bytes = max_t(u32, cap->max_recv_sge, 1) * sizeof(struct mlx5_wqe_data_seg);
	qp->rq.size = roundup_pow_of_two(cap->max_recv_wr);
	qp->rq.log_stride = order_base_2(bytes);
	qp->rq.max_sge = BIT(qp->rq.log_stride) / sizeof(struct mlx5_wqe_data_seg);
	cap->max_recv_wr = qp->rq.size;
	qp->rq.wr_id = kvcalloc(qp->rq.size, sizeof(*qp->rq.wr_id), GFP_KERNEL);
	return qp->rq.wr_id ? 0 : -ENOMEM;
}

/**
 * verbs_qp_size_kernel() - makes queues of the kernel's
 * @qp: the QP
 * @init: what was asked for; sizes are rounded up
 *
 * Context: may sleep. verbs_qp_free_queues() undoes it, also after an error.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int verbs_qp_size_kernel(struct verbs_qp *qp, struct ib_qp_init_attr *init)
{
	u64 bytes;
	int err;

	spin_lock_init(&qp->sq.lock);
	spin_lock_init(&qp->rq.lock);
	err = choose_rq(qp, init);
	err = err ?: choose_sq(qp, init);
	if (err)
		return err;
	qp->sq.at = qp->rq.size << qp->rq.log_stride;
	/* A request's blocks lie in a row: it begins at one of them. */
	qp->sq.at = ALIGN(qp->sq.at, VERBS_WQEBB);
	bytes = (u64)qp->sq.at + (u64)qp->sq.size * VERBS_WQEBB;
	err = verbs_db_kernel(qp->ibqp.device, &qp->db);
	if (err || !bytes)
		return err;
	return verbs_mem_kernel(qp->ibqp.device, &qp->mem, bytes);
}

/**
 * verbs_qp_free_queues() - gives a QP's queues back
 * @qp: the QP, which the device does not have any more
 *
 * Context: may sleep.
 */
void verbs_qp_free_queues(struct verbs_qp *qp)
{
	verbs_mem_free(qp->ibqp.device, &qp->mem);
	verbs_db_free(qp->ibqp.device, &qp->db);
	if (qp->uar)
		verbs_uar_put(qp->uar);
	kvfree(qp->sq.entry);
	kfree(qp->sq.wqe);
	kvfree(qp->rq.wr_id);
}
