// SPDX-License-Identifier: GPL-2.0
/*
 * Transport interfaces: TIS, TIR, and the table of receive queues that a TIR
 * spreads flows over.
 */
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"
#include "eth.h"
#include "wq.h"

#define MAX_RQT		2048u

enum { DIRECT = 0, INDIRECT = 1 };
enum { HASH_NONE = 0, HASH_XOR8 = 1, HASH_TOEPLITZ = 2 };
enum { SELECT_SRC_IP = 1, SELECT_DST_IP = 2, SELECT_SPORT = 4, SELECT_DPORT = 8 };

struct tis {
	struct object obj;
	u32 ctx[MLX5_ST_SZ_DW(tisc)];
};

struct tir {
	struct object obj;
	u32 ctx[MLX5_ST_SZ_DW(tirc)];
};

/**
 * struct rqt - a table of receive queues
 * @obj: id is the RQTN
 * @max: room
 * @nr: entries in use
 * @rqn: the queues
 */
struct rqt {
	struct object obj;
	u32 max;
	u32 nr;
	u32 rqn[MAX_RQT];
};

/* What identifies a flow, in the order that the hash takes it. */
struct tuple {
	u8 bytes[36];
	u32 len;
	u8 type;
};

static void add(struct tuple *t, const u8 *from, u32 len)
{
	memcpy(t->bytes + t->len, from, len);
	t->len += len;
}

static void make_tuple(struct tuple *t, const u8 *frame, const struct eth_parsed *p, u32 select)
{
	const u8 *ip = frame + p->l3;
	u32 size = p->version == 4 ? 4 : 16;
	const u8 *src = ip + (p->version == 4 ? 12 : 8);

	memset(t, 0, sizeof(*t));
	if (!p->version)
		return;
	if (select & SELECT_SRC_IP)
		add(t, src, size);
	if (select & SELECT_DST_IP)
		add(t, src + size, size);
	t->type = (u8)((p->version == 4 ? CQE_RSS_IPV4 : CQE_RSS_IPV6) << 2);
	if (!p->l4 || p->frag || (p->proto != 6 && p->proto != 17) || p->end - p->l4 < 4)
		return;
	if (select & SELECT_SPORT)
		add(t, frame + p->l4, 2);
	if (select & SELECT_DPORT)
		add(t, frame + p->l4 + 2, 2);
	if (select & (SELECT_SPORT | SELECT_DPORT))
		t->type |= (u8)((p->proto == 6 ? CQE_RSS_L4_TCP : CQE_RSS_L4_UDP) << 6);
}

static u32 toeplitz(const u8 *key, const struct tuple *t)
{
	u32 window = (u32)key[0] << 24 | key[1] << 16 | key[2] << 8 | key[3], hash = 0, i;
	int bit;

	for (i = 0; i < t->len; i++) {
		for (bit = 7; bit >= 0; bit--) {
			if (t->bytes[i] >> bit & 1)
				hash ^= window;
			window = window << 1 | (key[i + 4] >> bit & 1);
		}
	}
	return hash;
}

static u32 xor8(const struct tuple *t)
{
	u8 x = 0;
	u32 i;

	for (i = 0; i < t->len; i++)
		x ^= t->bytes[i];
	return x;
}

static void inspect(const u8 *frame, const struct eth_parsed *p, struct rx_info *info)
{
	info->has_vlan = p->has_vlan;
	info->vlan = p->vlan;
	info->checksum = eth_fold(eth_sum(frame + p->l3, p->end - p->l3, 0));
	info->checks = CQE_L2_OK;
	if (!p->version)
		return;
	info->l4_l3_type = (u8)((p->version == 4 ? 2 : 1) << 2);
	if (p->version == 6 ||
	    eth_fold(eth_sum(frame + p->l3, (frame[p->l3] & 0xfu) * 4, 0)) == 0xffff)
		info->checks |= CQE_L3_OK;
	if (p->l4 && p->proto == 6)
		info->l4_l3_type |= CQE_L4_HDR_TYPE_TCP_NO_ACK << 4;
	else if (p->l4 && p->proto == 17)
		info->l4_l3_type |= CQE_L4_HDR_TYPE_UDP << 4;
	if (eth_l4_ok(frame, p))
		info->checks |= CQE_L4_OK;
}

