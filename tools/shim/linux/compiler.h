/* SPDX-License-Identifier: GPL-2.0 */
/* Compiler attributes and single accesses. */
#ifndef OHCA_SHIM_LINUX_COMPILER_H
#define OHCA_SHIM_LINUX_COMPILER_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define __must_check	__attribute__((__warn_unused_result__))
#define __packed	__attribute__((__packed__))
#define __aligned(x)	__attribute__((__aligned__(x)))
#define __maybe_unused	__attribute__((__unused__))
#define __counted_by(m)
#define __force
#define noinline	__attribute__((__noinline__))
#define fallthrough	__attribute__((__fallthrough__))

/* The uapi headers define it empty. */
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))

#endif /* OHCA_SHIM_LINUX_COMPILER_H */
