// SPDX-License-Identifier: GPL-2.0
/*
 * The port's registers (ACCESS_REG): administrative state, speed, MTU, counters.
 */
#include "link.h"

#include <linux/mlx5/port.h>
#include <linux/slab.h>

#include "cmd.h"
#include "hca.h"

/* The only port there is. */
#define PORT	1

/* op_mod of ACCESS_REG. */
enum {
	REG_WRITE	= 0,
	REG_READ	= 1,
};

static int access_reg(struct ohca_hca *hca, u16 id, u8 op_mod, void *data, u32 bytes)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(access_register_in) + bytes;
	const u32 outlen = MLX5_ST_SZ_BYTES(access_register_out) + bytes;
	void *in, *out;
	int err = -ENOMEM;

	in = kzalloc(inlen, GFP_KERNEL);
	out = kzalloc(outlen, GFP_KERNEL);
	if (!in || !out)
		goto free;
	MLX5_SET(access_register_in, in, opcode, MLX5_CMD_OP_ACCESS_REG);
	MLX5_SET(access_register_in, in, op_mod, op_mod);
	MLX5_SET(access_register_in, in, register_id, id);
	memcpy(MLX5_ADDR_OF(access_register_in, in, register_data), data, bytes);
	err = ohca_cmd_exec(hca, in, inlen, out, outlen);
	if (!err)
		memcpy(data, MLX5_ADDR_OF(access_register_out, out, register_data), bytes);
free:
	kfree(out);
	kfree(in);
	return err;
}

/**
 * ohca_reg_read() - reads a register of the device's
 * @hca: the adapter
 * @id: MLX5_REG_*
 * @data: the fields that select (port, group) are set; filled with the register
 * @bytes: its size
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_reg_read(struct ohca_hca *hca, u16 id, void *data, u32 bytes)
{
	return access_reg(hca, id, REG_READ, data, bytes);
}

/**
 * ohca_reg_write() - writes a register
 * @hca: the adapter
 * @id: MLX5_REG_*
 * @data: what to write; filled with what the device made of it
 * @bytes: its size
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_reg_write(struct ohca_hca *hca, u16 id, void *data, u32 bytes)
{
	return access_reg(hca, id, REG_WRITE, data, bytes);
}

/**
 * ohca_link_set_admin() - wants the link up, or not
 * @hca: the adapter
 * @up: whether
 *
 * Context: may sleep. The link follows later, with an event (PORT_CHANGE).
 * Return: 0 or an errno.
 */
int ohca_link_set_admin(struct ohca_hca *hca, bool up)
{
	u32 reg[MLX5_ST_SZ_DW(paos_reg)] = {};

	MLX5_SET(paos_reg, reg, local_port, PORT);
	MLX5_SET(paos_reg, reg, admin_status, up ? MLX5_PORT_UP : MLX5_PORT_DOWN);
	MLX5_SET(paos_reg, reg, ase, 1);
	return ohca_reg_write(hca, MLX5_REG_PAOS, reg, sizeof(reg));
}

/**
 * ohca_link_up() - whether the link is up
 * @hca: the adapter
 * @up: set to the answer
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_link_up(struct ohca_hca *hca, bool *up)
{
	u32 out[MLX5_ST_SZ_DW(query_vport_state_out)];
	u32 in[MLX5_ST_SZ_DW(query_vport_state_in)] = {};
	int err;

	MLX5_SET(query_vport_state_in, in, opcode, MLX5_CMD_OP_QUERY_VPORT_STATE);
	err = ohca_cmd(hca, query_vport_state, in, out);
	if (!err)
		*up = MLX5_GET(query_vport_state_out, out, state) == 1;
	return err;
}

/* Link modes of PTYS: one bit each. */
static const struct {
	u8 bit;
	u8 lanes;
	u32 mbps;
} modes[] = {
	{ MLX5E_1000BASE_CX_SGMII,	1, 1000 },
	{ MLX5E_1000BASE_KX,		1, 1000 },
	{ MLX5E_10GBASE_CX4,		4, 10000 },
	{ MLX5E_10GBASE_KX4,		4, 10000 },
	{ MLX5E_10GBASE_KR,		1, 10000 },
	{ MLX5E_20GBASE_KR2,		2, 20000 },
	{ MLX5E_40GBASE_CR4,		4, 40000 },
	{ MLX5E_40GBASE_KR4,		4, 40000 },
	{ MLX5E_56GBASE_R4,		4, 56000 },
	{ MLX5E_10GBASE_CR,		1, 10000 },
	{ MLX5E_10GBASE_SR,		1, 10000 },
	{ MLX5E_10GBASE_ER,		1, 10000 },
	{ MLX5E_40GBASE_SR4,		4, 40000 },
	{ MLX5E_40GBASE_LR4,		4, 40000 },
	{ MLX5E_50GBASE_SR2,		2, 50000 },
	{ MLX5E_100GBASE_CR4,		4, 100000 },
	{ MLX5E_100GBASE_SR4,		4, 100000 },
	{ MLX5E_100GBASE_KR4,		4, 100000 },
	{ MLX5E_100GBASE_LR4,		4, 100000 },
	{ MLX5E_100BASE_TX,		1, 100 },
	{ MLX5E_1000BASE_T,		4, 1000 },
	{ MLX5E_10GBASE_T,		4, 10000 },
	{ MLX5E_25GBASE_CR,		1, 25000 },
	{ MLX5E_25GBASE_KR,		1, 25000 },
	{ MLX5E_25GBASE_SR,		1, 25000 },
	{ MLX5E_50GBASE_CR2,		2, 50000 },
	{ MLX5E_50GBASE_KR2,		2, 50000 },
};

