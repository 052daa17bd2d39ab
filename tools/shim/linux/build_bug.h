/* SPDX-License-Identifier: GPL-2.0 */
/* Assertions at compile time. */
#ifndef OHCA_SHIM_LINUX_BUILD_BUG_H
#define OHCA_SHIM_LINUX_BUILD_BUG_H

#include <assert.h>

#undef static_assert
#define OHCA_STATIC_ASSERT(expr, msg, ...)	_Static_assert(expr, msg)
#define static_assert(expr, ...)	OHCA_STATIC_ASSERT(expr, ##__VA_ARGS__, #expr)
#define BUILD_BUG_ON(cond)		_Static_assert(!(cond), #cond)

#endif /* OHCA_SHIM_LINUX_BUILD_BUG_H */
