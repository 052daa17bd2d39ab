/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects that the driver makes by command, and the tables they are found in.
 */
#ifndef OHCA_MODEL_OBJECT_H
#define OHCA_MODEL_OBJECT_H

#include <linux/types.h>

struct hca;

/**
 * enum obj_kind - tables of objects
 *
 * Work queues share one, as the number in a send doorbell names a QP or an SQ;
 * shared receive queues of all kinds share one, as a QP names them alike.
 */
enum obj_kind {
	OBJ_UAR, OBJ_PD, OBJ_TD, OBJ_XRCD, OBJ_Q_COUNTER, OBJ_MKEY, OBJ_CQ, OBJ_WQ, OBJ_SRQ,
	OBJ_TIS, OBJ_TIR, OBJ_RQT, OBJ_FLOW_TABLE,
	OBJ_NR_KINDS
};

/**
 * struct object - what every object begins with
 * @hca: its adapter
 * @kind: which table it is in
 * @id: its number
 * @refs: other objects that use it; it can't be destroyed while there are any
 * @free: frees it; NULL: nothing but the memory
 */
struct object {
	struct hca *hca;
	enum obj_kind kind;
	u32 id;
	u32 refs;
	void (*free)(struct object *obj);
};

/**
 * struct table - objects of a kind, by number
 * @slot: number less @first to object
 * @first: lowest number
 * @last: highest number
 * @cap: slots there are
 * @hint: where to look for a free one
 * @nr: objects in it
 */
struct table {
	struct object **slot;
	u32 first;
	u32 last;
	u32 cap;
	u32 hint;
	u32 nr;
};

void table_init(struct table *table, u32 first, u32 last);

/* A new object of @size bytes, with a number and in its table. NULL: no memory or number. */
void *object_new(struct hca *hca, enum obj_kind kind, size_t size,
		 void (*free)(struct object *obj));
void *object_find(struct hca *hca, enum obj_kind kind, u32 id);
void object_delete(struct object *obj);
/* Deletes every object of the kind. */
void object_delete_all(struct hca *hca, enum obj_kind kind);

/**
 * struct qbuf - a queue's buffer in guest memory
 * @page: bus addresses of its pages
 * @nr: how many
 * @shift: log2 of a page
 * @offset: where in the first page it begins
 * @bytes: its size
 */
struct qbuf {
	u64 *page;
	u32 nr;
	u32 shift;
	u32 offset;
	u64 bytes;
};

/* Takes the pages from a command's PAS list of @room bytes. 0 or -errno. */
int qbuf_init(struct qbuf *buf, const void *pas, u32 room, u32 shift, u32 offset, u64 bytes);
void qbuf_fini(struct qbuf *buf);
int qbuf_read(struct hca *hca, const struct qbuf *buf, u64 at, void *data, u32 len);
int qbuf_write(struct hca *hca, const struct qbuf *buf, u64 at, const void *data, u32 len);

#endif /* OHCA_MODEL_OBJECT_H */
