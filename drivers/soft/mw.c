// SPDX-License-Identifier: GPL-2.0
/*
 * Memory windows (IBA 10.6.7), of type 1 and of type 2B.
 *
 * A window of type 1 belongs to its PD: any QP of it may bind it anew, whatever it
 * was bound to, and its peer may use it. One of type 2B belongs to the QP that
 * binds it while it is free: only that QP's peer may use it, and only that QP or
 * its peer sets it free.
 */
#include "mw.h"

#include <linux/slab.h>

#include "device.h"
#include "mr.h"
#include "qp.h"
#include "transport.h"

/* What a peer may be let do through a window. */
#define SOFT_MW_REMOTE	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/* What a bind may ask for. A local right says nothing of a window; programs give it. */
#define SOFT_MW_ACCESS	(SOFT_MW_REMOTE | IB_ACCESS_LOCAL_WRITE | IB_ZERO_BASED)

/**
 * soft_mw_resolve() - whether a peer's access through a window is right
 * @win: the window; the caller has a reference on its key, which is valid
 * @qp: the QP that the request came to, of the window's PD
 * @addr: address in the request; made the region's
 * @len: bytes, not 0
 * @access: TP_ACCESS_*; a window's key is no lkey
 *
 * Return: the region behind it, or NULL. Its own rights to be read and written
 * from afar don't matter here, and its own range was checked when it was bound.
 */
struct soft_mr *soft_mw_resolve(const struct soft_window *win, const struct soft_qp *qp,
				u64 *addr, u32 len, u32 access)
{
	u64 at = *addr - win->base;

	if (!access || access & ~win->access)
		return NULL;
	if (win->type == IB_MW_TYPE_2 && win->qp != qp->serial)
		return NULL;
	if (*addr < win->base || at > win->length || len > win->length - at)
		return NULL;
	*addr = win->start + at;
	return win->mr;
}

static void unbind(struct soft_window *win)
{
	if (win->mr)
		win->mr->windows--;
	win->mr = NULL;
}

/**
 * soft_mw_invalidate() - LOCAL_INV, or a SEND with invalidate of the peer's
 * @win: the window; the caller has a reference on its key, and soft_dev.key_lock
 * @qp: the QP
 *
 * Return: see tp_owner_invalidate().
 */
int soft_mw_invalidate(struct soft_window *win, const struct soft_qp *qp)
{
	int err;

	/* IBA o10-37.2.26: a window of type 1 is never invalidated. */
	if (win->type != IB_MW_TYPE_2 || win->qp != qp->serial)
		return -EACCES;
	if (!win->key.valid && !win->key.closing)
		return -EACCES;
	err = soft_key_close(&win->key);
	if (!err)
		unbind(win);
	return err;
}

/* Whether @win may be bound to @mr as asked (IBA 10.6.7.2). */
static bool may_bind(const struct soft_window *win, const struct soft_mr *mr,
		     const struct tp_bind *bind)
{
	/* C10-72: window, region and QP are of one PD. */
	if (mr->key.pd != win->key.pd || mr->dma)
		return false;
	/* C10-73 */
	if (!(mr->access & IB_ACCESS_MW_BIND))
		return false;
	/* C10-74 */
	if (bind->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC) &&
	    !(mr->access & IB_ACCESS_LOCAL_WRITE))
		return false;
	/* o10-36.2.2 */
	if (bind->access & IB_ZERO_BASED && win->type == IB_MW_TYPE_1)
		return false;
	if (bind->access & ~SOFT_MW_ACCESS)
		return false;
	/* C10-75 */
	return soft_mr_covers(mr, bind->addr, bind->length);
}

/* Binds a window that nobody uses. */
static void do_bind(struct soft_window *win, struct soft_mr *mr, const struct soft_qp *qp,
		    const struct tp_bind *bind)
{
	mr->windows++;
	win->mr = mr;
	win->start = bind->addr;
	win->base = bind->access & IB_ZERO_BASED ? 0 : bind->addr;
	win->length = bind->length;
	win->access = bind->access & SOFT_MW_REMOTE;
	win->qp = qp->serial;
	WRITE_ONCE(win->key.value, bind->key);
	soft_key_enable(&win->key);
}

