// SPDX-License-Identifier: GPL-2.0
/*
 * Commands about the adapter as a whole: bring-up, pages, capabilities.
 */
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"

/* Pages that the device asks for; it keeps them and never looks inside. */
#define BOOT_PAGES	64
#define INIT_PAGES	256

int cmd_nop(struct cmd *cmd)
{
	(void)cmd;
	return 0;
}

int cmd_enable_hca(struct cmd *cmd)
{
	if (cmd->hca->state == HCA_DISABLED)
		cmd->hca->state = HCA_ENABLED;
	return 0;
}

int cmd_disable_hca(struct cmd *cmd)
{
	hca_teardown(cmd->hca);
	cmd->hca->state = HCA_DISABLED;
	return 0;
}

int cmd_init_hca(struct cmd *cmd)
{
	if (cmd->hca->state == HCA_READY)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_SYS_STATE_ERR);
	cmd->hca->state = HCA_READY;
	return 0;
}

int cmd_teardown_hca(struct cmd *cmd)
{
	hca_teardown(cmd->hca);
	cmd->hca->state = HCA_ENABLED;
	return 0;
}

int cmd_query_issi(struct cmd *cmd)
{
	MLX5_SET(query_issi_out, cmd->out, current_issi, cmd->hca->issi);
	MLX5_SET(query_issi_out, cmd->out, supported_issi_dw0, 1 << 0 | 1 << 1);
	return 0;
}

int cmd_set_issi(struct cmd *cmd)
{
	u16 issi = MLX5_GET(set_issi_in, cmd->in, current_issi);

	if (issi > 1)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	cmd->hca->issi = issi;
	return 0;
}

int cmd_query_pages(struct cmd *cmd)
{
	enum { BOOT = 1, INIT, REGULAR };
	u32 want = 0, have = cmd->hca->nr_pages;

	if (cmd->op_mod < BOOT || cmd->op_mod > REGULAR)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (cmd->op_mod == BOOT)
		want = BOOT_PAGES;
	else if (cmd->op_mod == INIT)
		want = BOOT_PAGES + INIT_PAGES;
	MLX5_SET(query_pages_out, cmd->out, num_pages, want > have ? want - have : 0);
	return 0;
}

static int take_pages(struct cmd *cmd, u32 nr)
{
	const __be64 *pas = MEMBER(manage_pages_in, cmd->in, pas);
	struct hca *hca = cmd->hca;
	u64 *bigger;
	u32 i;

	if (nr > (cmd->inlen - IN_BYTES(manage_pages)) / sizeof(*pas))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	if (nr > HCA_MAX_PAGES - hca->nr_pages)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	if (hca->nr_pages + nr > hca->max_pages) {
		bigger = realloc(hca->page, (hca->nr_pages + nr) * sizeof(*bigger));
		if (!bigger)
			return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
		hca->page = bigger;
		hca->max_pages = hca->nr_pages + nr;
	}
	for (i = 0; i < nr; i++)
		hca->page[hca->nr_pages++] = be64_to_cpu(pas[i]);
	return 0;
}

static int return_pages(struct cmd *cmd, u32 nr)
{
	__be64 *pas = MEMBER(manage_pages_out, cmd->out, pas);
	u32 room = (cmd->outlen - (u32)OUT_BYTES(manage_pages)) / (u32)sizeof(*pas);
	u32 i;

	nr = min3(nr, room, cmd->hca->nr_pages);
	for (i = 0; i < nr; i++)
		pas[i] = cpu_to_be64(cmd->hca->page[--cmd->hca->nr_pages]);
	MLX5_SET(manage_pages_out, cmd->out, output_num_entries, nr);
	return 0;
}

int cmd_manage_pages(struct cmd *cmd)
{
	enum { CANT_GIVE, GIVE, TAKE };
	u32 nr = MLX5_GET(manage_pages_in, cmd->in, input_num_entries);

	switch (cmd->op_mod) {
	case CANT_GIVE:
		return 0;
	case GIVE:
		return take_pages(cmd, nr);
	case TAKE:
		return return_pages(cmd, nr);
	}
	return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
}

