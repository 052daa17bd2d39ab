// SPDX-License-Identifier: GPL-2.0
/*
 * User access regions.
 */
#include "uar.h"

#include "cmd.h"
#include "hca.h"

static void dealloc(struct ohca_hca *hca, u32 index)
{
	u32 out[MLX5_ST_SZ_DW(dealloc_uar_out)];
	u32 in[MLX5_ST_SZ_DW(dealloc_uar_in)] = {};

	MLX5_SET(dealloc_uar_in, in, opcode, MLX5_CMD_OP_DEALLOC_UAR);
	MLX5_SET(dealloc_uar_in, in, uar, index);
	ohca_cmd(hca, dealloc_uar, in, out);
}

/**
 * ohca_uar_alloc() - allocates a UAR
 * @hca: the adapter
 * @uar: to fill
 * @map: for the kernel's use too
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_uar_alloc(struct ohca_hca *hca, struct ohca_uar *uar, bool map)
{
	u32 out[MLX5_ST_SZ_DW(alloc_uar_out)];
	u32 in[MLX5_ST_SZ_DW(alloc_uar_in)] = {};
	u64 offset;
	int err;

	MLX5_SET(alloc_uar_in, in, opcode, MLX5_CMD_OP_ALLOC_UAR);
	err = ohca_cmd(hca, alloc_uar, in, out);
	if (err)
		return err;
	uar->index = MLX5_GET(alloc_uar_out, out, uar);
	uar->map = NULL;
	offset = (u64)uar->index * OHCA_UAR_BYTES;
	/* In the BAR, and not on the initialization segment. */
	if (offset < sizeof(struct mlx5_init_seg) || offset > hca->bar_bytes - OHCA_UAR_BYTES) {
		ohca_hca_err(hca, "UAR %u is not in the BAR\n", uar->index);
		err = -EIO;
		goto dealloc;
	}
	uar->addr = hca->bar + offset;
	if (!map)
		return 0;
	uar->map = ioremap(uar->addr, OHCA_UAR_BYTES);
	if (uar->map)
		return 0;
	err = -ENOMEM;
dealloc:
	dealloc(hca, uar->index);
	return err;
}

/**
 * ohca_uar_free() - frees it
 * @hca: the adapter
 * @uar: nobody rings it any more
 *
 * Context: may sleep.
 */
void ohca_uar_free(struct ohca_hca *hca, struct ohca_uar *uar)
{
	if (uar->map)
		iounmap(uar->map);
	uar->map = NULL;
	dealloc(hca, uar->index);
}
