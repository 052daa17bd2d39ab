// SPDX-License-Identifier: GPL-2.0
/*
 * The table of commands: what the device knows, how long each one's input and
 * output are at least, how far the adapter has to be up, and who does it.
 */
#include "cmd.h"
#include "commands.h"
#include "cq.h"
#include "eq.h"

#define C(op, layout, state, handler) \
	{ MLX5_CMD_OP_##op, #op, IN_BYTES(layout), OUT_BYTES(layout), state, handler }

static const struct cmd_entry table[] = {
	C(QUERY_HCA_CAP, query_hca_cap, HCA_ENABLED, cmd_query_hca_cap),
	C(QUERY_ADAPTER, query_adapter, HCA_ENABLED, cmd_query_adapter),
	C(INIT_HCA, init_hca, HCA_ENABLED, cmd_init_hca),
	C(TEARDOWN_HCA, teardown_hca, HCA_ENABLED, cmd_teardown_hca),
	C(ENABLE_HCA, enable_hca, HCA_DISABLED, cmd_enable_hca),
	C(DISABLE_HCA, disable_hca, HCA_DISABLED, cmd_disable_hca),
	C(QUERY_PAGES, query_pages, HCA_ENABLED, cmd_query_pages),
	C(MANAGE_PAGES, manage_pages, HCA_ENABLED, cmd_manage_pages),
	C(SET_HCA_CAP, set_hca_cap, HCA_ENABLED, cmd_set_hca_cap),
	C(QUERY_ISSI, query_issi, HCA_ENABLED, cmd_query_issi),
	C(SET_ISSI, set_issi, HCA_ENABLED, cmd_set_issi),
	C(SET_DRIVER_VERSION, set_driver_version, HCA_ENABLED, cmd_nop),
	C(NOP, nop, HCA_DISABLED, cmd_nop),

	C(CREATE_MKEY, create_mkey, HCA_READY, cmd_create_mkey),
	C(QUERY_MKEY, query_mkey, HCA_READY, cmd_query_mkey),
	C(DESTROY_MKEY, destroy_mkey, HCA_READY, cmd_destroy_mkey),
	C(QUERY_SPECIAL_CONTEXTS, query_special_contexts, HCA_READY, cmd_query_special_contexts),

	C(CREATE_EQ, create_eq, HCA_READY, cmd_create_eq),
	C(DESTROY_EQ, destroy_eq, HCA_READY, cmd_destroy_eq),
	C(QUERY_EQ, query_eq, HCA_READY, cmd_query_eq),

	C(CREATE_CQ, create_cq, HCA_READY, cmd_create_cq),
	C(DESTROY_CQ, destroy_cq, HCA_READY, cmd_destroy_cq),
	C(QUERY_CQ, query_cq, HCA_READY, cmd_query_cq),
	C(MODIFY_CQ, modify_cq, HCA_READY, cmd_modify_cq),

	C(CREATE_QP, create_qp, HCA_READY, cmd_create_qp),
	C(DESTROY_QP, destroy_qp, HCA_READY, cmd_destroy_qp),
	C(RST2INIT_QP, rst2init_qp, HCA_READY, cmd_modify_qp),
	C(INIT2RTR_QP, init2rtr_qp, HCA_READY, cmd_modify_qp),
	C(RTR2RTS_QP, rtr2rts_qp, HCA_READY, cmd_modify_qp),
	C(RTS2RTS_QP, rts2rts_qp, HCA_READY, cmd_modify_qp),
	C(SQERR2RTS_QP, sqerr2rts_qp, HCA_READY, cmd_modify_qp),
	C(SQD_RTS_QP, sqd2rts_qp, HCA_READY, cmd_modify_qp),
	C(INIT2INIT_QP, init2init_qp, HCA_READY, cmd_modify_qp),
	C(2ERR_QP, qp_2err, HCA_READY, cmd_modify_qp),
	C(2RST_QP, qp_2rst, HCA_READY, cmd_modify_qp),
	C(QUERY_QP, query_qp, HCA_READY, cmd_query_qp),

	C(CREATE_SRQ, create_srq, HCA_READY, cmd_create_srq),
	C(DESTROY_SRQ, destroy_srq, HCA_READY, cmd_destroy_srq),
	C(QUERY_SRQ, query_srq, HCA_READY, cmd_query_srq),
	C(ARM_RQ, arm_rq, HCA_READY, cmd_arm_srq),
	C(CREATE_XRC_SRQ, create_xrc_srq, HCA_READY, cmd_create_xrc_srq),
	C(DESTROY_XRC_SRQ, destroy_xrc_srq, HCA_READY, cmd_destroy_srq),
	C(QUERY_XRC_SRQ, query_xrc_srq, HCA_READY, cmd_query_xrc_srq),
	C(ARM_XRC_SRQ, arm_xrc_srq, HCA_READY, cmd_arm_srq),
	C(CREATE_RMP, create_rmp, HCA_READY, cmd_create_rmp),
	C(MODIFY_RMP, modify_rmp, HCA_READY, cmd_modify_rmp),
	C(DESTROY_RMP, destroy_rmp, HCA_READY, cmd_destroy_srq),
	C(QUERY_RMP, query_rmp, HCA_READY, cmd_query_rmp),

	C(ATTACH_TO_MCG, attach_to_mcg, HCA_READY, cmd_attach_to_mcg),
	C(DETACH_FROM_MCG, detach_from_mcg, HCA_READY, cmd_detach_from_mcg),
	C(QUERY_VPORT_STATE, query_vport_state, HCA_READY, cmd_query_vport_state),
	C(MODIFY_VPORT_STATE, modify_vport_state, HCA_READY, cmd_modify_vport_state),
	C(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context, HCA_ENABLED,
	  cmd_query_nic_vport_context),
	C(MODIFY_NIC_VPORT_CONTEXT, modify_nic_vport_context, HCA_READY,
	  cmd_modify_nic_vport_context),
	C(QUERY_HCA_VPORT_CONTEXT, query_hca_vport_context, HCA_READY,
	  cmd_query_hca_vport_context),
	C(QUERY_HCA_VPORT_GID, query_hca_vport_gid, HCA_READY, cmd_query_hca_vport_gid),
	C(QUERY_HCA_VPORT_PKEY, query_hca_vport_pkey, HCA_READY, cmd_query_hca_vport_pkey),
	C(QUERY_ROCE_ADDRESS, query_roce_address, HCA_READY, cmd_query_roce_address),
	C(SET_ROCE_ADDRESS, set_roce_address, HCA_READY, cmd_set_roce_address),
	C(QUERY_VPORT_COUNTER, query_vport_counter, HCA_READY, cmd_query_vport_counter),
	C(ALLOC_Q_COUNTER, alloc_q_counter, HCA_READY, cmd_alloc_q_counter),
	C(DEALLOC_Q_COUNTER, dealloc_q_counter, HCA_READY, cmd_dealloc_q_counter),
	C(QUERY_Q_COUNTER, query_q_counter, HCA_READY, cmd_query_q_counter),

	C(ALLOC_PD, alloc_pd, HCA_READY, cmd_alloc_pd),
	C(DEALLOC_PD, dealloc_pd, HCA_READY, cmd_dealloc_pd),
	C(ALLOC_UAR, alloc_uar, HCA_READY, cmd_alloc_uar),
	C(DEALLOC_UAR, dealloc_uar, HCA_READY, cmd_dealloc_uar),
	C(ACCESS_REG, access_register, HCA_ENABLED, cmd_access_reg),
	C(ALLOC_XRCD, alloc_xrcd, HCA_READY, cmd_alloc_xrcd),
	C(DEALLOC_XRCD, dealloc_xrcd, HCA_READY, cmd_dealloc_xrcd),
	C(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, HCA_READY,
	  cmd_alloc_transport_domain),
	C(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain, HCA_READY,
	  cmd_dealloc_transport_domain),

	C(CREATE_TIR, create_tir, HCA_READY, cmd_create_tir),
	C(MODIFY_TIR, modify_tir, HCA_READY, cmd_modify_tir),
	C(DESTROY_TIR, destroy_tir, HCA_READY, cmd_destroy_tir),
	C(QUERY_TIR, query_tir, HCA_READY, cmd_query_tir),
	C(CREATE_SQ, create_sq, HCA_READY, cmd_create_sq),
	C(MODIFY_SQ, modify_sq, HCA_READY, cmd_modify_sq),
	C(DESTROY_SQ, destroy_sq, HCA_READY, cmd_destroy_sq),
	C(QUERY_SQ, query_sq, HCA_READY, cmd_query_sq),
	C(CREATE_RQ, create_rq, HCA_READY, cmd_create_rq),
	C(MODIFY_RQ, modify_rq, HCA_READY, cmd_modify_rq),
	C(DESTROY_RQ, destroy_rq, HCA_READY, cmd_destroy_rq),
	C(QUERY_RQ, query_rq, HCA_READY, cmd_query_rq),
	C(CREATE_TIS, create_tis, HCA_READY, cmd_create_tis),
	C(MODIFY_TIS, modify_tis, HCA_READY, cmd_modify_tis),
	C(DESTROY_TIS, destroy_tis, HCA_READY, cmd_destroy_tis),
	C(QUERY_TIS, query_tis, HCA_READY, cmd_query_tis),
	C(CREATE_RQT, create_rqt, HCA_READY, cmd_create_rqt),
	C(MODIFY_RQT, modify_rqt, HCA_READY, cmd_modify_rqt),
	C(DESTROY_RQT, destroy_rqt, HCA_READY, cmd_destroy_rqt),
	C(QUERY_RQT, query_rqt, HCA_READY, cmd_query_rqt),
	C(SET_FLOW_TABLE_ROOT, set_flow_table_root, HCA_READY, cmd_set_flow_table_root),
	C(CREATE_FLOW_TABLE, create_flow_table, HCA_READY, cmd_create_flow_table),
	C(MODIFY_FLOW_TABLE, modify_flow_table, HCA_READY, cmd_modify_flow_table),
	C(DESTROY_FLOW_TABLE, destroy_flow_table, HCA_READY, cmd_destroy_flow_table),
	C(CREATE_FLOW_GROUP, create_flow_group, HCA_READY, cmd_create_flow_group),
	C(DESTROY_FLOW_GROUP, destroy_flow_group, HCA_READY, cmd_destroy_flow_group),
	C(SET_FLOW_TABLE_ENTRY, set_fte, HCA_READY, cmd_set_fte),
	C(DELETE_FLOW_TABLE_ENTRY, delete_fte, HCA_READY, cmd_delete_fte),
};

const struct cmd_entry *cmd_lookup(u16 op)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].op == op)
			return &table[i];
	}
	return NULL;
}
