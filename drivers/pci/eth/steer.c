// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a frame that comes in: a table of destination addresses lets it in, a
 * table of protocols finds the TIR for it.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "../hw/link.h"
#include "eth.h"
#include "flow.h"

/* The table of addresses: places for them, for all multicast, for everything. */
#define LOG_MACS	9
#define NR_MACS		(BIT(LOG_MACS) - 2)
#define AT_MULTICAST	NR_MACS
#define AT_ALL		(NR_MACS + 1)
#define LOG_TYPES	3

enum {
	MAC_LEVEL,
	TYPE_LEVEL,
};

/* Groups of either table. */
enum {
	GROUP_EXACT,	/* addresses; EtherType and protocol */
	GROUP_SOME,	/* all multicast; EtherType */
	GROUP_ALL,
	NR_GROUPS
};

/**
 * struct group - a group of a table
 * @first: its first place
 * @last: its last
 * @mask: fields that it looks at
 */
struct group {
	u32 first;
	u32 last;
	struct ohca_flow_match mask;
};

static const struct group mac_groups[NR_GROUPS] = {
	[GROUP_EXACT] = { 0, NR_MACS - 1, { .dmac = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } } },
	[GROUP_SOME] = { AT_MULTICAST, AT_MULTICAST, { .dmac = { 0x01 } } },
	[GROUP_ALL] = { AT_ALL, AT_ALL, {} },
};

static const struct group type_groups[NR_GROUPS] = {
	[GROUP_EXACT] = { OHCA_TIR_IPV4_TCP, OHCA_TIR_IPV6_UDP,
			  { .ethertype = 0xffff, .protocol = 0xff } },
	[GROUP_SOME] = { OHCA_TIR_IPV4, OHCA_TIR_IPV6, { .ethertype = 0xffff } },
	[GROUP_ALL] = { OHCA_TIR_ANY, OHCA_TIR_ANY, {} },
};

/* Rules of the table of protocols: the place is the TIR. */
static const struct ohca_flow_match types[OHCA_TIR_COUNT] = {
	[OHCA_TIR_IPV4_TCP] = { .ethertype = ETH_P_IP, .protocol = IPPROTO_TCP },
	[OHCA_TIR_IPV4_UDP] = { .ethertype = ETH_P_IP, .protocol = IPPROTO_UDP },
	[OHCA_TIR_IPV6_TCP] = { .ethertype = ETH_P_IPV6, .protocol = IPPROTO_TCP },
	[OHCA_TIR_IPV6_UDP] = { .ethertype = ETH_P_IPV6, .protocol = IPPROTO_UDP },
	[OHCA_TIR_IPV4] = { .ethertype = ETH_P_IP },
	[OHCA_TIR_IPV6] = { .ethertype = ETH_P_IPV6 },
};

static int type_group(enum ohca_tir kind)
{
	if (kind <= OHCA_TIR_IPV6_UDP)
		return GROUP_EXACT;
	return kind == OHCA_TIR_ANY ? GROUP_ALL : GROUP_SOME;
}

static int groups_create(struct ohca_hca *hca, u32 table, const struct group *groups, u32 *ids)
{
	int i, err;

	for (i = 0; i < NR_GROUPS; i++) {
		err = ohca_flow_group_create(hca, table, groups[i].first, groups[i].last,
					     &groups[i].mask, &ids[i]);
		if (err)
			goto destroy;
	}
	return 0;

destroy:
	while (i--)
		ohca_flow_group_destroy(hca, table, ids[i]);
	return err;
}

static void groups_destroy(struct ohca_hca *hca, u32 table, const u32 *ids)
{
	int i;

	for (i = NR_GROUPS - 1; i >= 0; i--)
		ohca_flow_group_destroy(hca, table, ids[i]);
}

static int table_create(struct ohca_hca *hca, u8 level, u8 log_size, const struct group *groups,
			u32 *table, u32 *ids)
{
	int err;

	err = ohca_flow_table_create(hca, level, log_size, table);
	if (err)
		return err;
	err = groups_create(hca, *table, groups, ids);
	if (err)
		ohca_flow_table_destroy(hca, *table);
	return err;
}

static void table_destroy(struct ohca_hca *hca, u32 table, const u32 *ids)
{
	groups_destroy(hca, table, ids);
	ohca_flow_table_destroy(hca, table);
}

