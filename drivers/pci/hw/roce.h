/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device's table of RoCE source addresses (SET_ROCE_ADDRESS).
 */
#ifndef OHCA_PCI_ROCE_H
#define OHCA_PCI_ROCE_H

#include <linux/if_ether.h>
#include <linux/types.h>

struct ohca_hca;

/* roce_version and roce_l3_type of an entry. */
enum ohca_roce_version {
	OHCA_ROCE_V1	= 0,
	OHCA_ROCE_V2	= 2,
};

/**
 * struct ohca_roce_addr - an entry
 * @gid: source address; an IPv4 one as IPv4-mapped IPv6
 * @mac: source MAC
 * @vlan: VLAN id, 0 to 4095; -1: no tag
 * @version: RoCE version
 * @ipv4: IPv4 packets, not IPv6
 */
struct ohca_roce_addr {
	u8 gid[16];
	u8 mac[ETH_ALEN];
	int vlan;
	enum ohca_roce_version version;
	bool ipv4;
};

int ohca_roce_set(struct ohca_hca *hca, u16 index, const struct ohca_roce_addr *addr);
void ohca_roce_encode(void *in, u16 index, const struct ohca_roce_addr *addr);

#endif /* OHCA_PCI_ROCE_H */
