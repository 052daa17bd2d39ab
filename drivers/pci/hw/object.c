// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that one short command makes and another destroys: protection and transport
 * domains, XRC domains, queue counters, memory keys.
 */
#include "object.h"

#include <linux/atomic.h>

#include "cmd.h"
#include "hca.h"

/**
 * ohca_pd_alloc() - makes a protection domain
 * @hca: the adapter
 * @pdn: set to its number
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_pd_alloc(struct ohca_hca *hca, u32 *pdn)
{
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)];
	u32 in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
	int err;

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	err = ohca_cmd(hca, alloc_pd, in, out);
	if (!err)
		*pdn = MLX5_GET(alloc_pd_out, out, pd);
	return err;
}

/**
 * ohca_pd_free() - frees a protection domain
 * @hca: the adapter
 * @pdn: its number
 *
 * Context: may sleep.
 */
void ohca_pd_free(struct ohca_hca *hca, u32 pdn)
{
	u32 out[MLX5_ST_SZ_DW(dealloc_pd_out)];
	u32 in[MLX5_ST_SZ_DW(dealloc_pd_in)] = {};

	MLX5_SET(dealloc_pd_in, in, opcode, MLX5_CMD_OP_DEALLOC_PD);
	MLX5_SET(dealloc_pd_in, in, pd, pdn);
	ohca_cmd(hca, dealloc_pd, in, out);
}

/**
 * ohca_td_alloc() - makes a transport domain
 * @hca: the adapter
 * @tdn: set to its number
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_td_alloc(struct ohca_hca *hca, u32 *tdn)
{
	u32 out[MLX5_ST_SZ_DW(alloc_transport_domain_out)];
	u32 in[MLX5_ST_SZ_DW(alloc_transport_domain_in)] = {};
	int err;

	MLX5_SET(alloc_transport_domain_in, in, opcode, MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	err = ohca_cmd(hca, alloc_transport_domain, in, out);
	if (!err)
		*tdn = MLX5_GET(alloc_transport_domain_out, out, transport_domain);
	return err;
}

/**
 * ohca_td_free() - frees a transport domain
 * @hca: the adapter
 * @tdn: its number
 *
 * Context: may sleep.
 */
void ohca_td_free(struct ohca_hca *hca, u32 tdn)
{
	u32 out[MLX5_ST_SZ_DW(dealloc_transport_domain_out)];
	u32 in[MLX5_ST_SZ_DW(dealloc_transport_domain_in)] = {};

	MLX5_SET(dealloc_transport_domain_in, in, opcode, MLX5_CMD_OP_DEALLOC_TRANSPORT_DOMAIN);
	MLX5_SET(dealloc_transport_domain_in, in, transport_domain, tdn);
	ohca_cmd(hca, dealloc_transport_domain, in, out);
}

/**
 * ohca_xrcd_alloc() - makes an XRC domain
 * @hca: the adapter
 * @xrcdn: set to its number
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_xrcd_alloc(struct ohca_hca *hca, u32 *xrcdn)
{
	u32 out[MLX5_ST_SZ_DW(alloc_xrcd_out)];
	u32 in[MLX5_ST_SZ_DW(alloc_xrcd_in)] = {};
	int err;

	MLX5_SET(alloc_xrcd_in, in, opcode, MLX5_CMD_OP_ALLOC_XRCD);
	err = ohca_cmd(hca, alloc_xrcd, in, out);
	if (!err)
		*xrcdn = MLX5_GET(alloc_xrcd_out, out, xrcd);
	return err;
}

/**
 * ohca_xrcd_free() - frees an XRC domain
 * @hca: the adapter
 * @xrcdn: its number
 *
 * Context: may sleep.
 */
void ohca_xrcd_free(struct ohca_hca *hca, u32 xrcdn)
{
	u32 out[MLX5_ST_SZ_DW(dealloc_xrcd_out)];
	u32 in[MLX5_ST_SZ_DW(dealloc_xrcd_in)] = {};

	MLX5_SET(dealloc_xrcd_in, in, opcode, MLX5_CMD_OP_DEALLOC_XRCD);
	MLX5_SET(dealloc_xrcd_in, in, xrcd, xrcdn);
	ohca_cmd(hca, dealloc_xrcd, in, out);
}

