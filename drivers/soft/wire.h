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
 * struct soft_flow - what a consumer says of the IP headers of its packets
 * @saddr: source GID, IPv4 as IPv4-mapped IPv6 (so that addresses compare as 16 bytes)
 * @daddr: destination GID
 * @ipv4: whether both are IPv4-mapped
 * @tclass: traffic class: DSCP and ECN bits
 * @hop_limit: TTL
 * @priority: service level, the skbs' priority
 * @flow_label: 20 bits, IPv6 only on the wire
 * @ifindex: netdev of the source GID
 */
struct soft_flow {
	struct in6_addr saddr;
	struct in6_addr daddr;
	bool ipv4;
	u8 tclass;
	u8 hop_limit;
	u8 priority;
	u32 flow_label;
	int ifindex;
};

/**
 * struct soft_path - where a QP's packets go
 * @flow: the addresses; of a datagram QP nothing, as each address handle has its own
 * @sport: UDP source port, from the flow label (IBA Annex A17.3.2)
 * @ip_id: IPv4 ID of the next packet; may be used twice, as RFC 6864 lets packets
 *         that are never fragmented
 * @num: the QP's number in the table of QPs
 * @flags: PATH_STARVED: the QP waits for room
 * @cpu: where requests [0] and responses [1] were last sent from
 * @asked: the last request sent asks for an answer; under req.lock
 * @sent: when an unreliable connection last sent, jiffies; under req.lock
 * @net: namespace of @sock
 * @held: a reference to @net is held: not by a GSI QP, which would keep the
 *        namespace for as long as its device is there
 * @sock: owns the skbs on their way: counts their bytes, keeps them on one TX
 *        queue, and caches the route; never bound, never receives
 * @write_space: what @sock had for sk_write_space
 * @cookie: validates the cached route
 * @gid: the source GID's table entry; a reference is held. NULL: no @flow
 *
 * Constant after creation but for @ip_id, @flags, @cpu, @asked, @sent and @cookie.
 */
struct soft_path {
	struct soft_flow flow;
	__be16 sport;
	u16 ip_id;
	u32 num;
	unsigned long flags;
	int cpu[2];
	bool asked;
	unsigned long sent;
	struct net *net;
	bool held;
	struct socket *sock;
	void (*write_space)(struct sock *sk);
	u32 cookie;
	const struct ib_gid_attr *gid;
};

#define PATH_STARVED	0	/* bit of @flags */

/* path.c */
int soft_flow_read(struct soft_flow *flow, const struct rdma_ah_attr *ah);
struct dst_entry *soft_flow_route(const struct soft_flow *flow, struct soft_path *path,
				  __be16 sport);
struct soft_path *soft_path_create(struct soft_qp *qp, const struct rdma_ah_attr *ah, u32 dest_qpn);
struct soft_path *soft_path_create_datagram(struct soft_qp *qp);
void soft_path_free(struct soft_path *path);
struct dst_entry *soft_path_route(struct soft_path *path);
bool soft_path_has_room(struct soft_path *path);

/* sock.c */
struct soft_wire *soft_wire_get(struct net *net);
void soft_wire_put(struct soft_wire *wire);

/* wire_tx.c */
int soft_wire_xmit(struct soft_qp *qp, const struct tp_train *train);
void soft_flow_headers(const struct soft_flow *flow, u32 udp_len, u16 id, void *ip);

/* wire_rx.c */
void soft_wire_receive(struct sk_buff *skb);

#endif /* OHCA_SOFT_WIRE_H */
