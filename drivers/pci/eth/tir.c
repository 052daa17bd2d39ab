// SPDX-License-Identifier: GPL-2.0
/*
 * TIRs: each spreads the frames of a kind over the receive queues, by a hash.
 */
#include <linux/slab.h>

#include "../hw/cmd.h"
#include "eth.h"

#define HASH_IPS	(MLX5_HASH_FIELD_SEL_SRC_IP | MLX5_HASH_FIELD_SEL_DST_IP)
#define HASH_PORTS	(MLX5_HASH_FIELD_SEL_L4_SPORT | MLX5_HASH_FIELD_SEL_L4_DPORT)

/* What each hashes; OHCA_TIR_ANY hashes nothing: its frames go to the first queue. */
static const struct {
	u8 l3;
	u8 l4;
	u32 fields;
} hashes[OHCA_TIR_COUNT] = {
	[OHCA_TIR_IPV4_TCP] = { MLX5_L3_PROT_TYPE_IPV4, MLX5_L4_PROT_TYPE_TCP,
				HASH_IPS | HASH_PORTS },
	[OHCA_TIR_IPV4_UDP] = { MLX5_L3_PROT_TYPE_IPV4, MLX5_L4_PROT_TYPE_UDP,
				HASH_IPS | HASH_PORTS },
	[OHCA_TIR_IPV6_TCP] = { MLX5_L3_PROT_TYPE_IPV6, MLX5_L4_PROT_TYPE_TCP,
				HASH_IPS | HASH_PORTS },
	[OHCA_TIR_IPV6_UDP] = { MLX5_L3_PROT_TYPE_IPV6, MLX5_L4_PROT_TYPE_UDP,
				HASH_IPS | HASH_PORTS },
	[OHCA_TIR_IPV4] = { MLX5_L3_PROT_TYPE_IPV4, 0, HASH_IPS },
	[OHCA_TIR_IPV6] = { MLX5_L3_PROT_TYPE_IPV6, 0, HASH_IPS },
};

/* Entries of the table: the channels again and again, as a power of 2. */
static u32 rqt_size(const struct ohca_eth *eth)
{
	u32 most = 1 << MLX5_CAP_GEN(eth->hca, log_max_rqt_size);

	return min_t(u32, roundup_pow_of_two(eth->nr), most);
}

static int rqt_create(struct ohca_eth *eth)
{
	const u32 size = rqt_size(eth);
	const u32 inlen = MLX5_ST_SZ_BYTES(create_rqt_in) + size * sizeof(__be32);
	u32 out[MLX5_ST_SZ_DW(create_rqt_out)];
	void *in, *rqtc;
	u32 i;
	int err;

	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(create_rqt_in, in, opcode, MLX5_CMD_OP_CREATE_RQT);
	rqtc = MLX5_ADDR_OF(create_rqt_in, in, rqt_context);
	MLX5_SET(rqtc, rqtc, rqt_max_size, size);
	MLX5_SET(rqtc, rqtc, rqt_actual_size, size);
	for (i = 0; i < size; i++)
		MLX5_SET(rqtc, rqtc, rq_num[i], eth->channel[i % eth->nr].rxq.rqn);
	err = ohca_cmd_exec(eth->hca, in, inlen, out, sizeof(out));
	kvfree(in);
	if (!err)
		eth->steer.rqtn = MLX5_GET(create_rqt_out, out, rqtn);
	return err;
}

static void rqt_destroy(struct ohca_eth *eth)
{
	u32 out[MLX5_ST_SZ_DW(destroy_rqt_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_rqt_in)] = {};

	MLX5_SET(destroy_rqt_in, in, opcode, MLX5_CMD_OP_DESTROY_RQT);
	MLX5_SET(destroy_rqt_in, in, rqtn, eth->steer.rqtn);
	ohca_cmd(eth->hca, destroy_rqt, in, out);
}

static void fill_hash(void *tirc, enum ohca_tir kind)
{
	void *select = MLX5_ADDR_OF(tirc, tirc, rx_hash_field_selector_outer);
	void *key = MLX5_ADDR_OF(tirc, tirc, rx_hash_toeplitz_key);

	MLX5_SET(tirc, tirc, rx_hash_fn, MLX5_RX_HASH_FN_TOEPLITZ);
	netdev_rss_key_fill(key, MLX5_FLD_SZ_BYTES(tirc, rx_hash_toeplitz_key));
	MLX5_SET(rx_hash_field_select, select, l3_prot_type, hashes[kind].l3);
	MLX5_SET(rx_hash_field_select, select, l4_prot_type, hashes[kind].l4);
	MLX5_SET(rx_hash_field_select, select, selected_fields, hashes[kind].fields);
}

static int tir_create(struct ohca_eth *eth, enum ohca_tir kind)
{
	u32 out[MLX5_ST_SZ_DW(create_tir_out)];
	u32 in[MLX5_ST_SZ_DW(create_tir_in)] = {};
	void *tirc = MLX5_ADDR_OF(create_tir_in, in, ctx);
	int err;

	MLX5_SET(create_tir_in, in, opcode, MLX5_CMD_OP_CREATE_TIR);
	MLX5_SET(tirc, tirc, transport_domain, eth->tdn);
	if (hashes[kind].fields) {
		MLX5_SET(tirc, tirc, disp_type, MLX5_TIRC_DISP_TYPE_INDIRECT);
		MLX5_SET(tirc, tirc, indirect_table, eth->steer.rqtn);
		fill_hash(tirc, kind);
	} else {
		MLX5_SET(tirc, tirc, disp_type, MLX5_TIRC_DISP_TYPE_DIRECT);
		MLX5_SET(tirc, tirc, inline_rqn, eth->channel[0].rxq.rqn);
	}
	err = ohca_cmd(eth->hca, create_tir, in, out);
	if (!err)
		eth->steer.tirn[kind] = MLX5_GET(create_tir_out, out, tirn);
	return err;
}

static void tir_destroy(struct ohca_eth *eth, enum ohca_tir kind)
{
	u32 out[MLX5_ST_SZ_DW(destroy_tir_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_tir_in)] = {};

	MLX5_SET(destroy_tir_in, in, opcode, MLX5_CMD_OP_DESTROY_TIR);
	MLX5_SET(destroy_tir_in, in, tirn, eth->steer.tirn[kind]);
	ohca_cmd(eth->hca, destroy_tir, in, out);
}

/**
 * ohca_tirs_create() - makes the TIRs and their table of queues
 * @eth: the function; its channels are there
 *
 * Context: may sleep; under RTNL.
 * Return: 0 or an errno.
 */
int ohca_tirs_create(struct ohca_eth *eth)
{
	int kind, err;

	err = rqt_create(eth);
	if (err)
		return err;
	for (kind = 0; kind < OHCA_TIR_COUNT; kind++) {
		err = tir_create(eth, kind);
		if (err)
			goto destroy;
	}
	return 0;

destroy:
	while (kind--)
		tir_destroy(eth, kind);
	rqt_destroy(eth);
	return err;
}

/**
 * ohca_tirs_destroy() - undoes ohca_tirs_create()
 * @eth: the function; no flow table leads to them
 *
 * Context: may sleep; under RTNL.
 */
void ohca_tirs_destroy(struct ohca_eth *eth)
{
	int kind;

	for (kind = OHCA_TIR_COUNT - 1; kind >= 0; kind--)
		tir_destroy(eth, kind);
	rqt_destroy(eth);
}
