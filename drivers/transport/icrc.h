/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The invariant CRC of RoCE v2 (IBA Annex A17.3.3).
 *
 * CRC-32 over 8 bytes of ones, the IP and UDP headers with the fields that a
 * router may change set to ones, the BTH with its resv8a byte set to ones, and
 * the rest up to the ICRC as it is.
 */
#ifndef OHCA_TRANSPORT_ICRC_H
#define OHCA_TRANSPORT_ICRC_H

#include <linux/types.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

/**
 * tp_icrc_ipv4() - begins the ICRC of an IPv4 packet
 * @ip: its IPv4 header, 20 bytes (RoCE v2 allows no options), tot_len and id as
 *      this packet has them (a GSO segment has its own)
 * @udp: its UDP header, len as this packet has it
 * @bth: its first TP_BTH_BYTES bytes
 *
 * Return: CRC state for tp_icrc_update() over what follows the BTH.
 */
u32 tp_icrc_ipv4(const struct iphdr *ip, const struct udphdr *udp, const void *bth);

/* The same for IPv6: no extension headers. */
u32 tp_icrc_ipv6(const struct ipv6hdr *ip6, const struct udphdr *udp, const void *bth);

/* Goes on with @len bytes. */
u32 tp_icrc_update(u32 crc, const void *data, u32 len);

/* Ends: the 4 bytes as they stand in the packet. */
__le32 tp_icrc_end(u32 crc);

#endif /* OHCA_TRANSPORT_ICRC_H */
