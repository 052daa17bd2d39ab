/* SPDX-License-Identifier: GPL-2.0 */
/* Queue pairs. */
#ifndef OHCA_MODEL_QP_H
#define OHCA_MODEL_QP_H

#include "srq.h"
#include "wq.h"

#include "transport.h"

/* Send work requests that the transport holds at once; the rest wait in the queue. */
#define QP_MAX_TAKEN	128u
#define QP_MAX_INLINE	1024u

/**
 * struct qp - a queue pair
 * @wq: the work queue; its id is the QPN
 * @ctx: context, as the driver gave it and has modified it
 * @st: service type, MLX5_QP_ST_*
 * @state: MLX5_QP_STATE_*, of a QP that the transport does not run
 * @tp: the transport's part
 * @has_tp: the transport runs it
 * @pd: protection domain
 * @send_cq: completions of sends
 * @recv_cq: completions of receives
 * @srq: where receives come from; NULL: its own queue
 * @xrc_srqn: XRC: the shared receive queue that the packet at hand names
 * @buf: receive queue, and behind it the send queue
 * @dbr: bus address of the doorbell record
 * @rq_size: entries of the receive queue; 0: none
 * @rq_stride: log2 of an entry's bytes
 * @rq_ci: entries used
 * @sq_size: entries of the send queue, 64 bytes each; 0: none
 * @sq_at: where in @buf it begins
 * @sq_ci: entries taken, 16 bits
 * @recv_index: the entry that the transport holds
 * @timer: the transport's, or in ERR one that looks for receives to flush
 */
struct qp {
	struct wq wq;
	u32 ctx[MLX5_ST_SZ_DW(qpc)];
	u32 st;
	u32 state;
	struct tp_qp tp;
	bool has_tp;
	u32 pd;
	struct cq *send_cq;
	struct cq *recv_cq;
	struct srq *srq;
	u32 xrc_srqn;
	struct qbuf buf;
	u64 dbr;
	u32 rq_size;
	u32 rq_stride;
	u16 rq_ci;
	u32 sq_size;
	u64 sq_at;
	u16 sq_ci;
	u16 recv_index;
	struct timer timer;
};

static inline struct qp *qp_of(struct tp_qp *tp)
{
	return container_of(tp, struct qp, tp);
}

/* XRC: the shared receive queue that the packet at hand names, if it is of the QP's domain. */
struct srq *qp_xrc_srq(const struct qp *qp);

struct qp *qp_find(struct hca *hca, u32 qpn);

/* Calls the transport again soon: there is more to do. */
void qp_again(struct qp *qp);

/*
 * wqe.c: takes the next send work request as it is: @wqe has room for
 * MLX5_SEND_WQE_MAX_SIZE. @bytes: 0 if it makes no sense. @wr_id: index of its first
 * block, and its opcode from bit 16 on. False: none is posted.
 */
bool wqe_fetch_send(struct qp *qp, u8 *wqe, u32 *bytes, u64 *wr_id);
/* wqe.c: the next work requests, copied and checked. */
bool wqe_next_send(struct qp *qp, struct tp_send_wr *wr);
bool wqe_more_sends(struct qp *qp);
bool wqe_next_recv(struct qp *qp, struct tp_recv_wr *wr);
u32 wqe_recv_count(struct qp *qp);
/* Reads a send work request that is whole in @wqe. Any bytes are safe. */
void wqe_parse_send(const u8 *wqe, u32 bytes, struct tp_send_wr *wr);

/* wqe.c: copies the request at @index of the queue, @bytes of it; false: a bus error. */
bool wqe_read_send(struct qp *qp, u16 index, u8 *wqe, u32 *bytes);

/* umr.c: changes a memory key as a whole work request of UMR asks. 0 or -EACCES. */
int umr_execute(struct qp *qp, const u8 *wqe, u32 bytes);
/* umr.c: the driver's own QP for UMR, which sends nothing. */
void umr_run(struct qp *qp);

/* cqe.c: completions. */
void cqe_send(struct qp *qp, const struct tp_wc *wc);
void cqe_recv(struct qp *qp, const struct tp_wc *wc);
/* The same for a datagram: @ipv4 is of its addresses. */
void cqe_recv_ud(struct qp *qp, const struct tp_wc *wc, bool ipv4);

#endif /* OHCA_MODEL_QP_H */
