// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: their attributes and states.
 */
#include <ohca/port.h>
#include <ohca/qp_state.h>

#include "cq.h"
#include "device.h"
#include "qp.h"
#include "ring.h"
#include "trace.h"
#include "wire.h"

static_assert((int)TP_QPS_RESET == IB_QPS_RESET);
static_assert((int)TP_QPS_RTS == IB_QPS_RTS);
static_assert((int)TP_QPS_ERR == IB_QPS_ERR);

/* Verbs attributes to the transport's: which members of struct tp_qp_attr a mask stands for. */
static const struct {
	int ib;
	u32 tp;
} attr_bits[] = {
	{ IB_QP_STATE,			TP_ATTR_STATE },
	{ IB_QP_ACCESS_FLAGS,		TP_ATTR_ACCESS },
	{ IB_QP_PKEY_INDEX,		TP_ATTR_PKEY },
	{ IB_QP_QKEY,			TP_ATTR_QKEY },
	{ IB_QP_DEST_QPN,		TP_ATTR_DEST_QPN },
	{ IB_QP_SQ_PSN,			TP_ATTR_SQ_PSN },
	{ IB_QP_RQ_PSN,			TP_ATTR_RQ_PSN },
	{ IB_QP_PATH_MTU,		TP_ATTR_MTU },
	{ IB_QP_MAX_QP_RD_ATOMIC,	TP_ATTR_MAX_RD },
	{ IB_QP_MAX_DEST_RD_ATOMIC,	TP_ATTR_MAX_DEST_RD },
	{ IB_QP_TIMEOUT,		TP_ATTR_TIMEOUT },
	{ IB_QP_RETRY_CNT,		TP_ATTR_RETRY },
	{ IB_QP_RNR_RETRY,		TP_ATTR_RNR_RETRY },
	{ IB_QP_MIN_RNR_TIMER,		TP_ATTR_RNR_TIMER },
};

/* @attr has all of the QP's attributes, @mask those that are new. */
static u32 tp_attr_of(struct tp_qp_attr *to, const struct ib_qp_attr *attr, int mask)
{
	u32 tp_mask = 0;
	int i;

	*to = (struct tp_qp_attr) {
		.state = (enum tp_qp_state)attr->qp_state,
		.access = attr->qp_access_flags & (TP_ACCESS_REMOTE_WRITE | TP_ACCESS_REMOTE_READ |
						   TP_ACCESS_REMOTE_ATOMIC),
		.pkey = SOFT_DEFAULT_PKEY,
		.qkey = attr->qkey,
		.dest_qpn = attr->dest_qp_num,
		.sq_psn = attr->sq_psn,
		.rq_psn = attr->rq_psn,
		.mtu = ib_mtu_enum_to_int(attr->path_mtu),
		.max_rd_atomic = attr->max_rd_atomic,
		.max_dest_rd_atomic = attr->max_dest_rd_atomic,
		.timeout = attr->timeout,
		.retry_cnt = attr->retry_cnt,
		.rnr_retry = attr->rnr_retry,
		.min_rnr_timer = attr->min_rnr_timer,
	};
	for (i = 0; i < ARRAY_SIZE(attr_bits); i++)
		tp_mask |= mask & attr_bits[i].ib ? attr_bits[i].tp : 0;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify)
		tp_mask |= TP_ATTR_SQD_EVENT;
	return tp_mask;
}

static int check(struct soft_qp *qp, enum ib_qp_state cur, const struct ib_qp_attr *attr, int mask)
{
	struct ib_device *ibdev = qp->ibqp.device;
	struct ohca_qp_limits limits = {
		.mtu = IB_MTU_4096,
		.max_rd_atomic = SOFT_MAX_RD_ATOMIC,
		.max_dest_rd_atomic = SOFT_MAX_RD_ATOMIC,
		.pkey_tbl_len = 1,
	};
	struct net_device *ndev;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	ndev = ib_device_get_netdev(ibdev, 1);
	if (ndev)
		limits.mtu = ohca_port_mtu(READ_ONCE(ndev->mtu));
	dev_put(ndev);

	err = ohca_qp_modify_check(ibdev, qp->attr.port_num, qp->ibqp.qp_type, cur, attr, mask,
				   &limits);
	if (err)
		ibdev_dbg(ibdev, "modify_qp %#x: %s to %s, attributes %#x refused\n",
			  qp->ibqp.qp_num, ohca_qp_state_name(cur),
			  mask & IB_QP_STATE ? ohca_qp_state_name(attr->qp_state) : "the same",
			  mask);
	return err;
}

/* Who sends holds RCU: the old path is nobody's after a grace period. */
static void set_path(struct soft_qp *qp, struct soft_path *path)
{
	struct soft_path *old =
		rcu_replace_pointer(qp->path, path, lockdep_is_held(&qp->mutex));

	if (old) {
		synchronize_rcu();
		soft_path_free(old);
	}
}

