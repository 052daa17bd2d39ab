/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that the kernel shares with the device: queues and doorbell records.
 */
#ifndef OHCA_PCI_BUF_H
#define OHCA_PCI_BUF_H

#include <linux/mlx5/device.h>
#include <linux/types.h>

struct ohca_hca;

#define OHCA_DB_BYTES	64

/**
 * struct ohca_buf - a queue's memory, contiguous and coherent
 * @addr: for the CPU
 * @dma: for the device
 * @bytes: size, a multiple of MLX5_ADAPTER_PAGE_SIZE
 */
struct ohca_buf {
	void *addr;
	dma_addr_t dma;
	size_t bytes;
};

/**
 * struct ohca_db - a doorbell record, a cache line of its own
 * @rec: 16 words; zero at first
 * @dma: for the device
 */
struct ohca_db {
	__be32 *rec;
	dma_addr_t dma;
};

int ohca_buf_alloc(struct ohca_hca *hca, struct ohca_buf *buf, size_t bytes);
void ohca_buf_free(struct ohca_hca *hca, struct ohca_buf *buf);
void ohca_buf_fill_pas(const struct ohca_buf *buf, __be64 *pas);

int ohca_dbs_init(struct ohca_hca *hca);
void ohca_dbs_fini(struct ohca_hca *hca);
int ohca_db_alloc(struct ohca_hca *hca, struct ohca_db *db);
void ohca_db_free(struct ohca_hca *hca, struct ohca_db *db);

/**
 * ohca_buf_pages() - entries of the list of pages that ohca_buf_fill_pas() writes
 * @buf: the memory
 *
 * The context's log_page_size is 0, its page_offset 0.
 *
 * Return: how many.
 */
static inline u32 ohca_buf_pages(const struct ohca_buf *buf)
{
	return buf->bytes >> MLX5_ADAPTER_PAGE_SHIFT;
}

#endif /* OHCA_PCI_BUF_H */
