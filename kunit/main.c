// SPDX-License-Identifier: GPL-2.0
/*
 * ohca_kunit: the unit tests. Loading it runs them; the results are in the
 * kernel's log as KTAP.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("OpenHCA: unit tests");
MODULE_AUTHOR("OpenHCA contributors");
MODULE_LICENSE("GPL");
