/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ports: what a netdev's state means for the RoCE port on it.
 */
#ifndef OHCA_PORT_H
#define OHCA_PORT_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

struct net_device;

/**
 * struct ohca_port - the event side of a port
 * @ibdev: the device
 * @num: port number
 * @lock: guards @state
 * @state: what consumers were last told
 */
struct ohca_port {
	struct ib_device *ibdev;
	u32 num;
	spinlock_t lock;
	enum ib_port_state state;
};

enum ib_mtu ohca_port_mtu(unsigned int netdev_mtu);
enum ib_port_state ohca_port_state(const struct net_device *ndev);
enum ib_port_phys_state ohca_port_phys_state(const struct net_device *ndev);
int ohca_port_query(struct ib_device *ibdev, u32 num, struct ib_port_attr *attr);
void ohca_port_init(struct ohca_port *port, struct ib_device *ibdev, u32 num,
		    const struct net_device *ndev);
bool ohca_port_netdev_event(struct ohca_port *port, struct net_device *ndev, unsigned long event);
void ohca_port_update(struct ohca_port *port, struct net_device *ndev);

#endif /* OHCA_PORT_H */
