/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's catch-all header is included for. */
#ifndef OHCA_SHIM_LINUX_KERNEL_H
#define OHCA_SHIM_LINUX_KERNEL_H

#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif /* OHCA_SHIM_LINUX_KERNEL_H */
