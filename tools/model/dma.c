// SPDX-License-Identifier: GPL-2.0
/*
 * The DMA map: a sorted array of ranges over files that are mapped once each.
 *
 * With an IOMMU in the guest a range is a page, and there are many thousands;
 * mapping the whole file once keeps them cheap.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dma.h"
#include "log.h"

/* Bus errors after this many are counted only. */
#define LOG_LIMIT	100u

static struct dma_file *file_get(struct dma *dma, int fd)
{
	struct dma_file *file;
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	for (file = dma->files; file; file = file->next) {
		if (file->dev == st.st_dev && file->ino == st.st_ino &&
		    file->size >= (u64)st.st_size) {
			file->refs++;
			return file;
		}
	}
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->base = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	file->writable = file->base != MAP_FAILED;
	if (!file->writable)
		file->base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (file->base == MAP_FAILED) {
		free(file);
		return NULL;
	}
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->size = (u64)st.st_size;
	file->refs = 1;
	file->next = dma->files;
	dma->files = file;
	return file;
}

static void file_put(struct dma *dma, struct dma_file *file)
{
	struct dma_file **link;

	if (!file || --file->refs)
		return;
	for (link = &dma->files; *link != file; link = &(*link)->next)
		;
	*link = file->next;
	munmap(file->base, file->size);
	free(file);
}

/* Index of the first region that ends after @iova. */
static u32 find(const struct dma *dma, u64 iova)
{
	u32 lo = 0, hi = dma->nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (iova >= dma->region[mid].iova &&
		    iova - dma->region[mid].iova >= dma->region[mid].size)
			lo = mid + 1;
		else if (iova < dma->region[mid].iova)
			hi = mid;
		else
			return mid;
	}
	return lo;
}

