// SPDX-License-Identifier: GPL-2.0
/*
 * Page lists.
 *
 * A list is blocks of one size, a power of two as large as the memory allows: a
 * region of huge pages has an entry a huge page, one that is contiguous has one.
 * What an address means is then a subtraction, a shift and a load.
 */
#include <ohca/page_list.h>

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <ohca/compat.h>

/* Address of the first byte of a umem: its first page's, and the offset in it. */
static u64 umem_start(struct ib_umem *umem)
{
	return sg_dma_address(umem->sgt_append.sgt.sgl) + ib_umem_offset(umem);
}

static int list_alloc(struct ohca_page_list *pl, unsigned long max)
{
	memset(pl, 0, sizeof(*pl));
	if (!max)
		return -EINVAL;
	/* As many as user memory has pages: large, and charged like it. */
	pl->block = kvmalloc_array(max, sizeof(*pl->block), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pl->block)
		return -ENOMEM;
	pl->max = max;
	return 0;
}

static int list_from_umem(struct ohca_page_list *pl, struct ib_umem *umem, u64 iova,
			  unsigned long sizes, u64 virt)
{
	struct ib_block_iter iter;
	unsigned long size;
	int err;

	memset(pl, 0, sizeof(*pl));
	if (!umem->length || umem->length - 1 > U64_MAX - iova)
		return -EINVAL;
	size = ib_umem_find_best_pgsz(umem, sizes, virt);
	if (!size)
		return -EINVAL;
	err = list_alloc(pl, ib_umem_num_dma_blocks(umem, size));
	if (err)
		return err;

	rdma_umem_for_each_dma_block(umem, &iter, size) {
		if (pl->nr == pl->max)
			goto too_short;
		pl->block[pl->nr++] = rdma_block_iter_dma_address(&iter);
	}
	if (pl->nr != pl->max)
		goto too_short;

	pl->iova = iova;
	pl->length = umem->length;
	pl->shift = __ffs(size);
	pl->offset = umem_start(umem) & (size - 1);
	return 0;

too_short:
	ohca_page_list_fini(pl);
	return -EINVAL;
}

/**
 * ohca_page_list_init_umem() - the blocks of pinned memory, for software to touch
 * @pl: to fill
 * @umem: pinned for a device without DMA (INFINIBAND_VIRT_DMA, dma_device NULL);
 *        outlives the list
 * @iova: I/O virtual address of its first byte, any
 *
 * Such a device's DMA addresses are kernel virtual addresses. @iova need not be
 * aligned like the memory: blocks are cut by where the memory is.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: empty, or @iova wraps; -EOPNOTSUPP: not ordinary memory;
 * -ENOMEM.
 */
int ohca_page_list_init_umem(struct ohca_page_list *pl, struct ib_umem *umem, u64 iova)
{
	memset(pl, 0, sizeof(*pl));
	if (umem->is_odp || umem->is_dmabuf || !ib_uses_virt_dma(umem->ibdev))
		return -EOPNOTSUPP;
	return list_from_umem(pl, umem, iova, PAGE_MASK, umem_start(umem));
}
EXPORT_SYMBOL_GPL(ohca_page_list_init_umem);

/**
 * ohca_page_list_init_dma() - the blocks of pinned memory, for a device to touch
 * @pl: to fill
 * @umem: pinned and mapped for the device (or a mapped dma-buf); outlives the list
 * @iova: I/O virtual address of its first byte
 * @sizes: bitmap of the block sizes the device knows
 *
 * A device takes the offset in a block from the address it is given, so blocks
 * are such that I/O virtual and bus address agree in it.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: empty, @iova wraps, or no size of @sizes fits; -EOPNOTSUPP:
 * the memory is paged on demand; -ENOMEM.
 */
int ohca_page_list_init_dma(struct ohca_page_list *pl, struct ib_umem *umem, u64 iova,
			    unsigned long sizes)
{
	memset(pl, 0, sizeof(*pl));
	if (umem->is_odp || ib_uses_virt_dma(umem->ibdev))
		return -EOPNOTSUPP;
	return list_from_umem(pl, umem, iova, sizes, iova);
}
EXPORT_SYMBOL_GPL(ohca_page_list_init_dma);

