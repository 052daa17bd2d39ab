/* SPDX-License-Identifier: GPL-2.0 */
/* From a member to what it is a member of. */
#ifndef OHCA_SHIM_LINUX_CONTAINER_OF_H
#define OHCA_SHIM_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif /* OHCA_SHIM_LINUX_CONTAINER_OF_H */
