/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work queue elements: from what a consumer left in a ring to what the
 * transport works on.
 */
#ifndef OHCA_SOFT_WQE_H
#define OHCA_SOFT_WQE_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct soft_qp;
struct soft_ring;
struct tp_send_wr;
struct tp_recv_wr;

/**
 * soft_wqe_next_send() - tp_owner_next_send() of a QP
 * @qp: the QP; its req.lock is held
 * @wr: room as tp_qp_init() was told
 *
 * Copies the next element of the SQ once, checks the copy, and fills @wr from
 * it. A malformed element comes out with @wr->bad set.
 *
 * Return: false if no WR is posted.
 */
bool soft_wqe_next_send(struct soft_qp *qp, struct tp_send_wr *wr);

/* tp_owner_more_sends(): whether a further WR is posted. Under req.lock. */
bool soft_wqe_more_sends(struct soft_qp *qp);

/**
 * soft_wqe_next_recv() - tp_owner_next_recv() of a queue
 * @ring: an RQ, whose QP's resp.lock is held, or an SRQ's, with its lock held
 * @max_sge: entries that an element may have
 * @wr: to fill, as soft_wqe_next_send() does
 *
 * Return: false if no WR is posted.
 */
bool soft_wqe_next_recv(struct soft_ring *ring, u32 max_sge, struct tp_recv_wr *wr);

/* tp_owner_recv_count(): receive WRs posted and not taken. Under resp.lock. */
u32 soft_wqe_recv_count(struct soft_qp *qp);

/* Gives the oldest taken slot of the SQ (under req.lock) or RQ (under resp.lock) back. */
void soft_wqe_retire_send(struct soft_qp *qp);
void soft_wqe_retire_recv(struct soft_qp *qp);

/**
 * soft_wqe_put_send() - writes a kernel consumer's send WR into the SQ
 * @qp: the QP; its post_lock is held
 * @wr: the WR
 *
 * Return: 0; -ENOMEM if the SQ is full; -EINVAL if the QP can't take such a WR.
 */
int soft_wqe_put_send(struct soft_qp *qp, const struct ib_send_wr *wr);

/**
 * soft_wqe_put_recv() - writes a kernel consumer's receive WR into a queue
 * @ring: an RQ, with its QP's rq_post_lock held, or an SRQ's, with its lock held
 * @max_sge: entries that an element may have
 * @wr: the WR
 *
 * Return: as soft_wqe_put_send().
 */
int soft_wqe_put_recv(struct soft_ring *ring, u32 max_sge, const struct ib_recv_wr *wr);

#endif /* OHCA_SOFT_WQE_H */
