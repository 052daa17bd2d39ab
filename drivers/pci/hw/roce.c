// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE source addresses.
 */
#include "roce.h"

#include <linux/etherdevice.h>

#include "cmd.h"
#include "hca.h"

/**
 * ohca_roce_encode() - fills set_roce_address_in
 * @in: zeroed
 * @index: entry
 * @addr: what goes there; NULL: nothing, the entry is free again
 *
 * Context: any.
 */
void ohca_roce_encode(void *in, u16 index, const struct ohca_roce_addr *addr)
{
	void *entry = MLX5_ADDR_OF(set_roce_address_in, in, roce_address);

	MLX5_SET(set_roce_address_in, in, opcode, MLX5_CMD_OP_SET_ROCE_ADDRESS);
	MLX5_SET(set_roce_address_in, in, roce_address_index, index);
	if (!addr)
		return;
	memcpy(MLX5_ADDR_OF(roce_addr_layout, entry, source_l3_address), addr->gid,
	       sizeof(addr->gid));
	ether_addr_copy(MLX5_ADDR_OF(roce_addr_layout, entry, source_mac_47_32), addr->mac);
	MLX5_SET(roce_addr_layout, entry, vlan_valid, addr->vlan >= 0);
	MLX5_SET(roce_addr_layout, entry, vlan_id, addr->vlan >= 0 ? addr->vlan : 0);
	MLX5_SET(roce_addr_layout, entry, roce_version, addr->version);
	/* Version 1 has no IP: its address is the GID, as of IPv6. */
	MLX5_SET(roce_addr_layout, entry, roce_l3_type,
		 addr->ipv4 && addr->version == OHCA_ROCE_V2 ? MLX5_ROCE_L3_TYPE_IPV4 :
		 MLX5_ROCE_L3_TYPE_IPV6);
}

/**
 * ohca_roce_set() - sets or clears a RoCE source address
 * @hca: the adapter; MLX5_CAP_GEN(hca, roce)
 * @index: entry, below MLX5_CAP_ROCE(hca, roce_address_table_size)
 * @addr: the address; NULL: clear the entry
 *
 * Context: may sleep.
 * Return: 0 or an errno. Clearing succeeds on a dead adapter.
 */
int ohca_roce_set(struct ohca_hca *hca, u16 index, const struct ohca_roce_addr *addr)
{
	u32 out[MLX5_ST_SZ_DW(set_roce_address_out)];
	u32 in[MLX5_ST_SZ_DW(set_roce_address_in)] = {};

	if (!addr && ohca_hca_dead(hca))
		return 0;
	ohca_roce_encode(in, index, addr);
	return ohca_cmd(hca, set_roce_address, in, out);
}
