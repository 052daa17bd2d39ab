/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The software device: an ib_device over a netdev.
 */
#ifndef OHCA_SOFT_DEVICE_H
#define OHCA_SOFT_DEVICE_H

#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

struct soft_wire;
struct soft_stats;

/**
 * struct soft_dev - a software device
 * @ibdev: what IB core sees; its port 1 is the netdev (ib_device_get_netdev())
 * @net: the namespace whose addresses and sockets the device uses: its netdev's
 * @wire: the namespace's UDP sockets, shared by its devices; see wire.h
 * @keys: memory keys, by key >> 8: struct soft_mr; entries are freed by RCU
 * @stats: counters
 *
 * Lives from ib_alloc_device() to ib_dealloc_device() by IB core's own count:
 * every object of a device is gone before the device is.
 */
struct soft_dev {
	struct ib_device ibdev;
	struct net *net;
	struct soft_wire *wire;
	struct xarray keys;
	struct soft_stats *stats;
};

static inline struct soft_dev *to_soft_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct soft_dev, ibdev);
}

#endif /* OHCA_SOFT_DEVICE_H */
