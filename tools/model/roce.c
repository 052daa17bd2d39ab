// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE v2: Ethernet, IPv4 or IPv6, UDP, and within the transport's packets.
 *
 * Source addresses come from the table of RoCE addresses that the driver fills,
 * destinations from the QP's address path.
 */
#include <stdlib.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "eth.h"
#include "icrc.h"
#include "qp.h"
#include "roce.h"

#define ETH_BYTES	14u
#define VLAN_BYTES	4u
#define UDP_BYTES	8u
#define PROTO_UDP	17
/* Opcodes of unreliable datagrams, and the least that one has: BTH, DETH, ICRC. */
#define CLASS_MASK	0xe0
#define XRC_CLASS	0xa0
#define XRCETH_BYTES	4u
#define UD_CLASS	0x60
#define UD_LEAST	(TP_BTH_BYTES + 8 + TP_ICRC_BYTES)
/* Largest frame: headers, a packet of 4096 bytes, padding and ICRC. */
#define FRAME_ROOM	(ETH_BYTES + VLAN_BYTES + 40 + UDP_BYTES + TP_HEADER_MAX + XRCETH_BYTES + \
			 ROCE_MAX_PAYLOAD + 8)

bool roce_source(struct hca *hca, u32 index, struct path *path)
{
	const void *addr;

	if (index >= HCA_ROCE_ADDRESSES)
		return false;
	addr = hca->roce[index];
	if (MLX5_GET(roce_addr_layout, addr, roce_version) != MLX5_ROCE_VERSION_2)
		return false;
	memcpy(path->smac, (u8 *)MEMBER(roce_addr_layout, addr, source_mac_47_32), 6);
	path->ipv4 = MLX5_GET(roce_addr_layout, addr, roce_l3_type) == MLX5_ROCE_L3_TYPE_IPV4;
	memcpy(path->sip, MEMBER(roce_addr_layout, addr, source_l3_address), 16);
	path->has_vlan = MLX5_GET(roce_addr_layout, addr, vlan_valid);
	path->vlan = (u16)MLX5_GET(roce_addr_layout, addr, vlan_id);
	return true;
}

static bool path_of(struct hca *hca, const void *ads, struct path *path)
{
	if (!roce_source(hca, MLX5_GET(ads, ads, src_addr_index), path))
		return false;
	/* A member of less than a word, at the end of one. */
	memcpy(path->dmac, (const u8 *)MEMBER(ads, ads, rmac_31_0) - 2, 6);
	memcpy(path->dip, MEMBER(ads, ads, rgid_rip), 16);
	path->vlan |= (u16)(MLX5_GET(ads, ads, eth_prio) << 13);
	path->sport = (u16)MLX5_GET(ads, ads, udp_sport) ?: 0xc000;
	path->tclass = (u8)MLX5_GET(ads, ads, tclass);
	path->hop_limit = (u8)MLX5_GET(ads, ads, hop_limit) ?: 64;
	path->flow_label = MLX5_GET(ads, ads, flow_label);
	return true;
}

static u8 *put_eth(u8 *p, const struct path *path)
{
	__be16 type = cpu_to_be16(path->ipv4 ? 0x0800 : 0x86dd), tci = cpu_to_be16(path->vlan);
	__be16 tpid = cpu_to_be16(0x8100);

	memcpy(p, path->dmac, 6);
	memcpy(p + 6, path->smac, 6);
	p += 12;
	if (path->has_vlan) {
		memcpy(p, &tpid, 2);
		memcpy(p + 2, &tci, 2);
		p += VLAN_BYTES;
	}
	memcpy(p, &type, 2);
	return p + 2;
}

