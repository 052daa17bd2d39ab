/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page lists: from pinned memory to blocks of one size, for a quick way from an
 * I/O virtual address to where the byte is.
 */
#ifndef OHCA_PAGE_LIST_H
#define OHCA_PAGE_LIST_H

#include <linux/types.h>
#include <linux/errno.h>

struct ib_umem;

/**
 * struct ohca_page_list - the blocks of a memory region, in order
 * @iova: I/O virtual address of the first byte
 * @length: bytes
 * @offset: of the first byte in the first block
 * @shift: log2 of a block's bytes
 * @nr: blocks in @block
 * @max: blocks that @block has room for
 * @block: address of each block, aligned to its size: a kernel virtual address
 *         for a software device, a bus address for a PCI one. NULL: no list
 *
 * The list takes no reference: what it was made from outlives it. It does not
 * change while others use it, so reading needs no lock.
 */
struct ohca_page_list {
	u64 iova;
	u64 length;
	u64 offset;
	unsigned int shift;
	unsigned long nr;
	unsigned long max;
	u64 *block;
};

int ohca_page_list_init_umem(struct ohca_page_list *pl, struct ib_umem *umem, u64 iova);
int ohca_page_list_init_dma(struct ohca_page_list *pl, struct ib_umem *umem, u64 iova,
			    unsigned long sizes);
int ohca_page_list_init_empty(struct ohca_page_list *pl, unsigned long max);
int ohca_page_list_add(struct ohca_page_list *pl, u64 addr);
int ohca_page_list_set(struct ohca_page_list *pl, u64 iova, u64 length, unsigned int shift);
void ohca_page_list_clear(struct ohca_page_list *pl);
void ohca_page_list_fini(struct ohca_page_list *pl);
u32 ohca_page_list_run(const struct ohca_page_list *pl, u64 addr, u32 len, void **kva);

/**
 * ohca_page_list_check() - whether a range lies in a region
 * @pl: the list
 * @addr: I/O virtual address, any value
 * @len: bytes, any value
 *
 * Bounds are taken by subtraction, as a sum of a peer's numbers can wrap.
 *
 * Context: any.
 * Return: 0, or -EFAULT if a byte is outside.
 */
static inline int ohca_page_list_check(const struct ohca_page_list *pl, u64 addr, u64 len)
{
	u64 at = addr - pl->iova;

	if (addr < pl->iova || at > pl->length || len > pl->length - at)
		return -EFAULT;
	return 0;
}

#endif /* OHCA_PAGE_LIST_H */
