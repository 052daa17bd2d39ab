/* SPDX-License-Identifier: GPL-2.0 */
/* Rounding. */
#ifndef OHCA_SHIM_LINUX_MATH_H
#define OHCA_SHIM_LINUX_MATH_H

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))((y) - 1))) + 1)
#define round_down(x, y)	((x) & ~((__typeof__(x))((y) - 1)))

#endif /* OHCA_SHIM_LINUX_MATH_H */
