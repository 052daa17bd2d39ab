// SPDX-License-Identifier: GPL-2.0
/*
 * Mailboxes and slots of the command interface (PRM, command interface).
 */
#include "mbox.h"

#include <linux/dmapool.h>
#include <linux/slab.h>

/**
 * ohca_xor8() - exclusive or of bytes
 * @data: the bytes
 * @len: how many
 *
 * Context: any.
 * Return: the result.
 */
u8 ohca_xor8(const void *data, size_t len)
{
	const u8 *p = data;
	u8 sum = 0;

	while (len--)
		sum ^= *p++;
	return sum;
}

/**
 * ohca_mbox_count() - blocks that input or output of a command needs
 * @len: its length, bytes
 *
 * Context: any.
 * Return: how many.
 */
u32 ohca_mbox_count(u32 len)
{
	return len <= OHCA_CMD_INLINE ? 0 :
	       DIV_ROUND_UP(len - OHCA_CMD_INLINE, MLX5_CMD_DATA_BLOCK_SIZE);
}

/**
 * ohca_mbox_encode() - completes a block whose data is in place
 * @block: the block
 * @number: its place in the chain
 * @next: bus address of the one behind it, or 0
 * @token: of the command
 *
 * One signature is of all that is not data, one of the whole block: bytes and
 * signature exclusive-or to 0xff.
 *
 * Context: any.
 */
void ohca_mbox_encode(struct mlx5_cmd_prot_block *block, u32 number, u64 next, u8 token)
{
	const size_t from = offsetof(struct mlx5_cmd_prot_block, rsvd0);
	const size_t to = offsetof(struct mlx5_cmd_prot_block, ctrl_sig);

	memset(block->rsvd0, 0, sizeof(block->rsvd0));
	block->next = cpu_to_be64(next);
	block->block_num = cpu_to_be32(number);
	block->rsvd1 = 0;
	block->token = token;
	block->ctrl_sig = ~ohca_xor8((u8 *)block + from, to - from);
	block->sig = 0;
	block->sig = ~ohca_xor8(block, sizeof(*block));
}

/**
 * ohca_slot_encode() - fills a slot of the command queue, the device its owner
 * @slot: the slot
 * @in: the input, of which the first 16 bytes are in the slot
 * @inlen: its length, bytes
 * @in_ptr: bus address of the mailboxes with the rest, or 0
 * @outlen: length of the output
 * @out_ptr: bus address of the mailboxes for it, or 0
 * @token: the same as in the mailboxes
 *
 * Context: any. The device sees none of it before the doorbell.
 */
void ohca_slot_encode(struct mlx5_cmd_layout *slot, const void *in, u32 inlen, u64 in_ptr,
		      u32 outlen, u64 out_ptr, u8 token)
{
	memset(slot, 0, sizeof(*slot));
	slot->type = OHCA_CMD_TYPE_PCIE;
	slot->inlen = cpu_to_be32(inlen);
	slot->in_ptr = cpu_to_be64(in_ptr);
	memcpy(slot->in, in, min_t(u32, inlen, OHCA_CMD_INLINE));
	slot->out_ptr = cpu_to_be64(out_ptr);
	slot->outlen = cpu_to_be32(outlen);
	slot->token = token;
	slot->status_own = OHCA_CMD_OWNER_HW;
	slot->sig = ~ohca_xor8(slot, sizeof(*slot));
}

/**
 * ohca_mbox_chain_alloc() - makes the mailboxes of an input or an output
 * @pool: where they come from
 * @chain: to fill
 * @len: length of the input or output, what the slot holds included
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; then nothing was allocated.
 */
int ohca_mbox_chain_alloc(struct dma_pool *pool, struct ohca_mbox_chain *chain, u32 len)
{
	u32 wanted = ohca_mbox_count(len);

	chain->count = 0;
	chain->mbox = NULL;
	if (!wanted)
		return 0;
	chain->mbox = kcalloc(wanted, sizeof(*chain->mbox), GFP_KERNEL);
	if (!chain->mbox)
		return -ENOMEM;
	for (; chain->count < wanted; chain->count++) {
		struct ohca_mbox *mbox = &chain->mbox[chain->count];

		mbox->block = dma_pool_zalloc(pool, GFP_KERNEL, &mbox->dma);
		if (!mbox->block) {
			ohca_mbox_chain_free(pool, chain);
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * ohca_mbox_chain_free() - gives the mailboxes back
 * @pool: where they came from
 * @chain: the chain; empty afterwards
 *
 * Context: any.
 */
void ohca_mbox_chain_free(struct dma_pool *pool, struct ohca_mbox_chain *chain)
{
	while (chain->count) {
		struct ohca_mbox *mbox = &chain->mbox[--chain->count];

		dma_pool_free(pool, mbox->block, mbox->dma);
	}
	kfree(chain->mbox);
	chain->mbox = NULL;
}

/**
 * ohca_mbox_chain_seal() - makes a chain ready for the device
 * @chain: the chain
 * @data: what goes into it, from its first byte, those in the slot included; NULL:
 *        it is for output
 * @len: length of @data
 * @token: of the command
 *
 * Context: any.
 */
void ohca_mbox_chain_seal(struct ohca_mbox_chain *chain, const void *data, u32 len, u8 token)
{
	u32 i, n, at = OHCA_CMD_INLINE;

	for (i = 0; i < chain->count; i++, at += n) {
		n = MLX5_CMD_DATA_BLOCK_SIZE;
		if (data) {
			n = min_t(u32, n, len - at);
			memcpy(chain->mbox[i].block->data, data + at, n);
		}
		ohca_mbox_encode(chain->mbox[i].block, i,
				 i + 1 < chain->count ? chain->mbox[i + 1].dma : 0, token);
	}
}

/**
 * ohca_mbox_chain_read() - copies an output out of its mailboxes
 * @chain: the chain
 * @data: the output; its first 16 bytes are the slot's, and stay as they are
 * @len: its length
 *
 * Context: any; the device has given the slot back.
 */
void ohca_mbox_chain_read(const struct ohca_mbox_chain *chain, void *data, u32 len)
{
	u32 i, n, at = OHCA_CMD_INLINE;

	for (i = 0; i < chain->count && at < len; i++, at += n) {
		n = min_t(u32, MLX5_CMD_DATA_BLOCK_SIZE, len - at);
		memcpy(data + at, chain->mbox[i].block->data, n);
	}
}
