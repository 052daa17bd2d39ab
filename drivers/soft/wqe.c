// SPDX-License-Identifier: GPL-2.0
/*
 * Work queue elements.
 *
 * An element lies in memory that its consumer can write at any time. Each of its
 * fields is read once, into private memory, and only what was read is looked at.
 */
#include "wqe.h"

#include <linux/array_size.h>
#include <linux/sizes.h>
#include <rdma/rdma_user_rxe.h>
#include <ohca/qp_state.h>

#include "ah.h"
#include "device.h"
#include "mr.h"
#include "qp.h"
#include "ring.h"
#include "transport.h"

/* IBA 9.7.8: 2^31 bytes in a message at most. */
#define SOFT_MAX_MSG	SZ_2G

static_assert(sizeof(struct rxe_send_wqe) == 208);
static_assert(sizeof(struct rxe_recv_wqe) == 40);
static_assert(offsetof(struct rxe_send_wqe, dma) == 184);
static_assert(TP_WR_REG_MR == IB_WR_REG_MR);
static_assert(sizeof(struct rxe_sge) == sizeof(struct tp_sge));
static_assert(offsetof(struct rxe_sge, addr) == offsetof(struct tp_sge, addr));
static_assert(offsetof(struct rxe_sge, length) == offsetof(struct tp_sge, length));
static_assert(offsetof(struct rxe_sge, lkey) == offsetof(struct tp_sge, lkey));

/* What a send WR of an opcode has. */
#define HAS_DATA	BIT(0)	/* scatter or gather entries */
#define HAS_INLINE	BIT(1)	/* or inline data */
#define HAS_IMM		BIT(2)
#define HAS_INV		BIT(3)	/* an rkey to invalidate */
#define HAS_RDMA	BIT(4)	/* a remote address and key */
#define HAS_ATOMIC	BIT(5)	/* the same, and operands */
#define HAS_BIND	BIT(6)	/* a window, and what to bind it to */
#define HAS_REG		BIT(7)	/* a region of a kernel consumer */

/* A datagram goes where its WR says. */
#define DATAGRAM_KINDS	(HAS_DATA | HAS_INLINE | HAS_IMM)

/* enum ib_uverbs_wr_opcode, which enum ib_wr_opcode equals as far as this goes. 0: unknown. */
static const u8 send_kinds[] = {
	[IB_UVERBS_WR_RDMA_WRITE]		= HAS_DATA | HAS_INLINE | HAS_RDMA,
	[IB_UVERBS_WR_RDMA_WRITE_WITH_IMM]	= HAS_DATA | HAS_INLINE | HAS_RDMA | HAS_IMM,
	[IB_UVERBS_WR_SEND]			= HAS_DATA | HAS_INLINE,
	[IB_UVERBS_WR_SEND_WITH_IMM]		= HAS_DATA | HAS_INLINE | HAS_IMM,
	[IB_UVERBS_WR_SEND_WITH_INV]		= HAS_DATA | HAS_INLINE | HAS_INV,
	[IB_UVERBS_WR_RDMA_READ]		= HAS_DATA | HAS_RDMA,
	[IB_UVERBS_WR_ATOMIC_CMP_AND_SWP]	= HAS_DATA | HAS_ATOMIC,
	[IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD]	= HAS_DATA | HAS_ATOMIC,
	[IB_UVERBS_WR_LOCAL_INV]		= HAS_INV,
	[IB_UVERBS_WR_BIND_MW]			= HAS_BIND,
	[IB_UVERBS_WR_RDMA_READ_WITH_INV]	= HAS_DATA | HAS_RDMA | HAS_INV,
	[IB_WR_REG_MR]				= HAS_REG,
};

static u8 send_kind(u32 opcode)
{
	return opcode < ARRAY_SIZE(send_kinds) ? send_kinds[opcode] : 0;
}

/* What is in a program's ring under one of these is anything: it has no such opcodes. */
static bool kernel_only(u32 opcode)
{
	return opcode == IB_WR_REG_MR || opcode == IB_WR_RDMA_READ_WITH_INV;
}

