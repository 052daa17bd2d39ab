// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: making and unmaking them, and posting.
 */
#include "qp.h"

#include <linux/irqflags.h>
#include <rdma/uverbs_ioctl.h>
#include <ohca/qp_state.h>

#include "cq.h"
#include "datagram.h"
#include "device.h"
#include "ring.h"
#include "wire.h"
#include "wqe.h"

static int check_type(const struct ib_qp_init_attr *init, bool user)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		break;
	case IB_QPT_GSI:
		if (!user)
			break;
		fallthrough;
	default:
		return -EOPNOTSUPP;
	}
	if (init->create_flags || init->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	return 0;
}

static int check_caps(struct ib_device *ibdev, const struct ib_qp_cap *cap)
{
	if (cap->max_send_wr > SOFT_MAX_QP_WR || cap->max_recv_wr > SOFT_MAX_QP_WR ||
	    cap->max_send_sge > SOFT_MAX_SGE || cap->max_recv_sge > SOFT_MAX_SGE ||
	    cap->max_inline_data > SOFT_MAX_INLINE) {
		ibdev_dbg(ibdev, "create_qp: %u+%u WRs, %u+%u SGEs, %u inline\n",
			  cap->max_send_wr, cap->max_recv_wr, cap->max_send_sge,
			  cap->max_recv_sge, cap->max_inline_data);
		return -EINVAL;
	}
	return 0;
}

/*
 * A send element has room for SGEs or inline data, whichever needs more; the
 * other may use it all. The library holds its user to what is returned.
 */
static u32 send_room(struct ib_qp_cap *cap)
{
	u32 room = max_t(u32, cap->max_send_sge * sizeof(struct rxe_sge),
			 ALIGN(cap->max_inline_data, sizeof(struct rxe_sge)));

	cap->max_inline_data = room;
	cap->max_send_sge = room / sizeof(struct rxe_sge);
	return room;
}

static void destroy_rings(struct soft_qp *qp)
{
	soft_ring_destroy(qp->sq);
	soft_ring_destroy(qp->rq);
}

static int create_rings(struct soft_qp *qp, struct ib_qp_cap *cap, struct ib_ucontext *uctx,
			struct rxe_create_qp_resp *resp)
{
	struct soft_ring *ring;

	ring = soft_ring_create(uctx, max(cap->max_send_wr, 1u),
				sizeof(struct rxe_send_wqe) + send_room(cap), &resp->sq_mi);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	qp->sq = ring;
	cap->max_send_wr = soft_ring_capacity(qp->sq);
	if (qp->ibqp.srq)
		return 0;

	ring = soft_ring_create(uctx, max(cap->max_recv_wr, 1u), sizeof(struct rxe_recv_wqe) +
				cap->max_recv_sge * sizeof(struct rxe_sge), &resp->rq_mi);
	if (IS_ERR(ring)) {
		soft_ring_destroy(qp->sq);
		return PTR_ERR(ring);
	}
	qp->rq = ring;

	cap->max_recv_wr = soft_ring_capacity(qp->rq);
	return 0;
}

static enum tp_service service_of(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return TP_RC;
	case IB_QPT_UC:
		return TP_UC;
	default:
		return TP_UD;
	}
}

static int init_transport(struct soft_qp *qp)
{
	struct tp_qp_init_attr tinit = {
		.service = service_of(qp->ibqp.qp_type),
		.qpn = qp->ibqp.qp_num,
		.max_send_wr = qp->cap.max_send_wr,
		.max_send_sge = qp->cap.max_send_sge,
		.max_inline = qp->cap.max_inline_data,
		.has_srq = qp->ibqp.srq,
	};

	return tp_qp_init(&qp->tp, &tinit);
}

static void init_members(struct soft_qp *qp, const struct ib_qp_init_attr *init, bool user)
{
	spin_lock_init(&qp->post_lock);
	spin_lock_init(&qp->rq_post_lock);
	mutex_init(&qp->mutex);
	qp->user = user;
	qp->serial = atomic64_inc_return(&to_soft_dev(qp->ibqp.device)->qp_serial);
	qp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->cap = init->cap;
	qp->attr.cap = init->cap;
	ohca_qp_attr_reset(&qp->attr);
	if (init->qp_type == IB_QPT_GSI)
		qp->attr.port_num = init->port_num;
	soft_qp_run_init(qp);
}

