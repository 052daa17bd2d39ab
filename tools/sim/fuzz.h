/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share.
 */
#ifndef OHCA_SIM_FUZZ_H
#define OHCA_SIM_FUZZ_H

#include <stdlib.h>
#include <linux/types.h>

/* The fuzzer keeps the input of a process that aborts. */
#define fuzz_check(cond) do { if (!(cond)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* OHCA_SIM_FUZZ_H */
