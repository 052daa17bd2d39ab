// SPDX-License-Identifier: GPL-2.0
/*
 * Work queue entries (PRM, "Send Work Queue Entry", "Receive Work Queue Entry").
 *
 * An entry is written in ordinary memory and copied to the ring, which it may wrap
 * around. Nothing here needs a device: kunit/pci_wqe_test.c reads back what it
 * writes.
 */
#include "wqe.h"

#include "ah.h"
#include "mkc.h"
#include "mr.h"

/* What follows the control segment, in this order. */
#define HAS_AV		BIT(0)	/* address vector */
#define HAS_RADDR	BIT(1)	/* remote address */
#define HAS_ATOMIC	BIT(2)	/* operands */
#define HAS_DATA	BIT(3)	/* gather list, or inline bytes */
#define HAS_IMM		BIT(4)	/* immediate data in the control segment */
#define HAS_INV		BIT(5)	/* rkey to invalidate there */
#define IS_UMR		BIT(6)	/* changes a memory key */

#define RC		BIT(IB_QPT_RC)
#define CONNECTED	(BIT(IB_QPT_RC) | BIT(IB_QPT_UC))
#define DATAGRAM	(BIT(IB_QPT_UD) | BIT(IB_QPT_GSI))
#define ALL		(CONNECTED | DATAGRAM)

/* The work requests that there are. @types: BIT(enum ib_qp_type) that have them. */
static const struct wqe_op {
	u8 opcode;
	u8 has;
	u16 types;
	enum ib_wc_opcode wc_opcode;
} ops[] = {
	[IB_WR_SEND]		= { MLX5_OPCODE_SEND, HAS_DATA, ALL, IB_WC_SEND },
	[IB_WR_SEND_WITH_IMM]	= { MLX5_OPCODE_SEND_IMM, HAS_DATA | HAS_IMM, ALL, IB_WC_SEND },
	[IB_WR_SEND_WITH_INV]	= { MLX5_OPCODE_SEND_INVAL, HAS_DATA | HAS_INV, RC, IB_WC_SEND },
	[IB_WR_RDMA_WRITE]	= { MLX5_OPCODE_RDMA_WRITE, HAS_RADDR | HAS_DATA, CONNECTED,
				    IB_WC_RDMA_WRITE },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { MLX5_OPCODE_RDMA_WRITE_IMM,
					HAS_RADDR | HAS_DATA | HAS_IMM, CONNECTED,
					IB_WC_RDMA_WRITE },
	[IB_WR_RDMA_READ]	= { MLX5_OPCODE_RDMA_READ, HAS_RADDR | HAS_DATA, RC,
				    IB_WC_RDMA_READ },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { MLX5_OPCODE_ATOMIC_CS, HAS_RADDR | HAS_ATOMIC | HAS_DATA,
				       RC, IB_WC_COMP_SWAP },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { MLX5_OPCODE_ATOMIC_FA,
					 HAS_RADDR | HAS_ATOMIC | HAS_DATA, RC,
					 IB_WC_FETCH_ADD },
	[IB_WR_LOCAL_INV]	= { MLX5_OPCODE_UMR, IS_UMR, CONNECTED, IB_WC_LOCAL_INV },
	[IB_WR_REG_MR]		= { MLX5_OPCODE_UMR, IS_UMR, CONNECTED, IB_WC_REG_MR },
};

/**
 * verbs_wqe_room() - bytes of the largest entry that a queue must take
 * @type: of the QP
 * @max_sge: gather entries
 * @max_inline: inline bytes
 * @umr: fast registrations are possible
 *
 * Context: any.
 * Return: bytes, a multiple of 64; more than VERBS_WQE_MAX if that is not possible.
 */
