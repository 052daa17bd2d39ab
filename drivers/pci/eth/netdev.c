// SPDX-License-Identifier: GPL-2.0
/*
 * The netdev, and the function's comings and goings.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/mlx5/vport.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "../function.h"
#include "../hw/cmd.h"
#include "../hw/eq.h"
#include "../hw/event.h"
#include "../hw/link.h"
#include "../hw/object.h"
#include "eth.h"

/* Asks for the state of the link, and says it. Under RTNL. */
static void link_update(struct ohca_eth *eth)
{
	bool up = false;

	if (!eth->open || ohca_link_up(eth->hca, &up))
		up = false;
	if (up == netif_carrier_ok(eth->netdev))
		return;
	if (up)
		netif_carrier_on(eth->netdev);
	else
		netif_carrier_off(eth->netdev);
	netdev_info(eth->netdev, "link %s\n", up ? "up" : "down");
}

static void link_work(struct work_struct *work)
{
	struct ohca_eth *eth = container_of(work, struct ohca_eth, link_work);

	rtnl_lock();
	link_update(eth);
	rtnl_unlock();
}

static void filter_work(struct work_struct *work)
{
	struct ohca_eth *eth = container_of(work, struct ohca_eth, filter_work);

	rtnl_lock();
	ohca_steer_update(eth);
	rtnl_unlock();
}

/* A queue had an error, or a frame is stuck: all channels are made anew. */
static void heal_work(struct work_struct *work)
{
	struct ohca_eth *eth = container_of(work, struct ohca_eth, heal_work);
	int err;

	rtnl_lock();
	if (eth->open && !ohca_hca_dead(eth->hca)) {
		ohca_channels_close(eth);
		err = ohca_channels_open(eth);
		if (err)
			netdev_err(eth->netdev, "not usable after an error: %d\n", err);
		link_update(eth);
	}
	rtnl_unlock();
}

/**
 * ohca_eth_heal() - asks for new channels
 * @eth: the function
 *
 * Context: any.
 */
void ohca_eth_heal(struct ohca_eth *eth)
{
	schedule_work(&eth->heal_work);
}

static int on_event(struct notifier_block *nb, unsigned long type, void *eqe)
{
	struct ohca_eth *eth = container_of(nb, struct ohca_eth, events);

	if (type == MLX5_EVENT_TYPE_PORT_CHANGE || type == OHCA_EVENT_DEAD)
		schedule_work(&eth->link_work);
	return NOTIFY_OK;
}

/* Frames of the MTU go through port and vport. */
static int mtu_apply(struct ohca_eth *eth)
{
	u16 mtu = eth->netdev->mtu + OHCA_ETH_OVERHEAD - VLAN_HLEN;
	int err;

	err = ohca_link_set_mtu(eth->hca, mtu);
	return err ?: ohca_vport_set_mtu(eth->hca, mtu);
}

static int start(struct ohca_eth *eth)
{
	int err;

	err = mtu_apply(eth);
	err = err ?: ohca_channels_open(eth);
	if (err)
		return err;
	err = ohca_link_set_admin(eth->hca, true);
	if (err) {
		ohca_channels_close(eth);
		return err;
	}
	link_update(eth);
	return 0;
}

static void stop(struct ohca_eth *eth)
{
	if (!eth->open)
		return;
	ohca_channels_close(eth);
	netif_carrier_off(eth->netdev);
}

static int ohca_eth_open(struct net_device *netdev)
{
	return start(netdev_priv(netdev));
}

static int ohca_eth_stop(struct net_device *netdev)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	bool was = eth->open;

	stop(eth);
	if (was && !ohca_hca_dead(eth->hca))
		ohca_link_set_admin(eth->hca, false);
	return 0;
}

