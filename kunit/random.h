/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random tests: each run prints its seed; `modprobe ohca_kunit seed=N` runs it again.
 */
#ifndef OHCA_KUNIT_RANDOM_H
#define OHCA_KUNIT_RANDOM_H

#include <kunit/test.h>
#include <linux/prandom.h>

/* Seeds @rnd with a number of its own for @test, or with the one that was asked for. */
void ohca_kunit_random(struct kunit *test, struct rnd_state *rnd);

#endif /* OHCA_KUNIT_RANDOM_H */
