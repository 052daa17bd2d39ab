// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queues of the Ethernet function: commands, and frames into buffers.
 */
#include "cmd.h"
#include "commands.h"
#include "counter.h"
#include "mkey.h"
#include "wq.h"

#define RWQE_MAX	1024u

static void complete(struct rq *rq, u16 counter, u32 len, const struct rx_info *info, u8 syndrome)
{
	struct mlx5_cqe64 cqe;
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)&cqe;

	memset(&cqe, 0, sizeof(cqe));
	cqe.wqe_counter = cpu_to_be16(counter);
	cqe.srqn = cpu_to_be32(MLX5_GET(rqc, rq->ctx, user_index));
	if (syndrome) {
		err->syndrome = syndrome;
		err->s_wqe_opcode_qpn = cpu_to_be32(rq->wq.obj.id);
		cqe.op_own = MLX5_CQE_RESP_ERR << 4;
	} else {
		cqe.op_own = MLX5_CQE_RESP_SEND << 4;
		cqe.byte_cnt = cpu_to_be32(len);
		cqe.sop_drop_qpn = cpu_to_be32(info->flow_tag & 0xffffff);
		cqe.rss_hash_result = cpu_to_be32(info->hash);
		cqe.rss_hash_type = info->hash_type;
		cqe.hds_ip_ext = info->checks;
		cqe.l4_l3_hdr_type = (u8)(info->l4_l3_type | info->has_vlan);
		memcpy(&cqe.check_sum, &info->checksum, sizeof(cqe.check_sum));
		cqe.vlan_info = cpu_to_be16(info->vlan);
	}
	cq_push(rq->cq, &cqe, syndrome != 0);
}

/* Puts the frame where a work request's data segments say; 0 or a syndrome. */
static u8 scatter(struct rq *rq, const u8 *wqe, u32 bytes, u32 at, const u8 *frame, u32 len)
{
	const struct mlx5_wqe_data_seg *seg;
	u32 n;

	for (; len && at + sizeof(*seg) <= bytes; at += sizeof(*seg)) {
		seg = (const void *)(wqe + at);
		if (seg->lkey == MLX5_TERMINATE_SCATTER_LIST_LKEY)
			break;
		n = min(be32_to_cpu(seg->byte_count) & 0x7fffffff, len);
		if (n && mkey_copy(rq->wq.obj.hca, be32_to_cpu(seg->lkey), rq->pd,
				   be64_to_cpu(seg->addr), (void *)frame, n, true))
			return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
		frame += n;
		len -= n;
	}
	return len ? MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR : 0;
}

void rq_receive(struct hca *hca, u32 rqn, const void *frame, u32 len, const struct rx_info *info)
{
	struct wq *wq = object_find(hca, OBJ_WQ, rqn);
	u8 wqe[RWQE_MAX] __aligned(16);
	const struct mlx5_wqe_srq_next_seg *next = (const void *)wqe;
	struct q_counter *counter;
	struct rq *rq;
	__be32 word;
	u32 mask, stride;
	u16 index;
	u8 syndrome;

	if (!wq || wq->kind != WQ_RQ)
		return;
	rq = container_of(wq, struct rq, wq);
	if (rq->state != MLX5_RQC_STATE_RDY)
		return;
	if (dma_read(&hca->dma, rq->dbr + MLX5_RCV_DBR * sizeof(word), &word, sizeof(word)))
		return;
	if (rq->ci == (u16)be32_to_cpu(word)) {
		counter = object_find(hca, OBJ_Q_COUNTER, rq->counter);
		if (counter)
			counter->out_of_buffer++;
		hca->counters.rx_dropped++;
		trace("rq 0x%x: no buffer", rqn);
		return;
	}
	mask = (1u << rq->log_size) - 1;
	stride = 1u << rq->log_stride;
	index = rq->linked ? rq->next : rq->ci;
	if (qbuf_read(hca, &rq->buf, (u64)(index & mask) << rq->log_stride, wqe, stride))
		syndrome = MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	else
		syndrome = scatter(rq, wqe, stride, rq->linked ? sizeof(*next) : 0, frame, len);
	if (rq->linked)
		rq->next = be16_to_cpu(next->next_wqe_index);
	rq->ci++;
	if (syndrome) {
		info("rq 0x%x: syndrome 0x%x", rqn, syndrome);
		rq->state = MLX5_RQC_STATE_ERR;
	}
	complete(rq, index, len, info, syndrome);
}

