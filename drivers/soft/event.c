// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers of consumers, called with no lock held.
 *
 * Completions and events come up under the transport's locks; a handler may post
 * and poll, which takes them. So what is due is put on a list of this CPU, and
 * soft_leave() of the outermost soft_enter() calls the handlers. Bottom halves are
 * off in between, so the list is this context's alone.
 *
 * A kernel consumer may hold a lock of its own as it calls a verb, and take it in its
 * handler (Documentation/infiniband/core_locking.rst): then soft_leave_verb() leaves
 * the list to a work item in bottom halves, which come no sooner than such a lock
 * lets them.
 */
#include <linux/bottom_half.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "cq.h"
#include "qp.h"
#include "srq.h"

/**
 * struct soft_due - handlers to be called on a CPU
 * @cqs: soft_cq.node
 * @qps: soft_qp.event_node
 * @srqs: soft_srq.node
 * @depth: nested soft_enter()
 * @work: calls what soft_leave_verb() left
 */
struct soft_due {
	struct llist_head cqs;
	struct llist_head qps;
	struct llist_head srqs;
	unsigned int depth;
	struct work_struct work;
};

static DEFINE_PER_CPU(struct soft_due, soft_due);

static const enum ib_event_type event_types[] = {
	[TP_EVENT_COMM_EST]	= IB_EVENT_COMM_EST,
	[TP_EVENT_SQ_DRAINED]	= IB_EVENT_SQ_DRAINED,
	[TP_EVENT_LAST_WQE]	= IB_EVENT_QP_LAST_WQE_REACHED,
	[TP_EVENT_QP_FATAL]	= IB_EVENT_QP_FATAL,
	[TP_EVENT_REQ_ERR]	= IB_EVENT_QP_REQ_ERR,
	[TP_EVENT_ACCESS_ERR]	= IB_EVENT_QP_ACCESS_ERR,
};

void soft_cq_raise(struct soft_cq *cq, int what)
{
	/* Not 0 before: it is on some CPU's list, or that CPU is at it and looks again. */
	if (atomic_fetch_or(what, &cq->pending))
		return;
	refcount_inc(&cq->refs);
	llist_add(&cq->node, this_cpu_ptr(&soft_due.cqs));
}

void soft_qp_raise(struct soft_qp *qp, enum tp_event event)
{
	if (atomic_fetch_or(BIT(event), &qp->events))
		return;
	soft_qp_hold(qp);
	llist_add(&qp->event_node, this_cpu_ptr(&soft_due.qps));
}

void soft_srq_raise(struct soft_srq *srq)
{
	if (atomic_xchg(&srq->pending, 1))
		return;
	refcount_inc(&srq->refs);
	llist_add(&srq->node, this_cpu_ptr(&soft_due.srqs));
}

static void call_cq(struct soft_cq *cq, int what)
{
	struct ib_cq *ibcq = &cq->ibcq;
	struct ib_event event = {
		.device = ibcq->device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = ibcq,
	};

	if (what & SOFT_CQ_ERROR && ibcq->event_handler)
		ibcq->event_handler(&event, ibcq->cq_context);
	if (what & SOFT_CQ_COMPLETION && ibcq->comp_handler)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
}

static void call_qp(struct soft_qp *qp, unsigned long what)
{
	struct ib_qp *ibqp = &qp->ibqp;
	struct ib_event event = {
		.device = ibqp->device,
		.element.qp = ibqp,
	};
	unsigned int bit;

	for_each_set_bit(bit, &what, ARRAY_SIZE(event_types)) {
		event.event = event_types[bit];
		if (ibqp->event_handler)
			ibqp->event_handler(&event, ibqp->qp_context);
	}
}

static void call_srq(struct soft_srq *srq)
{
	struct ib_srq *ibsrq = &srq->ibsrq;
	struct ib_event event = {
		.device = ibsrq->device,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
		.element.srq = ibsrq,
	};

	if (ibsrq->event_handler)
		ibsrq->event_handler(&event, ibsrq->srq_context);
}

static void run_due(struct soft_due *due)
{
	struct soft_srq *srq, *next_srq;
	struct soft_cq *cq, *next_cq;
	struct soft_qp *qp, *next_qp;

	/* The next entry is known before @pending is 0: from then on it may be listed anew. */
	llist_for_each_entry_safe(qp, next_qp, llist_del_all(&due->qps), event_node) {
		call_qp(qp, atomic_xchg(&qp->events, 0));
		soft_qp_put(qp);
	}
	llist_for_each_entry_safe(srq, next_srq, llist_del_all(&due->srqs), node) {
		atomic_set(&srq->pending, 0);
		call_srq(srq);
		soft_srq_put(srq);
	}
	llist_for_each_entry_safe(cq, next_cq, llist_del_all(&due->cqs), node) {
		/* Never on two CPUs at once: @pending is 0 when the handler has returned. */
		do {
			call_cq(cq, atomic_xchg(&cq->pending, SOFT_CQ_CALLED));
		} while (atomic_cmpxchg(&cq->pending, SOFT_CQ_CALLED, 0) != SOFT_CQ_CALLED);
		soft_cq_put(cq);
	}
}

static bool is_due(const struct soft_due *due)
{
	return !llist_empty(&due->cqs) || !llist_empty(&due->qps) || !llist_empty(&due->srqs);
}

void soft_enter(void)
{
	local_bh_disable();
	this_cpu_inc(soft_due.depth);
}

void soft_leave(void)
{
	struct soft_due *due = this_cpu_ptr(&soft_due);

	if (due->depth == 1) {
		while (is_due(due))
			run_due(due);
	}
	this_cpu_dec(soft_due.depth);
	local_bh_enable();
}

void soft_leave_verb(bool user)
{
	struct soft_due *due = this_cpu_ptr(&soft_due);

	if (user) {
		soft_leave();
		return;
	}
	/* The outermost soft_leave() finds it, if this is not the outermost. */
	if (due->depth == 1 && is_due(due))
		soft_qp_queue(&due->work);
	this_cpu_dec(soft_due.depth);
	local_bh_enable();
}

/* The list's CPU may have gone: then it is another one that runs this. */
static void due_work(struct work_struct *work)
{
	struct soft_due *due = container_of(work, struct soft_due, work);

	soft_enter();
	run_due(due);
	soft_leave();
}

void soft_event_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu_ptr(&soft_due, cpu)->work, due_work);
}
