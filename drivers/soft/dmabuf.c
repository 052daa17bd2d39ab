// SPDX-License-Identifier: GPL-2.0
/*
 * Regions over dma-bufs.
 *
 * There is no device to map a buffer for: it is mapped into the kernel, where it
 * stays for as long as it is mapped, and is read and written there. A buffer whose
 * exporter can't do that, or whose memory is a device's, is refused.
 */
#include "dmabuf.h"

#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/slab.h>
#include <ohca/compat.h>
#include <ohca/page_list.h>

OHCA_IMPORT_NS("DMA_BUF");

/**
 * struct soft_dmabuf - a dma-buf that is mapped
 * @buf: the buffer, with a reference
 * @map: where it is
 */
struct soft_dmabuf {
	struct dma_buf *buf;
	struct iosys_map map;
};

static int list_pages(struct ohca_page_list *pages, void *from, u64 offset, u64 length, u64 iova)
{
	u64 first = offset & PAGE_MASK, at;
	int err;

	err = ohca_page_list_init_empty(pages, (PAGE_ALIGN(offset + length) - first) >> PAGE_SHIFT);
	if (err)
		return err;
	for (at = first; at < offset + length; at += PAGE_SIZE)
		ohca_page_list_add(pages, (uintptr_t)from + at);
	err = ohca_page_list_set(pages, iova, length, PAGE_SHIFT);
	if (err)
		ohca_page_list_fini(pages);
	return err;
}

static int map(struct soft_dmabuf *d, u64 offset, u64 length)
{
	int err;

	if (!length || offset > d->buf->size || length > d->buf->size - offset)
		return -EINVAL;
	err = dma_buf_vmap_unlocked(d->buf, &d->map);
	if (err)
		return err;
	err = d->map.is_iomem ? -EOPNOTSUPP : dma_buf_begin_cpu_access(d->buf, DMA_BIDIRECTIONAL);
	if (err)
		dma_buf_vunmap_unlocked(d->buf, &d->map);
	return err;
}

static void unmap(struct soft_dmabuf *d)
{
	dma_buf_end_cpu_access(d->buf, DMA_BIDIRECTIONAL);
	dma_buf_vunmap_unlocked(d->buf, &d->map);
}

/**
 * soft_dmabuf_get() - maps a range of a dma-buf
 * @fd: the program's descriptor of it
 * @offset: first byte
 * @length: bytes
 * @iova: I/O virtual address of that byte; as far into a page as it
 * @pages: filled; the caller's to free
 *
 * Context: may sleep.
 * Return: the buffer or an ERR_PTR: -EBADF or -EINVAL: not a dma-buf; -EINVAL: the
 * range; -EOPNOTSUPP, or what the exporter says: it can't be mapped; -ENOMEM.
 */
struct soft_dmabuf *soft_dmabuf_get(int fd, u64 offset, u64 length, u64 iova,
				    struct ohca_page_list *pages)
{
	struct soft_dmabuf *d;
	int err;

	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return ERR_PTR(-ENOMEM);
	d->buf = dma_buf_get(fd);
	if (IS_ERR(d->buf)) {
		err = PTR_ERR(d->buf);
		goto err_get;
	}
	err = map(d, offset, length);
	if (err)
		goto err_map;
	err = list_pages(pages, d->map.vaddr, offset, length, iova);
	if (err)
		goto err_list;
	return d;

err_list:
	unmap(d);
err_map:
	dma_buf_put(d->buf);
err_get:
	kfree(d);
	return ERR_PTR(err);
}

/**
 * soft_dmabuf_put() - the end of soft_dmabuf_get()
 * @buf: the buffer; nobody reads or writes it any more
 *
 * Context: may sleep.
 */
void soft_dmabuf_put(struct soft_dmabuf *buf)
{
	unmap(buf);
	dma_buf_put(buf->buf);
	kfree(buf);
}
