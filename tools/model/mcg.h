/* SPDX-License-Identifier: GPL-2.0 */
/* Multicast groups. */
#ifndef OHCA_MODEL_MCG_H
#define OHCA_MODEL_MCG_H

#include <string.h>

#include "hca.h"

/**
 * struct mcg_member - a queue pair that is in a group
 * @gid: the group
 * @qpn: the queue pair
 */
struct mcg_member {
	u8 gid[16];
	u32 qpn;
};

/* Whether a GID is an IPv4 multicast address, mapped to IPv6. */
static inline bool mcg_is_ipv4(const u8 *gid)
{
	static const u8 prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid, prefix, sizeof(prefix)) && gid[12] >> 4 == 0xe;
}

/* The queue pair goes: it is in no group any more. */
void mcg_forget(struct hca *hca, u32 qpn);

#endif /* OHCA_MODEL_MCG_H */
