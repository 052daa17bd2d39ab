// SPDX-License-Identifier: GPL-2.0
/*
 * From a train to skbs.
 *
 * The packets of a train are cut into runs of packets of one size; the last of
 * a run may be shorter. A run becomes one skb: UDP GSO (SKB_GSO_UDP_L4) cuts it
 * into packets below us, as late as possible, or never if it stays on the host.
 * Each packet is laid out complete, BTH to ICRC. The ICRC covers lengths and the IPv4
 * ID, so it is computed for what segmentation will make of the headers: its own
 * lengths, and an ID counted up by one for each segment.
 */
#include "wire.h"

#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/sock.h>
#include <net/udp.h>
#include <ohca/compat.h>

#include "ah.h"
#include "device.h"
#include "icrc.h"
#include "qp.h"
#include "segment.h"
#include "stats.h"

/* Up to here a packet lives in the skb's head; larger ones in pages. */
#define LINEAR_MAX	1024u

/**
 * struct tx - a train on its way out
 * @path: of the QP: its socket sends
 * @flow: the addresses
 * @dst: the route
 * @sport: UDP source port
 */
struct tx {
	struct soft_path *path;
	const struct soft_flow *flow;
	struct dst_entry *dst;
	__be16 sport;
};

/**
 * struct run - packets that make one skb
 * @first: index of the first packet in the train
 * @npkts: how many
 * @size: UDP payload of each but the last
 * @bytes: UDP payload of all
 */
struct run {
	u32 first;
	u32 npkts;
	u32 size;
	u32 bytes;
};

/**
 * struct out - an skb being filled
 * @skb: the skb
 * @frag: next page fragment to fill
 * @p: where to write
 * @room: bytes left at @p
 */
struct out {
	struct sk_buff *skb;
	unsigned int frag;
	u8 *p;
	u32 room;
};

/**
 * struct in - where reading a train's payload has come to
 * @seg: segment
 * @off: bytes of it that were read
 */
struct in {
	const struct tp_seg *seg;
	u32 off;
};

static u32 packet_bytes(const struct tp_train *train, u32 i)
{
	u8 head[TP_HEADER_MAX];

	return tp_train_headers(train, i, head) + round_up(tp_train_payload(train, i), 4) +
	       TP_ICRC_BYTES;
}