/*
 * Copies @nr entries from a ring. Those of no bytes are left out: they name no
 * memory. Returns the entries left; @length is their sum, at most @nr times 4 GiB.
 */
static u32 copy_sges(struct tp_sge *to, const struct rxe_sge *from, u32 nr, u64 *length)
{
	u32 i, n = 0;

	*length = 0;
	for (i = 0; i < nr; i++) {
		struct tp_sge sge = {
			.addr = READ_ONCE(from[i].addr),
			.length = READ_ONCE(from[i].length),
			.lkey = READ_ONCE(from[i].lkey),
		};

		if (!sge.length)
			continue;
		*length += sge.length;
		to[n++] = sge;
	}
	return n;
}

/* The data of a send WR: by its entries, whatever dma.length says, or inline. */
static enum tp_wc_status copy_data(struct soft_qp *qp, struct tp_send_wr *wr,
				   const struct rxe_send_wqe *wqe, u8 kind)
{
	u32 num_sge = READ_ONCE(wqe->dma.num_sge);
	u32 inline_len = READ_ONCE(wqe->dma.length);
	u64 length;

	/* ibv_wr_set_inline_data() of librxe leaves no entry and does not set the flag. */
	if (wr->flags & TP_SEND_INLINE || (kind & HAS_INLINE && !num_sge && inline_len)) {
		if (!(kind & HAS_INLINE) || inline_len > qp->cap.max_inline_data)
			return TP_WC_LOC_QP_OP_ERR;
		wr->flags |= TP_SEND_INLINE;
		wr->length = inline_len;
		memcpy(wr->inline_data, wqe->dma.inline_data, inline_len);
		return TP_WC_SUCCESS;
	}

	if (num_sge > qp->cap.max_send_sge)
		return TP_WC_LOC_QP_OP_ERR;
	wr->num_sge = copy_sges(wr->sge, wqe->dma.sge, num_sge, &length);
	if (length > SOFT_MAX_MSG)
		return TP_WC_LOC_LEN_ERR;
	wr->length = length;
	return TP_WC_SUCCESS;
}

/* Where a datagram goes. Any number may be there: the AH must be one of the QP's owner. */
static enum tp_wc_status copy_address(struct soft_qp *qp, struct tp_send_wr *wr,
				      const struct rxe_send_wr *from, u8 kind)
{
	if (kind & ~DATAGRAM_KINDS)
		return TP_WC_LOC_QP_OP_ERR;
	wr->dest_qpn = READ_ONCE(from->wr.ud.remote_qpn) & OHCA_24BIT;
	wr->qkey = READ_ONCE(from->wr.ud.remote_qkey);
	wr->ah = READ_ONCE(from->wr.ud.ah_num);
	if (!soft_ah_check(to_soft_dev(qp->ibqp.device), qp->ibqp.pd, wr->ah))
		return TP_WC_LOC_QP_OP_ERR;
	return TP_WC_SUCCESS;
}

/* What a datagram may carry now: it has no path MTU but the port's. */
static u32 datagram_mtu(const struct soft_qp *qp)
{
	const struct net_device *ndev;
	u32 mtu;

	rcu_read_lock();
	ndev = rcu_dereference(to_soft_dev(qp->ibqp.device)->ndev);
	mtu = ib_mtu_enum_to_int(ohca_port_mtu(ndev ? READ_ONCE(ndev->mtu) : 0));
	rcu_read_unlock();
	return mtu;
}

