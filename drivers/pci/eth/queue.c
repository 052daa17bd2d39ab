// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of the Ethernet function: CQs, and the commands of SQs and RQs.
 */
#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>

#include "../hw/cmd.h"
#include "eth.h"

#define CQE_INVALID	(MLX5_CQE_INVALID << 4 | MLX5_CQE_OWNER_MASK)

static int cq_command(struct ohca_eth *eth, struct ohca_eth_cq *cq, int vector)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(create_cq_in) +
			  ohca_buf_pages(&cq->buf) * sizeof(__be64);
	u32 out[MLX5_ST_SZ_DW(create_cq_out)];
	void *in, *cqc;
	int err;

	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	MLX5_SET(cqc, cqc, log_cq_size, cq->log_size);
	MLX5_SET(cqc, cqc, uar_page, eth->hca->uar.index);
	MLX5_SET64(cqc, cqc, dbr_addr, cq->db.dma);
	if (MLX5_CAP_GEN(eth->hca, cq_moderation)) {
		MLX5_SET(cqc, cqc, cq_period, eth->usec);
		MLX5_SET(cqc, cqc, cq_max_count, eth->count);
	}
	ohca_buf_fill_pas(&cq->buf, MLX5_ADDR_OF(create_cq_in, in, pas));
	err = ohca_hw_cq_create(eth->hca, &cq->hw, vector, in, inlen, out, sizeof(out));
	kvfree(in);
	return err;
}

/**
 * ohca_eth_cq_create() - makes a CQ
 * @eth: the function
 * @cq: the CQ; its @hw.comp is set
 * @vector: completion vector
 * @log_size: log2 of its entries
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_eth_cq_create(struct ohca_eth *eth, struct ohca_eth_cq *cq, int vector, u8 log_size)
{
	struct mlx5_cqe64 *cqe;
	u32 i;
	int err;

	cq->log_size = log_size;
	cq->ci = 0;
	err = ohca_buf_alloc(eth->hca, &cq->buf, sizeof(*cqe) << log_size);
	if (err)
		return err;
	err = ohca_db_alloc(eth->hca, &cq->db);
	if (err)
		goto free_buf;
	cqe = cq->buf.addr;
	for (i = 0; i < BIT(log_size); i++)
		cqe[i].op_own = CQE_INVALID;
	cq->hw.db = cq->db.rec;
	err = cq_command(eth, cq, vector);
	if (!err)
		return 0;
	ohca_db_free(eth->hca, &cq->db);
free_buf:
	ohca_buf_free(eth->hca, &cq->buf);
	return err;
}

/**
 * ohca_eth_cq_destroy() - destroys it
 * @cq: the CQ; its queue is destroyed
 *
 * Context: may sleep.
 */
void ohca_eth_cq_destroy(struct ohca_eth_cq *cq)
{
	ohca_hw_cq_destroy(&cq->hw);
	ohca_db_free(cq->hw.hca, &cq->db);
	ohca_buf_free(cq->hw.hca, &cq->buf);
}

/**
 * ohca_eth_cqe() - the next completion, if there is one
 * @cq: the CQ
 *
 * Context: the NAPI. The caller counts @cq's ci up when it has used it.
 * Return: the entry, or NULL.
 */
struct mlx5_cqe64 *ohca_eth_cqe(struct ohca_eth_cq *cq)
{
	struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)cq->buf.addr +
				 (cq->ci & (BIT(cq->log_size) - 1));
	u8 op_own = READ_ONCE(cqe->op_own);

	if ((op_own & MLX5_CQE_OWNER_MASK) != (cq->ci >> cq->log_size & 1))
		return NULL;
	dma_rmb(); /* the ownership before the rest */
	return cqe;
}

/* The part of a context that is the same for both kinds of queues. */
static void fill_wq(struct ohca_eth *eth, void *wq, const struct ohca_buf *buf,
		    const struct ohca_db *db, u8 log_stride, u8 log_size)
{
	MLX5_SET(wq, wq, wq_type, MLX5_WQ_TYPE_CYCLIC);
	MLX5_SET(wq, wq, pd, eth->pdn);
	MLX5_SET64(wq, wq, dbr_addr, db->dma);
	MLX5_SET(wq, wq, log_wq_stride, log_stride);
	MLX5_SET(wq, wq, log_wq_sz, log_size);
	ohca_buf_fill_pas(buf, MLX5_ADDR_OF(wq, wq, pas));
}

static int sq_ready(struct ohca_txq *txq)
{
	u32 out[MLX5_ST_SZ_DW(modify_sq_out)];
	u32 in[MLX5_ST_SZ_DW(modify_sq_in)] = {};

	MLX5_SET(modify_sq_in, in, opcode, MLX5_CMD_OP_MODIFY_SQ);
	MLX5_SET(modify_sq_in, in, sq_state, MLX5_SQC_STATE_RST);
	MLX5_SET(modify_sq_in, in, sqn, txq->sqn);
	MLX5_SET(modify_sq_in, in, ctx.state, MLX5_SQC_STATE_RDY);
	return ohca_cmd(txq->channel->eth->hca, modify_sq, in, out);
}

