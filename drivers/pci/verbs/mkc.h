/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory key contexts, as commands and UMR work requests carry them.
 */
#ifndef OHCA_PCI_VERBS_MKC_H
#define OHCA_PCI_VERBS_MKC_H

#include <linux/types.h>

/**
 * struct verbs_mkc - what a memory key is to be
 * @pdn: protection domain
 * @qpn: the QP that a key is bound to; VERBS_MKC_ANY_QP
 * @key: bits 7:0 of the key; a command that makes one has hw/ choose them
 * @access: IB_ACCESS_*
 * @mode: MLX5_MKC_ACCESS_MODE_*
 * @free: can't be used until a work request makes it valid
 * @umr: work requests may change it
 * @inval: a peer may invalidate it (SEND with invalidate)
 * @start: I/O virtual address of the first byte
 * @length: bytes
 * @all: the whole address space: @start and @length are 0
 * @log_page_size: log2 of a page's bytes, of a list of pages
 * @octwords: room of the list, in units of 16 bytes
 */
struct verbs_mkc {
	u32 pdn;
	u32 qpn;
	u8 key;
	int access;
	u8 mode;
	bool free;
	bool umr;
	bool inval;
	u64 start;
	u64 length;
	bool all;
	u8 log_page_size;
	u32 octwords;
};

#define VERBS_MKC_ANY_QP	0xffffff

void verbs_mkc_write(void *mkc, const struct verbs_mkc *from, bool relaxed_read,
		     bool relaxed_write);

/* Octwords that a list of page addresses takes: two to one. */
static inline u32 verbs_mkc_octwords(u64 pages)
{
	return (pages + 1) / 2;
}

#endif /* OHCA_PCI_VERBS_MKC_H */
