/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Seeded random numbers (splitmix64): the same seed gives the same run anywhere.
 */
#ifndef OHCA_SIM_RANDOM_H
#define OHCA_SIM_RANDOM_H

#include <linux/types.h>
#include <string.h>

/**
 * struct sim_random - a stream of random numbers
 * @state: the whole state; set it to the seed
 */
struct sim_random {
	u64 state;
};

/* The next 64 random bits. */
static inline u64 random_bits(struct sim_random *r)
{
	u64 z = (r->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* A number in [0, @n); 0 if @n is 0. The bias for the small @n used here is of no matter. */
static inline u64 random_below(struct sim_random *r, u64 n)
{
	return n ? random_bits(r) % n : 0;
}

/* A number in [@lo, @hi]. */
static inline u64 random_range(struct sim_random *r, u64 lo, u64 hi)
{
	return lo + random_below(r, hi - lo + 1);
}

/* True @permille times in a thousand. */
static inline bool random_chance(struct sim_random *r, u32 permille)
{
	return permille && random_below(r, 1000) < permille;
}

/* Small numbers often, numbers up to @max now and then: every magnitude is as likely. */
static inline u64 random_magnitude(struct sim_random *r, u64 max)
{
	u32 bits = 0;

	while (bits < 63 && (max >> bits))
		bits++;
	bits = random_below(r, bits + 1);
	return bits ? (random_bits(r) & ((1ull << bits) - 1)) % (max + 1) : 0;
}

/* Fills @n bytes. */
static inline void random_fill(struct sim_random *r, void *to, size_t n)
{
	u8 *p = to;
	u64 v;

	for (; n >= 8; n -= 8, p += 8) {
		v = random_bits(r);
		memcpy(p, &v, 8);
	}
	v = random_bits(r);
	memcpy(p, &v, n);
}

#endif /* OHCA_SIM_RANDOM_H */
