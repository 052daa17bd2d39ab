// SPDX-License-Identifier: GPL-2.0
/*
 * User contexts and protection domains. Neither has a state of its own: a key
 * is compared with the PD's address, and a context's mappings are IB core's.
 */
#include "device.h"

/* ib_device_ops.alloc_ucontext */
int soft_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return 0;
}

/* ib_device_ops.dealloc_ucontext */
void soft_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

/*
 * ib_device_ops.disassociate_ucontext: the device goes, the program stays. IB
 * core destroys the context's objects. What the program has mapped are plain
 * pages that its page tables hold, no longer read by anyone: see mmap.c.
 */
void soft_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

/* ib_device_ops.alloc_pd: -ENOMEM: there are as many as the device has. */
int soft_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return soft_count_up(&to_soft_dev(ibpd->device)->nr_pd, SOFT_MAX_PD) ? 0 : -ENOMEM;
}

/* ib_device_ops.dealloc_pd */
int soft_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	atomic_dec(&to_soft_dev(ibpd->device)->nr_pd);
	return 0;
}
