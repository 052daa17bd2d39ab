/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address handles: where a datagram goes.
 */
#ifndef OHCA_SOFT_AH_H
#define OHCA_SOFT_AH_H

#include <linux/rcupdate.h>
#include <net/dst_cache.h>
#include <rdma/ib_verbs.h>

#include "wire.h"

/**
 * struct soft_dest - what senders find by the number of an address handle
 * @flow: addresses, and the rest of the IP header
 * @pd: the AH's; compared only
 * @moves: soft_dev.moves when it was made: @flow means nothing after a move
 * @multicast: @flow goes to a multicast group
 * @cached: @cache is there
 * @cache: the route, on each CPU
 * @rcu: frees
 *
 * Apart from the AH, which IB core frees as soon as destroy_ah returns, and which
 * may be destroyed where nothing can wait for senders.
 */
struct soft_dest {
	struct soft_flow flow;
	const struct ib_pd *pd;
	u32 moves;
	bool multicast;
	bool cached;
	struct dst_cache cache;
	struct rcu_head rcu;
};

/**
 * struct soft_ah - an address handle
 * @ibah: what IB core sees
 * @num: its number: what send WRs call it by
 * @dest: what the number stands for
 * @attr: for query_ah
 */
struct soft_ah {
	struct ib_ah ibah;
	u32 num;
	struct soft_dest *dest;
	struct rdma_ah_attr attr;
};

static inline struct soft_ah *to_soft_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct soft_ah, ibah);
}

struct soft_dest *soft_ah_find(struct soft_dev *dev, u32 num);
bool soft_ah_check(struct soft_dev *dev, const struct ib_pd *pd, u32 num);
struct dst_entry *soft_ah_route(struct soft_dest *dest, struct soft_path *path, __be16 sport);

/* ib_device_ops */
int soft_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int soft_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int soft_destroy_ah(struct ib_ah *ibah, u32 flags);

#endif /* OHCA_SOFT_AH_H */
