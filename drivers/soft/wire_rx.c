// SPDX-License-Identifier: GPL-2.0
/*
 * From skbs to trains.
 *
 * An skb has one packet, or several of one size if it is a GSO one. Each packet
 * is checked for itself, with the headers that it would have had alone (see
 * wire_tx.c); packets of one message are then joined to a train. Payload stays
 * in the skb.
 */
#include "wire.h"

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>

#include "cq.h"
#include "datagram.h"
#include "device.h"
#include "icrc.h"
#include "qp.h"
#include "segment.h"
#include "stats.h"
#include "trace.h"

/*
 * Payload segments of a train that comes in: a packet each, and where pages change.
 * A longer run of packets is delivered as several trains: they live on the stack.
 */
#define RX_SEGS		40u

/**
 * struct cursor - a place in an skb: linear part, then page fragments
 * @skb: the skb
 * @frag: next fragment
 * @p: where to read
 * @left: bytes left at @p
 */
struct cursor {
	const struct sk_buff *skb;
	unsigned int frag;
	const u8 *p;
	u32 left;
};

/**
 * struct rx - an skb being taken in
 * @skb: the skb; its data begins with the UDP header
 * @ipv4: which of the two @ip is
 * @ip: IP header, as the first packet had it
 * @udp: UDP header
 * @saddr: source address, as in a path
 * @daddr: destination address
 * @qp: whom @train is for, with a reference; NULL: there is no train yet
 * @train: packets that wait to be delivered together
 * @nr_seg: segments of @train
 * @seg: its payload, with room for those of a further packet
 */
struct rx {
	struct sk_buff *skb;
	bool ipv4;
	union soft_ip ip;
	struct udphdr udp;
	struct in6_addr saddr;
	struct in6_addr daddr;
	struct soft_qp *qp;
	struct tp_train train;
	u32 nr_seg;
	struct tp_seg seg[RX_SEGS];
};

static void cursor_begin(struct cursor *cur, const struct sk_buff *skb)
{
	cur->skb = skb;
	cur->frag = 0;
	cur->p = skb->data;
	cur->left = skb_headlen(skb);
}

/* How many of the next @len bytes, not 0, are at @cur->p. The skb has them. */
static u32 cursor_run(struct cursor *cur, u32 len)
{
	while (!cur->left) {
		const skb_frag_t *frag = &skb_shinfo(cur->skb)->frags[cur->frag++];

		cur->p = skb_frag_address(frag);
		cur->left = skb_frag_size(frag);
	}
	return min(cur->left, len);
}

static void cursor_skip(struct cursor *cur, u32 len)
{
	while (len) {
		u32 n = cursor_run(cur, len);

		cur->p += n;
		cur->left -= n;
		len -= n;
	}
}

/* Copies @len bytes and leaves the cursor where it is. */
static void cursor_peek(const struct cursor *cur, void *to, u32 len)
{
	struct cursor c = *cur;

	while (len) {
		u32 n = cursor_run(&c, len);

		memcpy(to, c.p, n);
		c.p += n;
		c.left -= n;
		to += n;
		len -= n;
	}
}

/* Goes on with the ICRC over @len bytes; their places are added to @rx->seg if @keep. */
static bool cursor_icrc(struct rx *rx, struct cursor *cur, u32 len, u32 *crc, bool keep)
{
	while (len) {
		u32 n = cursor_run(cur, len);

		if (keep) {
			if (rx->nr_seg == RX_SEGS)
				return false;
			rx->seg[rx->nr_seg].addr = (void *)cur->p;
			rx->seg[rx->nr_seg++].len = n;
		}
		*crc = tp_icrc_update(*crc, cur->p, n);
		cur->p += n;
		cur->left -= n;
		len -= n;
	}
	return true;
}

/* Counts and traces a packet that reached no QP. */
static void rx_drop(const struct rx *rx, u32 qpn, u32 psn, enum tp_drop why)
{
	soft_dev_count_drop(rx->skb->dev, why);
	trace_ohca_drop(NULL, qpn, psn, why);
}

/* Hands the train that has gathered to the transport. */
static void rx_deliver(struct rx *rx, u32 nr_seg)
{
	struct soft_qp *qp = rx->qp;

	if (!qp)
		return;
	rx->qp = NULL;
	rx->train.seg = rx->seg;
	rx->train.nr_seg = nr_seg;
	trace_ohca_receive(&qp->ibqp, &rx->train);
	if (tp_receive(&qp->tp, &rx->train))
		soft_qp_defer(qp);
	soft_qp_put(qp);
}

/* Whether a packet may reach @qp: NONE if so. */
static enum tp_drop rx_check(const struct rx *rx, const struct soft_qp *qp)
{
	const struct soft_dev *dev = to_soft_dev(qp->ibqp.device);
	const struct soft_path *path = rcu_dereference(qp->path);

	if (READ_ONCE(dev->net) != dev_net(rx->skb->dev))
		return TP_DROP_QPN;
	if (qp->tp.service == TP_UD)
		return TP_DROP_OPCODE;
	if (!path)
		return TP_DROP_STATE;
	/* IBA C9-54: a packet that is not from the connected peer is dropped silently. */
	if (!ipv6_addr_equal(&rx->saddr, &path->flow.daddr) ||
	    !ipv6_addr_equal(&rx->daddr, &path->flow.saddr))
		return TP_DROP_SOURCE;
	return TP_DROP_NONE;
}

