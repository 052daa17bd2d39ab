// SPDX-License-Identifier: GPL-2.0
/*
 * GIDs: IB core keeps the table, from the netdev's addresses, and the device has a
 * copy: entry by entry, with the MAC and the VLAN that packets get.
 */
#include <linux/etherdevice.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include <ohca/gid.h>

#include "../hw/roce.h"
#include "verbs.h"

/**
 * verbs_add_gid() - ib_device_ops.add_gid
 * @attr: the entry
 * @context: unused
 *
 * Return: 0; -EINVAL: an entry that the device's RoCE has not; -ENODEV: its netdev has
 * gone; an error of the command.
 */
int verbs_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ohca_roce_addr addr = { .vlan = -1 };
	u16 vlan;
	int err;

	switch (attr->gid_type) {
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		addr.version = OHCA_ROCE_V2;
		break;
	case IB_GID_TYPE_ROCE:
		addr.version = OHCA_ROCE_V1;
		break;
	default:
		return -EINVAL;
	}
	err = rdma_read_gid_l2_fields(attr, &vlan, addr.mac);
	if (err)
		return err;
	if (vlan != OHCA_NO_VLAN)
		addr.vlan = vlan;
	memcpy(addr.gid, attr->gid.raw, sizeof(addr.gid));
	addr.ipv4 = ipv6_addr_v4mapped((const struct in6_addr *)attr->gid.raw);
	return ohca_roce_set(to_hca(attr->device), attr->index, &addr);
}

/**
 * verbs_del_gid() - ib_device_ops.del_gid
 * @attr: the entry
 * @context: unused
 *
 * Return: 0 or an error of the command.
 */
int verbs_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ohca_hca *hca = to_hca(attr->device);
	int err = ohca_roce_set(hca, attr->index, NULL);

	return ohca_hca_dead(hca) ? 0 : err;
}
