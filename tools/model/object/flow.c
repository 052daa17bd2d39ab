// SPDX-License-Identifier: GPL-2.0
/*
 * Flow tables of the Ethernet receive side: tables of groups, a group a mask,
 * an entry a value, an action and destinations.
 */
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"
#include "eth.h"
#include "wq.h"

#define TYPE_NIC_RX	0
#define MISS_TO_TABLE	1
#define DEST_TABLE	1
#define DEST_TIR	2
#define ACTION_DROP	0x2
#define ACTION_FORWARD	0x4
#define MAX_DESTS	64u
#define MAX_HOPS	256
#define CRITERIA_OUTER	1
#define MATCH_BYTES	MLX5_ST_SZ_BYTES(fte_match_set_lyr_2_4)

/**
 * struct group - entries that match by the same fields
 * @id: its number in the table
 * @first: index of its first entry
 * @last: index of its last
 * @mask: fields that it matches
 * @next: in the table's list
 */
struct group {
	u32 id;
	u32 first;
	u32 last;
	u8 mask[MATCH_BYTES];
	struct group *next;
};

/**
 * struct entry - a rule
 * @index: place in the table; the lowest that matches counts
 * @group: whose mask it has
 * @value: what the fields have to be
 * @action: ACTION_*
 * @tag: flow tag of what it lets through
 * @nr: destinations
 * @type: of each, DEST_*
 * @dest: number of each
 * @next: in the table's list, by index
 */
struct entry {
	u32 index;
	struct group *group;
	u8 value[MATCH_BYTES];
	u32 action;
	u32 tag;
	u32 nr;
	u8 type[MAX_DESTS];
	u32 dest[MAX_DESTS];
	struct entry *next;
};

/**
 * struct flow_table - a table
 * @obj: id is the table's
 * @level: of tables, one leads to higher levels only
 * @size: places for entries
 * @miss: table to go on with when nothing matches; 0: none
 * @groups: its groups
 * @next_group: number of the next
 * @entries: its entries, by index
 */
struct flow_table {
	struct object obj;
	u32 level;
	u32 size;
	u32 miss;
	struct group *groups;
	u32 next_group;
	struct entry *entries;
};

/* The fields of a frame, as the layout of a match has them. */
static void fields_of(const u8 *frame, u32 len, u8 *match)
{
	u8 *src = MEMBER(fte_match_set_lyr_2_4, match, src_ipv4_src_ipv6);
	u8 *dst = MEMBER(fte_match_set_lyr_2_4, match, dst_ipv4_dst_ipv6);
	struct eth_parsed p;
	const u8 *ip;

	memset(match, 0, MATCH_BYTES);
	if (!eth_parse(frame, len, &p))
		return;
#define PUT(f, v) MLX5_SET(fte_match_set_lyr_2_4, match, f, v)
	memcpy(MEMBER(fte_match_set_lyr_2_4, match, dmac_47_16), frame, 6);
	memcpy(MEMBER(fte_match_set_lyr_2_4, match, smac_47_16), frame + 6, 6);
	PUT(ethertype, p.ethertype);
	if (p.has_vlan) {
		if (frame[12] == 0x81)
			PUT(cvlan_tag, 1);
		else
			PUT(svlan_tag, 1);
		PUT(first_vid, p.vlan & 0xfff);
		PUT(first_cfi, p.vlan >> 12 & 1);
		PUT(first_prio, p.vlan >> 13);
	}
	if (!p.version)
		return;
	ip = frame + p.l3;
	PUT(ip_version, p.version);
	PUT(ip_protocol, p.proto);
	PUT(frag, p.frag);
	if (p.version == 4) {
		PUT(ip_dscp, ip[1] >> 2);
		PUT(ip_ecn, ip[1] & 3);
		memcpy(src + 12, ip + 12, 4);
		memcpy(dst + 12, ip + 16, 4);
	} else {
		PUT(ip_dscp, (ip[0] & 0xf) << 2 | ip[1] >> 6);
		PUT(ip_ecn, ip[1] >> 4 & 3);
		memcpy(src, ip + 8, 16);
		memcpy(dst, ip + 24, 16);
	}
	if (!p.l4 || p.end - p.l4 < 4)
		return;
	if (p.proto == 6)
		memcpy(MEMBER(fte_match_set_lyr_2_4, match, tcp_sport), frame + p.l4, 4);
	else if (p.proto == 17)
		memcpy(MEMBER(fte_match_set_lyr_2_4, match, udp_sport), frame + p.l4, 4);
#undef PUT
}

