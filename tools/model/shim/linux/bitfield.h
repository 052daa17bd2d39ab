/* SPDX-License-Identifier: GPL-2.0 */
/* Bits and masks. */
#ifndef OHCA_MODEL_SHIM_LINUX_BITFIELD_H
#define OHCA_MODEL_SHIM_LINUX_BITFIELD_H

#define BIT(n)		(1ul << (n))
#define BIT_ULL(n)	(1ull << (n))
#define GENMASK(h, l)	((~0ul << (l)) & (~0ul >> (63 - (h))))

#endif /* OHCA_MODEL_SHIM_LINUX_BITFIELD_H */