/**
 * ohca_sq_create() - makes a send queue, ready to send
 * @txq: the queue; its memory, doorbell record and CQ are there
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_sq_create(struct ohca_txq *txq)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(create_sq_in) +
			  ohca_buf_pages(&txq->buf) * sizeof(__be64);
	struct ohca_eth *eth = txq->channel->eth;
	u32 out[MLX5_ST_SZ_DW(create_sq_out)];
	void *in, *sqc;
	int err;

	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(create_sq_in, in, opcode, MLX5_CMD_OP_CREATE_SQ);
	sqc = MLX5_ADDR_OF(create_sq_in, in, ctx);
	MLX5_SET(sqc, sqc, cqn, txq->cq.hw.cqn);
	MLX5_SET(sqc, sqc, tis_lst_sz, 1);
	MLX5_SET(sqc, sqc, tis_num_0, eth->tisn);
	MLX5_SET(sqc, sqc, flush_in_error_en, 1);
	MLX5_SET(sqc, sqc, min_wqe_inline_mode,
		 eth->inline_bytes ? MLX5_INLINE_MODE_L2 : MLX5_INLINE_MODE_NONE);
	MLX5_SET(sqc, sqc, wq.uar_page, eth->hca->uar.index);
	fill_wq(eth, MLX5_ADDR_OF(sqc, sqc, wq), &txq->buf, &txq->db,
		ilog2(MLX5_SEND_WQE_BB), OHCA_ETH_LOG_SQ);
	err = ohca_cmd_exec(eth->hca, in, inlen, out, sizeof(out));
	kvfree(in);
	if (err)
		return err;
	txq->sqn = MLX5_GET(create_sq_out, out, sqn);
	err = sq_ready(txq);
	if (err)
		ohca_sq_destroy(txq);
	return err;
}

/**
 * ohca_sq_destroy() - destroys it; the device reads none of its frames any more
 * @txq: the queue
 *
 * Context: may sleep.
 */
void ohca_sq_destroy(struct ohca_txq *txq)
{
	u32 out[MLX5_ST_SZ_DW(destroy_sq_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_sq_in)] = {};

	MLX5_SET(destroy_sq_in, in, opcode, MLX5_CMD_OP_DESTROY_SQ);
	MLX5_SET(destroy_sq_in, in, sqn, txq->sqn);
	ohca_cmd(txq->channel->eth->hca, destroy_sq, in, out);
}

/**
 * ohca_rq_create() - makes a receive queue, which does not receive yet
 * @rxq: the queue; its memory, doorbell record and CQ are there
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_rq_create(struct ohca_rxq *rxq)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(create_rq_in) +
			  ohca_buf_pages(&rxq->buf) * sizeof(__be64);
	struct ohca_eth *eth = rxq->channel->eth;
	u32 out[MLX5_ST_SZ_DW(create_rq_out)];
	void *in, *rqc;
	int err;

	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(create_rq_in, in, opcode, MLX5_CMD_OP_CREATE_RQ);
	rqc = MLX5_ADDR_OF(create_rq_in, in, ctx);
	MLX5_SET(rqc, rqc, cqn, rxq->cq.hw.cqn);
	MLX5_SET(rqc, rqc, flush_in_error_en, 1);
	MLX5_SET(rqc, rqc, vsd, 1);	/* leave VLAN tags where they are */
	fill_wq(eth, MLX5_ADDR_OF(rqc, rqc, wq), &rxq->buf, &rxq->db,
		ilog2(sizeof(struct mlx5_wqe_data_seg)), OHCA_ETH_LOG_RQ);
	err = ohca_cmd_exec(eth->hca, in, inlen, out, sizeof(out));
	kvfree(in);
	if (!err)
		rxq->rqn = MLX5_GET(create_rq_out, out, rqn);
	return err;
}

/**
 * ohca_rq_ready() - has it receive
 * @rxq: the queue
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_rq_ready(struct ohca_rxq *rxq)
{
	u32 out[MLX5_ST_SZ_DW(modify_rq_out)];
	u32 in[MLX5_ST_SZ_DW(modify_rq_in)] = {};

	MLX5_SET(modify_rq_in, in, opcode, MLX5_CMD_OP_MODIFY_RQ);
	MLX5_SET(modify_rq_in, in, rq_state, MLX5_RQC_STATE_RST);
	MLX5_SET(modify_rq_in, in, rqn, rxq->rqn);
	MLX5_SET(modify_rq_in, in, ctx.state, MLX5_RQC_STATE_RDY);
	return ohca_cmd(rxq->channel->eth->hca, modify_rq, in, out);
}

/**
 * ohca_rq_destroy() - destroys it; the device writes none of its buffers any more
 * @rxq: the queue
 *
 * Context: may sleep.
 */
void ohca_rq_destroy(struct ohca_rxq *rxq)
{
	u32 out[MLX5_ST_SZ_DW(destroy_rq_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_rq_in)] = {};

	MLX5_SET(destroy_rq_in, in, opcode, MLX5_CMD_OP_DESTROY_RQ);
	MLX5_SET(destroy_rq_in, in, rqn, rxq->rqn);
	ohca_cmd(rxq->channel->eth->hca, destroy_rq, in, out);
}
