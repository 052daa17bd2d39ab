// SPDX-License-Identifier: GPL-2.0
/*
 * What the device and its port are: all of it from what the adapter announces.
 */
#include <linux/mlx5/cq.h>
#include <rdma/ib_mad.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../hw/link.h"
#include "mr.h"
#include "qp.h"
#include "srq.h"
#include "verbs.h"

/* Entries of a GID table that address paths and vectors can name. */
#define MAX_GIDS	256u

/**
 * verbs_gid_table_len() - entries of the GID table
 * @hca: the adapter
 *
 * Context: any.
 * Return: how many the device's table of RoCE addresses has, and a path can name.
 */
u32 verbs_gid_table_len(struct ohca_hca *hca)
{
	return min_t(u32, MLX5_CAP_ROCE(hca, roce_address_table_size), MAX_GIDS);
}

/**
 * verbs_max_rd_atomic() - READs and ATOMICs outstanding on a QP
 * @hca: the adapter
 * @requester: those that it asks for; else those that it answers
 *
 * Context: any.
 * Return: how many; a byte holds it, as struct ib_qp_attr has no more.
 */
u32 verbs_max_rd_atomic(struct ohca_hca *hca, bool requester)
{
	u32 log = requester ? MLX5_CAP_GEN(hca, log_max_ra_req_qp) :
			      MLX5_CAP_GEN(hca, log_max_ra_res_qp);

	return 1u << min_t(u32, log, 7);
}

static u64 fw_version(struct ohca_hca *hca)
{
	u32 rev = ioread32be(&hca->iseg->fw_rev);

	return (u64)(rev & 0xffff) << 32 | (rev >> 16) << 16 |
	       (ioread32be(&hca->iseg->cmdif_rev_fw_sub) & 0xffff);
}

static u64 device_flags(struct ib_device *ibdev)
{
	struct ohca_hca *hca = to_hca(ibdev);
	u64 flags = IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |
		    IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN;

	if (MLX5_CAP_GEN(hca, xrc))
		flags |= IB_DEVICE_XRC;
	if (verbs_can_umr(ibdev))
		flags |= IB_DEVICE_MEM_MGT_EXTENSIONS;
	if (verbs_can_mw(ibdev))
		flags |= IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B;
	return flags;
}

static void say_limits(struct ohca_hca *hca, struct ib_device_attr *attr)
{
	const u32 max_sq = MLX5_CAP_GEN(hca, max_wqe_sz_sq);

	attr->max_mr_size = ~0ull;
	attr->page_size_cap = GENMASK_ULL(31, MLX5_ADAPTER_PAGE_SHIFT);
	attr->max_qp = 1 << MLX5_CAP_GEN(hca, log_max_qp);
	attr->max_qp_wr = 1 << MLX5_CAP_GEN(hca, log_max_qp_sz);
	attr->max_send_sge = verbs_max_send_sge(max_sq);
	attr->max_recv_sge = MLX5_CAP_GEN(hca, max_wqe_sz_rq) / sizeof(struct mlx5_wqe_data_seg);
	attr->max_sge_rd = attr->max_send_sge;
	attr->max_cq = 1 << MLX5_CAP_GEN(hca, log_max_cq);
	attr->max_cqe = (1 << MLX5_CAP_GEN(hca, log_max_cq_sz)) - 1;
	attr->max_mr = 1 << MLX5_CAP_GEN(hca, log_max_mkey);
	attr->max_pd = 1 << MLX5_CAP_GEN(hca, log_max_pd);
	attr->max_qp_rd_atom = verbs_max_rd_atomic(hca, false);
	attr->max_qp_init_rd_atom = verbs_max_rd_atomic(hca, true);
	attr->max_res_rd_atom = attr->max_qp_rd_atom * attr->max_qp;
	attr->max_srq = 1 << MLX5_CAP_GEN(hca, log_max_srq);
	attr->max_srq_wr = (1 << MLX5_CAP_GEN(hca, log_max_srq_sz)) - 1;
	attr->max_srq_sge = VERBS_SRQ_MAX_SGE(hca);
	if (MLX5_CAP_GEN(hca, log_max_mcg)) {
		attr->max_mcast_grp = 1 << MLX5_CAP_GEN(hca, log_max_mcg);
		attr->max_mcast_qp_attach = MLX5_CAP_GEN(hca, max_qp_mcg);
		attr->max_total_mcast_qp_attach = attr->max_mcast_grp * attr->max_mcast_qp_attach;
	}
	attr->max_fast_reg_page_list_len = verbs_fast_max();
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = MLX5_CAP_GEN(hca, local_ca_ack_delay);
	attr->timestamp_mask = ~0ull >> 1;
	attr->hca_core_clock = MLX5_CAP_GEN(hca, device_frequency_khz);
	attr->cq_caps.max_cq_moderation_count = MLX5_CAP_GEN(hca, cq_moderation) ?
						MLX5_MAX_CQ_COUNT : 0;
	attr->cq_caps.max_cq_moderation_period = MLX5_CAP_GEN(hca, cq_moderation) ?
						 MLX5_MAX_CQ_PERIOD : 0;
}

