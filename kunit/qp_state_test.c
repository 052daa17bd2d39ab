// SPDX-License-Identifier: GPL-2.0
/*
 * The QP state table against the kernel's own, ib_modify_qp_is_ok(): every
 * edge of every type, allowed and refused.
 */
#include <kunit/test.h>
#include <ohca/qp_state.h>

#include "random.h"

#define ATTR_BITS	26	/* up to IB_QP_RATE_LIMIT */
#define RANDOM_MASKS	2000

struct type_case {
	const char *name;
	enum ib_qp_type type;
	bool known;
};

static const struct type_case types[] = {
	{ "RC", IB_QPT_RC, true },
	{ "UC", IB_QPT_UC, true },
	{ "UD", IB_QPT_UD, true },
	{ "GSI", IB_QPT_GSI, true },
	{ "XRC initiator", IB_QPT_XRC_INI, true },
	{ "XRC target", IB_QPT_XRC_TGT, true },
	{ "SMI", IB_QPT_SMI, false },
	{ "raw packet", IB_QPT_RAW_PACKET, false },
	{ "raw IPv6", IB_QPT_RAW_IPV6, false },
	{ "raw Ethertype", IB_QPT_RAW_ETHERTYPE, false },
	{ "driver's own", IB_QPT_DRIVER, false },
	{ "out of range", 1000, false },
};

KUNIT_ARRAY_PARAM_DESC(type, types, name);

struct edge {
	const struct type_case *t;
	enum ib_qp_state cur;
	enum ib_qp_state next;
};

static bool ours(const struct edge *e, u32 mask)
{
	return ohca_qp_transition_check(e->t->type, e->cur, e->next, mask) == 0;
}

static bool oracle(const struct edge *e, u32 mask)
{
	return ib_modify_qp_is_ok(e->cur, e->next, e->t->type, mask);
}

static void compare(struct kunit *test, const struct edge *e, u32 mask)
{
	bool want = e->t->known && oracle(e, mask);

	KUNIT_EXPECT_EQ_MSG(test, ours(e, mask), want, "%s %s to %s, mask 0x%x", e->t->name,
			    ohca_qp_state_name(e->cur), ohca_qp_state_name(e->next), mask);
}

/* Every mask that differs by one attribute from @mask, and @mask itself. */
static void compare_around(struct kunit *test, const struct edge *e, u32 mask)
{
	unsigned int bit;

	compare(test, e, mask);
	for (bit = 0; bit < ATTR_BITS; bit++)
		compare(test, e, mask ^ BIT(bit));
}

/* Steps to the next pair of states; false after the last. */
static bool next_edge(struct edge *e)
{
	if (e->next < IB_QPS_ERR) {
		e->next++;
		return true;
	}
	e->next = IB_QPS_RESET;
	return e->cur++ < IB_QPS_ERR;
}

#define FIRST_EDGE(test) { (test)->param_value, IB_QPS_RESET, IB_QPS_RESET }

/*
 * The oracle takes a mask if it has all that is required and nothing that is not
 * required or optional. So these masks tell both sets exactly, where the edge
 * exists: what is required, less each of it, and more by each other one.
 */
static void edge_masks(struct kunit *test, const struct edge *e)
{
	const struct ohca_qp_edge *row = ohca_qp_edge_find(e->t->type, e->cur, e->next);

	compare_around(test, e, 0);
	compare_around(test, e, IB_QP_STATE);
	compare_around(test, e, BIT(ATTR_BITS) - 1);
	if (!row)
		return;
	KUNIT_EXPECT_TRUE(test, oracle(e, row->required));
	compare_around(test, e, row->required);
	compare_around(test, e, row->required | IB_QP_STATE);
	compare_around(test, e, row->required | row->optional);
}

static void qp_state_masks(struct kunit *test)
{
	struct edge e = FIRST_EDGE(test);

	do {
		edge_masks(test, &e);
	} while (next_edge(&e));
}

/* What any edge of the type requires, tried on every edge: an edge only the oracle has shows up. */
static void foreign_masks(struct kunit *test, const struct edge *e)
{
	struct edge other = FIRST_EDGE(test);

	do {
		const struct ohca_qp_edge *row;

		row = ohca_qp_edge_find(other.t->type, other.cur, other.next);
		if (row) {
			compare(test, e, row->required | IB_QP_STATE);
			compare(test, e, row->required | row->optional | IB_QP_STATE);
		}
	} while (next_edge(&other));
}

static void qp_state_foreign_masks(struct kunit *test)
{
	struct edge e = FIRST_EDGE(test);

	do {
		foreign_masks(test, &e);
	} while (next_edge(&e));
}

static void qp_state_random_masks(struct kunit *test)
{
	struct edge e = { .t = test->param_value };
	struct rnd_state rnd;
	unsigned int i;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < RANDOM_MASKS; i++) {
		const struct ohca_qp_edge *row;
		u32 mask;

		e.cur = prandom_u32_state(&rnd) % (IB_QPS_ERR + 1);
		e.next = prandom_u32_state(&rnd) % (IB_QPS_ERR + 1);
		mask = prandom_u32_state(&rnd) & (BIT(ATTR_BITS) - 1);
		compare(test, &e, mask);
		row = ohca_qp_edge_find(e.t->type, e.cur, e.next);
		if (row)
			compare(test, &e, row->required | (mask & row->optional));
	}
}

static void qp_state_bad_states(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ohca_qp_transition_check(IB_QPT_RC, 7, IB_QPS_RESET, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_qp_transition_check(IB_QPT_RC, -1, IB_QPS_RESET, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_qp_transition_check(IB_QPT_RC, IB_QPS_RESET, 7, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_qp_transition_check(IB_QPT_RC, IB_QPS_RESET, -1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_qp_transition_check(-1, IB_QPS_RESET, IB_QPS_RESET, 0), -EINVAL);
	KUNIT_EXPECT_STREQ(test, ohca_qp_state_name(IB_QPS_SQD), "SQD");
	KUNIT_EXPECT_STREQ(test, ohca_qp_state_name(7), "?");
}

static struct kunit_case qp_state_cases[] = {
	KUNIT_CASE_PARAM(qp_state_masks, type_gen_params),
	KUNIT_CASE_PARAM(qp_state_foreign_masks, type_gen_params),
	KUNIT_CASE_PARAM(qp_state_random_masks, type_gen_params),
	KUNIT_CASE(qp_state_bad_states),
	{}
};

static struct kunit_suite qp_state_suite = {
	.name = "ohca_qp_state",
	.test_cases = qp_state_cases,
};

kunit_test_suite(qp_state_suite);