static int ohca_eth_change_mtu(struct net_device *netdev, int mtu)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	unsigned int old = netdev->mtu;
	int err, again;

	if (!eth->open) {
		WRITE_ONCE(netdev->mtu, mtu);
		return 0;
	}
	ohca_channels_close(eth);
	WRITE_ONCE(netdev->mtu, mtu);
	err = mtu_apply(eth);
	err = err ?: ohca_channels_open(eth);
	if (!err)
		return 0;
	WRITE_ONCE(netdev->mtu, old);
	again = mtu_apply(eth);
	again = again ?: ohca_channels_open(eth);
	if (again)
		netdev_err(netdev, "not usable after a change of MTU: %d\n", again);
	return err;
}

static int ohca_eth_set_mac(struct net_device *netdev, void *addr)
{
	int err = eth_mac_addr(netdev, addr);

	if (!err)
		ohca_steer_update(netdev_priv(netdev));
	return err;
}

static void ohca_eth_set_rx_mode(struct net_device *netdev)
{
	struct ohca_eth *eth = netdev_priv(netdev);

	schedule_work(&eth->filter_work);
}

static void ohca_eth_tx_timeout(struct net_device *netdev, unsigned int queue)
{
	struct ohca_eth *eth = netdev_priv(netdev);

	if (net_ratelimit())
		netdev_err(netdev, "send queue %u: stuck\n", queue);
	ohca_eth_heal(eth);
}

static void add_counts(const struct ohca_eth_counts *c, u64 *packets, u64 *bytes, u64 *dropped,
		       u64 *errors)
{
	unsigned int begin;
	u64 v[4];

	do {
		begin = u64_stats_fetch_begin(&c->syncp);
		v[0] = u64_stats_read(&c->packets);
		v[1] = u64_stats_read(&c->bytes);
		v[2] = u64_stats_read(&c->dropped);
		v[3] = u64_stats_read(&c->errors);
	} while (u64_stats_fetch_retry(&c->syncp, begin));
	*packets += v[0];
	*bytes += v[1];
	*dropped += v[2];
	*errors += v[3];
}

static void ohca_eth_get_stats(struct net_device *netdev, struct rtnl_link_stats64 *s)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	int i;

	for (i = 0; i < eth->nr; i++) {
		add_counts(&eth->rx[i], &s->rx_packets, &s->rx_bytes, &s->rx_dropped,
			   &s->rx_errors);
		add_counts(&eth->tx[i], &s->tx_packets, &s->tx_bytes, &s->tx_dropped,
			   &s->tx_errors);
	}
}

static const struct net_device_ops netdev_ops = {
	.ndo_open = ohca_eth_open,
	.ndo_stop = ohca_eth_stop,
	.ndo_start_xmit = ohca_eth_xmit,
	.ndo_set_rx_mode = ohca_eth_set_rx_mode,
	.ndo_set_mac_address = ohca_eth_set_mac,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_change_mtu = ohca_eth_change_mtu,
	.ndo_tx_timeout = ohca_eth_tx_timeout,
	.ndo_get_stats64 = ohca_eth_get_stats,
};

/* What every frame sent and received needs of the device, netdev up or not. */
static int base_up(struct ohca_eth *eth)
{
	u32 out[MLX5_ST_SZ_DW(create_tis_out)];
	u32 in[MLX5_ST_SZ_DW(create_tis_in)] = {};
	struct ohca_hca *hca = eth->hca;
	int err;

	err = ohca_pd_alloc(hca, &eth->pdn);
	if (err)
		return err;
	err = ohca_td_alloc(hca, &eth->tdn);
	if (err)
		goto free_pd;
	err = ohca_mkey_create_all(hca, &eth->mkey, eth->pdn, false);
	if (err)
		goto free_td;
	MLX5_SET(create_tis_in, in, opcode, MLX5_CMD_OP_CREATE_TIS);
	MLX5_SET(create_tis_in, in, ctx.transport_domain, eth->tdn);
	err = ohca_cmd(hca, create_tis, in, out);
	if (err)
		goto destroy_mkey;
	eth->tisn = MLX5_GET(create_tis_out, out, tisn);
	return 0;

destroy_mkey:
	ohca_mkey_destroy(hca, eth->mkey);
free_td:
	ohca_td_free(hca, eth->tdn);
free_pd:
	ohca_pd_free(hca, eth->pdn);
	return err;
}

