// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd.h"
#include "eth.h"
#include "fuzz.h"

static u8 *memory;
static int memory_fd = -1;
static struct vfu_ops ops;
static int peer;

struct hca *fuzz_begin(void)
{
	struct hca *hca = calloc(1, sizeof(*hca));
	int pair[2];

	if (memory_fd < 0) {
		memory_fd = memfd_create("guest", MFD_CLOEXEC);
		if (ftruncate(memory_fd, FUZZ_BYTES))
			abort();
		memory = mmap(NULL, FUZZ_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
	}
	memset(memory, 0, FUZZ_BYTES);
	if (!hca || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	peer = pair[1];
	hca->opt = (struct hca_options){ .device = 0x101d, .mac = { 2, 0, 0, 0, 0, 1 },
					 .guid = 1, .vectors = 8, .speed = 100 };
	hca_init(hca);
	hca_ops(hca, &ops);
	vfu_init_connected(&hca->vfu, &hca->loop, &hca->dma, &ops, pair[0], 8);
	hca->vfu.versioned = true;
	if (dma_map(&hca->dma, FUZZ_MEMORY, FUZZ_BYTES, 0, memory_fd,
		    DMA_READABLE | DMA_WRITABLE))
		abort();
	hca->dma.enabled = true;
	/* Bus errors are what is looked for; their messages are not. */
	hca->dma.logged = 100;
	return hca;
}

void fuzz_end(struct hca *hca)
{
	vfu_fini(&hca->vfu);
	close(peer);
	hca_fini(hca);
	free(hca);
}

u8 *fuzz_memory(void)
{
	return memory;
}

int fuzz_command(struct hca *hca, void *in, u32 inlen, void *out, u32 outlen)
{
	struct cmd cmd = { .hca = hca, .in = in, .inlen = inlen, .out = out, .outlen = outlen };

	return cmd_execute(&cmd);
}
