/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of the device's, in sysfs and `rdma statistic`.
 */
#ifndef OHCA_PCI_VERBS_COUNTERS_H
#define OHCA_PCI_VERBS_COUNTERS_H

#include <rdma/ib_verbs.h>

struct ohca_hca;
struct rdma_counter;
struct verbs_counters;

struct verbs_counters *verbs_counters_create(struct ohca_hca *hca);
u16 verbs_counters_set(const struct verbs_counters *counters);
void verbs_counters_destroy(struct verbs_counters *counters);
struct rdma_hw_stats *verbs_alloc_hw_port_stats(struct ib_device *ibdev, u32 port);
int verbs_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index);

/* Sets of QPs, as `rdma statistic qp` binds them. */
int verbs_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp);
int verbs_counter_unbind_qp(struct ib_qp *ibqp);
int verbs_counter_dealloc(struct rdma_counter *counter);
struct rdma_hw_stats *verbs_counter_alloc_stats(struct rdma_counter *counter);
int verbs_counter_update_stats(struct rdma_counter *counter);

#endif /* OHCA_PCI_VERBS_COUNTERS_H */
