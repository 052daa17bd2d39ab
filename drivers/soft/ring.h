/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: the queues that user space maps (rxe user ABI, struct rxe_queue_buf),
 * and that kernel consumers use in the same form.
 *
 * The whole buffer is the user's to write at any time. The kernel keeps its own
 * mask, shift and index, reads the user's index masked, copies an element out
 * once, and looks at the copy only.
 */
#ifndef OHCA_SOFT_RING_H
#define OHCA_SOFT_RING_H

#include <linux/kref.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>

/**
 * struct soft_ring - a ring shared with its consumer
 * @buf: the shared memory, vmalloc_user(); @bytes long
 * @bytes: of @buf
 * @mask: slots - 1
 * @shift: log2 of an element's bytes
 * @index: the kernel's own index, masked: next to produce (CQ) or next to
 *         consume (SQ, RQ, SRQ); published in @buf where the ABI wants it
 * @mmap: the user mapping's entry, or NULL for a kernel consumer
 *
 * Locking is the caller's.
 */
struct soft_ring;

/**
 * soft_ring_create() - makes a ring
 * @uctx: the user context it can be mapped into; NULL for a kernel consumer
 * @entries: elements it must hold, not 0
 * @element: bytes of an element
 * @info: filled with what user space maps, or NULL for a kernel consumer
 *
 * The buffer lives until the ring is destroyed and every mapping is gone.
 *
 * Return: the ring or an ERR_PTR: -EINVAL, -ENOMEM.
 */
struct soft_ring *soft_ring_create(struct ib_ucontext *uctx, u32 entries, u32 element,
				   struct mminfo *info);
void soft_ring_destroy(struct soft_ring *ring);

/* Elements the ring can hold: what the ABI reports as capacity. */
u32 soft_ring_capacity(const struct soft_ring *ring);

/*
 * Consuming (SQ, RQ, SRQ). The peek index runs ahead of the freed one: a WR is
 * taken when it is begun and its slot given back when it completes.
 */
/* Posted elements not yet taken, as the producer claims now; at most capacity. */
u32 soft_ring_pending(const struct soft_ring *ring);
/* The next posted element to copy from, or NULL. Acquire: what precedes its publication is seen. */
const void *soft_ring_peek(const struct soft_ring *ring);
/* Takes the element that soft_ring_peek() showed. */
void soft_ring_take(struct soft_ring *ring);
/* Gives the oldest taken slot back to the producer. */
void soft_ring_release(struct soft_ring *ring);

/* Producing (CQ). */
/* The slot to fill, or NULL if the consumer, as it claims now, has left no room. */
void *soft_ring_slot(struct soft_ring *ring);
/* Publishes the slot. */
void soft_ring_publish(struct soft_ring *ring);

/* The consumer side of a kernel user: posting into SQ and RQ, polling a CQ. */
void *soft_ring_user_slot(struct soft_ring *ring);		/* NULL: full */
void soft_ring_user_publish(struct soft_ring *ring);
const void *soft_ring_user_peek(const struct soft_ring *ring);	/* NULL: empty */
void soft_ring_user_take(struct soft_ring *ring);

/* Leaves the ring empty, both indices equal (QP to RESET). */
void soft_ring_reset(struct soft_ring *ring);

/* ib_device_ops.mmap and .mmap_free */
int soft_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void soft_mmap_free(struct rdma_user_mmap_entry *entry);

#endif /* OHCA_SOFT_RING_H */
