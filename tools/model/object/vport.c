// SPDX-License-Identifier: GPL-2.0
/*
 * The port and its contexts: state, addresses, GUIDs, P_Key, RoCE addresses.
 */
#include "cmd.h"
#include "commands.h"
#include "eq.h"

int cmd_query_vport_state(struct cmd *cmd)
{
	MLX5_SET(query_vport_state_out, cmd->out, admin_state, cmd->hca->admin_up);
	MLX5_SET(query_vport_state_out, cmd->out, state, hca_port_up(cmd->hca));
	return 0;
}

int cmd_modify_vport_state(struct cmd *cmd)
{
	u32 admin = MLX5_GET(modify_vport_state_in, cmd->in, admin_state);
	bool was = hca_port_up(cmd->hca);

	cmd->hca->admin_up = admin != 0;
	if (hca_port_up(cmd->hca) != was)
		eq_port_event(cmd->hca);
	return 0;
}

int cmd_query_nic_vport_context(struct cmd *cmd)
{
	void *ctx = MEMBER(query_nic_vport_context_out, cmd->out, nic_vport_context);
	u32 type = MLX5_GET(query_nic_vport_context_in, cmd->in, allowed_list_type);
	u32 room = (cmd->outlen - (u32)OUT_BYTES(query_nic_vport_context)) / sizeof(__be64), nr;

	if (MLX5_GET(query_nic_vport_context_in, cmd->in, other_vport) &&
	    MLX5_GET(query_nic_vport_context_in, cmd->in, vport_number))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	memcpy(ctx, cmd->hca->nic_vport, sizeof(cmd->hca->nic_vport));
	if (type < ARRAY_SIZE(cmd->hca->list)) {
		nr = min(room, cmd->hca->nr_list[type]);
		MLX5_SET(nic_vport_context, ctx, allowed_list_type, type);
		MLX5_SET(nic_vport_context, ctx, allowed_list_size, nr);
		memcpy(MEMBER(nic_vport_context, ctx, current_uc_mac_address),
		       cmd->hca->list[type], nr * sizeof(__be64));
	}
	return 0;
}

static int set_list(struct cmd *cmd, const void *ctx)
{
	u32 type = MLX5_GET(nic_vport_context, ctx, allowed_list_type);
	u32 nr = MLX5_GET(nic_vport_context, ctx, allowed_list_size);
	u32 room = (cmd->inlen - (u32)IN_BYTES(modify_nic_vport_context)) / sizeof(__be64);

	if (type >= ARRAY_SIZE(cmd->hca->list) || nr > HCA_LIST_ENTRIES)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (nr > room)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	memcpy(cmd->hca->list[type], MEMBER(nic_vport_context, ctx, current_uc_mac_address),
	       nr * sizeof(__be64));
	cmd->hca->nr_list[type] = nr;
	return 0;
}

int cmd_modify_nic_vport_context(struct cmd *cmd)
{
	const void *select = MEMBER(modify_nic_vport_context_in, cmd->in, field_select);
	const void *ctx = MEMBER(modify_nic_vport_context_in, cmd->in, nic_vport_context);
	void *mine = cmd->hca->nic_vport;

#define SELECTED(f) MLX5_GET(modify_nic_vport_field_select, select, f)
#define TAKE(f) MLX5_SET(nic_vport_context, mine, f, MLX5_GET(nic_vport_context, ctx, f))
#define TAKE64(f) MLX5_SET64(nic_vport_context, mine, f, MLX5_GET64(nic_vport_context, ctx, f))
	if (SELECTED(disable_uc_local_lb))
		TAKE(disable_uc_local_lb);
	if (SELECTED(disable_mc_local_lb))
		TAKE(disable_mc_local_lb);
	if (SELECTED(node_guid))
		TAKE64(node_guid);
	if (SELECTED(port_guid))
		TAKE64(port_guid);
	if (SELECTED(min_inline))
		TAKE(min_wqe_inline_mode);
	if (SELECTED(mtu))
		TAKE(mtu);
	if (SELECTED(promisc)) {
		TAKE(promisc_uc);
		TAKE(promisc_mc);
		TAKE(promisc_all);
	}
	if (SELECTED(permanent_address))
		memcpy(MEMBER(nic_vport_context, mine, permanent_address),
		       MEMBER(nic_vport_context, ctx, permanent_address),
		       MLX5_ST_SZ_BYTES(mac_address_layout));
	if (SELECTED(roce_en))
		TAKE(roce_en);
#undef TAKE
#undef TAKE64
	return SELECTED(addresses_list) ? set_list(cmd, ctx) : 0;
#undef SELECTED
}

