// SPDX-License-Identifier: GPL-2.0
/*
 * Access registers: a table of those there are.
 *
 * A register's answer begins as a copy of what was asked with, as the fields
 * that select (port, group) come back in it.
 */
#include "cmd.h"
#include "commands.h"
#include "eq.h"

/* From the driver's own header, which the model does not include. */
enum {
	REG_QCAM		= 0x4019,
	REG_PCAP		= 0x5001,
	REG_PMLP		= 0x5002,
	REG_PMTU		= 0x5003,
	REG_PTYS		= 0x5004,
	REG_PAOS		= 0x5006,
	REG_PFCC		= 0x5007,
	REG_PPCNT		= 0x5008,
	REG_PCAM		= 0x507f,
	REG_NODE_DESC		= 0x6001,
	REG_HOST_ENDIANNESS	= 0x7004,
	REG_MCAM		= 0x907f,
};

/* PCAM, MCAM and QCAM: registers that there are, of 128 from a number on, as bits. */
#define MASK_AT		8u
#define MASK_BYTES	16u
#define MASK_BITS	(MASK_BYTES * 8)

static int which(struct cmd *cmd, void *data, bool write);

#define MAX_MTU		9978u

struct reg {
	u16 id;
	u32 bytes;
	int (*fn)(struct cmd *cmd, void *data, bool write);
};