/* IP and UDP for @len bytes, BTH to ICRC; *@crc begins the ICRC with them and the @bth. */
static u8 *put_ip_udp(u8 *p, const struct path *path, u32 len, const void *bth, u32 *crc)
{
	static u16 id;
	struct udphdr udp = {
		.source = cpu_to_be16(path->sport),
		.dest = cpu_to_be16(TP_ROCE_V2_PORT),
		.len = cpu_to_be16(UDP_BYTES + len),
	};
	struct ipv6hdr ip6 = { .version = 6, .nexthdr = PROTO_UDP, .hop_limit = path->hop_limit };
	struct iphdr ip = { .version = 4, .ihl = 5, .tos = path->tclass, .ttl = path->hop_limit,
			    .protocol = PROTO_UDP, .frag_off = cpu_to_be16(0x4000) };
	u16 sum;

	if (path->ipv4) {
		ip.tot_len = cpu_to_be16(sizeof(ip) + UDP_BYTES + len);
		ip.id = cpu_to_be16(id++);
		memcpy(&ip.saddr, path->sip + 12, 4);
		memcpy(&ip.daddr, path->dip + 12, 4);
		sum = (u16)~eth_fold(eth_sum(&ip, sizeof(ip), 0));
		memcpy(&ip.check, &sum, 2);
		*crc = tp_icrc_ipv4(&ip, &udp, bth);
		memcpy(p, &ip, sizeof(ip));
		p += sizeof(ip);
	} else {
		ip6.priority = path->tclass >> 4;
		ip6.flow_lbl[0] = (u8)(path->tclass << 4 | (path->flow_label >> 16 & 0xf));
		ip6.flow_lbl[1] = (u8)(path->flow_label >> 8);
		ip6.flow_lbl[2] = (u8)path->flow_label;
		ip6.payload_len = cpu_to_be16(UDP_BYTES + len);
		memcpy(&ip6.saddr, path->sip, 16);
		memcpy(&ip6.daddr, path->dip, 16);
		*crc = tp_icrc_ipv6(&ip6, &udp, bth);
		memcpy(p, &ip6, sizeof(ip6));
		p += sizeof(ip6);
	}
	memcpy(p, &udp, sizeof(udp));
	return p + sizeof(udp);
}

/* Copies @len bytes from @at of the train's payload. */
static void copy_payload(const struct tp_train *train, u32 at, u8 *to, u32 len)
{
	u32 i, n;

	for (i = 0; i < train->nr_seg && len; i++) {
		if (at >= train->seg[i].len) {
			at -= train->seg[i].len;
			continue;
		}
		n = min(train->seg[i].len - at, len);
		memcpy(to, (u8 *)train->seg[i].addr + at, n);
		to += n;
		len -= n;
		at = 0;
	}
}

/* A frame to one of this function's own addresses is turned round inside. */
struct loopback {
	struct work work;
	struct hca *hca;
	u32 len;
	u8 frame[FRAME_ROOM];
};

static void come_back(void *arg)
{
	struct loopback *lb = arg;

	roce_receive(lb->hca, lb->frame, lb->len);
	free(lb);
}

static void send_frame(struct hca *hca, const u8 *frame, u32 len)
{
	struct loopback *lb;

	hca->counters.rdma_tx_packets++;
	hca->counters.rdma_tx_bytes += len;
	/* A group may have members here and elsewhere. */
	if (memcmp(frame, frame + 6, 6)) {
		if (hca_port_up(hca))
			wire_send(&hca->wire, frame, len);
		if (!(frame[0] & 1) || !hca->nr_mcg)
			return;
	}
	lb = malloc(sizeof(*lb));
	if (!lb)
		return;
	*lb = (struct loopback){ .work = { .fn = come_back, .arg = lb }, .hca = hca, .len = len };
	memcpy(lb->frame, frame, len);
	loop_queue(&hca->loop, &lb->work);
}

