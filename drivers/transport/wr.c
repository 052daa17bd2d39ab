// SPDX-License-Identifier: GPL-2.0
/*
 * Send work requests: what each opcode is, and whether a WR makes sense.
 */
#include "internal.h"

static const struct tp_wr_type tp_wr_types[] = {
	[IB_UVERBS_WR_RDMA_WRITE] = {
		.known = true, .op = TP_OP_WRITE, .wc_opcode = IB_UVERBS_WC_RDMA_WRITE,
	},
	[IB_UVERBS_WR_RDMA_WRITE_WITH_IMM] = {
		.known = true, .op = TP_OP_WRITE, .wc_opcode = IB_UVERBS_WC_RDMA_WRITE,
		.flags = TP_TRAIN_IMM, .takes_recv = true,
	},
	[IB_UVERBS_WR_SEND] = {
		.known = true, .op = TP_OP_SEND, .wc_opcode = IB_UVERBS_WC_SEND,
		.takes_recv = true,
	},
	[IB_UVERBS_WR_SEND_WITH_IMM] = {
		.known = true, .op = TP_OP_SEND, .wc_opcode = IB_UVERBS_WC_SEND,
		.flags = TP_TRAIN_IMM, .takes_recv = true,
	},
	[IB_UVERBS_WR_SEND_WITH_INV] = {
		.known = true, .op = TP_OP_SEND, .wc_opcode = IB_UVERBS_WC_SEND,
		.flags = TP_TRAIN_INV, .takes_recv = true,
	},
	[IB_UVERBS_WR_RDMA_READ] = {
		.known = true, .op = TP_OP_READ, .wc_opcode = IB_UVERBS_WC_RDMA_READ,
	},
	[IB_UVERBS_WR_ATOMIC_CMP_AND_SWP] = {
		.known = true, .op = TP_OP_CMP_SWAP, .wc_opcode = IB_UVERBS_WC_COMP_SWAP,
	},
	[IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD] = {
		.known = true, .op = TP_OP_FETCH_ADD, .wc_opcode = IB_UVERBS_WC_FETCH_ADD,
	},
	[IB_UVERBS_WR_RDMA_READ_WITH_INV] = {
		.known = true, .op = TP_OP_READ, .wc_opcode = IB_UVERBS_WC_RDMA_READ,
		.inv_after = true,
	},
	[IB_UVERBS_WR_LOCAL_INV] = {
		.known = true, .local = true, .ordered = true,
		.wc_opcode = IB_UVERBS_WC_LOCAL_INV,
	},
	[IB_UVERBS_WR_BIND_MW] = {
		.known = true, .local = true, .wc_opcode = IB_UVERBS_WC_BIND_MW,
	},
	[TP_WR_REG_MR] = {
		.known = true, .local = true, .wc_opcode = TP_WC_REG_MR,
	},
};

/**
 * tp_wr_type() - what a WR is
 * @wr: a WR that tp_wr_check() has passed
 *
 * Return: its row of the table.
 */
const struct tp_wr_type *tp_wr_type(const struct tp_send_wr *wr)
{
	return &tp_wr_types[wr->opcode];
}

/**
 * tp_wr_op() - what kind of message a WR in the SQ becomes
 * @wr: the WR; it takes PSNs
 *
 * Return: the kind.
 */
enum tp_op tp_wr_op(const struct tp_send_wr *wr)
{
	return tp_wr_type(wr)->op;
}

/**
 * tp_wr_check() - what is wrong with a WR before anything of it is sent
 * @qp: the QP
 * @wr: the WR
 *
 * Under req.lock.
 *
 * Return: TP_WC_SUCCESS, or the status that it is to complete with.
 */
enum tp_wc_status tp_wr_check(const struct tp_qp *qp, const struct tp_send_wr *wr)
{
	const struct tp_wr_type *type;

	if (wr->bad)
		return wr->bad;
	if (wr->opcode >= ARRAY_SIZE(tp_wr_types) || !tp_wr_types[wr->opcode].known)
		return TP_WC_LOC_QP_OP_ERR;
	type = tp_wr_type(wr);
	if (type->local)
		return TP_WC_SUCCESS;
	if (qp->service == TP_UC && (tp_op_has_answer(type->op) || type->flags & TP_TRAIN_INV))
		return TP_WC_LOC_QP_OP_ERR;
	if (wr->length > TP_MAX_MESSAGE)
		return TP_WC_LOC_LEN_ERR;
	if (!tp_op_has_answer(type->op))
		return TP_WC_SUCCESS;
	if (!qp->attr.max_rd_atomic || wr->flags & TP_SEND_INLINE)
		return TP_WC_LOC_QP_OP_ERR;
	if (tp_op_is_atomic(type->op) && wr->length != 8)
		return TP_WC_LOC_LEN_ERR;
	return TP_WC_SUCCESS;
}

/**
 * tp_read_packets() - packets that one READ request asks for
 * @qp: the QP
 *
 * Return: how many, at most.
 */
u32 tp_read_packets(const struct tp_qp *qp)
{
	return TP_READ_BYTES / qp->attr.mtu;
}

/**
 * tp_read_end() - where the READ request ends that packet @pkt of a READ WR belongs to
 * @qp: the QP
 * @wr: the WR
 * @pkt: packet
 *
 * Return: one past its last packet, counted from the WR's first.
 */
u32 tp_read_end(const struct tp_qp *qp, const struct tp_send_wr *wr, u32 pkt)
{
	u32 per = tp_read_packets(qp);

	return min(wr->npkts, (pkt / per + 1) * per);
}
