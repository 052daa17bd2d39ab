// SPDX-License-Identifier: GPL-2.0
/*
 * UMR: work requests that change a memory key, which is how drivers register
 * memory fast, bind memory windows and invalidate keys.
 *
 * A request is a control segment that names the key, one that says what is changed,
 * a key context with the new values, and translations: inline, or in memory. All of
 * it is read and checked before anything is changed.
 */
#include <errno.h>
#include <stdlib.h>

#include "mkey.h"
#include "qp.h"

#define CTRL_BYTES	((u32)sizeof(struct mlx5_wqe_ctrl_seg))
#define UMR_BYTES	((u32)sizeof(struct mlx5_wqe_umr_ctrl_seg))
#define MKC_BYTES	((u32)MLX5_ST_SZ_BYTES(mkc))
#define XLT_AT		(CTRL_BYTES + UMR_BYTES + MKC_BYTES)
#define OCTOWORD	16u

/* What a consumer's QP must not change: only the driver's own UMR QP may. */
#define PRIVILEGED	(MLX5_MKEY_MASK_PD)

/* Members of the context, and the bit of the mask that takes each over. */
#define MEMBERS(X)						\
	X(MLX5_MKEY_MASK_PAGE_SIZE, log_page_size)		\
	X(MLX5_MKEY_MASK_PD, pd)				\
	X(MLX5_MKEY_MASK_EN_RINVAL, en_rinval)			\
	X(MLX5_MKEY_MASK_KEY, mkey_7_0)				\
	X(MLX5_MKEY_MASK_QPN, qpn)				\
	X(MLX5_MKEY_MASK_LR, lr)				\
	X(MLX5_MKEY_MASK_LW, lw)				\
	X(MLX5_MKEY_MASK_RR, rr)				\
	X(MLX5_MKEY_MASK_RW, rw)				\
	X(MLX5_MKEY_MASK_A, a)					\
	X(MLX5_MKEY_MASK_FREE, free)

/* Bits with nothing to change here: orders and fences that are always kept. */
#define NO_MATTER	(MLX5_MKEY_MASK_SMALL_FENCE | MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE | \
			 MLX5_MKEY_MASK_RELAXED_ORDERING_READ | MLX5_MKEY_MASK_PAGE_SIZE_5 | \
			 MLX5_MKEY_MASK_EN_SIGERR | MLX5_MKEY_MASK_BSF_EN)

#define BIT_OF(bit, member) bit |
#define KNOWN		(MEMBERS(BIT_OF) NO_MATTER | MLX5_MKEY_MASK_LEN | \
			 MLX5_MKEY_MASK_START_ADDR)

/**
 * struct umr - a request, checked
 * @mkey: the key that it changes
 * @mask: what it changes
 * @mkc: the new values
 * @first: translations: the first that is replaced, in octowords
 * @nr: how many
 */
struct umr {
	struct mkey *mkey;
	u64 mask;
	u32 mkc[MLX5_ST_SZ_DW(mkc)];
	u64 first;
	u32 nr;
};

/* Whether the key may be changed so by this QP. */
static bool key_ok(struct qp *qp, const struct umr *u, u32 key, u8 flags)
{
	const struct mkey *mkey = u->mkey;
	bool own = qp->st != MLX5_QP_ST_REG_UMR;

	if (!mkey || !MLX5_GET(mkc, mkey->ctx, umr_en) || u->mask & ~KNOWN)
		return false;
	if (own && (mkey->pd != qp->pd || u->mask & PRIVILEGED))
		return false;
	if (!(u->mask & MLX5_MKEY_MASK_KEY) && mkey->key != (key & 0xff))
		return false;
	if ((flags & MLX5_UMR_CHECK_NOT_FREE && !mkey->free) ||
	    (flags & MLX5_UMR_CHECK_FREE && mkey->free))
		return false;
	if (u->mask & MLX5_MKEY_MASK_PD &&
	    !object_find(qp->wq.obj.hca, OBJ_PD, MLX5_GET(mkc, u->mkc, pd)))
		return false;
	return !(u->mask & MLX5_MKEY_MASK_PAGE_SIZE) || mkey->mode == MKEY_KLMS ||
	       (MLX5_GET(mkc, u->mkc, log_page_size) >= MLX5_ADAPTER_PAGE_SHIFT &&
		MLX5_GET(mkc, u->mkc, log_page_size) < 63);
}

static bool parse(struct qp *qp, const u8 *wqe, u32 bytes, struct umr *u)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe;
	const struct mlx5_wqe_umr_ctrl_seg *seg = (const void *)(wqe + CTRL_BYTES);
	u32 key = be32_to_cpu(ctrl->imm);

	if (bytes < XLT_AT)
		return false;
	u->mkey = object_find(qp->wq.obj.hca, OBJ_MKEY, key >> 8);
	u->mask = be64_to_cpu(seg->mkey_mask);
	memcpy(u->mkc, wqe + CTRL_BYTES + UMR_BYTES, MKC_BYTES);
	u->nr = be16_to_cpu(seg->xlt_octowords);
	if (seg->flags & MLX5_UMR_TRANSLATION_OFFSET_EN)
		u->first = (u64)be32_to_cpu(seg->xlt_offset_47_16) << 16 |
			   be16_to_cpu(seg->xlt_offset);
	return key_ok(qp, u, key, seg->flags) && u->first <= u->mkey->nr &&
	       u->nr <= u->mkey->nr - u->first;
}