/* What consumers and the wire know the QP by. */
static int name_qp(struct soft_qp *qp)
{
	bool gsi = qp->ibqp.qp_type == IB_QPT_GSI;

	qp->ibqp.qp_num = gsi ? SOFT_QPN_GSI : qp->num;
	return gsi ? soft_gsi_claim(qp) : 0;
}

static void list_in_device(struct soft_qp *qp)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);

	spin_lock(&dev->qps_lock);
	qp->moves = dev->moves;
	list_add_tail(&qp->dev_node, &dev->qps);
	spin_unlock(&dev->qps_lock);
}

static void unlist_in_device(struct soft_qp *qp)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);

	spin_lock(&dev->qps_lock);
	list_del(&qp->dev_node);
	spin_unlock(&dev->qps_lock);
}

/**
 * soft_create_qp() - ib_device_ops.create_qp
 * @ibqp: the QP, zeroed but for what IB core has set
 * @init: what is asked for; the sizes granted on return
 * @udata: of the system call, or NULL for a kernel consumer
 *
 * Return: 0; -EOPNOTSUPP: a type or an option that the device has not; -EINVAL:
 * sizes; -ENOMEM, also if there are as many as the device has; -EFAULT.
 */
int soft_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct soft_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct soft_ucontext, ibuctx);
	struct soft_dev *dev = to_soft_dev(ibqp->device);
	struct rxe_create_qp_resp resp = {};
	struct soft_qp *qp = to_soft_qp(ibqp);
	int err;

	/* IBA 11.2.5.1: the sizes of a receive queue mean nothing beside an SRQ. */
	if (ibqp->srq) {
		init->cap.max_recv_wr = 0;
		init->cap.max_recv_sge = 0;
	}
	err = check_type(init, udata) ?: check_caps(ibqp->device, &init->cap);
	if (err)
		return err;
	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;

	if (!soft_count_up(&dev->nr_qp, SOFT_MAX_QP))
		return -ENOMEM;
	err = soft_qp_table_reserve(qp);
	if (err)
		goto err_reserve;
	err = name_qp(qp);
	if (err)
		goto err_rings;
	err = create_rings(qp, &init->cap, uctx ? &uctx->ibuctx : NULL, &resp);
	if (err)
		goto err_rings;
	init_members(qp, init, udata);
	err = init_transport(qp);
	if (err)
		goto err_transport;
	if (udata && ib_copy_to_udata(udata, &resp, sizeof(resp))) {
		err = -EFAULT;
		goto err_copy;
	}
	list_in_device(qp);
	soft_qp_table_publish(qp);
	return 0;

err_copy:
	tp_qp_fini(&qp->tp);
err_transport:
	destroy_rings(qp);
err_rings:
	soft_gsi_release(qp);
	soft_qp_table_remove(qp);
	soft_qp_table_wait(qp);
err_reserve:
	atomic_dec(&dev->nr_qp);
	return err;
}

/* Turns of flushing that a QP is given: more than its queues hold, unless the consumer goes on. */
#define SOFT_FLUSH_TURNS	1024

/**
 * soft_qp_fail() - takes a QP from its consumer
 * @qp: the QP; the caller holds a reference
 *
 * To ERR, with IB_EVENT_QP_FATAL. What was posted is flushed before this returns,
 * so that a program that waits for a completion gets one.
 *
 * Context: process context.
 */
void soft_qp_fail(struct soft_qp *qp)
{
	bool more = true;
	int i;

	if (READ_ONCE(qp->attr.qp_state) == IB_QPS_RESET)
		return;
	soft_enter();
	tp_qp_error(&qp->tp, TP_EVENT_QP_FATAL);
	tp_recv_posted(&qp->tp);
	soft_leave();
	for (i = 0; more && i < SOFT_FLUSH_TURNS; i++) {
		soft_enter();
		more = tp_send(&qp->tp);
		soft_leave();
		cond_resched();
	}
}

