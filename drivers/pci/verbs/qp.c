// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: made and destroyed.
 */
#include "qp.h"

#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>
#include <ohca/qp_state.h>

#include "../hw/cmd.h"
#include "counters.h"
#include "cq.h"
#include "qpc.h"
#include "srq.h"
#include "ucontext.h"
#include "verbs.h"

/* The device's events, as IB has them (IBA 11.6.3). */
static const struct {
	u8 type;
	enum ib_event_type event;
} events[] = {
	{ MLX5_EVENT_TYPE_COMM_EST,		IB_EVENT_COMM_EST },
	{ MLX5_EVENT_TYPE_SQ_DRAINED,		IB_EVENT_SQ_DRAINED },
	{ MLX5_EVENT_TYPE_SRQ_LAST_WQE,		IB_EVENT_QP_LAST_WQE_REACHED },
	{ MLX5_EVENT_TYPE_WQ_CATAS_ERROR,	IB_EVENT_QP_FATAL },
	{ MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR,	IB_EVENT_QP_REQ_ERR },
	{ MLX5_EVENT_TYPE_WQ_ACCESS_ERROR,	IB_EVENT_QP_ACCESS_ERR },
	{ MLX5_EVENT_TYPE_PATH_MIG,		IB_EVENT_PATH_MIG },
	{ MLX5_EVENT_TYPE_PATH_MIG_FAILED,	IB_EVENT_PATH_MIG_ERR },
};

/* Hard interrupt context. */
static void on_event(struct ohca_res *res, u8 type)
{
	struct verbs_qp *qp = container_of(res, struct verbs_qp, res);
	struct ib_event event = { .device = qp->ibqp.device, .element.qp = &qp->ibqp };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (events[i].type != type || !qp->ibqp.event_handler)
			continue;
		event.event = events[i].event;
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
	}
}

