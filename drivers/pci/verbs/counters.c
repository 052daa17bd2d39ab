// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: of the queues (PRM, QUERY_Q_COUNTER), and of the port (register PPCNT).
 *
 * Names are those that other drivers of such adapters use, as programs look for them.
 */
#include "counters.h"

#include <linux/slab.h>
#include <rdma/rdma_counter.h>
#include <ohca/compat.h>

#include "../hw/cmd.h"
#include "../hw/link.h"
#include "../hw/object.h"
#include "qp.h"
#include "verbs.h"

/* Where a counter is, and which capability announces it. */
enum group {
	Q_BASIC,		/* a set of queue counters is enough */
	Q_OUT_OF_SEQ,		/* out_of_seq_cnt */
	Q_RETRANSMISSION,	/* retransmission_q_counters */
	Q_ERRORS,		/* enhanced_error_q_counters */
	PORT,			/* PPCNT, IEEE 802.3 group: RDMA's frames and the netdev's */
};

#define QUEUE(name, group)	{ #name, group, MLX5_BYTE_OFF(query_q_counter_out, name) }
#define PHY(name, member)								\
	{ name, PORT, MLX5_BYTE_OFF(eth_802_3_cntrs_grp_data_layout, member##_high) }

/* Of queues they have 32 bits, of the port 64. */
static const struct counter {
	const char *name;
	enum group group;
	u32 offset;
} table[] = {
	QUEUE(rx_write_requests, Q_BASIC),
	QUEUE(rx_read_requests, Q_BASIC),
	QUEUE(rx_atomic_requests, Q_BASIC),
	QUEUE(out_of_buffer, Q_BASIC),
	QUEUE(out_of_sequence, Q_OUT_OF_SEQ),
	QUEUE(duplicate_request, Q_RETRANSMISSION),
	QUEUE(rnr_nak_retry_err, Q_RETRANSMISSION),
	QUEUE(packet_seq_err, Q_RETRANSMISSION),
	QUEUE(implied_nak_seq_err, Q_RETRANSMISSION),
	QUEUE(local_ack_timeout_err, Q_RETRANSMISSION),
	QUEUE(resp_local_length_error, Q_ERRORS),
	QUEUE(resp_cqe_error, Q_ERRORS),
	QUEUE(req_cqe_error, Q_ERRORS),
	QUEUE(req_remote_invalid_request, Q_ERRORS),
	QUEUE(req_remote_access_errors, Q_ERRORS),
	QUEUE(resp_remote_access_errors, Q_ERRORS),
	QUEUE(resp_cqe_flush_error, Q_ERRORS),
	QUEUE(req_cqe_flush_error, Q_ERRORS),
	QUEUE(req_transport_retries_exceeded, Q_ERRORS),
	QUEUE(req_rnr_retries_exceeded, Q_ERRORS),
	PHY("port_xmit_packets_phy", a_frames_transmitted_ok),
	PHY("port_rcv_packets_phy", a_frames_received_ok),
	PHY("port_xmit_bytes_phy", a_octets_transmitted_ok),
	PHY("port_rcv_bytes_phy", a_octets_received_ok),
};

/**
 * struct verbs_counters - the counters that a device has
 * @hca: the adapter
 * @set: its set of queue counters; 0: there are none of queues
 * @nr: how many counters there are
 * @nr_queue: how many of them, from the first on, are of queues
 * @which: each one's place in the table
 * @desc: their names
 */
struct verbs_counters {
	struct ohca_hca *hca;
	u16 set;
	unsigned int nr;
	unsigned int nr_queue;
	u8 which[ARRAY_SIZE(table)];
	struct rdma_stat_desc desc[ARRAY_SIZE(table)];
};

static bool announced(struct ohca_hca *hca, u16 set, enum group group)
{
	switch (group) {
	case Q_BASIC:
		return set;
	case Q_OUT_OF_SEQ:
		return set && MLX5_CAP_GEN(hca, out_of_seq_cnt);
	case Q_RETRANSMISSION:
		return set && MLX5_CAP_GEN(hca, retransmission_q_counters);
	case Q_ERRORS:
		return set && MLX5_CAP_GEN(hca, enhanced_error_q_counters);
	default:
		return true;
	}
}

/**
 * verbs_counters_create() - finds out what a device counts
 * @hca: the adapter
 *
 * Context: may sleep.
 * Return: the counters, or NULL: no memory.
 */
struct verbs_counters *verbs_counters_create(struct ohca_hca *hca)
{
	struct verbs_counters *counters = kzalloc(sizeof(*counters), GFP_KERNEL);
	unsigned int i;

	if (!counters)
		return NULL;
	counters->hca = hca;
	/* Without a set of its own it works as well, and counts less. */
	if (MLX5_CAP_GEN(hca, max_qp_cnt) && ohca_q_counter_alloc(hca, &counters->set))
		counters->set = 0;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (!announced(hca, counters->set, table[i].group))
			continue;
		counters->which[counters->nr] = i;
		counters->desc[counters->nr++].name = table[i].name;
		if (table[i].group != PORT)
			counters->nr_queue = counters->nr;
	}
	return counters;
}

/**
 * verbs_counters_destroy() - gives them back
 * @counters: the counters, or NULL; no QP counts any more
 *
 * Context: may sleep.
 */
void verbs_counters_destroy(struct verbs_counters *counters)
{
	if (counters && counters->set)
		ohca_q_counter_free(counters->hca, counters->set);
	kfree(counters);
}

/**
 * verbs_counters_set() - the set of queue counters of QPs that have none of their own
 * @counters: the counters
 *
 * Context: any.
 * Return: its number; 0: there is none.
 */
u16 verbs_counters_set(const struct verbs_counters *counters)
{
	return counters->set;
}

/* ib_device_ops.alloc_hw_port_stats */
struct rdma_hw_stats *verbs_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	const struct verbs_counters *counters = to_ohca_ib(ibdev)->counters;

	return rdma_alloc_hw_stats_struct(counters->desc, counters->nr,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* Reads a set of queue counters: @value has room for nr_queue of them. */
static int read_set(const struct verbs_counters *counters, u16 set, u64 *value)
{
	u32 out[MLX5_ST_SZ_DW(query_q_counter_out)] = {};
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)] = {};
	unsigned int i;
	int err;

	if (!counters->nr_queue)
		return 0;
	MLX5_SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	MLX5_SET(query_q_counter_in, in, counter_set_id, set);
	err = ohca_cmd(counters->hca, query_q_counter, in, out);
	if (err)
		return err;
	for (i = 0; i < counters->nr_queue; i++) {
		u32 offset = table[counters->which[i]].offset;

		value[i] = be32_to_cpup((__be32 *)((u8 *)out + offset));
	}
	return 0;
}

