// SPDX-License-Identifier: GPL-2.0
/*
 * Event queues.
 */
#include "eq.h"

#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/slab.h>

#include "cmd.h"
#include "cq.h"
#include "event.h"
#include "hca.h"
#include "pages.h"

/* Commands, asynchronous events, page requests. */
#define NR_ASYNC	3
/* More than a vector can need: the command queue has 32 slots, and so on. */
#define COMMAND_LOG	6
#define ASYNC_LOG	12
#define PAGES_LOG	6
/* An entry a CQ and arm; a CQ that is not armed anew reports nothing. */
#define COMP_LOG	12
/* Entries that one interrupt takes, before it lets others have the CPU. */
#define BUDGET		256

/**
 * struct ohca_eqs - all vectors and event queues
 * @nr_irqs: vectors
 * @nr_comp: queues of completions
 * @async: commands, asynchronous events, page requests
 * @comp: completions
 * @irq: vectors
 */
struct ohca_eqs {
	int nr_irqs;
	int nr_comp;
	struct ohca_eq async[NR_ASYNC];
	struct ohca_eq *comp;
	struct ohca_irq irq[] __counted_by(nr_irqs);
};

static void handle_command(struct ohca_eq *eq, const struct mlx5_eqe *eqe)
{
	if (eqe->type == MLX5_EVENT_TYPE_CMD)
		ohca_cmd_complete(eq->hca, be32_to_cpu(eqe->data.cmd.vector));
}

static void handle_pages(struct ohca_eq *eq, const struct mlx5_eqe *eqe)
{
	if (eqe->type == MLX5_EVENT_TYPE_PAGE_REQUEST)
		ohca_pages_request(eq->hca, &eqe->data.req_pages);
}

static void handle_completion(struct ohca_eq *eq, const struct mlx5_eqe *eqe)
{
	if (eqe->type == MLX5_EVENT_TYPE_COMP)
		ohca_hw_cq_comp(eq, eqe);
}

/* The entry at the consumer index, if the device has written it. */
static struct mlx5_eqe *next_eqe(struct ohca_eq *eq)
{
	struct mlx5_eqe *eqe = (struct mlx5_eqe *)eq->buf.addr + (eq->ci & (BIT(eq->log_size) - 1));

	return (READ_ONCE(eqe->owner) & 1) == (eq->ci >> eq->log_size & 1) ? eqe : NULL;
}

static void eq_doorbell(struct ohca_eq *eq, u32 at)
{
	void __iomem *map = eq->hca->uar.map;

	iowrite32be((u32)eq->eqn << 24 | (eq->ci & 0xffffff), map + at);
}

/**
 * ohca_eq_poll() - takes what the device has written, and arms the queue
 * @eq: the queue
 *
 * Arming a queue that has more raises its vector again at once (PRM, event queues),
 * so nothing is lost when the budget is.
 *
 * Context: under the vector's lock.
 * Return: entries taken.
 */
unsigned int ohca_eq_poll(struct ohca_eq *eq)
{
	unsigned int found = 0;
	struct mlx5_eqe *eqe;

	while (found < BUDGET && (eqe = next_eqe(eq))) {
		dma_rmb(); /* the owner bit before the rest */
		eq->handle(eq, eqe);
		eq->ci++;
		found++;
	}
	eq_doorbell(eq, OHCA_UAR_EQ_ARM);
	return found;
}

static int eq_command(struct ohca_eq *eq, const u64 mask[4])
{
	const u32 inlen = MLX5_ST_SZ_BYTES(create_eq_in) +
			  ohca_buf_pages(&eq->buf) * sizeof(__be64);
	u32 out[MLX5_ST_SZ_DW(create_eq_out)];
	void *in, *eqc;
	int i, err;

	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(create_eq_in, in, opcode, MLX5_CMD_OP_CREATE_EQ);
	for (i = 0; mask && i < 4; i++)
		MLX5_ARRAY_SET64(create_eq_in, in, event_bitmask, i, mask[i]);
	eqc = MLX5_ADDR_OF(create_eq_in, in, eq_context_entry);
	MLX5_SET(eqc, eqc, log_eq_size, eq->log_size);
	MLX5_SET(eqc, eqc, uar_page, eq->hca->uar.index);
	MLX5_SET(eqc, eqc, intr, eq->irq->index);
	MLX5_SET(eqc, eqc, log_page_size, 0);
	ohca_buf_fill_pas(&eq->buf, MLX5_ADDR_OF(create_eq_in, in, pas));
	err = ohca_cmd_exec(eq->hca, in, inlen, out, sizeof(out));
	kvfree(in);
	if (err)
		return err;
	eq->eqn = MLX5_GET(create_eq_out, out, eq_number);
	return 0;
}

static void eq_destroy_command(struct ohca_eq *eq)
{
	u32 out[MLX5_ST_SZ_DW(destroy_eq_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_eq_in)] = {};

	MLX5_SET(destroy_eq_in, in, opcode, MLX5_CMD_OP_DESTROY_EQ);
	MLX5_SET(destroy_eq_in, in, eq_number, eq->eqn);
	ohca_cmd(eq->hca, destroy_eq, in, out);
}

