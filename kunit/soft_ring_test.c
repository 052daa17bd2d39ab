// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: as honest and as hostile consumers use them.
 *
 * The ring of a user program and that of a kernel consumer have the same form;
 * here the test plays the user and writes whatever it likes into the buffer.
 */
#include "../drivers/soft/ring.c"

#include <kunit/test.h>

#include "random.h"

struct layout_case {
	const char *name;
	u32 entries;
	u32 element;
	int err;
	u32 capacity;
	u32 stride;
};

static const struct layout_case layouts[] = {
	{ "nothing to hold", 0, 64, -EINVAL },
	{ "elements of nothing", 1, 0, -EINVAL },
	{ "one", 1, 1, 0, 1, 64 },
	{ "three fill a power of two", 3, 64, 0, 3, 64 },
	{ "four need the next", 4, 64, 0, 7, 64 },
	{ "CQ of 255", 255, 48, 0, 255, 64 },
	{ "CQ of 256", 256, 48, 0, 511, 64 },
	{ "send WQE of 1 SGE", 10, 208 + 16, 0, 15, 256 },
	{ "send WQE of 4 SGEs", 10, 208 + 64, 0, 15, 512 },
	{ "absurd entries", U32_MAX, 64, -EINVAL },
	{ "absurd element", 1, U32_MAX, -EINVAL },
	{ "absurd both", U32_MAX, U32_MAX, -EINVAL },
	{ "4 GiB", BIT(26) - 1, 64, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(layout, layouts, name);

static void ring_layouts(struct kunit *test)
{
	const struct layout_case *c = test->param_value;
	struct soft_ring *ring = soft_ring_create(NULL, c->entries, c->element, NULL);
	u8 *end;

	if (c->err) {
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(ring), c->err);
		return;
	}
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ring);
	KUNIT_EXPECT_EQ(test, soft_ring_capacity(ring), c->capacity);
	KUNIT_EXPECT_GE(test, c->capacity, c->entries);
	KUNIT_EXPECT_EQ(test, BIT(ring->shift), max_t(u32, c->stride, cache_line_size()));
	KUNIT_EXPECT_EQ(test, ring->buf->index_mask, c->capacity);
	KUNIT_EXPECT_EQ(test, ring->buf->log2_elem_size, ring->shift);
	KUNIT_EXPECT_EQ(test, ring->buf->producer_index, 0);
	KUNIT_EXPECT_EQ(test, ring->buf->consumer_index, 0);
	end = (u8 *)soft_ring_at(ring, ring->mask) + BIT(ring->shift);
	KUNIT_EXPECT_LE(test, end - (u8 *)ring->buf, ring->bytes);
	KUNIT_EXPECT_EQ(test, ring->bytes % PAGE_SIZE, 0);
	soft_ring_destroy(ring);
}

static struct soft_ring *make_ring(struct kunit *test, u32 entries)
{
	struct soft_ring *ring = soft_ring_create(NULL, entries, 64, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ring);
	return ring;
}

/* An SQ: the consumer posts, the kernel takes and later gives back. */
static void ring_consume(struct kunit *test)
{
	struct soft_ring *ring = make_ring(test, 3);
	u32 round, i, posted = 0, taken = 0;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 3; i++) {
			u32 *slot = soft_ring_user_slot(ring);

			KUNIT_ASSERT_NOT_NULL(test, slot);
			*slot = posted++;
			soft_ring_user_publish(ring);
		}
		KUNIT_EXPECT_NULL(test, soft_ring_user_slot(ring));
		for (i = 0; i < 3; i++) {
			const u32 *slot = soft_ring_peek(ring);

			KUNIT_EXPECT_EQ(test, soft_ring_pending(ring), 3 - i);
			KUNIT_ASSERT_NOT_NULL(test, slot);
			KUNIT_EXPECT_EQ(test, *slot, taken++);
			soft_ring_take(ring);
		}
		KUNIT_EXPECT_NULL(test, soft_ring_peek(ring));
		/* Taken is not given back: there is no room yet. */
		KUNIT_EXPECT_NULL(test, soft_ring_user_slot(ring));
		for (i = 0; i < 3; i++) {
			soft_ring_release(ring);
			KUNIT_EXPECT_NOT_NULL(test, soft_ring_user_slot(ring));
		}
		/* Stored masked, as librxe compares indices without masking them. */
		KUNIT_EXPECT_LE(test, ring->buf->producer_index, ring->mask);
		KUNIT_EXPECT_LE(test, ring->buf->consumer_index, ring->mask);
	}
	soft_ring_destroy(ring);
}

