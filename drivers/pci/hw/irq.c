// SPDX-License-Identifier: GPL-2.0
/*
 * MSI-X vectors.
 */
#include <linux/interrupt.h>

#include "eq.h"
#include "hca.h"

/* Each queue that the vector serves, once. Returns how many entries there were. */
static unsigned int irq_serve(struct ohca_irq *irq)
{
	unsigned int i, found = 0;

	for (i = 0; i < ARRAY_SIZE(irq->eq); i++) {
		if (irq->eq[i])
			found += ohca_eq_poll(irq->eq[i]);
	}
	return found;
}

static irqreturn_t irq_handler(int number, void *arg)
{
	struct ohca_irq *irq = arg;

	spin_lock(&irq->lock);
	irq_serve(irq);
	spin_unlock(&irq->lock);
	return IRQ_HANDLED;
}

/**
 * ohca_irq_poll() - does what the handler does, without an interrupt
 * @irq: the vector
 *
 * Finds what an interrupt that got lost would have told of.
 *
 * Context: any.
 * Return: entries that were there.
 */
unsigned int ohca_irq_poll(struct ohca_irq *irq)
{
	unsigned long flags;
	unsigned int found;

	spin_lock_irqsave(&irq->lock, flags);
	found = irq_serve(irq);
	spin_unlock_irqrestore(&irq->lock, flags);
	return found;
}

/**
 * ohca_irq_barrier() - waits until the handler has left
 * @irq: the vector
 *
 * What was taken out of where the handler looks, is not used afterwards.
 *
 * Context: any but the handler.
 */
void ohca_irq_barrier(struct ohca_irq *irq)
{
	unsigned long flags;

	spin_lock_irqsave(&irq->lock, flags);
	spin_unlock_irqrestore(&irq->lock, flags);
}

/**
 * ohca_irq_attach() - has a vector serve an event queue
 * @irq: the vector
 * @eq: the queue
 *
 * Context: any.
 * Return: 0; -ENOSPC: it serves too many.
 */
int ohca_irq_attach(struct ohca_irq *irq, struct ohca_eq *eq)
{
	int err = -ENOSPC;
	unsigned int i;

	spin_lock_irq(&irq->lock);
	for (i = 0; i < ARRAY_SIZE(irq->eq) && err; i++) {
		if (irq->eq[i])
			continue;
		irq->eq[i] = eq;
		err = 0;
	}
	spin_unlock_irq(&irq->lock);
	return err;
}

/**
 * ohca_irq_detach() - ends that; the queue is not looked at any more
 * @irq: the vector
 * @eq: the queue
 *
 * Context: any but the handler.
 */
void ohca_irq_detach(struct ohca_irq *irq, struct ohca_eq *eq)
{
	unsigned int i;

	spin_lock_irq(&irq->lock);
	for (i = 0; i < ARRAY_SIZE(irq->eq); i++) {
		if (irq->eq[i] == eq)
			irq->eq[i] = NULL;
	}
	spin_unlock_irq(&irq->lock);
}

/**
 * ohca_irq_request() - begins to take a vector's interrupts
 * @irq: the vector; @hca, @index are set, all else is zero
 * @what: its part of the name in /proc/interrupts
 * @cpu: where it should go; -1: anywhere
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_irq_request(struct ohca_irq *irq, const char *what, int cpu)
{
	struct pci_dev *pdev = irq->hca->pdev;
	int err;

	spin_lock_init(&irq->lock);
	irq->irq = pci_irq_vector(pdev, irq->index);
	if (irq->irq < 0)
		return irq->irq;
	snprintf(irq->name, sizeof(irq->name), "ohca-%s@pci:%s", what, pci_name(pdev));
	err = request_irq(irq->irq, irq_handler, 0, irq->name, irq);
	if (err) {
		irq->irq = 0;
		return err;
	}
	if (cpu >= 0)
		irq_set_affinity_and_hint(irq->irq, cpumask_of(cpu));
	return 0;
}

/**
 * ohca_irq_free() - ends it
 * @irq: the vector
 *
 * Context: may sleep.
 */
void ohca_irq_free(struct ohca_irq *irq)
{
	if (!irq->irq)
		return;
	irq_update_affinity_hint(irq->irq, NULL);
	free_irq(irq->irq, irq);
	irq->irq = 0;
}