static enum tp_wc_status copy_send(struct soft_qp *qp, struct tp_send_wr *wr,
				   const struct rxe_send_wqe *wqe)
{
	const struct rxe_send_wr *from = &wqe->wr;
	enum tp_wc_status bad = TP_WC_SUCCESS;
	u8 kind = send_kind(wr->opcode);

	if (!kind || (qp->user && kernel_only(wr->opcode)))
		return TP_WC_LOC_QP_OP_ERR;
	if (qp->tp.service == TP_UD) {
		bad = copy_address(qp, wr, from, kind);
		if (bad)
			return bad;
	}
	if (kind & HAS_IMM)
		wr->imm = READ_ONCE(from->ex.imm_data);
	if (kind & HAS_INV)
		wr->inv_rkey = READ_ONCE(from->ex.invalidate_rkey);
	if (kind & HAS_RDMA) {
		wr->remote_addr = READ_ONCE(from->wr.rdma.remote_addr);
		wr->rkey = READ_ONCE(from->wr.rdma.rkey);
	}
	if (kind & HAS_ATOMIC) {
		wr->remote_addr = READ_ONCE(from->wr.atomic.remote_addr);
		wr->rkey = READ_ONCE(from->wr.atomic.rkey);
		wr->compare_add = READ_ONCE(from->wr.atomic.compare_add);
		wr->swap = READ_ONCE(from->wr.atomic.swap);
	}
	if (kind & HAS_BIND) {
		wr->bind.addr = READ_ONCE(from->wr.mw.addr);
		wr->bind.length = READ_ONCE(from->wr.mw.length);
		wr->bind.lkey = READ_ONCE(from->wr.mw.mr_lkey);
		wr->bind.window = READ_ONCE(from->wr.mw.mw_rkey);
		wr->bind.key = READ_ONCE(from->wr.mw.rkey);
		wr->bind.access = READ_ONCE(from->wr.mw.access);
	}
	if (kind & HAS_REG) {
		wr->bind.region = to_soft_mr(from->wr.reg.mr);
		wr->bind.key = from->wr.reg.key;
		wr->bind.access = from->wr.reg.access;
	}
	if (kind & HAS_DATA)
		bad = copy_data(qp, wr, wqe, kind);
	if (!bad && qp->tp.service == TP_UD && wr->length > datagram_mtu(qp))
		return TP_WC_LOC_LEN_ERR;
	return bad;
}

bool soft_wqe_next_send(struct soft_qp *qp, struct tp_send_wr *wr)
{
	const struct rxe_send_wqe *wqe = soft_ring_peek(qp->sq);

	if (!wqe)
		return false;

	memset(wr, 0, sizeof(*wr));
	wr->wr_id = READ_ONCE(wqe->wr.wr_id);
	wr->opcode = READ_ONCE(wqe->wr.opcode);
	wr->flags = READ_ONCE(wqe->wr.send_flags) & (TP_SEND_FENCE | TP_SEND_SIGNALED |
						     TP_SEND_SOLICITED | TP_SEND_INLINE);
	wr->signaled = qp->sq_sig_all || wr->flags & TP_SEND_SIGNALED;
	wr->bad = copy_send(qp, wr, wqe);
	soft_ring_take(qp->sq);
	return true;
}

bool soft_wqe_more_sends(struct soft_qp *qp)
{
	return soft_ring_pending(qp->sq);
}

bool soft_wqe_next_recv(struct soft_ring *ring, u32 max_sge, struct tp_recv_wr *wr)
{
	const struct rxe_recv_wqe *wqe = soft_ring_peek(ring);
	u32 num_sge;
	u64 length;

	if (!wqe)
		return false;

	wr->wr_id = READ_ONCE(wqe->wr_id);
	wr->bad = TP_WC_SUCCESS;
	wr->length = 0;
	wr->num_sge = 0;
	num_sge = READ_ONCE(wqe->dma.num_sge);
	if (num_sge > max_sge) {
		wr->bad = TP_WC_LOC_QP_OP_ERR;
	} else {
		wr->num_sge = copy_sges(wr->sge, wqe->dma.sge, num_sge, &length);
		/* No message fills more: entries beyond that are never reached. */
		wr->length = min_t(u64, length, U32_MAX);
	}
	soft_ring_take(ring);
	return true;
}

u32 soft_wqe_recv_count(struct soft_qp *qp)
{
	return soft_ring_pending(qp->rq);
}

void soft_wqe_retire_send(struct soft_qp *qp)
{
	soft_ring_release(qp->sq);
}

void soft_wqe_retire_recv(struct soft_qp *qp)
{
	soft_ring_release(qp->rq);
}