/* Makes a queue that @handle serves; @mask: asynchronous events that it is for. */
static int eq_create(struct ohca_hca *hca, struct ohca_eq *eq, struct ohca_irq *irq,
		     u8 log_size, const u64 mask[4],
		     void (*handle)(struct ohca_eq *eq, const struct mlx5_eqe *eqe))
{
	u32 i;
	int err;

	eq->hca = hca;
	eq->irq = irq;
	eq->log_size = log_size;
	eq->ci = 0;
	eq->handle = handle;
	xa_init(&eq->cqs);
	err = ohca_buf_alloc(hca, &eq->buf, sizeof(struct mlx5_eqe) << log_size);
	if (err)
		return err;
	/* All of them the device's: its first lap writes 0. */
	for (i = 0; i < BIT(log_size); i++)
		((struct mlx5_eqe *)eq->buf.addr)[i].owner = 1;
	err = eq_command(eq, mask);
	if (err)
		goto free_buf;
	err = ohca_irq_attach(irq, eq);
	if (err)
		goto destroy;
	eq_doorbell(eq, OHCA_UAR_EQ_ARM);
	return 0;

destroy:
	eq_destroy_command(eq);
free_buf:
	ohca_buf_free(hca, &eq->buf);
	return err;
}

static void eq_destroy(struct ohca_eq *eq)
{
	if (!eq->buf.addr)
		return;
	ohca_irq_detach(eq->irq, eq);
	eq_destroy_command(eq);
	ohca_buf_free(eq->hca, &eq->buf);
	WARN_ON_ONCE(!xa_empty(&eq->cqs));
	xa_destroy(&eq->cqs);
}

/* Event queues that the device has room for. */
static u32 max_eqs(const struct ohca_hca *hca)
{
	return MLX5_CAP_GEN(hca, max_num_eqs) ?: 1 << MLX5_CAP_GEN(hca, log_max_eq);
}

/**
 * ohca_irqs_init() - allocates MSI-X vectors
 * @hca: the adapter; its capabilities are read
 *
 * One for commands and events, and one a CPU for completions, as far as the device
 * has vectors and event queues.
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_irqs_init(struct ohca_hca *hca)
{
	int wanted, got, i;
	struct ohca_eqs *eqs;

	if (max_eqs(hca) <= NR_ASYNC) {
		ohca_hca_err(hca, "the device has %u event queues, %u are the least\n",
			     max_eqs(hca), NR_ASYNC + 1);
		return -ENOSPC;
	}
	wanted = min_t(u32, num_online_cpus(), max_eqs(hca) - NR_ASYNC) + 1;
	got = pci_alloc_irq_vectors(hca->pdev, 1, wanted, PCI_IRQ_MSIX);
	if (got < 0) {
		ohca_hca_err(hca, "no MSI-X vectors: %d\n", got);
		return got;
	}
	eqs = kzalloc(struct_size(eqs, irq, got), GFP_KERNEL);
	if (!eqs)
		goto free_vectors;
	eqs->nr_irqs = got;
	/* With one vector, it serves completions too. */
	eqs->nr_comp = max(got - 1, 1);
	eqs->comp = kcalloc(eqs->nr_comp, sizeof(*eqs->comp), GFP_KERNEL);
	if (!eqs->comp)
		goto free_eqs;
	for (i = 0; i < got; i++) {
		eqs->irq[i].hca = hca;
		eqs->irq[i].index = i;
	}
	hca->eqs = eqs;
	return 0;

free_eqs:
	kfree(eqs);
free_vectors:
	pci_free_irq_vectors(hca->pdev);
	return -ENOMEM;
}

/**
 * ohca_irqs_fini() - gives the vectors back
 * @hca: the adapter
 *
 * Context: may sleep.
 */
void ohca_irqs_fini(struct ohca_hca *hca)
{
	struct ohca_eqs *eqs = hca->eqs;

	hca->eqs = NULL;
	kfree(eqs->comp);
	kfree(eqs);
	pci_free_irq_vectors(hca->pdev);
}

/* The async queues; after the first, commands don't have to be polled for. */
static int create_async(struct ohca_hca *hca)
{
	struct ohca_eqs *eqs = hca->eqs;
	u64 mask[4] = { BIT_ULL(MLX5_EVENT_TYPE_CMD) };
	int err;

	err = eq_create(hca, &eqs->async[0], &eqs->irq[0], COMMAND_LOG, mask, handle_command);
	if (err)
		return err;
	ohca_cmd_use_events(hca, true);
	ohca_event_mask(hca, mask);
	err = eq_create(hca, &eqs->async[1], &eqs->irq[0], ASYNC_LOG, mask, ohca_event_handle);
	if (err)
		return err;
	memset(mask, 0, sizeof(mask));
	mask[0] = BIT_ULL(MLX5_EVENT_TYPE_PAGE_REQUEST);
	ohca_pages_start(hca);
	return eq_create(hca, &eqs->async[2], &eqs->irq[0], PAGES_LOG, mask, handle_pages);
}

