/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's basic types, in user space. */
#ifndef OHCA_SHIM_LINUX_TYPES_H
#define OHCA_SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include_next <linux/types.h>
#include <linux/stddef.h>
#include <linux/compiler.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define U8_MAX		((u8)~0)
#define U16_MAX		((u16)~0)
#define U32_MAX		((u32)~0)
#define U64_MAX		((u64)~0)

#define DECLARE_FLEX_ARRAY(TYPE, NAME)	__DECLARE_FLEX_ARRAY(TYPE, NAME)

typedef unsigned int gfp_t;

#endif /* OHCA_SHIM_LINUX_TYPES_H */