/* Rules from @n - 1 down. */
static void types_delete(struct ohca_eth *eth, int n)
{
	while (n--)
		ohca_flow_rule_delete(eth->hca, eth->steer.type_table, n);
}

static int types_create(struct ohca_eth *eth)
{
	struct ohca_steer *steer = &eth->steer;
	int kind, err;

	err = table_create(eth->hca, TYPE_LEVEL, LOG_TYPES, type_groups, &steer->type_table,
			   steer->type_group);
	if (err)
		return err;
	for (kind = 0; kind < OHCA_TIR_COUNT; kind++) {
		const struct ohca_flow_rule rule = {
			.table = steer->type_table,
			.group = steer->type_group[type_group(kind)],
			.index = kind,
			.match = types[kind],
			.dest = steer->tirn[kind],
		};

		err = ohca_flow_rule_set(eth->hca, &rule);
		if (err)
			goto destroy;
	}
	return 0;

destroy:
	types_delete(eth, kind);
	table_destroy(eth->hca, steer->type_table, steer->type_group);
	return err;
}

/* A rule of the table of addresses. */
static int let_in(struct ohca_eth *eth, u32 index, int group, const u8 *mac)
{
	struct ohca_flow_rule rule = {
		.table = eth->steer.mac_table,
		.group = eth->steer.mac_group[group],
		.index = index,
		.to_table = true,
		.dest = eth->steer.type_table,
	};

	ether_addr_copy(rule.match.dmac, mac);
	return ohca_flow_rule_set(eth->hca, &rule);
}

/* Makes a rule at a place of its own be there, or not. */
static void switch_rule(struct ohca_eth *eth, bool *is, bool should, u32 index, int group,
			const u8 *mac)
{
	if (*is == should)
		return;
	if (!should)
		ohca_flow_rule_delete(eth->hca, eth->steer.mac_table, index);
	else if (let_in(eth, index, group, mac))
		return;
	*is = should;
}

/* Marks an address as wanted, at its place or a new one. False: no place is left. */
static bool want(struct ohca_steer *steer, const u8 *mac)
{
	struct ohca_steer_mac *empty = NULL;
	u32 i;

	for (i = 0; i < NR_MACS; i++) {
		struct ohca_steer_mac *m = &steer->mac[i];

		if ((m->used || m->wanted) && ether_addr_equal(m->mac, mac)) {
			m->wanted = true;
			return true;
		}
		if (!m->used && !m->wanted && !empty)
			empty = m;
	}
	if (!empty)
		return false;
	ether_addr_copy(empty->mac, mac);
	empty->wanted = true;
	return true;
}

/* Marks all that the netdev wants; false: more than there is room for. */
static bool want_all(struct ohca_eth *eth)
{
	struct net_device *netdev = eth->netdev;
	struct netdev_hw_addr *ha;
	bool fits;
	u32 i;

	for (i = 0; i < NR_MACS; i++)
		eth->steer.mac[i].wanted = false;
	netif_addr_lock_bh(netdev);
	fits = want(&eth->steer, netdev->dev_addr) && want(&eth->steer, netdev->broadcast);
	netdev_for_each_uc_addr(ha, netdev)
		fits &= want(&eth->steer, ha->addr);
	netdev_for_each_mc_addr(ha, netdev)
		fits &= want(&eth->steer, ha->addr);
	netif_addr_unlock_bh(netdev);
	return fits;
}

static void update_macs(struct ohca_eth *eth)
{
	struct ohca_steer_mac *m;
	u32 i;

	/* First what has to come in, then what need not any more. */
	for (i = 0; i < NR_MACS; i++) {
		m = &eth->steer.mac[i];
		if (m->wanted && !m->used)
			m->used = !let_in(eth, i, GROUP_EXACT, m->mac);
	}
	for (i = 0; i < NR_MACS; i++) {
		m = &eth->steer.mac[i];
		if (m->used && !m->wanted) {
			ohca_flow_rule_delete(eth->hca, eth->steer.mac_table, i);
			m->used = false;
		}
	}
}

