// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that are hardly more than a number: UARs, protection domains,
 * transport domains, XRC domains, and queue counters.
 */
#include "cmd.h"
#include "commands.h"
#include "counter.h"

/* A new object of no content; 0: there is none to be had. */
static u32 make(struct cmd *cmd, enum obj_kind kind)
{
	struct object *obj = object_new(cmd->hca, kind, sizeof(*obj), NULL);

	return obj ? obj->id : 0;
}

static int drop(struct cmd *cmd, enum obj_kind kind, u32 id)
{
	struct object *obj = object_find(cmd->hca, kind, id);

	if (!obj)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (obj->refs)
		return cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY);
	object_delete(obj);
	return 0;
}

#define SIMPLE(name, kind, out_field, in_field)					\
int cmd_alloc_##name(struct cmd *cmd)						\
{										\
	u32 id = make(cmd, kind);						\
										\
	if (!id)								\
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);			\
	MLX5_SET(alloc_##name##_out, cmd->out, out_field, id);			\
	return 0;								\
}										\
										\
int cmd_dealloc_##name(struct cmd *cmd)						\
{										\
	return drop(cmd, kind, MLX5_GET(dealloc_##name##_in, cmd->in, in_field)); \
}

SIMPLE(uar, OBJ_UAR, uar, uar)
SIMPLE(pd, OBJ_PD, pd, pd)
SIMPLE(transport_domain, OBJ_TD, transport_domain, transport_domain)
SIMPLE(xrcd, OBJ_XRCD, xrcd, xrcd)

int cmd_alloc_q_counter(struct cmd *cmd)
{
	struct q_counter *q = object_new(cmd->hca, OBJ_Q_COUNTER, sizeof(*q), NULL);

	if (!q)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	MLX5_SET(alloc_q_counter_out, cmd->out, counter_set_id, q->obj.id);
	return 0;
}

int cmd_dealloc_q_counter(struct cmd *cmd)
{
	return drop(cmd, OBJ_Q_COUNTER, MLX5_GET(dealloc_q_counter_in, cmd->in, counter_set_id));
}

int cmd_query_q_counter(struct cmd *cmd)
{
	u32 id = MLX5_GET(query_q_counter_in, cmd->in, counter_set_id);
	struct q_counter *q = object_find(cmd->hca, OBJ_Q_COUNTER, id);

	if (!q)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
#define COPY(field) MLX5_SET(query_q_counter_out, cmd->out, field, (u32)q->field);
	Q_COUNTERS(COPY)
#undef COPY
	if (MLX5_GET(query_q_counter_in, cmd->in, clear)) {
#define CLEAR(field) q->field = 0;
		Q_COUNTERS(CLEAR)
#undef CLEAR
	}
	return 0;
}
