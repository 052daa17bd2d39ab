/* SPDX-License-Identifier: GPL-2.0 */
/* The Ethernet function's way out and in. */
#ifndef OHCA_MODEL_ETH_H
#define OHCA_MODEL_ETH_H

#include "hca.h"

/**
 * struct eth_parsed - where a frame's headers are
 * @ethertype: innermost, host order
 * @l3: offset of the network header
 * @l4: offset of the transport header; 0: none, or a later fragment
 * @end: offset past the network packet (without padding of the link)
 * @proto: IP protocol
 * @version: 4, 6, or 0
 * @frag: it is a fragment
 * @has_vlan: there is a tag
 * @vlan: its TCI
 */
struct eth_parsed {
	u16 ethertype;
	u32 l3;
	u32 l4;
	u32 end;
	u8 proto;
	u8 version;
	bool frag;
	bool has_vlan;
	u16 vlan;
};

/* Any bytes are safe. False: not even an Ethernet header. */
bool eth_parse(const u8 *frame, u32 len, struct eth_parsed *p);

/* Folded one's complement sum of bytes, as in memory; goes on from @sum. */
u32 eth_sum(const void *data, u32 len, u32 sum);
u16 eth_fold(u32 sum);
/* Whether the transport checksum of a parsed TCP or UDP packet is right. */
bool eth_l4_ok(const u8 *frame, const struct eth_parsed *p);

/*
 * Sends a frame with the checksums that @flags ask for (MLX5_ETH_WQE_L*_CSUM); @mss: not 0:
 * cut into TCP segments of so many bytes, @head: bytes of its headers.
 */
void eth_transmit(struct hca *hca, u8 *frame, u32 len, u8 flags, u32 mss, u32 head);

/* A frame has come in. */
void eth_receive(void *arg, const void *frame, u32 len);

#endif /* OHCA_MODEL_ETH_H */
