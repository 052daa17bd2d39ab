/* SPDX-License-Identifier: GPL-2.0 */
/* Shared receive queues: SRQ, XRC SRQ and RMP. */
#ifndef OHCA_MODEL_SRQ_H
#define OHCA_MODEL_SRQ_H

#include "cq.h"

enum srq_kind {
	SRQ_BASIC,
	SRQ_XRC,
	SRQ_RMP,
};

/**
 * struct srq - a shared receive queue: a linked list of entries
 * @obj: id is the SRQN, XRC SRQN or RMPN
 * @kind: which of them
 * @ctx: context, as the driver gave it
 * @pd: protection domain
 * @xrcd: XRC: its domain
 * @user_index: XRC: what its completions carry
 * @cq: XRC: where completions go
 * @buf: its entries
 * @log_size: log2 of its entries
 * @log_stride: log2 of an entry's bytes
 * @dbr: bus address of the doorbell record
 * @head: entry to be used next
 * @taken: entries used, 16 bits
 * @limit: raise an event when fewer are left; 0: not armed
 */
struct srq {
	struct object obj;
	enum srq_kind kind;
	u32 ctx[MLX5_ST_SZ_DW(rmpc)];
	u32 pd;
	u32 xrcd;
	u32 user_index;
	struct cq *cq;
	struct qbuf buf;
	u32 log_size;
	u32 log_stride;
	u64 dbr;
	u16 head;
	u16 taken;
	u16 limit;
};

/* Entries that wait to be used. */
u32 srq_count(struct srq *srq);
/* Takes the next entry: @wqe gets its 1 << log_stride bytes. False: there is none. */
bool srq_take(struct srq *srq, u8 *wqe, u32 room, u16 *index);

#endif /* OHCA_MODEL_SRQ_H */
