// SPDX-License-Identifier: GPL-2.0
/*
 * The ib_device: what it can do, how IB core reaches it, and when it is there.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>
#include <ohca/compat.h>

#include "../function.h"
#include "../hw/eq.h"
#include "../hw/event.h"
#include "../hw/link.h"
#include "ah.h"
#include "clock.h"
#include "counters.h"
#include "cq.h"
#include "mr.h"
#include "qp.h"
#include "restrack.h"
#include "srq.h"
#include "ucontext.h"
#include "verbs.h"

static const char node_desc[] = "OpenHCA adapter";

OHCA_DEFINE_REG_USER_MR(op_reg_user_mr, verbs_reg_user_mr)
OHCA_DEFINE_REG_USER_MR_DMABUF(op_reg_user_mr_dmabuf, verbs_reg_user_mr_dmabuf)
OHCA_DEFINE_RESIZE_CQ(op_resize_cq, verbs_resize_cq)

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	/* The library is libmlx5: its ABI, and its driver id for it to find the device by. */
	.driver_id = RDMA_DRIVER_MLX5,
	.uverbs_abi_ver = MLX5_IB_UVERBS_ABI_VERSION,

	.query_device = verbs_query_device,
	.query_port = verbs_query_port,
	.query_pkey = verbs_query_pkey,
	.modify_device = verbs_modify_device,
	.get_link_layer = verbs_get_link_layer,
	.get_port_immutable = verbs_get_port_immutable,
	.get_dev_fw_str = verbs_get_fw_str,
	.add_gid = verbs_add_gid,
	.del_gid = verbs_del_gid,

	.alloc_ucontext = verbs_alloc_ucontext,
	.dealloc_ucontext = verbs_dealloc_ucontext,
	.disassociate_ucontext = verbs_disassociate_ucontext,
	.mmap = verbs_mmap,
	.mmap_free = verbs_mmap_free,

	.alloc_pd = verbs_alloc_pd,
	.dealloc_pd = verbs_dealloc_pd,
	.get_dma_mr = verbs_get_dma_mr,
	.reg_user_mr = op_reg_user_mr,
	.reg_user_mr_dmabuf = op_reg_user_mr_dmabuf,
	.rereg_user_mr = verbs_rereg_user_mr,
	.dereg_mr = verbs_dereg_mr,
	.alloc_mr = verbs_alloc_mr,
	.map_mr_sg = verbs_map_mr_sg,

	.create_cq = verbs_create_cq,
	OHCA_OP_CREATE_USER_CQ(verbs_create_cq)
	.destroy_cq = verbs_destroy_cq,
	.OHCA_OP_RESIZE_CQ = op_resize_cq,
	.modify_cq = verbs_modify_cq,
	.poll_cq = verbs_poll_cq,
	.req_notify_cq = verbs_req_notify_cq,

	.create_qp = verbs_create_qp,
	.modify_qp = verbs_modify_qp,
	.query_qp = verbs_query_qp,
	.destroy_qp = verbs_destroy_qp,
	.post_send = verbs_post_send,
	.post_recv = verbs_post_recv,

	.create_srq = verbs_create_srq,
	.modify_srq = verbs_modify_srq,
	.query_srq = verbs_query_srq,
	.destroy_srq = verbs_destroy_srq,
	.post_srq_recv = verbs_post_srq_recv,

	.create_ah = verbs_create_ah,
	.create_user_ah = verbs_create_ah,
	.query_ah = verbs_query_ah,
	.destroy_ah = verbs_destroy_ah,

	.alloc_hw_port_stats = verbs_alloc_hw_port_stats,
	.get_hw_stats = verbs_get_hw_stats,

	.fill_res_cq_entry_raw = verbs_fill_res_cq_raw,
	.fill_res_mr_entry_raw = verbs_fill_res_mr_raw,
	.fill_res_qp_entry_raw = verbs_fill_res_qp_raw,

	INIT_RDMA_OBJ_SIZE(ib_ah, verbs_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, verbs_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, verbs_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, verbs_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, verbs_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, verbs_ucontext, ibuctx),
};