/**
 * ohca_q_counter_alloc() - makes a set of queue counters
 * @hca: the adapter
 * @id: set to its number
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_q_counter_alloc(struct ohca_hca *hca, u16 *id)
{
	u32 out[MLX5_ST_SZ_DW(alloc_q_counter_out)];
	u32 in[MLX5_ST_SZ_DW(alloc_q_counter_in)] = {};
	int err;

	MLX5_SET(alloc_q_counter_in, in, opcode, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	err = ohca_cmd(hca, alloc_q_counter, in, out);
	if (!err)
		*id = MLX5_GET(alloc_q_counter_out, out, counter_set_id);
	return err;
}

/**
 * ohca_q_counter_free() - frees a set of queue counters
 * @hca: the adapter
 * @id: its number
 *
 * Context: may sleep.
 */
void ohca_q_counter_free(struct ohca_hca *hca, u16 id)
{
	u32 out[MLX5_ST_SZ_DW(dealloc_q_counter_out)];
	u32 in[MLX5_ST_SZ_DW(dealloc_q_counter_in)] = {};

	MLX5_SET(dealloc_q_counter_in, in, opcode, MLX5_CMD_OP_DEALLOC_Q_COUNTER);
	MLX5_SET(dealloc_q_counter_in, in, counter_set_id, id);
	ohca_cmd(hca, dealloc_q_counter, in, out);
}

/**
 * ohca_mkey_create() - creates a memory key
 * @hca: the adapter
 * @mkey: set to the key: 24 bits of index, and 8 that change from key to key
 * @in: create_mkey_in, filled but for opcode and those 8 bits
 * @inlen: its length with the list of pages, bytes
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_mkey_create(struct ohca_hca *hca, u32 *mkey, void *in, u32 inlen)
{
	static atomic_t variant;
	u32 out[MLX5_ST_SZ_DW(create_mkey_out)];
	u8 low = atomic_inc_return(&variant);
	int err;

	MLX5_SET(create_mkey_in, in, opcode, MLX5_CMD_OP_CREATE_MKEY);
	MLX5_SET(create_mkey_in, in, memory_key_mkey_entry.mkey_7_0, low);
	err = ohca_cmd_exec(hca, in, inlen, out, sizeof(out));
	if (!err)
		*mkey = MLX5_GET(create_mkey_out, out, mkey_index) << 8 | low;
	return err;
}

/**
 * ohca_mkey_create_all() - creates a key of all memory, by bus address
 * @hca: the adapter
 * @mkey: set to the key
 * @pdn: PD number
 * @remote: for remote access too (an unsafe global rkey)
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_mkey_create_all(struct ohca_hca *hca, u32 *mkey, u32 pdn, bool remote)
{
	u32 in[MLX5_ST_SZ_DW(create_mkey_in)] = {};
	void *mkc = MLX5_ADDR_OF(create_mkey_in, in, memory_key_mkey_entry);

	MLX5_SET(mkc, mkc, access_mode_1_0, MLX5_MKC_ACCESS_MODE_PA);
	MLX5_SET(mkc, mkc, lr, 1);
	MLX5_SET(mkc, mkc, lw, 1);
	MLX5_SET(mkc, mkc, rr, remote);
	MLX5_SET(mkc, mkc, rw, remote);
	MLX5_SET(mkc, mkc, a, remote && MLX5_CAP_GEN(hca, atomic));
	MLX5_SET(mkc, mkc, length64, 1);
	MLX5_SET(mkc, mkc, qpn, 0xffffff);
	MLX5_SET(mkc, mkc, pd, pdn);
	return ohca_mkey_create(hca, mkey, in, sizeof(in));
}

/**
 * ohca_mkey_destroy() - destroys a memory key
 * @hca: the adapter
 * @mkey: the key
 *
 * Context: may sleep.
 * Return: 0; an errno: it is there still, and memory that it is of must not be freed
 * (a memory window is bound to it, for one).
 */
int ohca_mkey_destroy(struct ohca_hca *hca, u32 mkey)
{
	u32 out[MLX5_ST_SZ_DW(destroy_mkey_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_mkey_in)] = {};

	MLX5_SET(destroy_mkey_in, in, opcode, MLX5_CMD_OP_DESTROY_MKEY);
	MLX5_SET(destroy_mkey_in, in, mkey_index, mkey >> 8);
	return ohca_cmd(hca, destroy_mkey, in, out);
}
