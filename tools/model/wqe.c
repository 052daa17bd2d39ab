// SPDX-License-Identifier: GPL-2.0
/*
 * Work requests out of queues in guest memory.
 *
 * A request is copied once; the copy is checked and used.
 */
#include "mkey.h"
#include "qp.h"

#define SEG		16u
#define WQE_MAX		((u32)MLX5_SEND_WQE_MAX_SIZE)

/* What follows the control segment. */
#define HAS_ADDRESS	1u	/* remote address */
#define HAS_ATOMIC	2u	/* operands */
#define HAS_DATA	4u	/* gather list or inline bytes */
#define HAS_IMM		8u	/* immediate data in the control segment */
#define HAS_INV		16u	/* rkey to invalidate there */

static const struct {
	u8 opcode;
	u8 has;
	u32 wr;
} opcodes[] = {
	{ MLX5_OPCODE_SEND,		HAS_DATA,		IB_UVERBS_WR_SEND },
	{ MLX5_OPCODE_SEND_IMM,		HAS_DATA | HAS_IMM,	IB_UVERBS_WR_SEND_WITH_IMM },
	{ MLX5_OPCODE_SEND_INVAL,	HAS_DATA | HAS_INV,	IB_UVERBS_WR_SEND_WITH_INV },
	{ MLX5_OPCODE_RDMA_WRITE,	HAS_ADDRESS | HAS_DATA,	IB_UVERBS_WR_RDMA_WRITE },
	{ MLX5_OPCODE_RDMA_WRITE_IMM,	HAS_ADDRESS | HAS_DATA | HAS_IMM,
	  IB_UVERBS_WR_RDMA_WRITE_WITH_IMM },
	{ MLX5_OPCODE_RDMA_READ,	HAS_ADDRESS | HAS_DATA,	IB_UVERBS_WR_RDMA_READ },
	{ MLX5_OPCODE_ATOMIC_CS,	HAS_ADDRESS | HAS_ATOMIC | HAS_DATA,
	  IB_UVERBS_WR_ATOMIC_CMP_AND_SWP },
	{ MLX5_OPCODE_ATOMIC_FA,	HAS_ADDRESS | HAS_ATOMIC | HAS_DATA,
	  IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD },
};

static void parse_address(const u8 *wqe, u32 *at, struct tp_send_wr *wr)
{
	const struct mlx5_wqe_raddr_seg *seg = (const void *)(wqe + *at);

	wr->remote_addr = be64_to_cpu(seg->raddr);
	wr->rkey = be32_to_cpu(seg->rkey);
	*at += sizeof(*seg);
}

static void parse_atomic(const u8 *wqe, u32 *at, struct tp_send_wr *wr)
{
	const struct mlx5_wqe_atomic_seg *seg = (const void *)(wqe + *at);

	if (wr->opcode == IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD) {
		wr->compare_add = be64_to_cpu(seg->swap_add);
	} else {
		wr->compare_add = be64_to_cpu(seg->compare);
		wr->swap = be64_to_cpu(seg->swap_add);
	}
	*at += sizeof(*seg);
}

/* Inline bytes, which may be in several segments but not beside a gather list. */
static enum tp_wc_status parse_inline(const u8 *wqe, u32 bytes, u32 at, struct tp_send_wr *wr)
{
	u32 word, n;
	__be32 be;

	wr->flags |= TP_SEND_INLINE;
	while (bytes - at >= sizeof(be)) {
		memcpy(&be, wqe + at, sizeof(be));
		word = be32_to_cpu(be);
		n = word & MLX5_WQE_INLINE_SEG_BYTE_COUNT_MASK;
		if (!(word & MLX5_INLINE_SEG))
			return word ? TP_WC_LOC_QP_OP_ERR : TP_WC_SUCCESS;
		if (n > bytes - at - sizeof(be) || n > QP_MAX_INLINE - wr->length)
			return TP_WC_LOC_QP_OP_ERR;
		memcpy(wr->inline_data + wr->length, wqe + at + sizeof(be), n);
		wr->length += n;
		at += (sizeof(be) + n + SEG - 1) & ~(SEG - 1);
		if (at > bytes)
			break;
	}
	return TP_WC_SUCCESS;
}

static enum tp_wc_status parse_data(const u8 *wqe, u32 bytes, u32 at, struct tp_send_wr *wr)
{
	const struct mlx5_wqe_data_seg *seg;
	u64 length = 0;
	u32 n;

	if (bytes - at >= SEG && (wqe[at] & 0x80))
		return parse_inline(wqe, bytes, at, wr);
	for (; bytes - at >= SEG; at += SEG) {
		seg = (const void *)(wqe + at);
		n = be32_to_cpu(seg->byte_count);
		if (n & MLX5_INLINE_SEG)
			return TP_WC_LOC_QP_OP_ERR;
		if (seg->lkey == MLX5_TERMINATE_SCATTER_LIST_LKEY)
			break;
		if (!n)
			continue;
		if (wr->num_sge == TP_MAX_SGE)
			return TP_WC_LOC_QP_OP_ERR;
		wr->sge[wr->num_sge++] = (struct tp_sge){ .addr = be64_to_cpu(seg->addr),
							  .length = n,
							  .lkey = be32_to_cpu(seg->lkey) };
		length += n;
	}
	if (length > 1u << 30)
		return TP_WC_LOC_LEN_ERR;
	wr->length = (u32)length;
	return TP_WC_SUCCESS;
}

