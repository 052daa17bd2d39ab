// SPDX-License-Identifier: GPL-2.0
/*
 * Binds the transport to the kernel: what transport.h asks of an owner. Each
 * function here only finds the part that does the work.
 */
#include "qp.h"

#include <linux/atomic.h>
#include <linux/timekeeping.h>

#include "cq.h"
#include "device.h"
#include "key.h"
#include "local.h"
#include "srq.h"
#include "stats.h"
#include "trace.h"
#include "wire.h"
#include "wqe.h"

static struct soft_stats *stats_of(const struct soft_qp *qp)
{
	return to_soft_dev(qp->ibqp.device)->stats;
}

bool tp_owner_next_send(struct tp_qp *tp, struct tp_send_wr *wr)
{
	return soft_wqe_next_send(soft_qp_of(tp), wr);
}

bool tp_owner_more_sends(struct tp_qp *tp)
{
	return soft_wqe_more_sends(soft_qp_of(tp));
}

bool tp_owner_next_recv(struct tp_qp *tp, struct tp_recv_wr *wr)
{
	struct soft_qp *qp = soft_qp_of(tp);

	if (qp->ibqp.srq)
		return soft_srq_take(to_soft_srq(qp->ibqp.srq), wr);
	return soft_wqe_next_recv(qp->rq, qp->cap.max_recv_sge, wr);
}

u32 tp_owner_recv_count(struct tp_qp *tp)
{
	struct soft_qp *qp = soft_qp_of(tp);

	/* What is in an SRQ is not this QP's to give. */
	return qp->ibqp.srq ? 0 : soft_wqe_recv_count(qp);
}

/* A lost completion is fatal to the QP. Transport locks are held: the work item sees to it. */
static void post_wc(struct soft_qp *qp, struct ib_cq *cq, const struct tp_wc *wc)
{
	if (!soft_cq_post(to_soft_cq(cq), qp, wc))
		return;
	WRITE_ONCE(qp->cq_full, true);
	soft_qp_defer(qp);
}

void tp_owner_complete_send(struct tp_qp *tp, const struct tp_wc *wc)
{
	struct soft_qp *qp = soft_qp_of(tp);

	/* The slot first: who sees the completion may post at once. */
	soft_wqe_retire_send(qp);
	post_wc(qp, qp->ibqp.send_cq, wc);
}

void tp_owner_retire_send(struct tp_qp *tp)
{
	soft_wqe_retire_send(soft_qp_of(tp));
}

void tp_owner_complete_recv(struct tp_qp *tp, const struct tp_wc *wc)
{
	struct soft_qp *qp = soft_qp_of(tp);

	/* An SRQ's slot was given back when the WR was taken. */
	if (!qp->ibqp.srq)
		soft_wqe_retire_recv(qp);
	post_wc(qp, qp->ibqp.recv_cq, wc);
}

void tp_owner_event(struct tp_qp *tp, enum tp_event event)
{
	soft_qp_raise(soft_qp_of(tp), event);
}

void tp_owner_state(struct tp_qp *tp, enum tp_qp_state state)
{
	trace_ohca_qp_state(&soft_qp_of(tp)->ibqp, state);
}

int tp_owner_map(struct tp_qp *tp, struct tp_mem *mem, u32 key, u64 addr, u32 len, u32 access)
{
	return soft_key_map(soft_qp_of(tp), mem, key, addr, len, access);
}

void tp_owner_unmap(struct tp_mem *mem)
{
	soft_key_unmap(mem);
}

/* Host byte order, as adapters with IB_ATOMIC_HCA do; atomic to CPUs too (IB_ATOMIC_GLOB). */
u64 tp_owner_atomic(struct tp_qp *tp, void *addr, enum tp_op op, u64 swap_add, u64 compare)
{
	if (op == TP_OP_CMP_SWAP)
		return cmpxchg64((u64 *)addr, compare, swap_add);
	return atomic64_fetch_add(swap_add, (atomic64_t *)addr);
}

int tp_owner_invalidate(struct tp_qp *tp, u32 rkey, bool remote)
{
	return soft_key_invalidate(soft_qp_of(tp), rkey, remote);
}

int tp_owner_bind(struct tp_qp *tp, const struct tp_send_wr *wr)
{
	return soft_key_bind(soft_qp_of(tp), wr);
}

int tp_owner_xmit(struct tp_qp *tp, const struct tp_train *train)
{
	struct soft_qp *qp = soft_qp_of(tp);
	int err;

	/* Answers on the same host never come here: tp_deliver_local() takes them back. */
	if (tp_op_is_request(train->op) && soft_local_deliver(qp, train))
		err = 0;
	else
		err = soft_wire_xmit(qp, train);
	if (!err)
		trace_ohca_send(&qp->ibqp, train);
	return err;
}

u64 tp_owner_now(void)
{
	return ktime_get_ns();
}

void tp_owner_arm(struct tp_qp *tp, u64 deadline)
{
	soft_qp_arm(soft_qp_of(tp), deadline);
}

/* Taking a timer back costs more than letting it come: see soft_qp_arm(). */
void tp_owner_disarm(struct tp_qp *tp)
{
}

void tp_owner_count(struct tp_qp *tp, enum tp_counter counter, u64 n)
{
	soft_stats_add(stats_of(soft_qp_of(tp)), counter, n);
}

void tp_owner_retransmit(struct tp_qp *tp, u32 psn, const char *why)
{
	trace_ohca_retransmit(&soft_qp_of(tp)->ibqp, psn, why);
}

void tp_owner_drop(struct tp_qp *tp, u32 psn, enum tp_drop why)
{
	struct soft_qp *qp = soft_qp_of(tp);

	soft_stats_drop(stats_of(qp), why);
	trace_ohca_drop(qp->ibqp.device, tp->qpn, psn, why);
}