/**
 * soft_destroy_qp() - ib_device_ops.destroy_qp
 * @ibqp: the QP, in any state, with work under way
 * @udata: of the system call, or NULL
 *
 * First nobody finds it by its number any more, then the transport drops its work
 * and starts nothing new, then whoever still holds a reference (a packet, a peer
 * on this host, a work item, a handler) gets to its end. What is left is ours.
 *
 * Return: 0.
 */
int soft_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	static const struct tp_qp_attr reset = { .state = TP_QPS_RESET };
	struct soft_qp *qp = to_soft_qp(ibqp);

	soft_gsi_release(qp);
	soft_mcast_detach_all(qp);
	/* IB core takes the device from its users, and this QP with it. */
	if (qp->user && mutex_is_locked(&ibqp->device->unregistration_lock))
		soft_qp_fail(qp);
	soft_qp_table_remove(qp);
	unlist_in_device(qp);

	soft_enter();
	tp_qp_modify(&qp->tp, &reset, TP_ATTR_STATE);
	soft_leave();

	soft_qp_run_stop(qp);
	soft_qp_table_wait(qp);
	soft_path_free(rcu_dereference_protected(qp->path, true));
	tp_qp_fini(&qp->tp);
	destroy_rings(qp);
	mutex_destroy(&qp->mutex);
	atomic_dec(&to_soft_dev(ibqp->device)->nr_qp);
	return 0;
}

/* IBA 10.8.3.2: send WRs are taken from RTS on, and in ERR, where they are flushed. */
static bool may_send(const struct soft_qp *qp)
{
	/* The transport moves to ERR by itself, from RTR too. */
	return READ_ONCE(qp->attr.qp_state) >= IB_QPS_RTS ||
	       READ_ONCE(qp->tp.req.state) == TP_QPS_ERR;
}

/* The rest of a post: here and now, but not where bottom halves can't be turned on again. */
static void kick(struct soft_qp *qp)
{
	if (irqs_disabled())
		soft_qp_defer(qp);
	else
		soft_qp_kick(qp);
}

/* The same for receives. */
static void kick_recv(struct soft_qp *qp)
{
	if (irqs_disabled()) {
		soft_qp_defer(qp);
		return;
	}
	soft_enter();
	tp_recv_posted(&qp->tp);
	soft_leave_verb(qp->user);
}

/**
 * soft_post_send() - ib_device_ops.post_send
 * @ibqp: the QP
 * @wr: kernel: the WRs; NULL from a program, which has put them into its ring
 * @bad: set to the WR that was not taken; left as it is if all were
 *
 * Context: any.
 * Return: 0; -EINVAL: the state, or a WR that the QP can't take; -ENOMEM: full.
 */
int soft_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct soft_qp *qp = to_soft_qp(ibqp);
	unsigned long flags;
	int err = 0;

	/* A program's ring is its own to fill. */
	if (!may_send(qp) || (qp->user && wr)) {
		*bad = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&qp->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = soft_wqe_put_send(qp, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->post_lock, flags);

	kick(qp);
	/* Programs have no doorbell for receives: in ERR this one stands in, so that they flush. */
	if (READ_ONCE(qp->tp.resp.state) == TP_QPS_ERR)
		kick_recv(qp);
	return err;
}

/**
 * soft_post_recv() - ib_device_ops.post_recv, for kernel consumers
 * @ibqp: the QP
 * @wr: the WRs
 * @bad: set to the WR that was not taken; left as it is if all were
 *
 * Context: any.
 * Return: as soft_post_send().
 */
int soft_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct soft_qp *qp = to_soft_qp(ibqp);
	unsigned long flags;
	int err = 0;

	/* Programs have no doorbell for receives, nor need one. */
	if (READ_ONCE(qp->attr.qp_state) == IB_QPS_RESET || qp->user || ibqp->srq) {
		*bad = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&qp->rq_post_lock, flags);
	for (; wr; wr = wr->next) {
		err = soft_wqe_put_recv(qp->rq, qp->cap.max_recv_sge, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->rq_post_lock, flags);

	kick_recv(qp);
	return err;
}
