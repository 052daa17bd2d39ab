// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of objects, and the buffers of queues.
 */
#include <errno.h>
#include <stdlib.h>

#include "hca.h"

#define TABLE_STEP	256u

void table_init(struct table *table, u32 first, u32 last)
{
	memset(table, 0, sizeof(*table));
	table->first = first;
	table->last = last;
}

/* A free slot's index; -1: none. */
static s64 free_slot(struct table *table)
{
	u32 most = table->last - table->first + 1, i, at;
	struct object **bigger;

	for (i = 0; table->nr < table->cap && i < table->cap; i++) {
		at = (table->hint + i) % table->cap;
		if (!table->slot[at])
			return at;
	}
	if (table->cap >= most)
		return -1;
	at = table->cap;
	table->cap = table->cap ? table->cap * 2 : TABLE_STEP;
	if (table->cap > most)
		table->cap = most;
	bigger = realloc(table->slot, table->cap * sizeof(*bigger));
	if (!bigger) {
		table->cap = at;
		return -1;
	}
	memset(bigger + at, 0, (table->cap - at) * sizeof(*bigger));
	table->slot = bigger;
	return at;
}

void *object_new(struct hca *hca, enum obj_kind kind, size_t size,
		 void (*free)(struct object *obj))
{
	struct table *table = &hca->table[kind];
	struct object *obj;
	s64 at = free_slot(table);

	if (at < 0)
		return NULL;
	obj = calloc(1, size);
	if (!obj)
		return NULL;
	obj->hca = hca;
	obj->kind = kind;
	obj->id = table->first + (u32)at;
	obj->free = free;
	table->slot[at] = obj;
	/* Not the next to be handed out: a late use of a number should miss. */
	table->hint = ((u32)at + 1) % table->cap;
	table->nr++;
	return obj;
}

void *object_find(struct hca *hca, enum obj_kind kind, u32 id)
{
	struct table *table = &hca->table[kind];

	if (id < table->first || id - table->first >= table->cap)
		return NULL;
	return table->slot[id - table->first];
}

void object_delete(struct object *obj)
{
	struct table *table = &obj->hca->table[obj->kind];

	table->slot[obj->id - table->first] = NULL;
	table->nr--;
	if (obj->free)
		obj->free(obj);
	free(obj);
}

void object_delete_all(struct hca *hca, enum obj_kind kind)
{
	struct table *table = &hca->table[kind];
	u32 i;

	for (i = 0; i < table->cap; i++) {
		if (table->slot[i])
			object_delete(table->slot[i]);
	}
	free(table->slot);
	table_init(table, table->first, table->last);
}

int qbuf_init(struct qbuf *buf, const void *pas, u32 room, u32 shift, u32 offset, u64 bytes)
{
	const __be64 *pa = pas;
	u64 nr;
	u32 i;

	if (shift > 31 || offset >= 1u << shift || !bytes || bytes > 1ull << 32)
		return -EINVAL;
	nr = (offset + bytes + (1ull << shift) - 1) >> shift;
	if (nr > room / sizeof(*pa))
		return -EINVAL;
	buf->page = calloc(nr, sizeof(*buf->page));
	if (!buf->page)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		buf->page[i] = be64_to_cpu(pa[i]) & ~0xfffull;
	buf->nr = (u32)nr;
	buf->shift = shift;
	buf->offset = offset;
	buf->bytes = bytes;
	return 0;
}

void qbuf_fini(struct qbuf *buf)
{
	free(buf->page);
	memset(buf, 0, sizeof(*buf));
}

static int qbuf_copy(struct hca *hca, const struct qbuf *buf, u64 at, u8 *data, u32 len, bool write)
{
	u64 page_size = 1ull << buf->shift, in;
	u32 n, page;
	int ret;

	if (at > buf->bytes || len > buf->bytes - at)
		return -EFAULT;
	for (at += buf->offset; len; at += n, data += n, len -= n) {
		page = (u32)(at >> buf->shift);
		in = at & (page_size - 1);
		n = page_size - in < len ? (u32)(page_size - in) : len;
		ret = write ? dma_write(&hca->dma, buf->page[page] + in, data, n) :
			      dma_read(&hca->dma, buf->page[page] + in, data, n);
		if (ret)
			return ret;
	}
	return 0;
}

int qbuf_read(struct hca *hca, const struct qbuf *buf, u64 at, void *data, u32 len)
{
	return qbuf_copy(hca, buf, at, data, len, false);
}

int qbuf_write(struct hca *hca, const struct qbuf *buf, u64 at, const void *data, u32 len)
{
	return qbuf_copy(hca, buf, at, (u8 *)data, len, true);
}
