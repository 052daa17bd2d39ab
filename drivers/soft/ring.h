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

#include <linux/minmax.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>

#include <asm/barrier.h>

struct soft_ring_map;

/**
 * struct soft_ring - a ring shared with its consumer
 * @buf: the shared memory, vmalloc()ed, @bytes long
 * @bytes: of @buf
 * @mask: slots - 1; one slot always stays free, so it is the capacity too
 * @shift: log2 of an element's bytes
 * @index: the kernel's own index, masked: next to produce (CQ) or oldest not
 *         given back (SQ, RQ, SRQ); published in @buf where the ABI wants it
 * @taken: consuming: next to take; @index follows it
 * @map: what user space maps, or NULL for a kernel consumer; owns @buf
 *
 * Locking is the caller's.
 */
struct soft_ring {
	struct rxe_queue_buf *buf;
	size_t bytes;
	u32 mask;
	u32 shift;
	u32 index;
	u32 taken;
	struct soft_ring_map *map;
};

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
/* NULL is fine. */
void soft_ring_destroy(struct soft_ring *ring);

/* Elements the ring can hold: what the ABI reports as capacity. */
static inline u32 soft_ring_capacity(const struct soft_ring *ring)
{
	return ring->mask;
}

static inline void *soft_ring_at(const struct soft_ring *ring, u32 index)
{
	return ring->buf->data + ((size_t)(index & ring->mask) << ring->shift);
}

/*
 * Consuming (SQ, RQ, SRQ). The peek index runs ahead of the freed one: a WR is
 * taken when it is begun and its slot given back when it completes.
 */

/*
 * Posted elements not yet taken, as the producer claims now: at most what is not
 * taken already. Acquire: what precedes their publication is seen.
 */
static inline u32 soft_ring_pending(const struct soft_ring *ring)
{
	/* Pairs with the producer's release: an element is written before it is published. */
	u32 posted = smp_load_acquire(&ring->buf->producer_index);
	u32 room = ring->mask - ((ring->taken - ring->index) & ring->mask);

	return min((posted - ring->taken) & ring->mask, room);
}

/* The next posted element to copy from, or NULL. */
static inline const void *soft_ring_peek(const struct soft_ring *ring)
{
	return soft_ring_pending(ring) ? soft_ring_at(ring, ring->taken) : NULL;
}

/* Takes the element that soft_ring_peek() showed. */
static inline void soft_ring_take(struct soft_ring *ring)
{
	ring->taken = (ring->taken + 1) & ring->mask;
}

/* Gives the oldest taken slot back to the producer. */
static inline void soft_ring_release(struct soft_ring *ring)
{
	ring->index = (ring->index + 1) & ring->mask;
	/* The element was read before its slot is given back. */
	smp_store_release(&ring->buf->consumer_index, ring->index);
}

/* Copies what is posted to @from and not taken to the empty @to: 0, or -EINVAL: no room. */
int soft_ring_carry_posted(struct soft_ring *to, const struct soft_ring *from);

/* Producing (CQ). */

/* Elements that the consumer, as it claims now, has not taken. */
static inline u32 soft_ring_used(const struct soft_ring *ring)
{
	/* Pairs with the consumer's release: it has read what it gives back. */
	return (ring->index - smp_load_acquire(&ring->buf->consumer_index)) & ring->mask;
}

/* The slot to fill, or NULL if the consumer, as it claims now, has left no room. */
static inline void *soft_ring_slot(struct soft_ring *ring)
{
	return soft_ring_used(ring) < ring->mask ? soft_ring_at(ring, ring->index) : NULL;
}

/* Publishes the slot. */
static inline void soft_ring_publish(struct soft_ring *ring)
{
	ring->index = (ring->index + 1) & ring->mask;
	/* The element was written before it is published. */
	smp_store_release(&ring->buf->producer_index, ring->index);
}

/* Copies what the consumer of @from has not taken to the empty @to: 0, or -EINVAL: no room. */
int soft_ring_carry(struct soft_ring *to, const struct soft_ring *from);

/* The other side, for a kernel consumer: posting into SQ, RQ and SRQ, polling a CQ. */

/* NULL: full. */
static inline void *soft_ring_user_slot(const struct soft_ring *ring)
{
	u32 posted = ring->buf->producer_index;
	/* Pairs with soft_ring_release(). */
	u32 used = posted - smp_load_acquire(&ring->buf->consumer_index);

	return (used & ring->mask) < ring->mask ? soft_ring_at(ring, posted) : NULL;
}

static inline void soft_ring_user_publish(struct soft_ring *ring)
{
	/* Pairs with soft_ring_pending(). */
	smp_store_release(&ring->buf->producer_index,
			  (ring->buf->producer_index + 1) & ring->mask);
}

/* Elements that are there to be taken. */
static inline u32 soft_ring_user_count(const struct soft_ring *ring)
{
	/* Pairs with soft_ring_publish(). */
	return (smp_load_acquire(&ring->buf->producer_index) - ring->buf->consumer_index) &
	       ring->mask;
}

/* NULL: empty. */
static inline const void *soft_ring_user_peek(const struct soft_ring *ring)
{
	return soft_ring_user_count(ring) ? soft_ring_at(ring, ring->buf->consumer_index) : NULL;
}

static inline void soft_ring_user_take(struct soft_ring *ring)
{
	/* Pairs with soft_ring_used(). */
	smp_store_release(&ring->buf->consumer_index,
			  (ring->buf->consumer_index + 1) & ring->mask);
}

/* Leaves the ring that the kernel consumes empty, both indices equal (QP to RESET). */
void soft_ring_reset(struct soft_ring *ring);

/* mmap.c: what makes a buffer mappable. Takes over @buf, also on failure. ERR_PTR: -ENOMEM. */
struct soft_ring_map *soft_ring_map_create(struct ib_ucontext *uctx, void *buf, size_t bytes,
					   struct mminfo *info);
/* No new mapping; frees the buffer with the last one under way. */
void soft_ring_map_remove(struct soft_ring_map *map);

/* ib_device_ops.mmap and .mmap_free */
int soft_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void soft_mmap_free(struct rdma_user_mmap_entry *entry);

#endif /* OHCA_SOFT_RING_H */
