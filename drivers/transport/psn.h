/* SPDX-License-Identifier: GPL-2.0 */
/*
 * 24-bit sequence numbers: PSN, MSN, SSN (IBA 9.7.1, 9.7.7).
 *
 * They count modulo 2^24; of two that are compared, the one that is at most
 * 2^23 behind the other is the older.
 */
#ifndef OHCA_TRANSPORT_PSN_H
#define OHCA_TRANSPORT_PSN_H

#include <linux/types.h>

#define TP_PSN_MASK	0xffffffu

static inline u32 tp_psn_add(u32 psn, u32 n)
{
	return (psn + n) & TP_PSN_MASK;
}

/* How far @a is ahead of @b: -2^23 to 2^23 - 1. */
static inline s32 tp_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline bool tp_psn_before(u32 a, u32 b)
{
	return tp_psn_diff(a, b) < 0;
}

#endif /* OHCA_TRANSPORT_PSN_H */