u32 verbs_wqe_room(enum ib_qp_type type, u32 max_sge, u32 max_inline, bool umr)
{
	u32 fixed = sizeof(struct mlx5_wqe_ctrl_seg);
	u32 gather, inl;

	if (max_sge > VERBS_WQE_MAX || max_inline > VERBS_WQE_MAX)
		return U32_MAX;
	if (BIT(type) & DATAGRAM)
		fixed += sizeof(struct mlx5_wqe_datagram_seg);
	else if (BIT(type) & CONNECTED)
		fixed += sizeof(struct mlx5_wqe_raddr_seg);
	gather = fixed + max_sge * sizeof(struct mlx5_wqe_data_seg);
	if (type == IB_QPT_RC)
		gather = max_t(u32, gather, fixed + sizeof(struct mlx5_wqe_atomic_seg) +
			       sizeof(struct mlx5_wqe_data_seg));
	inl = max_inline ? fixed + ALIGN(sizeof(__be32) + max_inline, MLX5_SEND_WQE_DS) : 0;
	return ALIGN(max3(gather, inl, umr ? (u32)VERBS_WQE_UMR_BYTES : 0), VERBS_WQEBB);
}

/* The next @bytes of the entry, zeroed. The caller knows that there is room. */
static void *add(struct verbs_wqe *wqe, u32 bytes)
{
	void *seg = wqe->data + wqe->bytes;

	memset(seg, 0, bytes);
	wqe->bytes += bytes;
	return seg;
}

static int add_av(struct verbs_wqe *wqe, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	struct mlx5_wqe_datagram_seg *seg;

	if (!ud->ah)
		return -EINVAL;
	seg = add(wqe, sizeof(*seg));
	seg->av = to_verbs_ah(ud->ah)->av;
	seg->av.dqp_dct = cpu_to_be32((ud->remote_qpn & 0xffffff) | MLX5_EXTENDED_UD_AV);
	seg->av.key.qkey.qkey = cpu_to_be32(ud->remote_qkey);
	return 0;
}

static void add_raddr(struct verbs_wqe *wqe, u64 addr, u32 rkey)
{
	struct mlx5_wqe_raddr_seg *seg = add(wqe, sizeof(*seg));

	seg->raddr = cpu_to_be64(addr);
	seg->rkey = cpu_to_be32(rkey);
}

static void add_atomic(struct verbs_wqe *wqe, const struct ib_atomic_wr *wr)
{
	struct mlx5_wqe_atomic_seg *seg = add(wqe, sizeof(*seg));

	if (wr->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP) {
		seg->swap_add = cpu_to_be64(wr->swap);
		seg->compare = cpu_to_be64(wr->compare_add);
	} else {
		seg->swap_add = cpu_to_be64(wr->compare_add);
	}
}

/* Inline bytes are where the CPU sees them: addresses are kernel virtual ones. */
static int add_inline(struct verbs_wqe *wqe, const struct ib_send_wr *wr, u32 max)
{
	struct mlx5_wqe_inline_seg *seg;
	u32 length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		if (wr->sg_list[i].length > max - length)
			return -EINVAL;
		length += wr->sg_list[i].length;
	}
	if (!length)
		return 0;
	seg = add(wqe, ALIGN(sizeof(*seg) + length, MLX5_SEND_WQE_DS));
	seg->byte_count = cpu_to_be32(length | MLX5_INLINE_SEG);
	length = 0;
	for (i = 0; i < wr->num_sge; i++) {
		memcpy((u8 *)seg->data + length, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		length += wr->sg_list[i].length;
	}
	return 0;
}

static void set_data(struct mlx5_wqe_data_seg *seg, const struct ib_sge *sge)
{
	seg->byte_count = cpu_to_be32(sge->length);
	seg->lkey = cpu_to_be32(sge->lkey);
	seg->addr = cpu_to_be64(sge->addr);
}

/* A length of 0 would mean 2^31 bytes to the device: such entries are left out. */
static void add_gather(struct verbs_wqe *wqe, const struct ib_send_wr *wr)
{
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		if (wr->sg_list[i].length)
			set_data(add(wqe, sizeof(struct mlx5_wqe_data_seg)), &wr->sg_list[i]);
	}
}

static struct mlx5_wqe_umr_ctrl_seg *add_umr(struct verbs_wqe *wqe, u32 key, u8 flags, u64 mask)
{
	struct mlx5_wqe_umr_ctrl_seg *seg = add(wqe, sizeof(*seg));

	wqe->imm = cpu_to_be32(key);
	wqe->umr = true;
	seg->flags = flags;
	seg->mkey_mask = cpu_to_be64(mask);
	return seg;
}