/* Whether the device has such QPs, for who asks. */
static int check_type(struct ohca_hca *hca, const struct ib_qp_init_attr *init, bool kernel)
{
	if (init->create_flags)
		return -EOPNOTSUPP;
	switch (init->qp_type) {
	case IB_QPT_RC:
		return MLX5_CAP_GEN(hca, rc) ? 0 : -EOPNOTSUPP;
	case IB_QPT_UC:
		return MLX5_CAP_GEN(hca, uc) ? 0 : -EOPNOTSUPP;
	case IB_QPT_UD:
		return MLX5_CAP_GEN(hca, ud) ? 0 : -EOPNOTSUPP;
	case IB_QPT_GSI:
		return kernel ? 0 : -EOPNOTSUPP;
	case IB_QPT_XRC_INI:
		return !kernel && MLX5_CAP_GEN(hca, xrc) ? 0 : -EOPNOTSUPP;
	case IB_QPT_XRC_TGT:
		/* It is IB core's own, whoever asks for it: shared by those who open it. */
		return MLX5_CAP_GEN(hca, xrc) ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

static u32 rq_type(const struct verbs_qp *qp, const struct ib_qp_init_attr *init)
{
	if (init->srq || init->qp_type == IB_QPT_XRC_TGT)
		return MLX5_SRQ_RQ;
	return qp->rq.size ? MLX5_NON_ZERO_RQ : MLX5_ZERO_LEN_RQ;
}

static void write_queues(void *qpc, const struct verbs_qp *qp, const struct ib_qp_init_attr *init)
{
	MLX5_SET(qpc, qpc, rq_type, rq_type(qp, init));
	if (qp->rq.size) {
		MLX5_SET(qpc, qpc, log_rq_size, ilog2(qp->rq.size));
		MLX5_SET(qpc, qpc, log_rq_stride, qp->rq.log_stride - 4);
	}
	if (qp->sq.size)
		MLX5_SET(qpc, qpc, log_sq_size, ilog2(qp->sq.size));
	else
		MLX5_SET(qpc, qpc, no_sq, 1);
	MLX5_SET(qpc, qpc, log_page_size, qp->mem.log_page_size);
	MLX5_SET(qpc, qpc, page_offset, qp->mem.page_offset);
	MLX5_SET64(qpc, qpc, dbr_addr, qp->db.dma);
}

static void write_partners(void *qpc, const struct ib_qp_init_attr *init)
{
	if (init->send_cq)
		MLX5_SET(qpc, qpc, cqn_snd, to_verbs_cq(init->send_cq)->hw.cqn);
	if (init->recv_cq)
		MLX5_SET(qpc, qpc, cqn_rcv, to_verbs_cq(init->recv_cq)->hw.cqn);
	if (init->srq)
		MLX5_SET(qpc, qpc, srqn_rmpn_xrqn, to_verbs_srq(init->srq)->srqn);
	if (init->qp_type == IB_QPT_XRC_TGT)
		MLX5_SET(qpc, qpc, xrcd, to_verbs_xrcd(init->xrcd)->xrcdn);
}

static int make_hw(struct verbs_qp *qp, const struct ib_qp_init_attr *init, u32 user_index)
{
	struct ohca_hca *hca = to_hca(qp->ibqp.device);
	size_t bytes = MLX5_ST_SZ_BYTES(create_qp_in) + 8ul * verbs_mem_pages(&qp->mem);
	u32 out[MLX5_ST_SZ_DW(create_qp_out)] = {};
	void *in, *qpc;
	int err;

	in = kvzalloc(bytes, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	qpc = MLX5_ADDR_OF(create_qp_in, in, qpc);
	MLX5_SET(create_qp_in, in, opcode, MLX5_CMD_OP_CREATE_QP);
	MLX5_SET(qpc, qpc, st, verbs_qpc_service(init->qp_type));
	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	MLX5_SET(qpc, qpc, pd, qp->ibqp.pd ? to_verbs_pd(qp->ibqp.pd)->pdn : 0);
	MLX5_SET(qpc, qpc, uar_page, qp->uar ? qp->uar->uar.index : hca->uar.index);
	MLX5_SET(qpc, qpc, user_index, user_index);
	/* The kernel's may name all memory: its consumers' local_dma_lkey. */
	MLX5_SET(qpc, qpc, rlky, qp->kernel);
	write_queues(qpc, qp, init);
	write_partners(qpc, init);
	verbs_mem_write(&qp->mem, MLX5_ADDR_OF(create_qp_in, in, pas));
	err = ohca_cmd_exec(hca, in, bytes, out, sizeof(out));
	kvfree(in);
	if (!err)
		qp->qpn = MLX5_GET(create_qp_out, out, qpn);
	return err;
}

static int destroy_hw(struct verbs_qp *qp)
{
	struct ohca_hca *hca = to_hca(qp->ibqp.device);
	u32 out[MLX5_ST_SZ_DW(destroy_qp_out)] = {};
	u32 in[MLX5_ST_SZ_DW(destroy_qp_in)] = {};
	int err;

	MLX5_SET(destroy_qp_in, in, opcode, MLX5_CMD_OP_DESTROY_QP);
	MLX5_SET(destroy_qp_in, in, qpn, qp->qpn);
	err = ohca_cmd(hca, destroy_qp, in, out);
	return ohca_hca_dead(hca) ? 0 : err;
}

/* Where the kernel's completions find the QP, and where a dead device's QPs are found. */
static int enlist(struct verbs_qp *qp, const struct ib_qp_init_attr *init)
{
	struct ohca_ib *ib = to_ohca_ib(qp->ibqp.device);
	struct verbs_cq *send = to_verbs_cq(init->send_cq), *recv = to_verbs_cq(init->recv_cq);
	int err;

	err = xa_err(xa_store_irq(&ib->qps, qp->qpn, qp, GFP_KERNEL));
	if (err)
		return err;
	spin_lock_irq(&send->lock);
	list_add_tail(&qp->send_node, &send->sends);
	spin_unlock_irq(&send->lock);
	spin_lock_irq(&recv->lock);
	list_add_tail(&qp->recv_node, &recv->recvs);
	spin_unlock_irq(&recv->lock);
	return 0;
}

static void delist(struct verbs_qp *qp)
{
	struct ohca_ib *ib = to_ohca_ib(qp->ibqp.device);
	struct verbs_cq *send = to_verbs_cq(qp->ibqp.send_cq);
	struct verbs_cq *recv = to_verbs_cq(qp->ibqp.recv_cq);

	spin_lock_irq(&send->lock);
	list_del(&qp->send_node);
	spin_unlock_irq(&send->lock);
	spin_lock_irq(&recv->lock);
	list_del(&qp->recv_node);
	spin_unlock_irq(&recv->lock);
	xa_erase_irq(&ib->qps, qp->qpn);
}

static int answer(const struct verbs_qp *qp, struct ib_udata *udata)
{
	struct mlx5_ib_create_qp_resp resp = {};

	/* Static mode: the first doorbell of the context's UAR, which is used with no lock. */
	return ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
}

static int make(struct verbs_qp *qp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	int index = 0xffffff;
	int err;

	/* A target has no queues of its own, and completes into others' CQs. */
	if (init->qp_type == IB_QPT_XRC_TGT) {
		err = 0;
	} else if (qp->kernel) {
		err = verbs_qp_size_kernel(qp, init);
	} else {
		index = verbs_qp_size_user(qp, init, udata);
		err = index < 0 ? index : 0;
	}
	return err ?: make_hw(qp, init, index);
}

/* Events and completions find it from now on. */
static int publish(struct verbs_qp *qp, const struct ib_qp_init_attr *init)
{
	int err;

	if (qp->kernel) {
		err = enlist(qp, init);
		if (err)
			return err;
	}
	qp->res.event = on_event;
	err = ohca_res_add(to_hca(qp->ibqp.device), OHCA_RES_QP, qp->qpn, &qp->res);
	if (err && qp->kernel)
		delist(qp);
	return err;
}

static void unpublish(struct verbs_qp *qp)
{
	ohca_res_remove(to_hca(qp->ibqp.device), OHCA_RES_QP, qp->qpn);
	if (qp->kernel)
		delist(qp);
}

/**
 * verbs_create_qp() - ib_device_ops.create_qp
 * @ibqp: the QP
 * @init: what is asked for; sizes of the kernel's are rounded up
 * @udata: a program's: struct mlx5_ib_create_qp; NULL: the kernel's
 *
 * Return: 0; -EINVAL, -EOPNOTSUPP, -ENOMEM; an error of pinning or of the command.
 */
int verbs_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct ohca_ib *ib = to_ohca_ib(ibqp->device);
	struct verbs_qp *qp = to_verbs_qp(ibqp);
	int err;

	err = check_type(ib->hca, init, !udata);
	if (err)
		return err;
	mutex_init(&qp->mutex);
	qp->kernel = !udata && init->qp_type != IB_QPT_XRC_TGT;
	qp->signal_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->q_counter = verbs_counters_set(ib->counters);
	err = make(qp, init, udata);
	if (err)
		goto err_make;
	qp->attr.cap = init->cap;
	qp->cap = init->cap;
	ohca_qp_attr_reset(&qp->attr);
	/* IB core sets these too, but completions may come before. */
	ibqp->send_cq = init->send_cq;
	ibqp->recv_cq = init->recv_cq;
	ibqp->srq = init->srq;
	ibqp->qp_num = init->qp_type == IB_QPT_GSI ? 1 : qp->qpn;
	err = publish(qp, init);
	if (err)
		goto err_publish;
	err = udata ? answer(qp, udata) : 0;
	if (err)
		goto err_answer;
	return 0;

err_answer:
	unpublish(qp);
err_publish:
	destroy_hw(qp);
err_make:
	verbs_qp_free_queues(qp);
	return err;
}

/**
 * verbs_destroy_qp() - ib_device_ops.destroy_qp
 * @ibqp: the QP
 * @udata: a program's, or NULL
 *
 * Its number is free for another QP as soon as the device has destroyed it, so
 * everything that goes by the number ends before: the QP is stopped, its completions
 * are taken out of the CQs, and it can't be found any more.
 *
 * Return: 0 or the command's error.
 */
int verbs_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct verbs_qp *qp = to_verbs_qp(ibqp);
	struct ib_qp_init_attr init = { .send_cq = ibqp->send_cq, .recv_cq = ibqp->recv_cq };
	int err;

	if (qp->kernel) {
		if (qp->attr.qp_state != IB_QPS_RESET)
			verbs_qp_move(qp, MLX5_CMD_OP_2RST_QP, 0, NULL);
		verbs_qp_clean(qp);
	}
	unpublish(qp);
	err = destroy_hw(qp);
	/* What can't be destroyed keeps its memory: the device may still use it. */
	if (err)
		return publish(qp, &init) ?: err;
	verbs_qp_free_queues(qp);
	return 0;
}
