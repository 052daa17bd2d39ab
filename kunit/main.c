// SPDX-License-Identifier: GPL-2.0
/*
 * ohca_kunit: the unit tests. Loading it runs them; the results are in the
 * kernel's log as KTAP.
 */
#include <linux/module.h>
#include <linux/random.h>

#include "random.h"

static uint seed;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "of random tests; 0: another one for each");

void ohca_kunit_random(struct kunit *test, struct rnd_state *rnd)
{
	u32 used = seed ?: get_random_u32();

	kunit_info(test, "seed %u\n", used);
	prandom_seed_state(rnd, used);
}

MODULE_DESCRIPTION("OpenHCA: unit tests");
MODULE_AUTHOR("OpenHCA contributors");
MODULE_LICENSE("GPL");
