/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queues.
 */
#ifndef OHCA_SOFT_CQ_H
#define OHCA_SOFT_CQ_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "transport.h"

struct soft_ring;
struct soft_qp;

/* What soft_leave() has to raise: bits of soft_cq.pending. */
#define SOFT_CQ_COMPLETION	BIT(0)
#define SOFT_CQ_ERROR		BIT(1)
/* The handlers are being called: core_locking.rst has them called one at a time. */
#define SOFT_CQ_CALLED		BIT(2)

/**
 * struct soft_cq - a completion queue
 * @ibcq: what IB core sees
 * @ring: the CQEs; a user CQ holds struct ib_uverbs_wc, a kernel CQ struct ib_wc
 * @lock: serializes producers, kernel consumers, @notify and the swap of @ring
 *        on resize; nests inside the transport's locks; taken with interrupts
 *        off, as kernel consumers may poll with them off
 * @user: the consumer is a program
 * @notify: what is armed: enum ib_cq_notify_flags, or 0
 * @overflowed: an entry was lost; IB_EVENT_CQ_ERR was raised; nothing more is put in
 * @pending: SOFT_CQ_*: what soft_leave() has to raise; not 0: @node is in a list
 * @node: in the CPU's list of CQs that soft_leave() will call
 * @refs: one of the object, one while on such a list
 * @idle: completed when @refs falls to 0; destruction waits for it
 */
struct soft_cq {
	struct ib_cq ibcq;
	struct soft_ring *ring;
	spinlock_t lock;	/* see @lock */
	bool user;
	u8 notify;
	bool overflowed;
	atomic_t pending;
	struct llist_node node;
	refcount_t refs;
	struct completion idle;
};

static inline struct soft_cq *to_soft_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct soft_cq, ibcq);
}

/**
 * soft_cq_post() - puts a completion into a CQ
 * @cq: the CQ
 * @qp: whose
 * @wc: the transport's completion
 *
 * Under a transport lock, inside soft_enter(). Handlers are not called from here:
 * soft_leave() does, with no lock held.
 *
 * Return: 0, or -EOVERFLOW if it is full: the CQ gets IB_EVENT_CQ_ERR once, and
 * the caller moves the QP to ERR.
 */
int soft_cq_post(struct soft_cq *cq, struct soft_qp *qp, const struct tp_wc *wc);

/* Drops a reference. Any context. */
void soft_cq_put(struct soft_cq *cq);

/*
 * Every call into the transport stands between soft_enter() and soft_leave(),
 * outside its locks. soft_enter() turns bottom halves off. soft_leave() calls
 * the completion and event handlers that became due on this CPU, so that a
 * handler may poll and post on any queue, and turns bottom halves on again.
 * soft_leave_verb() stands for it in a verb that a kernel consumer may call with a
 * lock held that its handlers take: if it is not a program (@user), the handlers are
 * called from a work item.
 */
void soft_enter(void);
void soft_leave(void);
void soft_leave_verb(bool user);

/* For module init. */
void soft_event_setup(void);

/*
 * Have soft_leave() call the CQ's handlers (SOFT_CQ_*), or the QP's with an
 * event. Inside soft_enter(), under any lock. The object lives on until then.
 */
void soft_cq_raise(struct soft_cq *cq, int what);
void soft_qp_raise(struct soft_qp *qp, enum tp_event event);

/* ib_device_ops */
int soft_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs);
int soft_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);
int soft_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int soft_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int soft_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

#endif /* OHCA_SOFT_CQ_H */
