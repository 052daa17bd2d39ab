// SPDX-License-Identifier: GPL-2.0
/*
 * From the transport's completions to entries of a completion queue.
 */
#include "qp.h"

static u8 syndrome_of(enum tp_wc_status status)
{
	static const struct { enum tp_wc_status status; u8 syndrome; } map[] = {
		{ TP_WC_LOC_LEN_ERR,		MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR },
		{ TP_WC_LOC_QP_OP_ERR,		MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR },
		{ TP_WC_LOC_PROT_ERR,		MLX5_CQE_SYNDROME_LOCAL_PROT_ERR },
		{ TP_WC_WR_FLUSH_ERR,		MLX5_CQE_SYNDROME_WR_FLUSH_ERR },
		{ TP_WC_MW_BIND_ERR,		MLX5_CQE_SYNDROME_MW_BIND_ERR },
		{ TP_WC_BAD_RESP_ERR,		MLX5_CQE_SYNDROME_BAD_RESP_ERR },
		{ TP_WC_LOC_ACCESS_ERR,		MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR },
		{ TP_WC_REM_INV_REQ_ERR,	MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR },
		{ TP_WC_REM_ACCESS_ERR,		MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR },
		{ TP_WC_REM_OP_ERR,		MLX5_CQE_SYNDROME_REMOTE_OP_ERR },
		{ TP_WC_RETRY_EXC_ERR,		MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR },
		{ TP_WC_RNR_RETRY_EXC_ERR,	MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(map); i++) {
		if (map[i].status == status)
			return map[i].syndrome;
	}
	return MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR;
}

static void set_error(struct mlx5_cqe64 *cqe, const struct tp_wc *wc)
{
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)cqe;

	err->syndrome = syndrome_of(wc->status);
	err->vendor_err_synd = (u8)wc->vendor_err;
}

void cqe_send(struct qp *qp, const struct tp_wc *wc)
{
	u32 opcode = wc->wr_id >> 16 & 0xff;
	struct mlx5_cqe64 cqe;

	if (!qp->send_cq)
		return;
	memset(&cqe, 0, sizeof(cqe));
	cqe.sop_drop_qpn = cpu_to_be32(opcode << 24 | qp->wq.obj.id);
	cqe.srqn = cpu_to_be32(MLX5_GET(qpc, qp->ctx, user_index));
	cqe.wqe_counter = cpu_to_be16((u16)wc->wr_id);
	if (wc->status == TP_WC_SUCCESS) {
		cqe.byte_cnt = cpu_to_be32(wc->byte_len);
		cqe.op_own = MLX5_CQE_REQ << 4;
	} else {
		cqe.op_own = MLX5_CQE_REQ_ERR << 4;
		set_error(&cqe, wc);
	}
	cq_push(qp->send_cq, &cqe, wc->status != TP_WC_SUCCESS);
}

static u8 recv_opcode(const struct tp_wc *wc)
{
	if (wc->opcode == TP_WC_RECV_WITH_IMM)
		return MLX5_CQE_RESP_WR_IMM;
	if (wc->flags & TP_WC_WITH_IMM)
		return MLX5_CQE_RESP_SEND_IMM;
	return wc->flags & TP_WC_WITH_INV ? MLX5_CQE_RESP_SEND_INV : MLX5_CQE_RESP_SEND;
}

static void push_recv(struct qp *qp, const struct tp_wc *wc, u32 l3_type, u32 pkey)
{
	struct mlx5_cqe64 cqe;
	u32 user_index = MLX5_GET(qpc, qp->ctx, user_index);
	struct cq *cq = qp->recv_cq;
	struct srq *xrc;

	if (qp->st == MLX5_QP_ST_XRC) {
		xrc = qp_xrc_srq(qp);
		cq = xrc ? xrc->cq : NULL;
		user_index = xrc ? xrc->user_index : 0;
	}
	if (!cq)
		return;
	memset(&cqe, 0, sizeof(cqe));
	cqe.sop_drop_qpn = cpu_to_be32(qp->wq.obj.id);
	cqe.srqn = cpu_to_be32(user_index);
	cqe.wqe_counter = cpu_to_be16(qp->recv_index);
	if (wc->status == TP_WC_SUCCESS) {
		cqe.byte_cnt = cpu_to_be32(wc->byte_len);
		cqe.flags_rqpn = cpu_to_be32((wc->flags & TP_WC_GRH ? 1u << 28 : 0) |
					     l3_type << 24 | wc->src_qp);
		cqe.pkey = cpu_to_be32(pkey);
		if (wc->flags & TP_WC_WITH_IMM)
			cqe.immediate = wc->imm;
		else if (wc->flags & TP_WC_WITH_INV)
			cqe.inval_rkey = cpu_to_be32(wc->inv_rkey);
		cqe.op_own = (u8)(recv_opcode(wc) << 4 | (wc->solicited ? 2 : 0));
	} else {
		cqe.op_own = MLX5_CQE_RESP_ERR << 4;
		set_error(&cqe, wc);
	}
	cq_push(cq, &cqe, wc->solicited || wc->status != TP_WC_SUCCESS);
}

void cqe_recv(struct qp *qp, const struct tp_wc *wc)
{
	push_recv(qp, wc, 0, 0);
}

void cqe_recv_ud(struct qp *qp, const struct tp_wc *wc, bool ipv4)
{
	push_recv(qp, wc, ipv4 ? MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV4 :
				 MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV6, 0xffff);
}
