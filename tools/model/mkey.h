/* SPDX-License-Identifier: GPL-2.0 */
/* Memory keys. */
#ifndef OHCA_MODEL_MKEY_H
#define OHCA_MODEL_MKEY_H

#include "hca.h"

/* Rights that an access needs, as bits of struct mkey's @access. */
#define MKEY_LOCAL_WRITE	1u
#define MKEY_REMOTE_READ	2u
#define MKEY_REMOTE_WRITE	4u
#define MKEY_ATOMIC		8u

/* Any protection domain: the queue is privileged. */
#define MKEY_ANY_PD		U32_MAX

#define MKEY_ANY_QP		0xffffffu

enum mkey_mode {
	MKEY_PHYSICAL,		/* addresses are bus addresses */
	MKEY_PAGES,		/* a list of pages */
	MKEY_KLMS,		/* a list of ranges of other keys */
	MKEY_KSMS,		/* the same, of one size */
};

/**
 * struct mkey - a memory key
 * @obj: id is the index: bits 31:8 of the key
 * @ctx: context, as the driver gave it
 * @key: bits 7:0 of the key
 * @free: can't be used until a work request makes it valid
 * @mode: what addresses mean
 * @access: rights
 * @pd: protection domain
 * @qpn: the only QP that remote accesses may come over; MKEY_ANY_QP: all may
 * @start: first address
 * @len: bytes, if not @all
 * @all: the whole address space
 * @shift: log2 of a page or of a KSM range
 * @entry: pages' bus addresses, or pairs of a key and an address
 * @nr: room in @entry, in octwords of 16 bytes
 */
struct mkey {
	struct object obj;
	u32 ctx[MLX5_ST_SZ_DW(mkc)];
	u8 key;
	bool free;
	enum mkey_mode mode;
	u32 access;
	u32 pd;
	u32 qpn;
	u64 start;
	u64 len;
	bool all;
	u32 shift;
	__be64 *entry;
	u32 nr;
};

/*
 * Where [@addr, ...) of key @key is: its bus address, and in @run (wanted on entry)
 * how much of it is in one piece. 0, or -EACCES.
 */
int mkey_resolve(struct hca *hca, u32 key, u32 pd, u64 addr, u32 *run, u32 access, u64 *iova);

/* Whether key @key allows all of [@addr, @addr + @len). 0 or -EACCES. */
int mkey_check(struct hca *hca, u32 key, u32 pd, u64 addr, u64 len, u32 access);

/* Copies from or to memory by key; 0, -EACCES or -EFAULT (a bus error). */
int mkey_copy(struct hca *hca, u32 key, u32 pd, u64 addr, void *data, u32 len, bool write);

/* Takes over what a context (struct mlx5_ifc_mkc_bits) says; it may be the key's own. */
void mkey_set_context(struct mkey *mkey, const void *mkc);
struct mkey *mkey_find(struct hca *hca, u32 key);

/* Whether remote accesses over QP @qpn may use the key: a window of type 2 is of one QP. */
static inline bool mkey_serves(const struct mkey *mkey, u32 qpn)
{
	return mkey && (mkey->qpn == MKEY_ANY_QP || mkey->qpn == qpn);
}

#endif /* OHCA_MODEL_MKEY_H */