static void base_down(struct ohca_eth *eth)
{
	u32 out[MLX5_ST_SZ_DW(destroy_tis_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_tis_in)] = {};
	struct ohca_hca *hca = eth->hca;

	MLX5_SET(destroy_tis_in, in, opcode, MLX5_CMD_OP_DESTROY_TIS);
	MLX5_SET(destroy_tis_in, in, tisn, eth->tisn);
	ohca_cmd(hca, destroy_tis, in, out);
	ohca_mkey_destroy(hca, eth->mkey);
	ohca_td_free(hca, eth->tdn);
	ohca_pd_free(hca, eth->pdn);
}

/* What the device must announce for a netdev. */
static bool can(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, eth_net_offloads) && MLX5_CAP_GEN(hca, nic_flow_table) &&
	       MLX5_CAP_FLOWTABLE_NIC_RX(hca, ft_support) &&
	       MLX5_CAP_FLOWTABLE_NIC_RX(hca, ft_field_support.outer_dmac) &&
	       MLX5_CAP_FLOWTABLE_NIC_RX(hca, ft_field_support.outer_ether_type) &&
	       MLX5_CAP_FLOWTABLE_NIC_RX(hca, ft_field_support.outer_ip_protocol);
}

static void set_features(struct ohca_eth *eth)
{
	struct net_device *netdev = eth->netdev;
	struct ohca_hca *hca = eth->hca;

	netdev->hw_features = NETIF_F_SG | NETIF_F_RXHASH;
	if (MLX5_CAP_ETH(hca, csum_cap))
		netdev->hw_features |= NETIF_F_IP_CSUM | NETIF_F_IPV6_CSUM | NETIF_F_RXCSUM;
	if (MLX5_CAP_ETH(hca, csum_cap) && MLX5_CAP_ETH(hca, max_lso_cap)) {
		netdev->hw_features |= NETIF_F_TSO | NETIF_F_TSO6;
		netif_set_tso_max_size(netdev, 1U << MLX5_CAP_ETH(hca, max_lso_cap));
	}
	netdev->features = netdev->hw_features | NETIF_F_HIGHDMA;
	netdev->vlan_features = netdev->hw_features | NETIF_F_HIGHDMA;
	/* Unless the device needs none of a frame in the WQE, the L2 header. */
	if (MLX5_CAP_ETH(hca, wqe_inline_mode) != MLX5_CAP_INLINE_MODE_NOT_REQUIRED)
		eth->inline_bytes = VLAN_ETH_HLEN;
}

static int set_limits(struct ohca_eth *eth)
{
	struct net_device *netdev = eth->netdev;
	u16 oper, max;
	u8 mac[ETH_ALEN];
	int err;

	err = ohca_link_mtu(eth->hca, &oper, &max);
	err = err ?: ohca_vport_mac(eth->hca, mac);
	if (err)
		return err;
	netdev->min_mtu = ETH_MIN_MTU;
	netdev->max_mtu = clamp(max - OHCA_ETH_OVERHEAD, ETH_DATA_LEN, OHCA_ETH_MAX_MTU);
	if (is_valid_ether_addr(mac))
		eth_hw_addr_set(netdev, mac);
	else
		eth_hw_addr_random(netdev);
	return 0;
}

static struct ohca_eth *eth_alloc(struct ohca_hca *hca)
{
	int i, nr = ohca_comp_vectors(hca);
	struct net_device *netdev;
	struct ohca_eth *eth;

