// SPDX-License-Identifier: GPL-2.0
/*
 * The device's GIDs, for those who have an address and ask whose it is. IB core
 * keeps the table itself.
 */
#include "gid.h"

#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "device.h"

/**
 * struct soft_gid - an entry of the device's GID table
 * @node: in soft_dev.gids
 * @addr: the address; an IPv4 one as IPv4-mapped IPv6
 * @rcu: frees
 */
struct soft_gid {
	struct list_head node;
	struct in6_addr addr;
	struct rcu_head rcu;
};

/**
 * soft_add_gid() - ib_device_ops.add_gid
 * @attr: the entry
 * @context: set to what soft_del_gid() gets back
 *
 * Context: may sleep; IB core calls for one entry of a port at a time.
 * Return: 0 or -ENOMEM.
 */
int soft_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct soft_dev *dev = to_soft_dev(attr->device);
	struct soft_gid *gid;

	gid = kzalloc(sizeof(*gid), GFP_KERNEL);
	if (!gid)
		return -ENOMEM;
	memcpy(&gid->addr, attr->gid.raw, sizeof(gid->addr));
	list_add_tail_rcu(&gid->node, &dev->gids);
	*context = gid;
	return 0;
}

/* ib_device_ops.del_gid */
int soft_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct soft_gid *gid = *context;

	list_del_rcu(&gid->node);
	kfree_rcu(gid, rcu);
	*context = NULL;
	return 0;
}

/**
 * soft_has_gid() - whether an address is one of the device's
 * @dev: the device
 * @addr: the address
 *
 * Context: RCU held.
 * Return: whether it is.
 */
bool soft_has_gid(const struct soft_dev *dev, const struct in6_addr *addr)
{
	const struct soft_gid *gid;

	list_for_each_entry_rcu(gid, &dev->gids, node)
		if (ipv6_addr_equal(&gid->addr, addr))
			return true;
	return false;
}
