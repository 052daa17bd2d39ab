/* SPDX-License-Identifier: GPL-2.0 */
/* RoCE v2 frames: trains to the wire and packets from it. */
#ifndef OHCA_MODEL_ROCE_H
#define OHCA_MODEL_ROCE_H

#include "hca.h"

#define ROCE_MAX_PAYLOAD	4096u

/**
 * struct path - addresses of a packet
 * @smac: source MAC
 * @dmac: destination MAC
 * @ipv4: which kind of address
 * @sip: source; an IPv4 one is in the last 4 bytes
 * @dip: destination, same
 * @vlan: TCI, if @has_vlan
 * @has_vlan: there is a tag
 * @sport: UDP source port
 * @tclass: traffic class
 * @hop_limit: hop limit
 * @flow_label: IPv6 flow label
 */
struct path {
	u8 smac[6];
	u8 dmac[6];
	bool ipv4;
	u8 sip[16];
	u8 dip[16];
	bool has_vlan;
	u16 vlan;
	u16 sport;
	u8 tclass;
	u8 hop_limit;
	u32 flow_label;
};

struct qp;
struct eth_parsed;
struct tp_train;

/* Sends a train to a QP's peer. */
void roce_send(struct qp *qp, const struct tp_train *train);

/*
 * Sends one packet of @head (BTH and what follows it), @payload, padding and ICRC.
 * The BTH's pad count is the caller's.
 */
void roce_send_packet(struct hca *hca, const struct path *path, const u8 *head, u32 head_len,
		      const u8 *payload, u32 payload_len);
/* Fills in the source from RoCE address @index; false: it is no RoCE v2 address. */
bool roce_source(struct hca *hca, u32 index, struct path *path);

/* True: the frame is RoCE's, and was taken in or dropped. */
bool roce_receive(struct hca *hca, const u8 *frame, u32 len);

/* ud.c: the work of a UD or GSI queue pair, and packets for one (ICRC checked). */
void ud_run(struct qp *qp);
void ud_receive(struct hca *hca, const u8 *frame, const struct eth_parsed *p, const u8 *bth,
		u32 len);

#endif /* OHCA_MODEL_ROCE_H */
