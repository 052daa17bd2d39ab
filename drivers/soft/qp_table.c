// SPDX-License-Identifier: GPL-2.0
/*
 * The table of QP numbers, one for the whole kernel.
 *
 * IB core frees a QP as soon as destroy_qp returns, so the table does not hold
 * QPs but handles: small, freed by RCU, with the QP's reference count in them.
 * Whoever gets a reference from a handle may use the QP until he drops it;
 * destruction waits for the last one to do so. Thus neither a look-up nor a
 * destruction waits for a grace period.
 */
#include "qp.h"

#include <linux/slab.h>
#include <linux/xarray.h>

/* 0 and 1 are the special QPs, 2^24 - 1 is multicast. */
#define SOFT_QPN_MIN	16u
#define SOFT_QPN_MAX	0xfffffeu

/**
 * struct soft_qp_handle - an entry of the table
 * @refs: references to @qp
 * @qp: the QP; valid while @refs is not 0
 * @rcu: frees
 */
struct soft_qp_handle {
	refcount_t refs;
	struct soft_qp *qp;
	struct rcu_head rcu;
};

static DEFINE_XARRAY_ALLOC(soft_qp_table);
static u32 soft_qp_next;

/**
 * soft_qp_table_reserve() - gives a QP its number
 * @qp: the QP, being created; its num is set
 *
 * Nobody finds it yet. Numbers go round the whole range before one is used
 * again, so that packets of a QP that has gone rarely meet a new one.
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM, also if all numbers are taken.
 */
int soft_qp_table_reserve(struct soft_qp *qp)
{
	struct soft_qp_handle *handle;
	u32 qpn;
	int err;

	handle = kzalloc(sizeof(*handle), GFP_KERNEL);
	if (!handle)
		return -ENOMEM;
	refcount_set(&handle->refs, 1);
	handle->qp = qp;

	err = xa_alloc_cyclic(&soft_qp_table, &qpn, NULL, XA_LIMIT(SOFT_QPN_MIN, SOFT_QPN_MAX),
			      &soft_qp_next, GFP_KERNEL);
	if (err < 0) {
		kfree(handle);
		return -ENOMEM;
	}

	init_completion(&qp->idle);
	qp->handle = handle;
	qp->num = qpn;
	return 0;
}

/**
 * soft_qp_table_publish() - lets a QP be found
 * @qp: the QP, ready to receive
 *
 * Context: any.
 */
void soft_qp_table_publish(struct soft_qp *qp)
{
	/* The slot is there since soft_qp_table_reserve(): nothing is allocated. */
	xa_store(&soft_qp_table, qp->num, qp->handle, GFP_ATOMIC);
}

/**
 * soft_qp_table_remove() - takes a QP's number back
 * @qp: the QP, published or not
 *
 * No new reference is handed out by number afterwards, but by a look-up that
 * is under way.
 *
 * Context: any but hard interrupts.
 */
void soft_qp_table_remove(struct soft_qp *qp)
{
	xa_erase(&soft_qp_table, qp->num);
}

/**
 * soft_qp_table_wait() - drops the object's own reference and waits for the others
 * @qp: the QP, removed from the table
 *
 * Afterwards nothing but the caller knows the QP.
 *
 * Context: may sleep.
 */
void soft_qp_table_wait(struct soft_qp *qp)
{
	struct soft_qp_handle *handle = qp->handle;

	soft_qp_put(qp);
	wait_for_completion(&qp->idle);
	kfree_rcu(handle, rcu);
}

/**
 * soft_qp_get() - looks a QP up
 * @qpn: its number
 *
 * Context: any.
 * Return: the QP with a reference for soft_qp_put(), or NULL.
 */
struct soft_qp *soft_qp_get(u32 qpn)
{
	struct soft_qp_handle *handle;
	struct soft_qp *qp = NULL;

	rcu_read_lock();
	handle = xa_load(&soft_qp_table, qpn);
	if (handle && refcount_inc_not_zero(&handle->refs))
		qp = handle->qp;
	rcu_read_unlock();
	return qp;
}

/**
 * soft_qp_hold() - takes one more reference
 * @qp: a QP to which a reference is held
 *
 * Context: any.
 */
void soft_qp_hold(struct soft_qp *qp)
{
	refcount_inc(&qp->handle->refs);
}

/**
 * soft_qp_put() - drops a reference
 * @qp: the QP
 *
 * Context: any.
 */
void soft_qp_put(struct soft_qp *qp)
{
	if (refcount_dec_and_test(&qp->handle->refs))
		complete(&qp->idle);
}
