// SPDX-License-Identifier: GPL-2.0
/*
 * Event queues: entries with an ownership bit, and vectors raised as armed.
 */
#include <stdlib.h>

#include "cmd.h"
#include "eq.h"

#define EQC_ARMED	0x9
#define EQC_FIRED	0xa

static u32 entries(const struct eq *eq)
{
	return 1u << eq->log_size;
}

static void fire(struct eq *eq)
{
	eq->armed = false;
	if (fault_interrupt(eq->hca))
		info("eq %u: its interrupt gets lost", eq->eqn);
	else
		vfu_raise(&eq->hca->vfu, eq->vector);
}

static void push(struct eq *eq, u8 type, u8 subtype, const union ev_data *data)
{
	struct mlx5_eqe eqe = { .type = type, .sub_type = subtype };
	u64 at = (u64)(eq->pi & (entries(eq) - 1)) * sizeof(eqe);
	const u32 owner_at = offsetof(struct mlx5_eqe, owner);

	if (((eq->pi - eq->ci) & 0xffffff) >= entries(eq)) {
		if (!eq->overruns++)
			warn("event queue %u is full", eq->eqn);
		return;
	}
	if (data)
		eqe.data = *data;
	/* The owner bit turns with every lap, and is written last. */
	eqe.owner = eq->pi >> eq->log_size & 1;
	if (qbuf_write(eq->hca, &eq->buf, at, &eqe, owner_at))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (qbuf_write(eq->hca, &eq->buf, at + owner_at, &eqe.owner, 1))
		return;
	eq->pi++;
	trace("eq %u: event 0x%x/%u, pi %u ci %u%s", eq->eqn, type, subtype, eq->pi, eq->ci,
	      eq->armed ? ", armed" : "");
	if (eq->armed)
		fire(eq);
}

void eq_doorbell(struct hca *hca, u32 value, bool arm)
{
	u32 eqn = value >> 24;
	struct eq *eq = eqn < HCA_MAX_EQS ? hca->eq[eqn] : NULL;

	if (!eq) {
		info("doorbell of event queue %u, which is not there", eqn);
		return;
	}
	eq->ci = value & 0xffffff;
	if (!arm)
		return;
	eq->armed = true;
	if ((eq->pi & 0xffffff) != eq->ci)
		fire(eq);
}

void eq_completion(struct eq *eq, u32 cqn)
{
	union ev_data data = { .comp.cqn = cpu_to_be32(cqn) };

	push(eq, MLX5_EVENT_TYPE_COMP, 0, &data);
}

void eq_command(struct hca *hca, u32 slot)
{
	union ev_data data = { .cmd.vector = cpu_to_be32(1u << slot) };

	push(hca->cmd_eq, MLX5_EVENT_TYPE_CMD, 0, &data);
}

void eq_event(struct hca *hca, u8 type, u8 subtype, const union ev_data *data)
{
	u32 i;

	for (i = 0; i < HCA_MAX_EQS; i++) {
		if (hca->eq[i] && (hca->eq[i]->events[type / 64] >> type % 64 & 1)) {
			push(hca->eq[i], type, subtype, data);
			return;
		}
	}
}

void eq_queue_event(struct hca *hca, u8 type, u8 what, u32 number)
{
	union ev_data data = { .qp_srq = { .type = what, .qp_srq_n = cpu_to_be32(number) } };

	eq_event(hca, type, 0, &data);
}

void eq_page_request(struct hca *hca, s32 count)
{
	union ev_data data = { .req_pages.num_pages = cpu_to_be32((u32)count) };

	eq_event(hca, MLX5_EVENT_TYPE_PAGE_REQUEST, 0, &data);
}

void eq_port_event(struct hca *hca)
{
	union ev_data data = { .port.port = 1 << 4 };

	eq_event(hca, MLX5_EVENT_TYPE_PORT_CHANGE, hca_port_up(hca) ?
		 MLX5_PORT_CHANGE_SUBTYPE_ACTIVE : MLX5_PORT_CHANGE_SUBTYPE_DOWN, &data);
}

static void eq_free(struct eq *eq)
{
	struct hca *hca = eq->hca;

	if (hca->cmd_eq == eq)
		hca->cmd_eq = NULL;
	hca->eq[eq->eqn] = NULL;
	qbuf_fini(&eq->buf);
	free(eq);
}

void eq_free_all(struct hca *hca)
{
	u32 i;

	for (i = 0; i < HCA_MAX_EQS; i++) {
		if (hca->eq[i])
			eq_free(hca->eq[i]);
	}
}

static void subscribe(struct eq *eq, const void *in)
{
	u32 i;

	for (i = 0; i < 4; i++)
		eq->events[i] = MLX5_GET64(create_eq_in, in, event_bitmask[i]);
	if (eq->events[0] >> MLX5_EVENT_TYPE_CMD & 1)
		eq->hca->cmd_eq = eq;
}

int cmd_create_eq(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_eq_in, cmd->in, eq_context_entry);
	struct hca *hca = cmd->hca;
	struct eq *eq;
	u32 eqn;

	for (eqn = 0; eqn < HCA_MAX_EQS && hca->eq[eqn]; eqn++)
		;
	if (eqn == HCA_MAX_EQS)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	if (!object_find(hca, OBJ_UAR, MLX5_GET(eqc, ctx, uar_page)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(eqc, ctx, intr) >= hca->opt.vectors)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (MLX5_GET(eqc, ctx, log_eq_size) > 22)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	eq->hca = hca;
	eq->eqn = eqn;
	eq->log_size = MLX5_GET(eqc, ctx, log_eq_size);
	eq->vector = MLX5_GET(eqc, ctx, intr);
	eq->armed = MLX5_GET(eqc, ctx, st) == EQC_ARMED;
	if (qbuf_init(&eq->buf, MEMBER(create_eq_in, cmd->in, pas),
		      cmd->inlen - (u32)IN_BYTES(create_eq),
		      MLX5_GET(eqc, ctx, log_page_size) + MLX5_ADAPTER_PAGE_SHIFT,
		      MLX5_GET(eqc, ctx, page_offset) * 64,
		      (u64)sizeof(struct mlx5_eqe) << eq->log_size)) {
		free(eq);
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	}
	hca->eq[eqn] = eq;
	subscribe(eq, cmd->in);
	MLX5_SET(create_eq_out, cmd->out, eq_number, eqn);
	return 0;
}

static struct eq *find(struct cmd *cmd)
{
	u32 eqn = MLX5_GET(destroy_eq_in, cmd->in, eq_number);

	return eqn < HCA_MAX_EQS ? cmd->hca->eq[eqn] : NULL;
}

int cmd_destroy_eq(struct cmd *cmd)
{
	struct eq *eq = find(cmd);

	if (!eq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (eq->refs)
		return cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY);
	eq_free(eq);
	return 0;
}

int cmd_query_eq(struct cmd *cmd)
{
	void *ctx = MEMBER(query_eq_out, cmd->out, eq_context_entry);
	struct eq *eq = find(cmd);

	if (!eq)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	MLX5_SET(eqc, ctx, log_eq_size, eq->log_size);
	MLX5_SET(eqc, ctx, intr, eq->vector);
	MLX5_SET(eqc, ctx, st, eq->armed ? EQC_ARMED : EQC_FIRED);
	MLX5_SET(eqc, ctx, consumer_counter, eq->ci);
	MLX5_SET(eqc, ctx, producer_counter, eq->pi & 0xffffff);
	return 0;
}