/**
 * ohca_page_list_init_empty() - a list that is filled by hand (fast registration)
 * @pl: to fill
 * @max: blocks it can hold
 *
 * Context: may sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int ohca_page_list_init_empty(struct ohca_page_list *pl, unsigned long max)
{
	return list_alloc(pl, max);
}
EXPORT_SYMBOL_GPL(ohca_page_list_init_empty);

/**
 * ohca_page_list_add() - appends a block
 * @pl: the list
 * @addr: the block's address, as struct ohca_page_list has it
 *
 * Suits ib_sg_to_pages(). The list means nothing until ohca_page_list_set().
 *
 * Context: any; nobody else uses the list.
 * Return: 0 or -ENOMEM: it is full.
 */
int ohca_page_list_add(struct ohca_page_list *pl, u64 addr)
{
	if (pl->nr == pl->max)
		return -ENOMEM;
	pl->block[pl->nr++] = addr;
	return 0;
}
EXPORT_SYMBOL_GPL(ohca_page_list_add);

/**
 * ohca_page_list_set() - says what the blocks that were added are
 * @pl: the list
 * @iova: I/O virtual address of the first byte; its offset in a block is the
 *        byte's in the first block
 * @length: bytes
 * @shift: log2 of a block's bytes
 *
 * Context: any; nobody else uses the list.
 * Return: 0; -EINVAL: @iova wraps, or the blocks are too few; the list is then empty.
 */
int ohca_page_list_set(struct ohca_page_list *pl, u64 iova, u64 length, unsigned int shift)
{
	u64 offset;

	pl->length = 0;
	if (shift >= BITS_PER_LONG || (length && length - 1 > U64_MAX - iova))
		return -EINVAL;
	offset = iova & (BIT_ULL(shift) - 1);
	if (length && (length - 1 > U64_MAX - offset ||
		       (offset + length - 1) >> shift >= pl->nr))
		return -EINVAL;
	pl->iova = iova;
	pl->length = length;
	pl->shift = shift;
	pl->offset = offset;
	return 0;
}
EXPORT_SYMBOL_GPL(ohca_page_list_set);

/**
 * ohca_page_list_clear() - empties a list, which keeps its room
 * @pl: the list
 *
 * Context: any; nobody else uses the list.
 */
void ohca_page_list_clear(struct ohca_page_list *pl)
{
	pl->length = 0;
	pl->nr = 0;
}
EXPORT_SYMBOL_GPL(ohca_page_list_clear);

/**
 * ohca_page_list_fini() - frees a list
 * @pl: the list; all zeroes is fine
 *
 * Context: may sleep. Nobody else uses the list.
 */
void ohca_page_list_fini(struct ohca_page_list *pl)
{
	kvfree(pl->block);
	memset(pl, 0, sizeof(*pl));
}
EXPORT_SYMBOL_GPL(ohca_page_list_fini);

/**
 * ohca_page_list_run() - the bytes from an address on that lie in a row
 * @pl: a list of kernel virtual addresses
 * @addr: I/O virtual address
 * @len: bytes wanted
 * @kva: set to where the byte at @addr is
 *
 * Called again with what is left it walks the range. Neighbouring blocks are
 * joined if they are neighbours in memory too, so that runs are as long as can be.
 * Safe for any @addr and @len; ohca_page_list_check() tells beforehand whether
 * the whole range is there.
 *
 * Context: any.
 * Return: bytes at @kva, at most @len; 0 if @len is 0 or a byte of the range is
 * outside the region.
 */
u32 ohca_page_list_run(const struct ohca_page_list *pl, u64 addr, u32 len, void **kva)
{
	u64 at, base, run;
	unsigned long i;

	if (!len || ohca_page_list_check(pl, addr, len))
		return 0;
	at = addr - pl->iova + pl->offset;
	i = at >> pl->shift;
	at &= BIT_ULL(pl->shift) - 1;
	base = pl->block[i];
	*kva = (void *)(uintptr_t)(base + at);
	for (run = BIT_ULL(pl->shift) - at; run < len; run += BIT_ULL(pl->shift)) {
		if (pl->block[i + 1] - pl->block[i] != BIT_ULL(pl->shift))
			return run;
		i++;
	}
	return len;
}
EXPORT_SYMBOL_GPL(ohca_page_list_run);
