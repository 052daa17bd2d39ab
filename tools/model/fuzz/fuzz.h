/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzzers share: an adapter with a client at the other end of a socket. */
#ifndef OHCA_MODEL_FUZZ_H
#define OHCA_MODEL_FUZZ_H

#include "model.h"

#define FUZZ_MEMORY	0x100000000ull
#define FUZZ_BYTES	0x100000u

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

/* A fresh adapter with @FUZZ_BYTES of memory at FUZZ_MEMORY, and bus master. */
struct hca *fuzz_begin(void);
void fuzz_end(struct hca *hca);
/* Its memory. */
u8 *fuzz_memory(void);
/* Has the adapter do a command; the state is as after INIT_HCA if @ready. */
int fuzz_command(struct hca *hca, void *in, u32 inlen, void *out, u32 outlen);

#endif /* OHCA_MODEL_FUZZ_H */
