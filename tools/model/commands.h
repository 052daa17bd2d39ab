/* SPDX-License-Identifier: GPL-2.0 */
/* Handlers of the commands that no object's own header names. */
#ifndef OHCA_MODEL_COMMANDS_H
#define OHCA_MODEL_COMMANDS_H

struct cmd;

/* object/device.c */
int cmd_enable_hca(struct cmd *cmd);
int cmd_disable_hca(struct cmd *cmd);
int cmd_init_hca(struct cmd *cmd);
int cmd_teardown_hca(struct cmd *cmd);
int cmd_query_issi(struct cmd *cmd);
int cmd_set_issi(struct cmd *cmd);
int cmd_query_pages(struct cmd *cmd);
int cmd_manage_pages(struct cmd *cmd);
int cmd_query_hca_cap(struct cmd *cmd);
int cmd_set_hca_cap(struct cmd *cmd);
int cmd_query_adapter(struct cmd *cmd);
int cmd_nop(struct cmd *cmd);
int cmd_query_special_contexts(struct cmd *cmd);

/* object/simple.c */
int cmd_alloc_uar(struct cmd *cmd);
int cmd_dealloc_uar(struct cmd *cmd);
int cmd_alloc_pd(struct cmd *cmd);
int cmd_dealloc_pd(struct cmd *cmd);
int cmd_alloc_transport_domain(struct cmd *cmd);
int cmd_dealloc_transport_domain(struct cmd *cmd);
int cmd_alloc_xrcd(struct cmd *cmd);
int cmd_dealloc_xrcd(struct cmd *cmd);
int cmd_alloc_q_counter(struct cmd *cmd);
int cmd_dealloc_q_counter(struct cmd *cmd);
int cmd_query_q_counter(struct cmd *cmd);

/* object/vport.c */
int cmd_attach_to_mcg(struct cmd *cmd);
int cmd_detach_from_mcg(struct cmd *cmd);
int cmd_query_vport_state(struct cmd *cmd);
int cmd_modify_vport_state(struct cmd *cmd);
int cmd_query_nic_vport_context(struct cmd *cmd);
int cmd_modify_nic_vport_context(struct cmd *cmd);
int cmd_query_hca_vport_context(struct cmd *cmd);
int cmd_query_hca_vport_gid(struct cmd *cmd);
int cmd_query_hca_vport_pkey(struct cmd *cmd);
int cmd_query_roce_address(struct cmd *cmd);
int cmd_set_roce_address(struct cmd *cmd);
int cmd_query_vport_counter(struct cmd *cmd);

/* object/reg.c */
int cmd_access_reg(struct cmd *cmd);

/* object/mkey.c */
int cmd_create_mkey(struct cmd *cmd);
int cmd_query_mkey(struct cmd *cmd);
int cmd_destroy_mkey(struct cmd *cmd);

/* object/sq.c, object/rq.c */
int cmd_create_sq(struct cmd *cmd);
int cmd_modify_sq(struct cmd *cmd);
int cmd_query_sq(struct cmd *cmd);
int cmd_destroy_sq(struct cmd *cmd);
int cmd_create_rq(struct cmd *cmd);
int cmd_modify_rq(struct cmd *cmd);
int cmd_query_rq(struct cmd *cmd);
int cmd_destroy_rq(struct cmd *cmd);

/* object/rss.c */
int cmd_create_tis(struct cmd *cmd);
int cmd_modify_tis(struct cmd *cmd);
int cmd_query_tis(struct cmd *cmd);
int cmd_destroy_tis(struct cmd *cmd);
int cmd_create_tir(struct cmd *cmd);
int cmd_modify_tir(struct cmd *cmd);
int cmd_query_tir(struct cmd *cmd);
int cmd_destroy_tir(struct cmd *cmd);
int cmd_create_rqt(struct cmd *cmd);
int cmd_modify_rqt(struct cmd *cmd);
int cmd_query_rqt(struct cmd *cmd);
int cmd_destroy_rqt(struct cmd *cmd);

/* object/flow.c */
int cmd_set_flow_table_root(struct cmd *cmd);
int cmd_create_flow_table(struct cmd *cmd);
int cmd_modify_flow_table(struct cmd *cmd);
int cmd_destroy_flow_table(struct cmd *cmd);
int cmd_create_flow_group(struct cmd *cmd);
int cmd_destroy_flow_group(struct cmd *cmd);
int cmd_set_fte(struct cmd *cmd);
int cmd_delete_fte(struct cmd *cmd);

/* object/qp.c */
int cmd_create_qp(struct cmd *cmd);
int cmd_modify_qp(struct cmd *cmd);
int cmd_query_qp(struct cmd *cmd);
int cmd_destroy_qp(struct cmd *cmd);

/* object/srq.c */
int cmd_create_srq(struct cmd *cmd);
int cmd_destroy_srq(struct cmd *cmd);
int cmd_query_srq(struct cmd *cmd);
int cmd_arm_srq(struct cmd *cmd);
int cmd_create_xrc_srq(struct cmd *cmd);
int cmd_query_xrc_srq(struct cmd *cmd);
int cmd_create_rmp(struct cmd *cmd);
int cmd_query_rmp(struct cmd *cmd);
int cmd_modify_rmp(struct cmd *cmd);

#endif /* OHCA_MODEL_COMMANDS_H */
