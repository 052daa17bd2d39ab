// SPDX-License-Identifier: GPL-2.0
/*
 * Capabilities: what the device says that it can do, and nothing that it can't.
 */
#include "hca.h"

#define GEN(f, v)	MLX5_SET(cmd_hca_cap, hca->cap_max[MLX5_CAP_GENERAL], f, v)

/* Numbers and sizes of objects. */
static void general_limits(struct hca *hca)
{
	GEN(log_max_srq_sz, 15);
	GEN(log_max_qp_sz, 15);
	GEN(log_max_qp, 18);
	GEN(log_max_srq, 16);
	GEN(log_max_cq_sz, 22);
	GEN(log_max_cq, 18);
	GEN(log_max_eq_sz, 22);
	GEN(log_max_mkey, 23);
	GEN(log_max_eq, 6);
	GEN(max_num_eqs, HCA_MAX_EQS / 2);
	GEN(fixed_buffer_size, 1);
	GEN(log_max_mrw_sz, 63);
	GEN(log_max_klm_list_size, 16);
	GEN(log_max_ra_req_qp, 7);
	GEN(log_max_ra_res_qp, 7);
	GEN(max_qp_cnt, 128);
	GEN(local_ca_ack_delay, 16);
	GEN(num_ports, 1);
	GEN(port_type, 1);
	GEN(log_max_msg, 30);
	GEN(log_pg_sz, MLX5_ADAPTER_PAGE_SHIFT);
	GEN(log_bf_reg_size, 9);
	GEN(max_wqe_sz_sq, 1024);
	GEN(max_wqe_sz_rq, 512);
	GEN(max_qp_mcg, 240);
	GEN(log_max_mcg, 13);
	GEN(log_max_transport_domain, 16);
	GEN(log_max_pd, 18);
	GEN(log_max_xrcd, 16);
	GEN(log_max_rq, 16);
	GEN(log_max_sq, 16);
	GEN(log_max_tir, 16);
	GEN(log_max_tis, 16);
	GEN(log_max_rmp, 16);
	GEN(log_max_rqt, 16);
	GEN(log_max_rqt_size, 11);
	GEN(log_max_tis_per_sq, 1);
	GEN(log_max_stride_sz_rq, 10);
	GEN(log_min_stride_sz_rq, 4);
	GEN(log_max_stride_sz_sq, 6);
	GEN(log_min_stride_sz_sq, 6);
	GEN(log_max_wq_sz, 15);
	GEN(log_max_vlan_list, 9);
	GEN(log_max_current_mc_list, 7);
	GEN(log_max_current_uc_list, 7);
	GEN(uar_sz, 5);
	GEN(log_uar_page_sz, 0);
	GEN(num_of_uars_per_page, 1);
	GEN(device_frequency_mhz, HCA_CLOCK_KHZ / 1000);
	GEN(device_frequency_khz, HCA_CLOCK_KHZ);
}

static void general(struct hca *hca)
{
	general_limits(hca);
	GEN(cqe_version, 1);
	GEN(rc, 1);
	GEN(uc, 1);
	GEN(ud, 1);
	GEN(xrc, 1);
	GEN(set_deth_sqpn, 1);
	GEN(pkv, 1);
	GEN(qkv, 1);
	GEN(cq_oi, 1);
	GEN(cq_resize, 1);
	GEN(cq_moderation, 1);
	GEN(cq_period_mode_modify, 1);
	GEN(cq_period_start_from_cqe, 1);
	GEN(block_lb_mc, 1);
	GEN(nic_flow_table, 1);
	GEN(eth_net_offloads, 1);
	GEN(roce, 1);
	GEN(atomic, 1);
	GEN(wq_signature, 0);
	GEN(basic_cyclic_rcv_wqe, 1);
	GEN(vport_counters, 1);
	GEN(out_of_seq_cnt, 1);
	GEN(retransmission_q_counters, 1);
	GEN(enhanced_error_q_counters, 1);
	GEN(null_mkey, 1);
	GEN(dump_fill_mkey, 1);
	GEN(terminate_scatter_list_mkey, 1);
	GEN(umr_extended_translation_offset, 1);
	GEN(imaicl, 1);
	GEN(driver_version, 1);
	GEN(pcam_reg, 1);
	GEN(mcam_reg, 1);
	GEN(qcam_reg, 1);
}

