/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OHCA_SHIM_LINUX_LOCKDEP_H
#define OHCA_SHIM_LINUX_LOCKDEP_H

#include <linux/spinlock.h>

#endif /* OHCA_SHIM_LINUX_LOCKDEP_H */
