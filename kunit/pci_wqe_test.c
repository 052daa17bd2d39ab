// SPDX-License-Identifier: GPL-2.0
/*
 * Work queue entries: each work request read back segment by segment, by offsets and
 * not by the structures that wrote it.
 */
#include "../drivers/pci/verbs/wqe.c"

#include <kunit/test.h>

#define MAX_SGE		4
#define MAX_INLINE	200

struct fixture {
	struct verbs_wqe wqe;
	struct verbs_wqe_limits limits;
	struct ib_sge sge[MAX_SGE + 1];
};

static int wqe_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int i;

	if (!f)
		return -ENOMEM;
	f->limits = (struct verbs_wqe_limits){ IB_QPT_RC, MAX_SGE, MAX_INLINE };
	for (i = 0; i < ARRAY_SIZE(f->sge); i++)
		f->sge[i] = (struct ib_sge){ 0x1000 * (i + 1) + 7, 100 + i, 0x500 + i };
	test->priv = f;
	return 0;
}

static u32 get32(const struct fixture *f, u32 at)
{
	return be32_to_cpup((const __be32 *)(f->wqe.data + at));
}

static u64 get64(const struct fixture *f, u32 at)
{
	return be64_to_cpup((const __be64 *)(f->wqe.data + at));
}

/* A gather list of @nr entries, from @at to the end. */
static void expect_gather(struct kunit *test, const struct fixture *f, u32 at, int nr)
{
	int i;

	KUNIT_EXPECT_EQ(test, f->wqe.bytes, at + nr * 16);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, get32(f, at + i * 16), f->sge[i].length);
		KUNIT_EXPECT_EQ(test, get32(f, at + i * 16 + 4), f->sge[i].lkey);
		KUNIT_EXPECT_EQ(test, get64(f, at + i * 16 + 8), f->sge[i].addr);
	}
}

static void wqe_control(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_send_wr wr = { .opcode = IB_WR_SEND_WITH_IMM, .sg_list = f->sge, .num_sge = 2,
				 .send_flags = IB_SEND_SIGNALED | IB_SEND_SOLICITED,
				 .ex.imm_data = cpu_to_be32(0xcafebabe) };
	u8 flags;

	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), 0);
	flags = verbs_wqe_flags(&f->wqe, &wr, false, false, 0);
	verbs_wqe_finish(&f->wqe, 0x123456, 0xfedc, flags);
	expect_gather(test, f, 16, 2);
	KUNIT_EXPECT_EQ(test, get32(f, 0), 0x00fedc0b);
	KUNIT_EXPECT_EQ(test, get32(f, 4), 0x12345603);
	KUNIT_EXPECT_EQ(test, get32(f, 8), 0x0000000a);
	KUNIT_EXPECT_EQ(test, get32(f, 12), 0xcafebabe);
	KUNIT_EXPECT_EQ(test, f->wqe.wc_opcode, IB_WC_SEND);
}

static void wqe_rdma(struct kunit *test)
{
	static const struct { enum ib_wr_opcode wr; u8 opcode; enum ib_wc_opcode wc; } kinds[] = {
		{ IB_WR_RDMA_WRITE, 0x08, IB_WC_RDMA_WRITE },
		{ IB_WR_RDMA_WRITE_WITH_IMM, 0x09, IB_WC_RDMA_WRITE },
		{ IB_WR_RDMA_READ, 0x10, IB_WC_RDMA_READ },
	};
	struct fixture *f = test->priv;
	struct ib_rdma_wr wr = { .wr = { .sg_list = f->sge, .num_sge = 3 },
				 .remote_addr = 0x1122334455667788, .rkey = 0x99aabbcc };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		wr.wr.opcode = kinds[i].wr;
		KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), 0);
		KUNIT_EXPECT_EQ(test, f->wqe.opcode, kinds[i].opcode);
		KUNIT_EXPECT_EQ(test, f->wqe.wc_opcode, kinds[i].wc);
		KUNIT_EXPECT_EQ(test, get64(f, 16), 0x1122334455667788);
		KUNIT_EXPECT_EQ(test, get32(f, 24), 0x99aabbcc);
		expect_gather(test, f, 32, 3);
	}
}

static void wqe_atomic(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_atomic_wr wr = { .wr = { .opcode = IB_WR_ATOMIC_CMP_AND_SWP,
					   .sg_list = f->sge, .num_sge = 1 },
				   .remote_addr = 0x1000, .rkey = 5,
				   .compare_add = 0x1111, .swap = 0x2222 };

	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), 0);
	KUNIT_EXPECT_EQ(test, f->wqe.opcode, 0x11);
	KUNIT_EXPECT_EQ(test, get64(f, 32), 0x2222);
	KUNIT_EXPECT_EQ(test, get64(f, 40), 0x1111);
	expect_gather(test, f, 48, 1);
	wr.wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), 0);
	KUNIT_EXPECT_EQ(test, f->wqe.opcode, 0x12);
	KUNIT_EXPECT_EQ(test, get64(f, 32), 0x1111);
	KUNIT_EXPECT_EQ(test, get64(f, 40), 0);
}

