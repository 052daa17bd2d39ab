// SPDX-License-Identifier: GPL-2.0
/*
 * Keys: the table of a device, and what the transport does with them.
 *
 * Look-ups are under RCU; whoever maps memory holds a reference on the key that he
 * came by, and that is no longer than a transport lock is held.
 */
#include "key.h"

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/sizes.h>
#include <linux/xarray.h>

#include "device.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"
#include "transport.h"

/* Key 0 names nothing, so number 0 is not given out. */
#define SOFT_KEY_LIMIT	XA_LIMIT(1, SOFT_MAX_KEY)

static_assert(TP_ACCESS_LOCAL_WRITE == IB_ACCESS_LOCAL_WRITE);
static_assert(TP_ACCESS_REMOTE_WRITE == IB_ACCESS_REMOTE_WRITE);
static_assert(TP_ACCESS_REMOTE_READ == IB_ACCESS_REMOTE_READ);
static_assert(TP_ACCESS_REMOTE_ATOMIC == IB_ACCESS_REMOTE_ATOMIC);

/**
 * soft_key_init() - prepares a key that nobody knows yet
 * @key: part of a zeroed object
 * @pd: protection domain
 * @window: the object is a window
 */
void soft_key_init(struct soft_key *key, struct ib_pd *pd, bool window)
{
	key->pd = pd;
	key->window = window;
	refcount_set(&key->refs, 1);
	init_completion(&key->idle);
}

/**
 * soft_key_publish() - gives a key its value, by which it can be found from now on
 * @dev: the device
 * @key: the key; what it names is complete
 * @valid: it can be used at once
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM: no memory, or no number is left.
 */
int soft_key_publish(struct soft_dev *dev, struct soft_key *key, bool valid)
{
	u32 number;
	int err;

	err = xa_alloc_cyclic(&dev->keys, &number, NULL, SOFT_KEY_LIMIT, &dev->next_key,
			      GFP_KERNEL);
	if (err < 0)
		return -ENOMEM;
	key->value = number << 8 | (atomic_inc_return(&dev->key_variant) & 0xff);
	key->valid = valid;
	/* The slot is there: nothing is allocated. */
	xa_store(&dev->keys, number, key, GFP_KERNEL);
	return 0;
}

/**
 * soft_key_remove() - takes a key from its users, for good
 * @dev: the device
 * @key: the key; freed by the caller, after a grace period
 *
 * Nobody reads or writes memory by this key once it returns.
 *
 * Context: may sleep.
 */
void soft_key_remove(struct soft_dev *dev, struct soft_key *key)
{
	WRITE_ONCE(key->valid, false);
	xa_erase(&dev->keys, soft_key_number(key->value));
	soft_key_put(key);
	wait_for_completion(&key->idle);
}

/**
 * soft_key_quiesce() - waits for the users of a key that is not valid any more
 * @key: the key
 *
 * Nobody reads or writes memory by this key from its return to soft_key_enable().
 *
 * Context: may sleep. Nobody else invalidates or removes the key.
 */
void soft_key_quiesce(struct soft_key *key)
{
	/* Pairs with soft_key_get(). */
	smp_mb();
	/* References are held with bottom halves off, most of them: this is short. */
	while (refcount_read(&key->refs) > 1)
		usleep_range(10, 50);
	/* What the users of the key did is before what follows. */
	smp_rmb();
}

/* What @key names can be used. Under soft_dev.key_lock, or nobody else changes it. */
void soft_key_enable(struct soft_key *key)
{
	/* It was written before; pairs with soft_key_get(). */
	smp_store_release(&key->valid, true);
}

/**
 * soft_key_get_number() - a reference to the key of a number, valid or not
 * @dev: the device
 * @value: a key of that number
 *
 * Context: any.
 * Return: the key or NULL.
 */
struct soft_key *soft_key_get_number(struct soft_dev *dev, u32 value)
{
	struct soft_key *key;

	rcu_read_lock();
	key = xa_load(&dev->keys, soft_key_number(value));
	if (key && !refcount_inc_not_zero(&key->refs))
		key = NULL;
	rcu_read_unlock();
	return key;
}

/**
 * soft_key_get() - a reference to a key that may be used
 * @dev: the device
 * @value: its value
 *
 * Context: any; bottom halves are off until soft_key_put().
 * Return: the key; NULL if there is none, or it is not valid.
 */
struct soft_key *soft_key_get(struct soft_dev *dev, u32 value)
{
	struct soft_key *key = soft_key_get_number(dev, value);

	if (!key)
		return NULL;
	/* The reference is there before @valid is read; see struct soft_key. */
	smp_mb__after_atomic();
	/* Pairs with soft_key_enable(). */
	if (!smp_load_acquire(&key->valid) || READ_ONCE(key->value) != value) {
		soft_key_put(key);
		return NULL;
	}
	return key;
}

/* Drops a reference. Any context. */
void soft_key_put(struct soft_key *key)
{
	if (refcount_dec_and_test(&key->refs))
		complete(&key->idle);
}

