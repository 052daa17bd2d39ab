/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work queue entries of kernel consumers: from a work request to what the device
 * reads.
 */
#ifndef OHCA_PCI_VERBS_WQE_H
#define OHCA_PCI_VERBS_WQE_H

#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

#define VERBS_WQEBB		MLX5_SEND_WQE_BB
#define VERBS_WQE_MAX		((u32)MLX5_SEND_WQE_MAX_SIZE)
/* Bytes of a fast registration: control, UMR control, context, list. */
#define VERBS_WQE_UMR_BYTES	(sizeof(struct mlx5_wqe_ctrl_seg) +		\
				 sizeof(struct mlx5_wqe_umr_ctrl_seg) +	\
				 sizeof(struct mlx5_mkey_seg) +			\
				 sizeof(struct mlx5_wqe_data_seg))

/**
 * struct verbs_wqe - a send work queue entry that is being written
 * @data: the entry; its control segment is complete after verbs_wqe_finish()
 * @bytes: of @data that are used, a multiple of 16
 * @opcode: MLX5_OPCODE_*
 * @wc_opcode: what its completion is called
 * @imm: the control segment's last word
 * @umr: it changes a memory key: what follows must wait for it
 */
struct verbs_wqe {
	u8 data[VERBS_WQE_MAX] __aligned(16);
	u32 bytes;
	u8 opcode;
	enum ib_wc_opcode wc_opcode;
	__be32 imm;
	bool umr;
};

/**
 * struct verbs_wqe_limits - what a queue's entries may be
 * @type: of the QP
 * @max_sge: gather entries
 * @max_inline: inline bytes
 * @relaxed_read: see verbs_mkc_write()
 * @relaxed_write: see verbs_mkc_write()
 */
struct verbs_wqe_limits {
	enum ib_qp_type type;
	u32 max_sge;
	u32 max_inline;
	bool relaxed_read;
	bool relaxed_write;
};

u32 verbs_wqe_room(enum ib_qp_type type, u32 max_sge, u32 max_inline, bool umr);
int verbs_wqe_build(struct verbs_wqe *wqe, const struct verbs_wqe_limits *limits,
		    const struct ib_send_wr *wr);
void verbs_wqe_finish(struct verbs_wqe *wqe, u32 qpn, u16 index, u8 flags);
u8 verbs_wqe_flags(const struct verbs_wqe *wqe, const struct ib_send_wr *wr, bool signal_all,
		   bool after_umr, u8 umr_fence);
int verbs_wqe_recv(struct mlx5_wqe_data_seg *seg, u32 max_sge, const struct ib_recv_wr *wr);

/* 64-byte blocks that an entry takes. */
static inline u32 verbs_wqe_blocks(u32 bytes)
{
	return (bytes + VERBS_WQEBB - 1) / VERBS_WQEBB;
}

#endif /* OHCA_PCI_VERBS_WQE_H */
