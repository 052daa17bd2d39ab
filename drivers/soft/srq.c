// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues (IBA 10.2.9).
 */
#include "srq.h"

#include <linux/uaccess.h>
#include <rdma/uverbs_ioctl.h>

#include "device.h"
#include "ring.h"
#include "wqe.h"

static struct soft_ring *make_ring(struct ib_udata *udata, u32 max_wr, u32 max_sge,
				   struct mminfo *info)
{
	struct soft_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct soft_ucontext, ibuctx);

	return soft_ring_create(uctx ? &uctx->ibuctx : NULL, max_wr,
				sizeof(struct rxe_recv_wqe) + max_sge * sizeof(struct rxe_sge),
				info);
}

bool soft_srq_take(struct soft_srq *srq, struct tp_recv_wr *wr)
{
	unsigned long flags;
	bool taken;

	spin_lock_irqsave(&srq->lock, flags);
	taken = soft_wqe_next_recv(srq->ring, srq->max_sge, wr);
	if (taken) {
		soft_ring_release(srq->ring);
		/* Once for each arming (IBA 11.6.3.1). */
		if (soft_ring_pending(srq->ring) < srq->limit) {
			srq->limit = 0;
			soft_srq_raise(srq);
		}
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return taken;
}

void soft_srq_put(struct soft_srq *srq)
{
	if (refcount_dec_and_test(&srq->refs))
		complete(&srq->idle);
}

static int check_attr(struct ib_device *ibdev, u32 max_wr, u32 max_sge)
{
	if (max_wr && max_wr <= SOFT_MAX_SRQ_WR && max_sge <= SOFT_MAX_SGE)
		return 0;
	ibdev_dbg(ibdev, "srq: %u WRs, %u SGEs\n", max_wr, max_sge);
	return -EINVAL;
}

/**
 * soft_create_srq() - ib_device_ops.create_srq
 * @ibsrq: the SRQ, zeroed but for what IB core has set
 * @init: sizes asked for; those granted on return. Its limit is not looked at: an SRQ
 *        is made with the event not armed
 * @udata: of the system call, or NULL for a kernel consumer
 *
 * Return: 0; -EOPNOTSUPP: a type that the device has not; -EINVAL: sizes; -ENOMEM,
 * also if there are as many as the device has; -EFAULT.
 */
int soft_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct soft_dev *dev = to_soft_dev(ibsrq->device);
	/* No number: only one of XRC is ever on a wire. */
	struct rxe_create_srq_resp resp = {};
	struct soft_srq *srq = to_soft_srq(ibsrq);
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	err = check_attr(ibsrq->device, init->attr.max_wr, init->attr.max_sge);
	if (err)
		return err;
	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;

	spin_lock_init(&srq->lock);
	refcount_set(&srq->refs, 1);
	init_completion(&srq->idle);
	srq->user = udata;
	srq->max_sge = max(init->attr.max_sge, 1u);
	if (!soft_count_up(&dev->nr_srq, SOFT_MAX_SRQ))
		return -ENOMEM;
	srq->ring = make_ring(udata, init->attr.max_wr, srq->max_sge, &resp.mi);
	if (IS_ERR(srq->ring)) {
		err = PTR_ERR(srq->ring);
		goto err_ring;
	}
	if (udata && ib_copy_to_udata(udata, &resp, sizeof(resp))) {
		err = -EFAULT;
		goto err_copy;
	}
	init->attr.max_wr = soft_ring_capacity(srq->ring);
	init->attr.max_sge = srq->max_sge;
	return 0;

err_copy:
	soft_ring_destroy(srq->ring);
err_ring:
	atomic_dec(&dev->nr_srq);
	return err;
}

/* Where librxe wants to be told of the new ring: not in the answer, but at an address it gives. */
static int tell_ring(struct ib_udata *udata, const struct mminfo *info)
{
	struct rxe_modify_srq_cmd cmd;

	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	if (ib_copy_from_udata(&cmd, udata, sizeof(cmd)) ||
	    copy_to_user(u64_to_user_ptr(cmd.mmap_info_addr), info, sizeof(*info)))
		return -EFAULT;
	return 0;
}

