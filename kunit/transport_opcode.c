// SPDX-License-Identifier: GPL-2.0
/*
 * The transport's opcode table, for the packet tests.
 */
#include "../drivers/transport/opcode.c"
