// SPDX-License-Identifier: GPL-2.0
/*
 * GIDs: what a RoCE v2 packet's headers say comes from here.
 */
#include <ohca/gid.h>

#include <linux/etherdevice.h>
#include <linux/export.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

/**
 * ohca_gid_read() - reads a GID table entry
 * @attr: the entry; the caller holds a reference
 * @gid: to fill
 *
 * IB core keeps the table: addresses of the netdev, its VLANs and bonds.
 *
 * Context: any.
 * Return: 0; -EINVAL: not a RoCE v2 entry; -ENODEV: its netdev has gone.
 */
int ohca_gid_read(const struct ib_gid_attr *attr, struct ohca_gid *gid)
{
	const struct net_device *ndev;
	int err;

	if (attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;
	err = rdma_read_gid_l2_fields(attr, &gid->vlan, gid->mac);
	if (err)
		return err;

	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	gid->ifindex = ndev ? ndev->ifindex : 0;
	rcu_read_unlock();
	if (!gid->ifindex)
		return -ENODEV;

	memcpy(&gid->addr, attr->gid.raw, sizeof(gid->addr));
	gid->ipv4 = ipv6_addr_v4mapped(&gid->addr);
	return 0;
}
EXPORT_SYMBOL_GPL(ohca_gid_read);

/* Whether a destination can be reached from a source at all. */
static bool dgid_fits(const struct in6_addr *saddr, const struct in6_addr *daddr, bool multicast)
{
	if (ipv6_addr_any(daddr))
		return false;
	if (rdma_is_multicast_addr((struct in6_addr *)daddr) && !multicast)
		return false;
	return ipv6_addr_v4mapped(saddr) == ipv6_addr_v4mapped(daddr);
}

/**
 * ohca_av_check() - whether address attributes make an address vector
 * @ibdev: the device
 * @type: type of the QP it is for; IB_QPT_UD for an address handle
 * @ah: the attributes; IB core has resolved the source GID and the MAC
 *
 * A RoCE v2 address vector is a global one (IBA A17.4.5) of a RoCE v2 source
 * GID, to an address of the same family; a multicast one for datagrams only. Of the
 * flow label 20 bits count: UCX sets them all, and the others with them.
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int ohca_av_check(struct ib_device *ibdev, enum ib_qp_type type, const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	const struct ib_gid_attr *sgid = grh->sgid_attr;
	bool datagram = type == IB_QPT_UD || type == IB_QPT_GSI;

	if (ah->type != RDMA_AH_ATTR_TYPE_ROCE || !rdma_is_port_valid(ibdev, ah->port_num))
		return -EINVAL;
	if (!(rdma_ah_get_ah_flags(ah) & IB_AH_GRH) || !sgid)
		return -EINVAL;
	if (sgid->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP || sgid->port_num != ah->port_num)
		return -EINVAL;
	if (!dgid_fits((const struct in6_addr *)sgid->gid.raw,
		       (const struct in6_addr *)grh->dgid.raw, datagram))
		return -EINVAL;
	return 0;
}
EXPORT_SYMBOL_GPL(ohca_av_check);

/**
 * ohca_av_read() - makes an address vector of address attributes
 * @ah: the attributes, which ohca_av_check() has passed; the source GID is held
 * @av: to fill
 *
 * A hop limit of 0, which consumers that know no better leave, would never
 * leave the host: the default of the IP stack is taken then.
 *
 * Context: any.
 * Return: 0 or an error of ohca_gid_read().
 */
int ohca_av_read(const struct rdma_ah_attr *ah, struct ohca_av *av)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);
	int err;

	memset(av, 0, sizeof(*av));
	err = ohca_gid_read(grh->sgid_attr, &av->src);
	if (err)
		return err;
	memcpy(&av->daddr, grh->dgid.raw, sizeof(av->daddr));
	ether_addr_copy(av->dmac, ah->roce.dmac);
	av->tclass = grh->traffic_class;
	av->hop_limit = grh->hop_limit ?: IPV6_DEFAULT_HOPLIMIT;
	av->sl = rdma_ah_get_sl(ah);
	av->flow_label = grh->flow_label & IB_GRH_FLOWLABEL_MASK;
	return 0;
}
EXPORT_SYMBOL_GPL(ohca_av_read);