void roce_send_packet(struct hca *hca, const struct path *path, const u8 *head, u32 head_len,
		      const u8 *payload, u32 payload_len)
{
	u8 frame[FRAME_ROOM];
	u32 pad = -payload_len & 3, len = head_len + payload_len + pad + TP_ICRC_BYTES, crc;
	__le32 icrc;
	u8 *p;

	p = put_eth(frame, path);
	p = put_ip_udp(p, path, len, head, &crc);
	memcpy(p, head, head_len);
	memcpy(p + head_len, payload, payload_len);
	memset(p + head_len + payload_len, 0, pad);
	crc = tp_icrc_update(crc, p + TP_BTH_BYTES, len - TP_BTH_BYTES - TP_ICRC_BYTES);
	icrc = tp_icrc_end(crc);
	memcpy(p + len - TP_ICRC_BYTES, &icrc, sizeof(icrc));
	send_frame(hca, frame, (u32)(p + len - frame));
}

static bool is_xrc(const struct qp *qp)
{
	return qp->st == MLX5_QP_ST_XRC;
}

/*
 * XRC is RC with a class of opcodes of its own, and in requests a header behind
 * the BTH that names the peer's shared receive queue (IBA annex A14).
 */
static bool xrc_response(u8 opcode)
{
	return (opcode & ~CLASS_MASK) >= 0x0d && (opcode & ~CLASS_MASK) <= 0x12;
}

static u32 xrc_headers(u8 *head, u32 len, u32 srqn)
{
	__be32 be = cpu_to_be32(srqn);

	head[0] |= XRC_CLASS;
	if (xrc_response(head[0]))
		return len;
	memmove(head + TP_BTH_BYTES + XRCETH_BYTES, head + TP_BTH_BYTES, len - TP_BTH_BYTES);
	memcpy(head + TP_BTH_BYTES, &be, sizeof(be));
	return len + XRCETH_BYTES;
}

/* The packet as RC would have it, in @plain; 0, or its length. @srqn: 0 in responses. */
static u32 xrc_strip(const u8 *bth, u32 len, u8 *plain, u32 room, u32 *srqn)
{
	u32 skip = xrc_response(bth[0]) ? 0 : XRCETH_BYTES;
	__be32 be = 0;

	if (len < TP_BTH_BYTES + skip + TP_ICRC_BYTES || len > room)
		return 0;
	memcpy(&be, bth + TP_BTH_BYTES, skip);
	*srqn = be32_to_cpu(be) & 0xffffff;
	memcpy(plain, bth, TP_BTH_BYTES);
	plain[0] &= (u8)~CLASS_MASK;
	memcpy(plain + TP_BTH_BYTES, bth + TP_BTH_BYTES + skip, len - TP_BTH_BYTES - skip);
	return len - skip;
}

void roce_send(struct qp *qp, const struct tp_train *train)
{
	struct hca *hca = qp->wq.obj.hca;
	u8 head[TP_HEADER_MAX + XRCETH_BYTES], payload[ROCE_MAX_PAYLOAD];
	u32 i, head_len, len;
	struct path path = { 0 };

	if (!path_of(hca, MEMBER(qpc, qp->ctx, primary_address_path), &path)) {
		info("qp 0x%x: no RoCE v2 address to send from", qp->wq.obj.id);
		return;
	}
	for (i = 0; i < train->npkts; i++) {
		head_len = tp_train_headers(train, i, head);
		if (is_xrc(qp))
			head_len = xrc_headers(head, head_len, train->xrc_srqn);
		len = tp_train_payload(train, i);
		copy_payload(train, i * train->mtu, payload, len);
		roce_send_packet(hca, &path, head, head_len, payload, len);
	}
}

/* Whether the packet's addresses are those of the QP's peer (IBA C9-54). */
static bool from_peer(struct qp *qp, const u8 *frame, const struct eth_parsed *p)
{
	const void *ads = MEMBER(qpc, qp->ctx, primary_address_path);
	const u8 *rip = MEMBER(ads, ads, rgid_rip), *ip = frame + p->l3;

	return p->version == 4 ? !memcmp(rip + 12, ip + 12, 4) : !memcmp(rip, ip + 8, 16);
}

