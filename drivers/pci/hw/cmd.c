// SPDX-License-Identifier: GPL-2.0
/*
 * The command interface (PRM, command interface).
 *
 * A slot, its mailboxes and the structure that describes them belong to the device
 * from the doorbell until it gives the slot back, however long that takes; a caller
 * that has lost its patience drops only its own reference. What a late answer is
 * written to is therefore always there. As nobody can know what a device that does
 * not answer has done or will do with the memory that a command was about, a time-out
 * also ends the adapter (ohca_hca_die(): no DMA from then on).
 */
#include "cmd.h"

#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/moduleparam.h>
#include <linux/refcount.h>
#include <linux/semaphore.h>
#include <linux/slab.h>

#include "cmd_table.h"
#include "hca.h"
#include "mbox.h"

#define MAX_SLOTS	32
#define QUEUE_BYTES	MLX5_ADAPTER_PAGE_SIZE
#define CMDIF_REV	5
#define MBOX_ALIGN	1024

static uint command_timeout = 60;
module_param(command_timeout, uint, 0644);
MODULE_PARM_DESC(command_timeout, "seconds that a device may take for a command (60)");

/* Not one of the device's: the adapter died first. */
#define DELIVERY_ABORTED	0xff

/**
 * struct cmd_ent - a command on its way
 * @refs: the caller's, and the device's
 * @done: the device, or ohca_cmd_abort_all(), has given it back
 * @in: mailboxes of the input
 * @out: mailboxes of the output
 * @slot: where it is
 * @delivery: delivery status
 * @head: first bytes of the output
 */
struct cmd_ent {
	refcount_t refs;
	struct completion done;
	struct ohca_mbox_chain in;
	struct ohca_mbox_chain out;
	u8 slot;
	u8 delivery;
	u8 head[OHCA_CMD_INLINE];
};

/**
 * struct ohca_cmd - the command interface
 * @queue: the slots
 * @dma: their bus address
 * @stride: bytes from one to the next, as a power of 2
 * @nr_slots: how many; the last one is for MANAGE_PAGES, so that a command that waits
 *            for pages never waits for itself
 * @mboxes: where mailboxes come from
 * @events: completions are told by the command event queue
 * @general: slots but the last that are free
 * @paging: the last slot is free
 * @lock: guards what follows
 * @ent: commands that the device has, by slot
 * @busy: slots in use
 * @token: of the latest command
 */
struct ohca_cmd {
	void *queue;
	dma_addr_t dma;
	u8 stride;
	u8 nr_slots;
	struct dma_pool *mboxes;
	bool events;
	struct semaphore general;
	struct semaphore paging;
	spinlock_t lock;
	struct cmd_ent *ent[MAX_SLOTS];
	DECLARE_BITMAP(busy, MAX_SLOTS);
	u8 token;
};

static struct mlx5_cmd_layout *slot_at(const struct ohca_cmd *cmd, u8 slot)
{
	return cmd->queue + ((size_t)slot << cmd->stride);
}

static void ent_put(struct ohca_cmd *cmd, struct cmd_ent *ent)
{
	if (!refcount_dec_and_test(&ent->refs))
		return;
	ohca_mbox_chain_free(cmd->mboxes, &ent->in);
	ohca_mbox_chain_free(cmd->mboxes, &ent->out);
	kfree(ent);
}

/* The device's side of a command ends. Under the lock; returns what to ent_put(). */
static struct cmd_ent *ent_finish(struct ohca_cmd *cmd, u8 slot, u8 delivery)
{
	struct cmd_ent *ent = cmd->ent[slot];

	ent->delivery = delivery;
	cmd->ent[slot] = NULL;
	__clear_bit(slot, cmd->busy);
	up(slot == cmd->nr_slots - 1 ? &cmd->paging : &cmd->general);
	complete_all(&ent->done);
	return ent;
}

static void complete_slot(struct ohca_cmd *cmd, u8 slot)
{
	struct mlx5_cmd_layout *lay = slot_at(cmd, slot);
	struct cmd_ent *ent = NULL;
	unsigned long flags;
	u8 status;

	spin_lock_irqsave(&cmd->lock, flags);
	status = READ_ONCE(lay->status_own);
	if (cmd->ent[slot] && !(status & OHCA_CMD_OWNER_HW)) {
		dma_rmb(); /* the answer was written before the ownership */
		memcpy(cmd->ent[slot]->head, lay->out, OHCA_CMD_INLINE);
		ent = ent_finish(cmd, slot, status >> 1);
	}
	spin_unlock_irqrestore(&cmd->lock, flags);
	if (ent)
		ent_put(cmd, ent);
}

