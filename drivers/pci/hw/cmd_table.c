// SPDX-License-Identifier: GPL-2.0
/*
 * The commands that the driver has, and the words for what can go wrong.
 */
#include "cmd_table.h"

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mlx5/device.h>

#define ROW(op_, layout, back)								\
	{										\
		.name = #op_,								\
		.op = MLX5_CMD_OP_##op_,						\
		.in = MLX5_ST_SZ_BYTES(layout##_in),					\
		.out = MLX5_ST_SZ_BYTES(layout##_out),					\
		.gives_back = back,							\
	}
#define ASKS(op, layout)	ROW(op, layout, false)
#define GIVES(op, layout)	ROW(op, layout, true)

static const struct ohca_cmd_info commands[] = {
	ASKS(QUERY_HCA_CAP, query_hca_cap),
	ASKS(SET_HCA_CAP, set_hca_cap),
	ASKS(QUERY_ADAPTER, query_adapter),
	ASKS(INIT_HCA, init_hca),
	GIVES(TEARDOWN_HCA, teardown_hca),
	ASKS(ENABLE_HCA, enable_hca),
	GIVES(DISABLE_HCA, disable_hca),
	ASKS(QUERY_PAGES, query_pages),
	ASKS(MANAGE_PAGES, manage_pages),
	ASKS(QUERY_ISSI, query_issi),
	ASKS(SET_ISSI, set_issi),
	ASKS(SET_DRIVER_VERSION, set_driver_version),
	ASKS(NOP, nop),

	ASKS(CREATE_MKEY, create_mkey),
	ASKS(QUERY_MKEY, query_mkey),
	GIVES(DESTROY_MKEY, destroy_mkey),
	ASKS(QUERY_SPECIAL_CONTEXTS, query_special_contexts),

	ASKS(CREATE_EQ, create_eq),
	GIVES(DESTROY_EQ, destroy_eq),
	ASKS(QUERY_EQ, query_eq),

	ASKS(CREATE_CQ, create_cq),
	GIVES(DESTROY_CQ, destroy_cq),
	ASKS(QUERY_CQ, query_cq),
	ASKS(MODIFY_CQ, modify_cq),

	ASKS(CREATE_QP, create_qp),
	GIVES(DESTROY_QP, destroy_qp),
	ASKS(RST2INIT_QP, rst2init_qp),
	ASKS(INIT2INIT_QP, init2init_qp),
	ASKS(INIT2RTR_QP, init2rtr_qp),
	ASKS(RTR2RTS_QP, rtr2rts_qp),
	ASKS(RTS2RTS_QP, rts2rts_qp),
	ASKS(SQERR2RTS_QP, sqerr2rts_qp),
	ASKS(SQD_RTS_QP, sqd2rts_qp),
	GIVES(2ERR_QP, qp_2err),
	GIVES(2RST_QP, qp_2rst),
	ASKS(QUERY_QP, query_qp),

	ASKS(CREATE_SRQ, create_srq),
	GIVES(DESTROY_SRQ, destroy_srq),
	ASKS(QUERY_SRQ, query_srq),
	ASKS(ARM_RQ, arm_rq),
	ASKS(CREATE_XRC_SRQ, create_xrc_srq),
	GIVES(DESTROY_XRC_SRQ, destroy_xrc_srq),
	ASKS(QUERY_XRC_SRQ, query_xrc_srq),
	ASKS(ARM_XRC_SRQ, arm_xrc_srq),
	ASKS(CREATE_RMP, create_rmp),
	ASKS(MODIFY_RMP, modify_rmp),
	GIVES(DESTROY_RMP, destroy_rmp),
	ASKS(QUERY_RMP, query_rmp),

	ASKS(QUERY_VPORT_STATE, query_vport_state),
	ASKS(MODIFY_VPORT_STATE, modify_vport_state),
	ASKS(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context),
	ASKS(MODIFY_NIC_VPORT_CONTEXT, modify_nic_vport_context),
	ASKS(QUERY_HCA_VPORT_CONTEXT, query_hca_vport_context),
	ASKS(QUERY_HCA_VPORT_GID, query_hca_vport_gid),
	ASKS(QUERY_HCA_VPORT_PKEY, query_hca_vport_pkey),
	ASKS(QUERY_ROCE_ADDRESS, query_roce_address),
	ASKS(SET_ROCE_ADDRESS, set_roce_address),
	ASKS(QUERY_VPORT_COUNTER, query_vport_counter),
	ASKS(ALLOC_Q_COUNTER, alloc_q_counter),
	GIVES(DEALLOC_Q_COUNTER, dealloc_q_counter),
	ASKS(QUERY_Q_COUNTER, query_q_counter),

	ASKS(ALLOC_PD, alloc_pd),
	GIVES(DEALLOC_PD, dealloc_pd),
	ASKS(ALLOC_UAR, alloc_uar),
	GIVES(DEALLOC_UAR, dealloc_uar),
	ASKS(ACCESS_REG, access_register),
	ASKS(ATTACH_TO_MCG, attach_to_mcg),
	GIVES(DETACH_FROM_MCG, detach_from_mcg),
	ASKS(ALLOC_XRCD, alloc_xrcd),
	GIVES(DEALLOC_XRCD, dealloc_xrcd),
	ASKS(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain),
	GIVES(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain),

	ASKS(CREATE_TIR, create_tir),
	ASKS(MODIFY_TIR, modify_tir),
	GIVES(DESTROY_TIR, destroy_tir),
	ASKS(QUERY_TIR, query_tir),
	ASKS(CREATE_SQ, create_sq),
	ASKS(MODIFY_SQ, modify_sq),
	GIVES(DESTROY_SQ, destroy_sq),
	ASKS(QUERY_SQ, query_sq),
	ASKS(CREATE_RQ, create_rq),
	ASKS(MODIFY_RQ, modify_rq),
	GIVES(DESTROY_RQ, destroy_rq),
	ASKS(QUERY_RQ, query_rq),
	ASKS(CREATE_TIS, create_tis),
	ASKS(MODIFY_TIS, modify_tis),
	GIVES(DESTROY_TIS, destroy_tis),
	ASKS(CREATE_RQT, create_rqt),
	ASKS(MODIFY_RQT, modify_rqt),
	GIVES(DESTROY_RQT, destroy_rqt),
	ASKS(SET_FLOW_TABLE_ROOT, set_flow_table_root),
	ASKS(CREATE_FLOW_TABLE, create_flow_table),
	GIVES(DESTROY_FLOW_TABLE, destroy_flow_table),
	ASKS(CREATE_FLOW_GROUP, create_flow_group),
	GIVES(DESTROY_FLOW_GROUP, destroy_flow_group),
	ASKS(SET_FLOW_TABLE_ENTRY, set_fte),
	GIVES(DELETE_FLOW_TABLE_ENTRY, delete_fte),
};

/**
 * ohca_cmd_info() - what is known of a command
 * @op: MLX5_CMD_OP_*
 *
 * Context: any.
 * Return: its row, or NULL.
 */
const struct ohca_cmd_info *ohca_cmd_info(u16 op)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (commands[i].op == op)
			return &commands[i];
	}
	return NULL;
}

