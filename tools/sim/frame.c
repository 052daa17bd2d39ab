// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: builds and checks whole RoCE v2 packets, IP and UDP headers included.
 */
#include "sim.h"
#include "frame.h"
#include "icrc.h"

static u16 ip_sum(const void *header, u32 len)
{
	const u8 *p = header;
	u32 sum = 0, i;

	for (i = 0; i < len; i += 2)
		sum += (u32)p[i] << 8 | p[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* A frame with its IP and UDP headers for @len bytes from BTH to ICRC. */
static struct sim_frame *frame_begin(struct sim_qp *to, u32 len)
{
	struct sim_random *rng = &world->rng;
	bool v6 = world->cfg.ipv6;
	u32 ip_len = v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	struct sim_frame *f = malloc(sizeof(*f) + ip_len + FRAME_UDP + len);
	struct ipv6hdr ip6 = { 0 };
	struct udphdr udp = { 0 };
	struct iphdr ip = { 0 };

	if (!f)
		abort();
	f->to = to;
	f->bad = false;
	f->ip_len = ip_len;
	f->len = ip_len + FRAME_UDP + len;
	if (v6) {
		ip6.version = 6;
		ip6.priority = random_bits(rng) & 15;
		random_fill(rng, ip6.flow_lbl, sizeof(ip6.flow_lbl));
		ip6.payload_len = cpu_to_be16(FRAME_UDP + len);
		ip6.nexthdr = 17;
		ip6.hop_limit = random_range(rng, 1, 255);
		ip6.saddr.s6_addr[15] = 1 + !to->side;
		ip6.daddr.s6_addr[15] = 1 + to->side;
		memcpy(f->data, &ip6, sizeof(ip6));
	} else {
		ip.version = 4;
		ip.ihl = 5;
		ip.tos = random_bits(rng);
		ip.tot_len = cpu_to_be16(f->len);
		ip.id = random_bits(rng);
		ip.frag_off = cpu_to_be16(0x4000);
		ip.ttl = random_range(rng, 1, 255);
		ip.protocol = 17;
		ip.saddr = cpu_to_be32(0x0a000001 + !to->side);
		ip.daddr = cpu_to_be32(0x0a000001 + to->side);
		ip.check = cpu_to_be16(ip_sum(&ip, sizeof(ip)));
		memcpy(f->data, &ip, sizeof(ip));
	}
	udp.source = cpu_to_be16(0xc000 | (random_bits(rng) & 0x3fff));
	udp.dest = cpu_to_be16(TP_ROCE_V2_PORT);
	udp.len = cpu_to_be16(FRAME_UDP + len);
	udp.check = v6 ? random_bits(rng) : 0;
	memcpy(f->data + ip_len, &udp, sizeof(udp));
	return f;
}

static __le32 frame_icrc(struct sim_frame *f)
{
	u32 len = frame_packet_len(f) - TP_BTH_BYTES - TP_ICRC_BYTES;
	const u8 *bth = frame_packet(f);
	struct ipv6hdr ip6;
	struct udphdr udp;
	struct iphdr ip;
	u32 crc;

	memcpy(&udp, f->data + f->ip_len, sizeof(udp));
	if (f->ip_len == sizeof(ip6)) {
		memcpy(&ip6, f->data, sizeof(ip6));
		crc = tp_icrc_ipv6(&ip6, &udp, bth);
	} else {
		memcpy(&ip, f->data, sizeof(ip));
		crc = tp_icrc_ipv4(&ip, &udp, bth);
	}
	/* In two parts, as a payload in pieces would be. */
	crc = tp_icrc_update(crc, bth + TP_BTH_BYTES, len / 3);
	crc = tp_icrc_update(crc, bth + TP_BTH_BYTES + len / 3, len - len / 3);
	return tp_icrc_end(crc);
}

static void frame_end(struct sim_frame *f)
{
	__le32 icrc = frame_icrc(f);

	memcpy(f->data + f->len - TP_ICRC_BYTES, &icrc, sizeof(icrc));
	if (!random_below(&world->rng, 16))
		sim_check(le32_to_cpu(icrc) == frame_icrc_naive(f->data, f->ip_len, f->len),
			  "ICRC %08x, but %08x by the naive way", le32_to_cpu(icrc),
			  frame_icrc_naive(f->data, f->ip_len, f->len));
}

bool frame_icrc_ok(struct sim_frame *f)
{
	__le32 icrc = frame_icrc(f);

	return !memcmp(f->data + f->len - TP_ICRC_BYTES, &icrc, sizeof(icrc));
}

struct sim_frame *frame_build(struct sim_qp *to, const struct tp_train *train, u32 i)
{
	u32 payload = tp_train_payload(train, i), pad = -payload & 3, skip, n, k;
	u8 head[TP_HEADER_MAX];
	u32 head_len = tp_train_headers(train, i, head);
	struct sim_frame *f;
	u8 *to_bytes;

	sim_check(head_len >= TP_BTH_BYTES && head_len <= TP_HEADER_MAX, "%u bytes of headers",
		  head_len);
	f = frame_begin(to, head_len + payload + pad + TP_ICRC_BYTES);
	to_bytes = frame_packet(f);
	memcpy(to_bytes, head, head_len);
	to_bytes += head_len;
	skip = i * train->mtu;
	for (k = 0; payload; k++) {
		sim_check(k < train->nr_seg, "a train's segments are shorter than its length");
		if (skip >= train->seg[k].len) {
			skip -= train->seg[k].len;
			continue;
		}
		n = train->seg[k].len - skip;
		if (n > payload)
			n = payload;
		memcpy(to_bytes, (u8 *)train->seg[k].addr + skip, n);
		to_bytes += n;
		payload -= n;
		skip = 0;
	}
	memset(to_bytes, 0, pad);
	frame_end(f);
	return f;
}

struct sim_frame *frame_wrap(struct sim_qp *to, const void *bytes, u32 len)
{
	struct sim_frame *f = frame_begin(to, len + TP_ICRC_BYTES);

	memcpy(frame_packet(f), bytes, len);
	if (len >= TP_BTH_BYTES)
		frame_end(f);
	else
		random_fill(&world->rng, f->data + f->len - TP_ICRC_BYTES, TP_ICRC_BYTES);
	return f;
}

struct sim_frame *frame_copy(const struct sim_frame *f)
{
	struct sim_frame *copy = malloc(sizeof(*f) + f->len);

	if (!copy)
		abort();
	memcpy(copy, f, sizeof(*f) + f->len);
	return copy;
}

enum tp_drop frame_check(struct sim_frame *f, struct tp_packet *pkt)
{
	enum tp_drop why;
	bool ok;

	why = tp_packet_parse(frame_packet(f), frame_packet_len(f), pkt);
	if (why != TP_DROP_NONE)
		return why;
	sim_check(pkt->header_len + pkt->length + TP_ICRC_BYTES <= frame_packet_len(f) &&
		  frame_packet_len(f) - pkt->header_len - pkt->length - TP_ICRC_BYTES <= 3,
		  "a packet of %u bytes parsed as %u + %u", frame_packet_len(f), pkt->header_len,
		  pkt->length);
	ok = frame_icrc_ok(f);
	if (broken(BREAK_skip_icrc))
		ok = true;
	else
		sim_check(!ok || !f->bad, "a corrupted packet has a good ICRC");
	return ok ? TP_DROP_NONE : TP_DROP_ICRC;
}

/*
 * IBA A17.3.3: CRC-32 over 64 ones, then the packet from the IP header to the
 * payload's end with the fields that routers change as ones: of IPv4 the type
 * of service, time to live and checksum; of IPv6 the traffic class, flow label
 * and hop limit; the UDP checksum; the BTH's resv8a.
 */
u32 frame_icrc_naive(const u8 *data, u32 ip_len, u32 len)
{
	u32 crc = ~0u, i, k;
	u8 byte;

	for (i = 0; i < 8 + len - 4; i++) {
		byte = i < 8 ? 0xff : data[i - 8];
		if (i >= 8) {
			k = i - 8;
			if (ip_len == 20 && (k == 1 || k == 8 || k == 10 || k == 11))
				byte = 0xff;
			if (ip_len == 40 && (k == 1 || k == 2 || k == 3 || k == 7))
				byte = 0xff;
			if (ip_len == 40 && k == 0)
				byte |= 0x0f;
			if (k == ip_len + 6 || k == ip_len + 7 || k == ip_len + 8 + 4)
				byte = 0xff;
		}
		crc ^= byte;
		for (k = 0; k < 8; k++)
			crc = crc & 1 ? (crc >> 1) ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}