/**
 * ohca_cmd_complete() - takes back what the device has given back
 * @hca: the adapter
 * @slots: the slots to look at, one bit each
 *
 * A slot that the device still owns, or that is not in use, is left alone.
 *
 * Context: any.
 */
void ohca_cmd_complete(struct ohca_hca *hca, u32 slots)
{
	struct ohca_cmd *cmd = hca->cmd;
	u8 slot;

	for (slot = 0; slot < cmd->nr_slots; slot++) {
		if (slots & BIT(slot))
			complete_slot(cmd, slot);
	}
}

/**
 * ohca_cmd_abort_all() - fails every command on its way
 * @hca: the adapter, which is dead: the device writes no memory any more, and no new
 *       command starts
 *
 * Context: any.
 */
void ohca_cmd_abort_all(struct ohca_hca *hca)
{
	struct ohca_cmd *cmd = hca->cmd;
	struct cmd_ent *ent;
	unsigned long flags;
	u8 slot;

	if (!cmd)
		return;
	for (slot = 0; slot < cmd->nr_slots; slot++) {
		spin_lock_irqsave(&cmd->lock, flags);
		ent = cmd->ent[slot];
		if (ent)
			ent_finish(cmd, slot, DELIVERY_ABORTED);
		spin_unlock_irqrestore(&cmd->lock, flags);
		if (ent)
			ent_put(cmd, ent);
	}
}

/* Takes a slot, which is free: the semaphore has been taken. Fails on a dead adapter. */
static int ent_start(struct ohca_hca *hca, struct cmd_ent *ent, const void *in, u32 inlen,
		     u32 outlen, bool paging)
{
	struct ohca_cmd *cmd = hca->cmd;
	struct mlx5_cmd_layout *lay;
	u8 token;

	spin_lock_irq(&cmd->lock);
	/* Read under the lock: ohca_cmd_abort_all() sees the command, or this the death. */
	if (ohca_hca_dead(hca)) {
		spin_unlock_irq(&cmd->lock);
		up(paging ? &cmd->paging : &cmd->general);
		return -EIO;
	}
	ent->slot = paging ? cmd->nr_slots - 1 :
		    find_first_zero_bit(cmd->busy, cmd->nr_slots - 1);
	__set_bit(ent->slot, cmd->busy);
	cmd->token = cmd->token == U8_MAX ? 1 : cmd->token + 1;
	token = cmd->token;
	spin_unlock_irq(&cmd->lock);

	ohca_mbox_chain_seal(&ent->in, in, inlen, token);
	ohca_mbox_chain_seal(&ent->out, NULL, outlen, token);
	lay = slot_at(cmd, ent->slot);
	refcount_inc(&ent->refs);

	spin_lock_irq(&cmd->lock);
	ohca_slot_encode(lay, in, inlen, ohca_mbox_chain_dma(&ent->in), outlen,
			 ohca_mbox_chain_dma(&ent->out), token);
	cmd->ent[ent->slot] = ent;
	if (ohca_hca_dead(hca)) {
		/* It died since: nobody else will end this. */
		ent_finish(cmd, ent->slot, DELIVERY_ABORTED);
		spin_unlock_irq(&cmd->lock);
		ent_put(cmd, ent);
		return 0;
	}
	wmb(); /* slot and mailboxes before the doorbell */
	iowrite32be(BIT(ent->slot), &hca->iseg->cmd_dbell);
	spin_unlock_irq(&cmd->lock);
	return 0;
}

/* No event queue yet, or none any more: look until the device has given it back. */
static void ent_poll(struct ohca_hca *hca, struct cmd_ent *ent, unsigned int ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(ms);
	unsigned int looks = 0;

	while (!completion_done(&ent->done) && time_before(jiffies, end)) {
		if (looks++ < 50)
			udelay(2);
		else
			usleep_range(50, 200);
		ohca_cmd_complete(hca, BIT(ent->slot));
	}
}