static bool matches(const struct entry *entry, const u8 *fields)
{
	const u8 *mask = entry->group->mask;
	u32 i;

	for (i = 0; i < MATCH_BYTES; i++) {
		if ((fields[i] ^ entry->value[i]) & mask[i])
			return false;
	}
	return true;
}

/* @hops: what is left of all the tables that the frame may see, so that no rule is a bomb. */
static void walk(struct hca *hca, struct flow_table *ft, const u8 *frame, u32 len,
		 const u8 *fields, u32 tag, int *hops)
{
	struct entry *e;
	u32 i;

	if (!ft || !*hops)
		return;
	--*hops;
	for (e = ft->entries; e && !matches(e, fields); e = e->next)
		;
	if (!e) {
		if (ft->miss)
			walk(hca, object_find(hca, OBJ_FLOW_TABLE, ft->miss), frame, len, fields,
			     tag, hops);
		else
			trace("flow table 0x%x: no match, dropped", ft->obj.id);
		return;
	}
	if ((e->action & ACTION_DROP) || !(e->action & ACTION_FORWARD))
		return;
	tag = e->tag ?: tag;
	for (i = 0; i < e->nr; i++) {
		if (e->type[i] == DEST_TIR)
			tir_receive(hca, e->dest[i], frame, len, tag);
		else
			walk(hca, object_find(hca, OBJ_FLOW_TABLE, e->dest[i]), frame, len,
			     fields, tag, hops);
	}
}

void flow_receive(struct hca *hca, const void *frame, u32 len)
{
	u8 fields[MATCH_BYTES] __aligned(8);

	int hops = MAX_HOPS;

	fields_of(frame, len, fields);
	walk(hca, hca->rx_root, frame, len, fields, 0, &hops);
}

static void ft_free(struct object *obj)
{
	struct flow_table *ft = container_of(obj, struct flow_table, obj);
	struct group *g;
	struct entry *e;

	if (obj->hca->rx_root == ft)
		obj->hca->rx_root = NULL;
	while ((e = ft->entries)) {
		ft->entries = e->next;
		free(e);
	}
	while ((g = ft->groups)) {
		ft->groups = g->next;
		free(g);
	}
}

/* Tables of other kinds are not announced. */
static struct flow_table *find(struct cmd *cmd, u32 type, u32 id)
{
	return type == TYPE_NIC_RX ? object_find(cmd->hca, OBJ_FLOW_TABLE, id) : NULL;
}

#define FIND(layout) find(cmd, MLX5_GET(layout, cmd->in, table_type), \
			  MLX5_GET(layout, cmd->in, table_id))

static u32 miss_table(const void *ctx)
{
	return MLX5_GET(flow_table_context, ctx, table_miss_action) == MISS_TO_TABLE ?
	       MLX5_GET(flow_table_context, ctx, table_miss_id) : 0;
}

int cmd_set_flow_table_root(struct cmd *cmd)
{
	enum { SET, UNSET };
	struct flow_table *ft = FIND(set_flow_table_root_in);

	if (cmd->op_mod == UNSET) {
		cmd->hca->rx_root = NULL;
		return 0;
	}
	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	cmd->hca->rx_root = ft;
	return 0;
}

int cmd_create_flow_table(struct cmd *cmd)
{
	const void *ctx = MEMBER(create_flow_table_in, cmd->in, flow_table_context);
	struct flow_table *ft;

	if (MLX5_GET(create_flow_table_in, cmd->in, table_type) != TYPE_NIC_RX ||
	    MLX5_GET(flow_table_context, ctx, log_size) > 18 ||
	    MLX5_GET(flow_table_context, ctx, sw_owner))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	ft = object_new(cmd->hca, OBJ_FLOW_TABLE, sizeof(*ft), ft_free);
	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	ft->level = MLX5_GET(flow_table_context, ctx, level);
	ft->size = 1u << MLX5_GET(flow_table_context, ctx, log_size);
	ft->miss = miss_table(ctx);
	ft->next_group = 1;
	MLX5_SET(create_flow_table_out, cmd->out, table_id, ft->obj.id);
	return 0;
}

int cmd_modify_flow_table(struct cmd *cmd)
{
	enum { SELECT_MISS = 1 };
	const void *ctx = MEMBER(modify_flow_table_in, cmd->in, flow_table_context);
	struct flow_table *ft = FIND(modify_flow_table_in);

	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (MLX5_GET(modify_flow_table_in, cmd->in, modify_field_select) & SELECT_MISS)
		ft->miss = miss_table(ctx);
	return 0;
}

