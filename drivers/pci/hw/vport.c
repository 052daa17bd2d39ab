// SPDX-License-Identifier: GPL-2.0
/*
 * The NIC vport: addresses, filters and switches of the Ethernet function.
 */
#include <linux/etherdevice.h>
#include <linux/mlx5/vport.h>
#include <linux/slab.h>

#include "cmd.h"
#include "hca.h"
#include "link.h"

/* Reads the context into @out, query_nic_vport_context_out. */
static int query(struct ohca_hca *hca, void *out)
{
	u32 in[MLX5_ST_SZ_DW(query_nic_vport_context_in)] = {};

	MLX5_SET(query_nic_vport_context_in, in, opcode, MLX5_CMD_OP_QUERY_NIC_VPORT_CONTEXT);
	return ohca_cmd(hca, query_nic_vport_context, in, out);
}

/* modify_nic_vport_context_in with room for @macs addresses, and its length. */
static void *modify_in(u32 macs, u32 *inlen)
{
	void *in;

	*inlen = MLX5_ST_SZ_BYTES(modify_nic_vport_context_in) + macs * sizeof(__be64);
	in = kvzalloc(*inlen, GFP_KERNEL);
	if (in)
		MLX5_SET(modify_nic_vport_context_in, in, opcode,
			 MLX5_CMD_OP_MODIFY_NIC_VPORT_CONTEXT);
	return in;
}

/* Executes it, and frees it. */
static int modify(struct ohca_hca *hca, void *in, u32 inlen)
{
	u32 out[MLX5_ST_SZ_DW(modify_nic_vport_context_out)];
	int err = ohca_cmd_exec(hca, in, inlen, out, sizeof(out));

	kvfree(in);
	return err;
}

#define SELECT(in, field)								\
	MLX5_SET(modify_nic_vport_context_in, in, field_select.field, 1)
#define CONTEXT(in)									\
	MLX5_ADDR_OF(modify_nic_vport_context_in, in, nic_vport_context)

/**
 * ohca_vport_mac() - the permanent MAC address
 * @hca: the adapter
 * @mac: to fill; all zero: there is none
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_vport_mac(struct ohca_hca *hca, u8 mac[ETH_ALEN])
{
	u32 *out;
	int err;

	out = kzalloc(MLX5_ST_SZ_BYTES(query_nic_vport_context_out), GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	err = query(hca, out);
	if (!err)
		ether_addr_copy(mac, MLX5_ADDR_OF(query_nic_vport_context_out, out,
						  nic_vport_context.permanent_address) + 2);
	kfree(out);
	return err;
}

/**
 * ohca_vport_set_mtu() - sets the longest frames of the vport
 * @hca: the adapter
 * @mtu: bytes, as of ohca_link_mtu()
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_vport_set_mtu(struct ohca_hca *hca, u16 mtu)
{
	u32 inlen;
	void *in = modify_in(0, &inlen);

	if (!in)
		return -ENOMEM;
	SELECT(in, mtu);
	MLX5_SET(nic_vport_context, CONTEXT(in), mtu, mtu);
	return modify(hca, in, inlen);
}

/**
 * ohca_vport_set_roce() - switches RoCE on or off
 * @hca: the adapter; MLX5_CAP_GEN(hca, roce)
 * @on: whether RoCE frames go to QPs
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_vport_set_roce(struct ohca_hca *hca, bool on)
{
	u32 inlen;
	void *in = modify_in(0, &inlen);

	if (!in)
		return -ENOMEM;
	SELECT(in, roce_en);
	MLX5_SET(nic_vport_context, CONTEXT(in), roce_en, on);
	return modify(hca, in, inlen);
}

/**
 * ohca_vport_guids() - the adapter's GUIDs
 * @hca: the adapter
 * @node: set to the node GUID
 * @system_image: set to the system image GUID
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_vport_guids(struct ohca_hca *hca, u64 *node, u64 *system_image)
{
	u32 *out;
	int err;

	out = kzalloc(MLX5_ST_SZ_BYTES(query_nic_vport_context_out), GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	err = query(hca, out);
	if (!err) {
		*node = MLX5_GET64(query_nic_vport_context_out, out,
				   nic_vport_context.node_guid);
		*system_image = MLX5_GET64(query_nic_vport_context_out, out,
					   nic_vport_context.system_image_guid);
	}
	kfree(out);
	return err;
}

/**
 * ohca_vport_set_promisc() - what comes in beyond the lists of addresses
 * @hca: the adapter
 * @all: everything
 * @multicast: all that is multicast
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_vport_set_promisc(struct ohca_hca *hca, bool all, bool multicast)
{
	u32 inlen;
	void *in = modify_in(0, &inlen);

	if (!in)
		return -ENOMEM;
	SELECT(in, promisc);
	MLX5_SET(nic_vport_context, CONTEXT(in), promisc_all, all);
	MLX5_SET(nic_vport_context, CONTEXT(in), promisc_mc, multicast);
	return modify(hca, in, inlen);
}

/**
 * ohca_vport_set_macs() - says which addresses the function listens to
 * @hca: the adapter
 * @multicast: the list of multicast addresses, not that of unicast ones
 * @macs: the addresses, one behind the other
 * @count: how many; not more than 2^log_max_current_mc_list, or _uc_list
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_vport_set_macs(struct ohca_hca *hca, bool multicast, const u8 *macs,
			u32 count)
{
	u32 i, inlen;
	void *in = modify_in(count, &inlen), *ctx;
	u8 *list;

	if (!in)
		return -ENOMEM;
	SELECT(in, addresses_list);
	ctx = CONTEXT(in);
	MLX5_SET(nic_vport_context, ctx, allowed_list_type,
		 multicast ? MLX5_NVPRT_LIST_TYPE_MC : MLX5_NVPRT_LIST_TYPE_UC);
	MLX5_SET(nic_vport_context, ctx, allowed_list_size, count);
	list = MLX5_ADDR_OF(nic_vport_context, ctx, current_uc_mac_address);
	for (i = 0; i < count; i++)
		ether_addr_copy(list + i * sizeof(__be64) + 2, macs + i * ETH_ALEN);
	return modify(hca, in, inlen);
}

/**
 * ohca_vport_counters() - reads the vport's counters
 * @hca: the adapter; MLX5_CAP_GEN(hca, vport_counters)
 * @out: filled, MLX5_ST_SZ_BYTES(query_vport_counter_out)
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_vport_counters(struct ohca_hca *hca, void *out)
{
	u32 in[MLX5_ST_SZ_DW(query_vport_counter_in)] = {};

	MLX5_SET(query_vport_counter_in, in, opcode, MLX5_CMD_OP_QUERY_VPORT_COUNTER);
	return ohca_cmd(hca, query_vport_counter, in, out);
}
