// SPDX-License-Identifier: GPL-2.0
/*
 * Same-host delivery.
 */
#include "local.h"

#include <linux/moduleparam.h>
#include <linux/udp.h>
#include <net/net_namespace.h>

#include "ah.h"
#include "datagram.h"
#include "device.h"
#include "qp.h"
#include "trace.h"
#include "wire.h"

static bool local_delivery = true;
module_param(local_delivery, bool, 0644);
MODULE_PARM_DESC(local_delivery,
		 "deliver to QPs of the same host and network namespace without packets (default: on)");

/* Whether @peer's path is @path, seen from the other end. */
static bool is_mirror(const struct soft_path *path, const struct soft_path *peer)
{
	return ipv6_addr_equal(&path->flow.daddr, &peer->flow.saddr) &&
	       ipv6_addr_equal(&path->flow.saddr, &peer->flow.daddr);
}

/* Whether @qp, a connected QP, can hand trains to @peer; both paths are read under RCU. */
static bool is_peer(const struct soft_qp *qp, const struct soft_qp *peer)
{
	const struct net *net = READ_ONCE(to_soft_dev(qp->ibqp.device)->net);
	const struct net *peer_net = READ_ONCE(to_soft_dev(peer->ibqp.device)->net);
	const struct soft_path *path = rcu_dereference(qp->path);
	const struct soft_path *peer_path = rcu_dereference(peer->path);

	if (!net || net != peer_net || qp->ibqp.qp_type != peer->ibqp.qp_type)
		return false;
	/* No path yet: below RTR. The wire shows the sender what a peer does then: nothing. */
	return path && peer_path && is_mirror(path, peer_path);
}

/* The receiver of a datagram, with a reference, if it is in @dev's namespace; or NULL. */
static struct soft_qp *find_receiver(struct soft_dev *dev, const struct soft_dest *dest, u32 qpn)
{
	struct net *net = READ_ONCE(dev->net);

	/* Groups have members elsewhere too: the wire has them all. */
	return net && !dest->multicast ? soft_datagram_qp(net, &dest->flow.daddr, qpn) : NULL;
}

/* A datagram, with the headers that it would have had on a wire. */
static bool deliver_datagram(struct soft_qp *qp, const struct tp_train *train)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);
	struct tp_origin origin = {};
	struct tp_train copy = *train;
	struct soft_dest *dest;
	struct soft_qp *peer;
	u8 head[TP_HEADER_MAX];
	u32 len;

	dest = soft_ah_find(dev, train->ah);
	if (!dest || !rcu_access_pointer(qp->path))
		return false;
	peer = find_receiver(dev, dest, train->dest_qpn);
	if (!peer)
		return false;

	len = sizeof(struct udphdr) + tp_train_headers(train, 0, head) +
	      round_up(train->length, 4) + TP_ICRC_BYTES;
	origin.ipv4 = dest->flow.ipv4;
	soft_flow_headers(&dest->flow, len, 0, origin.grh + (origin.ipv4 ? 20 : 0));
	copy.origin = &origin;
	trace_ohca_receive(&peer->ibqp, &copy);
	if (tp_deliver_local(&qp->tp, &peer->tp, &copy))
		soft_qp_defer(peer);
	soft_qp_put(peer);
	return true;
}

bool soft_local_deliver(struct soft_qp *qp, const struct tp_train *train)
{
	struct soft_qp *peer;
	bool here;

	if (!READ_ONCE(local_delivery))
		return false;
	if (train->service == TP_UD) {
		rcu_read_lock();
		here = deliver_datagram(qp, train);
		rcu_read_unlock();
		return here;
	}
	peer = soft_qp_get(train->dest_qpn);
	if (!peer)
		return false;

	rcu_read_lock();
	here = is_peer(qp, peer);
	rcu_read_unlock();
	if (here) {
		trace_ohca_receive(&peer->ibqp, train);
		if (tp_deliver_local(&qp->tp, &peer->tp, train))
			soft_qp_defer(peer);
	}
	soft_qp_put(peer);
	return here;
}