/* The translations, in memory of their own; NULL with u->nr set: they can't be had. */
static void *translations(struct qp *qp, const u8 *wqe, u32 bytes, const struct umr *u)
{
	const struct mlx5_wqe_umr_ctrl_seg *seg = (const void *)(wqe + CTRL_BYTES);
	const struct mlx5_wqe_data_seg *data = (const void *)(wqe + XLT_AT);
	u32 len = u->nr * OCTOWORD, lkey, pd;
	u8 *xlt;

	if (!u->nr)
		return NULL;
	xlt = malloc(len);
	if (!xlt)
		return NULL;
	if (seg->flags & MLX5_UMR_INLINE) {
		if (len <= bytes - XLT_AT) {
			memcpy(xlt, wqe + XLT_AT, len);
			return xlt;
		}
	} else if (bytes - XLT_AT >= sizeof(*data) && be32_to_cpu(data->byte_count) >= len) {
		lkey = be32_to_cpu(data->lkey);
		/* The driver's own QP, and reserved keys if allowed, are of no domain. */
		pd = qp->st == MLX5_QP_ST_REG_UMR ||
		     (lkey == HCA_RESERVED_LKEY && MLX5_GET(qpc, qp->ctx, rlky)) ?
		     MKEY_ANY_PD : qp->pd;
		if (!mkey_copy(qp->wq.obj.hca, lkey, pd, be64_to_cpu(data->addr), xlt, len, false))
			return xlt;
	}
	free(xlt);
	return NULL;
}

static void apply(const struct umr *u, const void *xlt)
{
	struct mkey *mkey = u->mkey;

#define TAKE(bit, member)								\
	if (u->mask & (bit))								\
		MLX5_SET(mkc, mkey->ctx, member, MLX5_GET(mkc, u->mkc, member));
	MEMBERS(TAKE)
#undef TAKE
	if (u->mask & MLX5_MKEY_MASK_LEN) {
		MLX5_SET64(mkc, mkey->ctx, len, MLX5_GET64(mkc, u->mkc, len));
		MLX5_SET(mkc, mkey->ctx, length64, MLX5_GET(mkc, u->mkc, length64));
	}
	if (u->mask & MLX5_MKEY_MASK_START_ADDR)
		MLX5_SET64(mkc, mkey->ctx, start_addr, MLX5_GET64(mkc, u->mkc, start_addr));
	/* What a remote peer has invalidated since it was last set is not in the context. */
	if (!(u->mask & MLX5_MKEY_MASK_FREE))
		MLX5_SET(mkc, mkey->ctx, free, mkey->free);
	mkey_set_context(mkey, mkey->ctx);
	if (xlt)
		memcpy((u8 *)mkey->entry + u->first * OCTOWORD, xlt, u->nr * OCTOWORD);
}

int umr_execute(struct qp *qp, const u8 *wqe, u32 bytes)
{
	struct umr u = { 0 };
	void *xlt;

	if (!parse(qp, wqe, bytes, &u)) {
		info("qp 0x%x: a UMR that does not fit its key", qp->wq.obj.id);
		return -EACCES;
	}
	xlt = translations(qp, wqe, bytes, &u);
	if (u.nr && !xlt) {
		info("qp 0x%x: a UMR without its translations", qp->wq.obj.id);
		return -EACCES;
	}
	apply(&u, xlt);
	free(xlt);
	return 0;
}

void umr_run(struct qp *qp)
{
	u8 wqe[MLX5_SEND_WQE_MAX_SIZE] __aligned(16);
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe;
	struct tp_wc wc = { 0 };
	bool signaled;
	u32 bytes;

	while ((qp->state == MLX5_QP_STATE_RTS || qp->state == MLX5_QP_STATE_ERR) &&
	       wqe_fetch_send(qp, wqe, &bytes, &wc.wr_id)) {
		signaled = bytes && ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
		wc.status = TP_WC_SUCCESS;
		if (qp->state == MLX5_QP_STATE_ERR)
			wc.status = TP_WC_WR_FLUSH_ERR;
		else if ((wc.wr_id >> 16 & 0xff) == MLX5_OPCODE_UMR)
			wc.status = umr_execute(qp, wqe, bytes) ? TP_WC_MW_BIND_ERR :
								  TP_WC_SUCCESS;
		else if ((wc.wr_id >> 16 & 0xff) != MLX5_OPCODE_NOP)
			wc.status = TP_WC_LOC_QP_OP_ERR;
		if (wc.status)
			qp->state = MLX5_QP_STATE_ERR;
		if (wc.status || signaled)
			cqe_send(qp, &wc);
	}
}
