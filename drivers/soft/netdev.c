// SPDX-License-Identifier: GPL-2.0
/*
 * Devices and their netdevs.
 *
 * IB core can find a device by its netdev (ib_device_set_netdev()), but would let
 * rxe do so too: by driver id, which is the same, to take it for its own. So the
 * list of devices is kept here, and ib_device_ops.get_netdev tells IB core the
 * netdev of a device.
 *
 * For the same reason ib_unregister_driver() is not for us: it would take rxe's
 * devices along. (rxe's call of it takes ours, orderly: they are unregistered like
 * by `rdma link del`.) The list holds a reference to each device's memory until
 * it is known to be unregistered. ib_unregister_device() waits for whoever else is
 * at it, so module exit can call it for each of the list, and no code of ours runs
 * afterwards.
 *
 * Locks: rtnl, then soft_devs_lock. IB core takes rtnl while it registers and
 * unregisters a device, so both are done with soft_devs_lock free. dealloc_driver
 * takes it, with IB core's unregistration lock held.
 */
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/notifier.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>

#include "datagram.h"
#include "device.h"
#include "gid.h"
#include "qp.h"
#include "stats.h"
#include "wire.h"

/* All devices. Changed under soft_devs_lock, read under it or RCU. */
static LIST_HEAD(soft_devs);
static DEFINE_MUTEX(soft_devs_lock);

static struct net_device *netdev_of(const struct soft_dev *dev)
{
	return rcu_dereference_protected(dev->ndev, lockdep_is_held(&soft_devs_lock));
}

static struct soft_dev *find(const struct net_device *ndev)
{
	struct soft_dev *dev;

	list_for_each_entry(dev, &soft_devs, node) {
		if (netdev_of(dev) == ndev)
			return dev;
	}
	return NULL;
}

/* ib_device_ops.get_netdev: with a reference, or NULL once it has gone. */
struct net_device *soft_get_netdev(struct ib_device *ibdev, u32 port)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(to_soft_dev(ibdev)->ndev);
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/**
 * soft_dev_count_drop() - counts a packet that found no QP
 * @ndev: netdev it came by
 * @why: why it was dropped
 *
 * Context: RCU held. No device on @ndev: nothing is counted.
 */
void soft_dev_count_drop(struct net_device *ndev, enum tp_drop why)
{
	struct soft_dev *dev;

	list_for_each_entry_rcu(dev, &soft_devs, node) {
		if (rcu_access_pointer(dev->ndev) == ndev) {
			soft_stats_drop(dev->stats, why);
			return;
		}
	}
}

/**
 * soft_dev_by_gid() - whose an address is
 * @net: the namespace
 * @addr: the address
 *
 * Context: RCU held.
 * Return: the device, for as long as RCU is held; or NULL.
 */
const struct soft_dev *soft_dev_by_gid(const struct net *net, const struct in6_addr *addr)
{
	const struct soft_dev *dev;

	list_for_each_entry_rcu(dev, &soft_devs, node)
		if (READ_ONCE(dev->net) == net && soft_has_gid(dev, addr))
			return dev;
	return NULL;
}

/* The next QP that has not seen the device's latest move; a reference is held. */
static struct soft_qp *next_qp(struct soft_dev *dev)
{
	struct soft_qp *qp, *found = NULL;

	spin_lock(&dev->qps_lock);
	while (!found && !list_empty(&dev->qps)) {
		qp = list_first_entry(&dev->qps, struct soft_qp, dev_node);
		if (qp->moves == dev->moves)
			break;
		qp->moves = dev->moves;
		list_move_tail(&qp->dev_node, &dev->qps);
		/* NULL: it is being destroyed. */
		found = soft_qp_get(qp->num);
	}
	spin_unlock(&dev->qps_lock);
	return found;
}

/* The addresses that the QPs were connected by are no more. */
static void fail_qps(struct soft_dev *dev)
{
	struct soft_qp *qp;

	spin_lock(&dev->qps_lock);
	dev->moves++;
	spin_unlock(&dev->qps_lock);

	while ((qp = next_qp(dev))) {
		if (qp->ibqp.qp_type != IB_QPT_GSI)
			soft_qp_fail(qp);
		soft_qp_put(qp);
	}
}

