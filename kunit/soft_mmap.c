// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping of rings, for the ring tests: rings of kernel consumers never get here.
 */
#include "../drivers/soft/mmap.c"