/* Invalidation: the key is free again. */
static void add_local_inv(struct verbs_wqe *wqe, u32 key)
{
	const struct verbs_mkc mkc = {
		.free = true,
		.umr = true,
		.qpn = VERBS_MKC_ANY_QP,
		.key = key & 0xff,
	};

	add_umr(wqe, key, MLX5_UMR_INLINE, MLX5_MKEY_MASK_FREE);
	verbs_mkc_write(add(wqe, MLX5_ST_SZ_BYTES(mkc)), &mkc, false, false);
}

/* What a fast registration sets; the device keeps the rest. */
#define REG_MASK	(MLX5_MKEY_MASK_LEN | MLX5_MKEY_MASK_PAGE_SIZE |		\
			 MLX5_MKEY_MASK_START_ADDR | MLX5_MKEY_MASK_EN_RINVAL |		\
			 MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_LR | MLX5_MKEY_MASK_LW |	\
			 MLX5_MKEY_MASK_RR | MLX5_MKEY_MASK_RW | MLX5_MKEY_MASK_A |	\
			 MLX5_MKEY_MASK_FREE)

static int add_reg_mr(struct verbs_wqe *wqe, const struct verbs_wqe_limits *limits,
		      const struct ib_reg_wr *wr)
{
	struct verbs_mr *mr = to_verbs_mr(wr->mr);
	const struct verbs_mkc mkc = {
		.mode = MLX5_MKC_ACCESS_MODE_MTT,
		.umr = true,
		.inval = true,
		.access = wr->access,
		.qpn = VERBS_MKC_ANY_QP,
		.key = wr->key & 0xff,
		.start = mr->ibmr.iova,
		.length = mr->ibmr.length,
		.log_page_size = ilog2(mr->ibmr.page_size),
		.octwords = verbs_mkc_octwords(mr->fast.nr),
	};
	u32 list = ALIGN(mr->fast.nr * sizeof(__be64), MLX5_UMR_FLEX_ALIGNMENT);
	struct mlx5_wqe_umr_ctrl_seg *umr;
	struct mlx5_wqe_data_seg *seg;

	if (wr->wr.send_flags & IB_SEND_INLINE || !mr->fast.list)
		return -EINVAL;
	umr = add_umr(wqe, wr->key, MLX5_UMR_CHECK_NOT_FREE, REG_MASK);
	umr->xlt_octowords = cpu_to_be16(list / 16);
	verbs_mkc_write(add(wqe, MLX5_ST_SZ_BYTES(mkc)), &mkc, limits->relaxed_read,
			limits->relaxed_write);
	seg = add(wqe, sizeof(*seg));
	seg->byte_count = cpu_to_be32(list);
	seg->lkey = cpu_to_be32(wr->mr->pd->local_dma_lkey);
	seg->addr = cpu_to_be64(mr->fast.dma);
	return 0;
}

static int add_data(struct verbs_wqe *wqe, const struct verbs_wqe_limits *limits,
		    const struct ib_send_wr *wr)
{
	if (wr->num_sge < 0 || wr->num_sge > limits->max_sge)
		return -EINVAL;
	if (wr->send_flags & IB_SEND_INLINE)
		return add_inline(wqe, wr, limits->max_inline);
	add_gather(wqe, wr);
	return 0;
}

static int add_segments(struct verbs_wqe *wqe, const struct verbs_wqe_limits *limits,
			const struct wqe_op *op, const struct ib_send_wr *wr)
{
	int err = 0;

	if (BIT(limits->type) & DATAGRAM)
		err = add_av(wqe, wr);
	if (op->has & HAS_ATOMIC) {
		add_raddr(wqe, atomic_wr(wr)->remote_addr, atomic_wr(wr)->rkey);
		add_atomic(wqe, atomic_wr(wr));
	} else if (op->has & HAS_RADDR) {
		add_raddr(wqe, rdma_wr(wr)->remote_addr, rdma_wr(wr)->rkey);
	}
	if (op->has & HAS_IMM)
		wqe->imm = wr->ex.imm_data;
	if (op->has & HAS_INV)
		wqe->imm = cpu_to_be32(wr->ex.invalidate_rkey);
	if (!err && op->has & HAS_DATA)
		err = add_data(wqe, limits, wr);
	return err;
}

/**
 * verbs_wqe_build() - writes a send work request's segments
 * @wqe: to fill
 * @limits: the queue's
 * @wr: the work request, as ib_post_send() has it
 *
 * Context: any.
 * Return: 0; -EINVAL: an opcode that there is not on such a QP, too many gather
 * entries or inline bytes, no address handle.
 */