static void tell_transport(struct soft_qp *qp, int mask)
{
	struct tp_qp_attr tattr;
	u32 tmask = tp_attr_of(&tattr, &qp->attr, mask);

	soft_enter();
	tp_qp_modify(&qp->tp, &tattr, tmask);
	if (tmask & TP_ATTR_STATE)
		trace_ohca_qp_state(&qp->ibqp, tattr.state);
	soft_leave();
}

/* IBA 10.3.1.1: work is dropped without a completion, and attributes with it. */
static void reset(struct soft_qp *qp)
{
	u8 port = qp->attr.port_num;

	ohca_qp_attr_reset(&qp->attr);
	/* A GSI QP's is not the consumer's to set (IBA 11.2.5.2). */
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		qp->attr.port_num = port;
	tell_transport(qp, IB_QP_STATE);
	set_path(qp, NULL);

	/* The transport takes nothing out of the rings in RESET: they are still. */
	soft_ring_reset(qp->sq);
	if (qp->rq)
		soft_ring_reset(qp->rq);
}

static int apply(struct soft_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct soft_path *path = NULL;

	if (mask & IB_QP_AV) {
		u32 dqpn = mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->attr.dest_qp_num;

		path = soft_path_create(qp, &attr->ah_attr, dqpn & OHCA_24BIT);
		if (IS_ERR(path))
			return PTR_ERR(path);
		set_path(qp, path);
	} else if (qp->tp.service == TP_UD && mask & IB_QP_STATE &&
		   attr->qp_state == IB_QPS_RTR) {
		path = soft_path_create_datagram(qp);
		if (IS_ERR(path))
			return PTR_ERR(path);
		set_path(qp, path);
	}
	ohca_qp_attr_merge(&qp->attr, attr, mask);
	tell_transport(qp, mask);
	return 0;
}

/**
 * soft_qp_drop_path() - takes its path from a GSI QP
 * @qp: the QP; the caller holds a reference
 *
 * Context: may sleep.
 */
void soft_qp_drop_path(struct soft_qp *qp)
{
	mutex_lock(&qp->mutex);
	set_path(qp, NULL);
	mutex_unlock(&qp->mutex);
}

/* Gives a GSI QP a path in the namespace where its device is now. May sleep. */
void soft_qp_renew_path(struct soft_qp *qp)
{
	struct soft_path *path;

	mutex_lock(&qp->mutex);
	if (qp->attr.qp_state >= IB_QPS_RTR) {
		path = soft_path_create_datagram(qp);
		if (IS_ERR(path))
			ibdev_warn(qp->ibqp.device, "no path for QP 1: %pe\n", path);
		else
			set_path(qp, path);
	}
	mutex_unlock(&qp->mutex);
}

/* The state as the transport has it, which moves to ERR by itself. */
static enum ib_qp_state current_state(struct soft_qp *qp, bool *sq_draining)
{
	struct tp_qp_attr tattr;

	soft_enter();
	tp_qp_query(&qp->tp, &tattr, sq_draining);
	soft_leave();
	return (enum ib_qp_state)tattr.state;
}

/**
 * soft_modify_qp() - ib_device_ops.modify_qp
 * @ibqp: the QP
 * @attr: attributes
 * @mask: which are given, IB_QP_*
 * @udata: of the system call, or NULL
 *
 * Return: 0; -EINVAL: the transition, an attribute that does not belong to it, or
 * a value; -EOPNOTSUPP; or an error of soft_path_create().
 */
int soft_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct soft_qp *qp = to_soft_qp(ibqp);
	enum ib_qp_state cur;
	bool draining;
	int err;

	mutex_lock(&qp->mutex);
	cur = current_state(qp, &draining);
	err = check(qp, cur, attr, mask);
	if (err)
		goto out;

	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_RESET)
		reset(qp);
	else
		err = apply(qp, attr, mask);
out:
	mutex_unlock(&qp->mutex);
	if (err || !(mask & IB_QP_STATE))
		return err;
	/* Sends and receives that waited for this state. */
	if (attr->qp_state >= IB_QPS_RTS)
		soft_qp_kick(qp);
	return 0;
}

/**
 * soft_query_qp() - ib_device_ops.query_qp
 * @ibqp: the QP
 * @attr: filled with what was set, and the present state
 * @mask: ignored, as all is told
 * @init: filled
 *
 * Return: 0.
 */
int soft_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct soft_qp *qp = to_soft_qp(ibqp);
	bool draining;

	mutex_lock(&qp->mutex);
	*attr = qp->attr;
	attr->qp_state = current_state(qp, &draining);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = draining;
	attr->cap = qp->cap;
	mutex_unlock(&qp->mutex);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = attr->port_num;
	return 0;
}
