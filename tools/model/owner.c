// SPDX-License-Identifier: GPL-2.0
/*
 * Binds the transport to the model: work from queues in guest memory, memory by
 * key, completions, timers, and the wire.
 */
#include <errno.h>
#include <linux/crc32.h>

#include "counter.h"
#include "mkey.h"
#include "qp.h"
#include "roce.h"

bool tp_owner_next_send(struct tp_qp *tp, struct tp_send_wr *wr)
{
	return wqe_next_send(qp_of(tp), wr);
}

bool tp_owner_more_sends(struct tp_qp *tp)
{
	return wqe_more_sends(qp_of(tp));
}

bool tp_owner_next_recv(struct tp_qp *tp, struct tp_recv_wr *wr)
{
	return wqe_next_recv(qp_of(tp), wr);
}

u32 tp_owner_recv_count(struct tp_qp *tp)
{
	return wqe_recv_count(qp_of(tp));
}

void tp_owner_complete_send(struct tp_qp *tp, const struct tp_wc *wc)
{
	cqe_send(qp_of(tp), wc);
}

void tp_owner_retire_send(struct tp_qp *tp)
{
	/* The consumer frees its entries by the next completion that it sees. */
	(void)tp;
}

void tp_owner_complete_recv(struct tp_qp *tp, const struct tp_wc *wc)
{
	cqe_recv(qp_of(tp), wc);
}

void tp_owner_event(struct tp_qp *tp, enum tp_event event)
{
	static const u8 types[] = {
		[TP_EVENT_COMM_EST]	= MLX5_EVENT_TYPE_COMM_EST,
		[TP_EVENT_SQ_DRAINED]	= MLX5_EVENT_TYPE_SQ_DRAINED,
		[TP_EVENT_LAST_WQE]	= MLX5_EVENT_TYPE_SRQ_LAST_WQE,
		[TP_EVENT_QP_FATAL]	= MLX5_EVENT_TYPE_WQ_CATAS_ERROR,
		[TP_EVENT_REQ_ERR]	= MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR,
		[TP_EVENT_ACCESS_ERR]	= MLX5_EVENT_TYPE_WQ_ACCESS_ERROR,
	};

	eq_queue_event(qp_of(tp)->wq.obj.hca, types[event], MLX5_EVENT_QUEUE_TYPE_QP, tp->qpn);
}

void tp_owner_state(struct tp_qp *tp, enum tp_qp_state state)
{
	struct qp *qp = qp_of(tp);

	info("qp 0x%x moves to state %u", tp->qpn, state);
	/* Receives that are posted from now on are found by the timer. */
	if (state == TP_QPS_ERR)
		loop_arm(&qp->wq.obj.hca->loop, &qp->timer, loop_now());
}

static u32 rights(u32 access)
{
	return (access & TP_ACCESS_LOCAL_WRITE ? MKEY_LOCAL_WRITE : 0) |
	       (access & TP_ACCESS_REMOTE_WRITE ? MKEY_REMOTE_WRITE : 0) |
	       (access & TP_ACCESS_REMOTE_READ ? MKEY_REMOTE_READ : 0) |
	       (access & TP_ACCESS_REMOTE_ATOMIC ? MKEY_ATOMIC : 0);
}

int tp_owner_map(struct tp_qp *tp, struct tp_mem *mem, u32 key, u64 addr, u32 len, u32 access)
{
	struct qp *qp = qp_of(tp);
	struct hca *hca = qp->wq.obj.hca;
	u32 pd = qp->pd, done = 0, run, n;
	struct srq *srq;
	u64 iova;
	void *p;
	bool write = access & (TP_ACCESS_LOCAL_WRITE | TP_ACCESS_REMOTE_WRITE |
			       TP_ACCESS_REMOTE_ATOMIC);

	/* A target of XRC is of no domain: the queue that the packet names tells it (A14). */
	if (qp->st == MLX5_QP_ST_XRC && !qp->sq_size) {
		srq = qp_xrc_srq(qp);
		if (!srq)
			return -EACCES;
		pd = srq->pd;
	}
	if (key == HCA_RESERVED_LKEY && MLX5_GET(qpc, qp->ctx, rlky))
		pd = MKEY_ANY_PD;
	else if (mkey_check(hca, key, pd, addr, len, rights(access)))
		return -EACCES;
	if (access & ~TP_ACCESS_LOCAL_WRITE && !mkey_serves(mkey_find(hca, key), tp->qpn))
		return -EACCES;
	while (done < len && mem->nr < TP_MAX_SEGS) {
		run = len - done;
		if (mkey_resolve(hca, key, pd, addr + done, &run, rights(access), &iova))
			return -EACCES;
		n = run;
		p = dma_pointer(&hca->dma, iova, &n, write);
		if (!p)
			return -EACCES;
		mem->seg[mem->nr++] = (struct tp_seg){ .addr = p, .len = n };
		mem->length += n;
		done += n;
	}
	return (int)done;
}

