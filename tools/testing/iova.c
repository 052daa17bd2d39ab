// SPDX-License-Identifier: GPL-2.0
/*
 * iova DEVICE GID-INDEX - a region is addressed by the I/O virtual address that
 * the program chose for it, not by its own, on both sides.
 */
#include <sys/mman.h>

#include "rc.h"

#define SIZE 20000

int main(int argc, char **argv)
{
	static const uint64_t iovas[] = { 0, 0x1000, 0x7fffffff0000ull, 0xffffffff00000000ull };
	struct ibv_send_wr wr = { .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_sge sge = { .length = 5000 };
	struct ibv_cq *cq;
	struct ibv_qp *a, *b;
	struct rc_dev dev;
	uint8_t *memory;
	unsigned int i, k;

	if (argc != 3)
		return 2;
	rc_open(&dev, argv[1], atoi(argv[2]));
	cq = ibv_create_cq(dev.ctx, 16, NULL, NULL, 0);
	a = rc_qp(&dev, cq, cq, 4);
	b = rc_qp(&dev, cq, cq, 4);
	rc_connect(&dev, a, &dev, b);
	rc_connect(&dev, b, &dev, a);
	memory = mmap(NULL, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);

	for (i = 0; i < sizeof(iovas) / sizeof(*iovas); i++) {
		/* The offset in the page is that of the memory. */
		struct ibv_mr *mr = ibv_reg_mr_iova(dev.pd, memory + 123, SIZE, iovas[i] + 123,
						    RC_ALL);

		if (!mr)
			die("reg_mr_iova %#llx", (unsigned long long)iovas[i]);
		for (k = 0; k < SIZE; k++)
			memory[123 + k] = k * 7 + i;
		sge.addr = iovas[i] + 123 + 1;
		sge.lkey = mr->lkey;
		wr.sg_list = &sge;
		wr.wr.rdma.remote_addr = iovas[i] + 123 + 9000;
		wr.wr.rdma.rkey = mr->rkey;
		if (ibv_post_send(a, &wr, &bad))
			die("post_send");
		if (rc_poll(cq).status != IBV_WC_SUCCESS)
			die("iova %#llx: it failed", (unsigned long long)iovas[i]);
		if (memcmp(memory + 123 + 1, memory + 123 + 9000, 5000))
			die("iova %#llx: wrong data", (unsigned long long)iovas[i]);
		if (memory[123 + 8999] != (uint8_t)(8999 * 7 + i) ||
		    memory[123 + 14000] != (uint8_t)(14000 * 7 + i))
			die("iova %#llx: more was written", (unsigned long long)iovas[i]);
		ibv_dereg_mr(mr);
	}
	return 0;
}