static void rq_free(struct object *obj)
{
	struct rq *rq = container_of(obj, struct rq, wq.obj);

	loop_cancel(&obj->hca->loop, &rq->wq.work);
	if (rq->cq)
		rq->cq->obj.refs--;
	qbuf_fini(&rq->buf);
}

int cmd_create_rq(struct cmd *cmd)
{
	enum { LINKED = 0, CYCLIC = 1 };
	const void *ctx = MEMBER(create_rq_in, cmd->in, ctx);
	const void *wq = MEMBER(rqc, ctx, wq);
	/* A queue that drops everything has none. */
	u32 pd = MLX5_GET(wq, wq, pd);
	struct hca *hca = cmd->hca;
	struct rq *rq;
	int ret;

	if (!cq_find(hca, MLX5_GET(rqc, ctx, cqn)) ||
	    (pd && !object_find(hca, OBJ_PD, pd)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(wq, wq, wq_type) > CYCLIC || MLX5_GET(rqc, ctx, mem_rq_type) ||
	    MLX5_GET(wq, wq, log_wq_stride) < 4 || MLX5_GET(wq, wq, log_wq_stride) > 10)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	rq = object_new(hca, OBJ_WQ, sizeof(*rq), rq_free);
	if (!rq)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	rq->wq.kind = WQ_RQ;
	memcpy(rq->ctx, ctx, sizeof(rq->ctx));
	rq->state = MLX5_RQC_STATE_RST;
	rq->pd = pd;
	rq->linked = MLX5_GET(wq, wq, wq_type) == LINKED;
	rq->log_size = MLX5_GET(wq, wq, log_wq_sz);
	rq->log_stride = MLX5_GET(wq, wq, log_wq_stride);
	rq->dbr = MLX5_GET64(wq, wq, dbr_addr);
	rq->counter = MLX5_GET(rqc, ctx, counter_set_id);
	ret = wq_buffer(cmd, wq, cmd->inlen - (u32)IN_BYTES(create_rq), &rq->buf);
	if (ret) {
		object_delete(&rq->wq.obj);
		return ret;
	}
	rq->cq = cq_find(hca, MLX5_GET(rqc, ctx, cqn));
	rq->cq->obj.refs++;
	MLX5_SET(create_rq_out, cmd->out, rqn, rq->wq.obj.id);
	return 0;
}

static struct rq *find(struct cmd *cmd, u32 rqn)
{
	struct wq *wq = object_find(cmd->hca, OBJ_WQ, rqn);

	return wq && wq->kind == WQ_RQ ? container_of(wq, struct rq, wq) : NULL;
}

int cmd_modify_rq(struct cmd *cmd)
{
	enum { SELECT_VSD = 1 << 1, SELECT_COUNTER = 1 << 3 };
	const void *ctx = MEMBER(modify_rq_in, cmd->in, ctx);
	struct rq *rq = find(cmd, MLX5_GET(modify_rq_in, cmd->in, rqn));
	u32 from = MLX5_GET(modify_rq_in, cmd->in, rq_state), to = MLX5_GET(rqc, ctx, state);
	u64 select = MLX5_GET64(modify_rq_in, cmd->in, modify_bitmask);

	if (!rq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (from != rq->state)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_STATE_ERR);
	if (to != MLX5_RQC_STATE_RST && to != MLX5_RQC_STATE_RDY && to != MLX5_RQC_STATE_ERR)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (to == MLX5_RQC_STATE_RST) {
		rq->ci = 0;
		rq->next = 0;
	}
	rq->state = to;
	if (select & SELECT_VSD)
		MLX5_SET(rqc, rq->ctx, vsd, MLX5_GET(rqc, ctx, vsd));
	if (select & SELECT_COUNTER)
		rq->counter = MLX5_GET(rqc, ctx, counter_set_id);
	return 0;
}

int cmd_query_rq(struct cmd *cmd)
{
	void *ctx = MEMBER(query_rq_out, cmd->out, rq_context);
	struct rq *rq = find(cmd, MLX5_GET(query_rq_in, cmd->in, rqn));

	if (!rq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(ctx, rq->ctx, sizeof(rq->ctx));
	MLX5_SET(rqc, ctx, state, rq->state);
	return 0;
}

int cmd_destroy_rq(struct cmd *cmd)
{
	struct rq *rq = find(cmd, MLX5_GET(destroy_rq_in, cmd->in, rqn));

	if (!rq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	object_delete(&rq->wq.obj);
	return 0;
}
