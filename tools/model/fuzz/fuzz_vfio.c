// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of a client: the input is a sequence of a length byte and a message.
 */
#include <stdlib.h>

#include "fuzz.h"

#define HEADER	16u

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct hca *hca = fuzz_begin();
	struct vfu_msg msg;
	u32 n;

	while (len > 1 && hca->vfu.fd >= 0) {
		n = data[0];
		data++;
		len--;
		n = n < len ? n : (u32)len;
		msg = (struct vfu_msg){ .data = calloc(1, HEADER + n), .got = HEADER + n };
		if (!msg.data)
			abort();
		/* The command, and never an answer: those are asked for. */
		msg.data[2] = n ? data[0] % 16 : 0;
		memcpy(msg.data + HEADER, data + (n ? 1 : 0), n ? n - 1 : 0);
		msg.data[8] = 0x10;
		vfu_message(&hca->vfu, &msg);
		free(msg.data);
		loop_step(&hca->loop, 0);
		data += n;
		len -= n;
	}
	fuzz_end(hca);
	return 0;
}
