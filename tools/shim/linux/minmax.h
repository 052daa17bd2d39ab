/* SPDX-License-Identifier: GPL-2.0 */
/* min(), max() and their typed forms; each argument is evaluated once. */
#ifndef OHCA_SHIM_LINUX_MINMAX_H
#define OHCA_SHIM_LINUX_MINMAX_H

#define min_t(type, a, b) ({			\
	type min_a_ = (a);			\
	type min_b_ = (b);			\
	min_a_ < min_b_ ? min_a_ : min_b_; })

#define max_t(type, a, b) ({			\
	type max_a_ = (a);			\
	type max_b_ = (b);			\
	max_a_ > max_b_ ? max_a_ : max_b_; })

#define min(a, b)	min_t(__typeof__((a) + (b)), a, b)
#define max(a, b)	max_t(__typeof__((a) + (b)), a, b)
#define min3(a, b, c)	min(a, min(b, c))
#define clamp(v, lo, hi) min(max(v, lo), hi)

#endif /* OHCA_SHIM_LINUX_MINMAX_H */