int cmd_query_hca_cap(struct cmd *cmd)
{
	u32 group = cmd->op_mod >> 1;
	void *to = MEMBER(query_hca_cap_out, cmd->out, capability);
	u32 room = cmd->outlen - (u32)MLX5_BYTE_OFF(query_hca_cap_out, capability);

	if (group >= HCA_CAP_GROUPS)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	memcpy(to, cmd->op_mod & 1 ? cmd->hca->cap_cur[group] : cmd->hca->cap_max[group],
	       min(room, HCA_CAP_BYTES));
	return 0;
}

/*
 * Numbers that the driver may lower but not raise. The other members of the
 * group are kept as they are sent back.
 */
static bool caps_fit(const struct hca *hca, const void *want)
{
	const void *max = hca->cap_max[MLX5_CAP_GENERAL];

#define FITS(f) (MLX5_GET(cmd_hca_cap, want, f) <= MLX5_GET(cmd_hca_cap, max, f))
	return FITS(log_max_qp) && FITS(log_max_cq) && FITS(log_max_srq) &&
	       FITS(log_max_mkey) && FITS(log_max_qp_sz) && FITS(log_max_cq_sz) &&
	       FITS(num_ports) && FITS(cqe_version) && FITS(rc) && FITS(xrc) && FITS(roce) &&
	       FITS(uar_4k) && FITS(log_max_ra_req_qp) && FITS(log_max_ra_res_qp);
#undef FITS
}

/* One member of the group can be chosen; drivers leave the others zero. */
static int set_atomic(struct cmd *cmd, const void *want, u32 len)
{
	void *cur = cmd->hca->cap_cur[MLX5_CAP_ATOMIC];
	u32 mode;

	if (len < 8)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	mode = MLX5_GET(atomic_caps, want, atomic_req_8B_endianness_mode);
	if (mode > 1)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	MLX5_SET(atomic_caps, cur, atomic_req_8B_endianness_mode, mode);
	return 0;
}

int cmd_set_hca_cap(struct cmd *cmd)
{
	u32 group = cmd->op_mod >> 1;
	const void *from = MEMBER(set_hca_cap_in, cmd->in, capability);
	u32 len = cmd->inlen - (u32)MLX5_BYTE_OFF(set_hca_cap_in, capability);

	if (group >= HCA_CAP_GROUPS)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (cmd->hca->state == HCA_READY)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_SYS_STATE_ERR);
	if (group == MLX5_CAP_GENERAL && !caps_fit(cmd->hca, from))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (group == MLX5_CAP_ATOMIC)
		return set_atomic(cmd, from, len);
	memcpy(cmd->hca->cap_cur[group], from, min(len, HCA_CAP_BYTES));
	return 0;
}

int cmd_query_adapter(struct cmd *cmd)
{
	void *block = MEMBER(query_adapter_out, cmd->out, query_adapter_struct);

	MLX5_SET(query_adapter_param_block, block, ieee_vendor_id, 0x2c9);
	MLX5_SET(query_adapter_param_block, block, vsd_vendor_id, 0x15b3);
	memcpy(MEMBER(query_adapter_param_block, block, vsd_contd_psid), "OHC0000000001", 13);
	return 0;
}

int cmd_query_special_contexts(struct cmd *cmd)
{
	void *out = cmd->out;

	MLX5_SET(query_special_contexts_out, out, resd_lkey, HCA_RESERVED_LKEY);
	MLX5_SET(query_special_contexts_out, out, null_mkey, HCA_NULL_MKEY);
	MLX5_SET(query_special_contexts_out, out, dump_fill_mkey, HCA_DUMP_FILL_MKEY);
	MLX5_SET(query_special_contexts_out, out, terminate_scatter_list_mkey,
		 cpu_to_be32(MLX5_TERMINATE_SCATTER_LIST_LKEY));
	return 0;
}