/* Whether @bind may be done by @qp to @win at all. */
static bool may_change(const struct soft_window *win, const struct soft_qp *qp,
		       const struct tp_bind *bind)
{
	if (win->key.pd != qp->ibqp.pd ||
	    soft_key_number(win->key.value) != soft_key_number(bind->key))
		return false;
	/* The key so far is the consumer's to know: for a window of type 2 he names the window. */
	if (win->type == IB_MW_TYPE_1)
		return win->key.value == bind->window;
	/* o10-37.2.30, o10-37.2.40: it is free, and is not bound to nothing. */
	return !win->key.valid && bind->length;
}

static int bind_window(struct soft_window *win, struct soft_mr *mr, const struct soft_qp *qp,
		       const struct tp_bind *bind)
{
	int err;

	if (!may_change(win, qp, bind) || (bind->length && (!mr || !may_bind(win, mr, bind))))
		return -EACCES;
	/* Who uses it by its old key has to come to his end. */
	err = soft_key_close(&win->key);
	if (err)
		return err;
	unbind(win);
	if (bind->length)
		do_bind(win, mr, qp, bind);
	else
		WRITE_ONCE(win->key.value, bind->key);
	return 0;
}

/**
 * soft_mw_bind() - BIND_MW
 * @qp: the QP
 * @bind: what to bind, and to what; no length: a window of type 1 is unbound
 *
 * A bind that fails leaves the window as it was. Under soft_dev.key_lock.
 *
 * Return: 0; -EACCES: the window, the region, or the combination; -EAGAIN: somebody
 * still uses what it was bound to.
 */
int soft_mw_bind(struct soft_qp *qp, const struct tp_bind *bind)
{
	struct soft_dev *dev = to_soft_dev(qp->ibqp.device);
	struct soft_key *key, *region = NULL;
	struct soft_mr *mr = NULL;
	int err = -EACCES;

	key = soft_key_get_number(dev, bind->window);
	if (!key)
		return -EACCES;
	if (bind->length)
		region = soft_key_get(dev, bind->lkey);
	if (region && !region->window)
		mr = key_to_soft_mr(region);
	if (key->window)
		err = bind_window(to_soft_window(key), mr, qp, bind);
	if (region)
		soft_key_put(region);
	soft_key_put(key);
	return err;
}

/**
 * soft_alloc_mw() - ib_device_ops.alloc_mw
 * @ibmw: the window, with PD and type
 * @udata: of the system call
 *
 * Return: 0; -EINVAL: the type; -ENOMEM.
 */
int soft_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct soft_dev *dev = to_soft_dev(ibmw->device);
	struct soft_window *win;
	int err = -ENOMEM;

	if (ibmw->type != IB_MW_TYPE_1 && ibmw->type != IB_MW_TYPE_2)
		return -EINVAL;
	if (!soft_count_up(&dev->nr_mw, SOFT_MAX_MW))
		return -ENOMEM;
	win = kzalloc(sizeof(*win), GFP_KERNEL);
	if (!win)
		goto err_window;
	soft_key_init(&win->key, ibmw->pd, true);
	win->type = ibmw->type;
	err = soft_key_publish(dev, &win->key, false);
	if (err)
		goto err_publish;
	ibmw->rkey = win->key.value;
	to_soft_mw(ibmw)->window = win;
	return 0;

err_publish:
	kfree(win);
err_window:
	atomic_dec(&dev->nr_mw);
	return err;
}

/* ib_device_ops.dealloc_mw: bound or not, nobody uses it once this returns. */
int soft_dealloc_mw(struct ib_mw *ibmw)
{
	struct soft_window *win = to_soft_mw(ibmw)->window;
	struct soft_dev *dev = to_soft_dev(ibmw->device);

	spin_lock_bh(&dev->key_lock);
	WRITE_ONCE(win->key.valid, false);
	spin_unlock_bh(&dev->key_lock);
	soft_key_remove(dev, &win->key);
	/* The last users are gone: the region may go too. */
	spin_lock_bh(&dev->key_lock);
	unbind(win);
	spin_unlock_bh(&dev->key_lock);
	atomic_dec(&dev->nr_mw);
	kfree_rcu(win, rcu);
	return 0;
}
