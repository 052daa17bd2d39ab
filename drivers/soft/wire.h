/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wire: RoCE v2 over the host's UDP/IP.
 */
#ifndef OHCA_SOFT_WIRE_H
#define OHCA_SOFT_WIRE_H

#include <linux/types.h>
#include <linux/in6.h>
#include <linux/rcupdate.h>

struct net;
struct soft_dev;
struct soft_qp;
struct tp_train;
struct ib_qp_attr;
struct rdma_ah_attr;

/**
 * struct soft_path - where a QP's packets go
 * @saddr: source GID, IPv4 as IPv4-mapped IPv6 (so that addresses compare as 16 bytes)
 * @daddr: destination GID
 * @ipv4: whether both are IPv4-mapped
 * @tclass: traffic class: DSCP and ECN bits
 * @hop_limit: TTL
 * @flow_label: 20 bits, IPv6 only on the wire
 * @sport: UDP source port, from the flow label (IBA Annex A17.3.2; rdma_get_udp_sport())
 * @ifindex: netdev of the source GID: a link-local address needs it
 * @gid: the source GID's table entry; a reference is held
 * @dst: cached route of the path, checked by its cookie before each use (or as wire.c sees fit)
 * @rcu: frees
 */
struct soft_path {
	struct in6_addr saddr;
	struct in6_addr daddr;
	bool ipv4;
	u8 tclass;
	u8 hop_limit;
	u32 flow_label;
	__be16 sport;
	int ifindex;
	const struct ib_gid_attr *gid;
	struct rcu_head rcu;
};

/* A path from an address handle's attributes; may sleep. ERR_PTR: -EINVAL, -ENOMEM, -ENETUNREACH. */
struct soft_path *soft_path_create(struct soft_dev *dev, const struct rdma_ah_attr *ah, u32 qpn,
				   u32 dest_qpn);
/* Frees after a grace period. NULL is fine. */
void soft_path_free(struct soft_path *path);

/*
 * The sockets of a namespace: one IPv4, one IPv6, on UDP port 4791; made with
 * the namespace's first device, gone with its last. May sleep. ERR_PTR.
 */
struct soft_wire *soft_wire_get(struct net *net);
void soft_wire_put(struct soft_wire *wire);

/* Builds and sends the packets of @train along the path of @qp. As tp_owner_xmit(). */
int soft_wire_xmit(struct soft_qp *qp, const struct tp_train *train);

/*
 * No packet and no deferred transmission refers to @qp any more when this
 * returns: called by destroy after the QP's number was taken back. May sleep.
 */
void soft_wire_flush(struct soft_qp *qp);

/* Module init and exit: caches, the tasklets or sockets' shared parts. */
int soft_wire_init(void);
void soft_wire_exit(void);

#endif /* OHCA_SOFT_WIRE_H */
