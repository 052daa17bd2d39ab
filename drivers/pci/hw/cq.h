/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion queues as the device knows them: made, moderated, armed, destroyed, and
 * called when they have something.
 */
#ifndef OHCA_PCI_CQ_H
#define OHCA_PCI_CQ_H

#include <linux/mlx5/device.h>
#include <linux/types.h>

struct ohca_eq;
struct ohca_hca;

/* Largest period of moderation, microseconds: 12 bits. */
#define OHCA_CQ_MAX_PERIOD	0xfff

/* For ohca_hw_cq_arm(). */
enum ohca_arm {
	OHCA_ARM_NEXT		= 0,		/* any completion */
	OHCA_ARM_SOLICITED	= 1 << 24,	/* solicited ones, and errors */
};

/**
 * struct ohca_hw_cq - a CQ; in its owner's structure
 * @hca: the adapter
 * @eq: event queue that tells of it
 * @cqn: its number
 * @vector: completion vector
 * @arm_sn: sequence number of arms: counts the events; written by the handler
 * @db: doorbell record: [0] consumer index, [1] arm. NULL where user space has it.
 * @comp: it has completions and was armed. Hard interrupt context, under a spinlock:
 *        no sleep, no long work.
 * @event: it had an asynchronous event (MLX5_EVENT_TYPE_CQ_ERROR). The same context.
 *         May be NULL.
 *
 * @db, @comp and @event are the owner's to set, before ohca_hw_cq_create().
 */
struct ohca_hw_cq {
	struct ohca_hca *hca;
	struct ohca_eq *eq;
	u32 cqn;
	int vector;
	u32 arm_sn;
	__be32 *db;
	void (*comp)(struct ohca_hw_cq *cq);
	void (*event)(struct ohca_hw_cq *cq, u8 type);
};

int ohca_hw_cq_create(struct ohca_hca *hca, struct ohca_hw_cq *cq, int vector,
		      void *in, u32 inlen, void *out, u32 outlen);
void ohca_hw_cq_destroy(struct ohca_hw_cq *cq);
int ohca_hw_cq_moderate(struct ohca_hw_cq *cq, u16 usec, u16 count);
void ohca_hw_cq_arm(struct ohca_hw_cq *cq, u32 ci, enum ohca_arm what);

/* The event queues' side. */
void ohca_hw_cq_comp(struct ohca_eq *eq, const struct mlx5_eqe *eqe);
void ohca_hw_cq_error(struct ohca_hca *hca, const struct mlx5_eqe *eqe);

/**
 * ohca_hw_cq_set_ci() - tells the device what has been polled
 * @cq: a CQ of the kernel's
 * @ci: completions polled since it was made
 *
 * Context: any; the owner's lock of the CQ.
 */
static inline void ohca_hw_cq_set_ci(struct ohca_hw_cq *cq, u32 ci)
{
	cq->db[0] = cpu_to_be32(ci & 0xffffff);
}

#endif /* OHCA_PCI_CQ_H */
