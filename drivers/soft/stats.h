/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters: hw_counters in sysfs and `rdma statistic`.
 */
#ifndef OHCA_SOFT_STATS_H
#define OHCA_SOFT_STATS_H

#include <rdma/ib_verbs.h>
#include <ohca/counters.h>

#include "packet.h"
#include "transport.h"

struct soft_dev;
struct soft_stats;

/* Per-CPU counters of a device: enum tp_counter, then one for each enum tp_drop. */
struct soft_stats *soft_stats_create(void);
void soft_stats_destroy(struct soft_stats *stats);

/* Any context. */
void soft_stats_add(struct soft_stats *stats, enum tp_counter counter, u64 n);
void soft_stats_drop(struct soft_stats *stats, enum tp_drop why);

/* ib_device_ops */
struct rdma_hw_stats *soft_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int soft_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

#endif /* OHCA_SOFT_STATS_H */
