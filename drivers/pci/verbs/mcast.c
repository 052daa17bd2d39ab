// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups: which datagrams a QP gets (IBA 10.5).
 */
#include <rdma/ib_verbs.h>

#include "../hw/cmd.h"
#include "qp.h"
#include "verbs.h"

/*
 * MOVE() - defines @name, an ib_device_ops.attach_mcast or detach_mcast, as command @OP
 * of layout @layout. On RoCE a group has no LID.
 */
#define MOVE(name, OP, layout)								\
int name(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)				\
{											\
	u32 out[MLX5_ST_SZ_DW(layout##_out)] = {};					\
	u32 in[MLX5_ST_SZ_DW(layout##_in)] = {};					\
											\
	MLX5_SET(layout##_in, in, opcode, MLX5_CMD_OP_##OP);				\
	MLX5_SET(layout##_in, in, qpn, to_verbs_qp(ibqp)->qpn);				\
	memcpy(MLX5_ADDR_OF(layout##_in, in, multicast_gid), gid, sizeof(*gid));	\
	return ohca_cmd(to_hca(ibqp->device), layout, in, out);				\
}

MOVE(verbs_attach_mcast, ATTACH_TO_MCG, attach_to_mcg)
MOVE(verbs_detach_mcast, DETACH_FROM_MCG, detach_from_mcg)
