// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues. The entries are a list that the consumer links: the
 * order is never assumed.
 */
#include "cmd.h"
#include "commands.h"
#include "mkey.h"
#include "srq.h"

#define SRQ_EVENT	0	/* the event's queue type is not looked at for SRQs */

u32 srq_count(struct srq *srq)
{
	__be32 word;

	if (dma_read(&srq->obj.hca->dma, srq->dbr, &word, sizeof(word)))
		return 0;
	return (u16)(be32_to_cpu(word) - srq->taken);
}

bool srq_take(struct srq *srq, u8 *wqe, u32 room, u16 *index)
{
	const struct mlx5_wqe_srq_next_seg *next = (const void *)wqe;
	u32 bytes = 1u << srq->log_stride, left = srq_count(srq);
	u32 mask = (1u << srq->log_size) - 1;

	if (!left || bytes > room)
		return false;
	*index = srq->head & mask;
	if (qbuf_read(srq->obj.hca, &srq->buf, (u64)*index << srq->log_stride, wqe, bytes))
		return false;
	srq->head = be16_to_cpu(next->next_wqe_index);
	srq->taken++;
	if (srq->limit && left - 1 < srq->limit) {
		srq->limit = 0;
		eq_queue_event(srq->obj.hca, MLX5_EVENT_TYPE_SRQ_RQ_LIMIT, SRQ_EVENT,
			       srq->obj.id);
	}
	return true;
}

static void srq_free(struct object *obj)
{
	struct srq *srq = container_of(obj, struct srq, obj);

	if (srq->cq)
		srq->cq->obj.refs--;
	qbuf_fini(&srq->buf);
}

static struct srq *find(struct cmd *cmd, u32 id)
{
	return object_find(cmd->hca, OBJ_SRQ, id);
}

/* What the three kinds of context say, in one form. */
struct shape {
	enum srq_kind kind;
	u32 pd;
	u32 xrcd;
	u32 user_index;
	bool own_index;
	u32 cqn;
	u32 log_size;
	u32 log_stride;
	u32 shift;
	u32 offset;
	u64 dbr;
	const void *pas;
	u32 pas_room;
	const void *ctx;
	u32 ctx_bytes;
};