static int create_comp(struct ohca_hca *hca)
{
	int node = dev_to_node(&hca->pdev->dev);
	struct ohca_eqs *eqs = hca->eqs;
	struct ohca_irq *irq;
	char what[16];
	int i, err;

	for (i = 0; i < eqs->nr_comp; i++) {
		irq = &eqs->irq[min(i + 1, eqs->nr_irqs - 1)];
		if (!irq->irq) {
			snprintf(what, sizeof(what), "comp%d", i);
			err = ohca_irq_request(irq, what, cpumask_local_spread(i, node));
			if (err)
				return err;
		}
		err = eq_create(hca, &eqs->comp[i], irq, COMP_LOG, NULL, handle_completion);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ohca_eqs_create() - makes the event queues; commands are told by events from here
 * @hca: the adapter; vectors and the kernel's UAR are there
 *
 * Context: may sleep.
 * Return: 0 or an errno; then ohca_eqs_destroy() has been called.
 */
int ohca_eqs_create(struct ohca_hca *hca)
{
	int err;

	err = ohca_irq_request(&hca->eqs->irq[0], "async", -1);
	err = err ?: create_async(hca);
	err = err ?: create_comp(hca);
	if (err) {
		ohca_hca_err(hca, "event queues: %d\n", err);
		ohca_eqs_destroy(hca);
	}
	return err;
}

/**
 * ohca_eqs_destroy() - destroys them; commands are polled for afterwards
 * @hca: the adapter; no CQ is left
 *
 * Context: may sleep.
 */
void ohca_eqs_destroy(struct ohca_hca *hca)
{
	struct ohca_eqs *eqs = hca->eqs;
	int i;

	for (i = 0; i < eqs->nr_comp; i++)
		eq_destroy(&eqs->comp[i]);
	/* What was asked for before is done; nothing is asked for afterwards. */
	eq_destroy(&eqs->async[2]);
	ohca_pages_stop(hca);
	eq_destroy(&eqs->async[1]);
	ohca_cmd_use_events(hca, false);
	eq_destroy(&eqs->async[0]);
	for (i = 0; i < eqs->nr_irqs; i++)
		ohca_irq_free(&eqs->irq[i]);
}

/**
 * ohca_eqs_poll() - finds events of which no interrupt told
 * @hca: the adapter
 *
 * An interrupt that is on its way meanwhile finds an empty queue, which does no harm.
 *
 * Context: any; called again and again while the adapter is up.
 */
void ohca_eqs_poll(struct ohca_hca *hca)
{
	struct ohca_eqs *eqs = hca->eqs;
	unsigned int found;
	int i;

	for (i = 0; i < eqs->nr_irqs; i++) {
		found = ohca_irq_poll(&eqs->irq[i]);
		if (!found)
			continue;
		eqs->irq[i].found_late += found;
		ohca_hca_dbg(hca, "%s: %u events that no interrupt told of yet\n",
			     eqs->irq[i].name, found);
	}
}

/**
 * ohca_async_barrier() - waits until no asynchronous event is being handled
 * @hca: the adapter
 *
 * Context: any but an event's handler.
 */
void ohca_async_barrier(struct ohca_hca *hca)
{
	ohca_irq_barrier(&hca->eqs->irq[0]);
}

/**
 * ohca_comp_vectors() - completion vectors of the adapter
 * @hca: the adapter
 *
 * Context: any.
 * Return: how many, at least 1: ib_device.num_comp_vectors, channels of the netdev.
 */
int ohca_comp_vectors(const struct ohca_hca *hca)
{
	return hca->eqs->nr_comp;
}

/**
 * ohca_comp_eq() - event queue of a completion vector
 * @hca: the adapter
 * @vector: the vector, below ohca_comp_vectors()
 *
 * Context: any.
 * Return: the queue.
 */
struct ohca_eq *ohca_comp_eq(const struct ohca_hca *hca, int vector)
{
	return &hca->eqs->comp[vector];
}

/**
 * ohca_comp_irq() - Linux's number of a completion vector's interrupt
 * @hca: the adapter
 * @vector: the vector
 *
 * Context: any.
 * Return: the number.
 */
int ohca_comp_irq(const struct ohca_hca *hca, int vector)
{
	return ohca_comp_eq(hca, vector)->irq->irq;
}

/**
 * ohca_comp_affinity() - CPUs that a completion vector's interrupt goes to
 * @hca: the adapter
 * @vector: the vector
 *
 * Context: any.
 * Return: the mask; NULL if nobody knows.
 */
const struct cpumask *ohca_comp_affinity(const struct ohca_hca *hca, int vector)
{
	return irq_get_effective_affinity_mask(ohca_comp_irq(hca, vector));
}