/* The device has no namespace any more: its QPs fail, and its sockets are given back. */
static void leave_net(struct soft_dev *dev)
{
	struct soft_wire *wire = dev->wire;

	lockdep_assert_held(&soft_devs_lock);
	WRITE_ONCE(dev->wire, NULL);
	WRITE_ONCE(dev->net, NULL);
	fail_qps(dev);
	soft_mcast_leave_net(dev, netdev_of(dev));
	soft_gsi_leave_net(dev);
	synchronize_net();
	if (wire)
		soft_wire_put(wire);
}

/* The netdev has come to a namespace: the device goes on there, with no QP connected. */
static void enter_net(struct soft_dev *dev, struct net *net)
{
	struct soft_wire *wire;

	lockdep_assert_held(&soft_devs_lock);
	wire = soft_wire_get(net);
	if (IS_ERR(wire)) {
		ibdev_err(&dev->ibdev, "no socket in the netdev's new namespace: %pe\n", wire);
		return;
	}
	WRITE_ONCE(dev->net, net);
	WRITE_ONCE(dev->wire, wire);
	soft_gsi_enter_net(dev);
	soft_mcast_enter_net(dev, netdev_of(dev));
}

/* Drops the netdev. Its device can't be used without it. */
static void forget_netdev(struct soft_dev *dev)
{
	struct net_device *ndev = netdev_of(dev);

	RCU_INIT_POINTER(dev->ndev, NULL);
	netdev_put(ndev, &dev->ndev_tracker);
}

static void netdev_gone(struct soft_dev *dev)
{
	/* Now, as IB core takes its time: who waits for a packet waits in vain. */
	fail_qps(dev);
	soft_mcast_leave_net(dev, netdev_of(dev));
	forget_netdev(dev);
	if (!dev->registered) {
		dev->gone = true;
	} else if (ib_device_try_get(&dev->ibdev)) {
		ib_unregister_device_queued(&dev->ibdev);
		ib_device_put(&dev->ibdev);
	}
}

static void port_event(struct soft_dev *dev, struct net_device *ndev, unsigned long event)
{
	enum ib_port_state before = dev->port.state;

	/* Not yet, or no more: there is nobody to tell. */
	if (!dev->registered || !ib_device_try_get(&dev->ibdev))
		return;
	ohca_port_netdev_event(&dev->port, ndev, event);
	if (before == IB_PORT_ACTIVE && dev->port.state != IB_PORT_ACTIVE)
		soft_stats_event(dev->stats, SOFT_CNT_LINK_DOWNED);
	ib_device_put(&dev->ibdev);
}

/*
 * NETDEV_UNREGISTER is the end of a netdev, or the beginning of its move to
 * another namespace, which NETDEV_REGISTER ends.
 */
static void netdev_event(struct soft_dev *dev, struct net_device *ndev, unsigned long event)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		if (ndev->reg_state == NETREG_REGISTERED)
			leave_net(dev);
		else
			netdev_gone(dev);
		break;
	case NETDEV_REGISTER:
		if (!dev->wire)
			enter_net(dev, dev_net(ndev));
		break;
	default:
		port_event(dev, ndev, event);
	}
}

static int soft_netdev_notify(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct soft_dev *dev;

	mutex_lock(&soft_devs_lock);
	dev = find(ndev);
	if (dev)
		netdev_event(dev, ndev, event);
	mutex_unlock(&soft_devs_lock);
	return NOTIFY_DONE;
}

static struct notifier_block soft_netdev_nb = {
	.notifier_call = soft_netdev_notify,
};

/*
 * A namespace ends. Its netdevs go or move later than this; the sockets must be
 * gone by then, and nobody is left in it who would use them.
 */
static void __net_exit soft_net_exit(struct net *net)
{
	struct soft_dev *dev;

	rtnl_lock();
	mutex_lock(&soft_devs_lock);
	list_for_each_entry(dev, &soft_devs, node) {
		if (dev->net == net)
			leave_net(dev);
	}
	mutex_unlock(&soft_devs_lock);
	rtnl_unlock();
}

static struct pernet_operations soft_net_ops = {
	.exit = soft_net_exit,
};

/* Frees the memory of devices that have been unregistered. */
static void prune(void)
{
	struct soft_dev *dev, *next;

	mutex_lock(&soft_devs_lock);
	list_for_each_entry_safe(dev, next, &soft_devs, node) {
		if (dev->dead) {
			list_del_rcu(&dev->node);
			put_device(&dev->ibdev.dev);
		}
	}
	mutex_unlock(&soft_devs_lock);
}

