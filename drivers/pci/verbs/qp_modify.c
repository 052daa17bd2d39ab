// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: transitions and queries.
 *
 * ohca_core's table says what a transition is, and checks values; qpc.c says it to the
 * device. The device moves QPs by itself too, on errors: it is asked where that counts.
 */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include <ohca/port.h>
#include <ohca/qp_state.h>

#include "../hw/cmd.h"
#include "cq.h"
#include "qp.h"
#include "qpc.h"
#include "srq.h"
#include "verbs.h"

/* A packet in 2^n of a long message asks for an ACK. */
#define LOG_ACK_REQ_FREQ	8
/* log2 of the largest datagram. */
#define LOG_UD_MSG		12

/**
 * verbs_qp_move() - one of the commands that modify a QP
 * @qp: the QP
 * @opcode: MLX5_CMD_OP_*
 * @optpar: MLX5_QP_OPTPAR_*
 * @qpc: the context: MLX5_ST_SZ_BYTES(qpc); NULL: the command has none
 *
 * All of them are laid out alike; to RESET and to ERR there is no context.
 *
 * Context: may sleep.
 * Return: 0 or the command's error.
 */
int verbs_qp_move(struct verbs_qp *qp, u16 opcode, u32 optpar, const void *qpc)
{
	u32 out[MLX5_ST_SZ_DW(rst2init_qp_out)] = {};
	u32 in[MLX5_ST_SZ_DW(rst2init_qp_in)] = {};
	u32 bytes = qpc ? sizeof(in) : MLX5_ST_SZ_BYTES(qp_2rst_in);

	MLX5_SET(rst2init_qp_in, in, opcode, opcode);
	MLX5_SET(rst2init_qp_in, in, qpn, qp->qpn);
	if (qpc) {
		MLX5_SET(rst2init_qp_in, in, opt_param_mask, optpar);
		memcpy(MLX5_ADDR_OF(rst2init_qp_in, in, qpc), qpc, MLX5_ST_SZ_BYTES(qpc));
	}
	return ohca_cmd_exec(to_hca(qp->ibqp.device), in, bytes, out,
			     MLX5_ST_SZ_BYTES(qp_2rst_out));
}

/* The context as the device has it; the caller frees it. */
static void *query_context(struct verbs_qp *qp)
{
	u32 in[MLX5_ST_SZ_DW(query_qp_in)] = {};
	void *out = kzalloc(MLX5_ST_SZ_BYTES(query_qp_out), GFP_KERNEL);
	int err;

	if (!out)
		return ERR_PTR(-ENOMEM);
	MLX5_SET(query_qp_in, in, opcode, MLX5_CMD_OP_QUERY_QP);
	MLX5_SET(query_qp_in, in, qpn, qp->qpn);
	err = ohca_cmd_exec(to_hca(qp->ibqp.device), in, sizeof(in), out,
			    MLX5_ST_SZ_BYTES(query_qp_out));
	if (err) {
		kfree(out);
		return ERR_PTR(err);
	}
	return out;
}

/* Where the QP is: only from RTR on does the device move it by itself. */
static int current_state(struct verbs_qp *qp, enum ib_qp_state *state)
{
	bool draining;
	void *out;

	*state = qp->attr.qp_state;
	if (*state < IB_QPS_RTR || *state == IB_QPS_ERR)
		return 0;
	out = query_context(qp);
	if (IS_ERR(out))
		return PTR_ERR(out);
	*state = verbs_qpc_ib_state(MLX5_GET(query_qp_out, out, qpc.state), &draining);
	kfree(out);
	return 0;
}