/* What a datagram's receiver is told of where it came from; packet @k of the skb. */
static void rx_origin(const struct rx *rx, const struct tp_packet *pkt, u32 k,
		      struct tp_origin *origin)
{
	u32 len = sizeof(rx->udp) + pkt->header_len + round_up(pkt->length, 4) + TP_ICRC_BYTES;
	const struct net_device *ndev = rx->skb->dev;
	union soft_ip ip = rx->ip;

	memset(origin, 0, sizeof(*origin));
	origin->ipv4 = rx->ipv4;
	if (rx->ipv4) {
		/* One packet of several in a GSO skb: as segmentation would have left it. */
		if (skb_is_gso(rx->skb)) {
			soft_segment_ip(&ip, k, len);
			ip.v4.check = 0;
			ip.v4.check = ip_fast_csum(&ip.v4, ip.v4.ihl);
		}
		memcpy(origin->grh + TP_GRH_BYTES - sizeof(ip.v4), &ip.v4, sizeof(ip.v4));
	} else {
		soft_segment_ip(&ip, k, len);
		memcpy(origin->grh, &ip.v6, sizeof(ip.v6));
	}
	if (is_vlan_dev(ndev)) {
		origin->has_vlan = true;
		origin->vlan = vlan_dev_vlan_id(ndev);
		/* What the VLAN made of the tag's priority. */
		origin->sl = min(rx->skb->priority, 7u);
	}
	/* The IP stack's own copy of a multicast packet has no Ethernet header. */
	if (skb_mac_header_was_set(rx->skb) && skb_mac_header_len(rx->skb) >= ETH_HLEN &&
	    ndev->type == ARPHRD_ETHER) {
		origin->has_smac = true;
		ether_addr_copy(origin->smac, eth_hdr(rx->skb)->h_source);
	}
}

/* A datagram that nobody receives: there is no such QP here, or it is a connected one. */
static void rx_refuse(const struct rx *rx, const struct tp_packet *pkt)
{
	struct soft_qp *qp = soft_qp_get(pkt->dest_qpn);

	if (qp && qp->tp.service != TP_UD)
		tp_owner_drop(&qp->tp, pkt->psn, TP_DROP_OPCODE);
	else
		rx_drop(rx, pkt->dest_qpn, pkt->psn, TP_DROP_QPN);
	if (qp)
		soft_qp_put(qp);
}

/* A datagram, whose payload is in @rx->seg. */
static void rx_datagram(struct rx *rx, const struct tp_packet *pkt, u32 k)
{
	struct net_device *ndev = rx->skb->dev;
	struct tp_origin origin;
	struct tp_train train;
	struct soft_qp *qp;

	tp_train_begin(&train, pkt);
	rx_origin(rx, pkt, k, &origin);
	train.origin = &origin;
	train.seg = rx->seg;
	train.nr_seg = rx->nr_seg;

	if (pkt->dest_qpn == SOFT_QPN_MCAST && rdma_is_multicast_addr(&rx->daddr)) {
		if (!soft_mcast_deliver(ndev, &rx->daddr, &train))
			rx_drop(rx, pkt->dest_qpn, pkt->psn, TP_DROP_QPN);
		return;
	}
	qp = soft_datagram_qp(dev_net(ndev), &rx->daddr, pkt->dest_qpn);
	if (!qp) {
		rx_refuse(rx, pkt);
		return;
	}
	soft_datagram_receive(qp, &train);
	soft_qp_put(qp);
}

/* A good packet, whose payload is in the segments from @old_seg on: joins it or begins anew. */
static void rx_accept(struct rx *rx, const struct tp_packet *pkt, u32 k, u32 old_seg)
{
	struct soft_qp *qp;
	enum tp_drop why;

	if (rx->qp && rx->qp->tp.qpn == pkt->dest_qpn && tp_train_join(&rx->train, pkt))
		return;

	rx_deliver(rx, old_seg);
	rx->nr_seg -= old_seg;
	memmove(rx->seg, rx->seg + old_seg, rx->nr_seg * sizeof(rx->seg[0]));

	if (pkt->service == TP_UD) {
		rx_datagram(rx, pkt, k);
		rx->nr_seg = 0;
		return;
	}
	qp = soft_qp_get(pkt->dest_qpn);
	why = qp ? rx_check(rx, qp) : TP_DROP_QPN;
	if (why != TP_DROP_NONE) {
		if (qp)
			tp_owner_drop(&qp->tp, pkt->psn, why);
		else
			rx_drop(rx, pkt->dest_qpn, pkt->psn, why);
		if (qp)
			soft_qp_put(qp);
		rx->nr_seg = 0;
		return;
	}
	rx->qp = qp;
	tp_train_begin(&rx->train, pkt);
}