/* PTYS: bits of the legacy Ethernet protocols, by speed. */
static u32 speed_bit(u32 gbps)
{
	static const struct { u32 gbps, bit; } speeds[] = {
		{ 1, 17 }, { 10, 4 }, { 25, 27 }, { 40, 6 }, { 50, 31 }, { 100, 20 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++) {
		if (speeds[i].gbps == gbps)
			return 1u << speeds[i].bit;
	}
	return 0;
}

static int ptys(struct cmd *cmd, void *data, bool write)
{
	u32 bit = speed_bit(cmd->hca->opt.speed);

	if (write)
		return 0;	/* one speed only: there is nothing to choose */
	MLX5_SET(ptys_reg, data, eth_proto_capability, bit);
	MLX5_SET(ptys_reg, data, eth_proto_admin, bit);
	MLX5_SET(ptys_reg, data, eth_proto_oper, hca_port_up(cmd->hca) ? bit : 0);
	MLX5_SET(ptys_reg, data, eth_proto_lp_advertise, hca_port_up(cmd->hca) ? bit : 0);
	MLX5_SET(ptys_reg, data, connector_type, 7);	/* direct attach copper */
	return 0;
}

static int pmtu(struct cmd *cmd, void *data, bool write)
{
	u32 mtu = MLX5_GET(pmtu_reg, data, admin_mtu);

	if (write) {
		if (!mtu || mtu > MAX_MTU)
			return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
		cmd->hca->mtu = (u16)mtu;
	}
	MLX5_SET(pmtu_reg, data, max_mtu, MAX_MTU);
	MLX5_SET(pmtu_reg, data, admin_mtu, cmd->hca->mtu);
	MLX5_SET(pmtu_reg, data, oper_mtu, cmd->hca->mtu);
	return 0;
}

static int paos(struct cmd *cmd, void *data, bool write)
{
	enum { UP = 1, DOWN = 2 };
	bool was = hca_port_up(cmd->hca);

	if (write && MLX5_GET(paos_reg, data, ase)) {
		cmd->hca->admin_up = MLX5_GET(paos_reg, data, admin_status) == UP;
		if (hca_port_up(cmd->hca) != was)
			eq_port_event(cmd->hca);
	}
	MLX5_SET(paos_reg, data, admin_status, cmd->hca->admin_up ? UP : DOWN);
	MLX5_SET(paos_reg, data, oper_status, hca_port_up(cmd->hca) ? UP : DOWN);
	return 0;
}

static int pfcc(struct cmd *cmd, void *data, bool write)
{
	(void)cmd;
	(void)data;
	(void)write;	/* no flow control: all of it reads as off */
	return 0;
}

static int pmlp(struct cmd *cmd, void *data, bool write)
{
	(void)cmd;
	if (!write)
		MLX5_SET(pmlp_reg, data, width, 4);
	return 0;
}

/* Counter groups but IEEE 802.3 have nothing to count here. */
static int ppcnt(struct cmd *cmd, void *data, bool write)
{
	const struct counters *c = &cmd->hca->counters;
	void *set = MEMBER(ppcnt_reg, data, counter_set);

	memset(set, 0, MLX5_ST_SZ_BYTES(ppcnt_reg) - MLX5_BYTE_OFF(ppcnt_reg, counter_set));
	if (write || MLX5_GET(ppcnt_reg, data, grp) != 0)
		return 0;
#define PUT(f, v) do {										\
	MLX5_SET(eth_802_3_cntrs_grp_data_layout, set, f##_high, (u32)((v) >> 32));		\
	MLX5_SET(eth_802_3_cntrs_grp_data_layout, set, f##_low, (u32)(v));			\
} while (0)
	PUT(a_frames_transmitted_ok, c->tx_packets + c->rdma_tx_packets);
	PUT(a_frames_received_ok, c->rx_packets + c->rdma_rx_packets);
	PUT(a_octets_transmitted_ok, c->tx_bytes + c->rdma_tx_bytes);
	PUT(a_octets_received_ok, c->rx_bytes + c->rdma_rx_bytes);
	PUT(a_multicast_frames_xmitted_ok, c->tx_multicast);
	PUT(a_broadcast_frames_xmitted_ok, c->tx_broadcast);
	PUT(a_multicast_frames_received_ok, c->rx_multicast);
	PUT(a_broadcast_frames_received_ok, c->rx_broadcast);
#undef PUT
	return 0;
}

static int node_desc(struct cmd *cmd, void *data, bool write)
{
	if (write)
		memcpy(cmd->hca->node_desc, data, sizeof(cmd->hca->node_desc));
	else
		memcpy(data, cmd->hca->node_desc, sizeof(cmd->hca->node_desc));
	return 0;
}

static int host_endianness(struct cmd *cmd, void *data, bool write)
{
	/* Data in queues of work and completions stays big-endian either way. */
	(void)cmd;
	(void)data;
	(void)write;
	return 0;
}

static const struct reg regs[] = {
	{ REG_QCAM,		MLX5_ST_SZ_BYTES(qcam_reg),	which },
	{ REG_PMLP,		MLX5_ST_SZ_BYTES(pmlp_reg),	pmlp },
	{ REG_PMTU,		MLX5_ST_SZ_BYTES(pmtu_reg),	pmtu },
	{ REG_PTYS,		MLX5_ST_SZ_BYTES(ptys_reg),	ptys },
	{ REG_PAOS,		MLX5_ST_SZ_BYTES(paos_reg),	paos },
	{ REG_PFCC,		MLX5_ST_SZ_BYTES(pfcc_reg),	pfcc },
	{ REG_PPCNT,		MLX5_ST_SZ_BYTES(ppcnt_reg),	ppcnt },
	{ REG_PCAM,		MLX5_ST_SZ_BYTES(pcam_reg),	which },
	{ REG_NODE_DESC,	64,				node_desc },
	{ REG_HOST_ENDIANNESS,	16,				host_endianness },
	{ REG_MCAM,		MLX5_ST_SZ_BYTES(mcam_reg),	which },
};

/* The three are laid out alike; of features beyond the registers there are none. */
static int which(struct cmd *cmd, void *data, bool write)
{
	u32 id = MLX5_GET(access_register_in, cmd->in, register_id) & ~(MASK_BITS - 1), i, n;
	u8 *mask = (u8 *)data + MASK_AT;

	if (write)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	id += MLX5_GET(pcam_reg, data, access_reg_group) * MASK_BITS;
	memset(mask, 0, MLX5_ST_SZ_BYTES(mcam_reg) - MASK_AT);
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		n = regs[i].id - id;
		if (regs[i].id >= id && n < MASK_BITS)
			mask[MASK_BYTES - 1 - n / 8] |= (u8)(1u << n % 8);
	}
	return 0;
}

int cmd_access_reg(struct cmd *cmd)
{
	u16 id = MLX5_GET(access_register_in, cmd->in, register_id);
	void *data = MEMBER(access_register_out, cmd->out, register_data);
	u32 in = cmd->inlen - (u32)IN_BYTES(access_register);
	u32 out = cmd->outlen - (u32)OUT_BYTES(access_register);
	const struct reg *reg = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(regs) && !reg; i++)
		reg = regs[i].id == id ? &regs[i] : NULL;
	if (!reg) {
		info("access register 0x%x: there is none", id);
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	}
	if (in < reg->bytes)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	if (out < reg->bytes)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_OUTP_LEN_ERR);
	if (cmd->op_mod > 1)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	memcpy(data, MEMBER(access_register_in, cmd->in, register_data), reg->bytes);
	return reg->fn(cmd, data, cmd->op_mod == 0);
}
