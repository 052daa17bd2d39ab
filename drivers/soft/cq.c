// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues.
 */
#include "cq.h"

#include <linux/etherdevice.h>
#include <rdma/uverbs_ioctl.h>
#include <ohca/compat.h>

#include "device.h"
#include "qp.h"
#include "ring.h"

/* librxe reads struct ib_uverbs_wc from elements of at least this size. */
static_assert(sizeof(struct ib_uverbs_wc) == 48);

static u32 element_size(const struct soft_cq *cq)
{
	return cq->user ? sizeof(struct ib_uverbs_wc) : sizeof(struct ib_wc);
}

static void fill_user(struct ib_uverbs_wc *slot, const struct soft_qp *qp, const struct tp_wc *wc)
{
	struct ib_uverbs_wc uwc = {
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.qp_num = qp->ibqp.qp_num,
		.src_qp = wc->src_qp,
		.wc_flags = wc->flags,
		.sl = wc->origin ? wc->origin->sl : 0,
		.port_num = 1,
	};

	if (wc->flags & TP_WC_WITH_INV)
		uwc.ex.invalidate_rkey = wc->inv_rkey;
	else
		uwc.ex.imm_data = wc->imm;
	*slot = uwc;
}

/* Kernel consumers have a number of their own for what user space calls IBV_WC_WITH_INV. */
static int kernel_flags(u32 flags)
{
	return (flags & TP_WC_GRH ? IB_WC_GRH : 0) |
	       (flags & TP_WC_WITH_IMM ? IB_WC_WITH_IMM : 0) |
	       (flags & TP_WC_WITH_INV ? IB_WC_WITH_INVALIDATE : 0);
}

static void fill_kernel(struct ib_wc *slot, struct soft_qp *qp, const struct tp_wc *wc)
{
	struct ib_wc kwc = {
		.wr_id = wc->wr_id,
		.status = (enum ib_wc_status)wc->status,
		.opcode = wc->opcode == TP_WC_REG_MR ? IB_WC_REG_MR : wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.qp = &qp->ibqp,
		.src_qp = wc->src_qp,
		.wc_flags = kernel_flags(wc->flags),
		.port_num = 1,
	};

	if (wc->origin) {
		kwc.network_hdr_type = wc->origin->ipv4 ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
		kwc.wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		kwc.sl = wc->origin->sl;
		if (wc->origin->has_vlan) {
			kwc.vlan_id = wc->origin->vlan;
			kwc.wc_flags |= IB_WC_WITH_VLAN;
		}
		if (wc->origin->has_smac) {
			ether_addr_copy(kwc.smac, wc->origin->smac);
			kwc.wc_flags |= IB_WC_WITH_SMAC;
		}
	}
	if (wc->flags & TP_WC_WITH_INV)
		kwc.ex.invalidate_rkey = wc->inv_rkey;
	else
		kwc.ex.imm_data = wc->imm;
	*slot = kwc;
}

static bool wakes(const struct soft_cq *cq, const struct tp_wc *wc)
{
	return cq->notify & IB_CQ_NEXT_COMP || (cq->notify & IB_CQ_SOLICITED && wc->solicited);
}

int soft_cq_post(struct soft_cq *cq, struct soft_qp *qp, const struct tp_wc *wc)
{
	unsigned long flags;
	void *slot = NULL;

	spin_lock_irqsave(&cq->lock, flags);
	if (!cq->overflowed)
		slot = soft_ring_slot(cq->ring);
	if (!slot) {
		/* IBA 10.2.3.4: a CQ that overran is of no more use. */
		if (!cq->overflowed)
			soft_cq_raise(cq, SOFT_CQ_ERROR);
		cq->overflowed = true;
		spin_unlock_irqrestore(&cq->lock, flags);
		return -EOVERFLOW;
	}

	if (cq->user)
		fill_user(slot, qp, wc);
	else
		fill_kernel(slot, qp, wc);
	soft_ring_publish(cq->ring);

	if (wakes(cq, wc)) {
		cq->notify = 0;
		soft_cq_raise(cq, SOFT_CQ_COMPLETION);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return 0;
}

void soft_cq_put(struct soft_cq *cq)
{
	if (refcount_dec_and_test(&cq->refs))
		complete(&cq->idle);
}

static struct ib_ucontext *udata_context(struct ib_udata *udata)
{
	struct soft_ucontext *uctx =
		rdma_udata_to_drv_context(udata, struct soft_ucontext, ibuctx);

	return uctx ? &uctx->ibuctx : NULL;
}

/**
 * soft_create_cq() - ib_device_ops.create_cq
 * @ibcq: the CQ
 * @attr: its size and completion vector
 * @attrs: of the system call, or NULL for a kernel consumer
 *
 * Return: 0; -EINVAL: bad size or vector; -EOPNOTSUPP: flags; -ENOMEM; -EFAULT.
 */
int soft_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	struct ib_ucontext *uctx = udata ? udata_context(udata) : NULL;
	struct soft_dev *dev = to_soft_dev(ibcq->device);
	struct rxe_create_cq_resp resp = {};
	struct soft_cq *cq = to_soft_cq(ibcq);
	int err;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > SOFT_MAX_CQE ||
	    attr->comp_vector >= ibcq->device->num_comp_vectors) {
		ibdev_dbg(ibcq->device, "create_cq: %u entries, vector %u\n", attr->cqe,
			  attr->comp_vector);
		return -EINVAL;
	}
	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;

	spin_lock_init(&cq->lock);
	refcount_set(&cq->refs, 1);
	init_completion(&cq->idle);
	cq->user = udata;
	if (!soft_count_up(&dev->nr_cq, SOFT_MAX_CQ))
		return -ENOMEM;
	cq->ring = soft_ring_create(uctx, attr->cqe, element_size(cq), &resp.mi);
	if (IS_ERR(cq->ring)) {
		err = PTR_ERR(cq->ring);
		goto err_ring;
	}
	if (udata && ib_copy_to_udata(udata, &resp, sizeof(resp))) {
		err = -EFAULT;
		goto err_copy;
	}
	ibcq->cqe = soft_ring_capacity(cq->ring);
	return 0;

