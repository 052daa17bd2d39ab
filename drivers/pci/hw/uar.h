/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User access regions: pages of BAR 0 with doorbells.
 */
#ifndef OHCA_PCI_UAR_H
#define OHCA_PCI_UAR_H

#include <linux/io.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/doorbell.h>
#include <linux/types.h>

struct ohca_hca;

/* Within a UAR. */
#define OHCA_UAR_BYTES		MLX5_ADAPTER_PAGE_SIZE
#define OHCA_UAR_CQ_ARM		0x20
#define OHCA_UAR_EQ_ARM		0x40
#define OHCA_UAR_EQ_UPDATE	0x48
#define OHCA_UAR_BLUEFLAME	0x800

/**
 * struct ohca_uar - a UAR
 * @index: its number, for contexts of queues
 * @addr: physical address, OHCA_UAR_BYTES of it; user space maps it write-combining or
 *        non-cached
 * @map: the kernel's mapping (non-cached); NULL: not mapped
 */
struct ohca_uar {
	u32 index;
	phys_addr_t addr;
	void __iomem *map;
};

int ohca_uar_alloc(struct ohca_hca *hca, struct ohca_uar *uar, bool map);
void ohca_uar_free(struct ohca_hca *hca, struct ohca_uar *uar);

/**
 * ohca_uar_send() - rings a send queue's doorbell
 * @uar: the queue's UAR, mapped
 * @ctrl: first 8 bytes of the last WQE (struct mlx5_wqe_ctrl_seg)
 *
 * The doorbell record has been written before, with a dma_wmb() between WQE and
 * record, and a wmb() between record and this.
 *
 * Context: any; callers of one UAR need no lock: it is one 8-byte store.
 */
static inline void ohca_uar_send(const struct ohca_uar *uar, const void *ctrl)
{
	mlx5_write64((__be32 *)ctrl, uar->map + OHCA_UAR_BLUEFLAME);
}

#endif /* OHCA_PCI_UAR_H */