static bool icrc_ok(const u8 *frame, const struct eth_parsed *p, const u8 *bth, u32 len)
{
	struct ipv6hdr ip6;
	struct udphdr udp;
	struct iphdr ip;
	__le32 icrc;
	u32 crc;

	memcpy(&udp, frame + p->l4, sizeof(udp));
	if (p->version == 4) {
		memcpy(&ip, frame + p->l3, sizeof(ip));
		crc = tp_icrc_ipv4(&ip, &udp, bth);
	} else {
		memcpy(&ip6, frame + p->l3, sizeof(ip6));
		crc = tp_icrc_ipv6(&ip6, &udp, bth);
	}
	crc = tp_icrc_update(crc, bth + TP_BTH_BYTES, len - TP_BTH_BYTES - TP_ICRC_BYTES);
	icrc = tp_icrc_end(crc);
	return !memcmp(bth + len - TP_ICRC_BYTES, &icrc, sizeof(icrc));
}

static enum tp_drop deliver(struct hca *hca, const u8 *frame, const struct eth_parsed *p)
{
	static u8 plain[TP_HEADER_MAX + ROCE_MAX_PAYLOAD + 8];
	const u8 *bth = frame + p->l4 + UDP_BYTES;
	u32 len = p->end - p->l4 - UDP_BYTES, srqn = 0;
	bool stripped = false;
	struct tp_packet pkt;
	struct tp_train train;
	struct tp_seg seg;
	enum tp_drop why;
	struct qp *qp;

	if (len >= UD_LEAST && (bth[0] & CLASS_MASK) == UD_CLASS) {
		if (!icrc_ok(frame, p, bth, len))
			return TP_DROP_ICRC;
		ud_receive(hca, frame, p, bth, len);
		return TP_DROP_NONE;
	}
	if (len >= TP_BTH_BYTES && (bth[0] & CLASS_MASK) == XRC_CLASS) {
		if (len < TP_BTH_BYTES + TP_ICRC_BYTES || !icrc_ok(frame, p, bth, len))
			return TP_DROP_ICRC;
		len = xrc_strip(bth, len, plain, sizeof(plain), &srqn);
		if (!len)
			return TP_DROP_LENGTH;
		bth = plain;
		stripped = true;
		why = tp_packet_parse(bth, len, &pkt);
	} else {
		why = tp_packet_parse(bth, len, &pkt);
		if (why == TP_DROP_NONE && !icrc_ok(frame, p, bth, len))
			why = TP_DROP_ICRC;
	}
	if (why != TP_DROP_NONE)
		return why;
	qp = qp_find(hca, pkt.dest_qpn);
	if (!qp)
		return TP_DROP_QPN;
	if (!qp->has_tp || is_xrc(qp) != stripped)
		return TP_DROP_OPCODE;
	if (!from_peer(qp, frame, p))
		return TP_DROP_SOURCE;
	seg = (struct tp_seg){ .addr = (u8 *)bth + pkt.header_len, .len = pkt.length };
	tp_train_begin(&train, &pkt);
	train.seg = &seg;
	train.nr_seg = pkt.length ? 1 : 0;
	if (srqn)
		qp->xrc_srqn = srqn;
	if (tp_receive(&qp->tp, &train))
		qp_again(qp);
	return TP_DROP_NONE;
}

bool roce_receive(struct hca *hca, const u8 *frame, u32 len)
{
	struct eth_parsed p;
	enum tp_drop why;

	if (!MLX5_GET(nic_vport_context, hca->nic_vport, roce_en) ||
	    !eth_parse(frame, len, &p) || !p.l4 || p.frag || p.proto != PROTO_UDP ||
	    p.end - p.l4 < UDP_BYTES ||
	    (frame[p.l4 + 2] << 8 | frame[p.l4 + 3]) != TP_ROCE_V2_PORT)
		return false;
	if (p.version == 4 && p.l4 - p.l3 != 20)
		return true;	/* RoCE has no IP options */
	hca->counters.rdma_rx_packets++;
	hca->counters.rdma_rx_bytes += len;
	why = deliver(hca, frame, &p);
	if (why != TP_DROP_NONE)
		trace("RoCE packet dropped: %s", tp_drop_names[why]);
	return true;
}