static void ethernet(struct hca *hca)
{
	void *cap = hca->cap_max[MLX5_CAP_ETHERNET_OFFLOADS];

#define ETH(f, v) MLX5_SET(per_protocol_networking_offload_caps, cap, f, v)
	ETH(csum_cap, 1);
	ETH(vlan_cap, 1);
	ETH(self_lb_en_modifiable, 1);
	ETH(max_lso_cap, 18);
	ETH(wqe_inline_mode, 2);	/* not required */
	ETH(rss_ind_tbl_cap, 8);
#undef ETH
}

static void flow_tables(struct hca *hca)
{
	void *cap = hca->cap_max[MLX5_CAP_FLOW_TABLE];
	void *prop = MEMBER(flow_table_nic_cap, cap, flow_table_properties_nic_receive);
	void *field = MEMBER(flow_table_prop_layout, prop, ft_field_support);

#define FT(f, v) MLX5_SET(flow_table_prop_layout, prop, f, v)
	FT(ft_support, 1);
	FT(flow_modify_en, 1);
	FT(modify_root, 1);
	FT(identified_miss_table_mode, 1);
	FT(flow_table_modify, 1);
	FT(log_max_ft_size, 18);
	FT(max_ft_level, 64);
	FT(log_max_ft_num, 16);
	FT(log_max_destination, 8);
	FT(log_max_flow, 18);
#undef FT
#define FIELD(f) MLX5_SET(flow_table_fields_supported, field, f, 1)
	FIELD(outer_dmac);
	FIELD(outer_smac);
	FIELD(outer_ether_type);
	FIELD(outer_ip_version);
	FIELD(outer_first_prio);
	FIELD(outer_first_cfi);
	FIELD(outer_first_vid);
	FIELD(outer_sip);
	FIELD(outer_dip);
	FIELD(outer_frag);
	FIELD(outer_ip_protocol);
	FIELD(outer_ip_ecn);
	FIELD(outer_ip_dscp);
	FIELD(outer_udp_sport);
	FIELD(outer_udp_dport);
	FIELD(outer_tcp_sport);
	FIELD(outer_tcp_dport);
#undef FIELD
	memcpy(MEMBER(flow_table_prop_layout, prop, ft_field_bitmask_support), field,
	       MLX5_ST_SZ_BYTES(flow_table_fields_supported));
}

static void roce(struct hca *hca)
{
	void *cap = hca->cap_max[MLX5_CAP_ROCE];

#define ROCE(f, v) MLX5_SET(roce_cap, cap, f, v)
	ROCE(sw_r_roce_src_udp_port, 1);
	ROCE(l3_type, MLX5_ROCE_L3_TYPE_IPV4_CAP | MLX5_ROCE_L3_TYPE_IPV6_CAP);
	ROCE(roce_version, MLX5_ROCE_VERSION_2_CAP);
	ROCE(r_roce_dest_udp_port, 4791);
	ROCE(r_roce_max_src_udp_port, 0xffff);
	ROCE(r_roce_min_src_udp_port, 0xc000);
	ROCE(roce_address_table_size, HCA_ROCE_ADDRESSES);
#undef ROCE
}

static void atomics(struct hca *hca)
{
	enum { COMPARE_SWAP = 1, FETCH_ADD = 2, SIZE_8 = 1 << 3 };
	void *cap = hca->cap_max[MLX5_CAP_ATOMIC];

	MLX5_SET(atomic_caps, cap, atomic_operations, COMPARE_SWAP | FETCH_ADD);
	MLX5_SET(atomic_caps, cap, atomic_size_qp, SIZE_8);
	/* What an ATOMIC returns can be in the host's byte order, and always is. */
	MLX5_SET(atomic_caps, cap, supported_atomic_req_8B_endianness_mode_1, 1);
}

void caps_init(struct hca *hca)
{
	memset(hca->cap_max, 0, sizeof(hca->cap_max));
	general(hca);
	ethernet(hca);
	flow_tables(hca);
	roce(hca);
	atomics(hca);
	memcpy(hca->cap_cur, hca->cap_max, sizeof(hca->cap_cur));
}
