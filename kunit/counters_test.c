// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: sums over CPUs, and what rdma_hw_stats is given.
 */
#include <kunit/test.h>
#include <linux/smp.h>
#include <ohca/counters.h>

static const struct rdma_stat_desc descs[] = {
	{ .name = "first" },
	{ .name = "second" },
	{ .name = "third" },
};

#define ROUNDS	1000

static void count(void *arg)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		ohca_counters_add(arg, 0, 1);
		ohca_counters_add(arg, 2, 1ull << 32);
	}
}

static void counters_sum(struct kunit *test)
{
	struct ohca_counters c = {};

	KUNIT_ASSERT_EQ(test, ohca_counters_init(&c, descs, ARRAY_SIZE(descs)), 0);
	on_each_cpu(count, &c, 1);
	KUNIT_EXPECT_EQ(test, ohca_counters_sum(&c, 0), (u64)ROUNDS * num_online_cpus());
	KUNIT_EXPECT_EQ(test, ohca_counters_sum(&c, 1), 0);
	KUNIT_EXPECT_EQ(test, ohca_counters_sum(&c, 2), (u64)ROUNDS * num_online_cpus() << 32);
	KUNIT_EXPECT_EQ(test, ohca_counters_sum(&c, 3), 0);
	KUNIT_EXPECT_EQ(test, ohca_counters_sum(&c, UINT_MAX), 0);
	ohca_counters_fini(&c);
	/* Once more, and on what was never made: harmless. */
	ohca_counters_fini(&c);
}

static void counters_stats(struct kunit *test)
{
	struct ohca_counters c = {};
	struct rdma_hw_stats *stats;

	KUNIT_ASSERT_EQ(test, ohca_counters_init(&c, descs, ARRAY_SIZE(descs)), 0);
	stats = ohca_counters_alloc_stats(&c);
	if (!stats) {
		KUNIT_FAIL(test, "no stats");
		goto out;
	}
	ohca_counters_add(&c, 1, 7);
	KUNIT_EXPECT_EQ(test, stats->num_counters, ARRAY_SIZE(descs));
	KUNIT_EXPECT_STREQ(test, stats->descs[2].name, "third");
	KUNIT_EXPECT_EQ(test, ohca_counters_read(&c, stats, 1), ARRAY_SIZE(descs));
	KUNIT_EXPECT_EQ(test, stats->value[0], 0);
	KUNIT_EXPECT_EQ(test, stats->value[1], 7);
	KUNIT_EXPECT_EQ(test, ohca_counters_read(&c, stats, ARRAY_SIZE(descs)), ARRAY_SIZE(descs));
	KUNIT_EXPECT_EQ(test, ohca_counters_read(&c, stats, -1), -EINVAL);
	/* A stats structure of somebody else with less room is not written past. */
	stats->num_counters = 2;
	KUNIT_EXPECT_EQ(test, ohca_counters_read(&c, stats, 0), -EINVAL);
	stats->num_counters = ARRAY_SIZE(descs);
	rdma_free_hw_stats_struct(stats);
out:
	ohca_counters_fini(&c);
}

static void counters_bad(struct kunit *test)
{
	struct ohca_counters c = {};

	KUNIT_EXPECT_EQ(test, ohca_counters_init(&c, descs, 0), -EINVAL);
	KUNIT_EXPECT_TRUE(test, !c.value);
}

static struct kunit_case counters_cases[] = {
	KUNIT_CASE(counters_sum),
	KUNIT_CASE(counters_stats),
	KUNIT_CASE(counters_bad),
	{}
};

static struct kunit_suite counters_suite = {
	.name = "ohca_counters",
	.test_cases = counters_cases,
};

kunit_test_suite(counters_suite);
