// SPDX-License-Identifier: GPL-2.0
/*
 * Bring-up: from a mapped BAR to running event queues, stage by stage, and back in the
 * opposite order (PRM, initialization and teardown).
 */
#include <linux/delay.h>
#include <linux/mlx5/qp.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "buf.h"
#include "cmd.h"
#include "eq.h"
#include "event.h"
#include "hca.h"
#include "health.h"
#include "link.h"
#include "pages.h"

/* How long the firmware may take to initialize, milliseconds. */
#define FW_INIT_MS	120000
#define FW_POLL_MS	20
#define FW_INITIALIZING	BIT(31)

static int fw_wait(struct ohca_hca *hca)
{
	unsigned long end = jiffies + msecs_to_jiffies(FW_INIT_MS);
	u32 word;

	for (;;) {
		word = ioread32be(&hca->iseg->initializing);
		if (word == U32_MAX)
			return -ENODEV;
		if (!(word & FW_INITIALIZING))
			return 0;
		if (time_after(jiffies, end)) {
			ohca_hca_err(hca, "the firmware still initializes after %u s\n",
				     FW_INIT_MS / 1000);
			return -ETIMEDOUT;
		}
		msleep(FW_POLL_MS);
	}
}

static int master_up(struct ohca_hca *hca)
{
	pci_set_master(hca->pdev);
	return 0;
}

static void master_down(struct ohca_hca *hca)
{
	u16 command;

	pci_clear_master(hca->pdev);
	/* What the device wrote before is in memory when this read has come back. */
	pci_read_config_word(hca->pdev, PCI_COMMAND, &command);
}

/* Commands are possible from here on. */
static int open_up(struct ohca_hca *hca)
{
	int err;

	/* Writing the address of the queue may start the firmware's own initialization. */
	err = fw_wait(hca);
	if (!err)
		WRITE_ONCE(hca->state, OHCA_HCA_UP);
	return err;
}

static void open_down(struct ohca_hca *hca)
{
	WRITE_ONCE(hca->state, OHCA_HCA_DOWN);
	ohca_cmd_abort_all(hca);
}

