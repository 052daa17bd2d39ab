// SPDX-License-Identifier: GPL-2.0
/*
 * 24-bit sequence numbers against arithmetic without tricks.
 */
#include <kunit/test.h>

#include "psn.h"
#include "random.h"

#define RANGE	0x1000000
#define HALF	0x800000

struct psn_case {
	u32 a;
	u32 b;
	s32 diff;
};

static const struct psn_case cases[] = {
	{ 0, 0, 0 },
	{ 1, 0, 1 },
	{ 0, 1, -1 },
	{ 0, 0xffffff, 1 },
	{ 0xffffff, 0, -1 },
	{ 0x7fffff, 0, HALF - 1 },
	{ 0x800000, 0, -HALF },
	{ 0, 0x800000, -HALF },
	{ 0, 0x800001, HALF - 1 },
	{ 0x7fffff, 0xffffff, -HALF },
	{ 0x000010, 0xfffff0, 0x20 },
};

static void psn_edges(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct psn_case *c = &cases[i];

		KUNIT_EXPECT_EQ_MSG(test, tp_psn_diff(c->a, c->b), c->diff, "%06x %06x",
				    c->a, c->b);
		KUNIT_EXPECT_EQ_MSG(test, tp_psn_before(c->a, c->b), c->diff < 0, "%06x %06x",
				    c->a, c->b);
	}
	KUNIT_EXPECT_EQ(test, tp_psn_add(0xffffff, 1), 0);
	KUNIT_EXPECT_EQ(test, tp_psn_add(0, 0xffffff), 0xffffff);
	KUNIT_EXPECT_EQ(test, tp_psn_add(5, -6u), 0xffffff);
}

static void psn_random(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 10000; i++) {
		s32 a = prandom_u32_state(&rnd) % RANGE, n = prandom_u32_state(&rnd) % RANGE;
		s32 b = (a + n) % RANGE;

		KUNIT_ASSERT_EQ(test, tp_psn_add(a, n), b);
		KUNIT_ASSERT_EQ(test, tp_psn_diff(b, a), n < HALF ? n : n - RANGE);
		if (n && n != HALF)
			KUNIT_ASSERT_NE(test, tp_psn_before(a, b), tp_psn_before(b, a));
	}
}

static struct kunit_case psn_cases[] = {
	KUNIT_CASE(psn_edges),
	KUNIT_CASE(psn_random),
	{}
};

static struct kunit_suite psn_suite = {
	.name = "ohca_transport_psn",
	.test_cases = psn_cases,
};

kunit_test_suite(psn_suite);
