// SPDX-License-Identifier: GPL-2.0
/*
 * ethtool: who it is, how fast, how many, and what was counted.
 */
#include <linux/ethtool.h>
#include <linux/mlx5/port.h>

#include "../hw/link.h"
#include "eth.h"

static void get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	struct ohca_eth *eth = netdev_priv(netdev);

	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->fw_version, eth->hca->fw_version, sizeof(info->fw_version));
	strscpy(info->bus_info, pci_name(eth->hca->pdev), sizeof(info->bus_info));
}

/* Link modes of the device, and ethtool's for them. */
static const struct {
	u8 bit;
	u8 mode;
} modes[] = {
	{ MLX5E_1000BASE_CX_SGMII,	ETHTOOL_LINK_MODE_1000baseKX_Full_BIT },
	{ MLX5E_1000BASE_KX,		ETHTOOL_LINK_MODE_1000baseKX_Full_BIT },
	{ MLX5E_10GBASE_CX4,		ETHTOOL_LINK_MODE_10000baseKX4_Full_BIT },
	{ MLX5E_10GBASE_KX4,		ETHTOOL_LINK_MODE_10000baseKX4_Full_BIT },
	{ MLX5E_10GBASE_KR,		ETHTOOL_LINK_MODE_10000baseKR_Full_BIT },
	{ MLX5E_20GBASE_KR2,		ETHTOOL_LINK_MODE_20000baseKR2_Full_BIT },
	{ MLX5E_40GBASE_CR4,		ETHTOOL_LINK_MODE_40000baseCR4_Full_BIT },
	{ MLX5E_40GBASE_KR4,		ETHTOOL_LINK_MODE_40000baseKR4_Full_BIT },
	{ MLX5E_56GBASE_R4,		ETHTOOL_LINK_MODE_56000baseKR4_Full_BIT },
	{ MLX5E_10GBASE_CR,		ETHTOOL_LINK_MODE_10000baseCR_Full_BIT },
	{ MLX5E_10GBASE_SR,		ETHTOOL_LINK_MODE_10000baseSR_Full_BIT },
	{ MLX5E_10GBASE_ER,		ETHTOOL_LINK_MODE_10000baseER_Full_BIT },
	{ MLX5E_40GBASE_SR4,		ETHTOOL_LINK_MODE_40000baseSR4_Full_BIT },
	{ MLX5E_40GBASE_LR4,		ETHTOOL_LINK_MODE_40000baseLR4_Full_BIT },
	{ MLX5E_50GBASE_SR2,		ETHTOOL_LINK_MODE_50000baseSR2_Full_BIT },
	{ MLX5E_100GBASE_CR4,		ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT },
	{ MLX5E_100GBASE_SR4,		ETHTOOL_LINK_MODE_100000baseSR4_Full_BIT },
	{ MLX5E_100GBASE_KR4,		ETHTOOL_LINK_MODE_100000baseKR4_Full_BIT },
	{ MLX5E_100GBASE_LR4,		ETHTOOL_LINK_MODE_100000baseLR4_ER4_Full_BIT },
	{ MLX5E_100BASE_TX,		ETHTOOL_LINK_MODE_100baseT_Full_BIT },
	{ MLX5E_1000BASE_T,		ETHTOOL_LINK_MODE_1000baseT_Full_BIT },
	{ MLX5E_10GBASE_T,		ETHTOOL_LINK_MODE_10000baseT_Full_BIT },
	{ MLX5E_25GBASE_CR,		ETHTOOL_LINK_MODE_25000baseCR_Full_BIT },
	{ MLX5E_25GBASE_KR,		ETHTOOL_LINK_MODE_25000baseKR_Full_BIT },
	{ MLX5E_25GBASE_SR,		ETHTOOL_LINK_MODE_25000baseSR_Full_BIT },
	{ MLX5E_50GBASE_CR2,		ETHTOOL_LINK_MODE_50000baseCR2_Full_BIT },
	{ MLX5E_50GBASE_KR2,		ETHTOOL_LINK_MODE_50000baseKR2_Full_BIT },
};

