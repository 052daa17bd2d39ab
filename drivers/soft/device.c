// SPDX-License-Identifier: GPL-2.0
/*
 * The ib_device: what it can do, and how IB core reaches it.
 */
#include "device.h"

#include <linux/module.h>
#include <linux/sizes.h>
#include <net/addrconf.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_user_verbs.h>
#include <ohca/compat.h>

#include "ah.h"
#include "cq.h"
#include "datagram.h"
#include "gid.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"
#include "ring.h"
#include "srq.h"
#include "stats.h"
#include "wire.h"

static const char soft_node_desc[] = "OpenHCA software device";

static u64 soft_fw_ver(void)
{
	/* What libraries print as major.minor.patch. */
	return (u64)SOFT_VERSION_MAJOR << 32 | SOFT_VERSION_MINOR << 16 | SOFT_VERSION_PATCH;
}

/* What is here works: what a later kernel or library may ask for is not claimed. */
static int soft_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	/* Newer kernels have none where IB core itself asks. */
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;

	*attr = (struct ib_device_attr) {
		.fw_ver = soft_fw_ver(),
		.sys_image_guid = ibdev->node_guid,
		/* The largest that ib_umem_get() can pin: 2^32 - 1 pages. */
		.max_mr_size = (u64)U32_MAX << PAGE_SHIFT,
		.page_size_cap = PAGE_MASK,
		.vendor_id = 0xffffff,
		.max_qp = SOFT_MAX_QP,
		.max_qp_wr = SOFT_MAX_QP_WR,
		.device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |
				    IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
				    IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B |
				    IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_SRQ_RESIZE,
		.kernel_cap_flags = IBK_ALLOW_USER_UNREG,
		.max_send_sge = SOFT_MAX_SGE,
		.max_recv_sge = SOFT_MAX_SGE,
		.max_sge_rd = SOFT_MAX_SGE,
		.max_srq = SOFT_MAX_SRQ,
		.max_srq_wr = SOFT_MAX_SRQ_WR,
		.max_srq_sge = SOFT_MAX_SGE,
		.max_cq = SOFT_MAX_CQ,
		.max_cqe = SOFT_MAX_CQE,
		.max_mr = SOFT_MAX_MR,
		.max_mw = SOFT_MAX_MW,
		.max_pd = SOFT_MAX_PD,
		.max_fast_reg_page_list_len = SOFT_MAX_FAST_REG,
		.max_qp_rd_atom = SOFT_MAX_RD_ATOMIC,
		.max_res_rd_atom = SOFT_MAX_RD_ATOMIC * SOFT_MAX_QP,
		.max_qp_init_rd_atom = SOFT_MAX_RD_ATOMIC,
		.atomic_cap = IB_ATOMIC_GLOB,
		.max_ah = SOFT_MAX_AH,
		.max_mcast_grp = SOFT_MAX_MCAST_GRP,
		.max_mcast_qp_attach = SOFT_MAX_MCAST_QP,
		.max_total_mcast_qp_attach = SOFT_MAX_MCAST_GRP * SOFT_MAX_MCAST_QP,
		.max_pkeys = 1,
		.local_ca_ack_delay = SOFT_ACK_DELAY,
	};
	soft_odp_caps(attr);
	return 0;
}

static int soft_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	int err = ohca_port_query(ibdev, port, attr);

	if (err)
		return err;
	/* Without its sockets (another driver has the UDP port) the best link is of no use. */
	if (!READ_ONCE(to_soft_dev(ibdev)->wire)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	}
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->gid_tbl_len = SOFT_GID_TBL_LEN;
	attr->ip_gids = true;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = SZ_2G;
	attr->max_vl_num = 1;
	return 0;
}

static int soft_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = SOFT_DEFAULT_PKEY;
	return 0;
}

static int soft_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	memcpy(ibdev->node_desc, modify->node_desc, sizeof(ibdev->node_desc));
	return 0;
}

static enum rdma_link_layer soft_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/* RoCE v2 and nothing else: QP 1, and through it the IB CM, but no subnet management. */
static int soft_get_port_immutable(struct ib_device *ibdev, u32 port,
				   struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	immutable->gid_tbl_len = SOFT_GID_TBL_LEN;
	immutable->pkey_tbl_len = 1;
	return 0;
}

static void soft_get_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u", SOFT_VERSION_MAJOR, SOFT_VERSION_MINOR,
		 SOFT_VERSION_PATCH);
}

/* The last IB core does with the device but for freeing its memory. */
static void soft_dealloc_driver(struct ib_device *ibdev)
{
	struct soft_dev *dev = to_soft_dev(ibdev);

	soft_netdev_release(dev);
	soft_stats_destroy(dev->stats);
	xa_destroy(&dev->keys);
	xa_destroy(&dev->ahs);
	put_device(ibdev->dev.parent);
}

OHCA_DEFINE_REG_USER_MR(soft_op_reg_user_mr, soft_reg_user_mr)
OHCA_DEFINE_REG_USER_MR_DMABUF(soft_op_reg_user_mr_dmabuf, soft_reg_user_mr_dmabuf)
OHCA_DEFINE_RESIZE_CQ(soft_op_resize_cq, soft_resize_cq)

