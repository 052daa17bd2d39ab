// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups. The netdev becomes a member of the group as for any program of
 * the host (IGMP, MLD), so that the network sends it here; the IP stack gives
 * members on this host their copy. Each packet goes to all QPs attached, its
 * sender's too if it is one of them.
 *
 * Locks: rtnl, then netdev.c's list of devices, then groups_lock.
 */
#include <linux/igmp.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>

#include "cq.h"
#include "datagram.h"
#include "device.h"
#include "qp.h"

/**
 * struct member - a QP attached to a group
 * @node: in group.members
 * @num: the QP's number in the table
 * @rcu: frees
 */
struct member {
	struct list_head node;
	u32 num;
	struct rcu_head rcu;
};

/**
 * struct group - a multicast group that QPs of a device are attached to
 * @node: in groups
 * @dev: the device; its QPs are gone before it is
 * @addr: the group; an IPv4 one as IPv4-mapped IPv6
 * @joined: the device's netdev is a member
 * @nr: members
 * @members: struct member
 * @rcu: frees
 */
struct group {
	struct list_head node;
	struct soft_dev *dev;
	struct in6_addr addr;
	bool joined;
	unsigned int nr;
	struct list_head members;
	struct rcu_head rcu;
};

/* Changed under groups_lock, read under it or RCU. */
static LIST_HEAD(groups);
static DEFINE_MUTEX(groups_lock);

static int join(struct group *group, struct net_device *ndev)
{
	int err = 0;

	ASSERT_RTNL();
	if (ipv6_addr_v4mapped(&group->addr)) {
		struct in_device *in_dev = __in_dev_get_rtnl(ndev);

		if (!in_dev)
			return -ENODEV;
		ip_mc_inc_group(in_dev, group->addr.s6_addr32[3]);
	} else {
#if IS_ENABLED(CONFIG_IPV6)
		err = ipv6_dev_mc_inc(ndev, &group->addr);
#else
		err = -EAFNOSUPPORT;
#endif
	}
	group->joined = !err;
	return err;
}

/* The netdev may have lost its addresses already, and all memberships with them. */
static void leave(struct group *group, struct net_device *ndev)
{
	struct in_device *in_dev;

	ASSERT_RTNL();
	if (!group->joined)
		return;
	group->joined = false;
	if (!ipv6_addr_v4mapped(&group->addr)) {
#if IS_ENABLED(CONFIG_IPV6)
		ipv6_dev_mc_dec(ndev, &group->addr);
#endif
		return;
	}
	in_dev = __in_dev_get_rtnl(ndev);
	if (in_dev)
		ip_mc_dec_group(in_dev, group->addr.s6_addr32[3]);
}

static struct group *find(const struct soft_dev *dev, const struct in6_addr *addr)
{
	struct group *group;

	list_for_each_entry(group, &groups, node)
		if (group->dev == dev && ipv6_addr_equal(&group->addr, addr))
			return group;
	return NULL;
}

static struct member *find_member(const struct group *group, u32 num)
{
	struct member *member;

	list_for_each_entry(member, &group->members, node)
		if (member->num == num)
			return member;
	return NULL;
}

static struct group *make_group(struct soft_dev *dev, const struct in6_addr *addr,
				struct net_device *ndev)
{
	struct group *group;
	int err;

	if (!soft_count_up(&dev->nr_grp, SOFT_MAX_MCAST_GRP))
		return ERR_PTR(-ENOMEM);
	err = -ENOMEM;
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		goto err_alloc;
	group->dev = dev;
	group->addr = *addr;
	INIT_LIST_HEAD(&group->members);
	err = join(group, ndev);
	if (err)
		goto err_join;
	list_add_tail_rcu(&group->node, &groups);
	return group;

err_join:
	kfree(group);
err_alloc:
	atomic_dec(&dev->nr_grp);
	return ERR_PTR(err);
}

static void drop_group(struct group *group, struct net_device *ndev)
{
	if (ndev)
		leave(group, ndev);
	atomic_dec(&group->dev->nr_grp);
	list_del_rcu(&group->node);
	kfree_rcu(group, rcu);
}

static int attach(struct soft_qp *qp, const struct in6_addr *addr, struct net_device *ndev)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);
	struct group *group = find(dev, addr);
	struct member *member;

	/* Attaching twice is attaching (IBA 11.3.1). */
	if (group && find_member(group, qp->num))
		return 0;
	if (group && group->nr >= SOFT_MAX_MCAST_QP)
		return -ENOMEM;
	member = kzalloc(sizeof(*member), GFP_KERNEL);
	if (!member)
		return -ENOMEM;
	member->num = qp->num;
	if (!group)
		group = make_group(dev, addr, ndev);
	if (IS_ERR(group)) {
		kfree(member);
		return PTR_ERR(group);
	}
	group->nr++;
	list_add_tail_rcu(&member->node, &group->members);
	return 0;
}

static void detach(struct group *group, struct member *member, struct net_device *ndev)
{
	list_del_rcu(&member->node);
	kfree_rcu(member, rcu);
	if (!--group->nr)
		drop_group(group, ndev);
}

