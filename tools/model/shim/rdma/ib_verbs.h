/* SPDX-License-Identifier: GPL-2.0 */
/* The little that the kernel's mlx5 layouts take from the verbs header. */
#ifndef OHCA_MODEL_SHIM_RDMA_IB_VERBS_H
#define OHCA_MODEL_SHIM_RDMA_IB_VERBS_H

#include <endian.h>
#include <stdio.h>
#include <asm/byteorder.h>
#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#ifndef PAGE_SIZE
#define PAGE_SIZE	4096
#endif
#ifndef __LITTLE_ENDIAN
#define __LITTLE_ENDIAN	1234
#endif
#ifndef struct_group
#define struct_group(NAME, ...)	struct { __VA_ARGS__ }
#endif
#define pr_debug(...)	((void)0)

struct ib_grh {
	u8 bytes[40];
};

struct ib_ah {
	int unused;
};

#endif /* OHCA_MODEL_SHIM_RDMA_IB_VERBS_H */