OHCA_DEFINE_COUNTER_BIND_QP(op_counter_bind_qp, verbs_counter_bind_qp)
OHCA_DEFINE_COUNTER_UNBIND_QP(op_counter_unbind_qp, verbs_counter_unbind_qp)

static const struct ib_device_ops counter_ops = {
	.counter_bind_qp = op_counter_bind_qp,
	.counter_unbind_qp = op_counter_unbind_qp,
	.counter_dealloc = verbs_counter_dealloc,
	.counter_alloc_stats = verbs_counter_alloc_stats,
	.counter_update_stats = verbs_counter_update_stats,
	OHCA_OP_COUNTER_SIZE
};

static const struct ib_device_ops mw_ops = {
	.alloc_mw = verbs_alloc_mw,
	.dealloc_mw = verbs_dealloc_mw,

	INIT_RDMA_OBJ_SIZE(ib_mw, verbs_mw, ibmw),
};

static const struct ib_device_ops mcast_ops = {
	.attach_mcast = verbs_attach_mcast,
	.detach_mcast = verbs_detach_mcast,
};

static const struct ib_device_ops xrc_ops = {
	.alloc_xrcd = verbs_alloc_xrcd,
	.dealloc_xrcd = verbs_dealloc_xrcd,

	INIT_RDMA_OBJ_SIZE(ib_xrcd, verbs_xrcd, ibxrcd),
};

static void init_ibdev(struct ohca_ib *ib)
{
	struct ib_device *ibdev = &ib->ibdev;
	struct ohca_hca *hca = ib->hca;

	ib_set_device_ops(ibdev, &ops);
	if (MLX5_CAP_GEN(hca, max_qp_cnt))
		ib_set_device_ops(ibdev, &counter_ops);
	if (verbs_can_mw(ibdev))
		ib_set_device_ops(ibdev, &mw_ops);
	if (MLX5_CAP_GEN(hca, log_max_mcg))
		ib_set_device_ops(ibdev, &mcast_ops);
	if (MLX5_CAP_GEN(hca, xrc))
		ib_set_device_ops(ibdev, &xrc_ops);
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ibdev->driver_def = verbs_uar_defs;
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = VERBS_PORT;
	ibdev->num_comp_vectors = ohca_comp_vectors(hca);
	ibdev->dev.parent = &hca->pdev->dev;
	ibdev->local_dma_lkey = hca->key.reserved_lkey;
	strscpy(ibdev->node_desc, node_desc, sizeof(ibdev->node_desc));
}

/* The kernel's consumers of a dead device poll: it completes nothing any more. */
static void wake_all(struct ohca_ib *ib)
{
	struct verbs_qp *qp;
	unsigned long qpn, flags;

	xa_lock_irqsave(&ib->qps, flags);
	xa_for_each(&ib->qps, qpn, qp) {
		verbs_cq_wake(to_verbs_cq(qp->ibqp.send_cq));
		verbs_cq_wake(to_verbs_cq(qp->ibqp.recv_cq));
	}
	xa_unlock_irqrestore(&ib->qps, flags);
}

/* Any context. */
static int on_event(struct notifier_block *nb, unsigned long type, void *eqe)
{
	struct ohca_ib *ib = container_of(nb, struct ohca_ib, event_nb);
	struct ib_event event = { .device = &ib->ibdev, .event = IB_EVENT_DEVICE_FATAL };

	if (type != OHCA_EVENT_DEAD)
		return NOTIFY_DONE;
	event.element.port_num = VERBS_PORT;
	ib_dispatch_event(&event);
	wake_all(ib);
	return NOTIFY_OK;
}

static int on_netdev(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct ohca_ib *ib = container_of(nb, struct ohca_ib, netdev_nb);
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);

	if (ndev == ib->hca->netdev)
		ohca_port_netdev_event(&ib->port, ndev, event);
	return NOTIFY_DONE;
}

