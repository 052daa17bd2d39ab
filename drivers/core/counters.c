// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: a value per CPU, summed when somebody asks.
 */
#include <ohca/counters.h>

#include <linux/export.h>
#include <ohca/compat.h>

/**
 * ohca_counters_init() - makes a set of counters, all 0
 * @counters: to fill
 * @descs: names; constant, outlives the set
 * @nr: how many, not 0
 *
 * Context: may sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int ohca_counters_init(struct ohca_counters *counters, const struct rdma_stat_desc *descs,
		       unsigned int nr)
{
	size_t bytes;

	if (!nr || check_mul_overflow((size_t)nr, sizeof(u64), &bytes))
		return -EINVAL;
	counters->value = __alloc_percpu(bytes, __alignof__(u64));
	if (!counters->value)
		return -ENOMEM;
	counters->descs = descs;
	counters->nr = nr;
	return 0;
}
EXPORT_SYMBOL_GPL(ohca_counters_init);

/**
 * ohca_counters_fini() - frees a set
 * @counters: made by ohca_counters_init(), or all zeroes
 *
 * Context: may sleep. Nobody counts any more.
 */
void ohca_counters_fini(struct ohca_counters *counters)
{
	free_percpu(counters->value);
	counters->value = NULL;
	counters->nr = 0;
}
EXPORT_SYMBOL_GPL(ohca_counters_fini);

/**
 * ohca_counters_sum() - a counter's value
 * @counters: the set
 * @index: which
 *
 * Counting goes on meanwhile: the sum is exact only when it does not.
 *
 * Context: any.
 * Return: the sum over all CPUs, also those that went offline; 0 if there is no such counter.
 */
u64 ohca_counters_sum(const struct ohca_counters *counters, unsigned int index)
{
	u64 sum = 0;
	int cpu;

	if (index >= counters->nr)
		return 0;
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(counters->value, cpu)[index]);
	return sum;
}
EXPORT_SYMBOL_GPL(ohca_counters_sum);

/**
 * ohca_counters_alloc_stats() - for ib_device_ops.alloc_hw_port_stats and alloc_hw_device_stats
 * @counters: the set
 *
 * Context: may sleep.
 * Return: what IB core frees, or NULL.
 */
struct rdma_hw_stats *ohca_counters_alloc_stats(const struct ohca_counters *counters)
{
	return rdma_alloc_hw_stats_struct(counters->descs, counters->nr,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}
EXPORT_SYMBOL_GPL(ohca_counters_alloc_stats);

/**
 * ohca_counters_read() - for ib_device_ops.get_hw_stats
 * @counters: the set
 * @stats: made by ohca_counters_alloc_stats(); its lock is held by IB core
 * @index: which one is wanted; its number or more for all
 *
 * All are filled, as IB core lets a driver do.
 *
 * Context: may sleep.
 * Return: counters filled, or -EINVAL.
 */
int ohca_counters_read(const struct ohca_counters *counters, struct rdma_hw_stats *stats,
		       int index)
{
	unsigned int i;

	if (index < 0 || stats->num_counters < counters->nr)
		return -EINVAL;
	for (i = 0; i < counters->nr; i++)
		stats->value[i] = ohca_counters_sum(counters, i);
	return counters->nr;
}
EXPORT_SYMBOL_GPL(ohca_counters_read);
