/* SPDX-License-Identifier: GPL-2.0 */
/* Work queues: what a send doorbell can name, and receive queues. */
#ifndef OHCA_MODEL_WQ_H
#define OHCA_MODEL_WQ_H

#include "cq.h"

#define WQEBB		((u32)MLX5_SEND_WQE_BB)

enum wq_kind {
	WQ_QP,
	WQ_SQ,
	WQ_RQ,
};

/**
 * struct wq - what QPs, SQs and RQs begin with
 * @obj: id is the QPN, SQN or RQN
 * @kind: which of them
 * @uar: the UAR whose doorbells count
 * @work: looks for new work
 */
struct wq {
	struct object obj;
	enum wq_kind kind;
	u32 uar;
	struct work work;
};

/**
 * struct sq - a send queue of the Ethernet function
 * @wq: the work queue
 * @ctx: context, as the driver gave it
 * @state: MLX5_SQC_STATE_*
 * @cq: where completions go
 * @pd: protection domain
 * @buf: its entries
 * @log_size: log2 of its entries, 64 bytes each
 * @dbr: bus address of the doorbell record
 * @ci: entries done, 16 bits
 */
struct sq {
	struct wq wq;
	u32 ctx[MLX5_ST_SZ_DW(sqc)];
	u32 state;
	struct cq *cq;
	u32 pd;
	struct qbuf buf;
	u32 log_size;
	u64 dbr;
	u16 ci;
};

/**
 * struct rq - a receive queue of the Ethernet function
 * @wq: the work queue
 * @ctx: context, as the driver gave it
 * @state: MLX5_RQC_STATE_*
 * @cq: where completions go
 * @pd: protection domain
 * @linked: entries are a linked list, not a ring
 * @buf: its entries
 * @log_size: log2 of its entries
 * @log_stride: log2 of an entry's bytes
 * @dbr: bus address of the doorbell record
 * @ci: entries used, 16 bits
 * @next: @linked: the entry to be used next
 * @counter: its set of counters
 */
struct rq {
	struct wq wq;
	u32 ctx[MLX5_ST_SZ_DW(rqc)];
	u32 state;
	struct cq *cq;
	u32 pd;
	bool linked;
	struct qbuf buf;
	u32 log_size;
	u32 log_stride;
	u64 dbr;
	u16 ci;
	u16 next;
	u32 counter;
};

/* What is known of a received frame when it reaches a receive queue. */
struct rx_info {
	u32 flow_tag;
	u32 hash;
	u8 hash_type;
	u8 l4_l3_type;
	u8 checks;
	u16 checksum;
	bool has_vlan;
	u16 vlan;
};

struct cmd;

void wq_doorbell(struct hca *hca, u32 uar, u32 number);
/* Reads the queue's buffer and doorbell record out of a "wq" context. 0 or a command status. */
int wq_buffer(struct cmd *cmd, const void *wq, u32 pas_room, struct qbuf *buf);
/* A frame for receive queue @rqn. */
void rq_receive(struct hca *hca, u32 rqn, const void *frame, u32 len, const struct rx_info *info);
/* A frame for TIR @tirn. */
void tir_receive(struct hca *hca, u32 tirn, const void *frame, u32 len, u32 flow_tag);
/* A frame for the Ethernet function: through the flow tables. */
void flow_receive(struct hca *hca, const void *frame, u32 len);

#endif /* OHCA_MODEL_WQ_H */