void tp_owner_unmap(struct tp_mem *mem)
{
	mem->nr = 0;
	mem->length = 0;
	mem->nr_refs = 0;
}

/* Host byte order, and atomic to the guest's processors: the memory is shared. */
u64 tp_owner_atomic(struct tp_qp *tp, void *addr, enum tp_op op, u64 swap_add, u64 compare)
{
	(void)tp;
	if (op == TP_OP_FETCH_ADD)
		return __atomic_fetch_add((u64 *)addr, swap_add, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n((u64 *)addr, &compare, swap_add, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return compare;
}

int tp_owner_invalidate(struct tp_qp *tp, u32 rkey, bool remote)
{
	u8 wqe[MLX5_SEND_WQE_MAX_SIZE] __aligned(16);
	struct qp *qp = qp_of(tp);
	struct mkey *mkey;
	u32 bytes;

	/* Of this side: a UMR, whatever it asks for; see defer_umr() in wqe.c. */
	if (!remote)
		return wqe_read_send(qp, (u16)rkey, wqe, &bytes) ?
		       umr_execute(qp, wqe, bytes) : -EACCES;
	mkey = mkey_find(qp->wq.obj.hca, rkey);
	if (!mkey || mkey->pd != qp->pd || mkey->free || !mkey_serves(mkey, tp->qpn) ||
	    !MLX5_GET(mkc, mkey->ctx, en_rinval))
		return -EACCES;
	mkey->free = true;
	return 0;
}

/* The device has other means: UMR, which wqe.c executes. */
int tp_owner_bind(struct tp_qp *tp, const struct tp_send_wr *wr)
{
	(void)tp;
	(void)wr;
	return -EACCES;
}

int tp_owner_xmit(struct tp_qp *tp, const struct tp_train *train)
{
	struct qp *qp = qp_of(tp);

	if (wire_full(&qp->wq.obj.hca->wire))
		return -EAGAIN;
	roce_send(qp, train);
	return 0;
}

u32 tp_owner_crc32(u32 crc, const void *data, u32 len)
{
	return crc32_le(crc, data, len);
}

u64 tp_owner_now(void)
{
	return loop_now();
}

void tp_owner_arm(struct tp_qp *tp, u64 deadline)
{
	struct qp *qp = qp_of(tp);

	loop_arm(&qp->wq.obj.hca->loop, &qp->timer, deadline);
}

void tp_owner_disarm(struct tp_qp *tp)
{
	struct qp *qp = qp_of(tp);

	loop_disarm(&qp->wq.obj.hca->loop, &qp->timer);
}

/* The transport's counters that a set of queue counters has, and where. */
#define COUNTED(name, member) [TP_CNT_##name] = offsetof(struct q_counter, member)
static const size_t counted[TP_NUM_COUNTERS] = {
	COUNTED(rx_write_requests, rx_write_requests),
	COUNTED(rx_read_requests, rx_read_requests),
	COUNTED(rx_atomic_requests, rx_atomic_requests),
	COUNTED(out_of_sequence, out_of_sequence),
	COUNTED(duplicate_request, duplicate_request),
	COUNTED(rcvd_rnr_err, rnr_nak_retry_err),
	COUNTED(packet_seq_err, packet_seq_err),
	COUNTED(implied_nak_seq_err, implied_nak_seq_err),
	COUNTED(local_ack_timeout_err, local_ack_timeout_err),
	COUNTED(retry_rnr_exceeded_err, req_rnr_retries_exceeded),
	COUNTED(resp_local_length_error, resp_local_length_error),
	COUNTED(resp_cqe_error, resp_cqe_error),
	COUNTED(req_cqe_error, req_cqe_error),
	COUNTED(req_remote_invalid_request, req_remote_invalid_request),
	COUNTED(req_remote_access_errors, req_remote_access_errors),
	COUNTED(resp_remote_access_errors, resp_remote_access_errors),
	COUNTED(retry_exceeded_err, req_transport_retries_exceeded),
	COUNTED(resp_cqe_flush_error, resp_cqe_flush_error),
	COUNTED(req_cqe_flush_error, req_cqe_flush_error),
	COUNTED(send_rnr_err, out_of_buffer),
};

#undef COUNTED

void tp_owner_count(struct tp_qp *tp, enum tp_counter counter, u64 n)
{
	struct qp *qp = qp_of(tp);
	u32 id = MLX5_GET(qpc, qp->ctx, counter_set_id);
	struct q_counter *q = object_find(qp->wq.obj.hca, OBJ_Q_COUNTER, id);

	if (q && counter < TP_NUM_COUNTERS && counted[counter])
		*(u64 *)((u8 *)q + counted[counter]) += n;
}

void tp_owner_retransmit(struct tp_qp *tp, u32 psn, const char *why)
{
	trace("qp 0x%x goes back to psn %06x: %s", tp->qpn, psn, why);
}

void tp_owner_drop(struct tp_qp *tp, u32 psn, enum tp_drop why)
{
	trace("qp 0x%x drops psn %06x: %s", tp->qpn, psn, tp_drop_names[why]);
}
