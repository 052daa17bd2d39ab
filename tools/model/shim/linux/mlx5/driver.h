/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands before the kernel's driver.h, which <linux/mlx5/qp.h> includes for the
 * driver's own structures; the layouts need none of them.
 */
#ifndef OHCA_MODEL_SHIM_MLX5_DRIVER_H
#define OHCA_MODEL_SHIM_MLX5_DRIVER_H

#include <linux/container_of.h>
#include <linux/types.h>

struct completion {
	int unused;
};

struct mlx5_core_rsc_common {
	int unused;
};

struct mlx5_hca_cap {
	u32 cur[1024];
	u32 max[1024];
};

struct mlx5_core_dev {
	struct {
		struct mlx5_hca_cap *hca[256];
	} caps;
};

static inline bool mlx5_get_roce_state(struct mlx5_core_dev *dev)
{
	return dev;
}

#endif /* OHCA_MODEL_SHIM_MLX5_DRIVER_H */
