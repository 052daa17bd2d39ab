/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mailboxes: chains of blocks that carry what does not fit into a command's slot, and
 * the slot itself, as the device reads them.
 */
#ifndef OHCA_PCI_MBOX_H
#define OHCA_PCI_MBOX_H

#include <linux/mlx5/device.h>
#include <linux/types.h>

struct dma_pool;

/* Bytes of input and of output that a slot itself has room for. */
#define OHCA_CMD_INLINE		16
#define OHCA_CMD_TYPE_PCIE	7
#define OHCA_CMD_OWNER_HW	BIT(0)

/**
 * struct ohca_mbox - a block
 * @block: for the CPU
 * @dma: for the device
 */
struct ohca_mbox {
	struct mlx5_cmd_prot_block *block;
	dma_addr_t dma;
};

/**
 * struct ohca_mbox_chain - the mailboxes of a command's input or output
 * @mbox: the blocks, in order
 * @count: how many
 */
struct ohca_mbox_chain {
	struct ohca_mbox *mbox;
	u32 count;
};

u8 ohca_xor8(const void *data, size_t len);
u32 ohca_mbox_count(u32 len);
void ohca_mbox_encode(struct mlx5_cmd_prot_block *block, u32 number, u64 next, u8 token);
void ohca_slot_encode(struct mlx5_cmd_layout *slot, const void *in, u32 inlen, u64 in_ptr,
		      u32 outlen, u64 out_ptr, u8 token);

int ohca_mbox_chain_alloc(struct dma_pool *pool, struct ohca_mbox_chain *chain, u32 len);
void ohca_mbox_chain_free(struct dma_pool *pool, struct ohca_mbox_chain *chain);
void ohca_mbox_chain_seal(struct ohca_mbox_chain *chain, const void *data, u32 len, u8 token);
void ohca_mbox_chain_read(const struct ohca_mbox_chain *chain, void *data, u32 len);

/**
 * ohca_mbox_chain_dma() - bus address of a chain, for the slot
 * @chain: the chain
 *
 * Return: the address; 0 if the chain is empty.
 */
static inline u64 ohca_mbox_chain_dma(const struct ohca_mbox_chain *chain)
{
	return chain->count ? chain->mbox[0].dma : 0;
}

#endif /* OHCA_PCI_MBOX_H */
