/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queue pairs: verbs on one side, the transport's struct tp_qp on the other.
 */
#ifndef OHCA_SOFT_QP_H
#define OHCA_SOFT_QP_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "transport.h"

struct soft_dev;
struct soft_ring;
struct soft_path;
struct soft_qp_handle;

/**
 * struct soft_qp - a queue pair
 * @ibqp: what IB core sees
 * @num: its number in the table: ibqp.qp_num, but of a GSI QP, which is 1 there
 * @tp: the transport's half
 * @sq: send WRs (struct rxe_send_wqe elements); under tp.req.lock
 * @rq: receive WRs (struct rxe_recv_wqe), or NULL with an SRQ; under tp.resp.lock
 * @post_lock: serializes kernel posters of @sq; interrupts off
 * @rq_post_lock: the same for @rq
 * @user: the consumer is a program, which writes @sq and @rq itself
 * @sq_sig_all: IB_SIGNAL_ALL_WR
 * @attr: attributes as last set, for query_qp; under @mutex. Its qp_state, what
 *        the consumer last asked for, is read without where ERR or not is all one
 * @cap: sizes as granted
 * @mutex: serializes modify and query
 * @path: where packets go: addresses, DSCP, flow label, hop limit (wire.h); set
 *        by modify to RTR, replaced under RCU
 * @timer: the transport's timer: softirq hrtimer; runs tp_timeout()
 * @deadline: what @timer is armed for, ns; 0 if not
 * @work: goes on with tp_send() and tp_respond() when a budget was spent or
 *        the wire had no room
 * @far_work: the same, for another CPU (wire_tx.c says why)
 * @cq_full: a completion was lost: @work moves the QP to ERR
 * @events: enum tp_event bits for soft_leave() to raise; not 0: @event_node is in
 *          a list
 * @event_node: in the CPU's list of QPs with @events
 * @dev_node: in soft_dev.qps
 * @serial: of no other QP of the device, ever: by it a window knows its QP
 * @moves: soft_dev.moves, as this QP has seen it
 * @handle: its entry in the table of QPNs, with the reference count: one of the
 *          object, one of each packet, work item or local peer that uses it
 * @idle: completed when the last reference is gone; destruction waits for it
 *
 * QPNs are unique over all devices of the kernel: a packet finds its QP, and a
 * sender its peer on the same host, with one look-up. Addresses are compared
 * after that.
 */
struct soft_qp {
	struct ib_qp ibqp;
	u32 num;
	struct tp_qp tp;
	struct soft_ring *sq;
	struct soft_ring *rq;
	spinlock_t post_lock;		/* see @post_lock */
	spinlock_t rq_post_lock;	/* see @rq_post_lock */
	bool user;
	bool sq_sig_all;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	struct mutex mutex;		/* see @mutex */
	struct soft_path __rcu *path;
	struct hrtimer timer;
	u64 deadline;
	struct work_struct work;
	struct work_struct far_work;
	bool cq_full;
	atomic_t events;
	struct llist_node event_node;
	struct list_head dev_node;
	u64 serial;
	u32 moves;
	struct soft_qp_handle *handle;
	struct completion idle;
};

static inline struct soft_qp *to_soft_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct soft_qp, ibqp);
}

static inline struct soft_qp *soft_qp_of(struct tp_qp *tp)
{
	return container_of(tp, struct soft_qp, tp);
}

/* qp_table.c: the numbers, and references by number. */
int soft_qp_table_reserve(struct soft_qp *qp);
void soft_qp_table_publish(struct soft_qp *qp);
void soft_qp_table_remove(struct soft_qp *qp);
void soft_qp_table_wait(struct soft_qp *qp);
struct soft_qp *soft_qp_get(u32 qpn);
void soft_qp_hold(struct soft_qp *qp);
void soft_qp_put(struct soft_qp *qp);

/* qp_run.c: who calls the transport when no verb and no packet does. */
int soft_qp_run_setup(void);
void soft_qp_run_cleanup(void);
void soft_qp_queue(struct work_struct *work);
void soft_qp_run_init(struct soft_qp *qp);
void soft_qp_run_stop(struct soft_qp *qp);
void soft_qp_kick(struct soft_qp *qp);
void soft_qp_defer(struct soft_qp *qp);
void soft_qp_defer_on(struct soft_qp *qp, int cpu);
void soft_qp_arm(struct soft_qp *qp, u64 deadline);

/* qp.c */
void soft_qp_fail(struct soft_qp *qp);

/* qp_attr.c: the path of a GSI QP. */
void soft_qp_drop_path(struct soft_qp *qp);
void soft_qp_renew_path(struct soft_qp *qp);

/* ib_device_ops */
int soft_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int soft_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int soft_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init);
int soft_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int soft_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad);
int soft_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad);

#endif /* OHCA_SOFT_QP_H */
