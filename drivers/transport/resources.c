// SPDX-License-Identifier: GPL-2.0
/*
 * Responder resources: what READs and ATOMICs answer, kept to be answered again
 * (IBA 9.7.5.1.4), and the queue of answers that are due.
 *
 * READ data is not kept but read again, under the rkey as it is then. An ATOMIC
 * must not be executed again, so its result is kept. Everything here runs under
 * resp.lock.
 */
#include "internal.h"

#include <linux/errno.h>

/* The resource for a new request; NULL if the peer has more out than was agreed on. */
static struct tp_resource *tp_res_free(struct tp_qp *qp)
{
	u32 limit = min_t(u32, qp->attr.max_dest_rd_atomic, TP_MAX_RD_ATOMIC);
	struct tp_resp *resp = &qp->resp;
	struct tp_resource *res;

	if (!limit)
		return NULL;
	if (resp->res_next >= limit)
		resp->res_next = 0;
	res = &resp->res[resp->res_next];
	return res->queued ? NULL : res;
}

static void tp_res_queue(struct tp_resp *resp, struct tp_resource *res, u32 from, u32 part)
{
	res->from = from;
	res->next = from;
	res->part = part;
	if (res->queued)
		return;
	res->queued = true;
	resp->queue[(resp->queue_head + resp->queue_len) % TP_MAX_RD_ATOMIC] = res - resp->res;
	resp->queue_len++;
}

static void tp_res_done(struct tp_resp *resp, struct tp_resource *res)
{
	res->queued = false;
	resp->queue_head = (resp->queue_head + 1) % TP_MAX_RD_ATOMIC;
	resp->queue_len--;
}

/* Takes @res for @train, which the expected PSN moves past. */
static void tp_res_take(struct tp_qp *qp, struct tp_resource *res, const struct tp_train *train)
{
	struct tp_resp *resp = &qp->resp;

	*res = (struct tp_resource){
		.psn = train->psn,
		.npkts = train->op == TP_OP_READ ? tp_packets(train->dmalen, qp->attr.mtu) : 1,
		.va = train->va,
		.rkey = train->rkey,
		.dmalen = train->dmalen,
		.compare = train->compare,
		.swap = train->swap,
		.op = train->op,
		.valid = true,
	};
	resp->msn = tp_psn_add(resp->msn, 1);
	res->msn = resp->msn;
	resp->psn = tp_psn_add(resp->psn, res->npkts);
	resp->res_next = res - resp->res + 1;
	tp_res_queue(resp, res, 0, train->dmalen);
}

/* Whether all of a READ is there to be read. */
static enum tp_fault tp_res_check(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_mem *mem = &qp->resp.mem;
	int got;

	if (!train->dmalen)
		return TP_FAULT_NONE;
	got = tp_owner_map(qp, mem, train->rkey, train->va, min(train->dmalen, TP_MAP_BYTES),
			   TP_ACCESS_REMOTE_READ);
	tp_owner_unmap(mem);
	if (got == -EAGAIN)
		return TP_FAULT_RNR;
	return got > 0 ? TP_FAULT_NONE : TP_FAULT_ACCESS;
}

/**
 * tp_res_read() - takes in a READ request at the expected PSN
 * @qp: the QP
 * @train: the request
 *
 * If other answers are due first, later requests may be executed before this one's
 * data is sent, so that its range is checked now; else the first train of the
 * answer checks it.
 *
 * Return: what is wrong with it. Under resp.lock.
 */
enum tp_fault tp_res_read(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_resource *res = tp_res_free(qp);
	enum tp_fault fault;

	tp_owner_count(qp, TP_CNT_rx_read_requests, 1);
	if (!(qp->attr.access & TP_ACCESS_REMOTE_READ) || train->dmalen > TP_MAX_MESSAGE || !res)
		return TP_FAULT_INVALID;
	if (qp->resp.queue_len) {
		fault = tp_res_check(qp, train);
		if (fault)
			return fault;
	}
	tp_res_take(qp, res, train);
	return TP_FAULT_NONE;
}

/**
 * tp_res_atomic() - executes an ATOMIC request at the expected PSN
 * @qp: the QP
 * @train: the request
 *
 * Return: what is wrong with it. Under resp.lock.
 */
