/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event queues, and the MSI-X vectors that tell of them.
 *
 * Vector 0 serves commands, asynchronous events and page requests; each other one a
 * queue of completions. A device with one vector has all on it.
 */
#ifndef OHCA_PCI_EQ_H
#define OHCA_PCI_EQ_H

#include <linux/mlx5/device.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "buf.h"

struct ohca_eq;
struct ohca_hca;

#define OHCA_MAX_EQS_PER_IRQ	4
#define OHCA_IRQ_NAME		48

/**
 * struct ohca_irq - an MSI-X vector
 * @hca: the adapter
 * @index: MSI-X table entry
 * @irq: Linux's number
 * @name: in /proc/interrupts
 * @lock: held by the handler from first to last. Who takes something out of where the
 *        handler looks, and then takes and drops the lock, knows that the handler does
 *        not use it any more.
 * @eq: queues that it serves; under @lock
 * @found_late: events that ohca_eqs_poll() found before an interrupt told of them
 */
struct ohca_irq {
	struct ohca_hca *hca;
	int index;
	int irq;
	char name[OHCA_IRQ_NAME];
	spinlock_t lock;
	struct ohca_eq *eq[OHCA_MAX_EQS_PER_IRQ];
	u64 found_late;
};

/**
 * struct ohca_eq - an event queue
 * @hca: the adapter
 * @irq: its vector
 * @buf: its entries
 * @eqn: its number
 * @log_size: log2 of its entries
 * @ci: entries taken; under the vector's lock
 * @handle: called for each entry, under the vector's lock
 * @cqs: completion queues that report here, by number (struct ohca_hw_cq)
 */
struct ohca_eq {
	struct ohca_hca *hca;
	struct ohca_irq *irq;
	struct ohca_buf buf;
	u8 eqn;
	u8 log_size;
	u32 ci;
	void (*handle)(struct ohca_eq *eq, const struct mlx5_eqe *eqe);
	struct xarray cqs;
};

int ohca_irqs_init(struct ohca_hca *hca);
void ohca_irqs_fini(struct ohca_hca *hca);
int ohca_eqs_create(struct ohca_hca *hca);
void ohca_eqs_destroy(struct ohca_hca *hca);
void ohca_eqs_poll(struct ohca_hca *hca);
void ohca_async_barrier(struct ohca_hca *hca);

int ohca_comp_vectors(const struct ohca_hca *hca);
struct ohca_eq *ohca_comp_eq(const struct ohca_hca *hca, int vector);
int ohca_comp_irq(const struct ohca_hca *hca, int vector);
const struct cpumask *ohca_comp_affinity(const struct ohca_hca *hca, int vector);

/* irq.c */
int ohca_irq_request(struct ohca_irq *irq, const char *what, int cpu);
void ohca_irq_free(struct ohca_irq *irq);
int ohca_irq_attach(struct ohca_irq *irq, struct ohca_eq *eq);
void ohca_irq_detach(struct ohca_irq *irq, struct ohca_eq *eq);
void ohca_irq_barrier(struct ohca_irq *irq);
unsigned int ohca_irq_poll(struct ohca_irq *irq);

/* For ohca_irq's handler. */
unsigned int ohca_eq_poll(struct ohca_eq *eq);

#endif /* OHCA_PCI_EQ_H */
