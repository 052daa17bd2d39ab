/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For <linux/mlx5/cq.h>: it has the driver's own structure and functions beside
 * the numbers that the model wants. They have to compile, no more.
 */
#ifndef OHCA_MODEL_SHIM_LINUX_REFCOUNT_H
#define OHCA_MODEL_SHIM_LINUX_REFCOUNT_H

#include <linux/types.h>

#ifndef __iomem
#define __iomem
#endif

typedef struct {
	int unused;
} refcount_t;

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

#define MLX5_CQ_DOORBELL	0x20
/* For writes that another processor is to see in order. */
#define wmb()			__atomic_thread_fence(__ATOMIC_RELEASE)
#define mlx5_write64(val, dest)	((void)(val), (void)(dest))
#define refcount_inc(r)		((void)(r))
#define refcount_dec_and_test(r) ((void)(r), false)
#define complete(c)		((void)(c))
#define print_hex_dump(...)	((void)0)

#endif /* OHCA_MODEL_SHIM_LINUX_REFCOUNT_H */
