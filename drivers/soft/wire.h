/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wire: RoCE v2 over the host's UDP/IP.
 */
#ifndef OHCA_SOFT_WIRE_H
#define OHCA_SOFT_WIRE_H

#include <linux/types.h>
#include <linux/in6.h>
#include <linux/rcupdate.h>

struct dst_entry;
struct net;
struct rdma_ah_attr;
struct sk_buff;
struct sock;
struct socket;
struct soft_dev;
struct soft_qp;
struct soft_wire;
struct tp_train;

/* Bytes of a QP's packets that may wait in the host's queues, with overhead. */
#define SOFT_PATH_BYTES	1048576

/**
 * struct soft_path - where a QP's packets go
 * @saddr: source GID, IPv4 as IPv4-mapped IPv6 (so that addresses compare as 16 bytes)
 * @daddr: destination GID
 * @ipv4: whether both are IPv4-mapped
 * @tclass: traffic class: DSCP and ECN bits
 * @hop_limit: TTL
 * @priority: service level, the skbs' priority
 * @flow_label: 20 bits, IPv6 only on the wire
 * @sport: UDP source port, from the flow label (IBA Annex A17.3.2)
 * @ip_id: IPv4 ID of the next packet; may be used twice, as RFC 6864 lets packets
 *         that are never fragmented
 * @ifindex: netdev of the source GID
 * @qpn: the QP's number
 * @flags: PATH_STARVED: the QP waits for room
 * @cpu: where requests [0] and responses [1] were last sent from
 * @asked: the last request sent asks for an answer; under req.lock
 * @net: namespace of @sock; a reference is held
 * @sock: owns the skbs on their way: counts their bytes, keeps them on one TX
 *        queue, and caches the route; never bound, never receives
 * @write_space: what @sock had for sk_write_space
 * @cookie: validates the cached route
 * @gid: the source GID's table entry; a reference is held
 *
 * Constant after creation but for @ip_id, @flags, @cpu, @asked and @cookie.
 */
struct soft_path {
	struct in6_addr saddr;
	struct in6_addr daddr;
	bool ipv4;
	u8 tclass;
	u8 hop_limit;
	u8 priority;
	u32 flow_label;
	__be16 sport;
	u16 ip_id;
	int ifindex;
	u32 qpn;
	unsigned long flags;
	int cpu[2];
	bool asked;
	struct net *net;
	struct socket *sock;
	void (*write_space)(struct sock *sk);
	u32 cookie;
	const struct ib_gid_attr *gid;
};

#define PATH_STARVED	0	/* bit of @flags */

/* path.c */
struct soft_path *soft_path_create(struct soft_dev *dev, const struct rdma_ah_attr *ah, u32 qpn,
				   u32 dest_qpn);
void soft_path_free(struct soft_path *path);
struct dst_entry *soft_path_route(struct soft_path *path);
bool soft_path_has_room(struct soft_path *path);

/* sock.c */
struct soft_wire *soft_wire_get(struct net *net);
void soft_wire_put(struct soft_wire *wire);

/* wire_tx.c */
int soft_wire_xmit(struct soft_qp *qp, const struct tp_train *train);

/* wire_rx.c */
void soft_wire_receive(struct sk_buff *skb);

#endif /* OHCA_SOFT_WIRE_H */
