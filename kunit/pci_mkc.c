// SPDX-License-Identifier: GPL-2.0
/*
 * Memory key contexts, for the tests of work queue entries.
 */
#include "../drivers/pci/verbs/mkc.c"
