/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command interface: what software asks the device for, and its answers.
 */
#ifndef OHCA_PCI_CMD_H
#define OHCA_PCI_CMD_H

#include <linux/mlx5/device.h>
#include <linux/types.h>

struct ohca_hca;

int ohca_cmd_init(struct ohca_hca *hca);
void ohca_cmd_fini(struct ohca_hca *hca);
void ohca_cmd_use_events(struct ohca_hca *hca, bool events);
void ohca_cmd_complete(struct ohca_hca *hca, u32 slots);
void ohca_cmd_abort_all(struct ohca_hca *hca);

int ohca_cmd_exec(struct ohca_hca *hca, const void *in, u32 inlen, void *out, u32 outlen);
int ohca_cmd_try(struct ohca_hca *hca, const void *in, u32 inlen, void *out, u32 outlen);

/*
 * ohca_cmd() - executes the command of a layout: @in and @out are u32 arrays of
 * MLX5_ST_SZ_DW(@layout_in) and MLX5_ST_SZ_DW(@layout_out)
 */
#define ohca_cmd(hca, layout, in, out)							\
	ohca_cmd_exec(hca, in, MLX5_ST_SZ_BYTES(layout##_in),				\
		      out, MLX5_ST_SZ_BYTES(layout##_out))

#endif /* OHCA_PCI_CMD_H */
