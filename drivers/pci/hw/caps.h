/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capabilities: what the device announces. The driver uses nothing else.
 */
#ifndef OHCA_PCI_CAPS_H
#define OHCA_PCI_CAPS_H

#include <linux/mlx5/device.h>
#include <linux/types.h>

struct ohca_hca;

/**
 * struct ohca_cap_group - the capabilities of a group (enum mlx5_cap_type)
 * @cur: those in force
 * @max: those that the device could have
 */
struct ohca_cap_group {
	u32 cur[MLX5_UN_SZ_DW(hca_cap_union)];
	u32 max[MLX5_UN_SZ_DW(hca_cap_union)];
};

/**
 * struct ohca_caps - all groups
 * @hca: by enum mlx5_cap_type: general, general 2, Ethernet, ODP, atomic, RoCE and
 *       flow table; others are NULL. Of these, a group that the device does not
 *       announce is there too, and all zero. So no reader has to ask twice, and the
 *       kernel's macros (MLX5_CAP_GEN(hca, field), MLX5_CAP_ETH, MLX5_CAP_ROCE, ...)
 *       take a struct ohca_hca.
 *
 * Read at bring-up; constant afterwards, until the adapter is brought up anew.
 */
struct ohca_caps {
	struct ohca_cap_group *hca[MLX5_CAP_NUM];
};

int ohca_caps_alloc(struct ohca_hca *hca);
void ohca_caps_free(struct ohca_hca *hca);
int ohca_caps_negotiate(struct ohca_hca *hca);
int ohca_caps_read(struct ohca_hca *hca);

#endif /* OHCA_PCI_CAPS_H */
