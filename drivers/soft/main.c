// SPDX-License-Identifier: GPL-2.0
/*
 * ohca_soft: the software device. `rdma link add NAME type ohca netdev DEV`.
 */
#include <linux/module.h>
#include <rdma/rdma_netlink.h>

#include "cq.h"
#include "crc.h"
#include "device.h"
#include "qp.h"

static struct rdma_link_ops soft_link_ops = {
	.type = "ohca",
	.newlink = soft_netdev_add,
};

static int __init soft_init(void)
{
	int err;

	err = soft_qp_run_setup();
	if (err)
		return err;
	soft_event_setup();
	soft_crc_setup();
	err = soft_netdev_init();
	if (err) {
		soft_crc_cleanup();
		soft_qp_run_cleanup();
		return err;
	}
	rdma_link_register(&soft_link_ops);
	return 0;
}

static void __exit soft_exit(void)
{
	/* Waits for a newlink under way; there is no other way to a new device. */
	rdma_link_unregister(&soft_link_ops);
	soft_netdev_exit();
	/* Callbacks of ours that are still to run. */
	rcu_barrier();
	soft_qp_run_cleanup();
	soft_crc_cleanup();
}

module_init(soft_init);
module_exit(soft_exit);

MODULE_DESCRIPTION("OpenHCA: software RDMA device over any netdev (RoCE v2)");
MODULE_AUTHOR("OpenHCA contributors");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("ohca");
