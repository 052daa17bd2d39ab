/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OHCA_SHIM_LINUX_STRING_H
#define OHCA_SHIM_LINUX_STRING_H

#include <string.h>

#endif /* OHCA_SHIM_LINUX_STRING_H */
