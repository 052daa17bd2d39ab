/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asynchronous events: to whoever a queue belongs to, and to who wants them all.
 */
#ifndef OHCA_PCI_EVENT_H
#define OHCA_PCI_EVENT_H

#include <linux/mlx5/device.h>
#include <linux/notifier.h>
#include <linux/xarray.h>

struct ohca_eq;
struct ohca_hca;

/*
 * What a notifier of ohca_event_register() is called with: MLX5_EVENT_TYPE_* and the
 * struct mlx5_eqe; or one of these, and NULL.
 */
enum {
	OHCA_EVENT_DEAD	= 0x100,	/* the adapter failed or has gone */
};

/* What an event is about. */
enum ohca_res_kind {
	OHCA_RES_QP,	/* QPN */
	OHCA_RES_RQ,	/* receive queue of the Ethernet function, or RMP as SRQ: RQN */
	OHCA_RES_SQ,	/* SQN */
	OHCA_RES_SRQ,	/* SRQ, XRC SRQ or RMP that serves as one: SRQN */
	OHCA_RES_NR_KINDS
};

/**
 * struct ohca_res - a queue that can have events; in its owner's structure
 * @event: called for each: MLX5_EVENT_TYPE_*, in hard interrupt context, under a
 *         spinlock: at most it queues work or calls an ib event handler
 */
struct ohca_res {
	void (*event)(struct ohca_res *res, u8 type);
};

int ohca_event_init(struct ohca_hca *hca);
void ohca_event_fini(struct ohca_hca *hca);
void ohca_event_handle(struct ohca_eq *eq, const struct mlx5_eqe *eqe);
void ohca_event_mask(const struct ohca_hca *hca, u64 mask[4]);

int ohca_event_register(struct ohca_hca *hca, struct notifier_block *nb);
void ohca_event_unregister(struct ohca_hca *hca, struct notifier_block *nb);

int ohca_res_add(struct ohca_hca *hca, enum ohca_res_kind kind, u32 num, struct ohca_res *res);
void ohca_res_remove(struct ohca_hca *hca, enum ohca_res_kind kind, u32 num);

#endif /* OHCA_PCI_EVENT_H */
