/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address handles: where a datagram goes, as its work request says it.
 */
#ifndef OHCA_PCI_VERBS_AH_H
#define OHCA_PCI_VERBS_AH_H

#include <linux/mlx5/qp.h>
#include <rdma/ib_verbs.h>

/**
 * struct verbs_ah - an address handle; the device does not know of it
 * @ibah: IB core's
 * @av: address vector, less what the work request adds: destination and Q_Key
 */
struct verbs_ah {
	struct ib_ah ibah;
	struct mlx5_av av;
};

static inline struct verbs_ah *to_verbs_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct verbs_ah, ibah);
}

int verbs_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int verbs_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int verbs_destroy_ah(struct ib_ah *ibah, u32 flags);
void verbs_av_write(struct mlx5_av *av, const struct rdma_ah_attr *attr);
void verbs_av_read(const struct mlx5_av *av, struct rdma_ah_attr *attr);

#endif /* OHCA_PCI_VERBS_AH_H */
