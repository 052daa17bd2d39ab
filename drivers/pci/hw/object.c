// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that one short command makes and another destroys: protection and transport
 * domains, XRC domains, queue counters, memory keys.
 */
#include "object.h"

#include <linux/atomic.h>

#include "cmd.h"
#include "hca.h"

/*
 * OBJECT() - defines ohca_@name_alloc() and ohca_@name_free()
 * @name: of the functions
 * @type: of the number
 * @ALLOC: opcode, MLX5_CMD_OP_ left out
 * @DEALLOC: the same
 * @alloc: layout of the one
 * @dealloc: layout of the other
 * @field: the number, in both
 */
#define OBJECT(name, type, ALLOC, DEALLOC, alloc, dealloc, field)			\
int ohca_##name##_alloc(struct ohca_hca *hca, type *number)				\
{											\
	u32 out[MLX5_ST_SZ_DW(alloc##_out)];						\
	u32 in[MLX5_ST_SZ_DW(alloc##_in)] = {};						\
	int err;									\
											\
	MLX5_SET(alloc##_in, in, opcode, MLX5_CMD_OP_##ALLOC);				\
	err = ohca_cmd(hca, alloc, in, out);						\
	if (!err)									\
		*number = MLX5_GET(alloc##_out, out, field);				\
	return err;									\
}											\
											\
void ohca_##name##_free(struct ohca_hca *hca, type number)				\
{											\
	u32 out[MLX5_ST_SZ_DW(dealloc##_out)];						\
	u32 in[MLX5_ST_SZ_DW(dealloc##_in)] = {};					\
											\
	MLX5_SET(dealloc##_in, in, opcode, MLX5_CMD_OP_##DEALLOC);			\
	MLX5_SET(dealloc##_in, in, field, number);					\
	ohca_cmd(hca, dealloc, in, out);						\
}

OBJECT(pd, u32, ALLOC_PD, DEALLOC_PD, alloc_pd, dealloc_pd, pd)
OBJECT(td, u32, ALLOC_TRANSPORT_DOMAIN, DEALLOC_TRANSPORT_DOMAIN, alloc_transport_domain,
       dealloc_transport_domain, transport_domain)
OBJECT(xrcd, u32, ALLOC_XRCD, DEALLOC_XRCD, alloc_xrcd, dealloc_xrcd, xrcd)
OBJECT(q_counter, u16, ALLOC_Q_COUNTER, DEALLOC_Q_COUNTER, alloc_q_counter, dealloc_q_counter,
       counter_set_id)

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