static void ent_wait(struct ohca_hca *hca, struct cmd_ent *ent, const char *name)
{
	unsigned int seconds = clamp(READ_ONCE(command_timeout), 1U, 3600U);
	unsigned int ms = seconds * MSEC_PER_SEC;
	u8 slot = ent->slot;

	if (!READ_ONCE(hca->cmd->events))
		ent_poll(hca, ent, ms);
	else if (!wait_for_completion_timeout(&ent->done, msecs_to_jiffies(ms)))
		ohca_cmd_complete(hca, BIT(slot));
	if (completion_done(&ent->done))
		return;
	ohca_hca_err(hca, "command %s: no answer in %u s\n", name, seconds);
	ohca_hca_die(hca, "a command was not answered");
	/* Which has ended all commands. */
	wait_for_completion(&ent->done);
}

/* Status of a command that came back: errno, and words in the log. */
static int answer(struct ohca_hca *hca, const struct cmd_ent *ent, const char *name,
		  const void *in, const void *out, bool quiet)
{
	const char *text;
	int err;

	if (ent->delivery) {
		ohca_hca_err_limited(hca, "command %s: not delivered: %s (0x%x)\n", name,
				     ohca_cmd_delivery(ent->delivery), ent->delivery);
		return -EIO;
	}
	err = ohca_cmd_status(MLX5_GET(nop_out, out, status), &text);
	if (err && !quiet)
		ohca_hca_err_limited(hca, "command %s, op_mod 0x%x: %s (0x%x), syndrome 0x%x\n",
				     name, MLX5_GET(nop_in, in, op_mod), text,
				     MLX5_GET(nop_out, out, status),
				     MLX5_GET(nop_out, out, syndrome));
	return err;
}

static int ent_run(struct ohca_hca *hca, struct cmd_ent *ent, const struct ohca_cmd_info *info,
		   const void *in, u32 inlen, void *out, u32 outlen, bool quiet)
{
	bool paging = info->op == MLX5_CMD_OP_MANAGE_PAGES;
	int err;

	down(paging ? &hca->cmd->paging : &hca->cmd->general);
	err = ent_start(hca, ent, in, inlen, outlen, paging);
	if (err)
		return info->gives_back ? 0 : err;
	ent_wait(hca, ent, info->name);
	if (ent->delivery == DELIVERY_ABORTED)
		return info->gives_back ? 0 : -EIO;
	memcpy(out, ent->head, min_t(u32, outlen, OHCA_CMD_INLINE));
	ohca_mbox_chain_read(&ent->out, out, outlen);
	return answer(hca, ent, info->name, in, out, quiet);
}

static int cmd_run(struct ohca_hca *hca, const void *in, u32 inlen, void *out, u32 outlen,
		   bool quiet)
{
	const struct ohca_cmd_info *info = ohca_cmd_info(MLX5_GET(nop_in, in, opcode));
	struct ohca_cmd *cmd = hca->cmd;
	struct cmd_ent *ent;
	int err;

	/* The driver's own mistake, told once where it is made. */
	if (WARN_ON_ONCE(!info || inlen < info->in || outlen < info->out))
		return -EINVAL;
	memset(out, 0, outlen);
	if (READ_ONCE(hca->state) != OHCA_HCA_UP)
		return info->gives_back ? 0 : -EIO;
	ent = kzalloc(sizeof(*ent), GFP_KERNEL);
	if (!ent)
		return -ENOMEM;
	refcount_set(&ent->refs, 1);
	init_completion(&ent->done);
	err = ohca_mbox_chain_alloc(cmd->mboxes, &ent->in, inlen);
	err = err ?: ohca_mbox_chain_alloc(cmd->mboxes, &ent->out, outlen);
	err = err ?: ent_run(hca, ent, info, in, inlen, out, outlen, quiet);
	ent_put(cmd, ent);
	return err;
}

/**
 * ohca_cmd_exec() - has the device execute a command, and waits for it
 * @hca: the adapter
 * @in: input; its opcode and everything else is set
 * @inlen: its length, bytes; at least what the table of commands says
 * @out: output
 * @outlen: its length, bytes
 *
 * A command that gives something back succeeds on a dead adapter: it has nothing and
 * touches nothing any more.
 *
 * Context: may sleep.
 * Return: 0; the errno of the device's status, which is in the log; -EIO: it was not
 * delivered, or the adapter is dead; -ENOMEM. @out is valid for 0 and for a status:
 * @out's own status field tells those from the rest, for which it is 0.
 */
int ohca_cmd_exec(struct ohca_hca *hca, const void *in, u32 inlen, void *out, u32 outlen)
{
	return cmd_run(hca, in, inlen, out, outlen, false);
}