/**
 * soft_key_close() - invalidates a key, or goes on to
 * @key: the key; the caller has a reference, and soft_dev.key_lock
 *
 * Return: 0: nobody uses it, and nobody will before it is made valid anew; -EAGAIN:
 * somebody does still; call again.
 */
int soft_key_close(struct soft_key *key)
{
	WRITE_ONCE(key->valid, false);
	key->closing = true;
	/* Pairs with soft_key_get(). */
	smp_mb();
	if (refcount_read(&key->refs) > 2)
		return -EAGAIN;
	/* What the users of the key did is before what follows. */
	smp_rmb();
	key->closing = false;
	return 0;
}

/* Adds segments until the range or the room is at its end: bytes added, or an errno. */
static int add_segments(struct soft_mr *mr, struct tp_mem *mem, u64 addr, u32 len, u32 access)
{
	u32 done = 0;
	int got;

	while (done < len && mem->nr < TP_MAX_SEGS) {
		struct tp_seg *seg = &mem->seg[mem->nr];

		got = soft_mr_run(mr, addr + done, len - done, access, &seg->addr);
		if (got < 0)
			return got;
		seg->len = got;
		done += got;
		mem->nr++;
	}
	mem->length += done;
	return done;
}

/* The domain of what @mem is to be: an SRQ's WRs are in the SRQ's (IBA 10.2.9). */
static const struct ib_pd *domain(const struct soft_qp *qp, const struct tp_mem *mem, u32 access)
{
	if (qp->ibqp.srq && mem == &qp->tp.resp.mem && !(access & ~TP_ACCESS_LOCAL_WRITE))
		return qp->ibqp.srq->pd;
	return qp->ibqp.pd;
}

/*
 * The region behind @key, if @qp may do that by it. A window's address becomes its
 * region's.
 */
static struct soft_mr *key_resolve(struct soft_key *key, struct soft_qp *qp, u64 *addr, u32 len,
				   u32 access)
{
	struct soft_mr *mr;

	if (key->window)
		return soft_mw_resolve(to_soft_window(key), qp, addr, len, access);
	mr = key_to_soft_mr(key);
	return soft_mr_check(mr, *addr, len, access) ? NULL : mr;
}

/* What soft_key_map() does with the region that the key has led it to. */
static int map_region(struct soft_mr *mr, struct tp_mem *mem, u64 addr, u32 len, u32 access)
{
	u32 nr = mem->nr, length = mem->length;
	int ret;

	if (!soft_mr_begin(mr))
		return -EAGAIN;
	/* The number returned is an int; what is left is asked for again. */
	ret = add_segments(mr, mem, addr, min_t(u32, len, SZ_1G), access);
	if (ret <= 0) {
		mem->nr = nr;
		mem->length = length;
		soft_mr_end(mr);
	}
	return ret;
}

int soft_key_map(struct soft_qp *qp, struct tp_mem *mem, u32 value, u64 addr, u32 len, u32 access)
{
	struct soft_key *key;
	struct soft_mr *mr;
	int ret = -EACCES;

	key = soft_key_get(to_soft_dev(qp->ibqp.device), value);
	if (!key)
		return -EACCES;

	mr = key->pd == domain(qp, mem, access) ? key_resolve(key, qp, &addr, len, access) : NULL;
	if (mr)
		ret = mem->nr_refs < TP_MAX_SGE ? map_region(mr, mem, addr, len, access) : 0;
	if (ret <= 0) {
		soft_key_put(key);
		return ret;
	}
	mem->ref[mem->nr_refs++] = key;
	return ret;
}

void soft_key_unmap(struct tp_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->nr_refs; i++) {
		struct soft_key *key = mem->ref[i];

		/* A window stays bound until its last reference is gone. */
		soft_mr_end(key->window ? to_soft_window(key)->mr : key_to_soft_mr(key));
		soft_key_put(key);
	}
	mem->nr = 0;
	mem->length = 0;
	mem->nr_refs = 0;
}

int soft_key_invalidate(struct soft_qp *qp, u32 value, bool remote)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);
	struct soft_key *key = soft_key_get_number(dev, value);
	int err = -EACCES;

	if (!key)
		return -EACCES;
	spin_lock_bh(&dev->key_lock);
	if (key->pd == qp->ibqp.pd && key->value == value)
		err = key->window ? soft_mw_invalidate(to_soft_window(key), qp) :
				    soft_mr_invalidate(key_to_soft_mr(key), remote);
	spin_unlock_bh(&dev->key_lock);
	soft_key_put(key);
	return err;
}

int soft_key_bind(struct soft_qp *qp, const struct tp_send_wr *wr)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);
	int err;

	spin_lock_bh(&dev->key_lock);
	err = wr->opcode == TP_WR_REG_MR ? soft_mr_register(qp, &wr->bind) :
					   soft_mw_bind(qp, &wr->bind);
	spin_unlock_bh(&dev->key_lock);
	return err;
}