/*
 * RoCE needs Ethernet addresses. A VLAN's addresses are in the GID table of the
 * netdev below it, which is the one to put a device on.
 */
static int check_netdev(const struct net_device *ndev)
{
	if (ndev->type != ARPHRD_ETHER && ndev->type != ARPHRD_LOOPBACK)
		return -EOPNOTSUPP;
	return is_vlan_dev(ndev) ? -EOPNOTSUPP : 0;
}

/* From now on the netdev's events find the device. */
static int attach(struct soft_dev *dev, struct net_device *ndev)
{
	int err = 0;

	rtnl_lock();
	mutex_lock(&soft_devs_lock);
	if (find(ndev)) {
		err = -EEXIST;
	} else if (ndev->reg_state != NETREG_REGISTERED || !net_eq(dev_net(ndev), dev->net)) {
		err = -ENODEV;
	} else {
		netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
		rcu_assign_pointer(dev->ndev, ndev);
		get_device(&dev->ibdev.dev);
		list_add_tail_rcu(&dev->node, &soft_devs);
	}
	mutex_unlock(&soft_devs_lock);
	rtnl_unlock();
	return err;
}

/* Whether the netdev is still there; its events reach the device's users from now on. */
static bool set_registered(struct soft_dev *dev, struct net_device *ndev)
{
	bool gone;

	mutex_lock(&soft_devs_lock);
	dev->registered = true;
	gone = dev->gone;
	if (!gone && ib_device_try_get(&dev->ibdev)) {
		/* What happened in the meantime. */
		ohca_port_update(&dev->port, ndev);
		ib_device_put(&dev->ibdev);
	}
	mutex_unlock(&soft_devs_lock);
	return !gone;
}

/**
 * soft_netdev_add() - rdma_link_ops.newlink: makes a device on a netdev
 * @name: of the device
 * @ndev: the netdev; the caller holds a reference
 *
 * Context: may sleep; no rtnl.
 * Return: 0; -EOPNOTSUPP: not a netdev for RoCE; -EEXIST: it has a device;
 * -ENODEV: it is going; -EADDRINUSE: another driver has the namespace's UDP port
 * 4791; -ENFILE: the name is taken; -ENOMEM.
 */
int soft_netdev_add(const char *name, struct net_device *ndev)
{
	struct soft_dev *dev;
	int err;

	err = check_netdev(ndev);
	if (err)
		return err;
	prune();
	dev = soft_device_alloc(ndev);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = attach(dev, ndev);
	if (err)
		goto err_dealloc;
	err = soft_device_register(dev, name);
	if (err)
		goto err_dealloc;
	if (!set_registered(dev, ndev)) {
		ib_unregister_device(&dev->ibdev);
		return -ENODEV;
	}
	return 0;

err_dealloc:
	ib_dealloc_device(&dev->ibdev);
	prune();
	return err;
}

/* The device is unregistered: gives back what it holds of its netdev and namespace. */
void soft_netdev_release(struct soft_dev *dev)
{
	mutex_lock(&soft_devs_lock);
	if (netdev_of(dev))
		forget_netdev(dev);
	leave_net(dev);
	dev->dead = true;
	mutex_unlock(&soft_devs_lock);
}

int soft_netdev_init(void)
{
	int err;

	/*
	 * After IB core's and the network stack's own: theirs exit later, so that
	 * soft_net_exit() is before netdevs and devices leave a namespace.
	 */
	err = register_pernet_device(&soft_net_ops);
	if (err)
		return err;
	err = register_netdevice_notifier(&soft_netdev_nb);
	if (err)
		unregister_pernet_device(&soft_net_ops);
	return err;
}

/* No device is made any more. Returns when the last one is unregistered. */
void soft_netdev_exit(void)
{
	struct soft_dev *dev;

	mutex_lock(&soft_devs_lock);
	while (!list_empty(&soft_devs)) {
		dev = list_first_entry(&soft_devs, struct soft_dev, node);
		mutex_unlock(&soft_devs_lock);
		/* Nobody else takes it off the list. */
		ib_unregister_device(&dev->ibdev);
		mutex_lock(&soft_devs_lock);
		list_del_rcu(&dev->node);
		put_device(&dev->ibdev.dev);
	}
	mutex_unlock(&soft_devs_lock);

	unregister_netdevice_notifier(&soft_netdev_nb);
	unregister_pernet_device(&soft_net_ops);
}