static int read_guid(struct ohca_ib *ib)
{
	u64 node, system_image;
	int err = ohca_vport_guids(ib->hca, &node, &system_image);

	if (err)
		return err;
	ib->ibdev.node_guid = cpu_to_be64(node);
	return 0;
}

/* What the device needs before there are users; undone by finish(). */
static int prepare(struct ohca_ib *ib)
{
	int err;

	err = read_guid(ib);
	if (err)
		return err;
	err = ohca_vport_set_roce(ib->hca, true);
	if (err)
		return err;
	ib->counters = verbs_counters_create(ib->hca);
	if (!ib->counters) {
		ohca_vport_set_roce(ib->hca, false);
		return -ENOMEM;
	}
	ib->clock = verbs_clock_create(ib->hca);
	return 0;
}

static void finish(struct ohca_ib *ib)
{
	verbs_clock_destroy(ib->clock);
	verbs_counters_destroy(ib->counters);
	ohca_vport_set_roce(ib->hca, false);
}

static int watch(struct ohca_ib *ib)
{
	int err;

	ohca_port_init(&ib->port, &ib->ibdev, VERBS_PORT, ib->hca->netdev);
	ib->event_nb.notifier_call = on_event;
	err = ohca_event_register(ib->hca, &ib->event_nb);
	if (err)
		return err;
	ib->netdev_nb.notifier_call = on_netdev;
	err = register_netdevice_notifier(&ib->netdev_nb);
	if (err)
		ohca_event_unregister(ib->hca, &ib->event_nb);
	return err;
}

static void unwatch(struct ohca_ib *ib)
{
	unregister_netdevice_notifier(&ib->netdev_nb);
	ohca_event_unregister(ib->hca, &ib->event_nb);
}

static int register_device(struct ohca_ib *ib)
{
	int err;

	if (ib->hca->netdev) {
		err = ib_device_set_netdev(&ib->ibdev, ib->hca->netdev, VERBS_PORT);
		if (err)
			return err;
	}
	return ib_register_device(&ib->ibdev, "hca%d", &ib->hca->pdev->dev);
}

/* struct ohca_function.add: after the Ethernet function, whose netdev has the addresses. */
static int verbs_add(struct ohca_hca *hca)
{
	struct net *net = hca->netdev ? dev_net(hca->netdev) : &init_net;
	struct ohca_ib *ib;
	int err;

	if (!MLX5_CAP_GEN(hca, roce)) {
		ohca_hca_info(hca, "no RoCE: no RDMA device\n");
		return 0;
	}
	ib = ohca_alloc_device(ohca_ib, ibdev, net);
	if (!ib)
		return -ENOMEM;
	ib->hca = hca;
	xa_init_flags(&ib->qps, XA_FLAGS_LOCK_IRQ);
	init_ibdev(ib);
	err = prepare(ib);
	if (err)
		goto err_prepare;
	err = register_device(ib);
	if (err)
		goto err_register;
	err = watch(ib);
	if (err)
		goto err_watch;
	hca->ib = ib;
	return 0;

err_watch:
	ib_unregister_device(&ib->ibdev);
err_register:
	finish(ib);
err_prepare:
	ib_dealloc_device(&ib->ibdev);
	return err;
}

/* struct ohca_function.remove: users lose their objects before this returns. */
static void verbs_remove(struct ohca_hca *hca)
{
	struct ohca_ib *ib = hca->ib;

	if (!ib)
		return;
	hca->ib = NULL;
	unwatch(ib);
	ib_unregister_device(&ib->ibdev);
	finish(ib);
	xa_destroy(&ib->qps);
	ib_dealloc_device(&ib->ibdev);
}

const struct ohca_function ohca_ib_function = {
	.name = "verbs",
	.add = verbs_add,
	.remove = verbs_remove,
};
