// SPDX-License-Identifier: GPL-2.0
/*
 * Send queues of the Ethernet function: commands, and the frames they send.
 */
#include "cmd.h"
#include "commands.h"
#include "eth.h"
#include "mkey.h"
#include "wq.h"

#define WQE_MAX		((u32)MLX5_SEND_WQE_MAX_SIZE)
#define INLINE_SEG	0x80000000u
/* Work requests done before others have their turn. */
#define SQ_BATCH	64

static void complete(struct sq *sq, u32 opcode, u16 counter, u8 syndrome)
{
	struct mlx5_cqe64 cqe;
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)&cqe;

	memset(&cqe, 0, sizeof(cqe));
	cqe.sop_drop_qpn = cpu_to_be32(opcode << 24 | sq->wq.obj.id);
	cqe.srqn = cpu_to_be32(MLX5_GET(sqc, sq->ctx, user_index));
	cqe.wqe_counter = cpu_to_be16(counter);
	cqe.op_own = (u8)((syndrome ? MLX5_CQE_REQ_ERR : MLX5_CQE_REQ) << 4);
	if (syndrome)
		err->syndrome = syndrome;
	cq_push(sq->cq, &cqe, syndrome != 0);
}

static void fail(struct sq *sq, u32 opcode, u16 counter, u8 syndrome)
{
	info("sq 0x%x: work request %u fails, syndrome 0x%x", sq->wq.obj.id, counter, syndrome);
	sq->state = MLX5_SQC_STATE_ERR;
	complete(sq, opcode, counter, syndrome);
}

/* Collects the frame of a SEND or LSO work request; 0, or a syndrome. */
static u8 gather(struct sq *sq, const u8 *wqe, u32 bytes, u8 *frame, u32 *len, u32 *head)
{
	const struct mlx5_wqe_eth_seg *eth = (const void *)(wqe + 16);
	u32 at, n, word, inl = be16_to_cpu(eth->inline_hdr.sz) & 0x3ff;
	const struct mlx5_wqe_data_seg *seg;

	*len = 0;
	*head = inl;
	if (bytes < 32)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	at = inl > 2 ? 32 + ((inl - 2 + 15) & ~15u) : 32;
	if (at > bytes)
		return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	memcpy(frame, wqe + offsetof(struct mlx5_wqe_eth_seg, inline_hdr.start) + 16, inl);
	*len = inl;
	while (at + 16 <= bytes) {
		seg = (const void *)(wqe + at);
		word = be32_to_cpu(seg->byte_count);
		n = word & INLINE_SEG ? word & 0x3ff : word;
		if (n > WIRE_MAX_FRAME * 4 - *len)
			return MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
		if (word & INLINE_SEG) {
			if (n > bytes - at - 4)
				return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
			memcpy(frame + *len, wqe + at + 4, n);
			at += (4 + n + 15) & ~15u;
		} else {
			if (n && mkey_copy(sq->wq.obj.hca, be32_to_cpu(seg->lkey), sq->pd,
					   be64_to_cpu(seg->addr), frame + *len, n, false))
				return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
			at += 16;
		}
		*len += n;
	}
	return 0;
}