void wqe_parse_send(const u8 *wqe, u32 bytes, struct tp_send_wr *wr)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe;
	u32 opcode = be32_to_cpu(ctrl->opmod_idx_opcode) & MLX5_WQE_CTRL_OPCODE_MASK;
	u32 at = sizeof(*ctrl), i, need = 0;
	u8 has;

	memset(wr, 0, sizeof(*wr));
	wr->signaled = ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
	if (ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED)
		wr->flags |= TP_SEND_SOLICITED;
	if (ctrl->fm_ce_se & (MLX5_FENCE_MODE_FENCE | MLX5_FENCE_MODE_SMALL_AND_FENCE))
		wr->flags |= TP_SEND_FENCE;
	for (i = 0; i < ARRAY_SIZE(opcodes) && opcodes[i].opcode != opcode; i++)
		;
	if (i == ARRAY_SIZE(opcodes)) {
		wr->opcode = IB_UVERBS_WR_SEND;
		wr->bad = TP_WC_LOC_QP_OP_ERR;
		return;
	}
	has = opcodes[i].has;
	wr->opcode = opcodes[i].wr;
	need += has & HAS_ADDRESS ? SEG : 0;
	need += has & HAS_ATOMIC ? SEG : 0;
	if (bytes - at < need) {
		wr->bad = TP_WC_LOC_QP_OP_ERR;
		return;
	}
	if (has & HAS_ADDRESS)
		parse_address(wqe, &at, wr);
	if (has & HAS_ATOMIC)
		parse_atomic(wqe, &at, wr);
	if (has & HAS_IMM)
		wr->imm = ctrl->imm;
	if (has & HAS_INV)
		wr->inv_rkey = be32_to_cpu(ctrl->imm);
	wr->bad = parse_data(wqe, bytes, at, wr);
}

static u16 sq_producer(struct qp *qp)
{
	__be32 word;

	if (!qp->sq_size || dma_read(&qp->wq.obj.hca->dma, qp->dbr + MLX5_SND_DBR * sizeof(word),
				     &word, sizeof(word)))
		return qp->sq_ci;
	return (u16)be32_to_cpu(word);
}

static int read_block(struct qp *qp, u16 index, u8 *to)
{
	u32 at = index & (qp->sq_size - 1);

	return qbuf_read(qp->wq.obj.hca, &qp->buf, qp->sq_at + (u64)at * WQEBB, to, WQEBB);
}

bool wqe_more_sends(struct qp *qp)
{
	return sq_producer(qp) != qp->sq_ci;
}

bool wqe_fetch_send(struct qp *qp, u8 *wqe, u32 *bytes, u64 *wr_id)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe;
	u16 left, start;
	u32 ds, blocks, i, opcode;
	bool bad;

	do {
		start = qp->sq_ci;
		left = (u16)(sq_producer(qp) - start);
		if (!left)
			return false;
		bad = read_block(qp, start, wqe);
		opcode = bad ? 0 : be32_to_cpu(ctrl->opmod_idx_opcode) & 0xff;
		ds = bad ? 1 : be32_to_cpu(ctrl->qpn_ds) & MLX5_WQE_CTRL_DS_MASK;
		blocks = (ds + 3) / 4;
		if (!ds || blocks > qp->sq_size || blocks > left) {
			bad = true;
			blocks = 1;
		}
		for (i = 1; !bad && i < blocks; i++)
			bad = read_block(qp, (u16)(start + i), wqe + i * WQEBB);
		qp->sq_ci = (u16)(start + blocks);
		/* A NOP that nobody waits for is over as soon as it is seen. */
	} while (!bad && opcode == MLX5_OPCODE_NOP && !(ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE));
	*bytes = bad ? 0 : ds * SEG;
	*wr_id = start | (u64)opcode << 16;
	return true;
}

bool wqe_read_send(struct qp *qp, u16 index, u8 *wqe, u32 *bytes)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe;
	u32 i, ds;

	if (read_block(qp, index, wqe))
		return false;
	ds = be32_to_cpu(ctrl->qpn_ds) & MLX5_WQE_CTRL_DS_MASK;
	for (i = 1; i < (ds + 3) / 4; i++) {
		if (read_block(qp, (u16)(index + i), wqe + i * WQEBB))
			return false;
	}
	*bytes = ds * SEG;
	return ds;
}

/*
 * UMR is to the transport a WR that sends nothing and waits for all before it, and
 * whose key is the index of the request: it is read when its turn comes, once.
 */