int cmd_destroy_flow_table(struct cmd *cmd)
{
	struct flow_table *ft = FIND(destroy_flow_table_in);

	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	object_delete(&ft->obj);
	return 0;
}

int cmd_create_flow_group(struct cmd *cmd)
{
	const void *param = MEMBER(create_flow_group_in, cmd->in, match_criteria);
	u32 enable = MLX5_GET(create_flow_group_in, cmd->in, match_criteria_enable);
	struct flow_table *ft = FIND(create_flow_group_in);
	struct group *g;

	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (enable & ~CRITERIA_OUTER)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	g = calloc(1, sizeof(*g));
	if (!g)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	g->id = ft->next_group++;
	g->first = MLX5_GET(create_flow_group_in, cmd->in, start_flow_index);
	g->last = MLX5_GET(create_flow_group_in, cmd->in, end_flow_index);
	if (g->first > g->last || g->last >= ft->size) {
		free(g);
		return cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR);
	}
	if (enable & CRITERIA_OUTER)
		memcpy(g->mask, MEMBER(fte_match_param, param, outer_headers), MATCH_BYTES);
	g->next = ft->groups;
	ft->groups = g;
	MLX5_SET(create_flow_group_out, cmd->out, group_id, g->id);
	return 0;
}

int cmd_destroy_flow_group(struct cmd *cmd)
{
	u32 id = MLX5_GET(destroy_flow_group_in, cmd->in, group_id);
	struct flow_table *ft = FIND(destroy_flow_group_in);
	struct group **link, *g;
	struct entry *e;

	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	for (link = &ft->groups; (g = *link); link = &g->next) {
		if (g->id == id)
			break;
	}
	if (!g)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	for (e = ft->entries; e; e = e->next) {
		if (e->group == g)
			return cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY);
	}
	*link = g->next;
	free(g);
	return 0;
}

static int set_destinations(struct cmd *cmd, struct entry *e, const void *ctx)
{
	const u8 *list = MEMBER(flow_context, ctx, destination);
	u32 room = (cmd->inlen - (u32)IN_BYTES(set_fte)) / MLX5_ST_SZ_BYTES(dest_format_struct);
	u32 nr = MLX5_GET(flow_context, ctx, destination_list_size), i;

	if (!(e->action & ACTION_FORWARD))
		nr = 0;
	if (nr > MAX_DESTS)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	if (nr > room)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	for (i = 0; i < nr; i++, list += MLX5_ST_SZ_BYTES(dest_format_struct)) {
		e->type[i] = MLX5_GET(dest_format_struct, list, destination_type);
		e->dest[i] = MLX5_GET(dest_format_struct, list, destination_id);
		if (e->type[i] != DEST_TABLE && e->type[i] != DEST_TIR)
			return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	}
	e->nr = nr;
	return 0;
}

int cmd_set_fte(struct cmd *cmd)
{
	const void *ctx = MEMBER(set_fte_in, cmd->in, flow_context);
	const void *value = MEMBER(flow_context, ctx, match_value);
	u32 index = MLX5_GET(set_fte_in, cmd->in, flow_index);
	struct flow_table *ft = FIND(set_fte_in);
	struct entry fresh = { .index = index }, *e, **link;
	struct group *g;
	int ret;

	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	for (g = ft->groups; g; g = g->next) {
		if (g->id == MLX5_GET(flow_context, ctx, group_id))
			break;
	}
	if (!g || index < g->first || index > g->last)
		return cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR);
	fresh.group = g;
	fresh.action = MLX5_GET(flow_context, ctx, action);
	fresh.tag = MLX5_GET(flow_context, ctx, flow_tag);
	memcpy(fresh.value, MEMBER(fte_match_param, value, outer_headers), MATCH_BYTES);
	ret = set_destinations(cmd, &fresh, ctx);
	if (ret)
		return ret;
	for (link = &ft->entries; *link && (*link)->index < index; link = &(*link)->next)
		;
	e = *link;
	if (!e || e->index != index) {
		e = calloc(1, sizeof(*e));
		if (!e)
			return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
		e->next = *link;
		*link = e;
	}
	fresh.next = e->next;
	*e = fresh;
	return 0;
}

int cmd_delete_fte(struct cmd *cmd)
{
	u32 index = MLX5_GET(delete_fte_in, cmd->in, flow_index);
	struct flow_table *ft = FIND(delete_fte_in);
	struct entry **link, *e;

	if (!ft)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	for (link = &ft->entries; (e = *link); link = &e->next) {
		if (e->index == index) {
			*link = e->next;
			free(e);
			return 0;
		}
	}
	return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
}