/**
 * ohca_cmd_try() - ohca_cmd_exec(), where a failure is nothing to tell of
 * @hca: the adapter
 * @in: input
 * @inlen: its length, bytes
 * @out: output
 * @outlen: its length, bytes
 *
 * For what a user can get wrong.
 *
 * Context: may sleep.
 * Return: as ohca_cmd_exec().
 */
int ohca_cmd_try(struct ohca_hca *hca, const void *in, u32 inlen, void *out, u32 outlen)
{
	return cmd_run(hca, in, inlen, out, outlen, true);
}

/**
 * ohca_cmd_use_events() - changes how the end of a command is told
 * @hca: the adapter
 * @events: by the command event queue, which is there; else by polling
 *
 * Context: bring-up and teardown, while no other command runs.
 */
void ohca_cmd_use_events(struct ohca_hca *hca, bool events)
{
	WRITE_ONCE(hca->cmd->events, events);
}

/* What the initialization segment says of the queue. */
static int cmd_geometry(struct ohca_hca *hca, struct ohca_cmd *cmd)
{
	u32 rev = ioread32be(&hca->iseg->cmdif_rev_fw_sub) >> 16;
	u32 word = ioread32be(&hca->iseg->cmdq_addr_l_sz);
	u32 log_size = word >> 4 & 0xf, log_stride = word & 0xf;

	if (rev != CMDIF_REV) {
		ohca_hca_err(hca, "command interface revision %u, the driver knows %u\n", rev,
			     CMDIF_REV);
		return -EOPNOTSUPP;
	}
	/* One slot is for MANAGE_PAGES; and the queue is in one page. */
	if (log_size < 1 || log_size > 5 || log_size + log_stride > MLX5_ADAPTER_PAGE_SHIFT ||
	    1 << log_stride < sizeof(struct mlx5_cmd_layout)) {
		ohca_hca_err(hca, "command queue of 2^%u slots, 2^%u bytes each\n", log_size,
			     log_stride);
		return -EINVAL;
	}
	cmd->stride = log_stride;
	cmd->nr_slots = 1 << log_size;
	return 0;
}

/**
 * ohca_cmd_init() - gives the device its command queue
 * @hca: the adapter; its firmware has initialized, and it is a bus master
 *
 * Commands are polled for at first.
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP or -EINVAL: not an interface that the driver knows; -ENOMEM.
 */
int ohca_cmd_init(struct ohca_hca *hca)
{
	struct device *dev = &hca->pdev->dev;
	struct ohca_cmd *cmd;
	int err;

	cmd = kzalloc(sizeof(*cmd), GFP_KERNEL);
	if (!cmd)
		return -ENOMEM;
	err = cmd_geometry(hca, cmd);
	if (err)
		goto free_cmd;
	spin_lock_init(&cmd->lock);
	sema_init(&cmd->general, cmd->nr_slots - 1);
	sema_init(&cmd->paging, 1);
	err = -ENOMEM;
	cmd->mboxes = dma_pool_create("ohca_mbox", dev, sizeof(struct mlx5_cmd_prot_block),
				      MBOX_ALIGN, 0);
	if (!cmd->mboxes)
		goto free_cmd;
	/* A page at least is aligned to its size. */
	cmd->queue = dma_alloc_coherent(dev, QUEUE_BYTES, &cmd->dma, GFP_KERNEL);
	if (!cmd->queue)
		goto free_mboxes;
	hca->cmd = cmd;
	iowrite32be(upper_32_bits(cmd->dma), &hca->iseg->cmdq_addr_h);
	iowrite32be(lower_32_bits(cmd->dma), &hca->iseg->cmdq_addr_l_sz);
	wmb(); /* the address before any doorbell */
	return 0;

free_mboxes:
	dma_pool_destroy(cmd->mboxes);
free_cmd:
	kfree(cmd);
	return err;
}

/**
 * ohca_cmd_fini() - takes the command queue away
 * @hca: the adapter; no bus master any more
 *
 * Context: may sleep; no command runs.
 */
void ohca_cmd_fini(struct ohca_hca *hca)
{
	struct ohca_cmd *cmd = hca->cmd;

	hca->cmd = NULL;
	dma_free_coherent(&hca->pdev->dev, QUEUE_BYTES, cmd->queue, cmd->dma);
	dma_pool_destroy(cmd->mboxes);
	kfree(cmd);
}
