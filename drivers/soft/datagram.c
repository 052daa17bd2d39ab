// SPDX-License-Identifier: GPL-2.0
/*
 * Who receives a datagram, and the GSI QP, which the wire knows as QP 1 at each of
 * its device's addresses (IBA 9.8.3, 16.1).
 */
#include "datagram.h"

#include <net/net_namespace.h>

#include "device.h"
#include "gid.h"
#include "qp.h"
#include "trace.h"
#include "wire.h"

/**
 * soft_datagram_qp() - looks up the receiver of a datagram
 * @net: the namespace that it is in
 * @daddr: the address that it was sent to
 * @qpn: the number
 *
 * Context: RCU held.
 * Return: a datagram QP of a device that has the address, with a reference for
 * soft_qp_put(); or NULL.
 */
struct soft_qp *soft_datagram_qp(const struct net *net, const struct in6_addr *daddr, u32 qpn)
{
	const struct soft_dev *dev;
	struct soft_qp *qp;

	if (qpn == SOFT_QPN_GSI) {
		dev = soft_dev_by_gid(net, daddr);
		return dev ? soft_qp_get(READ_ONCE(dev->gsi)) : NULL;
	}
	qp = soft_qp_get(qpn);
	if (!qp)
		return NULL;
	dev = to_soft_dev(qp->ibqp.device);
	if (qp->tp.service == TP_UD && READ_ONCE(dev->net) == net && soft_has_gid(dev, daddr))
		return qp;
	soft_qp_put(qp);
	return NULL;
}

/**
 * soft_datagram_receive() - hands a datagram from the wire to a QP
 * @qp: the QP; the caller holds a reference
 * @train: the datagram
 *
 * Context: bottom halves off, inside soft_enter(), no transport lock held.
 */
void soft_datagram_receive(struct soft_qp *qp, const struct tp_train *train)
{
	trace_ohca_receive(&qp->ibqp, train);
	if (tp_receive(&qp->tp, train))
		soft_qp_defer(qp);
}

/**
 * soft_gsi_claim() - makes a QP the GSI QP of its device
 * @qp: the QP, being created
 *
 * Context: any.
 * Return: 0, or -EBUSY: the device has one.
 */
int soft_gsi_claim(struct soft_qp *qp)
{
	return cmpxchg(&to_soft_dev(qp->ibqp.device)->gsi, 0, qp->num) ? -EBUSY : 0;
}

/* Takes that back; a QP that is not its device's GSI QP is left alone. */
void soft_gsi_release(struct soft_qp *qp)
{
	cmpxchg(&to_soft_dev(qp->ibqp.device)->gsi, qp->num, 0);
}

/**
 * soft_gsi_leave_net() - the device leaves its namespace
 * @dev: the device; its net is NULL already
 *
 * The GSI QP is IB core's, which makes it once: it does not fail, but has no path
 * for as long as the device has no namespace.
 *
 * Context: may sleep.
 */
void soft_gsi_leave_net(struct soft_dev *dev)
{
	struct soft_qp *qp = soft_qp_get(READ_ONCE(dev->gsi));

	if (!qp)
		return;
	soft_qp_drop_path(qp);
	soft_qp_put(qp);
}

/* The device has come to a namespace. May sleep. */
void soft_gsi_enter_net(struct soft_dev *dev)
{
	struct soft_qp *qp = soft_qp_get(READ_ONCE(dev->gsi));

	if (!qp)
		return;
	soft_qp_renew_path(qp);
	soft_qp_put(qp);
}
