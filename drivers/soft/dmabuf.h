/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regions over dma-bufs.
 */
#ifndef OHCA_SOFT_DMABUF_H
#define OHCA_SOFT_DMABUF_H

#include <linux/types.h>

struct ohca_page_list;
struct soft_dmabuf;

struct soft_dmabuf *soft_dmabuf_get(int fd, u64 offset, u64 length, u64 iova,
				    struct ohca_page_list *pages);
void soft_dmabuf_put(struct soft_dmabuf *buf);

#endif /* OHCA_SOFT_DMABUF_H */