static const struct ib_device_ops soft_ops = {
	.owner = THIS_MODULE,
	/* The library is librxe: its ABI, and its driver id for it to find the device by. */
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = 2,

	.query_device = soft_query_device,
	.query_port = soft_query_port,
	.query_pkey = soft_query_pkey,
	.modify_device = soft_modify_device,
	.get_link_layer = soft_get_link_layer,
	.get_port_immutable = soft_get_port_immutable,
	.get_dev_fw_str = soft_get_fw_str,
	.get_netdev = soft_get_netdev,
	.add_gid = soft_add_gid,
	.del_gid = soft_del_gid,
	.dealloc_driver = soft_dealloc_driver,
	.alloc_hw_port_stats = soft_alloc_hw_port_stats,
	.get_hw_stats = soft_get_hw_stats,
	.process_mad = soft_process_mad,

	.alloc_ucontext = soft_alloc_ucontext,
	.dealloc_ucontext = soft_dealloc_ucontext,
	.disassociate_ucontext = soft_disassociate_ucontext,
	.mmap = soft_mmap,
	.mmap_free = soft_mmap_free,

	.alloc_pd = soft_alloc_pd,
	.dealloc_pd = soft_dealloc_pd,
	.get_dma_mr = soft_get_dma_mr,
	.reg_user_mr = soft_op_reg_user_mr,
	.reg_user_mr_dmabuf = soft_op_reg_user_mr_dmabuf,
	.rereg_user_mr = soft_rereg_user_mr,
	.advise_mr = soft_advise_mr,
	.alloc_mr = soft_alloc_mr,
	.map_mr_sg = soft_map_mr_sg,
	.dereg_mr = soft_dereg_mr,
	.alloc_mw = soft_alloc_mw,
	.dealloc_mw = soft_dealloc_mw,

	.create_cq = soft_create_cq,
	OHCA_OP_CREATE_USER_CQ(soft_create_cq)
	.destroy_cq = soft_destroy_cq,
	.OHCA_OP_RESIZE_CQ = soft_op_resize_cq,
	.poll_cq = soft_poll_cq,
	.req_notify_cq = soft_req_notify_cq,

	.create_srq = soft_create_srq,
	.modify_srq = soft_modify_srq,
	.query_srq = soft_query_srq,
	.destroy_srq = soft_destroy_srq,
	.post_srq_recv = soft_post_srq_recv,

	.create_ah = soft_create_ah,
	.create_user_ah = soft_create_ah,
	.query_ah = soft_query_ah,
	.destroy_ah = soft_destroy_ah,
	.attach_mcast = soft_attach_mcast,
	.detach_mcast = soft_detach_mcast,

	.create_qp = soft_create_qp,
	.modify_qp = soft_modify_qp,
	.query_qp = soft_query_qp,
	.destroy_qp = soft_destroy_qp,
	.post_send = soft_post_send,
	.post_recv = soft_post_recv,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, soft_ucontext, ibuctx),
	INIT_RDMA_OBJ_SIZE(ib_pd, soft_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_mw, soft_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_ah, soft_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, soft_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_srq, soft_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_qp, soft_qp, ibqp),
};

static void init_ibdev(struct ib_device *ibdev, const struct net_device *ndev)
{
	ib_set_device_ops(ibdev, &soft_ops);
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	strscpy(ibdev->node_desc, soft_node_desc, sizeof(ibdev->node_desc));
	addrconf_addr_eui48((u8 *)&ibdev->node_guid, (const char *)ndev->dev_addr);
	/*
	 * Topology: programs look for the device near the PCI function of its
	 * netdev. The function may go before the device is registered.
	 */
	ibdev->dev.parent = get_device(ndev->dev.parent);
}

/**
 * soft_device_alloc() - makes a device, not registered
 * @ndev: its netdev
 *
 * From now on ib_dealloc_device() undoes it, and calls soft_dealloc_driver().
 *
 * Context: may sleep.
 * Return: the device or an ERR_PTR: -ENOMEM, or an error of soft_wire_get(), such
 * as -EADDRINUSE if somebody else has the UDP port.
 */
struct soft_dev *soft_device_alloc(struct net_device *ndev)
{
	struct net *net = dev_net(ndev);
	struct soft_dev *dev;
	int err;

	dev = ohca_alloc_device(soft_dev, ibdev, net);
	if (!dev)
		return ERR_PTR(-ENOMEM);

	xa_init_flags(&dev->keys, XA_FLAGS_ALLOC);
	spin_lock_init(&dev->key_lock);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	soft_pma_init(&dev->pma);
	INIT_LIST_HEAD(&dev->gids);
	INIT_LIST_HEAD(&dev->qps);
	INIT_LIST_HEAD(&dev->node);
	spin_lock_init(&dev->qps_lock);
	init_ibdev(&dev->ibdev, ndev);
	ohca_port_init(&dev->port, &dev->ibdev, 1, ndev);

	dev->stats = soft_stats_create();
	if (IS_ERR_OR_NULL(dev->stats)) {
		dev->stats = NULL;
		err = -ENOMEM;
		goto err_dealloc;
	}
	dev->wire = soft_wire_get(net);
	if (IS_ERR(dev->wire)) {
		err = PTR_ERR(dev->wire);
		dev->wire = NULL;
		goto err_dealloc;
	}
	dev->net = net;
	return dev;

err_dealloc:
	ib_dealloc_device(&dev->ibdev);
	return ERR_PTR(err);
}

/* Makes the device known to IB core, and with that to its users. May sleep. */
int soft_device_register(struct soft_dev *dev, const char *name)
{
	/* No DMA device: addresses are kernel virtual ones. */
	return ib_register_device(&dev->ibdev, name, NULL);
}
