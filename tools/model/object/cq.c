// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues.
 */
#include "cmd.h"
#include "cq.h"

#define ARM_SOLICITED	0x01000000u
#define CQ_ERROR_OVERRUN 1
#define CQC_STATUS_OVERRUN 0x9

struct cq *cq_find(struct hca *hca, u32 cqn)
{
	return object_find(hca, OBJ_CQ, cqn);
}

static void fail_full(struct cq *cq)
{
	union ev_data data = { .cq_err = { .cqn = cpu_to_be32(cq->obj.id),
					   .syndrome = CQ_ERROR_OVERRUN } };

	if (cq->failed)
		return;
	cq->failed = true;
	warn("completion queue %u is overrun", cq->obj.id);
	eq_event(cq->obj.hca, MLX5_EVENT_TYPE_CQ_ERROR, 0, &data);
}

static u32 consumer(struct cq *cq)
{
	__be32 word;

	if (dma_read(&cq->obj.hca->dma, cq->dbr, &word, sizeof(word)))
		return cq->pi;
	return be32_to_cpu(word);
}

static void announce(struct cq *cq)
{
	loop_disarm(&cq->obj.hca->loop, &cq->period);
	cq->waiting = 0;
	cq->armed = false;
	cq->fired = true;
	cq->fired_sn = cq->arm_sn;
	eq_completion(cq->eq, cq->obj.id);
}

static void on_period(void *arg)
{
	struct cq *cq = arg;

	if (cq->armed && cq->waiting)
		announce(cq);
}

/*
 * An entry that the consumer asked to hear of. Moderation waits for more: until there
 * are so many, or for so long since the first of them or, if that is the mode, the last.
 */
static void moderate(struct cq *cq)
{
	struct loop *loop = &cq->obj.hca->loop;
	u64 period = MLX5_GET(cqc, cq->ctx, cq_period) * 1000ull;
	u32 most = MLX5_GET(cqc, cq->ctx, cq_max_count);

	cq->waiting++;
	if (!period || (most && cq->waiting >= most)) {
		announce(cq);
		return;
	}
	if (!cq->period.active || MLX5_GET(cqc, cq->ctx, cq_period_mode))
		loop_arm(loop, &cq->period, loop_now() + period);
}

void cq_push(struct cq *cq, struct mlx5_cqe64 *cqe, bool solicited)
{
	struct hca *hca = cq->obj.hca;
	u32 size = 1u << cq->log_size;
	const u32 own_at = offsetof(struct mlx5_cqe64, op_own);
	u64 at, now = hca_clock(hca);

	if (cq->failed)
		return;
	if (!cq->ignore_overrun && !cq->collapsed &&
	    ((cq->pi - consumer(cq)) & 0xffffff) >= size) {
		fail_full(cq);
		return;
	}
	/* An entry of an error has its syndrome where others have the time. */
	if (cqe->op_own >> 4 < MLX5_CQE_REQ_ERR) {
		cqe->timestamp_h = cpu_to_be32((u32)(now >> 32));
		cqe->timestamp_l = cpu_to_be32((u32)now);
	}
	cqe->op_own = (u8)((cqe->op_own & ~1) | (cq->pi >> cq->log_size & 1));
	at = cq->collapsed ? 0 : (u64)(cq->pi & (size - 1)) * cq->stride;
	at += cq->stride - sizeof(*cqe);
	if (qbuf_write(hca, &cq->buf, at, cqe, own_at))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (qbuf_write(hca, &cq->buf, at + own_at, &cqe->op_own, 1))
		return;
	cq->pi++;
	if (solicited)
		cq->solicited_pi = cq->pi;
	trace("cq %u: entry %u op_own 0x%x qpn 0x%x counter %u%s", cq->obj.id, cq->pi - 1,
	      cqe->op_own, be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff,
	      be16_to_cpu(cqe->wqe_counter), cq->armed ? ", armed" : "");
	if (cq->armed && (solicited || !cq->armed_solicited))
		moderate(cq);
}

void cq_doorbell(struct hca *hca, u32 value, u32 cqn)
{
	struct cq *cq = cq_find(hca, cqn);
	u32 ci = value & 0xffffff;
	u8 sn = value >> 28 & 3;
	u32 newest;

	if (!cq) {
		info("doorbell of completion queue %u, which is not there", cqn);
		return;
	}
	/* A request that an event has answered already is not a new one. */
	if (cq->fired && sn == cq->fired_sn)
		return;
	cq->arm_sn = sn;
	cq->armed_solicited = value & ARM_SOLICITED;
	cq->armed = true;
	/* What came since the consumer looked is announced at once. */
	newest = cq->armed_solicited ? cq->solicited_pi : cq->pi;
	if (((newest - ci) & 0xffffff) && ((newest - ci) & 0xffffff) < 0x800000)
		announce(cq);
}

static void cq_free(struct object *obj)
{
	struct cq *cq = container_of(obj, struct cq, obj);

	loop_disarm(&obj->hca->loop, &cq->period);
	if (cq->eq)
		cq->eq->refs--;
	qbuf_fini(&cq->buf);
}

static int set_buffer(struct cmd *cmd, struct cq *cq, const void *ctx, struct qbuf *buf)
{
	return qbuf_init(buf, MEMBER(create_cq_in, cmd->in, pas),
			 cmd->inlen - (u32)IN_BYTES(create_cq),
			 MLX5_GET(cqc, ctx, log_page_size) + MLX5_ADAPTER_PAGE_SHIFT,
			 MLX5_GET(cqc, ctx, page_offset) <<
				(MLX5_GET(cqc, ctx, log_page_size) + MLX5_ADAPTER_PAGE_SHIFT - 6),
			 (u64)cq->stride << MLX5_GET(cqc, ctx, log_cq_size));
}