err_copy:
	soft_ring_destroy(cq->ring);
err_ring:
	atomic_dec(&dev->nr_cq);
	return err;
}

/**
 * soft_resize_cq() - resizes a program's CQ
 * @ibcq: the CQ
 * @cqe: entries wanted
 * @udata: of the system call
 *
 * Completions that were not polled come along. The program maps the new ring
 * after this returns, and keeps the old one mapped until then.
 *
 * Return: 0; -EINVAL: bad size, or too small for what is there; -ENOMEM; -EFAULT.
 */
int soft_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct rxe_resize_cq_resp resp = {};
	struct soft_cq *cq = to_soft_cq(ibcq);
	struct soft_ring *ring;
	unsigned long flags;
	int err;

	if (!cq->user || !udata || udata->outlen < sizeof(resp))
		return -EINVAL;
	if (!cqe || cqe > SOFT_MAX_CQE)
		return -EINVAL;

	ring = soft_ring_create(udata_context(udata), cqe, element_size(cq), &resp.mi);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	if (ib_copy_to_udata(udata, &resp, sizeof(resp))) {
		soft_ring_destroy(ring);
		return -EFAULT;
	}

	spin_lock_irqsave(&cq->lock, flags);
	err = soft_ring_carry(ring, cq->ring);
	if (!err) {
		swap(ring, cq->ring);
		ibcq->cqe = soft_ring_capacity(cq->ring);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	soft_ring_destroy(ring);
	return err;
}

/* ib_device_ops.destroy_cq: no QP uses it any more; a handler may be running. */
int soft_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct soft_cq *cq = to_soft_cq(ibcq);

	soft_cq_put(cq);
	wait_for_completion(&cq->idle);
	soft_ring_destroy(cq->ring);
	atomic_dec(&to_soft_dev(ibcq->device)->nr_cq);
	return 0;
}

/* ib_device_ops.poll_cq, for kernel consumers: programs poll their ring. */
int soft_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct soft_cq *cq = to_soft_cq(ibcq);
	const struct ib_wc *slot;
	unsigned long flags;
	int n;

	if (cq->user)
		return -EINVAL;

	spin_lock_irqsave(&cq->lock, flags);
	for (n = 0; n < num; n++) {
		slot = soft_ring_user_peek(cq->ring);
		if (!slot)
			break;
		wc[n] = *slot;
		soft_ring_user_take(cq->ring);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/**
 * soft_req_notify_cq() - ib_device_ops.req_notify_cq
 * @ibcq: the CQ
 * @flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, and IB_CQ_REPORT_MISSED_EVENTS
 *
 * The next completion calls the handler, not those that are there already (IBA
 * 11.4.2.2). A request for the next completion is not weakened by one for a
 * solicited one.
 *
 * Return: 1 if asked to report it and completions are there; else 0.
 */
int soft_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct soft_cq *cq = to_soft_cq(ibcq);
	unsigned long irq;
	int missed;

	spin_lock_irqsave(&cq->lock, irq);
	cq->notify |= flags & IB_CQ_SOLICITED_MASK;
	missed = flags & IB_CQ_REPORT_MISSED_EVENTS && soft_ring_used(cq->ring);
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}
