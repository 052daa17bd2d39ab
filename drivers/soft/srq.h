/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared receive queues.
 */
#ifndef OHCA_SOFT_SRQ_H
#define OHCA_SOFT_SRQ_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

struct soft_ring;
struct tp_recv_wr;

/**
 * struct soft_srq - a shared receive queue
 * @ibsrq: what IB core sees
 * @ring: receive WRs (struct rxe_recv_wqe)
 * @lock: serializes QPs that take, kernel posters, @limit and the swap of @ring on
 *        resize; nests inside the transport's locks; taken with interrupts off, as
 *        kernel consumers may post with them off
 * @user: the consumer is a program, which posts by itself
 * @max_sge: entries of a WR
 * @limit: the event is due when fewer WRs are left; 0: not armed
 * @pending: the event is due: @node is in a list
 * @node: in the CPU's list of SRQs that soft_leave() will call
 * @refs: one of the object, one while on such a list
 * @idle: completed when @refs falls to 0; destruction waits for it
 *
 * A WR is copied out and its slot given back when a QP takes it: the order in which
 * QPs complete is not that of the ring, and what the consumer writes into the slot
 * from then on is another WR.
 */
struct soft_srq {
	struct ib_srq ibsrq;
	struct soft_ring *ring;
	spinlock_t lock;	/* see @lock */
	bool user;
	u32 max_sge;
	u32 limit;
	atomic_t pending;
	struct llist_node node;
	refcount_t refs;
	struct completion idle;
};

static inline struct soft_srq *to_soft_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct soft_srq, ibsrq);
}

/**
 * soft_srq_take() - tp_owner_next_recv() of a QP that has an SRQ
 * @srq: the SRQ
 * @wr: filled with the oldest WR
 *
 * Any QP's resp.lock is held, inside soft_enter(). Raises the limit event if it is due.
 *
 * Return: false if no WR is posted.
 */
bool soft_srq_take(struct soft_srq *srq, struct tp_recv_wr *wr);

/* Drops a reference. Any context. */
void soft_srq_put(struct soft_srq *srq);

/*
 * event.c: has soft_leave() call the handler with IB_EVENT_SRQ_LIMIT_REACHED. Inside
 * soft_enter(), under any lock. The SRQ lives on until then.
 */
void soft_srq_raise(struct soft_srq *srq);

/* ib_device_ops */
int soft_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata);
int soft_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		    struct ib_udata *udata);
int soft_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int soft_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);
int soft_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad);

#endif /* OHCA_SOFT_SRQ_H */