/* A ring for a resize, which the program knows of; NULL: none is asked for. */
static struct soft_ring *resized(struct soft_srq *srq, const struct ib_srq_attr *attr,
				 enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct mminfo info = {};
	struct soft_ring *ring;
	int err;

	if (!(mask & IB_SRQ_MAX_WR))
		return NULL;
	err = check_attr(srq->ibsrq.device, attr->max_wr, srq->max_sge);
	if (err)
		return ERR_PTR(err);
	ring = make_ring(udata, attr->max_wr, srq->max_sge, &info);
	if (IS_ERR(ring) || !udata)
		return ring;
	err = tell_ring(udata, &info);
	if (!err)
		return ring;
	soft_ring_destroy(ring);
	return ERR_PTR(err);
}

/* Under @srq's lock. @ring, if there is one, becomes what is left over. */
static int apply(struct soft_srq *srq, struct soft_ring **ring, u32 limit)
{
	int err;

	if (limit > soft_ring_capacity(*ring ? *ring : srq->ring))
		return -EINVAL;
	if (*ring) {
		err = soft_ring_carry_posted(*ring, srq->ring);
		if (err)
			return err;
		swap(*ring, srq->ring);
	}
	srq->limit = limit;
	return 0;
}

/**
 * soft_modify_srq() - ib_device_ops.modify_srq
 * @ibsrq: the SRQ
 * @attr: a new size, a limit to arm the event with
 * @mask: which of them are given
 * @udata: of the system call, or NULL
 *
 * What is posted comes along to the new ring, while QPs go on taking. The program
 * does not post until it has mapped that: librxe sees to it.
 *
 * Return: 0; -EINVAL: an attribute, a size too small for what is posted or for the
 * limit; -ENOMEM; -EFAULT.
 */
int soft_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		    struct ib_udata *udata)
{
	struct soft_srq *srq = to_soft_srq(ibsrq);
	struct soft_ring *ring;
	unsigned long flags;
	int err;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT) || srq->user != !!udata)
		return -EINVAL;
	ring = resized(srq, attr, mask, udata);
	if (IS_ERR(ring))
		return PTR_ERR(ring);

	spin_lock_irqsave(&srq->lock, flags);
	err = apply(srq, &ring, mask & IB_SRQ_LIMIT ? attr->srq_limit : srq->limit);
	spin_unlock_irqrestore(&srq->lock, flags);
	soft_ring_destroy(ring);
	return err;
}

/* ib_device_ops.query_srq: the limit is 0 once its event was raised. */
int soft_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct soft_srq *srq = to_soft_srq(ibsrq);
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	attr->max_wr = soft_ring_capacity(srq->ring);
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irqrestore(&srq->lock, flags);
	return 0;
}

/* ib_device_ops.destroy_srq: no QP uses it any more, IB core knows; a handler may be running. */
int soft_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct soft_srq *srq = to_soft_srq(ibsrq);

	soft_srq_put(srq);
	wait_for_completion(&srq->idle);
	soft_ring_destroy(srq->ring);
	atomic_dec(&to_soft_dev(ibsrq->device)->nr_srq);
	return 0;
}

/**
 * soft_post_srq_recv() - ib_device_ops.post_srq_recv, for kernel consumers
 * @ibsrq: the SRQ
 * @wr: the WRs
 * @bad: set to the WR that was not taken; left as it is if all were
 *
 * Nobody has to be told: a peer that found nothing comes again by its RNR timer.
 *
 * Context: any.
 * Return: 0; -EINVAL: a WR that the SRQ can't take; -ENOMEM: full.
 */
int soft_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad)
{
	struct soft_srq *srq = to_soft_srq(ibsrq);
	unsigned long flags;
	int err = 0;

	/* A program's ring is its own to fill. */
	if (srq->user) {
		*bad = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&srq->lock, flags);
	for (; wr; wr = wr->next) {
		err = soft_wqe_put_recv(srq->ring, srq->max_sge, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}