/* Every number of the answer that the library knows is of what there is not. */
static int answer_query(struct ib_udata *udata)
{
	struct mlx5_ib_query_device_resp resp = {};

	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EINVAL;
	if (udata->outlen < sizeof(resp.comp_mask) + sizeof(resp.response_length))
		return 0;
	resp.response_length = min(udata->outlen, sizeof(resp));
	return ib_copy_to_udata(udata, &resp, resp.response_length);
}

/**
 * verbs_query_device() - ib_device_ops.query_device
 * @ibdev: the device
 * @attr: to fill
 * @udata: a program's, or NULL
 *
 * Return: 0 or an errno.
 */
int verbs_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata)
{
	struct ohca_hca *hca = to_hca(ibdev);
	u64 node, system_image;
	int err;

	memset(attr, 0, sizeof(*attr));
	err = ohca_vport_guids(hca, &node, &system_image);
	if (err)
		return err;
	attr->sys_image_guid = cpu_to_be64(system_image);
	attr->fw_ver = fw_version(hca);
	attr->vendor_id = hca->pdev->vendor;
	attr->vendor_part_id = hca->pdev->device;
	attr->hw_ver = hca->pdev->revision;
	attr->device_cap_flags = device_flags(ibdev);
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	attr->atomic_cap = MLX5_CAP_GEN(hca, atomic) ? IB_ATOMIC_HCA : IB_ATOMIC_NONE;
	say_limits(hca, attr);
	return udata ? answer_query(udata) : 0;
}

/**
 * verbs_query_port() - ib_device_ops.query_port
 * @ibdev: the device
 * @port: the port
 * @attr: to fill
 *
 * Return: 0 or an errno of the netdev's.
 */
int verbs_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct ohca_hca *hca = to_hca(ibdev);
	int err = ohca_port_query(ibdev, port, attr);

	if (err)
		return err;
	attr->gid_tbl_len = verbs_gid_table_len(hca);
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = 1u << MLX5_CAP_GEN(hca, log_max_msg);
	attr->max_vl_num = 1;
	return 0;
}

/* ib_device_ops.query_pkey */
int verbs_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = VERBS_PKEY;
	return 0;
}

/* ib_device_ops.modify_device: the description is the adapter's too. */
int verbs_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify)
{
	u8 desc[IB_DEVICE_NODE_DESC_MAX];
	int err;

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	memcpy(desc, modify->node_desc, sizeof(desc));
	err = ohca_reg_write(to_hca(ibdev), MLX5_REG_NODE_DESC, desc, sizeof(desc));
	if (err)
		return err;
	memcpy(ibdev->node_desc, modify->node_desc, sizeof(ibdev->node_desc));
	return 0;
}

/* ib_device_ops.get_link_layer */
enum rdma_link_layer verbs_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/**
 * verbs_get_port_immutable() - ib_device_ops.get_port_immutable
 * @ibdev: the device
 * @port: the port
 * @immutable: to fill
 *
 * RoCE versions as the device announces them.
 *
 * Return: 0; -EOPNOTSUPP: neither.
 */
int verbs_get_port_immutable(struct ib_device *ibdev, u32 port,
			     struct ib_port_immutable *immutable)
{
	struct ohca_hca *hca = to_hca(ibdev);
	u32 versions = MLX5_CAP_ROCE(hca, roce_version);

	if (versions & MLX5_ROCE_VERSION_1_CAP)
		immutable->core_cap_flags |= RDMA_CORE_PORT_IBA_ROCE;
	if (versions & MLX5_ROCE_VERSION_2_CAP)
		immutable->core_cap_flags |= RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	if (!immutable->core_cap_flags)
		return -EOPNOTSUPP;
	immutable->gid_tbl_len = verbs_gid_table_len(hca);
	immutable->pkey_tbl_len = 1;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

/* ib_device_ops.get_dev_fw_str */
void verbs_get_fw_str(struct ib_device *ibdev, char *str)
{
	strscpy(str, to_hca(ibdev)->fw_version, IB_FW_VERSION_NAME_MAX);
}
