/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory windows.
 */
#ifndef OHCA_SOFT_MW_H
#define OHCA_SOFT_MW_H

#include <rdma/ib_verbs.h>

#include "key.h"

struct soft_mr;
struct tp_bind;

/**
 * struct soft_window - what a memory window is
 * @key: its key, an rkey
 * @type: IB_MW_TYPE_1, or IB_MW_TYPE_2: a window of type 2B
 * @mr: the region it is bound to, or NULL
 * @start: I/O virtual address of its first byte in @mr
 * @base: address of that byte for the peer: the same, or 0 if it is zero based
 * @length: bytes
 * @access: IB_ACCESS_REMOTE_*
 * @qp: soft_qp.serial of the QP that has bound it; type 2
 * @rcu: frees after look-ups by key have gone
 *
 * All but @key and @type change while the key is not valid and nobody uses it, under
 * soft_dev.key_lock. Apart from struct soft_mw, which IB core frees at once.
 */
struct soft_window {
	struct soft_key key;
	enum ib_mw_type type;
	struct soft_mr *mr;
	u64 start;
	u64 base;
	u64 length;
	u32 access;
	u64 qp;
	struct rcu_head rcu;
};

/**
 * struct soft_mw - a memory window
 * @ibmw: what IB core sees
 * @window: the rest
 */
struct soft_mw {
	struct ib_mw ibmw;
	struct soft_window *window;
};

static inline struct soft_mw *to_soft_mw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct soft_mw, ibmw);
}

/* Of a key that is a window's. */
static inline struct soft_window *to_soft_window(struct soft_key *key)
{
	return container_of(key, struct soft_window, key);
}

struct soft_mr *soft_mw_resolve(const struct soft_window *win, const struct soft_qp *qp,
				u64 *addr, u32 len, u32 access);
int soft_mw_invalidate(struct soft_window *win, const struct soft_qp *qp);
int soft_mw_bind(struct soft_qp *qp, const struct tp_bind *bind);

/* ib_device_ops */
int soft_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int soft_dealloc_mw(struct ib_mw *ibmw);

#endif /* OHCA_SOFT_MW_H */