/* A CQ: the kernel produces, the consumer polls. */
static void ring_produce(struct kunit *test)
{
	struct soft_ring *ring = make_ring(test, 7);
	u32 round, i, made = 0, polled = 0;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < 7; i++) {
			u32 *slot = soft_ring_slot(ring);

			KUNIT_ASSERT_NOT_NULL(test, slot);
			*slot = made++;
			soft_ring_publish(ring);
		}
		KUNIT_EXPECT_NULL(test, soft_ring_slot(ring));
		KUNIT_EXPECT_EQ(test, soft_ring_user_count(ring), 7);
		for (i = 0; i < 7; i++) {
			const u32 *slot = soft_ring_user_peek(ring);

			KUNIT_ASSERT_NOT_NULL(test, slot);
			KUNIT_EXPECT_EQ(test, *slot, polled++);
			soft_ring_user_take(ring);
		}
		KUNIT_EXPECT_NULL(test, soft_ring_user_peek(ring));
		KUNIT_EXPECT_LE(test, ring->buf->producer_index, ring->mask);
	}
	soft_ring_destroy(ring);
}

/* An index that some program, or an accident, has written. */
static u32 scribble(struct rnd_state *rnd, u32 mask)
{
	static const u32 favourites[] = { 0, 1, U32_MAX, S32_MAX, BIT(31), 0x10000 };
	u32 n = prandom_u32_state(rnd);

	switch (n % 4) {
	case 0:
		return favourites[n / 4 % ARRAY_SIZE(favourites)];
	case 1:
		return mask + n / 4 % 4;
	case 2:
		return n / 4 % (mask + 1);
	default:
		return prandom_u32_state(rnd);
	}
}

static bool is_slot(const struct soft_ring *ring, const void *p)
{
	size_t at = (const u8 *)p - ring->buf->data;

	return (const u8 *)p >= ring->buf->data && at % BIT(ring->shift) == 0 &&
	       at >> ring->shift <= ring->mask;
}

/*
 * A program scribbles over everything it can reach, between any two steps. What
 * is looked at stays inside the buffer, nothing is taken beyond a full ring, and
 * the kernel's own index goes its way.
 */
static void ring_hostile_consume(struct kunit *test)
{
	struct soft_ring *ring = make_ring(test, 7);
	u32 taken = 0, index = 0, i;
	struct rnd_state rnd;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 20000; i++) {
		const void *slot;

		ring->buf->producer_index = scribble(&rnd, ring->mask);
		ring->buf->consumer_index = scribble(&rnd, ring->mask);
		ring->buf->log2_elem_size = scribble(&rnd, ring->mask);
		ring->buf->index_mask = scribble(&rnd, ring->mask);

		KUNIT_ASSERT_LE(test, soft_ring_pending(ring), ring->mask - taken);
		slot = soft_ring_peek(ring);
		if (slot) {
			KUNIT_ASSERT_TRUE(test, is_slot(ring, slot));
			soft_ring_take(ring);
			taken++;
		}
		KUNIT_ASSERT_LE(test, taken, ring->mask);
		if (taken && prandom_u32_state(&rnd) % 2) {
			soft_ring_release(ring);
			taken--;
			index = (index + 1) & ring->mask;
			/* Whatever was there, the right value is published. */
			KUNIT_ASSERT_EQ(test, ring->buf->consumer_index, index);
		}
		if (prandom_u32_state(&rnd) % 1000 == 0) {
			soft_ring_reset(ring);
			taken = 0;
			index = ring->index;
			KUNIT_ASSERT_LE(test, index, ring->mask);
			KUNIT_ASSERT_EQ(test, ring->buf->consumer_index, index);
		}
	}
	KUNIT_EXPECT_EQ(test, ring->mask, 7);
	KUNIT_EXPECT_EQ(test, ring->shift, ilog2(max(64, cache_line_size())));
	soft_ring_destroy(ring);
}

static void ring_hostile_produce(struct kunit *test)
{
	struct soft_ring *ring = make_ring(test, 7);
	u32 index = 0, i;
	struct rnd_state rnd;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 20000; i++) {
		void *slot;

		ring->buf->producer_index = scribble(&rnd, ring->mask);
		ring->buf->consumer_index = scribble(&rnd, ring->mask);
		ring->buf->index_mask = scribble(&rnd, ring->mask);

		KUNIT_ASSERT_LE(test, soft_ring_used(ring), ring->mask);
		slot = soft_ring_slot(ring);
		if (!slot)
			continue;
		KUNIT_ASSERT_TRUE(test, is_slot(ring, slot));
		memset(slot, 0x5a, BIT(ring->shift));
		soft_ring_publish(ring);
		index = (index + 1) & ring->mask;
		KUNIT_ASSERT_EQ(test, ring->buf->producer_index, index);
	}
	soft_ring_destroy(ring);
}

