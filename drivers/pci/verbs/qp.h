/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queue pairs.
 */
#ifndef OHCA_PCI_VERBS_QP_H
#define OHCA_PCI_VERBS_QP_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../hw/event.h"
#include "mem.h"
#include "wqe.h"

struct verbs_uar;

/**
 * struct verbs_sq_entry - a send request of the kernel's that is not done
 * @wr_id: the consumer's
 * @next: the block after it, counted on: @tail when it is done
 * @opcode: what its completion is called
 */
struct verbs_sq_entry {
	u64 wr_id;
	u32 next;
	enum ib_wc_opcode opcode;
};

/**
 * struct verbs_sq - a send queue
 * @size: blocks of 64 bytes, a power of two; 0: there is none
 * @at: where in the QP's memory it begins
 * @lock: of a kernel's: guards what follows but @tail
 * @head: blocks posted
 * @tail: blocks done; under the lock of the CQ
 * @entry: by the first block of a request
 * @wqe: where requests are written before they are copied to the queue
 * @limits: of requests
 * @after_umr: the last request changed a memory key
 */
struct verbs_sq {
	u32 size;
	u32 at;
	spinlock_t lock;
	u32 head;
	u32 tail;
	struct verbs_sq_entry *entry;
	struct verbs_wqe *wqe;
	struct verbs_wqe_limits limits;
	bool after_umr;
};

/**
 * struct verbs_rq - a receive queue
 * @size: entries, a power of two; 0: there is none
 * @log_stride: log2 of an entry's bytes
 * @lock: of a kernel's: guards what follows but @tail
 * @head: entries posted
 * @tail: entries done; under the lock of the CQ
 * @wr_id: the consumer's, by entry
 * @max_sge: scatter entries
 */
struct verbs_rq {
	u32 size;
	u8 log_stride;
	spinlock_t lock;
	u32 head;
	u32 tail;
	u64 *wr_id;
	u32 max_sge;
};

/**
 * struct verbs_qp - a queue pair
 * @ibqp: IB core's; its number is 1 for the GSI QP
 * @qpn: the device's number
 * @res: for events
 * @mem: receive queue, and behind it the send queue
 * @db: doorbell record: [0] receives, [1] sends
 * @uar: a program's: where its doorbell is
 * @sq: send queue
 * @rq: receive queue
 * @mutex: one modification or query at a time; guards @attr
 * @attr: attributes as they were set
 * @cap: sizes
 * @signal_all: all send requests complete
 * @q_counter: its set of counters
 * @kernel: the kernel's, not a program's
 * @send_node: in the list of the CQ of its sends; under the lock of that
 * @recv_node: in the list of the CQ of its receives; under the lock of that
 */
struct verbs_qp {
	struct ib_qp ibqp;
	u32 qpn;
	struct ohca_res res;
	struct verbs_mem mem;
	struct verbs_db db;
	struct verbs_uar *uar;
	struct verbs_sq sq;
	struct verbs_rq rq;
	struct mutex mutex;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	bool signal_all;
	u16 q_counter;
	bool kernel;
	struct list_head send_node;
	struct list_head recv_node;
};

static inline struct verbs_qp *to_verbs_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct verbs_qp, ibqp);
}

static inline struct verbs_sq_entry *verbs_sq_entry(const struct verbs_sq *sq, u32 block)
{
	return &sq->entry[block & (sq->size - 1)];
}

/* qp.c */
int verbs_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int verbs_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/* qp_size.c: what goes where in the memory of a QP */
int verbs_qp_size_user(struct verbs_qp *qp, const struct ib_qp_init_attr *init,
		       struct ib_udata *udata);
int verbs_qp_size_kernel(struct verbs_qp *qp, struct ib_qp_init_attr *init);
void verbs_qp_free_queues(struct verbs_qp *qp);
u32 verbs_max_send_sge(u32 wqe_bytes);

/* qp_modify.c */
int verbs_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata);
int verbs_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);
int verbs_qp_move(struct verbs_qp *qp, u16 opcode, u32 optpar, const void *qpc);
int verbs_qp_set_counter(struct verbs_qp *qp, u16 set);
void verbs_qp_clean(struct verbs_qp *qp);

/* post.c: of the kernel's */
int verbs_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad);
int verbs_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad);
bool verbs_sq_flush(struct verbs_qp *qp, struct ib_wc *wc);
bool verbs_rq_flush(struct verbs_qp *qp, struct ib_wc *wc);

#endif /* OHCA_PCI_VERBS_QP_H */
