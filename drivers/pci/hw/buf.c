// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the kernel shares with the device.
 */
#include "buf.h"

#include <linux/dma-mapping.h>
#include <linux/dmapool.h>

#include "hca.h"

/**
 * ohca_buf_alloc() - allocates memory for a queue
 * @hca: the adapter
 * @buf: to fill; zeroed
 * @bytes: at least so much
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ohca_buf_alloc(struct ohca_hca *hca, struct ohca_buf *buf, size_t bytes)
{
	buf->bytes = ALIGN(bytes, MLX5_ADAPTER_PAGE_SIZE);
	buf->addr = dma_alloc_coherent(&hca->pdev->dev, buf->bytes, &buf->dma, GFP_KERNEL);
	return buf->addr ? 0 : -ENOMEM;
}

/**
 * ohca_buf_free() - frees it
 * @hca: the adapter
 * @buf: the device does not use it any more
 *
 * Context: may sleep.
 */
void ohca_buf_free(struct ohca_hca *hca, struct ohca_buf *buf)
{
	dma_free_coherent(&hca->pdev->dev, buf->bytes, buf->addr, buf->dma);
	buf->addr = NULL;
}

/**
 * ohca_buf_fill_pas() - writes the list of pages that a create command takes
 * @buf: the memory
 * @pas: ohca_buf_pages() entries
 *
 * Context: any.
 */
void ohca_buf_fill_pas(const struct ohca_buf *buf, __be64 *pas)
{
	u32 i;

	for (i = 0; i < ohca_buf_pages(buf); i++)
		pas[i] = cpu_to_be64(buf->dma + ((u64)i << MLX5_ADAPTER_PAGE_SHIFT));
}

/**
 * ohca_db_alloc() - allocates a doorbell record
 * @hca: the adapter
 * @db: to fill; zeroed
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ohca_db_alloc(struct ohca_hca *hca, struct ohca_db *db)
{
	db->rec = dma_pool_zalloc(hca->dbs, GFP_KERNEL, &db->dma);
	return db->rec ? 0 : -ENOMEM;
}

/**
 * ohca_db_free() - frees it
 * @hca: the adapter
 * @db: the device does not read it any more
 *
 * Context: any.
 */
void ohca_db_free(struct ohca_hca *hca, struct ohca_db *db)
{
	dma_pool_free(hca->dbs, db->rec, db->dma);
	db->rec = NULL;
}

/**
 * ohca_dbs_init() - makes where doorbell records come from
 * @hca: the adapter
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ohca_dbs_init(struct ohca_hca *hca)
{
	hca->dbs = dma_pool_create("ohca_db", &hca->pdev->dev, OHCA_DB_BYTES, OHCA_DB_BYTES, 0);
	return hca->dbs ? 0 : -ENOMEM;
}

/**
 * ohca_dbs_fini() - undoes ohca_dbs_init()
 * @hca: the adapter; all records are free
 *
 * Context: may sleep.
 */
void ohca_dbs_fini(struct ohca_hca *hca)
{
	dma_pool_destroy(hca->dbs);
	hca->dbs = NULL;
}