static int make_room(struct dma *dma)
{
	struct dma_region *bigger;
	u32 cap;

	if (dma->nr < dma->cap)
		return 0;
	if (dma->nr >= DMA_MAX_REGIONS)
		return -ENOSPC;
	cap = dma->cap ? dma->cap * 2 : 64;
	bigger = realloc(dma->region, cap * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	dma->region = bigger;
	dma->cap = cap;
	return 0;
}

static int insert(struct dma *dma, const struct dma_region *r)
{
	u32 at = find(dma, r->iova);
	int ret = make_room(dma);

	if (ret)
		return ret;
	memmove(&dma->region[at + 1], &dma->region[at], (dma->nr - at) * sizeof(*r));
	dma->region[at] = *r;
	dma->nr++;
	return 0;
}

static void delete(struct dma *dma, u32 at)
{
	file_put(dma, dma->region[at].file);
	dma->nr--;
	memmove(&dma->region[at], &dma->region[at + 1],
		(dma->nr - at) * sizeof(dma->region[0]));
}

int dma_map(struct dma *dma, u64 iova, u64 size, u64 offset, int fd, u32 flags)
{
	struct dma_region r = { .iova = iova, .size = size, .flags = flags };
	int ret;

	if (!size || size - 1 > U64_MAX - iova)
		return -EINVAL;
	dma_unmap(dma, iova, size);
	if (fd >= 0) {
		r.file = file_get(dma, fd);
		if (!r.file)
			return -EINVAL;
		if (offset > r.file->size || size > r.file->size - offset ||
		    ((flags & DMA_WRITABLE) && !r.file->writable)) {
			file_put(dma, r.file);
			return -EINVAL;
		}
		r.mem = r.file->base + offset;
	}
	ret = insert(dma, &r);
	if (ret)
		file_put(dma, r.file);
	return ret;
}

void dma_unmap(struct dma *dma, u64 iova, u64 size)
{
	struct dma_region *r, tail;
	u64 last, end, cut;
	u32 i;

	if (!size)
		return;
	last = size - 1 > U64_MAX - iova ? U64_MAX : iova + (size - 1);
	for (i = find(dma, iova); i < dma->nr && dma->region[i].iova <= last;) {
		r = &dma->region[i];
		end = r->iova + (r->size - 1);
		if (end > last) {
			tail = *r;
			cut = last + 1 - r->iova;
			tail.iova += cut;
			tail.size -= cut;
			tail.mem = tail.mem ? tail.mem + cut : NULL;
			if (r->iova >= iova) {
				*r = tail;
				return;
			}
			r->size = iova - r->iova;
			if (tail.file)
				tail.file->refs++;
			if (insert(dma, &tail))
				file_put(dma, tail.file);
			return;
		}
		if (r->iova < iova) {
			r->size = iova - r->iova;
			i++;
		} else {
			delete(dma, i);
		}
	}
}

/* Only what is async-signal-safe: a page of zeros goes where the file has none any more. */
static void lost_page(int signal, siginfo_t *si, void *context)
{
	void *page = (void *)((uintptr_t)si->si_addr & ~4095ul);

	(void)context;
	if (si->si_code != BUS_ADRERR ||
	    mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		_exit(128 + signal);
}

void dma_survive_truncation(void)
{
	struct sigaction sa = { .sa_sigaction = lost_page, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &sa, NULL);
}

void dma_unmap_all(struct dma *dma)
{
	while (dma->nr)
		delete(dma, dma->nr - 1);
	free(dma->region);
	dma->region = NULL;
	dma->cap = 0;
}

static void bus_error(struct dma *dma, u64 iova, u32 len, bool write, const char *why)
{
	dma->errors++;
	if (dma->logged == LOG_LIMIT)
		return;
	dma->logged++;
	warn("bus error: %s of %u bytes at 0x%llx: %s%s", write ? "write" : "read", len,
	     (unsigned long long)iova, why,
	     dma->logged == LOG_LIMIT ? " (further ones are counted only)" : "");
}

/* The region that @iova is in, if it allows the access. */
static struct dma_region *lookup(struct dma *dma, u64 iova, u32 len, bool write)
{
	struct dma_region *r;
	u32 i;

	if (!dma->enabled) {
		bus_error(dma, iova, len, write, "not a bus master");
		return NULL;
	}
	i = find(dma, iova);
	if (i == dma->nr || iova < dma->region[i].iova) {
		bus_error(dma, iova, len, write, "not mapped");
		return NULL;
	}
	r = &dma->region[i];
	if (!(r->flags & (write ? DMA_WRITABLE : DMA_READABLE))) {
		bus_error(dma, iova, len, write, "not permitted");
		return NULL;
	}
	return r;
}

void *dma_pointer(struct dma *dma, u64 iova, u32 *len, bool write)
{
	struct dma_region *r = lookup(dma, iova, *len, write);
	u64 left;

	if (!r)
		return NULL;
	if (!r->mem) {
		bus_error(dma, iova, *len, write, "memory without a file");
		return NULL;
	}
	left = r->size - (iova - r->iova);
	if (left < *len)
		*len = (u32)left;
	return r->mem + (iova - r->iova);
}

static int copy(struct dma *dma, u64 iova, u8 *data, u32 len, bool write)
{
	struct dma_region *r;
	u64 left;
	u32 n;

	while (len) {
		r = lookup(dma, iova, len, write);
		if (!r)
			return -EFAULT;
		left = r->size - (iova - r->iova);
		n = left < len ? (u32)left : len;
		if (!r->mem) {
			if (!dma->remote || dma->remote(dma->remote_arg, iova, data, n, write)) {
				bus_error(dma, iova, n, write, "refused by the client");
				return -EFAULT;
			}
		} else if (write) {
			memcpy(r->mem + (iova - r->iova), data, n);
		} else {
			memcpy(data, r->mem + (iova - r->iova), n);
		}
		iova += n;
		data += n;
		len -= n;
	}
	return 0;
}

int dma_read(struct dma *dma, u64 iova, void *data, u32 len)
{
	return copy(dma, iova, data, len, false);
}

int dma_write(struct dma *dma, u64 iova, const void *data, u32 len)
{
	return copy(dma, iova, (u8 *)data, len, true);
}