static int read_port(const struct verbs_counters *counters, u64 *value)
{
	u32 ppcnt[MLX5_ST_SZ_DW(ppcnt_reg)] = {};
	const u8 *set = MLX5_ADDR_OF(ppcnt_reg, ppcnt, counter_set);
	unsigned int i;
	int err;

	err = ohca_link_counters(counters->hca, MLX5_IEEE_802_3_COUNTERS_GROUP, ppcnt);
	if (err)
		return err;
	for (i = counters->nr_queue; i < counters->nr; i++)
		value[i] = be64_to_cpup((__be64 *)(set + table[counters->which[i]].offset));
	return 0;
}

/**
 * verbs_get_hw_stats() - ib_device_ops.get_hw_stats
 * @ibdev: the device
 * @stats: to fill
 * @port: the port; 0: there are none of the device
 * @index: which one is wanted; all are filled
 *
 * Return: counters filled, or an errno.
 */
int verbs_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	const struct verbs_counters *counters = to_ohca_ib(ibdev)->counters;
	int err;

	if (!port || stats->num_counters < counters->nr)
		return -EINVAL;
	err = read_set(counters, counters->set, stats->value);
	err = err ?: read_port(counters, stats->value);
	return err ?: counters->nr;
}

/**
 * verbs_counter_bind_qp() - ib_device_ops.counter_bind_qp
 * @counter: the set; has its number after the first QP
 * @ibqp: the QP
 *
 * Return: 0; -EOPNOTSUPP: the QP is in a state in which the device can't change it; or
 * an error of a command.
 */
int verbs_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp)
{
	struct ohca_hca *hca = to_hca(ibqp->device);
	bool fresh = !counter->id;
	u16 set = counter->id;
	int err;

	if (fresh) {
		err = ohca_q_counter_alloc(hca, &set);
		if (err)
			return err;
	}
	err = verbs_qp_set_counter(to_verbs_qp(ibqp), set);
	if (err && fresh)
		ohca_q_counter_free(hca, set);
	else if (fresh)
		counter->id = set;
	return err;
}

/* ib_device_ops.counter_unbind_qp: it counts in the device's set again. */
int verbs_counter_unbind_qp(struct ib_qp *ibqp)
{
	return verbs_qp_set_counter(to_verbs_qp(ibqp), to_ohca_ib(ibqp->device)->counters->set);
}

/* ib_device_ops.counter_dealloc: no QP counts there any more. */
int verbs_counter_dealloc(struct rdma_counter *counter)
{
	if (counter->id)
		ohca_q_counter_free(to_hca(counter->device), counter->id);
	return 0;
}

/* ib_device_ops.counter_alloc_stats */
struct rdma_hw_stats *verbs_counter_alloc_stats(struct rdma_counter *counter)
{
	const struct verbs_counters *counters = to_ohca_ib(counter->device)->counters;

	return rdma_alloc_hw_stats_struct(counters->desc, counters->nr_queue,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* ib_device_ops.counter_update_stats */
int verbs_counter_update_stats(struct rdma_counter *counter)
{
	return read_set(to_ohca_ib(counter->device)->counters, counter->id,
			counter->stats->value);
}
