// SPDX-License-Identifier: GPL-2.0
/*
 * Same-host delivery.
 */
#include "local.h"

#include <linux/moduleparam.h>
#include <net/net_namespace.h>

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
	return ipv6_addr_equal(&path->daddr, &peer->saddr) &&
	       ipv6_addr_equal(&path->saddr, &peer->daddr);
}

/* Whether @qp can hand trains to @peer; both paths are read under RCU. */
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

bool soft_local_deliver(struct soft_qp *qp, const struct tp_train *train)
{
	struct soft_qp *peer;
	bool here;

	if (!READ_ONCE(local_delivery))
		return false;
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