/**
 * soft_attach_mcast() - ib_device_ops.attach_mcast
 * @ibqp: a UD QP
 * @gid: the group; IB core has checked that it is one
 * @lid: of no meaning
 *
 * Context: may sleep; takes rtnl.
 * Return: 0; -ENODEV: the netdev has gone, or has no use for addresses of the
 * family; -EAFNOSUPPORT; -ENOMEM, also if there are as many groups as the device has, or
 * as many QPs as a group has.
 */
int soft_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct soft_dev *dev = to_soft_dev(ibqp->device);
	struct net_device *ndev;
	int err = -ENODEV;

	rtnl_lock();
	mutex_lock(&groups_lock);
	ndev = soft_get_netdev(ibqp->device, 1);
	if (ndev && READ_ONCE(dev->net))
		err = attach(to_soft_qp(ibqp), (struct in6_addr *)gid->raw, ndev);
	dev_put(ndev);
	mutex_unlock(&groups_lock);
	rtnl_unlock();
	return err;
}

/* ib_device_ops.detach_mcast: as above; -EINVAL: the QP is not attached. */
int soft_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct soft_dev *dev = to_soft_dev(ibqp->device);
	struct member *member = NULL;
	struct net_device *ndev;
	struct group *group;

	rtnl_lock();
	mutex_lock(&groups_lock);
	ndev = soft_get_netdev(ibqp->device, 1);
	group = find(dev, (struct in6_addr *)gid->raw);
	if (group)
		member = find_member(group, to_soft_qp(ibqp)->num);
	if (member)
		detach(group, member, ndev);
	dev_put(ndev);
	mutex_unlock(&groups_lock);
	rtnl_unlock();
	return member ? 0 : -EINVAL;
}

static bool is_attached(const struct soft_qp *qp)
{
	const struct group *group;
	bool attached = false;

	if (!atomic_read(&to_soft_dev(qp->ibqp.device)->nr_grp))
		return false;
	mutex_lock(&groups_lock);
	list_for_each_entry(group, &groups, node)
		attached |= !!find_member(group, qp->num);
	mutex_unlock(&groups_lock);
	return attached;
}

/**
 * soft_mcast_detach_all() - takes a QP out of all its groups
 * @qp: the QP, being destroyed
 *
 * Context: may sleep; takes rtnl, if there is anything to do.
 */
void soft_mcast_detach_all(struct soft_qp *qp)
{
	struct group *group, *next;
	struct net_device *ndev;
	struct member *member;

	if (qp->ibqp.qp_type != IB_QPT_UD || !is_attached(qp))
		return;
	rtnl_lock();
	mutex_lock(&groups_lock);
	ndev = soft_get_netdev(qp->ibqp.device, 1);
	list_for_each_entry_safe(group, next, &groups, node) {
		member = find_member(group, qp->num);
		if (member)
			detach(group, member, ndev);
	}
	dev_put(ndev);
	mutex_unlock(&groups_lock);
	rtnl_unlock();
}

/**
 * soft_mcast_leave_net() - the device's netdev goes, or leaves its namespace
 * @dev: the device
 * @ndev: the netdev, or NULL: it has gone before
 *
 * Context: under rtnl, if QPs of the device are attached to anything.
 */
void soft_mcast_leave_net(struct soft_dev *dev, struct net_device *ndev)
{
	struct group *group;

	if (!ndev)
		return;
	mutex_lock(&groups_lock);
	list_for_each_entry(group, &groups, node)
		if (group->dev == dev)
			leave(group, ndev);
	mutex_unlock(&groups_lock);
}

/* The netdev has come to a namespace: groups are joined there. Under rtnl. */
void soft_mcast_enter_net(struct soft_dev *dev, struct net_device *ndev)
{
	struct group *group;

	mutex_lock(&groups_lock);
	list_for_each_entry(group, &groups, node)
		if (group->dev == dev && join(group, ndev))
			ibdev_warn(&dev->ibdev, "a multicast group could not be joined again\n");
	mutex_unlock(&groups_lock);
}

/*
 * Whether a packet that came by @ndev came by the device's netdev, or a VLAN on it. The
 * VLAN's netdev lets in what some other program has joined there.
 */
static bool comes_by(const struct soft_dev *dev, const struct net_device *ndev)
{
	const struct net_device *own = rcu_access_pointer(dev->ndev);

	return ndev == own || (is_vlan_dev(ndev) && vlan_dev_real_dev(ndev) == own);
}

/**
 * soft_mcast_deliver() - hands a datagram to the members of a group
 * @ndev: netdev that it came by
 * @daddr: the group
 * @train: the datagram
 *
 * Context: bottom halves off, RCU held, inside soft_enter(), no transport lock held.
 * Return: whether there are any.
 */
bool soft_mcast_deliver(const struct net_device *ndev, const struct in6_addr *daddr,
			const struct tp_train *train)
{
	const struct member *member;
	const struct group *group;
	bool any = false;

	list_for_each_entry_rcu(group, &groups, node) {
		if (!ipv6_addr_equal(&group->addr, daddr) || !comes_by(group->dev, ndev))
			continue;
		list_for_each_entry_rcu(member, &group->members, node) {
			struct soft_qp *qp = soft_qp_get(member->num);

			if (!qp)
				continue;
			any = true;
			soft_datagram_receive(qp, train);
			soft_qp_put(qp);
		}
	}
	return any;
}