/**
 * ohca_link_mode() - speed and lanes of a link mode
 * @oper: eth_proto_oper of PTYS: the bit of the mode in use
 * @mbps: set to the speed, Mbit/s; 0 for none or one that nobody knows
 * @lanes: set to the lanes; 0 for the same
 *
 * Context: any.
 */
void ohca_link_mode(u32 oper, u32 *mbps, u32 *lanes)
{
	size_t i;

	*mbps = 0;
	*lanes = 0;
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!(oper & BIT(modes[i].bit)))
			continue;
		*mbps = modes[i].mbps;
		*lanes = modes[i].lanes;
		return;
	}
}

/**
 * ohca_link_speed() - asks for the link's speed
 * @hca: the adapter
 * @speed: to fill
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_link_speed(struct ohca_hca *hca, struct ohca_link_speed *speed)
{
	u32 reg[MLX5_ST_SZ_DW(ptys_reg)] = {};
	int err;

	MLX5_SET(ptys_reg, reg, local_port, PORT);
	MLX5_SET(ptys_reg, reg, proto_mask, MLX5_PTYS_EN);
	err = ohca_reg_read(hca, MLX5_REG_PTYS, reg, sizeof(reg));
	if (err)
		return err;
	speed->supported = MLX5_GET(ptys_reg, reg, eth_proto_capability);
	speed->admin = MLX5_GET(ptys_reg, reg, eth_proto_admin);
	speed->oper = MLX5_GET(ptys_reg, reg, eth_proto_oper);
	speed->connector = MLX5_GET(ptys_reg, reg, connector_type);
	ohca_link_mode(speed->oper, &speed->mbps, &speed->lanes);
	return 0;
}

static int pmtu(struct ohca_hca *hca, u16 mtu, u32 reg[MLX5_ST_SZ_DW(pmtu_reg)])
{
	MLX5_SET(pmtu_reg, reg, local_port, PORT);
	if (!mtu)
		return ohca_reg_read(hca, MLX5_REG_PMTU, reg, MLX5_ST_SZ_BYTES(pmtu_reg));
	MLX5_SET(pmtu_reg, reg, admin_mtu, mtu);
	return ohca_reg_write(hca, MLX5_REG_PMTU, reg, MLX5_ST_SZ_BYTES(pmtu_reg));
}

/**
 * ohca_link_mtu() - asks for the longest frames
 * @hca: the adapter
 * @oper: set to the one in use, bytes with Ethernet header, VLAN tag and FCS
 * @max: set to what the port could do
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_link_mtu(struct ohca_hca *hca, u16 *oper, u16 *max)
{
	u32 reg[MLX5_ST_SZ_DW(pmtu_reg)] = {};
	int err = pmtu(hca, 0, reg);

	if (err)
		return err;
	*oper = MLX5_GET(pmtu_reg, reg, oper_mtu);
	*max = MLX5_GET(pmtu_reg, reg, max_mtu);
	return 0;
}

/**
 * ohca_link_set_mtu() - sets the longest frames
 * @hca: the adapter
 * @mtu: bytes, as of ohca_link_mtu(); not 0
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_link_set_mtu(struct ohca_hca *hca, u16 mtu)
{
	u32 reg[MLX5_ST_SZ_DW(pmtu_reg)] = {};

	return pmtu(hca, mtu, reg);
}

/**
 * ohca_link_counters() - reads a group of the port's counters
 * @hca: the adapter
 * @group: MLX5_IEEE_802_3_COUNTERS_GROUP and so on
 * @ppcnt: filled with the register, MLX5_ST_SZ_BYTES(ppcnt_reg)
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_link_counters(struct ohca_hca *hca, u8 group, void *ppcnt)
{
	memset(ppcnt, 0, MLX5_ST_SZ_BYTES(ppcnt_reg));
	MLX5_SET(ppcnt_reg, ppcnt, local_port, PORT);
	MLX5_SET(ppcnt_reg, ppcnt, grp, group);
	return ohca_reg_read(hca, MLX5_REG_PPCNT, ppcnt, MLX5_ST_SZ_BYTES(ppcnt_reg));
}
