/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The port: its registers (ACCESS_REG), its state, and the NIC vport behind it.
 */
#ifndef OHCA_PCI_LINK_H
#define OHCA_PCI_LINK_H

#include <linux/if_ether.h>
#include <linux/mlx5/device.h>
#include <linux/types.h>

struct ohca_hca;

/**
 * struct ohca_link_speed - a port's speed
 * @mbps: as the link came up, Mbit/s; 0: it is down
 * @lanes: lanes
 * @supported: bits of eth_proto_capability that the device has
 * @admin: those that are allowed
 * @oper: the one in use
 * @connector: connector type (enum of PTYS)
 */
struct ohca_link_speed {
	u32 mbps;
	u32 lanes;
	u32 supported;
	u32 admin;
	u32 oper;
	u8 connector;
};

/* link.c: registers of the port */
int ohca_reg_read(struct ohca_hca *hca, u16 id, void *data, u32 bytes);
int ohca_reg_write(struct ohca_hca *hca, u16 id, void *data, u32 bytes);
int ohca_link_set_admin(struct ohca_hca *hca, bool up);
int ohca_link_up(struct ohca_hca *hca, bool *up);
void ohca_link_mode(u32 oper, u32 *mbps, u32 *lanes);
int ohca_link_speed(struct ohca_hca *hca, struct ohca_link_speed *speed);
int ohca_link_mtu(struct ohca_hca *hca, u16 *oper, u16 *max);
int ohca_link_set_mtu(struct ohca_hca *hca, u16 mtu);
int ohca_link_counters(struct ohca_hca *hca, u8 group, void *ppcnt);

/* vport.c: the NIC vport */
int ohca_vport_mac(struct ohca_hca *hca, u8 mac[ETH_ALEN]);
int ohca_vport_set_mtu(struct ohca_hca *hca, u16 mtu);
int ohca_vport_set_roce(struct ohca_hca *hca, bool on);
int ohca_vport_guids(struct ohca_hca *hca, u64 *node, u64 *system_image);
int ohca_vport_set_promisc(struct ohca_hca *hca, bool all, bool multicast);
int ohca_vport_set_macs(struct ohca_hca *hca, bool multicast, const u8 *macs,
			u32 count);
int ohca_vport_counters(struct ohca_hca *hca, void *out);

#endif /* OHCA_PCI_LINK_H */
