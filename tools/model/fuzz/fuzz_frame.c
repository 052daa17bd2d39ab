// SPDX-License-Identifier: GPL-2.0
/*
 * Frames from the wire: each ends at the exact end of its memory.
 */
#include <stdlib.h>

#include "eth.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct hca *hca = fuzz_begin();
	u8 *frame = malloc(len + 1);

	if (!frame)
		abort();
	memcpy(frame, data, len);
	hca->wire.ops = &wire_dgram;
	MLX5_SET(nic_vport_context, hca->nic_vport, roce_en, 1);
	frame = realloc(frame, len ? len : 1);
	if (len)
		eth_receive(hca, frame, (u32)len);
	free(frame);
	hca->wire.ops = NULL;
	fuzz_end(hca);
	return 0;
}
