// SPDX-License-Identifier: GPL-2.0
/*
 * What segmentation makes of an skb's headers: see segment.h.
 */
#include "segment.h"

#include "icrc.h"

void soft_segment_ip(union soft_ip *ip, u32 k, u32 udp_len)
{
	if (ip->v4.version == 4) {
		ip->v4.tot_len = htons(sizeof(ip->v4) + udp_len);
		ip->v4.id = htons(ntohs(ip->v4.id) + k);
	} else {
		ip->v6.payload_len = htons(udp_len);
	}
}

u32 soft_segment_icrc(const union soft_ip *ip, const struct udphdr *udp, u32 k, u32 bytes,
		      const void *bth)
{
	u32 udp_len = sizeof(*udp) + bytes;
	struct udphdr seg_udp = *udp;
	union soft_ip seg = *ip;

	seg_udp.len = htons(udp_len);
	soft_segment_ip(&seg, k, udp_len);
	if (seg.v4.version == 4)
		return tp_icrc_ipv4(&seg.v4, &seg_udp, bth);
	return tp_icrc_ipv6(&seg.v6, &seg_udp, bth);
}