void tir_receive(struct hca *hca, u32 tirn, const void *frame, u32 len, u32 flow_tag)
{
	struct tir *tir = object_find(hca, OBJ_TIR, tirn);
	struct rx_info info = { .flow_tag = flow_tag };
	struct eth_parsed p;
	struct tuple tuple;
	struct rqt *rqt;
	u32 select, fn;

	if (!tir || !eth_parse(frame, len, &p))
		return;
	inspect(frame, &p, &info);
	if (MLX5_GET(tirc, tir->ctx, disp_type) == DIRECT) {
		rq_receive(hca, MLX5_GET(tirc, tir->ctx, inline_rqn), frame, len, &info);
		return;
	}
	rqt = object_find(hca, OBJ_RQT, MLX5_GET(tirc, tir->ctx, indirect_table));
	if (!rqt || !rqt->nr)
		return;
	select = MLX5_GET(rx_hash_field_select,
			  MEMBER(tirc, tir->ctx, rx_hash_field_selector_outer), selected_fields);
	make_tuple(&tuple, frame, &p, select);
	fn = MLX5_GET(tirc, tir->ctx, rx_hash_fn);
	if (fn == HASH_TOEPLITZ)
		info.hash = toeplitz(MEMBER(tirc, tir->ctx, rx_hash_toeplitz_key), &tuple);
	else if (fn == HASH_XOR8)
		info.hash = xor8(&tuple);
	info.hash_type = fn == HASH_NONE ? 0 : tuple.type;
	rq_receive(hca, rqt->rqn[info.hash % rqt->nr], frame, len, &info);
}