static const u8 ports[] = {
	[MLX5E_PORT_UNKNOWN] = PORT_OTHER,
	[MLX5E_PORT_NONE] = PORT_NONE,
	[MLX5E_PORT_TP] = PORT_TP,
	[MLX5E_PORT_AUI] = PORT_AUI,
	[MLX5E_PORT_BNC] = PORT_BNC,
	[MLX5E_PORT_MII] = PORT_MII,
	[MLX5E_PORT_FIBRE] = PORT_FIBRE,
	[MLX5E_PORT_DA] = PORT_DA,
	[MLX5E_PORT_OTHER] = PORT_OTHER,
};

static int get_link_ksettings(struct net_device *netdev, struct ethtool_link_ksettings *ks)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	struct ohca_link_speed speed;
	size_t i;
	int err;

	err = ohca_link_speed(eth->hca, &speed);
	if (err)
		return err;
	ethtool_link_ksettings_zero_link_mode(ks, supported);
	ethtool_link_ksettings_zero_link_mode(ks, advertising);
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (speed.supported & BIT(modes[i].bit))
			__set_bit(modes[i].mode, ks->link_modes.supported);
		if (speed.admin & BIT(modes[i].bit))
			__set_bit(modes[i].mode, ks->link_modes.advertising);
	}
	ks->base.autoneg = AUTONEG_DISABLE;
	ks->base.port = speed.connector < ARRAY_SIZE(ports) ? ports[speed.connector] : PORT_OTHER;
	ks->base.speed = speed.mbps ?: SPEED_UNKNOWN;
	ks->base.duplex = speed.mbps ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	ks->lanes = speed.lanes;
	return 0;
}

static void get_channels(struct net_device *netdev, struct ethtool_channels *ch)
{
	struct ohca_eth *eth = netdev_priv(netdev);

	ch->max_combined = eth->nr;
	ch->combined_count = eth->nr;
}

static void get_ringparam(struct net_device *netdev, struct ethtool_ringparam *ring,
			  struct kernel_ethtool_ringparam *kernel_ring,
			  struct netlink_ext_ack *extack)
{
	ring->rx_max_pending = BIT(OHCA_ETH_LOG_RQ);
	ring->rx_pending = BIT(OHCA_ETH_LOG_RQ);
	ring->tx_max_pending = BIT(OHCA_ETH_LOG_SQ);
	ring->tx_pending = BIT(OHCA_ETH_LOG_SQ);
}

static int get_coalesce(struct net_device *netdev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal,
			struct netlink_ext_ack *extack)
{
	struct ohca_eth *eth = netdev_priv(netdev);

	if (!MLX5_CAP_GEN(eth->hca, cq_moderation))
		return -EOPNOTSUPP;
	coal->rx_coalesce_usecs = eth->usec;
	coal->tx_coalesce_usecs = eth->usec;
	coal->rx_max_coalesced_frames = eth->count;
	coal->tx_max_coalesced_frames = eth->count;
	return 0;
}

/* One setting for both directions: their CQs are one NAPI's. */
static int set_coalesce(struct net_device *netdev, struct ethtool_coalesce *coal,
			struct kernel_ethtool_coalesce *kernel_coal,
			struct netlink_ext_ack *extack)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	bool tx = coal->tx_coalesce_usecs != eth->usec ||
		  coal->tx_max_coalesced_frames != eth->count;
	u32 usec = tx ? coal->tx_coalesce_usecs : coal->rx_coalesce_usecs;
	u32 count = tx ? coal->tx_max_coalesced_frames : coal->rx_max_coalesced_frames;

	if (!MLX5_CAP_GEN(eth->hca, cq_moderation))
		return -EOPNOTSUPP;
	if (usec > OHCA_CQ_MAX_PERIOD || count > U16_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "the device can't wait so long");
		return -ERANGE;
	}
	eth->usec = usec;
	eth->count = count;
	if (eth->open)
		ohca_channels_moderate(eth);
	return 0;
}

