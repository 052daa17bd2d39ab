// SPDX-License-Identifier: GPL-2.0
/*
 * Ethernet frames: parsing, checksums, segmentation, and the way to the wire.
 */
#include "eth.h"
#include "roce.h"
#include "wq.h"

#define ETHERTYPE_IP	0x0800
#define ETHERTYPE_IPV6	0x86dd
#define ETHERTYPE_VLAN	0x8100
#define ETHERTYPE_SVLAN	0x88a8
#define PROTO_TCP	6
#define PROTO_UDP	17

#define TCP_FIN		0x01
#define TCP_PSH		0x08
#define TCP_CWR		0x80

static u16 get16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static void put16(u8 *p, u32 v)
{
	p[0] = (u8)(v >> 8);
	p[1] = (u8)v;
}

static u32 get32(const u8 *p)
{
	return (u32)get16(p) << 16 | get16(p + 2);
}

static void put32(u8 *p, u32 v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static void parse_ip(const u8 *frame, u32 len, struct eth_parsed *p)
{
	const u8 *ip = frame + p->l3;
	u32 room = len - p->l3, ihl, total;

	if (p->ethertype == ETHERTYPE_IP && room >= 20 && ip[0] >> 4 == 4) {
		ihl = (ip[0] & 0xfu) * 4;
		total = get16(ip + 2);
		if (ihl < 20 || total < ihl || total > room)
			return;
		p->version = 4;
		p->proto = ip[9];
		p->frag = get16(ip + 6) & 0x3fff;
		p->end = p->l3 + total;
		if (!(get16(ip + 6) & 0x1fff))
			p->l4 = p->l3 + ihl;
	} else if (p->ethertype == ETHERTYPE_IPV6 && room >= 40 && ip[0] >> 4 == 6) {
		total = get16(ip + 4) + 40u;
		if (total > room)
			return;
		p->version = 6;
		p->proto = ip[6];
		p->end = p->l3 + total;
		p->l4 = p->l3 + 40;
	}
}

bool eth_parse(const u8 *frame, u32 len, struct eth_parsed *p)
{
	memset(p, 0, sizeof(*p));
	if (len < 14)
		return false;
	p->l3 = 14;
	p->end = len;
	p->ethertype = get16(frame + 12);
	while ((p->ethertype == ETHERTYPE_VLAN || p->ethertype == ETHERTYPE_SVLAN) &&
	       len - p->l3 >= 4) {
		if (!p->has_vlan)
			p->vlan = get16(frame + p->l3);
		p->has_vlan = true;
		p->ethertype = get16(frame + p->l3 + 2);
		p->l3 += 4;
	}
	parse_ip(frame, len, p);
	return true;
}

u32 eth_sum(const void *data, u32 len, u32 sum)
{
	const u8 *p = data;
	u64 s = sum;
	u16 w;

	for (; len >= 2; p += 2, len -= 2) {
		memcpy(&w, p, 2);
		s += w;
	}
	if (len)
		s += *p;	/* the low byte, as this machine is little-endian */
	while (s >> 32)
		s = (s & 0xffffffff) + (s >> 32);
	return (u32)s;
}

u16 eth_fold(u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

/* The pseudo header's sum. */
static u32 pseudo(const u8 *frame, const struct eth_parsed *p)
{
	const u8 *ip = frame + p->l3;
	u8 tail[4] = { 0, p->proto, 0, 0 };
	u32 sum;

	put16(tail + 2, p->end - p->l4);
	sum = p->version == 4 ? eth_sum(ip + 12, 8, 0) : eth_sum(ip + 8, 32, 0);
	return eth_sum(tail, sizeof(tail), sum);
}

bool eth_l4_ok(const u8 *frame, const struct eth_parsed *p)
{
	u32 len = p->end - p->l4;

	if (!p->l4 || p->frag || (p->proto != PROTO_TCP && p->proto != PROTO_UDP))
		return false;
	if (len < (p->proto == PROTO_TCP ? 20u : 8u))
		return false;
	if (p->proto == PROTO_UDP && p->version == 4 && !get16(frame + p->l4 + 6))
		return true;
	return eth_fold(eth_sum(frame + p->l4, len, pseudo(frame, p))) == 0xffff;
}

static void fill_l3(u8 *frame, const struct eth_parsed *p)
{
	u8 *ip = frame + p->l3;
	u16 sum;

	if (p->version != 4)
		return;
	memset(ip + 10, 0, 2);
	sum = (u16)~eth_fold(eth_sum(ip, (ip[0] & 0xfu) * 4, 0));
	memcpy(ip + 10, &sum, 2);
}

static void fill_l4(u8 *frame, const struct eth_parsed *p)
{
	u32 len = p->end - p->l4, at = p->proto == PROTO_TCP ? 16 : 6;
	u16 sum;

	if (!p->l4 || p->frag || (p->proto != PROTO_TCP && p->proto != PROTO_UDP) ||
	    len < at + 2)
		return;
	memset(frame + p->l4 + at, 0, 2);
	sum = (u16)~eth_fold(eth_sum(frame + p->l4, len, pseudo(frame, p)));
	if (!sum)
		sum = 0xffff;
	memcpy(frame + p->l4 + at, &sum, 2);
}

static void count(u64 *packets, u64 *bytes, u64 *multicast, u64 *broadcast, const u8 *frame,
		  u32 len)
{
	static const u8 all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	(*packets)++;
	*bytes += len;
	if (!memcmp(frame, all, 6))
		(*broadcast)++;
	else if (frame[0] & 1)
		(*multicast)++;
}

static void send_one(struct hca *hca, u8 *frame, u32 len, u8 flags)
{
	struct counters *c = &hca->counters;
	struct eth_parsed p;

	if (len < 14 || len > hca->mtu + 22u || !eth_parse(frame, len, &p)) {
		trace("a frame of %u bytes is not sent", len);
		return;
	}
	if (flags & MLX5_ETH_WQE_L3_CSUM)
		fill_l3(frame, &p);
	if (flags & MLX5_ETH_WQE_L4_CSUM)
		fill_l4(frame, &p);
	count(&c->tx_packets, &c->tx_bytes, &c->tx_multicast, &c->tx_broadcast, frame, len);
	if (hca_port_up(hca))
		wire_send(&hca->wire, frame, len);
}

/* TCP segmentation: the same headers before each part of the payload. */
static void send_segments(struct hca *hca, const u8 *frame, u32 len, u8 flags, u32 mss, u32 head)
{
	static u8 part[WIRE_MAX_FRAME] __aligned(16);
	struct eth_parsed p;
	u32 at, n, seq, id;
	u8 *ip, *tcp;

	memcpy(part + 2, frame, min(head, 256u));
	/* The length in the header is that of all, and more than it can hold. */
	p = (struct eth_parsed){ 0 };
	if (head < 54 || head > 256 || !eth_parse(part + 2, head, &p))
		return;
	ip = part + 2 + p.l3;
	p.version = ip[0] >> 4;
	p.proto = p.version == 4 ? ip[9] : ip[6];
	p.l4 = p.l3 + (p.version == 4 ? (ip[0] & 0xfu) * 4 : 40);
	if (p.proto != PROTO_TCP || p.l4 + 20 > head)
		return;
	tcp = part + 2 + p.l4;
	seq = get32(tcp + 4);
	id = get16(ip + 4);
	for (at = head; at < len; at += n, seq += n, id++) {
		n = min(mss, len - at);
		memcpy(part + 2, frame, head);
		memcpy(part + 2 + head, frame + at, n);
		if (p.version == 4) {
			put16(ip + 2, head + n - p.l3);
			put16(ip + 4, id);
		} else {
			put16(ip + 4, head + n - p.l3 - 40);
		}
		put32(tcp + 4, seq);
		if (at + n < len)
			tcp[13] &= (u8)~(TCP_FIN | TCP_PSH);
		if (at != head)
			tcp[13] &= (u8)~TCP_CWR;
		send_one(hca, part + 2, head + n, flags | MLX5_ETH_WQE_L3_CSUM |
			 MLX5_ETH_WQE_L4_CSUM);
	}
}

void eth_transmit(struct hca *hca, u8 *frame, u32 len, u8 flags, u32 mss, u32 head)
{
	if (mss)
		send_segments(hca, frame, len, flags, mss, head);
	else
		send_one(hca, frame, len, flags);
}

void eth_receive(void *arg, const void *data, u32 len)
{
	struct hca *hca = arg;
	struct counters *c = &hca->counters;
	const u8 *frame = data;

	/* On a hub one's own frames come back. */
	if (!hca_port_up(hca) || len < 14 || !memcmp(frame + 6, hca->opt.mac, 6))
		return;
	if (roce_receive(hca, frame, len))
		return;
	if (len > hca->mtu + 22u) {
		c->rx_dropped++;
		return;
	}
	count(&c->rx_packets, &c->rx_bytes, &c->rx_multicast, &c->rx_broadcast, frame, len);
	flow_receive(hca, frame, len);
}