/* Resizing a CQ: what was not polled goes along, in order; else it is refused. */
static void ring_carry(struct kunit *test)
{
	struct soft_ring *from = make_ring(test, 7), *to, *small, *wide;
	u32 i, skip;

	for (skip = 0; skip < 8; skip++) {
		for (i = 0; i < 5; i++) {
			*(u32 *)soft_ring_slot(from) = skip * 10 + i;
			soft_ring_publish(from);
		}
		to = make_ring(test, 15);
		KUNIT_EXPECT_EQ(test, soft_ring_carry(to, from), 0);
		KUNIT_EXPECT_EQ(test, soft_ring_user_count(to), 5);
		for (i = 0; i < 5; i++) {
			KUNIT_EXPECT_EQ(test, *(const u32 *)soft_ring_user_peek(to), skip * 10 + i);
			soft_ring_user_take(to);
			soft_ring_user_take(from);
		}
		soft_ring_destroy(to);
	}

	for (i = 0; i < 5; i++)
		soft_ring_publish(from);
	small = make_ring(test, 3);
	KUNIT_EXPECT_EQ(test, soft_ring_carry(small, from), -EINVAL);
	wide = soft_ring_create(NULL, 15, 128, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, wide);
	KUNIT_EXPECT_EQ(test, soft_ring_carry(wide, from), -EINVAL);
	soft_ring_destroy(wide);
	soft_ring_destroy(small);
	soft_ring_destroy(from);
	soft_ring_destroy(NULL);
}

/* Resizing an SRQ: what is posted and not taken goes along, in order, and is taken once. */
static void ring_carry_posted(struct kunit *test)
{
	struct soft_ring *from = make_ring(test, 7), *to, *small;
	u32 i, skip, posted = 0, taken = 0;

	for (skip = 0; skip < 9; skip++) {
		for (i = 0; i < 5; i++) {
			*(u32 *)soft_ring_user_slot(from) = posted++;
			soft_ring_user_publish(from);
		}
		soft_ring_take(from);
		soft_ring_release(from);
		taken++;
		small = make_ring(test, 3);
		KUNIT_EXPECT_EQ(test, soft_ring_carry_posted(small, from), -EINVAL);
		KUNIT_EXPECT_EQ(test, soft_ring_pending(small), 0);
		soft_ring_destroy(small);
		to = make_ring(test, skip % 2 ? 7 : 15);
		KUNIT_ASSERT_EQ(test, soft_ring_carry_posted(to, from), 0);
		soft_ring_destroy(from);
		from = to;
		KUNIT_EXPECT_EQ(test, soft_ring_pending(from), 4);
		for (i = 0; i < 4; i++) {
			KUNIT_ASSERT_NOT_NULL(test, soft_ring_peek(from));
			KUNIT_EXPECT_EQ(test, *(const u32 *)soft_ring_peek(from), taken++);
			soft_ring_take(from);
			soft_ring_release(from);
		}
		KUNIT_EXPECT_NULL(test, soft_ring_peek(from));
	}
	soft_ring_destroy(from);
}

/* Whatever the program claims, no more is carried than there is room, or than there was. */
static void ring_hostile_carry(struct kunit *test)
{
	struct soft_ring *from = make_ring(test, 15), *to;
	struct rnd_state rnd;
	u32 i;
	int err;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 2000; i++) {
		u32 size = prandom_u32_state(&rnd) % 3 * 8 + 7;

		from->buf->producer_index = scribble(&rnd, from->mask);
		from->buf->consumer_index = scribble(&rnd, from->mask);
		from->buf->index_mask = scribble(&rnd, from->mask);
		to = make_ring(test, size);
		err = soft_ring_carry_posted(to, from);
		KUNIT_ASSERT_LE(test, soft_ring_pending(to), min(to->mask, from->mask));
		KUNIT_ASSERT_LE(test, to->buf->producer_index, to->mask);
		KUNIT_ASSERT_TRUE(test, !err || to->mask < from->mask);
		soft_ring_destroy(to);
		if (soft_ring_peek(from)) {
			soft_ring_take(from);
			soft_ring_release(from);
		}
	}
	soft_ring_destroy(from);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE_PARAM(ring_layouts, layout_gen_params),
	KUNIT_CASE(ring_consume),
	KUNIT_CASE(ring_produce),
	KUNIT_CASE(ring_hostile_consume),
	KUNIT_CASE(ring_hostile_produce),
	KUNIT_CASE(ring_carry),
	KUNIT_CASE(ring_carry_posted),
	KUNIT_CASE(ring_hostile_carry),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "ohca_soft_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