static void wqe_inline(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .sg_list = f->sge, .num_sge = 2,
				 .send_flags = IB_SEND_INLINE };
	char first[100], second[100];

	memset(first, 0x11, sizeof(first));
	memset(second, 0x22, sizeof(second));
	f->sge[0] = (struct ib_sge){ .addr = (uintptr_t)first, .length = sizeof(first) };
	f->sge[1] = (struct ib_sge){ .addr = (uintptr_t)second, .length = sizeof(second) };
	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), 0);
	KUNIT_EXPECT_EQ(test, f->wqe.bytes, 16 + ALIGN(4 + 200, 16));
	KUNIT_EXPECT_EQ(test, get32(f, 16), 0x80000000 | 200);
	KUNIT_EXPECT_MEMEQ(test, f->wqe.data + 20, first, 100);
	KUNIT_EXPECT_MEMEQ(test, f->wqe.data + 120, second, 100);
	/* One byte more than the queue was made for. */
	f->sge[1].length++;
	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), -EINVAL);
	/* Lengths whose sum wraps. */
	f->sge[0].length = 1;
	f->sge[1].length = U32_MAX;
	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), -EINVAL);
	/* Nothing at all: there is no segment. */
	wr.num_sge = 0;
	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), 0);
	KUNIT_EXPECT_EQ(test, f->wqe.bytes, 16);
}

static void wqe_datagram(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct verbs_ah ah = { .av = { .hop_limit = 0x40, .tclass = 0x12,
				       .grh_gid_fl = cpu_to_be32(0x00300456) } };
	struct ib_ud_wr wr = { .wr = { .opcode = IB_WR_SEND, .sg_list = f->sge, .num_sge = 1 },
			       .ah = &ah.ibah, .remote_qpn = 0xff123456,
			       .remote_qkey = 0x11111111 };

	f->limits.type = IB_QPT_UD;
	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), 0);
	KUNIT_EXPECT_EQ(test, get32(f, 16), 0x11111111);
	KUNIT_EXPECT_EQ(test, get32(f, 24), 0x80123456);
	KUNIT_EXPECT_EQ(test, f->wqe.data[16 + 26], 0x12);
	KUNIT_EXPECT_EQ(test, f->wqe.data[16 + 27], 0x40);
	KUNIT_EXPECT_EQ(test, get32(f, 16 + 28), 0x00300456);
	expect_gather(test, f, 64, 1);
	wr.ah = NULL;
	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), -EINVAL);
}

static void wqe_invalidate(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = 0x00abcd42 };

	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), 0);
	KUNIT_EXPECT_EQ(test, f->wqe.opcode, 0x25);
	KUNIT_EXPECT_EQ(test, f->wqe.bytes, 128);
	KUNIT_EXPECT_EQ(test, f->wqe.data[16], MLX5_UMR_INLINE);
	KUNIT_EXPECT_EQ(test, get64(f, 24), MLX5_MKEY_MASK_FREE);
	KUNIT_EXPECT_EQ(test, f->wqe.data[64], MLX5_MKEY_STATUS_FREE);
	verbs_wqe_finish(&f->wqe, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, get32(f, 12), 0x00abcd42);
}

static void wqe_register(struct kunit *test)
{
	static __be64 list[8];
	struct fixture *f = test->priv;
	struct ib_pd pd = { .local_dma_lkey = 0x777 };
	struct verbs_mr mr = { .ibmr = { .pd = &pd, .iova = 0x123456789000, .length = 0x5000,
					 .page_size = 4096 },
			       .fast = { .list = list, .dma = 0xabcd000, .nr = 5, .max = 8,
					 .bytes = 64 } };
	struct ib_reg_wr wr = { .wr = { .opcode = IB_WR_REG_MR }, .mr = &mr.ibmr,
				.key = 0x00123499,
				.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ };

	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), 0);
	KUNIT_EXPECT_EQ(test, f->wqe.bytes, 144);
	KUNIT_EXPECT_EQ(test, f->wqe.data[16], MLX5_UMR_CHECK_NOT_FREE);
	/* 64 bytes of list: 4 octwords, of which 5 pages take 3. */
	KUNIT_EXPECT_EQ(test, get32(f, 20) >> 16, 4);
	KUNIT_EXPECT_EQ(test, get64(f, 24) & MLX5_MKEY_MASK_FREE, MLX5_MKEY_MASK_FREE);
	KUNIT_EXPECT_EQ(test, f->wqe.data[64], 0);
	/* UMR, remote read, local write and read, list of pages. */
	KUNIT_EXPECT_EQ(test, f->wqe.data[66], 0x80 | 0x10 | 0x08 | 0x04 | 0x01);
	KUNIT_EXPECT_EQ(test, get32(f, 68), 0xffffff99);
	KUNIT_EXPECT_EQ(test, get64(f, 80), 0x123456789000);
	KUNIT_EXPECT_EQ(test, get64(f, 88), 0x5000);
	KUNIT_EXPECT_EQ(test, f->wqe.data[64 + 59], 12);
	KUNIT_EXPECT_EQ(test, get32(f, 128), 64);
	KUNIT_EXPECT_EQ(test, get32(f, 132), 0x777);
	KUNIT_EXPECT_EQ(test, get64(f, 136), 0xabcd000);
	mr.fast.list = NULL;
	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), -EINVAL);
}