/* One work request; the number of entries it takes, 0 if the queue has failed. */
static u32 run_one(struct sq *sq)
{
	static u8 frame[WIRE_MAX_FRAME * 4 + 64] __aligned(16);
	u8 wqe[WQE_MAX] __aligned(16);
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe;
	const struct mlx5_wqe_eth_seg *eth = (const void *)(wqe + 16);
	struct hca *hca = sq->wq.obj.hca;
	u32 mask = (1u << sq->log_size) - 1, i, bbs, ds, opcode, len, head;
	u8 syndrome = 0;

	if (qbuf_read(hca, &sq->buf, (u64)(sq->ci & mask) * WQEBB, wqe, WQEBB)) {
		fail(sq, 0, sq->ci, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		return 0;
	}
	opcode = be32_to_cpu(ctrl->opmod_idx_opcode) & 0xff;
	ds = be32_to_cpu(ctrl->qpn_ds) & 0x3f;
	bbs = (ds + 3) / 4;
	if (!ds || bbs * WQEBB > WQE_MAX || bbs > mask + 1)
		syndrome = MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	for (i = 1; !syndrome && i < bbs; i++) {
		if (qbuf_read(hca, &sq->buf, (u64)((sq->ci + i) & mask) * WQEBB,
			      wqe + i * WQEBB, WQEBB))
			syndrome = MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	}
	if (!syndrome && (opcode == MLX5_OPCODE_SEND || opcode == MLX5_OPCODE_LSO)) {
		syndrome = gather(sq, wqe, ds * 16, frame + 2, &len, &head);
		if (!syndrome)
			eth_transmit(hca, frame + 2, len, eth->cs_flags,
				     opcode == MLX5_OPCODE_LSO ? be16_to_cpu(eth->mss) & 0x3fff : 0,
				     head);
	} else if (!syndrome && opcode != MLX5_OPCODE_NOP) {
		syndrome = MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	}
	if (syndrome) {
		fail(sq, opcode, sq->ci, syndrome);
		return 0;
	}
	if (ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE)
		complete(sq, opcode, sq->ci, 0);
	return bbs;
}

static void run(void *arg)
{
	struct sq *sq = arg;
	__be32 word;
	u32 n, i;
	u16 pi;

	if (sq->state != MLX5_SQC_STATE_RDY)
		return;
	if (dma_read(&sq->wq.obj.hca->dma, sq->dbr + MLX5_SND_DBR * sizeof(word), &word,
		     sizeof(word)))
		return;
	pi = (u16)be32_to_cpu(word);
	for (i = 0; i < SQ_BATCH && sq->ci != pi; i++) {
		if (wire_full(&sq->wq.obj.hca->wire))
			return;
		n = run_one(sq);
		if (!n)
			return;
		/* A work request that reaches past what was posted is taken as the last. */
		sq->ci = (u16)(pi - sq->ci) < n ? pi : (u16)(sq->ci + n);
	}
	if (sq->ci != pi)
		loop_queue(&sq->wq.obj.hca->loop, &sq->wq.work);
}

static void sq_free(struct object *obj)
{
	struct sq *sq = container_of(obj, struct sq, wq.obj);

	loop_cancel(&obj->hca->loop, &sq->wq.work);
	if (sq->cq)
		sq->cq->obj.refs--;
	qbuf_fini(&sq->buf);
}

int cmd_create_sq(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_sq_in, cmd->in, ctx);
	const void *wq = MEMBER(sqc, ctx, wq);
	struct hca *hca = cmd->hca;
	struct sq *sq;
	int ret;

	if (!cq_find(hca, MLX5_GET(sqc, ctx, cqn)) ||
	    !object_find(hca, OBJ_PD, MLX5_GET(wq, wq, pd)) ||
	    !object_find(hca, OBJ_UAR, MLX5_GET(wq, wq, uar_page)) ||
	    (MLX5_GET(sqc, ctx, tis_lst_sz) &&
	     !object_find(hca, OBJ_TIS, MLX5_GET(sqc, ctx, tis_num_0))))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(wq, wq, log_wq_stride) != 6)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	sq = object_new(hca, OBJ_WQ, sizeof(*sq), sq_free);
	if (!sq)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	sq->wq.kind = WQ_SQ;
	sq->wq.uar = MLX5_GET(wq, wq, uar_page);
	sq->wq.work = (struct work){ .fn = run, .arg = sq };
	memcpy(sq->ctx, ctx, sizeof(sq->ctx));
	sq->state = MLX5_SQC_STATE_RST;
	sq->pd = MLX5_GET(wq, wq, pd);
	sq->log_size = MLX5_GET(wq, wq, log_wq_sz);
	sq->dbr = MLX5_GET64(wq, wq, dbr_addr);
	ret = wq_buffer(cmd, wq, cmd->inlen - (u32)IN_BYTES(create_sq), &sq->buf);
	if (ret) {
		object_delete(&sq->wq.obj);
		return ret;
	}
	sq->cq = cq_find(hca, MLX5_GET(sqc, ctx, cqn));
	sq->cq->obj.refs++;
	MLX5_SET(create_sq_out, cmd->out, sqn, sq->wq.obj.id);
	return 0;
}

static struct sq *find(struct cmd *cmd, u32 sqn)
{
	struct wq *wq = object_find(cmd->hca, OBJ_WQ, sqn);

	return wq && wq->kind == WQ_SQ ? container_of(wq, struct sq, wq) : NULL;
}

int cmd_modify_sq(struct cmd *cmd)
{
	const void *ctx = MEMBER(modify_sq_in, cmd->in, ctx);
	struct sq *sq = find(cmd, MLX5_GET(modify_sq_in, cmd->in, sqn));
	u32 from = MLX5_GET(modify_sq_in, cmd->in, sq_state), to = MLX5_GET(sqc, ctx, state);

	if (!sq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (from != sq->state)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_STATE_ERR);
	if (to != MLX5_SQC_STATE_RST && to != MLX5_SQC_STATE_RDY && to != MLX5_SQC_STATE_ERR)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (to == MLX5_SQC_STATE_RST)
		sq->ci = 0;
	sq->state = to;
	loop_queue(&cmd->hca->loop, &sq->wq.work);
	return 0;
}

int cmd_query_sq(struct cmd *cmd)
{
	void *ctx = MEMBER(query_sq_out, cmd->out, sq_context);
	struct sq *sq = find(cmd, MLX5_GET(query_sq_in, cmd->in, sqn));

	if (!sq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(ctx, sq->ctx, sizeof(sq->ctx));
	MLX5_SET(sqc, ctx, state, sq->state);
	return 0;
}

int cmd_destroy_sq(struct cmd *cmd)
{
	struct sq *sq = find(cmd, MLX5_GET(destroy_sq_in, cmd->in, sqn));

	if (!sq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	object_delete(&sq->wq.obj);
	return 0;
}
