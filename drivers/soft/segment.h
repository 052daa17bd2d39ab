/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What segmentation makes of an skb's headers: a GSO skb has those of all its
 * packets, and each packet's ICRC covers its own.
 */
#ifndef OHCA_SOFT_SEGMENT_H
#define OHCA_SOFT_SEGMENT_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

/* An IP header; its version tells which. */
union soft_ip {
	struct iphdr v4;
	struct ipv6hdr v6;
};

/**
 * soft_segment_ip() - makes an skb's IP header one of its packets'
 * @ip: the header; its checksum is not kept right
 * @k: which packet, from 0
 * @udp_len: bytes behind the header, those of the UDP header included
 */
void soft_segment_ip(union soft_ip *ip, u32 k, u32 udp_len);

/**
 * soft_segment_icrc() - begins the ICRC of a packet of an skb
 * @ip: the skb's IP header
 * @udp: the skb's UDP header
 * @k: which packet, from 0
 * @bytes: bytes behind its UDP header
 * @bth: its first TP_BTH_BYTES bytes
 *
 * Return: CRC state for tp_icrc_update() over what follows the BTH.
 */
u32 soft_segment_icrc(const union soft_ip *ip, const struct udphdr *udp, u32 k, u32 bytes,
		      const void *bth);

#endif /* OHCA_SOFT_SEGMENT_H */