static int create(struct cmd *cmd, const struct shape *s, u32 *id)
{
	struct srq *srq;

	if (!object_find(cmd->hca, OBJ_PD, s->pd) ||
	    (s->kind == SRQ_XRC && !cq_find(cmd->hca, s->cqn)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (s->log_size > 15 || s->log_stride < 5 || s->log_stride > 10)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	srq = object_new(cmd->hca, OBJ_SRQ, sizeof(*srq), srq_free);
	if (!srq)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	srq->kind = s->kind;
	srq->pd = s->pd;
	srq->xrcd = s->xrcd;
	srq->user_index = s->own_index ? srq->obj.id : s->user_index;
	srq->log_size = s->log_size;
	srq->log_stride = s->log_stride;
	srq->dbr = s->dbr;
	memcpy(srq->ctx, s->ctx, s->ctx_bytes);
	if (qbuf_init(&srq->buf, s->pas, s->pas_room, s->shift, s->offset,
		      1ull << (s->log_size + s->log_stride))) {
		object_delete(&srq->obj);
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	}
	if (s->kind == SRQ_XRC) {
		srq->cq = cq_find(cmd->hca, s->cqn);
		srq->cq->obj.refs++;
	}
	*id = srq->obj.id;
	return 0;
}

int cmd_create_srq(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_srq_in, cmd->in, srq_context_entry);
	u32 shift = MLX5_GET(srqc, ctx, log_page_size) + MLX5_ADAPTER_PAGE_SHIFT, id;
	struct shape s = {
		.kind = SRQ_BASIC,
		.pd = MLX5_GET(srqc, ctx, pd),
		.log_size = MLX5_GET(srqc, ctx, log_srq_size),
		.log_stride = MLX5_GET(srqc, ctx, log_rq_stride) + 4,
		.shift = shift,
		.offset = shift < 32 ? MLX5_GET(srqc, ctx, page_offset) << (shift - 6) : 0,
		.dbr = MLX5_GET64(srqc, ctx, dbr_addr),
		.pas = MEMBER(create_srq_in, cmd->in, pas),
		.pas_room = cmd->inlen - (u32)IN_BYTES(create_srq),
		.ctx = ctx,
		.ctx_bytes = MLX5_ST_SZ_BYTES(srqc),
	};
	int ret = create(cmd, &s, &id);

	if (!ret)
		MLX5_SET(create_srq_out, cmd->out, srqn, id);
	return ret;
}

int cmd_create_xrc_srq(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_xrc_srq_in, cmd->in, xrc_srq_context_entry);
	u32 shift = MLX5_GET(xrc_srqc, ctx, log_page_size) + MLX5_ADAPTER_PAGE_SHIFT, id;
	struct shape s = {
		.kind = SRQ_XRC,
		.pd = MLX5_GET(xrc_srqc, ctx, pd),
		.xrcd = MLX5_GET(xrc_srqc, ctx, xrcd),
		.user_index = MLX5_GET(xrc_srqc, ctx, user_index),
		.own_index = MLX5_GET(xrc_srqc, ctx, user_index_equal_xrc_srqn),
		.cqn = MLX5_GET(xrc_srqc, ctx, cqn),
		.log_size = MLX5_GET(xrc_srqc, ctx, log_xrc_srq_size),
		.log_stride = MLX5_GET(xrc_srqc, ctx, log_rq_stride) + 4,
		.shift = shift,
		.offset = shift < 32 ? MLX5_GET(xrc_srqc, ctx, page_offset) << (shift - 6) : 0,
		.dbr = (u64)MLX5_GET(xrc_srqc, ctx, db_record_addr_h) << 32 |
		       MLX5_GET(xrc_srqc, ctx, db_record_addr_l) << 2,
		.pas = MEMBER(create_xrc_srq_in, cmd->in, pas),
		.pas_room = cmd->inlen - (u32)IN_BYTES(create_xrc_srq),
		.ctx = ctx,
		.ctx_bytes = MLX5_ST_SZ_BYTES(xrc_srqc),
	};
	int ret;

	if (!object_find(cmd->hca, OBJ_XRCD, MLX5_GET(xrc_srqc, ctx, xrcd)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	ret = create(cmd, &s, &id);
	if (!ret)
		MLX5_SET(create_xrc_srq_out, cmd->out, xrc_srqn, id);
	return ret;
}

int cmd_create_rmp(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_rmp_in, cmd->in, ctx);
	const void *wq = MEMBER(rmpc, ctx, wq);
	u32 shift = MLX5_GET(wq, wq, log_wq_pg_sz) + MLX5_ADAPTER_PAGE_SHIFT, id;
	struct shape s = {
		.kind = SRQ_RMP,
		.pd = MLX5_GET(wq, wq, pd),
		.log_size = MLX5_GET(wq, wq, log_wq_sz),
		.log_stride = MLX5_GET(wq, wq, log_wq_stride),
		.shift = shift,
		.offset = shift < 32 ? MLX5_GET(wq, wq, page_offset) << (shift - 6) : 0,
		.dbr = MLX5_GET64(wq, wq, dbr_addr),
		.pas = MEMBER(wq, wq, pas),
		.pas_room = cmd->inlen - (u32)IN_BYTES(create_rmp),
		.ctx = ctx,
		.ctx_bytes = MLX5_ST_SZ_BYTES(rmpc),
	};
	int ret = create(cmd, &s, &id);

	if (!ret)
		MLX5_SET(create_rmp_out, cmd->out, rmpn, id);
	return ret;
}

/* The three commands that destroy one are laid out alike. */
int cmd_destroy_srq(struct cmd *cmd)
{
	struct srq *srq = find(cmd, MLX5_GET(destroy_srq_in, cmd->in, srqn));

	if (!srq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (srq->obj.refs)
		return cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY);
	object_delete(&srq->obj);
	return 0;
}

/* And so are the two that arm one. */
int cmd_arm_srq(struct cmd *cmd)
{
	struct srq *srq = find(cmd, MLX5_GET(arm_rq_in, cmd->in, srq_number));

	if (!srq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	srq->limit = MLX5_GET(arm_rq_in, cmd->in, lwm);
	return 0;
}

int cmd_query_srq(struct cmd *cmd)
{
	struct srq *srq = find(cmd, MLX5_GET(query_srq_in, cmd->in, srqn));
	void *ctx = MEMBER(query_srq_out, cmd->out, srq_context_entry);

	if (!srq || srq->kind != SRQ_BASIC)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(ctx, srq->ctx, MLX5_ST_SZ_BYTES(srqc));
	MLX5_SET(srqc, ctx, lwm, srq->limit);
	return 0;
}

int cmd_query_xrc_srq(struct cmd *cmd)
{
	struct srq *srq = find(cmd, MLX5_GET(query_xrc_srq_in, cmd->in, xrc_srqn));
	void *ctx = MEMBER(query_xrc_srq_out, cmd->out, xrc_srq_context_entry);

	if (!srq || srq->kind != SRQ_XRC)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(ctx, srq->ctx, MLX5_ST_SZ_BYTES(xrc_srqc));
	MLX5_SET(xrc_srqc, ctx, lwm, srq->limit);
	return 0;
}

int cmd_query_rmp(struct cmd *cmd)
{
	struct srq *srq = find(cmd, MLX5_GET(query_rmp_in, cmd->in, rmpn));
	void *ctx = MEMBER(query_rmp_out, cmd->out, rmp_context), *wq;

	if (!srq || srq->kind != SRQ_RMP)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(ctx, srq->ctx, MLX5_ST_SZ_BYTES(rmpc));
	wq = MEMBER(rmpc, ctx, wq);
	MLX5_SET(wq, wq, lwm, srq->limit);
	return 0;
}

int cmd_modify_rmp(struct cmd *cmd)
{
	struct srq *srq = find(cmd, MLX5_GET(modify_rmp_in, cmd->in, rmpn));
	const void *ctx = MEMBER(modify_rmp_in, cmd->in, ctx);
	const void *wq = MEMBER(rmpc, ctx, wq);

	if (!srq || srq->kind != SRQ_RMP)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(rmp_bitmask, MEMBER(modify_rmp_in, cmd->in, bitmask), lwm))
		srq->limit = MLX5_GET(wq, wq, lwm);
	return 0;
}