static int check(struct verbs_qp *qp, enum ib_qp_state cur, const struct ib_qp_attr *attr,
		 int mask)
{
	struct ib_device *ibdev = qp->ibqp.device;
	struct ohca_hca *hca = to_hca(ibdev);
	struct net_device *ndev = ib_device_get_netdev(ibdev, VERBS_PORT);
	struct ohca_qp_limits limits = {
		.mtu = ohca_port_mtu(ndev ? READ_ONCE(ndev->mtu) : 0),
		.max_rd_atomic = verbs_max_rd_atomic(hca, true),
		.max_dest_rd_atomic = verbs_max_rd_atomic(hca, false),
		.pkey_tbl_len = 1,
	};
	u32 port = qp->attr.port_num;

	dev_put(ndev);
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		port = VERBS_PORT;
	return ohca_qp_modify_check(ibdev, port, qp->ibqp.qp_type, cur, attr, mask, &limits);
}

/* What a transition says besides the consumer's attributes. */
static void write_fixed(void *qpc, const struct verbs_qp *qp, enum ib_qp_state next)
{
	struct ohca_hca *hca = to_hca(qp->ibqp.device);
	bool datagram = qp->ibqp.qp_type == IB_QPT_UD || qp->ibqp.qp_type == IB_QPT_GSI;

	MLX5_SET(qpc, qpc, pm_state, MLX5_QP_PM_MIGRATED);
	switch (next) {
	case IB_QPS_INIT:
		MLX5_SET(qpc, qpc, counter_set_id, qp->q_counter);
		if (qp->ibqp.qp_type == IB_QPT_GSI)
			MLX5_SET(qpc, qpc, primary_address_path.vhca_port_num, VERBS_PORT);
		break;
	case IB_QPS_RTR:
		MLX5_SET(qpc, qpc, log_msg_max,
			 datagram ? LOG_UD_MSG : MLX5_CAP_GEN(hca, log_max_msg));
		break;
	case IB_QPS_RTS:
		MLX5_SET(qpc, qpc, log_ack_req_freq, LOG_ACK_REQ_FREQ);
		break;
	default:
		break;
	}
}

/**
 * verbs_qp_clean() - forgets what was posted to a QP of the kernel's
 * @qp: the QP, which the device has in RESET
 *
 * Context: may sleep. Nobody posts meanwhile.
 */
void verbs_qp_clean(struct verbs_qp *qp)
{
	struct verbs_cq *send = to_verbs_cq(qp->ibqp.send_cq);
	struct verbs_cq *recv = to_verbs_cq(qp->ibqp.recv_cq);

	verbs_cq_clean(recv, qp->qpn, qp->ibqp.srq ? to_verbs_srq(qp->ibqp.srq) : NULL);
	if (send != recv)
		verbs_cq_clean(send, qp->qpn, NULL);
	qp->sq.head = 0;
	qp->sq.tail = 0;
	qp->sq.after_umr = false;
	qp->rq.head = 0;
	qp->rq.tail = 0;
	qp->db.rec[MLX5_RCV_DBR] = 0;
	qp->db.rec[MLX5_SND_DBR] = 0;
}

/**
 * verbs_qp_set_counter() - has a QP count in another set of counters
 * @qp: the QP
 * @set: the set's number
 *
 * A QP in RESET takes its set along to INIT; a running one is told, if the device can.
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP or the command's error.
 */
int verbs_qp_set_counter(struct verbs_qp *qp, u16 set)
{
	struct ohca_hca *hca = to_hca(qp->ibqp.device);
	u32 qpc[MLX5_ST_SZ_DW(qpc)] = {};
	int err = 0;

	mutex_lock(&qp->mutex);
	if (qp->attr.qp_state == IB_QPS_RTS) {
		MLX5_SET(qpc, qpc, counter_set_id, set);
		err = MLX5_CAP_GEN(hca, rts2rts_qp_counters_set_id) ?
		      verbs_qp_move(qp, MLX5_CMD_OP_RTS2RTS_QP, MLX5_QP_OPTPAR_COUNTER_SET_ID,
				    qpc) : -EOPNOTSUPP;
	} else if (qp->attr.qp_state != IB_QPS_RESET) {
		err = -EOPNOTSUPP;
	}
	if (!err)
		qp->q_counter = set;
	mutex_unlock(&qp->mutex);
	return err;
}

