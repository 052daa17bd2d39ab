// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of flow tables.
 */
#include "flow.h"

#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "../hw/cmd.h"
#include "../hw/hca.h"

/* The NIC's receive side: table_type 0, which need not be set. */
#define MATCH_OUTER	BIT(0)

static void fill_match(void *param, const struct ohca_flow_match *match)
{
	void *outer = MLX5_ADDR_OF(fte_match_param, param, outer_headers);

	ether_addr_copy(MLX5_ADDR_OF(fte_match_set_lyr_2_4, outer, dmac_47_16), match->dmac);
	MLX5_SET(fte_match_set_lyr_2_4, outer, ethertype, match->ethertype);
	MLX5_SET(fte_match_set_lyr_2_4, outer, ip_protocol, match->protocol);
}

/**
 * ohca_flow_table_create() - makes a table; what matches no rule is dropped
 * @hca: the adapter
 * @level: a rule leads to higher levels only
 * @log_size: log2 of its rules
 * @id: set to its number
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_flow_table_create(struct ohca_hca *hca, u8 level, u8 log_size, u32 *id)
{
	u32 out[MLX5_ST_SZ_DW(create_flow_table_out)];
	u32 in[MLX5_ST_SZ_DW(create_flow_table_in)] = {};
	int err;

	MLX5_SET(create_flow_table_in, in, opcode, MLX5_CMD_OP_CREATE_FLOW_TABLE);
	MLX5_SET(create_flow_table_in, in, flow_table_context.level, level);
	MLX5_SET(create_flow_table_in, in, flow_table_context.log_size, log_size);
	err = ohca_cmd(hca, create_flow_table, in, out);
	if (!err)
		*id = MLX5_GET(create_flow_table_out, out, table_id);
	return err;
}

/**
 * ohca_flow_table_destroy() - destroys it
 * @hca: the adapter
 * @id: its number
 *
 * Context: may sleep.
 */
void ohca_flow_table_destroy(struct ohca_hca *hca, u32 id)
{
	u32 out[MLX5_ST_SZ_DW(destroy_flow_table_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_flow_table_in)] = {};

	MLX5_SET(destroy_flow_table_in, in, opcode, MLX5_CMD_OP_DESTROY_FLOW_TABLE);
	MLX5_SET(destroy_flow_table_in, in, table_id, id);
	ohca_cmd(hca, destroy_flow_table, in, out);
}

/**
 * ohca_flow_root_set() - has every frame begin in a table
 * @hca: the adapter
 * @id: the table
 *
 * The table can be destroyed as it is; nothing comes in afterwards.
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_flow_root_set(struct ohca_hca *hca, u32 id)
{
	u32 out[MLX5_ST_SZ_DW(set_flow_table_root_out)];
	u32 in[MLX5_ST_SZ_DW(set_flow_table_root_in)] = {};

	MLX5_SET(set_flow_table_root_in, in, opcode, MLX5_CMD_OP_SET_FLOW_TABLE_ROOT);
	MLX5_SET(set_flow_table_root_in, in, table_id, id);
	return ohca_cmd(hca, set_flow_table_root, in, out);
}

/**
 * ohca_flow_group_create() - makes a group of rules that look at the same fields
 * @hca: the adapter
 * @table: the table
 * @first: its first place
 * @last: its last
 * @mask: bits of the fields that count
 * @id: set to its number
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_flow_group_create(struct ohca_hca *hca, u32 table, u32 first, u32 last,
			   const struct ohca_flow_match *mask, u32 *id)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(create_flow_group_in);
	static const struct ohca_flow_match nothing;
	u32 out[MLX5_ST_SZ_DW(create_flow_group_out)];
	void *in;
	int err;

	in = kzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(create_flow_group_in, in, opcode, MLX5_CMD_OP_CREATE_FLOW_GROUP);
	MLX5_SET(create_flow_group_in, in, table_id, table);
	MLX5_SET(create_flow_group_in, in, start_flow_index, first);
	MLX5_SET(create_flow_group_in, in, end_flow_index, last);
	if (memcmp(mask, &nothing, sizeof(nothing)))
		MLX5_SET(create_flow_group_in, in, match_criteria_enable, MATCH_OUTER);
	fill_match(MLX5_ADDR_OF(create_flow_group_in, in, match_criteria), mask);
	err = ohca_cmd_exec(hca, in, inlen, out, sizeof(out));
	kfree(in);
	if (!err)
		*id = MLX5_GET(create_flow_group_out, out, group_id);
	return err;
}

/**
 * ohca_flow_group_destroy() - destroys it; it has no rule
 * @hca: the adapter
 * @table: the table
 * @id: its number
 *
 * Context: may sleep.
 */
void ohca_flow_group_destroy(struct ohca_hca *hca, u32 table, u32 id)
{
	u32 out[MLX5_ST_SZ_DW(destroy_flow_group_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_flow_group_in)] = {};

	MLX5_SET(destroy_flow_group_in, in, opcode, MLX5_CMD_OP_DESTROY_FLOW_GROUP);
	MLX5_SET(destroy_flow_group_in, in, table_id, table);
	MLX5_SET(destroy_flow_group_in, in, group_id, id);
	ohca_cmd(hca, destroy_flow_group, in, out);
}

/**
 * ohca_flow_rule_set() - makes a rule
 * @hca: the adapter
 * @rule: the rule
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_flow_rule_set(struct ohca_hca *hca, const struct ohca_flow_rule *rule)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(set_fte_in) + MLX5_ST_SZ_BYTES(dest_format_struct);
	u32 out[MLX5_ST_SZ_DW(set_fte_out)];
	void *in, *flow, *dest;
	int err;

	in = kzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(set_fte_in, in, opcode, MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY);
	MLX5_SET(set_fte_in, in, table_id, rule->table);
	MLX5_SET(set_fte_in, in, flow_index, rule->index);
	flow = MLX5_ADDR_OF(set_fte_in, in, flow_context);
	MLX5_SET(flow_context, flow, group_id, rule->group);
	MLX5_SET(flow_context, flow, action, MLX5_FLOW_CONTEXT_ACTION_FWD_DEST);
	fill_match(MLX5_ADDR_OF(flow_context, flow, match_value), &rule->match);
	MLX5_SET(flow_context, flow, destination_list_size, 1);
	dest = MLX5_ADDR_OF(flow_context, flow, destination);
	MLX5_SET(dest_format_struct, dest, destination_type,
		 rule->to_table ? MLX5_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE :
		 MLX5_IFC_FLOW_DESTINATION_TYPE_TIR);
	MLX5_SET(dest_format_struct, dest, destination_id, rule->dest);
	err = ohca_cmd_exec(hca, in, inlen, out, sizeof(out));
	kfree(in);
	return err;
}

/**
 * ohca_flow_rule_delete() - deletes a rule
 * @hca: the adapter
 * @table: the table
 * @index: its place
 *
 * Context: may sleep.
 */
void ohca_flow_rule_delete(struct ohca_hca *hca, u32 table, u32 index)
{
	u32 out[MLX5_ST_SZ_DW(delete_fte_out)];
	u32 in[MLX5_ST_SZ_DW(delete_fte_in)] = {};

	MLX5_SET(delete_fte_in, in, opcode, MLX5_CMD_OP_DELETE_FLOW_TABLE_ENTRY);
	MLX5_SET(delete_fte_in, in, table_id, table);
	MLX5_SET(delete_fte_in, in, flow_index, index);
	ohca_cmd(hca, delete_fte, in, out);
}
