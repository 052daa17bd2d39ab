// SPDX-License-Identifier: GPL-2.0
/*
 * Capabilities: read, and where the driver has a choice, set.
 */
#include "caps.h"

#include <linux/cache.h>
#include <linux/slab.h>

#include "cmd.h"
#include "hca.h"

/* QPs more than this are no use, and cost the device pages. */
#define LOG_MAX_QP	18

/**
 * struct group - a group of capabilities
 * @type: enum mlx5_cap_type
 * @announced: whether the general group says that it is there
 * @choose: changes what is in force, in a copy of it; NULL: nothing to choose. The
 *          adapter's groups are read and its @max is valid.
 */
struct group {
	enum mlx5_cap_type type;
	bool (*announced)(const struct ohca_hca *hca);
	void (*choose)(const struct ohca_hca *hca, void *cur);
};

static bool has_ethernet(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, eth_net_offloads);
}

static bool has_atomic(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, atomic);
}

static bool has_roce(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, roce);
}

static bool has_flow_table(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, nic_flow_table);
}

static bool has_general_2(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, hca_cap_2);
}

static bool has_odp(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, pg);
}

static bool always(const struct ohca_hca *hca)
{
	return true;
}

static void choose_general(const struct ohca_hca *hca, void *cur)
{
	MLX5_SET(cmd_hca_cap, cur, cmdif_checksum, 0);
	MLX5_SET(cmd_hca_cap, cur, pkey_table_size, 0);	/* 128 keys, if it were InfiniBand */
	MLX5_SET(cmd_hca_cap, cur, log_max_qp,
		 min_t(u32, MLX5_CAP_GEN_MAX(hca, log_max_qp), LOG_MAX_QP));
	if (MLX5_CAP_GEN_MAX(hca, cache_line_128byte))
		MLX5_SET(cmd_hca_cap, cur, cache_line_128byte, cache_line_size() >= 128);
}

static void choose_atomic(const struct ohca_hca *hca, void *cur)
{
	/* Atomics of 8 bytes answer in the byte order of the host. */
	if (MLX5_CAP_ATOMIC_MAX(hca, supported_atomic_req_8B_endianness_mode_1))
		MLX5_SET(atomic_caps, cur, atomic_req_8B_endianness_mode, 1);
}

static void choose_roce(const struct ohca_hca *hca, void *cur)
{
	if (MLX5_CAP_ROCE_MAX(hca, sw_r_roce_src_udp_port))
		MLX5_SET(roce_cap, cur, sw_r_roce_src_udp_port, 1);
}

/* The general group first: it announces the others. */
static const struct group groups[] = {
	{ MLX5_CAP_GENERAL,		always,		choose_general },
	{ MLX5_CAP_GENERAL_2,		has_general_2,	NULL },
	{ MLX5_CAP_ETHERNET_OFFLOADS,	has_ethernet,	NULL },
	{ MLX5_CAP_ODP,			has_odp,	NULL },
	{ MLX5_CAP_ATOMIC,		has_atomic,	choose_atomic },
	{ MLX5_CAP_ROCE,		has_roce,	choose_roce },
	{ MLX5_CAP_FLOW_TABLE,		has_flow_table,	NULL },
};

static int query(struct ohca_hca *hca, enum mlx5_cap_type type, bool cur, void *caps)
{
	const u32 outlen = MLX5_ST_SZ_BYTES(query_hca_cap_out);
	u32 in[MLX5_ST_SZ_DW(query_hca_cap_in)] = {};
	void *out;
	int err;

	out = kzalloc(outlen, GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	MLX5_SET(query_hca_cap_in, in, opcode, MLX5_CMD_OP_QUERY_HCA_CAP);
	MLX5_SET(query_hca_cap_in, in, op_mod, type << 1 | cur);
	err = ohca_cmd_exec(hca, in, sizeof(in), out, outlen);
	if (!err)
		memcpy(caps, MLX5_ADDR_OF(query_hca_cap_out, out, capability),
		       MLX5_UN_SZ_BYTES(hca_cap_union));
	kfree(out);
	return err;
}

static int read_group(struct ohca_hca *hca, enum mlx5_cap_type type)
{
	struct ohca_cap_group *caps = hca->caps.hca[type];
	int err;

	err = query(hca, type, false, caps->max);
	return err ?: query(hca, type, true, caps->cur);
}

/* Sets the group to what is chosen, unless it is that already. */
static int set_group(struct ohca_hca *hca, const struct group *group)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(set_hca_cap_in);
	u32 out[MLX5_ST_SZ_DW(set_hca_cap_out)];
	const void *cur = hca->caps.hca[group->type]->cur;
	void *in, *chosen;
	int err = 0;

	in = kzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(set_hca_cap_in, in, opcode, MLX5_CMD_OP_SET_HCA_CAP);
	MLX5_SET(set_hca_cap_in, in, op_mod, group->type << 1);
	chosen = MLX5_ADDR_OF(set_hca_cap_in, in, capability);
	memcpy(chosen, cur, MLX5_UN_SZ_BYTES(hca_cap_union));
	group->choose(hca, chosen);
	if (memcmp(chosen, cur, MLX5_UN_SZ_BYTES(hca_cap_union)))
		err = ohca_cmd_exec(hca, in, inlen, out, sizeof(out));
	kfree(in);
	return err;
}

/**
 * ohca_caps_negotiate() - chooses among what the device could do
 * @hca: the adapter, between boot pages and init pages
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_caps_negotiate(struct ohca_hca *hca)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (!groups[i].announced(hca) || !groups[i].choose)
			continue;
		err = read_group(hca, groups[i].type);
		err = err ?: set_group(hca, &groups[i]);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ohca_caps_read() - reads what is in force
 * @hca: the adapter, after INIT_HCA
 *
 * Groups that are not announced are all zero.
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_caps_read(struct ohca_hca *hca)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (!groups[i].announced(hca)) {
			memset(hca->caps.hca[groups[i].type], 0, sizeof(struct ohca_cap_group));
			continue;
		}
		err = read_group(hca, groups[i].type);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ohca_caps_alloc() - makes room for capabilities, all zero
 * @hca: the adapter
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ohca_caps_alloc(struct ohca_hca *hca)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		struct ohca_cap_group *caps = kzalloc(sizeof(*caps), GFP_KERNEL);

		if (!caps) {
			ohca_caps_free(hca);
			return -ENOMEM;
		}
		hca->caps.hca[groups[i].type] = caps;
	}
	return 0;
}

/**
 * ohca_caps_free() - frees it
 * @hca: the adapter
 *
 * Context: any.
 */
void ohca_caps_free(struct ohca_hca *hca)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		kfree(hca->caps.hca[groups[i].type]);
		hca->caps.hca[groups[i].type] = NULL;
	}
}