int verbs_wqe_build(struct verbs_wqe *wqe, const struct verbs_wqe_limits *limits,
		    const struct ib_send_wr *wr)
{
	const struct wqe_op *op;

	if ((unsigned int)wr->opcode >= ARRAY_SIZE(ops) ||
	    !(ops[wr->opcode].types & BIT(limits->type)))
		return -EINVAL;
	op = &ops[wr->opcode];
	wqe->bytes = 0;
	wqe->imm = 0;
	wqe->umr = false;
	wqe->opcode = op->opcode;
	wqe->wc_opcode = op->wc_opcode;
	add(wqe, sizeof(struct mlx5_wqe_ctrl_seg));
	if (wr->opcode == IB_WR_REG_MR)
		return add_reg_mr(wqe, limits, reg_wr(wr));
	if (wr->opcode == IB_WR_LOCAL_INV) {
		add_local_inv(wqe, wr->ex.invalidate_rkey);
		return 0;
	}
	return add_segments(wqe, limits, op, wr);
}

/**
 * verbs_wqe_flags() - completion, solicited event and fence of an entry
 * @wqe: built
 * @wr: what it was built of
 * @signal_all: the QP's requests all have completions
 * @after_umr: the entry before it changes a memory key
 * @umr_fence: what such an entry itself needs: MLX5_FENCE_MODE_*
 *
 * What follows a registration or an invalidation must see it done, fence or not
 * (IBA 10.8.3.3: they are ordered), which is the device's "small" fence.
 *
 * Context: any.
 * Return: the control segment's fm_ce_se.
 */
u8 verbs_wqe_flags(const struct verbs_wqe *wqe, const struct ib_send_wr *wr, bool signal_all,
		   bool after_umr, u8 umr_fence)
{
	u8 flags = 0;

	if (signal_all || wr->send_flags & IB_SEND_SIGNALED)
		flags |= MLX5_WQE_CTRL_CQ_UPDATE;
	if (wr->send_flags & IB_SEND_SOLICITED)
		flags |= MLX5_WQE_CTRL_SOLICITED;
	if (wqe->umr)
		return flags | umr_fence;
	if (wr->send_flags & IB_SEND_FENCE)
		return flags | (after_umr ? MLX5_FENCE_MODE_SMALL_AND_FENCE :
					    MLX5_FENCE_MODE_FENCE);
	return flags | (after_umr ? MLX5_FENCE_MODE_INITIATOR_SMALL : MLX5_FENCE_MODE_NONE);
}

/**
 * verbs_wqe_finish() - completes an entry's control segment
 * @wqe: built
 * @qpn: number of the QP
 * @index: number of its first block, which counts on
 * @flags: fm_ce_se, of verbs_wqe_flags()
 *
 * Context: any.
 */
void verbs_wqe_finish(struct verbs_wqe *wqe, u32 qpn, u16 index, u8 flags)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)wqe->data;

	ctrl->opmod_idx_opcode = cpu_to_be32(index << MLX5_WQE_CTRL_WQE_INDEX_SHIFT |
					     wqe->opcode);
	ctrl->qpn_ds = cpu_to_be32(qpn << MLX5_WQE_CTRL_QPN_SHIFT |
				   wqe->bytes / MLX5_SEND_WQE_DS);
	ctrl->fm_ce_se = flags;
	ctrl->imm = wqe->imm;
}

/**
 * verbs_wqe_recv() - writes a receive work request
 * @seg: the scatter list to fill
 * @max_sge: entries that it has room for
 * @wr: the work request
 *
 * Context: any.
 * Return: 0; -EINVAL: too many entries.
 */
int verbs_wqe_recv(struct mlx5_wqe_data_seg *seg, u32 max_sge, const struct ib_recv_wr *wr)
{
	u32 used = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		if (wr->sg_list[i].length)
			set_data(&seg[used++], &wr->sg_list[i]);
	}
	/* The list ends early: what is left was written by an earlier lap. */
	if (used < max_sge) {
		seg[used].byte_count = 0;
		seg[used].lkey = MLX5_TERMINATE_SCATTER_LIST_LKEY;
		seg[used].addr = 0;
	}
	return 0;
}
