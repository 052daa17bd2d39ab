// SPDX-License-Identifier: GPL-2.0
/*
 * Who calls the transport when neither a verb nor a packet does: the doorbell's
 * loop, the work item that goes on when a budget was spent, and the timer.
 *
 * The work item holds a reference on its QP while it is queued or runs. The
 * timer holds none: soft_qp_run_stop() cancels it, after the transport has been
 * put into RESET, where it arms nothing.
 */
#include "qp.h"

#include <linux/sched.h>
#include <ohca/compat.h>

#include "cq.h"

/*
 * How long a doorbell may send before the rest is left to the work item: long
 * enough for a full window, short enough for a system call.
 */
#define SOFT_KICK_NS	(2 * NSEC_PER_MSEC)

static struct workqueue_struct *soft_qp_wq;

/**
 * soft_qp_run_setup() - for module init
 *
 * The queue runs in bottom halves where the kernel has such queues: on the CPU
 * that asked, with no switch of threads, so that the packets of a QP stay in
 * order on their way through that CPU's queues.
 *
 * Return: 0 or -ENOMEM.
 */
int soft_qp_run_setup(void)
{
	soft_qp_wq = ohca_alloc_bh_workqueue("ohca_soft");
	return soft_qp_wq ? 0 : -ENOMEM;
}

/* For module exit: no QP is left. */
void soft_qp_run_cleanup(void)
{
	destroy_workqueue(soft_qp_wq);
}

/* Has @work run soon, in bottom halves of this CPU. Any context. */
void soft_qp_queue(struct work_struct *work)
{
	queue_work(soft_qp_wq, work);
}

/* One turn: true if there is more to do. */
static bool soft_qp_turn(struct soft_qp *qp)
{
	bool more;

	soft_enter();
	if (READ_ONCE(qp->cq_full)) {
		WRITE_ONCE(qp->cq_full, false);
		tp_qp_error(&qp->tp, TP_EVENT_QP_FATAL);
	}
	more = tp_send(&qp->tp);
	more |= tp_respond(&qp->tp);
	soft_leave();
	return more;
}

static void soft_qp_work(struct work_struct *work)
{
	struct soft_qp *qp = container_of(work, struct soft_qp, work);

	if (soft_qp_turn(qp))
		soft_qp_defer(qp);
	soft_qp_put(qp);
}

/**
 * soft_qp_defer() - has tp_send() and tp_respond() called soon
 * @qp: the QP; the caller holds a reference
 *
 * Context: any.
 */
void soft_qp_defer(struct soft_qp *qp)
{
	soft_qp_hold(qp);
	if (!queue_work(soft_qp_wq, &qp->work))
		soft_qp_put(qp);
}

static void soft_qp_far_work(struct work_struct *work)
{
	struct soft_qp *qp = container_of(work, struct soft_qp, far_work);

	if (soft_qp_turn(qp))
		soft_qp_defer(qp);
	soft_qp_put(qp);
}

/**
 * soft_qp_defer_on() - soft_qp_defer() to a certain CPU
 * @qp: the QP; the caller holds a reference
 * @cpu: the CPU
 *
 * A work item that runs is queued again where it runs, so this is another one:
 * soft_qp_defer()'s may be what calls here.
 *
 * Context: any.
 */
void soft_qp_defer_on(struct soft_qp *qp, int cpu)
{
	soft_qp_hold(qp);
	if (!queue_work_on(cpu, soft_qp_wq, &qp->far_work))
		soft_qp_put(qp);
}

/**
 * soft_qp_kick() - rings the doorbell: sends what was posted, here and now
 * @qp: the QP; the caller holds a reference
 *
 * Context: process context, or bottom halves off; hard interrupts on.
 */
void soft_qp_kick(struct soft_qp *qp)
{
	u64 end = 0;
	bool more;

	for (;;) {
		soft_enter();
		more = tp_send(&qp->tp);
		soft_leave_verb(qp->user);
		if (!more)
			return;
		/* A kernel consumer may hold a lock: no sleeping, and no long loop. */
		if (!qp->user || in_softirq() || irqs_disabled())
			break;
		if (!end)
			end = ktime_get_ns() + SOFT_KICK_NS;
		else if (ktime_get_ns() > end)
			break;
		cond_resched();
	}
	soft_qp_defer(qp);
}

static enum hrtimer_restart soft_qp_timeout(struct hrtimer *timer)
{
	struct soft_qp *qp = container_of(timer, struct soft_qp, timer);
	bool more;

	/*
	 * Before the transport looks: who arms from now on really starts the
	 * timer; who saw the old deadline just before is served by this very run.
	 */
	smp_store_mb(qp->deadline, 0);

	soft_enter();
	more = tp_timeout(&qp->tp);
	soft_leave();
	if (more)
		soft_qp_defer(qp);
	return HRTIMER_NORESTART;
}

/**
 * soft_qp_arm() - tp_owner_arm()
 * @qp: the QP; its req.lock is held
 * @deadline: ktime_get_ns() time
 *
 * The timer is moved only to come sooner. When it comes too soon, tp_timeout()
 * asks for what is left: under traffic that costs a timer now and then, instead
 * of one a message.
 *
 * Context: bottom halves off.
 */
void soft_qp_arm(struct soft_qp *qp, u64 deadline)
{
	u64 armed = READ_ONCE(qp->deadline);

	if (armed && armed <= deadline)
		return;
	WRITE_ONCE(qp->deadline, deadline ?: 1);
	hrtimer_start(&qp->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_SOFT);
}

/**
 * soft_qp_run_init() - prepares timer and work item
 * @qp: the QP, being created
 */
void soft_qp_run_init(struct soft_qp *qp)
{
	INIT_WORK(&qp->work, soft_qp_work);
	INIT_WORK(&qp->far_work, soft_qp_far_work);
	hrtimer_setup(&qp->timer, soft_qp_timeout, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

/**
 * soft_qp_run_stop() - cancels the timer
 * @qp: the QP; its transport is in RESET for good
 *
 * A queued work item finds nothing to do; soft_qp_table_wait() waits for it.
 *
 * Context: may sleep.
 */
void soft_qp_run_stop(struct soft_qp *qp)
{
	hrtimer_cancel(&qp->timer);
}
