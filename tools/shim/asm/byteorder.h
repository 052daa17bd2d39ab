/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names for byte order conversion. */
#ifndef OHCA_SHIM_ASM_BYTEORDER_H
#define OHCA_SHIM_ASM_BYTEORDER_H

#include_next <asm/byteorder.h>

#define cpu_to_be16(x)	__cpu_to_be16(x)
#define cpu_to_be32(x)	__cpu_to_be32(x)
#define cpu_to_be64(x)	__cpu_to_be64(x)
#define be16_to_cpu(x)	__be16_to_cpu(x)
#define be32_to_cpu(x)	__be32_to_cpu(x)
#define be64_to_cpu(x)	__be64_to_cpu(x)
#define cpu_to_le32(x)	__cpu_to_le32(x)
#define le32_to_cpu(x)	__le32_to_cpu(x)

#endif /* OHCA_SHIM_ASM_BYTEORDER_H */