static void defer_umr(struct tp_send_wr *wr, const struct mlx5_wqe_ctrl_seg *ctrl, u16 index)
{
	memset(wr, 0, sizeof(*wr));
	wr->opcode = IB_UVERBS_WR_LOCAL_INV;
	wr->signaled = ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
	wr->inv_rkey = index;
}

/* The segment that names the peer's queue stands between control and the rest. */
static void parse_xrc(u8 *wqe, u32 bytes, struct tp_send_wr *wr)
{
	const u32 ctrl = sizeof(struct mlx5_wqe_ctrl_seg);
	struct mlx5_wqe_xrc_seg xrc;

	if (bytes < ctrl + sizeof(xrc)) {
		memset(wr, 0, sizeof(*wr));
		wr->bad = TP_WC_LOC_QP_OP_ERR;
		return;
	}
	memcpy(&xrc, wqe + ctrl, sizeof(xrc));
	memmove(wqe + ctrl, wqe + ctrl + sizeof(xrc), bytes - ctrl - sizeof(xrc));
	wqe_parse_send(wqe, bytes - (u32)sizeof(xrc), wr);
	wr->xrc_srqn = be32_to_cpu(xrc.xrc_srqn) & 0xffffff;
}

bool wqe_next_send(struct qp *qp, struct tp_send_wr *wr)
{
	u8 wqe[WQE_MAX] __aligned(16);
	u32 bytes;
	u64 wr_id;

	if (!wqe_fetch_send(qp, wqe, &bytes, &wr_id))
		return false;
	if (bytes && (wr_id >> 16 & 0xff) == MLX5_OPCODE_UMR) {
		defer_umr(wr, (const void *)wqe, (u16)wr_id);
	} else if (bytes && qp->st == MLX5_QP_ST_XRC) {
		parse_xrc(wqe, bytes, wr);
	} else if (bytes) {
		wqe_parse_send(wqe, bytes, wr);
	} else {
		memset(wr, 0, sizeof(*wr));
		wr->bad = TP_WC_LOC_QP_OP_ERR;
	}
	wr->wr_id = wr_id;
	return true;
}

static u16 rq_producer(struct qp *qp)
{
	__be32 word;

	if (!qp->rq_size || dma_read(&qp->wq.obj.hca->dma, qp->dbr + MLX5_RCV_DBR * sizeof(word),
				     &word, sizeof(word)))
		return qp->rq_ci;
	return (u16)be32_to_cpu(word);
}

u32 wqe_recv_count(struct qp *qp)
{
	return qp->srq ? srq_count(qp->srq) : (u16)(rq_producer(qp) - qp->rq_ci);
}

static void parse_recv(const u8 *wqe, u32 bytes, u32 at, struct tp_recv_wr *wr)
{
	const struct mlx5_wqe_data_seg *seg;
	u64 length = 0;
	u32 n;

	for (; bytes - at >= SEG; at += SEG) {
		seg = (const void *)(wqe + at);
		if (seg->lkey == MLX5_TERMINATE_SCATTER_LIST_LKEY)
			break;
		n = be32_to_cpu(seg->byte_count) & 0x7fffffff;
		if (!n)
			continue;
		if (wr->num_sge == TP_MAX_SGE) {
			wr->bad = TP_WC_LOC_QP_OP_ERR;
			return;
		}
		wr->sge[wr->num_sge++] = (struct tp_sge){ .addr = be64_to_cpu(seg->addr),
							  .length = n,
							  .lkey = be32_to_cpu(seg->lkey) };
		length += n;
	}
	wr->length = length > U32_MAX ? U32_MAX : (u32)length;
}

bool wqe_next_recv(struct qp *qp, struct tp_recv_wr *wr)
{
	u8 wqe[WQE_MAX] __aligned(16);
	u32 bytes = 1u << qp->rq_stride;
	struct srq *srq = qp->srq;

	wr->wr_id = 0;
	wr->bad = TP_WC_SUCCESS;
	wr->num_sge = 0;
	wr->length = 0;
	if (qp->st == MLX5_QP_ST_XRC) {
		srq = qp_xrc_srq(qp);
		/* The peer is to hear that this won't work, not to come again. */
		if (!srq) {
			wr->bad = TP_WC_REM_OP_ERR;
			return true;
		}
	}
	if (srq) {
		if (!srq_take(srq, wqe, sizeof(wqe), &qp->recv_index))
			return false;
		parse_recv(wqe, 1u << srq->log_stride, SEG, wr);
		return true;
	}
	if (rq_producer(qp) == qp->rq_ci)
		return false;
	qp->recv_index = qp->rq_ci++;
	if (bytes > sizeof(wqe) ||
	    qbuf_read(qp->wq.obj.hca, &qp->buf,
		      (u64)(qp->recv_index & (qp->rq_size - 1)) << qp->rq_stride, wqe, bytes))
		wr->bad = TP_WC_LOC_QP_OP_ERR;
	else
		parse_recv(wqe, bytes, 0, wr);
	return true;
}
