// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: commands.
 */
#include "cmd.h"
#include "commands.h"
#include "mcg.h"
#include "qp.h"
#include "roce.h"

/* How often a QP in ERR looks for receives that were posted since. */
#define FLUSH_INTERVAL	(20 * 1000000ull)

struct qp *qp_find(struct hca *hca, u32 qpn)
{
	struct wq *wq = object_find(hca, OBJ_WQ, qpn);

	return wq && wq->kind == WQ_QP ? container_of(wq, struct qp, wq) : NULL;
}

struct srq *qp_xrc_srq(const struct qp *qp)
{
	struct srq *srq = object_find(qp->wq.obj.hca, OBJ_SRQ, qp->xrc_srqn);

	return srq && srq->kind == SRQ_XRC && srq->xrcd == MLX5_GET(qpc, qp->ctx, xrcd) ? srq :
	       NULL;
}

void qp_again(struct qp *qp)
{
	loop_queue(&qp->wq.obj.hca->loop, &qp->wq.work);
}

/* Both halves have what they want done; neither call waits. */
static void run(void *arg)
{
	struct qp *qp = arg;
	bool more;

	if (!qp->has_tp) {
		if (qp->st == MLX5_QP_ST_REG_UMR)
			umr_run(qp);
		else
			ud_run(qp);
		return;
	}
	more = tp_send(&qp->tp);
	more |= tp_respond(&qp->tp);
	if (more)
		qp_again(qp);
}

static void on_timer(void *arg)
{
	struct qp *qp = arg;
	struct tp_qp_attr attr;
	bool draining;

	if (!qp->has_tp) {
		qp_again(qp);
		return;
	}
	tp_qp_query(&qp->tp, &attr, &draining);
	if (attr.state == TP_QPS_ERR) {
		tp_recv_posted(&qp->tp);
		loop_arm(&qp->wq.obj.hca->loop, &qp->timer, loop_now() + FLUSH_INTERVAL);
		qp_again(qp);
		return;
	}
	if (tp_timeout(&qp->tp))
		qp_again(qp);
}

static void qp_free(struct object *obj)
{
	struct qp *qp = container_of(obj, struct qp, wq.obj);

	mcg_forget(obj->hca, obj->id);
	loop_cancel(&obj->hca->loop, &qp->wq.work);
	loop_disarm(&obj->hca->loop, &qp->timer);
	if (qp->has_tp)
		tp_qp_fini(&qp->tp);
	if (qp->send_cq)
		qp->send_cq->obj.refs--;
	if (qp->recv_cq)
		qp->recv_cq->obj.refs--;
	if (qp->srq)
		qp->srq->obj.refs--;
	qbuf_fini(&qp->buf);
}

/* Sizes and buffer; 0 or a command status. */
static int set_buffer(struct cmd *cmd, struct qp *qp)
{
	u32 rq_type = MLX5_GET(qpc, qp->ctx, rq_type);
	u32 shift = MLX5_GET(qpc, qp->ctx, log_page_size) + MLX5_ADAPTER_PAGE_SHIFT;
	u64 bytes;

	if (rq_type == MLX5_NON_ZERO_RQ) {
		qp->rq_size = 1u << MLX5_GET(qpc, qp->ctx, log_rq_size);
		qp->rq_stride = MLX5_GET(qpc, qp->ctx, log_rq_stride) + 4;
		qp->sq_at = (u64)qp->rq_size << qp->rq_stride;
	}
	if (!MLX5_GET(qpc, qp->ctx, no_sq))
		qp->sq_size = 1u << MLX5_GET(qpc, qp->ctx, log_sq_size);
	bytes = qp->sq_at + (u64)qp->sq_size * WQEBB;
	if (!bytes)
		return 0;
	if (qbuf_init(&qp->buf, MEMBER(create_qp_in, cmd->in, pas),
		      cmd->inlen - (u32)IN_BYTES(create_qp), shift,
		      MLX5_GET(qpc, qp->ctx, page_offset) << (shift - 6), bytes))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	return 0;
}

