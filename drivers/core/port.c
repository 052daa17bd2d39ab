// SPDX-License-Identifier: GPL-2.0
/*
 * Ports: a RoCE port is up when its netdev is, and as wide and fast as that.
 */
#include <ohca/port.h>

#include <linux/ethtool.h>
#include <linux/export.h>
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>
#include <ohca/compat.h>

/**
 * ohca_port_mtu() - the path MTU that a netdev can carry
 * @netdev_mtu: its MTU, bytes
 *
 * The largest IBA MTU whose packet fits with the largest headers that it can
 * have: IPv6, UDP, BTH, XRC and atomic headers, ICRC. IB core's connection
 * manager takes the same room off (iboe_get_mtu()), so that both agree.
 *
 * Context: any.
 * Return: enum ib_mtu; IB_MTU_256, the smallest there is, if not even that fits.
 */
enum ib_mtu ohca_port_mtu(unsigned int netdev_mtu)
{
	enum ib_mtu mtu = iboe_get_mtu(min_t(unsigned int, netdev_mtu, INT_MAX));

	return mtu ?: IB_MTU_256;
}
EXPORT_SYMBOL_GPL(ohca_port_mtu);

/**
 * ohca_port_state() - the port state that a netdev's state means
 * @ndev: the netdev; NULL: it has gone
 *
 * Context: any.
 * Return: IB_PORT_ACTIVE or IB_PORT_DOWN; RoCE knows no other.
 */
enum ib_port_state ohca_port_state(const struct net_device *ndev)
{
	if (ndev && netif_running(ndev) && netif_carrier_ok(ndev))
		return IB_PORT_ACTIVE;
	return IB_PORT_DOWN;
}
EXPORT_SYMBOL_GPL(ohca_port_state);

/**
 * ohca_port_phys_state() - the physical port state that a netdev's state means
 * @ndev: the netdev; NULL: it has gone
 *
 * Context: any.
 * Return: link up; polling: up, but no carrier; disabled: administratively down.
 */
enum ib_port_phys_state ohca_port_phys_state(const struct net_device *ndev)
{
	if (!ndev || !netif_running(ndev))
		return IB_PORT_PHYS_STATE_DISABLED;
	if (!netif_carrier_ok(ndev))
		return IB_PORT_PHYS_STATE_POLLING;
	return IB_PORT_PHYS_STATE_LINK_UP;
}
EXPORT_SYMBOL_GPL(ohca_port_phys_state);

/*
 * Virtual netdevs often tell no speed. ib_get_eth_speed() warns about each of
 * them each time, so it is not asked then; it would answer the same.
 */
static int port_speed(struct ib_device *ibdev, u32 num, const struct net_device *ndev,
		      struct ib_port_attr *attr)
{
	if (ndev && ndev->ethtool_ops && ndev->ethtool_ops->get_link_ksettings)
		return ib_get_eth_speed(ibdev, num, &attr->active_speed, &attr->active_width);

	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	return 0;
}

/**
 * ohca_port_query() - fills what ib_device_ops.query_port says of a port's link
 * @ibdev: the device; ib_device_set_netdev() has told IB core the netdev
 * @num: port number
 * @attr: state, phys_state, max_mtu, active_mtu, active_width and active_speed
 *        are set; the rest (table lengths, capabilities) is the driver's
 *
 * A port whose netdev has gone is down.
 *
 * Context: may sleep; takes rtnl_lock().
 * Return: 0 or an errno of the netdev's.
 */
int ohca_port_query(struct ib_device *ibdev, u32 num, struct ib_port_attr *attr)
{
	struct net_device *ndev = ib_device_get_netdev(ibdev, num);
	int err;

	attr->state = ohca_port_state(ndev);
	attr->phys_state = ohca_port_phys_state(ndev);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ohca_port_mtu(ndev ? READ_ONCE(ndev->mtu) : 0);
	err = port_speed(ibdev, num, ndev, attr);
	/* The netdev can go between the look-up and the question. */
	if (err == -ENODEV)
		err = port_speed(ibdev, num, NULL, attr);
	dev_put(ndev);
	return err;
}
EXPORT_SYMBOL_GPL(ohca_port_query);

/**
 * ohca_port_init() - begins to watch a port's state
 * @port: to fill
 * @ibdev: the device
 * @num: port number
 * @ndev: its netdev
 *
 * Context: any.
 */
void ohca_port_init(struct ohca_port *port, struct ib_device *ibdev, u32 num,
		    const struct net_device *ndev)
{
	port->ibdev = ibdev;
	port->num = num;
	spin_lock_init(&port->lock);
	port->state = ohca_port_state(ndev);
}
EXPORT_SYMBOL_GPL(ohca_port_init);

/**
 * ohca_port_update() - tells consumers if the port's state has changed
 * @port: the port; its device is registered
 * @ndev: its netdev
 *
 * Raises IB_EVENT_PORT_ACTIVE or IB_EVENT_PORT_ERR, once for each change
 * (IBA 11.6.3.2). Where IB core keeps count of that, it is asked to.
 *
 * Context: may sleep. Callers need no lock: the change is found under @port's.
 */
void ohca_port_update(struct ohca_port *port, struct net_device *ndev)
{
	enum ib_port_state state = ohca_port_state(ndev);
	struct ib_event event = {};
	bool changed;

	spin_lock(&port->lock);
	changed = port->state != state;
	port->state = state;
	spin_unlock(&port->lock);

	if (OHCA_CORE_PORT_EVENTS) {
		ib_dispatch_port_state_event(port->ibdev, ndev);
		return;
	}
	if (!changed)
		return;
	event.device = port->ibdev;
	event.element.port_num = port->num;
	event.event = state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR;
	ib_dispatch_event(&event);
}
EXPORT_SYMBOL_GPL(ohca_port_update);

/**
 * ohca_port_netdev_event() - what a netdev event means for the port on it
 * @port: the port; its device is registered
 * @ndev: its netdev
 * @event: NETDEV_*, from a netdevice notifier
 *
 * A new MTU needs no event: query_port reads it, and QPs keep their path MTU.
 * A new MAC or address is IB core's affair (IB_EVENT_GID_CHANGE); RoCE has no
 * LID to change. A netdev that goes takes its device with it, which is the
 * driver's to do.
 *
 * Context: may sleep; under rtnl_lock().
 * Return: whether the event was about the port's state.
 */
bool ohca_port_netdev_event(struct ohca_port *port, struct net_device *ndev, unsigned long event)
{
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		ohca_port_update(port, ndev);
		return true;
	default:
		return false;
	}
}
EXPORT_SYMBOL_GPL(ohca_port_netdev_event);