/* Counters of the port (PPCNT, IEEE 802.3), behind those of the channels. */
#define PORT_COUNTER(name, field)							\
	{ name, MLX5_BYTE_OFF(eth_802_3_cntrs_grp_data_layout, field##_high) }

static const struct {
	const char *name;
	u32 at;
} port_counters[] = {
	PORT_COUNTER("port_tx_frames", a_frames_transmitted_ok),
	PORT_COUNTER("port_rx_frames", a_frames_received_ok),
	PORT_COUNTER("port_tx_bytes", a_octets_transmitted_ok),
	PORT_COUNTER("port_rx_bytes", a_octets_received_ok),
	PORT_COUNTER("port_tx_multicast", a_multicast_frames_xmitted_ok),
	PORT_COUNTER("port_rx_multicast", a_multicast_frames_received_ok),
	PORT_COUNTER("port_tx_broadcast", a_broadcast_frames_xmitted_ok),
	PORT_COUNTER("port_rx_broadcast", a_broadcast_frames_received_ok),
	PORT_COUNTER("port_rx_crc_errors", a_frame_check_sequence_errors),
	PORT_COUNTER("port_rx_too_long", a_frame_too_long_errors),
};

static const struct {
	const char *name;
	u32 at;
} channel_counters[] = {
	{ "packets", offsetof(struct ohca_eth_counts, packets) },
	{ "bytes", offsetof(struct ohca_eth_counts, bytes) },
	{ "dropped", offsetof(struct ohca_eth_counts, dropped) },
	{ "errors", offsetof(struct ohca_eth_counts, errors) },
	{ "csum", offsetof(struct ohca_eth_counts, csum) },
	{ "tso", offsetof(struct ohca_eth_counts, tso) },
};

static int get_sset_count(struct net_device *netdev, int set)
{
	struct ohca_eth *eth = netdev_priv(netdev);

	if (set != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return eth->nr * 2 * ARRAY_SIZE(channel_counters) + ARRAY_SIZE(port_counters);
}

static void get_strings(struct net_device *netdev, u32 set, u8 *data)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	int i, tx;
	size_t j;

	if (set != ETH_SS_STATS)
		return;
	for (i = 0; i < eth->nr; i++) {
		for (tx = 0; tx < 2; tx++) {
			for (j = 0; j < ARRAY_SIZE(channel_counters); j++)
				ethtool_sprintf(&data, "%s%d_%s", tx ? "tx" : "rx", i,
						channel_counters[j].name);
		}
	}
	for (j = 0; j < ARRAY_SIZE(port_counters); j++)
		ethtool_puts(&data, port_counters[j].name);
}

static u64 *put_channel(u64 *data, const struct ohca_eth_counts *c)
{
	unsigned int begin;
	size_t j;

	do {
		begin = u64_stats_fetch_begin(&c->syncp);
		for (j = 0; j < ARRAY_SIZE(channel_counters); j++)
			data[j] = u64_stats_read((void *)c + channel_counters[j].at);
	} while (u64_stats_fetch_retry(&c->syncp, begin));
	return data + ARRAY_SIZE(channel_counters);
}

static void get_ethtool_stats(struct net_device *netdev, struct ethtool_stats *stats, u64 *data)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	u32 ppcnt[MLX5_ST_SZ_DW(ppcnt_reg)];
	void *set = MLX5_ADDR_OF(ppcnt_reg, ppcnt, counter_set);
	size_t j;
	int i;

	for (i = 0; i < eth->nr; i++) {
		data = put_channel(data, &eth->rx[i]);
		data = put_channel(data, &eth->tx[i]);
	}
	if (ohca_link_counters(eth->hca, MLX5_IEEE_802_3_COUNTERS_GROUP, ppcnt))
		memset(ppcnt, 0, sizeof(ppcnt));
	for (j = 0; j < ARRAY_SIZE(port_counters); j++)
		*data++ = be64_to_cpup((__be64 *)(set + port_counters[j].at));
}

const struct ethtool_ops ohca_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_MAX_FRAMES,
	.get_drvinfo = get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = get_link_ksettings,
	.get_channels = get_channels,
	.get_ringparam = get_ringparam,
	.get_coalesce = get_coalesce,
	.set_coalesce = set_coalesce,
	.get_sset_count = get_sset_count,
	.get_strings = get_strings,
	.get_ethtool_stats = get_ethtool_stats,
	.get_ts_info = ethtool_op_get_ts_info,
};
