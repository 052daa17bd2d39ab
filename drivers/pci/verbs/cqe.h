/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queue entries: what the device says, as IB core wants to hear it.
 */
#ifndef OHCA_PCI_VERBS_CQE_H
#define OHCA_PCI_VERBS_CQE_H

#include <linux/mlx5/cq.h>
#include <linux/mlx5/device.h>
#include <rdma/ib_verbs.h>

/* An entry that nobody has written yet: no opcode that is one, owned by the device. */
#define VERBS_CQE_FRESH	(MLX5_CQE_INVALID << 4 | MLX5_CQE_OWNER_MASK)

/**
 * enum verbs_cqe_kind - what an entry is about
 * @VERBS_CQE_SEND: a send work request, done or failed
 * @VERBS_CQE_RECV: a receive work request, done or failed
 * @VERBS_CQE_RESIZE: the next one is in the new buffer
 * @VERBS_CQE_OTHER: nothing that this driver asked for
 */
enum verbs_cqe_kind {
	VERBS_CQE_SEND,
	VERBS_CQE_RECV,
	VERBS_CQE_RESIZE,
	VERBS_CQE_OTHER,
};

u8 verbs_cqe_opcode(const struct mlx5_cqe64 *cqe);
bool verbs_cqe_ready(const struct mlx5_cqe64 *cqe, u32 index, unsigned int log_size);
enum verbs_cqe_kind verbs_cqe_kind(const struct mlx5_cqe64 *cqe);
enum ib_wc_status verbs_cqe_status(const struct mlx5_cqe64 *cqe);
void verbs_cqe_to_wc(const struct mlx5_cqe64 *cqe, struct ib_wc *wc);

/* QPN of the queue that an entry is about. */
static inline u32 verbs_cqe_qpn(const struct mlx5_cqe64 *cqe)
{
	return be32_to_cpu(cqe->sop_drop_qpn) & 0xffffff;
}

/* SRQ, or user index, that an entry names. */
static inline u32 verbs_cqe_srqn(const struct mlx5_cqe64 *cqe)
{
	return be32_to_cpu(cqe->srqn) & 0xffffff;
}

#endif /* OHCA_PCI_VERBS_CQE_H */