/* COMMAND() - defines a function that executes a command that has no more than a name */
#define COMMAND(function, OP, layout)							\
static int function(struct ohca_hca *hca)						\
{											\
	u32 out[MLX5_ST_SZ_DW(layout##_out)];						\
	u32 in[MLX5_ST_SZ_DW(layout##_in)] = {};					\
											\
	MLX5_SET(layout##_in, in, opcode, MLX5_CMD_OP_##OP);				\
	return ohca_cmd(hca, layout, in, out);						\
}

COMMAND(enable_up, ENABLE_HCA, enable_hca)
COMMAND(disable, DISABLE_HCA, disable_hca)
COMMAND(init_up, INIT_HCA, init_hca)
COMMAND(teardown, TEARDOWN_HCA, teardown_hca)

static void enable_down(struct ohca_hca *hca)
{
	disable(hca);
}

static void init_down(struct ohca_hca *hca)
{
	teardown(hca);
}

/* Interface step 1 is what the driver is written for; 0 is what old firmware has. */
static int issi_up(struct ohca_hca *hca)
{
	u32 query_out[MLX5_ST_SZ_DW(query_issi_out)];
	u32 query_in[MLX5_ST_SZ_DW(query_issi_in)] = {};
	u32 set_out[MLX5_ST_SZ_DW(set_issi_out)];
	u32 set_in[MLX5_ST_SZ_DW(set_issi_in)] = {};
	u32 supported;
	int err;

	MLX5_SET(query_issi_in, query_in, opcode, MLX5_CMD_OP_QUERY_ISSI);
	err = ohca_cmd(hca, query_issi, query_in, query_out);
	if (err)
		return err;
	supported = MLX5_GET(query_issi_out, query_out, supported_issi_dw0);
	if (!(supported & BIT(1))) {
		ohca_hca_err(hca, "interface steps 0x%x, the driver needs step 1\n", supported);
		return -EOPNOTSUPP;
	}
	MLX5_SET(set_issi_in, set_in, opcode, MLX5_CMD_OP_SET_ISSI);
	MLX5_SET(set_issi_in, set_in, current_issi, 1);
	err = ohca_cmd(hca, set_issi, set_in, set_out);
	if (!err)
		hca->issi = 1;
	return err;
}

static int boot_pages_up(struct ohca_hca *hca)
{
	return ohca_pages_supply(hca, OHCA_PAGES_BOOT);
}

static int init_pages_up(struct ohca_hca *hca)
{
	return ohca_pages_supply(hca, OHCA_PAGES_INIT);
}

/* Boot pages and all others: the device needs none after TEARDOWN_HCA. */
static void boot_pages_down(struct ohca_hca *hca)
{
	ohca_pages_reclaim(hca);
}

/* The byte order of what the host reads without a header for it. A VF has no say. */
static int endianness_up(struct ohca_hca *hca)
{
	struct {
		u8 host_endianness;
		u8 reserved[15];
	} reg = { .host_endianness = MLX5_SET_HOST_ENDIANNESS };

	if (hca->pdev->is_virtfn)
		return 0;
	return ohca_reg_write(hca, MLX5_REG_HOST_ENDIANNESS, &reg, sizeof(reg));
}

/* Who drives it, for the device's own tools: OS, driver, version. */
static int name_up(struct ohca_hca *hca)
{
	const size_t room = MLX5_FLD_SZ_BYTES(set_driver_version_in, driver_version);
	u32 out[MLX5_ST_SZ_DW(set_driver_version_out)];
	u32 in[MLX5_ST_SZ_DW(set_driver_version_in)] = {};

	if (!MLX5_CAP_GEN(hca, driver_version))
		return 0;
	MLX5_SET(set_driver_version_in, in, opcode, MLX5_CMD_OP_SET_DRIVER_VERSION);
	/* A long release is cut; the device does not care. */
	scnprintf(MLX5_ADDR_OF(set_driver_version_in, in, driver_version), room,
		  "Linux,%s,%.32s", KBUILD_MODNAME, utsname()->release);
	/* A courtesy: nothing depends on it. */
	ohca_cmd(hca, set_driver_version, in, out);
	return 0;
}

static int adapter_up(struct ohca_hca *hca)
{
	u32 out[MLX5_ST_SZ_DW(query_adapter_out)];
	u32 in[MLX5_ST_SZ_DW(query_adapter_in)] = {};
	u32 rev = ioread32be(&hca->iseg->fw_rev);
	const char *psid;
	int err;

	snprintf(hca->fw_version, sizeof(hca->fw_version), "%u.%u.%04u", rev & 0xffff, rev >> 16,
		 ioread32be(&hca->iseg->cmdif_rev_fw_sub) & 0xffff);

	MLX5_SET(query_adapter_in, in, opcode, MLX5_CMD_OP_QUERY_ADAPTER);
	err = ohca_cmd(hca, query_adapter, in, out);
	if (err)
		return err;
	psid = MLX5_ADDR_OF(query_adapter_out, out, query_adapter_struct.vsd_contd_psid);
	memcpy(hca->board_id, psid,
	       MLX5_FLD_SZ_BYTES(query_adapter_param_block, vsd_contd_psid));
	return 0;
}

static int keys_up(struct ohca_hca *hca)
{
	u32 out[MLX5_ST_SZ_DW(query_special_contexts_out)];
	u32 in[MLX5_ST_SZ_DW(query_special_contexts_in)] = {};
	struct ohca_key *key = &hca->key;
	int err;

	MLX5_SET(query_special_contexts_in, in, opcode, MLX5_CMD_OP_QUERY_SPECIAL_CONTEXTS);
	err = ohca_cmd(hca, query_special_contexts, in, out);
	if (err)
		return err;
	key->reserved_lkey = MLX5_GET(query_special_contexts_out, out, resd_lkey);
	key->terminate_mkey = MLX5_TERMINATE_SCATTER_LIST_LKEY;
	if (MLX5_CAP_GEN(hca, null_mkey))
		key->null_mkey = cpu_to_be32(MLX5_GET(query_special_contexts_out, out,
						      null_mkey));
	if (MLX5_CAP_GEN(hca, dump_fill_mkey))
		key->dump_fill_mkey = MLX5_GET(query_special_contexts_out, out,
					       dump_fill_mkey);
	if (MLX5_CAP_GEN(hca, terminate_scatter_list_mkey))
		key->terminate_mkey = cpu_to_be32(MLX5_GET(query_special_contexts_out, out,
							   terminate_scatter_list_mkey));
	return 0;
}

static int uar_up(struct ohca_hca *hca)
{
	return ohca_uar_alloc(hca, &hca->uar, true);
}

static void uar_down(struct ohca_hca *hca)
{
	ohca_uar_free(hca, &hca->uar);
}

static int watch_up(struct ohca_hca *hca)
{
	ohca_health_start(hca);
	return 0;
}

/**
 * struct stage - a step of bring-up
 * @name: for messages
 * @up: does it, or undoes what it had done and says why not
 * @down: undoes it; NULL: a later stage or the end of an earlier one does
 */
struct stage {
	const char *name;
	int (*up)(struct ohca_hca *hca);
	void (*down)(struct ohca_hca *hca);
};

static const struct stage stages[] = {
	{ "firmware",		fw_wait },
	{ "page account",	ohca_pages_init,	ohca_pages_fini },
	{ "doorbell records",	ohca_dbs_init,		ohca_dbs_fini },
	{ "command queue",	ohca_cmd_init,		ohca_cmd_fini },
	{ "bus master",		master_up,		master_down },
	{ "commands",		open_up,		open_down },
	{ "ENABLE_HCA",		enable_up,		enable_down },
	{ "interface step",	issi_up },
	{ "boot pages",		boot_pages_up,		boot_pages_down },
	{ "endianness",		endianness_up },
	{ "capabilities",	ohca_caps_negotiate },
	{ "init pages",		init_pages_up },
	{ "INIT_HCA",		init_up,		init_down },
	{ "driver version",	name_up },
	{ "capabilities",	ohca_caps_read },
	{ "adapter",		adapter_up },
	{ "memory keys",	keys_up },
	{ "UAR",		uar_up,			uar_down },
	{ "vectors",		ohca_irqs_init,		ohca_irqs_fini },
	{ "event queues",	ohca_eqs_create,	ohca_eqs_destroy },
	{ "health",		watch_up,		ohca_health_stop },
};

static void down_from(struct ohca_hca *hca, size_t n)
{
	while (n--) {
		if (stages[n].down)
			stages[n].down(hca);
	}
}

/**
 * ohca_hca_load() - brings the adapter up
 * @hca: the adapter; its BAR is mapped
 *
 * Context: may sleep; under @hca's lifecycle lock.
 * Return: 0, or the errno of the stage that failed, which is in the log; then the
 * adapter is down.
 */
int ohca_hca_load(struct ohca_hca *hca)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(stages); i++) {
		err = stages[i].up(hca);
		if (err) {
			ohca_hca_err(hca, "bring-up: %s: %d\n", stages[i].name, err);
			/* What boot pages were given are taken back by its down, too. */
			down_from(hca, stages[i].up == boot_pages_up ? i + 1 : i);
			WRITE_ONCE(hca->state, OHCA_HCA_DOWN);
			return err;
		}
	}
	hca->loaded = true;
	ohca_hca_dbg(hca, "%d completion vectors\n", ohca_comp_vectors(hca));
	return 0;
}

/**
 * ohca_hca_unload() - takes the adapter down
 * @hca: the adapter; nothing uses it any more. It may be dead.
 *
 * Afterwards the device has no memory of the host's, and can't reach any.
 *
 * Context: may sleep; under @hca's lifecycle lock.
 */
void ohca_hca_unload(struct ohca_hca *hca)
{
	if (!hca->loaded)
		return;
	hca->loaded = false;
	down_from(hca, ARRAY_SIZE(stages));
}