/* The objects that it names; 0 or a command status. */
static int set_partners(struct cmd *cmd, struct qp *qp)
{
	u32 rq_type = MLX5_GET(qpc, qp->ctx, rq_type);
	struct cq *send = cq_find(cmd->hca, MLX5_GET(qpc, qp->ctx, cqn_snd));
	struct cq *recv = cq_find(cmd->hca, MLX5_GET(qpc, qp->ctx, cqn_rcv));
	struct srq *srq = NULL;

	/* A target of XRC completes into the CQs of the queues that its packets name. */
	if (qp->st == MLX5_QP_ST_XRC && !qp->sq_size)
		return object_find(cmd->hca, OBJ_XRCD, MLX5_GET(qpc, qp->ctx, xrcd)) ? 0 :
		       cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (rq_type == MLX5_SRQ_RQ) {
		srq = object_find(cmd->hca, OBJ_SRQ, MLX5_GET(qpc, qp->ctx, srqn_rmpn_xrqn));
		if (!srq)
			return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	}
	if ((qp->sq_size && !send) || (rq_type != MLX5_ZERO_LEN_RQ && !recv) ||
	    (qp->pd && !object_find(cmd->hca, OBJ_PD, qp->pd)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	/* A queue that is not there completes nothing, but flushes ask for both. */
	qp->send_cq = send ?: recv;
	qp->recv_cq = recv ?: send;
	if (!qp->send_cq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	qp->send_cq->obj.refs++;
	qp->recv_cq->obj.refs++;
	qp->srq = srq;
	if (srq)
		srq->obj.refs++;
	return 0;
}

static int start_transport(struct cmd *cmd, struct qp *qp)
{
	struct tp_qp_init_attr init = {
		.service = qp->st == MLX5_QP_ST_UC ? TP_UC : TP_RC,
		.qpn = qp->wq.obj.id,
		.max_send_wr = clamp(qp->sq_size, 1u, QP_MAX_TAKEN),
		.max_send_sge = TP_MAX_SGE,
		.max_inline = QP_MAX_INLINE,
		.has_srq = qp->srq || qp->st == MLX5_QP_ST_XRC,
	};

	if (tp_qp_init(&qp->tp, &init))
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	qp->has_tp = true;
	return 0;
}

int cmd_create_qp(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_qp_in, cmd->in, qpc);
	struct qp *qp;
	int ret;

	switch (MLX5_GET(qpc, ctx, st)) {
	case MLX5_QP_ST_RC:
	case MLX5_QP_ST_UC:
	case MLX5_QP_ST_XRC:
	case MLX5_QP_ST_UD:
	case MLX5_QP_ST_QP1:
	case MLX5_QP_ST_REG_UMR:
		break;
	default:
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	}
	/* Who sends nothing has no doorbell. */
	if (!MLX5_GET(qpc, ctx, no_sq) &&
	    !object_find(cmd->hca, OBJ_UAR, MLX5_GET(qpc, ctx, uar_page)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	qp = object_new(cmd->hca, OBJ_WQ, sizeof(*qp), qp_free);
	if (!qp)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	qp->wq.kind = WQ_QP;
	qp->wq.uar = MLX5_GET(qpc, ctx, uar_page);
	qp->wq.work = (struct work){ .fn = run, .arg = qp };
	qp->timer = (struct timer){ .fn = on_timer, .arg = qp };
	memcpy(qp->ctx, ctx, sizeof(qp->ctx));
	qp->st = MLX5_GET(qpc, ctx, st);
	qp->state = MLX5_QP_STATE_RST;
	qp->pd = MLX5_GET(qpc, ctx, pd);
	qp->dbr = MLX5_GET64(qpc, ctx, dbr_addr);
	ret = set_buffer(cmd, qp);
	ret = ret ?: set_partners(cmd, qp);
	if (!ret && (qp->st == MLX5_QP_ST_RC || qp->st == MLX5_QP_ST_UC ||
		     qp->st == MLX5_QP_ST_XRC))
		ret = start_transport(cmd, qp);
	if (ret) {
		object_delete(&qp->wq.obj);
		return ret;
	}
	MLX5_SET(create_qp_out, cmd->out, qpn, qp->wq.obj.id);
	return 0;
}

int cmd_destroy_qp(struct cmd *cmd)
{
	struct qp *qp = qp_find(cmd->hca, MLX5_GET(destroy_qp_in, cmd->in, qpn));

	if (!qp)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	object_delete(&qp->wq.obj);
	return 0;
}

#define FROM(state)	(1u << MLX5_QP_STATE_##state)
#define ANY		0xffffu

/* Members of the context that a transition takes over. */
#define TAKE_ACCESS	0x001u	/* rights, P_Key, Q_Key, counters */
#define TAKE_RTR	0x002u	/* path, MTU, peer, PSN expected, responder's limits */
#define TAKE_RTS	0x004u	/* PSN, retries, requester's limits */
#define TAKE_OPTIONAL	0x008u	/* what the mask of optional parameters names */

/* The transitions: command, states it leads from, state it leads to, what it sets. */
static const struct {
	u16 op;
	u32 from;
	u32 to;
	u32 take;
} transitions[] = {
	{ MLX5_CMD_OP_RST2INIT_QP, FROM(RST), MLX5_QP_STATE_INIT, TAKE_ACCESS },
	{ MLX5_CMD_OP_INIT2INIT_QP, FROM(INIT), MLX5_QP_STATE_INIT, TAKE_OPTIONAL },
	{ MLX5_CMD_OP_INIT2RTR_QP, FROM(INIT), MLX5_QP_STATE_RTR, TAKE_RTR | TAKE_OPTIONAL },
	{ MLX5_CMD_OP_RTR2RTS_QP, FROM(RTR), MLX5_QP_STATE_RTS, TAKE_RTS | TAKE_OPTIONAL },
	{ MLX5_CMD_OP_RTS2RTS_QP, FROM(RTS), MLX5_QP_STATE_RTS, TAKE_OPTIONAL },
	{ MLX5_CMD_OP_SQERR2RTS_QP, FROM(SQER), MLX5_QP_STATE_RTS, TAKE_OPTIONAL },
	{ MLX5_CMD_OP_SQD_RTS_QP, FROM(SQD), MLX5_QP_STATE_RTS, TAKE_OPTIONAL },
	{ MLX5_CMD_OP_2ERR_QP, ANY & ~FROM(RST), MLX5_QP_STATE_ERR, 0 },
	{ MLX5_CMD_OP_2RST_QP, ANY, MLX5_QP_STATE_RST, 0 },
};

/* The transport's states have numbers of their own. */
static const u8 tp_states[] = {
	[MLX5_QP_STATE_RST] = TP_QPS_RESET, [MLX5_QP_STATE_INIT] = TP_QPS_INIT,
	[MLX5_QP_STATE_RTR] = TP_QPS_RTR, [MLX5_QP_STATE_RTS] = TP_QPS_RTS,
	[MLX5_QP_STATE_SQER] = TP_QPS_SQE, [MLX5_QP_STATE_SQD] = TP_QPS_SQD,
	[MLX5_QP_STATE_ERR] = TP_QPS_ERR,
};

static u32 present_state(struct qp *qp)
{
	struct tp_qp_attr attr;
	bool draining;
	u32 i;

	if (!qp->has_tp)
		return qp->state;
	tp_qp_query(&qp->tp, &attr, &draining);
	for (i = 0; i < ARRAY_SIZE(tp_states); i++) {
		if (tp_states[i] == attr.state)
			return i;
	}
	return MLX5_QP_STATE_ERR;
}

#define COPY(f) MLX5_SET(qpc, qp->ctx, f, MLX5_GET(qpc, from, f))

static void take_access(struct qp *qp, const void *from)
{
	COPY(rre);
	COPY(rwe);
	COPY(rae);
	COPY(q_key);
	COPY(counter_set_id);
	COPY(primary_address_path.pkey_index);
	COPY(primary_address_path.vhca_port_num);
}

static void take_rtr(struct qp *qp, const void *from)
{
	memcpy(MEMBER(qpc, qp->ctx, primary_address_path),
	       MEMBER(qpc, from, primary_address_path), MLX5_ST_SZ_BYTES(ads));
	COPY(mtu);
	COPY(log_msg_max);
	COPY(remote_qpn);
	COPY(next_rcv_psn);
	COPY(log_rra_max);
	COPY(min_rnr_nak);
}

static void take_rts(struct qp *qp, const void *from)
{
	COPY(primary_address_path.ack_timeout);
	COPY(next_send_psn);
	COPY(log_sra_max);
	COPY(retry_count);
	COPY(rnr_retry);
	COPY(log_ack_req_freq);
}

static void take_optional(struct qp *qp, const void *from, u32 mask)
{
	if (mask & MLX5_QP_OPTPAR_RRE)
		COPY(rre);
	if (mask & MLX5_QP_OPTPAR_RWE)
		COPY(rwe);
	if (mask & MLX5_QP_OPTPAR_RAE)
		COPY(rae);
	if (mask & MLX5_QP_OPTPAR_Q_KEY)
		COPY(q_key);
	if (mask & MLX5_QP_OPTPAR_PKEY_INDEX)
		COPY(primary_address_path.pkey_index);
	if (mask & MLX5_QP_OPTPAR_RNR_TIMEOUT)
		COPY(min_rnr_nak);
	if (mask & MLX5_QP_OPTPAR_SRA_MAX)
		COPY(log_sra_max);
	if (mask & MLX5_QP_OPTPAR_RRA_MAX)
		COPY(log_rra_max);
	if (mask & MLX5_QP_OPTPAR_RETRY_COUNT)
		COPY(retry_count);
	if (mask & MLX5_QP_OPTPAR_RNR_RETRY)
		COPY(rnr_retry);
	if (mask & MLX5_QP_OPTPAR_ACK_TIMEOUT)
		COPY(primary_address_path.ack_timeout);
	if (mask & MLX5_QP_OPTPAR_COUNTER_SET_ID)
		COPY(counter_set_id);
}

#undef COPY

/* The context as the transport's attributes. */
static void to_transport(struct qp *qp, u32 take, u32 to)
{
	u32 mask = TP_ATTR_STATE;
	struct tp_qp_attr attr = {
		.state = tp_states[to],
		.access = (MLX5_GET(qpc, qp->ctx, rre) ? TP_ACCESS_REMOTE_READ : 0) |
			  (MLX5_GET(qpc, qp->ctx, rwe) ? TP_ACCESS_REMOTE_WRITE : 0) |
			  (MLX5_GET(qpc, qp->ctx, rae) ? TP_ACCESS_REMOTE_ATOMIC : 0),
		.pkey = 0xffff,
		.dest_qpn = MLX5_GET(qpc, qp->ctx, remote_qpn),
		.sq_psn = MLX5_GET(qpc, qp->ctx, next_send_psn),
		.rq_psn = MLX5_GET(qpc, qp->ctx, next_rcv_psn),
		.mtu = 128u << MLX5_GET(qpc, qp->ctx, mtu),
		.max_rd_atomic = (u8)(1u << MLX5_GET(qpc, qp->ctx, log_sra_max)),
		.max_dest_rd_atomic = (u8)(1u << MLX5_GET(qpc, qp->ctx, log_rra_max)),
		.timeout = (u8)MLX5_GET(qpc, qp->ctx, primary_address_path.ack_timeout),
		.retry_cnt = (u8)MLX5_GET(qpc, qp->ctx, retry_count),
		.rnr_retry = (u8)MLX5_GET(qpc, qp->ctx, rnr_retry),
		.min_rnr_timer = (u8)MLX5_GET(qpc, qp->ctx, min_rnr_nak),
	};

	if (take & (TAKE_ACCESS | TAKE_OPTIONAL))
		mask |= TP_ATTR_ACCESS | TP_ATTR_PKEY;
	if (take & TAKE_RTR)
		mask |= TP_ATTR_MTU | TP_ATTR_DEST_QPN | TP_ATTR_RQ_PSN | TP_ATTR_MAX_DEST_RD |
			TP_ATTR_RNR_TIMER;
	if (take & TAKE_RTS)
		mask |= TP_ATTR_SQ_PSN | TP_ATTR_MAX_RD | TP_ATTR_TIMEOUT | TP_ATTR_RETRY |
			TP_ATTR_RNR_RETRY;
	if (take == TAKE_OPTIONAL)
		mask |= TP_ATTR_RNR_TIMER;
	tp_qp_modify(&qp->tp, &attr, mask);
}

/* IBA's limits, which the transport takes as given. */
static bool values_ok(const void *ctx, u32 take)
{
	u32 mtu = MLX5_GET(qpc, ctx, mtu);

	return !(take & TAKE_RTR) || (mtu >= 1 && mtu <= 5);
}

int cmd_modify_qp(struct cmd *cmd)
{
	struct qp *qp = qp_find(cmd->hca, MLX5_GET(rst2init_qp_in, cmd->in, qpn));
	const void *from = MEMBER(rst2init_qp_in, cmd->in, qpc);
	u32 i, state, to, take;

	if (!qp)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	for (i = 0; transitions[i].op != cmd->op; i++)
		;
	state = present_state(qp);
	if (!(transitions[i].from >> state & 1))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_QP_STATE_ERR);
	to = transitions[i].to;
	take = transitions[i].take;
	if (take && !values_ok(from, qp->has_tp ? take : 0))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (take & TAKE_ACCESS)
		take_access(qp, from);
	if (take & TAKE_RTR)
		take_rtr(qp, from);
	if (take & TAKE_RTS)
		take_rts(qp, from);
	if (take & TAKE_OPTIONAL)
		take_optional(qp, from, MLX5_GET(rst2init_qp_in, cmd->in, opt_param_mask));
	qp->state = to;
	if (to == MLX5_QP_STATE_RST) {
		loop_disarm(&cmd->hca->loop, &qp->timer);
		qp->sq_ci = 0;
		qp->rq_ci = 0;
	}
	if (qp->has_tp) {
		to_transport(qp, take, to);
		qp_again(qp);
		if (to == MLX5_QP_STATE_ERR)
			loop_arm(&cmd->hca->loop, &qp->timer, loop_now() + FLUSH_INTERVAL);
	} else {
		qp_again(qp);
	}
	return 0;
}

int cmd_query_qp(struct cmd *cmd)
{
	struct qp *qp = qp_find(cmd->hca, MLX5_GET(query_qp_in, cmd->in, qpn));
	void *ctx = MEMBER(query_qp_out, cmd->out, qpc);

	if (!qp)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(ctx, qp->ctx, sizeof(qp->ctx));
	MLX5_SET(qpc, ctx, state, present_state(qp));
	MLX5_SET(qpc, ctx, hw_sq_wqebb_counter, qp->sq_ci);
	return 0;
}