static const struct {
	u8 status;
	int err;
	const char *text;
} statuses[] = {
	{ MLX5_CMD_STAT_OK,			0,		"ok" },
	{ MLX5_CMD_STAT_INT_ERR,		-EIO,		"internal error" },
	{ MLX5_CMD_STAT_BAD_OP_ERR,		-EOPNOTSUPP,	"bad operation" },
	{ MLX5_CMD_STAT_BAD_PARAM_ERR,		-EINVAL,	"bad parameter" },
	{ MLX5_CMD_STAT_BAD_SYS_STATE_ERR,	-EIO,		"bad system state" },
	{ MLX5_CMD_STAT_BAD_RES_ERR,		-EINVAL,	"bad resource" },
	{ MLX5_CMD_STAT_RES_BUSY,		-EBUSY,		"resource busy" },
	{ MLX5_CMD_STAT_NOT_READY,		-EAGAIN,	"not ready" },
	{ MLX5_CMD_STAT_LIM_ERR,		-ENOMEM,	"limits exceeded" },
	{ MLX5_CMD_STAT_BAD_RES_STATE_ERR,	-EINVAL,	"bad resource state" },
	{ MLX5_CMD_STAT_IX_ERR,			-EINVAL,	"bad index" },
	{ MLX5_CMD_STAT_NO_RES_ERR,		-EAGAIN,	"no resources" },
	{ MLX5_CMD_STAT_BAD_INP_LEN_ERR,	-EIO,		"bad input length" },
	{ MLX5_CMD_STAT_BAD_OUTP_LEN_ERR,	-EIO,		"bad output length" },
	{ MLX5_CMD_STAT_BAD_QP_STATE_ERR,	-EINVAL,	"bad QP state" },
	{ MLX5_CMD_STAT_BAD_PKT_ERR,		-EINVAL,	"bad packet" },
	{ MLX5_CMD_STAT_BAD_SIZE_OUTS_CQES_ERR,	-EINVAL,	"too many outstanding CQEs" },
};

/**
 * ohca_cmd_status() - what a command's status means
 * @status: of its output
 * @text: set to words for it; may be NULL
 *
 * Context: any.
 * Return: 0 or an errno; -EIO for a status that is not in the reference.
 */
int ohca_cmd_status(u8 status, const char **text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		if (statuses[i].status != status)
			continue;
		if (text)
			*text = statuses[i].text;
		return statuses[i].err;
	}
	if (text)
		*text = "unknown status";
	return -EIO;
}

static const char * const deliveries[] = {
	[0x0] = "ok",
	[0x1] = "bad signature",
	[0x2] = "bad token",
	[0x3] = "bad block number",
	[0x4] = "bad output pointer",
	[0x5] = "bad input pointer",
	[0x6] = "internal error",
	[0x7] = "bad input length",
	[0x8] = "bad output length",
	[0x9] = "reserved field not zero",
	[0x10] = "bad command type",
};

/**
 * ohca_cmd_delivery() - words for the delivery status of a slot
 * @delivery: the status, 7 bits
 *
 * Context: any.
 * Return: the words.
 */
const char *ohca_cmd_delivery(u8 delivery)
{
	if (delivery < ARRAY_SIZE(deliveries) && deliveries[delivery])
		return deliveries[delivery];
	return "unknown delivery status";
}