static void put_sges(struct rxe_dma_info *dma, const struct ib_sge *sge, int nr)
{
	int i;

	dma->num_sge = nr;
	dma->length = 0;
	for (i = 0; i < nr; i++) {
		dma->sge[i].addr = sge[i].addr;
		dma->sge[i].length = sge[i].length;
		dma->sge[i].lkey = sge[i].lkey;
		dma->length += sge[i].length;
	}
}

/* A kernel consumer's inline data lies at kernel addresses. */
static int put_inline(struct rxe_dma_info *dma, const struct ib_sge *sge, int nr, u32 room)
{
	int i;

	dma->num_sge = nr;
	dma->length = 0;
	for (i = 0; i < nr; i++) {
		if (sge[i].length > room - dma->length)
			return -EINVAL;
		memcpy(dma->inline_data + dma->length, (void *)(uintptr_t)sge[i].addr,
		       sge[i].length);
		dma->length += sge[i].length;
	}
	return 0;
}

static void put_address(struct rxe_send_wr *to, const struct ib_ud_wr *wr)
{
	to->wr.ud.remote_qpn = wr->remote_qpn;
	to->wr.ud.remote_qkey = wr->remote_qkey;
	to->wr.ud.ah_num = to_soft_ah(wr->ah)->num;
}

static void put_remote(struct rxe_send_wr *to, const struct ib_send_wr *wr, u8 kind)
{
	if (kind & HAS_IMM)
		to->ex.imm_data = wr->ex.imm_data;
	if (kind & HAS_INV)
		to->ex.invalidate_rkey = wr->ex.invalidate_rkey;
	if (kind & HAS_RDMA) {
		to->wr.rdma.remote_addr = rdma_wr(wr)->remote_addr;
		to->wr.rdma.rkey = rdma_wr(wr)->rkey;
	}
	if (kind & HAS_ATOMIC) {
		to->wr.atomic.remote_addr = atomic_wr(wr)->remote_addr;
		to->wr.atomic.rkey = atomic_wr(wr)->rkey;
		to->wr.atomic.compare_add = atomic_wr(wr)->compare_add;
		to->wr.atomic.swap = atomic_wr(wr)->swap;
	}
	if (kind & HAS_REG) {
		to->wr.reg.mr = reg_wr(wr)->mr;
		to->wr.reg.key = reg_wr(wr)->key;
		to->wr.reg.access = reg_wr(wr)->access;
	}
}

int soft_wqe_put_send(struct soft_qp *qp, const struct ib_send_wr *wr)
{
	struct rxe_send_wqe *wqe;
	u8 kind = send_kind(wr->opcode);
	int err = 0;

	/* Kernel consumers have no windows. */
	if (!kind || kind & HAS_BIND || wr->num_sge < 0 || wr->num_sge > qp->cap.max_send_sge)
		return -EINVAL;
	if (wr->send_flags & IB_SEND_INLINE && !(kind & HAS_INLINE))
		return -EINVAL;
	if (qp->tp.service == TP_UD && (kind & ~DATAGRAM_KINDS || !ud_wr(wr)->ah))
		return -EINVAL;
	wqe = soft_ring_user_slot(qp->sq);
	if (!wqe)
		return -ENOMEM;

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr.wr_id = wr->wr_id;
	wqe->wr.opcode = wr->opcode;
	wqe->wr.send_flags = wr->send_flags;
	put_remote(&wqe->wr, wr, kind);
	if (qp->tp.service == TP_UD)
		put_address(&wqe->wr, ud_wr(wr));
	if (wr->send_flags & IB_SEND_INLINE)
		err = put_inline(&wqe->dma, wr->sg_list, wr->num_sge, qp->cap.max_inline_data);
	else
		put_sges(&wqe->dma, wr->sg_list, wr->num_sge);
	if (!err)
		soft_ring_user_publish(qp->sq);
	return err;
}

int soft_wqe_put_recv(struct soft_ring *ring, u32 max_sge, const struct ib_recv_wr *wr)
{
	struct rxe_recv_wqe *wqe;

	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	wqe = soft_ring_user_slot(ring);
	if (!wqe)
		return -ENOMEM;

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr->wr_id;
	put_sges(&wqe->dma, wr->sg_list, wr->num_sge);
	soft_ring_user_publish(ring);
	return 0;
}
