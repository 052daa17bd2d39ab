// SPDX-License-Identifier: GPL-2.0
/*
 * ohca_core: what every OpenHCA device shares. A library: nothing runs by itself.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("OpenHCA: QP state machine, memory, ports, GIDs and counters");
MODULE_AUTHOR("OpenHCA contributors");
MODULE_LICENSE("GPL");
