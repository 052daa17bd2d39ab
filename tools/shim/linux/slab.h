/* SPDX-License-Identifier: GPL-2.0 */
/* Allocation. */
#ifndef OHCA_SHIM_LINUX_SLAB_H
#define OHCA_SHIM_LINUX_SLAB_H

#include <stdlib.h>
#include <linux/types.h>

#define GFP_KERNEL	0u
#define GFP_ATOMIC	0u

static inline void *kcalloc(size_t n, size_t size, gfp_t flags)
{
	(void)flags;
	return calloc(n, size);
}

static inline void *kzalloc(size_t size, gfp_t flags)
{
	return kcalloc(1, size, flags);
}

static inline void kfree(const void *p)
{
	free((void *)p);
}

#define kvcalloc(n, size, flags)	kcalloc(n, size, flags)
#define kvzalloc(size, flags)		kzalloc(size, flags)
#define kvfree(p)			kfree(p)

#endif /* OHCA_SHIM_LINUX_SLAB_H */
