// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues as the device has them: a receive memory pool (RMP), or an XRC
 * SRQ, which has its own CQ and domain (PRM, "Shared Receive Queue", interface step 1).
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "../hw/cmd.h"
#include "cq.h"
#include "srq.h"
#include "verbs.h"

static bool is_xrc(const struct verbs_srq *srq)
{
	return srq->ibsrq.srq_type == IB_SRQT_XRC;
}

static int create_rmp(struct verbs_srq *srq)
{
	size_t bytes = MLX5_ST_SZ_BYTES(create_rmp_in) + 8ul * verbs_mem_pages(&srq->mem);
	u32 out[MLX5_ST_SZ_DW(create_rmp_out)] = {};
	void *in, *rmpc, *wq;
	int err;

	in = kvzalloc(bytes, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	rmpc = MLX5_ADDR_OF(create_rmp_in, in, ctx);
	wq = MLX5_ADDR_OF(rmpc, rmpc, wq);
	MLX5_SET(create_rmp_in, in, opcode, MLX5_CMD_OP_CREATE_RMP);
	MLX5_SET(rmpc, rmpc, state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(wq, wq, wq_type, MLX5_WQ_TYPE_LINKED_LIST);
	MLX5_SET(wq, wq, pd, to_verbs_pd(srq->ibsrq.pd)->pdn);
	MLX5_SET(wq, wq, log_wq_sz, ilog2(srq->size));
	MLX5_SET(wq, wq, log_wq_stride, srq->log_stride);
	MLX5_SET(wq, wq, log_wq_pg_sz, srq->mem.log_page_size);
	MLX5_SET(wq, wq, page_offset, srq->mem.page_offset);
	MLX5_SET64(wq, wq, dbr_addr, srq->db.dma);
	verbs_mem_write(&srq->mem, MLX5_ADDR_OF(wq, wq, pas));
	err = ohca_cmd_exec(to_hca(srq->ibsrq.device), in, bytes, out, sizeof(out));
	kvfree(in);
	if (!err)
		srq->srqn = MLX5_GET(create_rmp_out, out, rmpn);
	return err;
}

static int create_xrc(struct verbs_srq *srq, const struct ib_srq_init_attr *init, u32 user_index)
{
	size_t bytes = MLX5_ST_SZ_BYTES(create_xrc_srq_in) + 8ul * verbs_mem_pages(&srq->mem);
	u32 out[MLX5_ST_SZ_DW(create_xrc_srq_out)] = {};
	void *in, *ctx;
	int err;

	in = kvzalloc(bytes, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	ctx = MLX5_ADDR_OF(create_xrc_srq_in, in, xrc_srq_context_entry);
	MLX5_SET(create_xrc_srq_in, in, opcode, MLX5_CMD_OP_CREATE_XRC_SRQ);
	MLX5_SET(xrc_srqc, ctx, log_xrc_srq_size, ilog2(srq->size));
	MLX5_SET(xrc_srqc, ctx, log_rq_stride, srq->log_stride - 4);
	MLX5_SET(xrc_srqc, ctx, log_page_size, srq->mem.log_page_size);
	MLX5_SET(xrc_srqc, ctx, page_offset, srq->mem.page_offset);
	MLX5_SET(xrc_srqc, ctx, xrcd, to_verbs_xrcd(init->ext.xrc.xrcd)->xrcdn);
	MLX5_SET(xrc_srqc, ctx, cqn, to_verbs_cq(init->ext.cq)->hw.cqn);
	MLX5_SET(xrc_srqc, ctx, pd, to_verbs_pd(srq->ibsrq.pd)->pdn);
	MLX5_SET(xrc_srqc, ctx, user_index, user_index);
	MLX5_SET(xrc_srqc, ctx, db_record_addr_h, upper_32_bits(srq->db.dma));
	MLX5_SET(xrc_srqc, ctx, db_record_addr_l, lower_32_bits(srq->db.dma) >> 2);
	verbs_mem_write(&srq->mem, MLX5_ADDR_OF(create_xrc_srq_in, in, pas));
	err = ohca_cmd_exec(to_hca(srq->ibsrq.device), in, bytes, out, sizeof(out));
	kvfree(in);
	if (!err)
		srq->srqn = MLX5_GET(create_xrc_srq_out, out, xrc_srqn);
	return err;
}

/**
 * verbs_srq_hw_create() - makes the device's queue
 * @srq: the queue; memory and sizes are set
 * @init: what was asked for
 * @user_index: XRC: how completions name it
 *
 * Context: may sleep.
 * Return: 0 or the command's error.
 */
int verbs_srq_hw_create(struct verbs_srq *srq, const struct ib_srq_init_attr *init,
			u32 user_index)
{
	return is_xrc(srq) ? create_xrc(srq, init, user_index) : create_rmp(srq);
}

/**
 * verbs_srq_hw_destroy() - destroys the device's queue
 * @srq: the queue
 *
 * Context: may sleep.
 * Return: 0 or the command's error.
 */
int verbs_srq_hw_destroy(struct verbs_srq *srq)
{
	struct ohca_hca *hca = to_hca(srq->ibsrq.device);
	u32 out[MLX5_ST_SZ_DW(destroy_rmp_out)] = {};
	u32 in[MLX5_ST_SZ_DW(destroy_rmp_in)] = {};
	int err;

	/* Both commands are laid out alike. */
	MLX5_SET(destroy_rmp_in, in, opcode,
		 is_xrc(srq) ? MLX5_CMD_OP_DESTROY_XRC_SRQ : MLX5_CMD_OP_DESTROY_RMP);
	MLX5_SET(destroy_rmp_in, in, rmpn, srq->srqn);
	err = ohca_cmd(hca, destroy_rmp, in, out);
	return ohca_hca_dead(hca) ? 0 : err;
}

static int limit_xrc(struct verbs_srq *srq, u16 limit)
{
	u32 out[MLX5_ST_SZ_DW(arm_xrc_srq_out)] = {};
	u32 in[MLX5_ST_SZ_DW(arm_xrc_srq_in)] = {};

	MLX5_SET(arm_xrc_srq_in, in, opcode, MLX5_CMD_OP_ARM_XRC_SRQ);
	MLX5_SET(arm_xrc_srq_in, in, op_mod, MLX5_ARM_XRC_SRQ_IN_OP_MOD_XRC_SRQ);
	MLX5_SET(arm_xrc_srq_in, in, xrc_srqn, srq->srqn);
	MLX5_SET(arm_xrc_srq_in, in, lwm, limit);
	return ohca_cmd(to_hca(srq->ibsrq.device), arm_xrc_srq, in, out);
}

static int limit_rmp(struct verbs_srq *srq, u16 limit)
{
	u32 out[MLX5_ST_SZ_DW(modify_rmp_out)] = {};
	u32 bytes = MLX5_ST_SZ_BYTES(modify_rmp_in);
	void *in, *rmpc, *wq;
	int err;

	in = kzalloc(bytes, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	rmpc = MLX5_ADDR_OF(modify_rmp_in, in, ctx);
	wq = MLX5_ADDR_OF(rmpc, rmpc, wq);
	MLX5_SET(modify_rmp_in, in, opcode, MLX5_CMD_OP_MODIFY_RMP);
	MLX5_SET(modify_rmp_in, in, rmp_state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(modify_rmp_in, in, rmpn, srq->srqn);
	MLX5_SET(rmp_bitmask, MLX5_ADDR_OF(modify_rmp_in, in, bitmask), lwm, 1);
	MLX5_SET(rmpc, rmpc, state, MLX5_RMPC_STATE_RDY);
	MLX5_SET(wq, wq, lwm, limit);
	err = ohca_cmd_exec(to_hca(srq->ibsrq.device), in, bytes, out, sizeof(out));
	kfree(in);
	return err;
}

/**
 * verbs_srq_hw_limit() - asks for an event when fewer entries are posted
 * @srq: the queue
 * @limit: entries
 *
 * Context: may sleep.
 * Return: 0 or the command's error.
 */
int verbs_srq_hw_limit(struct verbs_srq *srq, u16 limit)
{
	return is_xrc(srq) ? limit_xrc(srq, limit) : limit_rmp(srq, limit);
}

/**
 * verbs_srq_hw_query() - asks what limit is armed
 * @srq: the queue
 * @limit: set; 0: none, or its event was raised
 *
 * Context: may sleep.
 * Return: 0 or the command's error.
 */
int verbs_srq_hw_query(struct verbs_srq *srq, u16 *limit)
{
	struct ohca_hca *hca = to_hca(srq->ibsrq.device);
	u32 in[MLX5_ST_SZ_DW(query_rmp_in)] = {};
	u32 bytes = max(MLX5_ST_SZ_BYTES(query_rmp_out), MLX5_ST_SZ_BYTES(query_xrc_srq_out));
	void *out = kzalloc(bytes, GFP_KERNEL);
	int err;

	if (!out)
		return -ENOMEM;
	/* Both commands ask alike. */
	MLX5_SET(query_rmp_in, in, opcode,
		 is_xrc(srq) ? MLX5_CMD_OP_QUERY_XRC_SRQ : MLX5_CMD_OP_QUERY_RMP);
	MLX5_SET(query_rmp_in, in, rmpn, srq->srqn);
	err = ohca_cmd_exec(hca, in, sizeof(in), out, bytes);
	if (!err && is_xrc(srq))
		*limit = MLX5_GET(query_xrc_srq_out, out, xrc_srq_context_entry.lwm);
	else if (!err)
		*limit = MLX5_GET(query_rmp_out, out, rmp_context.wq.lwm);
	kfree(out);
	return err;
}