static void wqe_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_rdma_wr wr = { .wr = { .opcode = IB_WR_SEND, .sg_list = f->sge,
					 .num_sge = MAX_SGE + 1 } };
	int i;

	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), -EINVAL);
	wr.wr.num_sge = -1;
	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), -EINVAL);
	wr.wr.num_sge = 0;
	for (i = IB_WR_REG_MR_INTEGRITY; i < 300; i++) {
		wr.wr.opcode = i;
		KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), -EINVAL);
	}
	wr.wr.opcode = IB_WR_RDMA_READ;
	f->limits.type = IB_QPT_UC;
	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), -EINVAL);
	f->limits.type = IB_QPT_UD;
	wr.wr.opcode = IB_WR_RDMA_WRITE;
	KUNIT_EXPECT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr.wr), -EINVAL);
}

static void wqe_fences(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };
	const u8 umr = MLX5_FENCE_MODE_STRONG_ORDERING;

	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), 0);
	KUNIT_EXPECT_EQ(test, verbs_wqe_flags(&f->wqe, &wr, false, false, umr), 0);
	KUNIT_EXPECT_EQ(test, verbs_wqe_flags(&f->wqe, &wr, true, false, umr), 0x08);
	KUNIT_EXPECT_EQ(test, verbs_wqe_flags(&f->wqe, &wr, false, true, umr), 0x20);
	wr.send_flags = IB_SEND_FENCE;
	KUNIT_EXPECT_EQ(test, verbs_wqe_flags(&f->wqe, &wr, false, false, umr), 0x40);
	KUNIT_EXPECT_EQ(test, verbs_wqe_flags(&f->wqe, &wr, false, true, umr), 0x80);
	wr = (struct ib_send_wr){ .opcode = IB_WR_LOCAL_INV };
	KUNIT_ASSERT_EQ(test, verbs_wqe_build(&f->wqe, &f->limits, &wr), 0);
	KUNIT_EXPECT_EQ(test, verbs_wqe_flags(&f->wqe, &wr, false, false, umr), umr);
}

static void wqe_recv(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct mlx5_wqe_data_seg seg[MAX_SGE];
	struct ib_recv_wr wr = { .sg_list = f->sge, .num_sge = MAX_SGE };

	memset(seg, 0xff, sizeof(seg));
	KUNIT_ASSERT_EQ(test, verbs_wqe_recv(seg, MAX_SGE, &wr), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[3].byte_count), f->sge[3].length);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[3].lkey), f->sge[3].lkey);
	wr.num_sge = MAX_SGE + 1;
	KUNIT_EXPECT_EQ(test, verbs_wqe_recv(seg, MAX_SGE, &wr), -EINVAL);
	/* An entry of no bytes is left out, and what follows the list is not looked at. */
	wr.num_sge = 2;
	f->sge[0].length = 0;
	KUNIT_ASSERT_EQ(test, verbs_wqe_recv(seg, MAX_SGE, &wr), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[0].lkey), f->sge[1].lkey);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[1].lkey), 0x100);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[1].byte_count), 0);
}

/* A queue's room holds whatever may be posted to it. */
static void wqe_room(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, verbs_wqe_room(IB_QPT_RC, 1, 0, false), 64);
	KUNIT_EXPECT_EQ(test, verbs_wqe_room(IB_QPT_RC, 1, 0, true), 192);
	KUNIT_EXPECT_EQ(test, verbs_wqe_room(IB_QPT_RC, 3, 0, false), 128);
	KUNIT_EXPECT_EQ(test, verbs_wqe_room(IB_QPT_UD, 1, 0, false), 128);
	KUNIT_EXPECT_EQ(test, verbs_wqe_room(IB_QPT_UC, 0, 28, false), 64);
	KUNIT_EXPECT_EQ(test, verbs_wqe_room(IB_QPT_UC, 0, 29, false), 128);
	KUNIT_EXPECT_GT(test, verbs_wqe_room(IB_QPT_RC, U32_MAX, 0, false), VERBS_WQE_MAX);
	KUNIT_EXPECT_GT(test, verbs_wqe_room(IB_QPT_RC, 1, U32_MAX, false), VERBS_WQE_MAX);
}

static struct kunit_case wqe_cases[] = {
	KUNIT_CASE(wqe_control),
	KUNIT_CASE(wqe_rdma),
	KUNIT_CASE(wqe_atomic),
	KUNIT_CASE(wqe_inline),
	KUNIT_CASE(wqe_datagram),
	KUNIT_CASE(wqe_invalidate),
	KUNIT_CASE(wqe_register),
	KUNIT_CASE(wqe_refused),
	KUNIT_CASE(wqe_fences),
	KUNIT_CASE(wqe_recv),
	KUNIT_CASE(wqe_room),
	{}
};

static struct kunit_suite wqe_suite = {
	.name = "pci_wqe",
	.init = wqe_init,
	.test_cases = wqe_cases,
};

kunit_test_suite(wqe_suite);