int cmd_query_hca_vport_context(struct cmd *cmd)
{
	void *ctx = MEMBER(query_hca_vport_context_out, cmd->out, hca_vport_context);
	const void *nic = cmd->hca->nic_vport;
	bool up = hca_port_up(cmd->hca);

	MLX5_SET(hca_vport_context, ctx, has_raw, 1);
	MLX5_SET(hca_vport_context, ctx, port_physical_state, up ? 5 : 2);
	MLX5_SET(hca_vport_context, ctx, port_state, up ? 4 : 1);
	MLX5_SET(hca_vport_context, ctx, vport_state, up ? 4 : 1);
	MLX5_SET64(hca_vport_context, ctx, system_image_guid,
		   MLX5_GET64(nic_vport_context, nic, system_image_guid));
	MLX5_SET64(hca_vport_context, ctx, port_guid,
		   MLX5_GET64(nic_vport_context, nic, port_guid));
	MLX5_SET64(hca_vport_context, ctx, node_guid,
		   MLX5_GET64(nic_vport_context, nic, node_guid));
	return 0;
}

int cmd_query_hca_vport_gid(struct cmd *cmd)
{
	u32 room = cmd->outlen - (u32)OUT_BYTES(query_hca_vport_gid);
	u8 *gid = MEMBER(query_hca_vport_gid_out, cmd->out, gid);
	__be64 prefix = cpu_to_be64(0xfe80000000000000ull);

	if (MLX5_GET(query_hca_vport_gid_in, cmd->in, gid_index) || room < 16)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	memcpy(gid, &prefix, sizeof(prefix));
	memcpy(gid + 8, MEMBER(nic_vport_context, cmd->hca->nic_vport, port_guid), 8);
	MLX5_SET(query_hca_vport_gid_out, cmd->out, gids_num, 1);
	return 0;
}

int cmd_query_hca_vport_pkey(struct cmd *cmd)
{
	u32 room = cmd->outlen - (u32)OUT_BYTES(query_hca_vport_pkey);
	u32 index = MLX5_GET(query_hca_vport_pkey_in, cmd->in, pkey_index);

	/* One key, the default one; 0xffff asks for the whole table. */
	if ((index && index != 0xffff) || room < 4)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	MLX5_SET(query_hca_vport_pkey_out, cmd->out, pkey[0].pkey, 0xffff);
	return 0;
}

int cmd_query_roce_address(struct cmd *cmd)
{
	u32 index = MLX5_GET(query_roce_address_in, cmd->in, roce_address_index);

	if (index >= HCA_ROCE_ADDRESSES)
		return cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR);
	memcpy(MEMBER(query_roce_address_out, cmd->out, roce_address), cmd->hca->roce[index],
	       sizeof(cmd->hca->roce[index]));
	return 0;
}

int cmd_set_roce_address(struct cmd *cmd)
{
	u32 index = MLX5_GET(set_roce_address_in, cmd->in, roce_address_index);

	if (index >= HCA_ROCE_ADDRESSES)
		return cmd_fail(cmd, MLX5_CMD_STAT_IX_ERR);
	memcpy(cmd->hca->roce[index], MEMBER(set_roce_address_in, cmd->in, roce_address),
	       sizeof(cmd->hca->roce[index]));
	return 0;
}

int cmd_query_vport_counter(struct cmd *cmd)
{
	const struct counters *c = &cmd->hca->counters;

#define PUT(f, p, o) do {								\
	MLX5_SET64(query_vport_counter_out, cmd->out, f.packets, p);			\
	MLX5_SET64(query_vport_counter_out, cmd->out, f.octets, o);			\
} while (0)
	PUT(received_eth_unicast, c->rx_packets - c->rx_multicast - c->rx_broadcast, c->rx_bytes);
	PUT(received_eth_multicast, c->rx_multicast, 0);
	PUT(received_eth_broadcast, c->rx_broadcast, 0);
	PUT(transmitted_eth_unicast, c->tx_packets - c->tx_multicast - c->tx_broadcast,
	    c->tx_bytes);
	PUT(transmitted_eth_multicast, c->tx_multicast, 0);
	PUT(transmitted_eth_broadcast, c->tx_broadcast, 0);
	PUT(received_ib_unicast, c->rdma_rx_packets, c->rdma_rx_bytes);
	PUT(transmitted_ib_unicast, c->rdma_tx_packets, c->rdma_tx_bytes);
#undef PUT
	return 0;
}