/* A context that is kept as it is, and given back when asked for. */
#define CONTEXT_OBJECT(name, kind, id_field, ctx_in, ctx_out)					\
int cmd_query_##name(struct cmd *cmd)								\
{												\
	u32 id = MLX5_GET(query_##name##_in, cmd->in, id_field);				\
	struct name *o = object_find(cmd->hca, kind, id);					\
												\
	if (!o)											\
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);				\
	memcpy(MEMBER(query_##name##_out, cmd->out, ctx_out), o->ctx, sizeof(o->ctx));		\
	return 0;										\
}												\
												\
int cmd_create_##name(struct cmd *cmd)								\
{												\
	struct name *o;										\
												\
	if (!name##_ok(cmd->hca, MEMBER(create_##name##_in, cmd->in, ctx_in)))			\
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);				\
	o = object_new(cmd->hca, kind, sizeof(*o), NULL);					\
	if (!o)											\
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);					\
	memcpy(o->ctx, MEMBER(create_##name##_in, cmd->in, ctx_in), sizeof(o->ctx));		\
	MLX5_SET(create_##name##_out, cmd->out, id_field, o->obj.id);				\
	return 0;										\
}												\
												\
DESTROY(name, kind, id_field)

#define DESTROY(name, kind, id_field)								\
int cmd_destroy_##name(struct cmd *cmd)								\
{												\
	u32 id = MLX5_GET(destroy_##name##_in, cmd->in, id_field);				\
	struct object *o = object_find(cmd->hca, kind, id);					\
												\
	if (!o)											\
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);				\
	if (o->refs)										\
		return cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY);					\
	object_delete(o);									\
	return 0;										\
}

static bool tis_ok(struct hca *hca, const void *ctx)
{
	return object_find(hca, OBJ_TD, MLX5_GET(tisc, ctx, transport_domain));
}

static bool tir_ok(struct hca *hca, const void *ctx)
{
	struct wq *wq;

	if (!object_find(hca, OBJ_TD, MLX5_GET(tirc, ctx, transport_domain)))
		return false;
	if (MLX5_GET(tirc, ctx, disp_type) == INDIRECT)
		return object_find(hca, OBJ_RQT, MLX5_GET(tirc, ctx, indirect_table));
	wq = object_find(hca, OBJ_WQ, MLX5_GET(tirc, ctx, inline_rqn));
	return wq && wq->kind == WQ_RQ;
}

CONTEXT_OBJECT(tis, OBJ_TIS, tisn, ctx, tis_context)
CONTEXT_OBJECT(tir, OBJ_TIR, tirn, ctx, tir_context)
DESTROY(rqt, OBJ_RQT, rqtn)

int cmd_modify_tis(struct cmd *cmd)
{
	struct tis *tis = object_find(cmd->hca, OBJ_TIS, MLX5_GET(modify_tis_in, cmd->in, tisn));
	const void *select = MEMBER(modify_tis_in, cmd->in, bitmask);
	const void *ctx = MEMBER(modify_tis_in, cmd->in, ctx);

	if (!tis)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(modify_tis_bitmask, select, prio))
		MLX5_SET(tisc, tis->ctx, prio, MLX5_GET(tisc, ctx, prio));
	return 0;
}

int cmd_modify_tir(struct cmd *cmd)
{
	struct tir *tir = object_find(cmd->hca, OBJ_TIR, MLX5_GET(modify_tir_in, cmd->in, tirn));
	const void *select = MEMBER(modify_tir_in, cmd->in, bitmask);
	const void *ctx = MEMBER(modify_tir_in, cmd->in, ctx);

	if (!tir)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(modify_tir_bitmask, select, self_lb_en))
		MLX5_SET(tirc, tir->ctx, self_lb_block, MLX5_GET(tirc, ctx, self_lb_block));
	if (MLX5_GET(modify_tir_bitmask, select, hash)) {
		MLX5_SET(tirc, tir->ctx, rx_hash_fn, MLX5_GET(tirc, ctx, rx_hash_fn));
		MLX5_SET(tirc, tir->ctx, rx_hash_symmetric, MLX5_GET(tirc, ctx, rx_hash_symmetric));
		memcpy(MEMBER(tirc, tir->ctx, rx_hash_toeplitz_key),
		       MEMBER(tirc, ctx, rx_hash_toeplitz_key), 40);
		memcpy(MEMBER(tirc, tir->ctx, rx_hash_field_selector_outer),
		       MEMBER(tirc, ctx, rx_hash_field_selector_outer),
		       MLX5_ST_SZ_BYTES(rx_hash_field_select));
	}
	return 0;
}

static int fill_rqt(struct cmd *cmd, struct rqt *rqt, const void *ctx, u32 room)
{
	const __be32 *list = MEMBER(rqtc, ctx, rq_num);
	u32 nr = MLX5_GET(rqtc, ctx, rqt_actual_size), i;

	if (nr > rqt->max || nr > room / sizeof(*list))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	for (i = 0; i < nr; i++)
		rqt->rqn[i] = be32_to_cpu(list[i]) & 0xffffff;
	rqt->nr = nr;
	return 0;
}

int cmd_create_rqt(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_rqt_in, cmd->in, rqt_context);
	struct rqt *rqt;
	int ret;

	if (MLX5_GET(rqtc, ctx, rqt_max_size) > MAX_RQT)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	rqt = object_new(cmd->hca, OBJ_RQT, sizeof(*rqt), NULL);
	if (!rqt)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	rqt->max = MLX5_GET(rqtc, ctx, rqt_max_size);
	ret = fill_rqt(cmd, rqt, ctx, cmd->inlen - (u32)IN_BYTES(create_rqt));
	if (ret) {
		object_delete(&rqt->obj);
		return ret;
	}
	MLX5_SET(create_rqt_out, cmd->out, rqtn, rqt->obj.id);
	return 0;
}

int cmd_modify_rqt(struct cmd *cmd)
{
	const void *ctx = MEMBER(modify_rqt_in, cmd->in, ctx);
	struct rqt *rqt = object_find(cmd->hca, OBJ_RQT, MLX5_GET(modify_rqt_in, cmd->in, rqtn));

	if (!rqt)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (!MLX5_GET(rqt_bitmask, MEMBER(modify_rqt_in, cmd->in, bitmask), rqn_list))
		return 0;
	return fill_rqt(cmd, rqt, ctx, cmd->inlen - (u32)IN_BYTES(modify_rqt));
}

int cmd_query_rqt(struct cmd *cmd)
{
	void *ctx = MEMBER(query_rqt_out, cmd->out, rqt_context);
	struct rqt *rqt = object_find(cmd->hca, OBJ_RQT, MLX5_GET(query_rqt_in, cmd->in, rqtn));
	u32 room = (cmd->outlen - (u32)OUT_BYTES(query_rqt)) / sizeof(u32), i;

	if (!rqt)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	MLX5_SET(rqtc, ctx, rqt_max_size, rqt->max);
	MLX5_SET(rqtc, ctx, rqt_actual_size, rqt->nr);
	for (i = 0; i < min(room, rqt->nr); i++)
		((__be32 *)MEMBER(rqtc, ctx, rq_num))[i] = cpu_to_be32(rqt->rqn[i]);
	return 0;
}