static u32 ip_header_len(const struct soft_flow *flow)
{
	return flow->ipv4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

/* UDP payload that one skb may have on its way. */
static u32 skb_limit(const struct tx *tx)
{
	u32 limit = min_t(u32, READ_ONCE(tx->dst->dev->gso_max_size), GSO_LEGACY_MAX_SIZE);
	u32 headers = VLAN_ETH_HLEN + sizeof(struct udphdr) + ip_header_len(tx->flow);

	/* An skb of exactly that size is cut already. */
	return limit - 1 > headers ? limit - 1 - headers : 0;
}

/* The run that begins with packet @first. Packets between first and last are all alike. */
static void find_run(const struct tp_train *train, u32 first, u32 limit, u32 max_pkts,
		     struct run *run)
{
	u32 i, bytes = packet_bytes(train, first);

	run->first = first;
	run->size = bytes;
	run->bytes = bytes;
	run->npkts = 1;

	for (i = first + 1; i < train->npkts && run->npkts < max_pkts; i++) {
		if (i == first + 1 || i == train->npkts - 1)
			bytes = packet_bytes(train, i);
		if (bytes > run->size || run->bytes + bytes > limit)
			break;
		run->bytes += bytes;
		run->npkts++;
		if (bytes < run->size)
			break;
	}
}

static void out_begin(struct out *out, struct sk_buff *skb, u32 linear)
{
	out->skb = skb;
	out->frag = 0;
	out->p = skb_put(skb, linear);
	out->room = linear;
}

/* Makes room at the write position, and says how much of @len there is. */
static u32 out_room(struct out *out, u32 len)
{
	if (!out->room) {
		skb_frag_t *frag = &skb_shinfo(out->skb)->frags[out->frag++];

		out->p = skb_frag_address(frag);
		out->room = skb_frag_size(frag);
	}
	return min(out->room, len);
}

/*
 * Writes, and goes on with the ICRC if @crc is given: over the copy, as the source may
 * be a user's memory.
 */
static void out_write(struct out *out, const void *data, u32 len, u32 *crc)
{
	while (len) {
		u32 n = out_room(out, len);

		memcpy(out->p, data, n);
		if (crc)
			*crc = tp_icrc_update(*crc, out->p, n);
		out->p += n;
		out->room -= n;
		data += n;
		len -= n;
	}
}

static void out_payload(struct out *out, struct in *in, u32 len, u32 *crc)
{
	while (len) {
		u32 n = min(in->seg->len - in->off, len);

		out_write(out, in->seg->addr + in->off, n, crc);
		in->off += n;
		len -= n;
		if (in->off == in->seg->len) {
			in->seg++;
			in->off = 0;
		}
	}
}

static void fill_packets(struct out *out, struct in *in, const struct tp_train *train,
			 const struct run *run, const union soft_ip *ip,
			 const struct udphdr *udp)
{
	static const u8 zeroes[4];
	u8 head[TP_HEADER_MAX];
	u32 k;

	for (k = 0; k < run->npkts; k++) {
		u32 hlen = tp_train_headers(train, run->first + k, head);
		u32 payload = tp_train_payload(train, run->first + k);
		u32 pad = -payload & 3;
		__le32 icrc;
		u32 crc;

		crc = soft_segment_icrc(ip, udp, k, hlen + payload + pad + TP_ICRC_BYTES, head);
		out_write(out, head, TP_BTH_BYTES, NULL);
		out_write(out, head + TP_BTH_BYTES, hlen - TP_BTH_BYTES, &crc);
		out_payload(out, in, payload, &crc);
		out_write(out, zeroes, pad, &crc);
		icrc = tp_icrc_end(crc);
		out_write(out, &icrc, sizeof(icrc), NULL);
	}
}

/**
 * soft_flow_headers() - writes a flow's IP header
 * @flow: the flow
 * @udp_len: bytes behind the header, those of the UDP header included
 * @id: IPv4 ID
 * @ip: room for a struct iphdr or ipv6hdr; any alignment
 *
 * Context: any.
 */
void soft_flow_headers(const struct soft_flow *flow, u32 udp_len, u16 id, void *ip)
{
	struct ipv6hdr v6;

	if (flow->ipv4) {
		/* Never fragmented: an atomic datagram, whose ID means nothing (RFC 6864). */
		struct iphdr v4 = {
			.version = IPVERSION,
			.ihl = sizeof(v4) / 4,
			.tos = flow->tclass,
			.tot_len = htons(sizeof(v4) + udp_len),
			.id = htons(id),
			.frag_off = htons(IP_DF),
			.ttl = flow->hop_limit,
			.protocol = IPPROTO_UDP,
			.saddr = flow->saddr.s6_addr32[3],
			.daddr = flow->daddr.s6_addr32[3],
		};

		v4.check = ip_fast_csum(&v4, v4.ihl);
		memcpy(ip, &v4, sizeof(v4));
		return;
	}
	ip6_flow_hdr(&v6, flow->tclass, htonl(flow->flow_label));
	v6.payload_len = htons(udp_len);
	v6.nexthdr = IPPROTO_UDP;
	v6.hop_limit = flow->hop_limit;
	v6.saddr = flow->saddr;
	v6.daddr = flow->daddr;
	memcpy(ip, &v6, sizeof(v6));
}

static void fill_headers(const struct tx *tx, const struct run *run, union soft_ip *ip,
			 struct udphdr *udp)
{
	u32 udp_len = sizeof(*udp) + run->bytes;
	u16 id = READ_ONCE(tx->path->ip_id);

	udp->source = tx->sport;
	udp->dest = htons(TP_ROCE_V2_PORT);
	udp->len = htons(udp_len);
	udp->check = 0;

	if (tx->flow->ipv4)
		WRITE_ONCE(tx->path->ip_id, id + run->npkts);
	soft_flow_headers(tx->flow, udp_len, id, ip);
}

/*
 * The UDP checksum is not needed beside the ICRC. Single IPv4 packets have 0,
 * as IBA A17.3.2 would have it. IPv6 has no such value, and UDP GSO computes
 * one: there the device is asked for it.
 */
static void set_checksum(const struct soft_flow *flow, struct sk_buff *skb, struct udphdr *udp)
{
	u32 len = ntohs(udp->len);

	if (flow->ipv4 && !skb_is_gso(skb))
		return;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = (u8 *)udp - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	if (flow->ipv4)
		udp->check = ~udp_v4_check(len, flow->saddr.s6_addr32[3],
					   flow->daddr.s6_addr32[3], 0);
	else
		udp->check = ~udp_v6_check(len, &flow->saddr, &flow->daddr, 0);
}

/* An skb for a run, with room for the headers in front. */
static struct sk_buff *alloc_run(const struct run *run, u32 headroom, u32 *linear)
{
	struct sk_buff *skb;
	int err;

	*linear = run->bytes <= LINEAR_MAX ? run->bytes : 0;
	skb = alloc_skb_with_frags(headroom + *linear, run->bytes - *linear,
				   PAGE_ALLOC_COSTLY_ORDER, &err, GFP_ATOMIC | __GFP_NOWARN);
	if (skb)
		skb_reserve(skb, headroom);
	return skb;
}

static int send_run(const struct tx *tx, const struct tp_train *train, const struct run *run,
		    struct in *in)
{
	u32 ip_len = ip_header_len(tx->flow);
	struct sock *sk = tx->path->sock->sk;
	union soft_ip ip;
	struct udphdr udp;
	struct sk_buff *skb;
	struct out out;
	u32 linear;

	skb = alloc_run(run, LL_RESERVED_SPACE(tx->dst->dev) + ip_len + sizeof(udp), &linear);
	if (!skb)
		return -ENOMEM;

	fill_headers(tx, run, &ip, &udp);
	out_begin(&out, skb, linear);
	fill_packets(&out, in, train, run, &ip, &udp);
	skb->len = run->bytes;
	skb->data_len = run->bytes - linear;

	if (run->npkts > 1) {
		skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
		skb_shinfo(skb)->gso_size = run->size;
		skb_shinfo(skb)->gso_segs = run->npkts;
	}
	memcpy(skb_push(skb, sizeof(udp)), &udp, sizeof(udp));
	skb_reset_transport_header(skb);
	set_checksum(tx->flow, skb, udp_hdr(skb));
	memcpy(skb_push(skb, ip_len), &ip, ip_len);
	skb_reset_network_header(skb);

	skb->protocol = tx->flow->ipv4 ? htons(ETH_P_IP) : htons(ETH_P_IPV6);
	skb->priority = tx->flow->priority;
	skb_dst_set(skb, dst_clone(tx->dst));
	skb_set_owner_w(skb, sk);
	if (tx->flow->ipv4)
		return ip_local_out(tx->path->net, sk, skb);
	return ip6_local_out(tx->path->net, sk, skb);
}

/*
 * Whether all packets of @path have most likely arrived that nobody acknowledges.
 * None is in the host's queues as far as the socket can tell, but lo's have left it
 * as they are put there: what matters for them is that some time has passed.
 */
static bool is_quiet(const struct soft_path *path)
{
	return refcount_read(&path->sock->sk->sk_wmem_alloc) == 1 &&
	       time_after(jiffies, path->sent + 1);
}

/*
 * Whether @train stays behind what was sent before it. A software device such as
 * veth or lo has a queue for each CPU, and packets of one QP in two of them would
 * pass each other: the peer's NAK, and all of it sent again, costs far more than
 * sending from where the others went; an unreliable connection loses the message.
 * Requests have arrived when they have been acknowledged; if an acknowledgment is on
 * its way, it will set off @train there, else somebody has to be sent. Adapters are
 * left alone: the socket keeps to one TX queue.
 */
static bool in_order(struct soft_qp *qp, struct soft_path *path, const struct net_device *dev,
		     const struct tp_train *train)
{
	bool response = !tp_op_is_request(train->op);
	int *cpu = &path->cpu[response];
	bool idle;

	if (*cpu == smp_processor_id() || !ohca_netdev_is_lltx(dev) || dev->lower_level > 1)
		return true;
	if (response)
		idle = refcount_read(&path->sock->sk->sk_wmem_alloc) == 1;
	else if (train->service == TP_UC)
		idle = is_quiet(path);
	else
		idle = train->psn == qp->tp.req.una;
	if (idle || !cpu_online(*cpu)) {
		*cpu = smp_processor_id();
		return true;
	}
	if (response || !path->asked)
		soft_qp_defer_on(qp, *cpu);
	return false;
}

/* Sends all runs of a train. Return: packets that could not be sent. */
static u32 send_train(const struct tx *tx, const struct tp_train *train)
{
	struct in in = { .seg = train->seg };
	u32 limit, max_pkts, mtu, i, lost = 0;
	struct run run;

	limit = skb_limit(tx);
	max_pkts = min(READ_ONCE(tx->dst->dev->gso_max_segs), TP_TRAIN_PACKETS);
	mtu = dst_mtu(tx->dst) - sizeof(struct udphdr) - ip_header_len(tx->flow);

	for (i = 0; i < train->npkts; i += run.npkts) {
		find_run(train, i, limit, max_pkts, &run);
		/* Too large for the netdev: IP must not fragment it, and the rest is of no use. */
		if (run.size > mtu || send_run(tx, train, &run, &in)) {
			lost = train->npkts - i;
			break;
		}
	}
	return lost;
}

/* Sends a train, if it may go now. Return: as soft_wire_xmit(), or packets that were lost. */
static int try_train(struct soft_qp *qp, struct soft_path *path, const struct tp_train *train)
{
	struct tx tx = { .path = path, .flow = &path->flow, .sport = path->sport };
	int ret = -EAGAIN;

	tx.dst = soft_path_route(path);
	if (IS_ERR(tx.dst))
		return train->npkts;
	if (in_order(qp, path, tx.dst->dev, train) && soft_path_has_room(path))
		ret = send_train(&tx, train);
	if (!ret && train->service == TP_UC)
		path->sent = jiffies;
	if (!ret && tp_op_is_request(train->op))
		path->asked = train->flags & TP_TRAIN_ACKREQ ||
			      (train->op != TP_OP_SEND && train->op != TP_OP_WRITE);
	dst_release(tx.dst);
	return ret;
}

/* The same for a datagram, which has no order to keep. */
static int try_datagram(struct soft_qp *qp, struct soft_path *path, const struct tp_train *train)
{
	struct soft_dest *dest = soft_ah_find(to_soft_dev(qp->ibqp.device), train->ah);
	struct tx tx = { .path = path };
	int ret;

	/* Destroyed since the WR was taken. */
	if (!dest)
		return train->npkts;
	if (!soft_path_has_room(path))
		return -EAGAIN;
	tx.flow = &dest->flow;
	tx.sport = htons(rdma_get_udp_sport(tx.flow->flow_label, train->src_qpn,
					    train->dest_qpn));
	tx.dst = soft_ah_route(dest, path, tx.sport);
	if (IS_ERR(tx.dst))
		return train->npkts;
	ret = send_train(&tx, train);
	dst_release(tx.dst);
	return ret;
}

/**
 * soft_wire_xmit() - tp_owner_xmit() over UDP/IP
 * @qp: the QP; the lock of the half that sends is held
 * @train: what to send
 *
 * Context: bottom halves off.
 * Return: 0, sent or lost; -EAGAIN: no room, soft_qp_defer() follows when there is.
 */
int soft_wire_xmit(struct soft_qp *qp, const struct tp_train *train)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);
	struct soft_path *path;
	int ret = train->npkts;

	rcu_read_lock();
	path = rcu_dereference(qp->path);
	/* The netdev may have left the path's namespace. */
	if (path && READ_ONCE(dev->net) == path->net)
		ret = train->service == TP_UD ? try_datagram(qp, path, train) :
						try_train(qp, path, train);
	rcu_read_unlock();

	if (ret > 0) {
		soft_stats_event(dev->stats, SOFT_CNT_SEND_ERR);
		ret = 0;
	}
	return ret;
}
