/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of queues: the entries, and the doorbell record beside them.
 */
#ifndef OHCA_PCI_VERBS_MEM_H
#define OHCA_PCI_VERBS_MEM_H

#include <linux/types.h>
#include <ohca/page_list.h>

#include "../hw/buf.h"

struct ib_device;
struct ib_umem;
struct verbs_db_page;
struct verbs_ucontext;

/* Bits of a context's page_offset. */
#define VERBS_OFFSET_BITS	6
#define VERBS_OFFSET_BITS_WQ	5

/**
 * struct verbs_mem - a queue's memory: a program's, pinned, or the kernel's
 * @umem: a program's; NULL: the kernel's, or none
 * @pages: of @umem
 * @buf: the kernel's
 * @log_page_size: for the context: log2 of a page, less 12
 * @page_offset: for the context: of the first entry in the first page, in 64ths of it
 */
struct verbs_mem {
	struct ib_umem *umem;
	struct ohca_page_list pages;
	struct ohca_buf buf;
	u8 log_page_size;
	u8 page_offset;
};

/**
 * struct verbs_db - a queue's doorbell record
 * @dma: for the device
 * @rec: the kernel's; NULL: a program's
 * @page: a program's: the pinned page that it is on
 * @kernel: the kernel's
 */
struct verbs_db {
	dma_addr_t dma;
	__be32 *rec;
	struct verbs_db_page *page;
	struct ohca_db kernel;
};

int verbs_mem_user(struct ib_device *ibdev, struct verbs_mem *mem, u64 addr, u64 bytes,
		   unsigned int offset_bits);
int verbs_mem_kernel(struct ib_device *ibdev, struct verbs_mem *mem, u64 bytes);
void verbs_mem_free(struct ib_device *ibdev, struct verbs_mem *mem);
u32 verbs_mem_pages(const struct verbs_mem *mem);
void verbs_mem_write(const struct verbs_mem *mem, __be64 *pas);

int verbs_db_user(struct verbs_ucontext *uctx, struct verbs_db *db, u64 addr);
int verbs_db_kernel(struct ib_device *ibdev, struct verbs_db *db);
void verbs_db_free(struct ib_device *ibdev, struct verbs_db *db);

/* The kernel's queues lie in one piece. */
static inline void *verbs_mem_at(const struct verbs_mem *mem, u32 offset)
{
	return (u8 *)mem->buf.addr + offset;
}

#endif /* OHCA_PCI_VERBS_MEM_H */
