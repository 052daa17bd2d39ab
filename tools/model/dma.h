/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory, by bus address, as far as the client has mapped it.
 */
#ifndef OHCA_MODEL_DMA_H
#define OHCA_MODEL_DMA_H

#include <linux/types.h>

#define DMA_READABLE	1u
#define DMA_WRITABLE	2u
#define DMA_MAX_REGIONS	65536u

/**
 * struct dma_file - a file of guest memory, mapped whole and once
 * @dev: which file
 * @ino: which file
 * @base: where it is mapped
 * @size: bytes
 * @refs: regions that point into it
 * @writable: it can be written to
 * @next: in the list of files
 */
struct dma_file {
	u64 dev;
	u64 ino;
	u8 *base;
	u64 size;
	u32 refs;
	bool writable;
	struct dma_file *next;
};

/**
 * struct dma_region - a range of bus addresses
 * @iova: first
 * @size: bytes
 * @flags: DMA_READABLE, DMA_WRITABLE
 * @mem: where its first byte is; NULL: only reached by messages to the client
 * @file: what @mem points into
 */
struct dma_region {
	u64 iova;
	u64 size;
	u32 flags;
	u8 *mem;
	struct dma_file *file;
};

/* Reads or writes by message to the client; 0 or -errno. */
typedef int (*dma_remote_fn)(void *arg, u64 iova, void *data, u32 len, bool write);

/**
 * struct dma - the map
 * @region: sorted by address, none overlaps another
 * @nr: how many
 * @cap: room in @region
 * @files: files that regions point into
 * @remote: reaches regions that have no file
 * @remote_arg: its argument
 * @enabled: the function is a bus master; else every access fails
 * @errors: accesses that failed
 * @logged: of them, printed
 */
struct dma {
	struct dma_region *region;
	u32 nr;
	u32 cap;
	struct dma_file *files;
	dma_remote_fn remote;
	void *remote_arg;
	bool enabled;
	u64 errors;
	u64 logged;
};

/*
 * Adds a range; @fd: -1, or a file whose byte @offset is the range's first (it
 * stays the caller's). A range that it overlaps goes away first: a client maps
 * again after a reset. 0 or -errno.
 */
int dma_map(struct dma *dma, u64 iova, u64 size, u64 offset, int fd, u32 flags);

/* Takes away what lies within the range, and cuts what reaches into it. */
void dma_unmap(struct dma *dma, u64 iova, u64 size);
void dma_unmap_all(struct dma *dma);

/* A file of the client's may shrink while it is mapped: what is lost reads as zeros. Once. */
void dma_survive_truncation(void);

/* Copies from or to bus addresses. 0, or -EFAULT: a bus error, counted and logged. */
int dma_read(struct dma *dma, u64 iova, void *data, u32 len);
int dma_write(struct dma *dma, u64 iova, const void *data, u32 len);

/*
 * Where [@iova, ...) can be touched, and in @len (wanted on entry) how much of it in one
 * piece. NULL: a bus error, counted and logged. Good until the map changes.
 */
void *dma_pointer(struct dma *dma, u64 iova, u32 *len, bool write);

#endif /* OHCA_MODEL_DMA_H */
