// SPDX-License-Identifier: GPL-2.0
/*
 * Time: the ACK timer and the RNR wait, on one timer of the owner's.
 *
 * The owner's timer is armed for the nearer of the two and left alone when they
 * move away: most of the time it is not worth the moving, and one that fires too
 * early finds nothing to do and is armed again.
 */
#include "internal.h"

/* IBA table 45: what an RNR NAK asks to wait, in units of 10 us. Code 0 is the longest. */
static const u32 tp_rnr_times[] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
	1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static_assert(ARRAY_SIZE(tp_rnr_times) == 32);

/**
 * tp_rnr_ns() - the wait that an RNR NAK's timer code asks for
 * @code: 0 to 31; the rest of it is ignored
 *
 * Return: ns, 10 us to 655.36 ms.
 */
u64 tp_rnr_ns(u8 code)
{
	return tp_rnr_times[code % ARRAY_SIZE(tp_rnr_times)] * 10000ull;
}

/* The ACK timer's interval, ns; 0: none (IBA 9.7.6.1.3). */
static u64 tp_ack_ns(const struct tp_qp *qp)
{
	u32 timeout = qp->attr.timeout & 31;

	return timeout ? 4096ull << timeout : 0;
}

/**
 * tp_timer_update() - sees to it that the owner's timer runs if one is needed
 * @qp: the QP
 *
 * To be called when the requester has stopped. An ACK timer that is not running
 * (it is stopped by progress) is started if packets are out. Under req.lock.
 */
void tp_timer_update(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	u64 interval = tp_ack_ns(qp);
	u64 next;

	if (!interval || req->rnr_deadline || req->una == req->pos.psn)
		req->ack_deadline = 0;
	else if (!req->ack_deadline)
		req->ack_deadline = tp_owner_now() + interval;

	next = req->rnr_deadline ? req->rnr_deadline : req->ack_deadline;
	if (req->stall_deadline && (!next || req->stall_deadline < next))
		next = req->stall_deadline;
	if (!next || (req->armed && req->armed <= next))
		return;
	req->armed = next;
	tp_owner_arm(qp, next);
}

static void tp_ack_expired(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;

	req->ack_deadline = 0;
	req->window = max(req->window / 2, TP_WINDOW_MIN);
	tp_owner_count(qp, TP_CNT_local_ack_timeout_err, 1);
	tp_req_retry(qp, "timeout");
}

bool tp_timeout(struct tp_qp *qp)
{
	struct tp_req *req = &qp->req;
	bool more;
	u64 now;

	spin_lock_bh(&req->lock);
	now = tp_owner_now();
	req->armed = 0;
	if (req->stall_deadline && req->stall_deadline <= now)
		req->stall_deadline = 0;
	if (req->rnr_deadline && req->rnr_deadline <= now)
		req->rnr_deadline = 0;
	else if (req->ack_deadline && req->ack_deadline <= now && req->una != req->pos.psn)
		tp_ack_expired(qp);
	more = tp_req_run(qp);
	spin_unlock_bh(&req->lock);
	tp_qp_settle(qp);
	return more;
}
