// SPDX-License-Identifier: GPL-2.0
/*
 * Raw dumps of resources: contexts as the device answers a query.
 */
#include "restrack.h"

#include <linux/slab.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <ohca/compat.h>

#include "../hw/cmd.h"
#include "cq.h"
#include "mr.h"
#include "qp.h"
#include "verbs.h"

/* Executes a query and puts the @bytes at @offset of its answer into the message. */
static int put_query(struct sk_buff *msg, struct ib_device *ibdev, const void *in, u32 inlen,
		     u32 outlen, u32 offset, u32 bytes)
{
	void *out = kzalloc(outlen, GFP_KERNEL);
	int err;

	if (!out)
		return -ENOMEM;
	err = ohca_cmd_exec(to_hca(ibdev), in, inlen, out, outlen);
	err = err ?: nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, bytes, out + offset);
	kfree(out);
	return err;
}

#define PUT_QUERY(msg, ibdev, in, name, field, layout)				\
	put_query(msg, ibdev, in, sizeof(in), MLX5_ST_SZ_BYTES(query_##name##_out), \
		  MLX5_BYTE_OFF(query_##name##_out, field), MLX5_ST_SZ_BYTES(layout))

/* ib_device_ops.fill_res_cq_entry_raw */
int verbs_fill_res_cq_raw(struct sk_buff *msg, struct ib_cq *ibcq)
{
	u32 in[MLX5_ST_SZ_DW(query_cq_in)] = {};

	MLX5_SET(query_cq_in, in, opcode, MLX5_CMD_OP_QUERY_CQ);
	MLX5_SET(query_cq_in, in, cqn, to_verbs_cq(ibcq)->hw.cqn);
	return PUT_QUERY(msg, ibcq->device, in, cq, cq_context, cqc);
}

/* ib_device_ops.fill_res_mr_entry_raw */
int verbs_fill_res_mr_raw(struct sk_buff *msg, struct ib_mr *ibmr)
{
	u32 in[MLX5_ST_SZ_DW(query_mkey_in)] = {};

	MLX5_SET(query_mkey_in, in, opcode, MLX5_CMD_OP_QUERY_MKEY);
	MLX5_SET(query_mkey_in, in, mkey_index, mlx5_mkey_to_idx(to_verbs_mr(ibmr)->mkey));
	return PUT_QUERY(msg, ibmr->device, in, mkey, memory_key_mkey_entry, mkc);
}

/* ib_device_ops.fill_res_qp_entry_raw */
int verbs_fill_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp)
{
	u32 in[MLX5_ST_SZ_DW(query_qp_in)] = {};

	MLX5_SET(query_qp_in, in, opcode, MLX5_CMD_OP_QUERY_QP);
	MLX5_SET(query_qp_in, in, qpn, to_verbs_qp(ibqp)->qpn);
	return PUT_QUERY(msg, ibqp->device, in, qp, qpc, qpc);
}