static int apply(struct verbs_qp *qp, enum ib_qp_state cur, const struct ib_qp_attr *attr,
		 int mask)
{
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : cur;
	enum ib_qp_type type = qp->ibqp.qp_type;
	u32 qpc[MLX5_ST_SZ_DW(qpc)] = {};
	struct ib_qp_attr *after;
	u32 optpar;
	int opcode, err;

	/* RESET to RESET: there is nothing to do. */
	if (cur == IB_QPS_RESET && next == IB_QPS_RESET)
		return 0;
	opcode = verbs_qpc_opcode(cur, next);
	if (opcode < 0)
		return opcode;
	if (next == IB_QPS_RESET || next == IB_QPS_ERR)
		return verbs_qp_move(qp, opcode, 0, NULL);

	after = kmemdup(&qp->attr, sizeof(*after), GFP_KERNEL);
	if (!after)
		return -ENOMEM;
	ohca_qp_attr_merge(after, attr, mask);
	after->qp_state = next;
	write_fixed(qpc, qp, next);
	verbs_qpc_write(qpc, type, qp->qpn, after, mask);
	optpar = verbs_qpc_optpar(type, cur, next, mask);
	err = verbs_qp_move(qp, opcode, optpar, qpc);
	kfree(after);
	return err;
}

/**
 * verbs_modify_qp() - ib_device_ops.modify_qp
 * @ibqp: the QP
 * @attr: attributes
 * @mask: which of them are given
 * @udata: a program's, or NULL
 *
 * Return: 0; -EINVAL: no such transition, an attribute too many or too few, or a
 * value; -EOPNOTSUPP; an error of the command.
 */
int verbs_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct verbs_qp *qp = to_verbs_qp(ibqp);
	enum ib_qp_state cur;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	mutex_lock(&qp->mutex);
	err = current_state(qp, &cur);
	err = err ?: check(qp, cur, attr, mask);
	err = err ?: apply(qp, cur, attr, mask);
	if (err)
		goto out;
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_RESET) {
		ohca_qp_attr_reset(&qp->attr);
		if (qp->kernel)
			verbs_qp_clean(qp);
	} else {
		ohca_qp_attr_merge(&qp->attr, attr, mask);
	}
out:
	mutex_unlock(&qp->mutex);
	return err;
}

/* What the device rounds, or keeps only a part of, is as it was set. */
static void restore_set(struct ib_qp_attr *attr, const struct ib_qp_attr *set)
{
	attr->max_rd_atomic = set->max_rd_atomic;
	attr->max_dest_rd_atomic = set->max_dest_rd_atomic;
	attr->qp_access_flags = set->qp_access_flags;
	attr->path_mtu = set->path_mtu;
	attr->ah_attr = set->ah_attr;
}

/**
 * verbs_query_qp() - ib_device_ops.query_qp
 * @ibqp: the QP
 * @attr: filled with what was set, and the present state and PSNs
 * @mask: ignored, as all is told
 * @init: filled
 *
 * Return: 0 or the command's error.
 */
int verbs_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct verbs_qp *qp = to_verbs_qp(ibqp);
	void *out = NULL;

	mutex_lock(&qp->mutex);
	*attr = qp->attr;
	if (qp->attr.qp_state != IB_QPS_RESET)
		out = query_context(qp);
	if (!IS_ERR_OR_NULL(out)) {
		verbs_qpc_read(MLX5_ADDR_OF(query_qp_out, out, qpc), attr);
		restore_set(attr, &qp->attr);
	}
	mutex_unlock(&qp->mutex);
	if (IS_ERR(out))
		return PTR_ERR(out);
	kfree(out);

	attr->cap = qp->cap;
	/* A program's library has rounded it up, and tells what the kernel tells. */
	if (qp->rq.size)
		attr->cap.max_recv_wr = qp->rq.size;
	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = attr->port_num;
	return 0;
}
