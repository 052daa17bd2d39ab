/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters: a table of names, a value per CPU, and rdma_hw_stats made of them.
 */
#ifndef OHCA_COUNTERS_H
#define OHCA_COUNTERS_H

#include <linux/percpu.h>
#include <rdma/ib_verbs.h>

/**
 * struct ohca_counters - a set of counters
 * @descs: their names, in order; constant, outlives the set
 * @nr: how many
 * @value: @nr values of each CPU
 */
struct ohca_counters {
	const struct rdma_stat_desc *descs;
	unsigned int nr;
	u64 __percpu *value;
};

int ohca_counters_init(struct ohca_counters *counters, const struct rdma_stat_desc *descs,
		       unsigned int nr);
void ohca_counters_fini(struct ohca_counters *counters);
u64 ohca_counters_sum(const struct ohca_counters *counters, unsigned int index);
struct rdma_hw_stats *ohca_counters_alloc_stats(const struct ohca_counters *counters);
int ohca_counters_read(const struct ohca_counters *counters, struct rdma_hw_stats *stats,
		       int index);

/**
 * ohca_counters_add() - counts
 * @counters: the set
 * @index: which, less than @counters->nr
 * @n: how many
 *
 * Context: any; no lock.
 */
static inline void ohca_counters_add(struct ohca_counters *counters, unsigned int index, u64 n)
{
	this_cpu_add(counters->value[index], n);
}

#endif /* OHCA_COUNTERS_H */