int cmd_create_cq(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_cq_in, cmd->in, cq_context);
	u32 eqn = MLX5_GET(cqc, ctx, c_eqn_or_apu_element);
	struct hca *hca = cmd->hca;
	struct cq *cq;

	if (eqn >= HCA_MAX_EQS || !hca->eq[eqn])
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (!object_find(hca, OBJ_UAR, MLX5_GET(cqc, ctx, uar_page)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(cqc, ctx, log_cq_size) > 22)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	if (MLX5_GET(cqc, ctx, cqe_sz) > 2)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	cq = object_new(hca, OBJ_CQ, sizeof(*cq), cq_free);
	if (!cq)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	cq->period = (struct timer){ .fn = on_period, .arg = cq };
	memcpy(cq->ctx, ctx, sizeof(cq->ctx));
	cq->log_size = MLX5_GET(cqc, ctx, log_cq_size);
	cq->stride = MLX5_GET(cqc, ctx, cqe_sz) ? 128 : 64;
	cq->collapsed = MLX5_GET(cqc, ctx, cc);
	cq->ignore_overrun = MLX5_GET(cqc, ctx, oi);
	cq->dbr = MLX5_GET64(cqc, ctx, dbr_addr);
	if (set_buffer(cmd, cq, ctx, &cq->buf)) {
		object_delete(&cq->obj);
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	}
	cq->eq = hca->eq[eqn];
	cq->eq->refs++;
	MLX5_SET(create_cq_out, cmd->out, cqn, cq->obj.id);
	return 0;
}

/* Moves to a new buffer: a marker in the old one says where the new one begins. */
static int resize(struct cmd *cmd, struct cq *cq, const void *ctx)
{
	struct mlx5_cqe64 marker = { .op_own = 0x5 << 4 };
	struct qbuf bigger;
	u32 log_size = MLX5_GET(cqc, ctx, log_cq_size);

	if (log_size > 22)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	if (((cq->pi - consumer(cq)) & 0xffffff) >= 1u << log_size)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_SIZE_OUTS_CQES_ERR);
	if (set_buffer(cmd, cq, ctx, &bigger))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	marker.sop_drop_qpn = cpu_to_be32(MLX5_CQE_OPCODE_RESIZE << 24);
	cq_push(cq, &marker, false);
	qbuf_fini(&cq->buf);
	cq->buf = bigger;
	cq->log_size = log_size;
	MLX5_SET(cqc, cq->ctx, log_cq_size, log_size);
	MLX5_SET(cqc, cq->ctx, log_page_size, MLX5_GET(cqc, ctx, log_page_size));
	MLX5_SET(cqc, cq->ctx, page_offset, MLX5_GET(cqc, ctx, page_offset));
	return 0;
}

int cmd_modify_cq(struct cmd *cmd)
{
	enum { SELECT_PERIOD = 1, SELECT_COUNT = 2, SELECT_OI = 4, SELECT_EQN = 8,
	       SELECT_PERIOD_MODE = 16 };
	const void *ctx = MEMBER(modify_cq_in, cmd->in, cq_context);
	struct cq *cq = cq_find(cmd->hca, MLX5_GET(modify_cq_in, cmd->in, cqn));
	/* A union of two words, each no more than a mask. */
	u32 select = be32_to_cpu(*(__be32 *)MEMBER(modify_cq_in, cmd->in,
						   modify_field_select_resize_field_select));

	if (!cq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (cmd->op_mod == 1)
		return resize(cmd, cq, ctx);
	if (select & SELECT_EQN)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (select & SELECT_PERIOD)
		MLX5_SET(cqc, cq->ctx, cq_period, MLX5_GET(cqc, ctx, cq_period));
	if (select & SELECT_COUNT)
		MLX5_SET(cqc, cq->ctx, cq_max_count, MLX5_GET(cqc, ctx, cq_max_count));
	if (select & SELECT_PERIOD_MODE)
		MLX5_SET(cqc, cq->ctx, cq_period_mode, MLX5_GET(cqc, ctx, cq_period_mode));
	if (select & SELECT_OI) {
		cq->ignore_overrun = MLX5_GET(cqc, ctx, oi);
		MLX5_SET(cqc, cq->ctx, oi, cq->ignore_overrun);
	}
	return 0;
}

int cmd_query_cq(struct cmd *cmd)
{
	void *ctx = MEMBER(query_cq_out, cmd->out, cq_context);
	struct cq *cq = cq_find(cmd->hca, MLX5_GET(query_cq_in, cmd->in, cqn));

	if (!cq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(ctx, cq->ctx, sizeof(cq->ctx));
	MLX5_SET(cqc, ctx, status, cq->failed ? CQC_STATUS_OVERRUN : 0);
	MLX5_SET(cqc, ctx, producer_counter, cq->pi & 0xffffff);
	MLX5_SET(cqc, ctx, consumer_counter, consumer(cq) & 0xffffff);
	return 0;
}

int cmd_destroy_cq(struct cmd *cmd)
{
	struct cq *cq = cq_find(cmd->hca, MLX5_GET(destroy_cq_in, cmd->in, cqn));

	if (!cq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (cq->obj.refs)
		return cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY);
	object_delete(&cq->obj);
	return 0;
}
