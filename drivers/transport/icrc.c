// SPDX-License-Identifier: GPL-2.0
/*
 * The ICRC: see icrc.h.
 */
#include "icrc.h"

#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "packet.h"
#include "transport.h"

/* The state of a CRC-32 that began with ones and has taken in 8 bytes of ones. */
#define ICRC_SEED		0xdebb20e3u
/* The byte of the BTH that a router may change: resv8a, with FECN and BECN. */
#define BTH_RESV8A		4

/* What of the first headers goes into the ICRC, with room for the larger of them. */
struct icrc_ipv4 {
	struct iphdr ip;
	struct udphdr udp;
	u8 bth[TP_BTH_BYTES];
} __packed;

struct icrc_ipv6 {
	struct ipv6hdr ip6;
	struct udphdr udp;
	u8 bth[TP_BTH_BYTES];
} __packed;

static_assert(sizeof(struct icrc_ipv4) == 40);
static_assert(sizeof(struct icrc_ipv6) == 60);

u32 tp_icrc_ipv4(const struct iphdr *ip, const struct udphdr *udp, const void *bth)
{
	struct icrc_ipv4 h;

	memcpy(&h.ip, ip, sizeof(h.ip));
	memcpy(&h.udp, udp, sizeof(h.udp));
	memcpy(h.bth, bth, sizeof(h.bth));
	h.ip.ttl = 0xff;
	h.ip.tos = 0xff;
	memset(&h.ip.check, 0xff, sizeof(h.ip.check));
	memset(&h.udp.check, 0xff, sizeof(h.udp.check));
	h.bth[BTH_RESV8A] = 0xff;
	return tp_icrc_update(ICRC_SEED, &h, sizeof(h));
}

u32 tp_icrc_ipv6(const struct ipv6hdr *ip6, const struct udphdr *udp, const void *bth)
{
	struct icrc_ipv6 h;

	memcpy(&h.ip6, ip6, sizeof(h.ip6));
	memcpy(&h.udp, udp, sizeof(h.udp));
	memcpy(h.bth, bth, sizeof(h.bth));
	/* Traffic class and flow label: all of the first word but the version. */
	h.ip6.priority = 0xf;
	memset(h.ip6.flow_lbl, 0xff, sizeof(h.ip6.flow_lbl));
	h.ip6.hop_limit = 0xff;
	memset(&h.udp.check, 0xff, sizeof(h.udp.check));
	h.bth[BTH_RESV8A] = 0xff;
	return tp_icrc_update(ICRC_SEED, &h, sizeof(h));
}

u32 tp_icrc_update(u32 crc, const void *data, u32 len)
{
	return tp_owner_crc32(crc, data, len);
}

__le32 tp_icrc_end(u32 crc)
{
	return cpu_to_le32(~crc);
}