/* The same for the switch before the function, as far as its lists go. */
static void update_vport(struct ohca_eth *eth, bool multicast)
{
	u32 most = 1 << (multicast ? MLX5_CAP_GEN(eth->hca, log_max_current_mc_list) :
			 MLX5_CAP_GEN(eth->hca, log_max_current_uc_list));
	u32 i, n = 0;
	u8 *macs;

	macs = kcalloc(most, ETH_ALEN, GFP_KERNEL);
	if (!macs)
		return;
	for (i = 0; i < NR_MACS && n < most; i++) {
		const struct ohca_steer_mac *m = &eth->steer.mac[i];

		if (m->used && is_multicast_ether_addr(m->mac) == multicast &&
		    !is_broadcast_ether_addr(m->mac))
			ether_addr_copy(macs + n++ * ETH_ALEN, m->mac);
	}
	ohca_vport_set_macs(eth->hca, multicast, macs, n);
	kfree(macs);
}

/**
 * ohca_steer_update() - lets in what the netdev wants
 * @eth: the function
 *
 * Context: may sleep; under RTNL.
 */
void ohca_steer_update(struct ohca_eth *eth)
{
	static const u8 multicast_bit[ETH_ALEN] = { 0x01 };
	struct ohca_steer *steer = &eth->steer;
	bool fits, all, promisc;

	if (!steer->up)
		return;
	fits = want_all(eth);
	promisc = eth->netdev->flags & IFF_PROMISC || !fits;
	all = eth->netdev->flags & IFF_ALLMULTI;
	switch_rule(eth, &steer->promisc, promisc, AT_ALL, GROUP_ALL, multicast_bit);
	switch_rule(eth, &steer->multicast, all, AT_MULTICAST, GROUP_SOME, multicast_bit);
	update_macs(eth);
	update_vport(eth, false);
	update_vport(eth, true);
	ohca_vport_set_promisc(eth->hca, promisc, all);
}

/**
 * ohca_steer_up() - begins to let frames in
 * @eth: the function; its channels are there
 *
 * Context: may sleep; under RTNL.
 * Return: 0 or an errno.
 */
int ohca_steer_up(struct ohca_eth *eth)
{
	struct ohca_steer *steer = &eth->steer;
	int err;

	steer->mac = kvcalloc(NR_MACS, sizeof(*steer->mac), GFP_KERNEL);
	if (!steer->mac)
		return -ENOMEM;
	steer->promisc = false;
	steer->multicast = false;
	err = ohca_tirs_create(eth);
	if (err)
		goto free_mac;
	err = types_create(eth);
	if (err)
		goto destroy_tirs;
	err = table_create(eth->hca, MAC_LEVEL, LOG_MACS, mac_groups, &steer->mac_table,
			   steer->mac_group);
	if (err)
		goto destroy_types;
	err = ohca_flow_root_set(eth->hca, steer->mac_table);
	if (err)
		goto destroy_macs;
	steer->up = true;
	ohca_steer_update(eth);
	return 0;

destroy_macs:
	table_destroy(eth->hca, steer->mac_table, steer->mac_group);
destroy_types:
	types_delete(eth, OHCA_TIR_COUNT);
	table_destroy(eth->hca, steer->type_table, steer->type_group);
destroy_tirs:
	ohca_tirs_destroy(eth);
free_mac:
	kvfree(steer->mac);
	steer->mac = NULL;
	return err;
}

/**
 * ohca_steer_down() - lets nothing in any more
 * @eth: the function
 *
 * Context: may sleep; under RTNL.
 */
void ohca_steer_down(struct ohca_eth *eth)
{
	static const u8 none[ETH_ALEN];
	struct ohca_steer *steer = &eth->steer;
	u32 i;

	steer->up = false;
	for (i = 0; i < NR_MACS; i++)
		steer->mac[i].wanted = false;
	update_macs(eth);
	switch_rule(eth, &steer->multicast, false, AT_MULTICAST, GROUP_SOME, none);
	switch_rule(eth, &steer->promisc, false, AT_ALL, GROUP_ALL, none);
	table_destroy(eth->hca, steer->mac_table, steer->mac_group);
	types_delete(eth, OHCA_TIR_COUNT);
	table_destroy(eth->hca, steer->type_table, steer->type_group);
	ohca_tirs_destroy(eth);
	kvfree(steer->mac);
	steer->mac = NULL;
}