	netdev = alloc_etherdev_mqs(sizeof(*eth), nr, nr);
	if (!netdev)
		return NULL;
	SET_NETDEV_DEV(netdev, &hca->pdev->dev);
	netdev->netdev_ops = &netdev_ops;
	netdev->ethtool_ops = &ohca_ethtool_ops;
	netdev->priv_flags |= IFF_UNICAST_FLT | IFF_LIVE_ADDR_CHANGE;
	netdev->watchdog_timeo = 15 * HZ;
	eth = netdev_priv(netdev);
	eth->hca = hca;
	eth->netdev = netdev;
	eth->nr = nr;
	eth->usec = OHCA_ETH_USEC;
	eth->count = OHCA_ETH_COUNT;
	eth->events.notifier_call = on_event;
	INIT_WORK(&eth->link_work, link_work);
	INIT_WORK(&eth->filter_work, filter_work);
	INIT_WORK(&eth->heal_work, heal_work);
	eth->tx = kcalloc(nr, sizeof(*eth->tx), GFP_KERNEL);
	eth->rx = kcalloc(nr, sizeof(*eth->rx), GFP_KERNEL);
	if (!eth->tx || !eth->rx) {
		kfree(eth->tx);
		kfree(eth->rx);
		free_netdev(netdev);
		return NULL;
	}
	for (i = 0; i < nr; i++) {
		u64_stats_init(&eth->tx[i].syncp);
		u64_stats_init(&eth->rx[i].syncp);
	}
	return eth;
}

static void eth_free(struct ohca_eth *eth)
{
	kfree(eth->tx);
	kfree(eth->rx);
	free_netdev(eth->netdev);
}

static void cancel_works(struct ohca_eth *eth)
{
	cancel_work_sync(&eth->link_work);
	cancel_work_sync(&eth->filter_work);
	cancel_work_sync(&eth->heal_work);
}

static int ohca_eth_add(struct ohca_hca *hca)
{
	struct ohca_eth *eth;
	int err;

	if (!can(hca))
		return -EOPNOTSUPP;
	eth = eth_alloc(hca);
	if (!eth)
		return -ENOMEM;
	err = base_up(eth);
	if (err)
		goto free;
	set_features(eth);
	err = set_limits(eth);
	if (err)
		goto base_down;
	netif_carrier_off(eth->netdev);
	err = ohca_event_register(hca, &eth->events);
	if (err)
		goto base_down;
	err = register_netdev(eth->netdev);
	if (err)
		goto unregister_event;
	hca->eth = eth;
	hca->netdev = eth->netdev;
	return 0;

unregister_event:
	ohca_event_unregister(hca, &eth->events);
	cancel_works(eth);
base_down:
	base_down(eth);
free:
	eth_free(eth);
	return err;
}

static void ohca_eth_remove(struct ohca_hca *hca)
{
	struct ohca_eth *eth = hca->eth;
	bool suspended = !netif_device_present(eth->netdev);

	hca->netdev = NULL;
	hca->eth = NULL;
	unregister_netdev(eth->netdev);
	ohca_event_unregister(hca, &eth->events);
	cancel_works(eth);
	if (!suspended)
		base_down(eth);
	eth_free(eth);
}

static void ohca_eth_suspend(struct ohca_hca *hca)
{
	struct ohca_eth *eth = hca->eth;

	rtnl_lock();
	netif_device_detach(eth->netdev);
	stop(eth);
	rtnl_unlock();
	/* They find nothing to do from here on. */
	cancel_works(eth);
	base_down(eth);
}

static int ohca_eth_resume(struct ohca_hca *hca)
{
	struct ohca_eth *eth = hca->eth;
	int err;

	/* Channels are completion vectors: their number must not have shrunk. */
	if (eth->nr > ohca_comp_vectors(hca))
		return -ENOSPC;
	err = base_up(eth);
	if (err)
		return err;
	rtnl_lock();
	if (netif_running(eth->netdev))
		err = start(eth);
	if (!err)
		netif_device_attach(eth->netdev);
	rtnl_unlock();
	if (err)
		base_down(eth);
	return err;
}

const struct ohca_function ohca_eth_function = {
	.name = "Ethernet",
	.add = ohca_eth_add,
	.remove = ohca_eth_remove,
	.suspend = ohca_eth_suspend,
	.resume = ohca_eth_resume,
};