enum tp_fault tp_res_atomic(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_resource *res = tp_res_free(qp);
	struct tp_mem *mem = &qp->resp.mem;
	enum tp_fault fault = TP_FAULT_NONE;
	u64 orig = 0;
	int got;

	tp_owner_count(qp, TP_CNT_rx_atomic_requests, 1);
	if (!(qp->attr.access & TP_ACCESS_REMOTE_ATOMIC) || train->va % 8 || !res)
		return TP_FAULT_INVALID;
	got = tp_owner_map(qp, mem, train->rkey, train->va, 8, TP_ACCESS_REMOTE_ATOMIC);
	if (got == -EAGAIN)
		fault = TP_FAULT_RNR;
	else if (got != 8)
		fault = TP_FAULT_ACCESS;
	else if (mem->seg[0].len < 8 || (unsigned long)mem->seg[0].addr % 8)
		/* A region whose addresses aren't aligned as its memory is. */
		fault = TP_FAULT_INVALID;
	else
		orig = tp_owner_atomic(qp, mem->seg[0].addr, train->op, train->swap,
				       train->compare);
	tp_owner_unmap(mem);
	if (fault)
		return fault;
	tp_res_take(qp, res, train);
	res->orig = orig;
	return TP_FAULT_NONE;
}

/* Whether @train asks for @res, or READ for a part of it that begins at packet @k. */
static bool tp_res_match(const struct tp_resource *res, const struct tp_train *train, u32 k,
			 u32 mtu)
{
	if (res->op != train->op || res->rkey != train->rkey)
		return false;
	if (res->op == TP_OP_READ)
		return train->va == res->va + (u64)k * mtu &&
		       train->dmalen <= res->dmalen - k * mtu;
	return train->va == res->va && train->swap == res->swap &&
	       train->compare == res->compare;
}

/**
 * tp_res_replay() - answers a READ or ATOMIC that was executed before
 * @qp: the QP
 * @train: the duplicate
 *
 * A READ may ask for the rest only. One that is being answered begins anew from
 * there.
 *
 * Return: false if no resource knows it: it is dropped (IBA C9-113). Under resp.lock.
 */
bool tp_res_replay(struct tp_qp *qp, const struct tp_train *train)
{
	struct tp_resp *resp = &qp->resp;
	struct tp_resource *res;
	u32 i, k;

	for (i = 0; i < TP_MAX_RD_ATOMIC; i++) {
		res = &resp->res[i];
		k = tp_psn_add(train->psn, -res->psn);
		if (!res->valid || k >= res->npkts || !tp_res_match(res, train, k, qp->attr.mtu))
			continue;
		res->replay = true;
		tp_res_queue(resp, res, k, train->dmalen);
		return true;
	}
	return false;
}

/**
 * tp_res_limit() - the newest PSN that an ACK of a duplicate may name
 * @qp: the QP
 * @psn: the duplicate's PSN
 *
 * An ACK that passes a READ or ATOMIC tells the requester that its answer is lost.
 * This one must not, the answer may be on its way.
 *
 * Return: the PSN before the first READ or ATOMIC after @psn, or before the
 * expected PSN. Under resp.lock.
 */
u32 tp_res_limit(struct tp_qp *qp, u32 psn)
{
	struct tp_resp *resp = &qp->resp;
	u32 limit = resp->psn, i;

	for (i = 0; i < TP_MAX_RD_ATOMIC; i++) {
		const struct tp_resource *res = &resp->res[i];

		if (res->valid && tp_psn_before(psn, res->psn) && tp_psn_before(res->psn, limit))
			limit = res->psn;
	}
	return tp_psn_add(limit, TP_PSN_MASK);
}

