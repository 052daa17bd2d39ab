// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: making them, and what is not on the fast path.
 */
#include "ring.h"

#include <linux/cache.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static int ring_layout(struct soft_ring *ring, u32 entries, u32 element)
{
	u64 slots, stride;

	if (!entries || !element)
		return -EINVAL;
	/* One slot more, as the index of a full ring may not equal that of an empty one. */
	slots = roundup_pow_of_two((u64)entries + 1);
	stride = roundup_pow_of_two(max_t(u64, element, cache_line_size()));
	if (slots > BIT_ULL(31) || stride > BIT_ULL(31))
		return -EINVAL;
	ring->mask = slots - 1;
	ring->shift = ilog2(stride);
	if (check_add_overflow((size_t)(slots << ring->shift), sizeof(*ring->buf), &ring->bytes) ||
	    ring->bytes > U32_MAX - PAGE_SIZE)
		return -EINVAL;
	ring->bytes = PAGE_ALIGN(ring->bytes);
	return 0;
}

struct soft_ring *soft_ring_create(struct ib_ucontext *uctx, u32 entries, u32 element,
				   struct mminfo *info)
{
	struct soft_ring *ring;
	int err;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return ERR_PTR(-ENOMEM);

	err = ring_layout(ring, entries, element);
	if (err)
		goto err_layout;

	ring->buf = __vmalloc(ring->bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!ring->buf) {
		err = -ENOMEM;
		goto err_layout;
	}
	ring->buf->log2_elem_size = ring->shift;
	ring->buf->index_mask = ring->mask;

	if (uctx) {
		ring->map = soft_ring_map_create(uctx, ring->buf, ring->bytes, info);
		if (IS_ERR(ring->map)) {
			err = PTR_ERR(ring->map);
			goto err_layout;
		}
	}
	return ring;

err_layout:
	kfree(ring);
	return ERR_PTR(err);
}

void soft_ring_destroy(struct soft_ring *ring)
{
	if (!ring)
		return;
	if (ring->map)
		soft_ring_map_remove(ring->map);
	else
		vfree(ring->buf);
	kfree(ring);
}

int soft_ring_carry(struct soft_ring *to, const struct soft_ring *from)
{
	u32 used = soft_ring_used(from);
	u32 i;

	if (used > to->mask || to->shift != from->shift)
		return -EINVAL;
	for (i = 0; i < used; i++) {
		memcpy(soft_ring_at(to, to->index), soft_ring_at(from, from->index - used + i),
		       BIT(from->shift));
		soft_ring_publish(to);
	}
	return 0;
}

int soft_ring_carry_posted(struct soft_ring *to, const struct soft_ring *from)
{
	u32 posted = soft_ring_pending(from);
	u32 i;

	if (posted > to->mask || to->shift != from->shift)
		return -EINVAL;
	for (i = 0; i < posted; i++)
		memcpy(soft_ring_at(to, i), soft_ring_at(from, from->taken + i),
		       BIT(from->shift));
	/* The elements are there before they are said to be. */
	smp_store_release(&to->buf->producer_index, posted);
	return 0;
}

void soft_ring_reset(struct soft_ring *ring)
{
	ring->index = READ_ONCE(ring->buf->producer_index) & ring->mask;
	ring->taken = ring->index;
	WRITE_ONCE(ring->buf->consumer_index, ring->index);
}
