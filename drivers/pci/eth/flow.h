/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flow tables of the receive side: their commands.
 */
#ifndef OHCA_PCI_FLOW_H
#define OHCA_PCI_FLOW_H

#include <linux/mlx5/device.h>
#include <linux/types.h>

struct ohca_hca;

/**
 * struct ohca_flow_match - fields of a frame that groups look at and rules compare
 * @dmac: destination address
 * @ethertype: EtherType
 * @protocol: IP protocol
 */
struct ohca_flow_match {
	u8 dmac[6];
	u16 ethertype;
	u8 protocol;
};

/**
 * struct ohca_flow_rule - a rule
 * @table: in which table
 * @group: in which of its groups
 * @index: at which place; the lowest that matches counts
 * @match: what the fields of the group have to be
 * @to_table: it leads to a table, not to a TIR
 * @dest: number of the table or TIR
 */
struct ohca_flow_rule {
	u32 table;
	u32 group;
	u32 index;
	struct ohca_flow_match match;
	bool to_table;
	u32 dest;
};

int ohca_flow_table_create(struct ohca_hca *hca, u8 level, u8 log_size, u32 *id);
void ohca_flow_table_destroy(struct ohca_hca *hca, u32 id);
int ohca_flow_root_set(struct ohca_hca *hca, u32 id);
int ohca_flow_group_create(struct ohca_hca *hca, u32 table, u32 first, u32 last,
			   const struct ohca_flow_match *mask, u32 *id);
void ohca_flow_group_destroy(struct ohca_hca *hca, u32 table, u32 id);
int ohca_flow_rule_set(struct ohca_hca *hca, const struct ohca_flow_rule *rule);
void ohca_flow_rule_delete(struct ohca_hca *hca, u32 table, u32 index);

#endif /* OHCA_PCI_FLOW_H */