/* Packet @k of the skb: the next @len bytes at @cur, BTH to ICRC. */
static void rx_packet(struct rx *rx, struct cursor *cur, u32 k, u32 len)
{
	u8 head[TP_HEADER_MAX];
	struct cursor next = *cur;
	struct tp_packet pkt;
	u32 crc, old_seg, tail;
	enum tp_drop why;
	__le32 icrc;

	cursor_peek(cur, head, min(len, TP_HEADER_MAX));
	why = tp_packet_parse(head, len, &pkt);
	if (why != TP_DROP_NONE) {
		rx_drop(rx, 0, 0, why);
		return;
	}

	/* A train that would not have the room goes first. */
	if (rx->nr_seg + skb_shinfo(rx->skb)->nr_frags - cur->frag + 1 > RX_SEGS)
		rx_deliver(rx, rx->nr_seg);
	if (!rx->qp)
		rx->nr_seg = 0;
	old_seg = rx->nr_seg;

	crc = soft_segment_icrc(&rx->ip, &rx->udp, k, len, head);
	cursor_skip(&next, TP_BTH_BYTES);
	tail = len - pkt.header_len - pkt.length - TP_ICRC_BYTES;
	if (!cursor_icrc(rx, &next, pkt.header_len - TP_BTH_BYTES, &crc, false) ||
	    !cursor_icrc(rx, &next, pkt.length, &crc, true) ||
	    !cursor_icrc(rx, &next, tail, &crc, false)) {
		rx->nr_seg = old_seg;
		rx_drop(rx, pkt.dest_qpn, pkt.psn, TP_DROP_BUSY);
		return;
	}
	cursor_peek(&next, &icrc, sizeof(icrc));
	if (icrc != tp_icrc_end(crc)) {
		rx->nr_seg = old_seg;
		rx_drop(rx, pkt.dest_qpn, pkt.psn, TP_DROP_ICRC);
		return;
	}
	rx_accept(rx, &pkt, k, old_seg);
}

/* Copies the headers; the IP header precedes the UDP header, without options. */
static bool rx_headers(struct rx *rx)
{
	const struct sk_buff *skb = rx->skb;
	u32 hlen = skb_transport_offset(skb) - skb_network_offset(skb);

	rx->udp = *udp_hdr(skb);
	rx->ipv4 = skb->protocol == htons(ETH_P_IP);
	if (rx->ipv4) {
		if (hlen != sizeof(rx->ip.v4))
			return false;
		rx->ip.v4 = *ip_hdr(skb);
		ipv6_addr_set_v4mapped(rx->ip.v4.saddr, &rx->saddr);
		ipv6_addr_set_v4mapped(rx->ip.v4.daddr, &rx->daddr);
		return true;
	}
	if (hlen != sizeof(rx->ip.v6))
		return false;
	rx->ip.v6 = *ipv6_hdr(skb);
	rx->saddr = rx->ip.v6.saddr;
	rx->daddr = rx->ip.v6.daddr;
	return true;
}

/* All packets of an skb. */
static void rx_skb(struct rx *rx)
{
	struct sk_buff *skb = rx->skb;
	u32 total, size, udp_len, k;
	struct cursor cur;

	udp_len = ntohs(rx->udp.len);
	if (skb_is_gso(skb)) {
		total = skb->len - sizeof(struct udphdr);
		size = skb_shinfo(skb)->gso_size;
		/* A guest may hand over segments of a byte: not worth a loop over them. */
		if (size < TP_BTH_BYTES + TP_ICRC_BYTES) {
			rx_drop(rx, 0, 0, TP_DROP_SHORT);
			return;
		}
	} else if (udp_len >= sizeof(struct udphdr) && udp_len <= skb->len) {
		total = udp_len - sizeof(struct udphdr);
		size = total;
	} else {
		rx_drop(rx, 0, 0, TP_DROP_SHORT);
		return;
	}

	cursor_begin(&cur, skb);
	cursor_skip(&cur, sizeof(struct udphdr));
	k = 0;
	/* Once at least: no bytes at all are a short packet, and counted. */
	do {
		u32 len = min(size, total);

		rx_packet(rx, &cur, k++, len);
		cursor_skip(&cur, len);
		total -= len;
	} while (total);
	rx_deliver(rx, rx->nr_seg);
}

/**
 * soft_wire_receive() - takes in an skb that came to the RoCE v2 port
 * @skb: the skb; its data begins with the UDP header, its network header is
 *       set. It is freed.
 *
 * Context: bottom halves off, under RCU, no lock held.
 */
void soft_wire_receive(struct sk_buff *skb)
{
	struct rx rx;

	rx.skb = skb;
	rx.qp = NULL;
	rx.nr_seg = 0;

	/* Fragments of IP come as a list; and all that is read must be memory of ours. */
	if ((skb_has_frag_list(skb) || !skb_frags_readable(skb)) && skb_linearize(skb))
		goto out;
	if (!pskb_may_pull(skb, sizeof(struct udphdr)))
		goto out;
	if (!rx_headers(&rx)) {
		rx_drop(&rx, 0, 0, TP_DROP_LENGTH);
		goto out;
	}
	soft_enter();
	rx_skb(&rx);
	soft_leave();
out:
	consume_skb(skb);
}
