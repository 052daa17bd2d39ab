/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who receives a datagram: a QP, the GSI QP of a device, or a group.
 */
#ifndef OHCA_SOFT_DATAGRAM_H
#define OHCA_SOFT_DATAGRAM_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct in6_addr;
struct net;
struct net_device;
struct soft_dev;
struct soft_qp;
struct tp_train;

/* The number that the wire knows GSI QPs by (IBA 9.6.1.2). */
#define SOFT_QPN_GSI		1u
/* The number that stands for all members of a group (IBA 9.6.1.2). */
#define SOFT_QPN_MCAST		0xffffffu

/* datagram.c */
struct soft_qp *soft_datagram_qp(const struct net *net, const struct in6_addr *daddr, u32 qpn);
void soft_datagram_receive(struct soft_qp *qp, const struct tp_train *train);
int soft_gsi_claim(struct soft_qp *qp);
void soft_gsi_release(struct soft_qp *qp);
void soft_gsi_leave_net(struct soft_dev *dev);
void soft_gsi_enter_net(struct soft_dev *dev);

/* mcast.c */
bool soft_mcast_deliver(const struct net_device *ndev, const struct in6_addr *daddr,
			const struct tp_train *train);
void soft_mcast_leave_net(struct soft_dev *dev, struct net_device *ndev);
void soft_mcast_enter_net(struct soft_dev *dev, struct net_device *ndev);
void soft_mcast_detach_all(struct soft_qp *qp);

/* ib_device_ops */
int soft_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int soft_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

#endif /* OHCA_SOFT_DATAGRAM_H */
