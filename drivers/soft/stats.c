// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a software device: the transport's, one for each reason to drop
 * a packet, and a few of the device itself, in one table.
 */
#include "stats.h"

#include <linux/slab.h>

#include "device.h"
#include "pma.h"

/**
 * struct soft_stats - a device's counters
 * @counters: enum tp_counter, then enum tp_drop, then enum soft_counter
 */
struct soft_stats {
	struct ohca_counters counters;
};

#define DROP(why)	(TP_NUM_COUNTERS + (why))
#define SOFT(counter)	(TP_NUM_COUNTERS + TP_NUM_DROPS + (counter))
#define NUM_COUNTERS	SOFT(SOFT_NUM_COUNTERS)

#define TP_COUNTER_DESC(name_, text)	[TP_CNT_##name_] = { .name = #name_ },

/* The ICRC one has the name that mlx5 gives it; send_err and link_downed have rxe's. */
static const struct rdma_stat_desc soft_descs[NUM_COUNTERS] = {
	TP_COUNTERS(TP_COUNTER_DESC)
	[DROP(TP_DROP_NONE)] = { .name = "rx_drop_other" },
	[DROP(TP_DROP_SHORT)] = { .name = "rx_drop_short" },
	[DROP(TP_DROP_ICRC)] = { .name = "rx_icrc_encapsulated" },
	[DROP(TP_DROP_VERSION)] = { .name = "rx_drop_version" },
	[DROP(TP_DROP_OPCODE)] = { .name = "rx_drop_opcode" },
	[DROP(TP_DROP_PAD)] = { .name = "rx_drop_pad" },
	[DROP(TP_DROP_LENGTH)] = { .name = "rx_drop_length" },
	[DROP(TP_DROP_QPN)] = { .name = "rx_drop_qpn" },
	[DROP(TP_DROP_SOURCE)] = { .name = "rx_drop_source" },
	[DROP(TP_DROP_PKEY)] = { .name = "rx_drop_pkey" },
	[DROP(TP_DROP_QKEY)] = { .name = "rx_drop_qkey" },
	[DROP(TP_DROP_STATE)] = { .name = "rx_drop_state" },
	[DROP(TP_DROP_PSN)] = { .name = "rx_drop_psn" },
	[DROP(TP_DROP_BUSY)] = { .name = "rx_drop_busy" },
	[DROP(TP_DROP_ACCESS)] = { .name = "rx_drop_access" },
	[DROP(TP_DROP_RECV)] = { .name = "rx_drop_recv" },
	[SOFT(SOFT_CNT_SEND_ERR)] = { .name = "send_err" },
	[SOFT(SOFT_CNT_LINK_DOWNED)] = { .name = "link_downed" },
};

/**
 * soft_stats_create() - makes a device's counters
 *
 * Context: may sleep.
 * Return: the counters, or NULL.
 */
struct soft_stats *soft_stats_create(void)
{
	struct soft_stats *stats;

	stats = kzalloc(sizeof(*stats), GFP_KERNEL);
	if (!stats)
		return NULL;
	if (ohca_counters_init(&stats->counters, soft_descs, NUM_COUNTERS)) {
		kfree(stats);
		return NULL;
	}
	return stats;
}

/**
 * soft_stats_destroy() - frees them
 * @stats: NULL is fine
 */
void soft_stats_destroy(struct soft_stats *stats)
{
	if (!stats)
		return;
	ohca_counters_fini(&stats->counters);
	kfree(stats);
}

/**
 * soft_stats_add() - counts for the transport
 * @stats: the device's
 * @counter: which
 * @n: how many
 */
void soft_stats_add(struct soft_stats *stats, enum tp_counter counter, u64 n)
{
	ohca_counters_add(&stats->counters, counter, n);
}

/**
 * soft_stats_drop() - counts a dropped packet
 * @stats: the device's
 * @why: reason
 */
void soft_stats_drop(struct soft_stats *stats, enum tp_drop why)
{
	ohca_counters_add(&stats->counters, DROP(why), 1);
}

/**
 * soft_stats_event() - counts for the device itself
 * @stats: the device's
 * @counter: which
 */
void soft_stats_event(struct soft_stats *stats, enum soft_counter counter)
{
	ohca_counters_add(&stats->counters, SOFT(counter), 1);
}

/* Packets that can't be told to be anybody's. */
static const enum tp_drop rcv_errors[] = {
	TP_DROP_SHORT, TP_DROP_ICRC, TP_DROP_VERSION, TP_DROP_OPCODE, TP_DROP_PAD, TP_DROP_LENGTH,
};

/**
 * soft_stats_port() - sums what a port counts by the IBA
 * @stats: the device's
 * @values: filled, SOFT_NUM_PORT_COUNTERS of them
 */
void soft_stats_port(const struct soft_stats *stats, u64 *values)
{
	const struct ohca_counters *c = &stats->counters;
	int i;

	values[SOFT_PORT_XMIT_DATA] = ohca_counters_sum(c, TP_CNT_sent_bytes) / 4;
	values[SOFT_PORT_RCV_DATA] = ohca_counters_sum(c, TP_CNT_rcvd_bytes) / 4;
	values[SOFT_PORT_XMIT_PACKETS] = ohca_counters_sum(c, TP_CNT_sent_pkts);
	values[SOFT_PORT_RCV_PACKETS] = ohca_counters_sum(c, TP_CNT_rcvd_pkts);
	values[SOFT_PORT_XMIT_DISCARDS] = ohca_counters_sum(c, SOFT(SOFT_CNT_SEND_ERR));
	values[SOFT_PORT_LINK_DOWNED] = ohca_counters_sum(c, SOFT(SOFT_CNT_LINK_DOWNED));
	values[SOFT_PORT_RCV_ERRORS] = 0;
	for (i = 0; i < ARRAY_SIZE(rcv_errors); i++)
		values[SOFT_PORT_RCV_ERRORS] += ohca_counters_sum(c, DROP(rcv_errors[i]));
}

/* ib_device_ops.alloc_hw_port_stats */
struct rdma_hw_stats *soft_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	return ohca_counters_alloc_stats(&to_soft_dev(ibdev)->stats->counters);
}

/* ib_device_ops.get_hw_stats */
int soft_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	if (!port)
		return -EINVAL;
	return ohca_counters_read(&to_soft_dev(ibdev)->stats->counters, stats, index);
}
