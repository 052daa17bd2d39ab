/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The adapter: one PCI function, and what its parts share.
 *
 * Everything in hw/ speaks to the device: it brings it up, carries commands, hands
 * out event queues, and knows nothing of verbs or of netdevs. Those are functions on
 * top (struct ohca_function), which the module hands to it and which it calls.
 */
#ifndef OHCA_PCI_HCA_H
#define OHCA_PCI_HCA_H

#include <linux/ethtool.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/driver.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/xarray.h>

#include "caps.h"
#include "uar.h"

struct dma_pool;
struct net_device;
struct ohca_cmd;
struct ohca_eqs;
struct ohca_eth;
struct ohca_hca;
struct ohca_health;
struct ohca_ib;
struct ohca_pages;

/**
 * struct ohca_function - what the module builds on an adapter
 * @name: for messages
 * @add: the adapter is up: make it. An error is told in the log, and the other
 *       functions go on.
 * @remove: undo @add. The adapter may be in error (ohca_hca_dead()): then no command
 *          reaches it, and the device does no DMA any more.
 * @suspend: the adapter goes down for a while (suspend, reset, recovery): give all of
 *           the device's objects back, keep what users see
 * @resume: it is up again; on an error the function is removed
 *
 * All may sleep, and are called one at a time. Without @suspend and @resume, which
 * come together or not at all, the function is removed and added again.
 */
struct ohca_function {
	const char *name;
	int (*add)(struct ohca_hca *hca);
	void (*remove)(struct ohca_hca *hca);
	void (*suspend)(struct ohca_hca *hca);
	int (*resume)(struct ohca_hca *hca);
};

#define OHCA_MAX_FUNCTIONS	4

/* How far the adapter is up. */
enum ohca_hca_state {
	OHCA_HCA_DOWN,	/* not brought up, or torn down in order */
	OHCA_HCA_UP,	/* commands go through */
	OHCA_HCA_DEAD,	/* it failed or has gone: commands fail at once, no DMA */
};

/**
 * struct ohca_key - memory keys that are always there (QUERY_SPECIAL_CONTEXTS)
 * @reserved_lkey: all of memory, for work requests of the kernel's QPs whose context
 *                 says rlky; any PD
 * @null_mkey: reads as zeros, takes and forgets what is written; big-endian, as a WQE
 *             wants it; valid if MLX5_CAP_GEN(hca, null_mkey)
 * @dump_fill_mkey: the same for user space; if MLX5_CAP_GEN(hca, dump_fill_mkey)
 * @terminate_mkey: ends a scatter list; 0x100 if the device has no other
 */
struct ohca_key {
	u32 reserved_lkey;
	__be32 null_mkey;
	u32 dump_fill_mkey;
	__be32 terminate_mkey;
};

/**
 * struct ohca_hca - an adapter
 * @pdev: its PCI function
 * @iseg: initialization segment, at the start of BAR 0
 * @bar: physical address of BAR 0
 * @bar_bytes: its size
 * @state: enum ohca_hca_state; written under @lifecycle or, to DEAD, by ohca_hca_die()
 * @lifecycle: one bring-up, teardown, reset or recovery at a time
 * @loaded: the stages of load.c are done and not undone; under @lifecycle
 * @added: functions that are there, one bit each; under @lifecycle
 * @suspended: functions that were suspended, one bit each; under @lifecycle
 * @issi: interface step that the device speaks
 * @caps: capabilities: the kernel's MLX5_CAP_GEN(hca, field) and its like read it
 * @fw_version: firmware version, as sysfs and ethtool show it
 * @board_id: PSID, from QUERY_ADAPTER; ends with a 0
 * @dbs: where doorbell records come from
 * @cmd: command interface
 * @pages: pages that the device has been given
 * @eqs: interrupts and event queues
 * @health: watches it
 * @uar: the kernel's doorbells: event queues, CQs and QPs of the kernel
 * @key: memory keys that are always there
 * @events: asynchronous events; see event.h
 * @res: queues that can have events, by kind and number; see event.h
 * @cqs: all CQs, by number; see cq.h
 * @netdev: the Ethernet function's, for as long as that is there; NULL: none
 * @eth: the Ethernet function's own
 * @ib: the verbs' own
 *
 * drvdata of @pdev.
 */
struct ohca_hca {
	struct pci_dev *pdev;
	struct mlx5_init_seg __iomem *iseg;
	phys_addr_t bar;
	resource_size_t bar_bytes;
	enum ohca_hca_state state;
	struct mutex lifecycle;
	bool loaded;
	unsigned long added;
	unsigned long suspended;
	u16 issi;
	struct ohca_caps caps;
	char fw_version[ETHTOOL_FWVERS_LEN];
	char board_id[MLX5_BOARD_ID_LEN + 1];
	struct dma_pool *dbs;
	struct ohca_cmd *cmd;
	struct ohca_pages *pages;
	struct ohca_eqs *eqs;
	struct ohca_health *health;
	struct ohca_uar uar;
	struct ohca_key key;
	struct atomic_notifier_head events;
	struct xarray res;
	struct xarray cqs;
	struct net_device *netdev;
	struct ohca_eth *eth;
	struct ohca_ib *ib;
};

#define ohca_hca_err(hca, fmt, ...)	dev_err(&(hca)->pdev->dev, fmt, ##__VA_ARGS__)
#define ohca_hca_warn(hca, fmt, ...)	dev_warn(&(hca)->pdev->dev, fmt, ##__VA_ARGS__)
#define ohca_hca_info(hca, fmt, ...)	dev_info(&(hca)->pdev->dev, fmt, ##__VA_ARGS__)
#define ohca_hca_dbg(hca, fmt, ...)	dev_dbg(&(hca)->pdev->dev, fmt, ##__VA_ARGS__)
#define ohca_hca_err_limited(hca, fmt, ...)						\
	dev_err_ratelimited(&(hca)->pdev->dev, fmt, ##__VA_ARGS__)

/**
 * ohca_hca_dead() - whether the adapter has failed or gone
 * @hca: the adapter
 *
 * Context: any.
 * Return: the answer, which can be old at once, but never goes back while functions
 * are there.
 */
static inline bool ohca_hca_dead(const struct ohca_hca *hca)
{
	return READ_ONCE(hca->state) == OHCA_HCA_DEAD;
}

/* probe.c */
int ohca_pci_register(const struct ohca_function *const *functions);
void ohca_pci_unregister(void);

/* load.c: from a mapped BAR to running event queues, and back. */
int ohca_hca_load(struct ohca_hca *hca);
void ohca_hca_unload(struct ohca_hca *hca);

/* function.c: what is built on top. */
void ohca_functions_set(const struct ohca_function *const *functions);
void ohca_functions_add(struct ohca_hca *hca);
void ohca_functions_remove(struct ohca_hca *hca);
void ohca_functions_suspend(struct ohca_hca *hca);
void ohca_functions_resume(struct ohca_hca *hca);

/* health.c */
void ohca_hca_die(struct ohca_hca *hca, const char *why);

#endif /* OHCA_PCI_HCA_H */