/* The peer may no longer read what it may have read before. */
static int tp_res_refuse(struct tp_qp *qp, struct tp_resource *res)
{
	u32 psn = tp_psn_add(res->psn, res->next);
	struct tp_train nak;
	int err;

	if (!res->replay) {
		tp_resp_fault(qp, TP_FAULT_ACCESS, psn);
		/* Nothing after it is answered, the NAK goes at once. */
		while (qp->resp.queue_len)
			tp_res_done(&qp->resp, &qp->resp.res[qp->resp.queue[qp->resp.queue_head]]);
		return 0;
	}
	/*
	 * The duplicate may be a ghost, whose requester has had the data and gave
	 * the memory back since. It ignores the NAK then, and this end must not
	 * fail over it.
	 */
	tp_resp_fill(qp, &nak, TP_OP_ACK, psn, res->msn);
	nak.syndrome = TP_AETH_NAK | TP_NAK_REM_ACCESS;
	err = tp_resp_emit(qp, &nak);
	if (!err)
		tp_res_done(&qp->resp, res);
	return err;
}

/*
 * Maps the next train's worth of a READ's answer, of @len bytes at most. The first
 * train of a part checks all of the part. Returns the bytes, or what
 * tp_owner_map() failed with.
 */
static int tp_res_map(struct tp_qp *qp, const struct tp_resource *res, u32 left, u32 len)
{
	struct tp_mem *mem = &qp->resp.mem;
	u32 mtu = qp->attr.mtu;
	int got;

	got = tp_owner_map(qp, mem, res->rkey, res->va + (u64)res->next * mtu,
			   res->next == res->from ? min(left, TP_MAP_BYTES) : len,
			   TP_ACCESS_REMOTE_READ);
	if (got < 0)
		return got;
	if ((u32)got >= len)
		return len;
	/* Only the message's last packet may be short. */
	return round_down((u32)got, mtu);
}

static int tp_res_send_read(struct tp_qp *qp, struct tp_resource *res, struct tp_budget *budget)
{
	struct tp_resp *resp = &qp->resp;
	u32 mtu = qp->attr.mtu;
	u32 left = res->part - (res->next - res->from) * mtu;
	struct tp_train train;
	int len = 0, err;

	if (left) {
		len = tp_res_map(qp, res, left,
				 min3(left, TP_TRAIN_BYTES, TP_TRAIN_PACKETS * mtu));
		if (len <= 0) {
			tp_owner_unmap(&resp->mem);
			return len == -EAGAIN ? -EBUSY : tp_res_refuse(qp, res);
		}
	}
	tp_resp_fill(qp, &train, TP_OP_READ_RESP, tp_psn_add(res->psn, res->next), res->msn);
	if (res->next != res->from)
		train.flags &= ~TP_TRAIN_FIRST;
	if ((u32)len != left)
		train.flags &= ~TP_TRAIN_LAST;
	if (res->replay)
		train.flags |= TP_TRAIN_RESENT;
	train.npkts = tp_packets(len, mtu);
	train.length = len;
	train.seg = resp->mem.seg;
	train.nr_seg = resp->mem.nr;
	tp_cut_segs(resp->mem.seg, &train.nr_seg, len);

	err = tp_resp_emit(qp, &train);
	tp_owner_unmap(&resp->mem);
	if (err)
		return err;
	tp_budget_take(budget, len);
	res->next += train.npkts;
	if ((u32)len == left)
		tp_res_done(resp, res);
	return 0;
}

static int tp_res_send_atomic(struct tp_qp *qp, struct tp_resource *res, struct tp_budget *budget)
{
	struct tp_train train;
	int err;

	tp_resp_fill(qp, &train, TP_OP_ATOMIC_ACK, res->psn, res->msn);
	train.orig = res->orig;
	if (res->replay)
		train.flags |= TP_TRAIN_RESENT;
	err = tp_resp_emit(qp, &train);
	if (err)
		return err;
	tp_budget_take(budget, 0);
	tp_res_done(&qp->resp, res);
	return 0;
}

/**
 * tp_res_send() - sends one train of the answer that is due first
 * @qp: the QP; its queue of answers is not empty
 * @budget: the call's share
 *
 * An answer that turns out to be impossible becomes a NAK.
 *
 * Return: 0; -EAGAIN if the owner has no room; -EBUSY if memory can't be reached
 * now. Under resp.lock.
 */
int tp_res_send(struct tp_qp *qp, struct tp_budget *budget)
{
	struct tp_resp *resp = &qp->resp;
	struct tp_resource *res = &resp->res[resp->queue[resp->queue_head]];

	if (res->op == TP_OP_READ)
		return tp_res_send_read(qp, res, budget);
	return tp_res_send_atomic(qp, res, budget);
}
