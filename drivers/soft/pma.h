/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance management: the port counters of the IBA, which `perfquery` reads and
 * sysfs shows under ports/1/counters.
 */
#ifndef OHCA_SOFT_PMA_H
#define OHCA_SOFT_PMA_H

#include <linux/spinlock.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_verbs.h>

/**
 * enum soft_port_counter - what a port counts
 * @SOFT_PORT_XMIT_DATA: payload sent, in units of four bytes
 * @SOFT_PORT_RCV_DATA: payload received, in units of four bytes
 * @SOFT_PORT_XMIT_PACKETS: packets sent
 * @SOFT_PORT_RCV_PACKETS: packets received
 * @SOFT_PORT_RCV_ERRORS: packets that were damaged, or malformed
 * @SOFT_PORT_XMIT_DISCARDS: packets that the host could not send
 * @SOFT_PORT_LINK_DOWNED: times the port went down
 */
enum soft_port_counter {
	SOFT_PORT_XMIT_DATA,
	SOFT_PORT_RCV_DATA,
	SOFT_PORT_XMIT_PACKETS,
	SOFT_PORT_RCV_PACKETS,
	SOFT_PORT_RCV_ERRORS,
	SOFT_PORT_XMIT_DISCARDS,
	SOFT_PORT_LINK_DOWNED,
	SOFT_NUM_PORT_COUNTERS
};

/**
 * struct soft_pma - what a manager has set
 * @lock: of the rest
 * @base: what the device had counted when a counter of PortCounters was 0
 * @base_ext: the same for PortCountersExtended, which is set apart from it
 *
 * The device's own counters are never set back: others read them too.
 */
struct soft_pma {
	spinlock_t lock;	/* see @lock */
	u64 base[SOFT_NUM_PORT_COUNTERS];
	u64 base_ext[SOFT_NUM_PORT_COUNTERS];
};

void soft_pma_init(struct soft_pma *pma);

/**
 * soft_pma_answer() - answers a request of the performance management class
 * @pma: what was set; is changed by a Set
 * @now: the device's counters, SOFT_NUM_PORT_COUNTERS of them
 * @in: the request: any bytes
 * @out: filled with the answer
 *
 * Context: process context.
 * Return: false: nothing that asks for an answer.
 */
bool soft_pma_answer(struct soft_pma *pma, const u64 *now, const struct ib_mad *in,
		     struct ib_mad *out);

/* ib_device_ops */
int soft_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		     const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *out_pkey_index);

#endif /* OHCA_SOFT_PMA_H */
