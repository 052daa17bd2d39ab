/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys: what names memory in work requests and packets.
 *
 * A key is a number in the device's table and a low byte, the variant. The number
 * is a region's or a window's for its life; the variant changes, by the device from
 * one owner of the number to the next, or by the consumer who rotates the key of
 * a fast registration or of a window, so that a key that is out of date is found
 * out.
 */
#ifndef OHCA_SOFT_KEY_H
#define OHCA_SOFT_KEY_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct soft_dev;
struct soft_qp;
struct tp_mem;
struct tp_send_wr;

/**
 * struct soft_key - a key, part of the region or window that it names
 * @value: the key now
 * @pd: protection domain
 * @window: of a struct soft_window, not of a struct soft_mr
 * @valid: it may be used
 * @closing: it was invalidated, and those who used it then may not have ended
 * @refs: one of the object itself, one of each mapping or look-up under way
 * @idle: completed when @refs falls to 0; destruction waits for it
 *
 * A look-up takes its reference before it reads @valid; who invalidates clears
 * @valid before he reads @refs. So once @refs is seen to be that of the object
 * (and of the caller), with @valid cleared, nobody uses the memory by this key, and
 * what the key stands for may be changed. @value, @valid and @closing change
 * under soft_dev.key_lock.
 */
struct soft_key {
	u32 value;
	struct ib_pd *pd;
	bool window;
	bool valid;
	bool closing;
	refcount_t refs;
	struct completion idle;
};

/* The numbers are the table's, 24 bits; 0 is nobody's. */
static inline u32 soft_key_number(u32 key)
{
	return key >> 8;
}

void soft_key_init(struct soft_key *key, struct ib_pd *pd, bool window);
int soft_key_publish(struct soft_dev *dev, struct soft_key *key, bool valid);
void soft_key_remove(struct soft_dev *dev, struct soft_key *key);
void soft_key_quiesce(struct soft_key *key);
void soft_key_enable(struct soft_key *key);
struct soft_key *soft_key_get(struct soft_dev *dev, u32 value);
struct soft_key *soft_key_get_number(struct soft_dev *dev, u32 value);
void soft_key_put(struct soft_key *key);
int soft_key_close(struct soft_key *key);

/**
 * soft_key_map() - tp_owner_map()
 * @qp: the QP
 * @mem: to add segments and a reference to
 * @value: lkey, or rkey if @access is remote
 * @addr: I/O virtual address
 * @len: bytes, not 0
 * @access: TP_ACCESS_*
 *
 * Any context, bottom halves off.
 *
 * Return: see tp_owner_map().
 */
int soft_key_map(struct soft_qp *qp, struct tp_mem *mem, u32 value, u64 addr, u32 len, u32 access);

/* tp_owner_unmap(): drops the references. */
void soft_key_unmap(struct tp_mem *mem);

/* tp_owner_invalidate(). */
int soft_key_invalidate(struct soft_qp *qp, u32 value, bool remote);

/* tp_owner_bind(). */
int soft_key_bind(struct soft_qp *qp, const struct tp_send_wr *wr);

#endif /* OHCA_SOFT_KEY_H */
