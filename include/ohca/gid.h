/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GIDs: from a GID table entry or an address handle to the fields of a RoCE v2
 * packet's headers (IBA Annex A17).
 */
#ifndef OHCA_GID_H
#define OHCA_GID_H

#include <linux/if_ether.h>
#include <linux/in6.h>
#include <rdma/ib_verbs.h>

/* No VLAN: what rdma_read_gid_l2_fields() says. */
#define OHCA_NO_VLAN	0xffff

/**
 * struct ohca_gid - what a GID table entry says
 * @addr: the address; an IPv4 one as IPv4-mapped IPv6
 * @ipv4: whether @addr is IPv4-mapped
 * @ifindex: netdev that has the address (a link-local one means nothing without it)
 * @vlan: VLAN id, or OHCA_NO_VLAN
 * @mac: source MAC
 */
struct ohca_gid {
	struct in6_addr addr;
	bool ipv4;
	int ifindex;
	u16 vlan;
	u8 mac[ETH_ALEN];
};

/**
 * struct ohca_av - an address vector: where packets of a QP or an AH go
 * @src: from the GID table entry
 * @daddr: destination address; an IPv4 one as IPv4-mapped IPv6
 * @dmac: destination MAC, as IB core resolved it
 * @tclass: traffic class, or TOS: DSCP and ECN bits
 * @hop_limit: hop limit, or TTL; at least 1
 * @sl: service level: VLAN priority
 * @flow_label: 20 bits
 */
struct ohca_av {
	struct ohca_gid src;
	struct in6_addr daddr;
	u8 dmac[ETH_ALEN];
	u8 tclass;
	u8 hop_limit;
	u8 sl;
	u32 flow_label;
};

int ohca_gid_read(const struct ib_gid_attr *attr, struct ohca_gid *gid);
int ohca_av_check(struct ib_device *ibdev, enum ib_qp_type type, const struct rdma_ah_attr *ah);
int ohca_av_read(const struct rdma_ah_attr *ah, struct ohca_av *av);

/**
 * ohca_av_sport() - UDP source port of a flow
 * @av: the address vector
 * @lqpn: local QPN
 * @rqpn: remote QPN
 *
 * From the flow label, or from both QPNs where there is none, so that both
 * directions get the same (IBA A17.3.2, and the convention of all RoCE v2
 * drivers).
 *
 * Return: 49152 to 65535, host byte order.
 */
static inline u16 ohca_av_sport(const struct ohca_av *av, u32 lqpn, u32 rqpn)
{
	return rdma_get_udp_sport(av->flow_label, lqpn, rqpn);
}

#endif /* OHCA_GID_H */
