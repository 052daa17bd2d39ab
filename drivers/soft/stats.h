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

struct soft_stats;

/**
 * enum soft_counter - what the software device counts beside the transport
 * @SOFT_CNT_SEND_ERR: packets that could not be sent: no route, no memory, larger than the MTU
 * @SOFT_CNT_LINK_DOWNED: times the port went down
 */
enum soft_counter {
	SOFT_CNT_SEND_ERR,
	SOFT_CNT_LINK_DOWNED,
	SOFT_NUM_COUNTERS
};

/* Per-CPU counters of a device. Creating may sleep; NULL: no memory. */
struct soft_stats *soft_stats_create(void);
void soft_stats_destroy(struct soft_stats *stats);

/* Counting: any context. */
void soft_stats_add(struct soft_stats *stats, enum tp_counter counter, u64 n);
void soft_stats_drop(struct soft_stats *stats, enum tp_drop why);
void soft_stats_event(struct soft_stats *stats, enum soft_counter counter);

/* What a port counts by the IBA, SOFT_NUM_PORT_COUNTERS values. Any context. */
void soft_stats_port(const struct soft_stats *stats, u64 *values);

/* ib_device_ops */
struct rdma_hw_stats *soft_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int soft_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

#endif /* OHCA_SOFT_STATS_H */
