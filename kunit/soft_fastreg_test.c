// SPDX-License-Identifier: GPL-2.0
/*
 * Fast registration: regions that a kernel consumer registers by work requests,
 * whose keys he rotates, and that either side invalidates.
 */
#include "kverbs.h"

#include <linux/scatterlist.h>

#define REG_PAGES	8

/* A region for fast registration, and the scatter-gather list of what it maps. */
struct fast {
	struct ib_mr *mr;
	struct scatterlist sg[REG_PAGES];
	int nents;
};

static struct fast *fast_make(struct kunit *test, struct kverbs_pair *p)
{
	struct fast *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, REG_PAGES);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f->mr);
	p->mr[p->nr_mr++] = f->mr;
	return f;
}

/* @nents pieces of @len bytes, the first at @offset of the buffer, one every @stride. */
static int fast_map(struct kverbs_pair *p, struct fast *f, u32 offset, u32 stride, u32 len,
		    int nents, u32 page)
{
	int i, n;

	sg_init_table(f->sg, nents);
	for (i = 0; i < nents; i++)
		sg_set_buf(&f->sg[i], p->buf + offset + i * stride, len);
	f->nents = nents;
	n = ib_dma_map_sg(p->ibdev, f->sg, nents, DMA_BIDIRECTIONAL);
	if (n != nents)
		return -EIO;
	ib_update_fast_reg_key(f->mr, ib_inc_rkey(f->mr->rkey));
	n = ib_map_mr_sg(f->mr, f->sg, nents, NULL, page);
	return n == nents ? 0 : -EINVAL;
}

static int post_reg(struct kverbs_pair *p, struct fast *f, const struct ib_send_wr *before)
{
	struct ib_reg_wr wr = {
		.wr = {
			.wr_cqe = &p->cqe,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = f->mr,
		.key = f->mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
	};
	struct ib_send_wr first;

	if (!before)
		return ib_post_send(p->qp[1], &wr.wr, NULL);
	first = *before;
	first.next = &wr.wr;
	return ib_post_send(p->qp[1], &first, NULL);
}

static struct ib_send_wr local_inv(struct kverbs_pair *p, u32 rkey)
{
	return (struct ib_send_wr) {
		.wr_cqe = &p->cqe,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = rkey,
	};
}

/* A WRITE of @len bytes to the registration, @at bytes from its beginning: its status. */
static int write_to(struct kverbs_pair *p, const struct fast *f, u32 rkey, u32 at, u32 from,
		    u32 len)
{
	return KVERBS_STATUS(p, kverbs_post_rdma(p, IB_WR_RDMA_WRITE, from, len, f->mr->iova + at,
						 rkey));
}

struct page_case {
	u32 page;	/* page size of the registration */
	u32 offset;	/* of the first piece */
	u32 stride;
	u32 len;
	int nents;
};

/* Buffers are of kmalloc: as large a page as the buffer is aligned to. */
static const struct page_case page_cases[] = {
	{ 4096, 4096, 8192, 4096, 4 },
	{ 4096, 5000, 0, 3000, 1 },
	{ 4096, 4096 + 512, 3584, 3584, 1 },
	{ 512, 512, 2048, 512, 8 },
	{ 512, 1000, 24, 24, 1 },
	{ 64, 64, 4096 + 64, 64, 8 },
	{ 16384, 0, 0, 16384, 1 },
};

static void page_desc(const struct page_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u-byte pages, %d x %u", c->page, c->nents,
		 c->len);
}

KUNIT_ARRAY_PARAM(page, page_cases, page_desc);

/* What a peer writes is in the pieces, in their order, and nowhere else. */
static void fastreg_pages(struct kunit *test)
{
	const struct page_case *c = test->param_value;
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct fast *f = fast_make(test, p);
	u32 total = c->len * c->nents;
	u8 *from = p->buf + KVERBS_BYTES - 20000;
	int i, k;

	KUNIT_ASSERT_LE(test, total, 20000);
	for (i = 0; i < total; i++)
		from[i] = i * 7 + 1;
	KUNIT_ASSERT_EQ(test, fast_map(p, f, c->offset, c->stride, c->len, c->nents, c->page), 0);
	KUNIT_ASSERT_EQ(test, f->mr->length, total);
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->last.opcode, IB_WC_REG_MR);
	KUNIT_ASSERT_EQ(test, write_to(p, f, f->mr->rkey, 0, from - p->buf, total), IB_WC_SUCCESS);
	for (k = 0; k < c->nents; k++) {
		KUNIT_EXPECT_EQ(test, memcmp(p->buf + c->offset + k * c->stride,
					     from + k * c->len, c->len), 0);
		if (c->stride > c->len)
			KUNIT_EXPECT_EQ(test, p->buf[c->offset + k * c->stride + c->len], 0);
	}
	/* Not a byte more. */
	KUNIT_EXPECT_EQ(test, write_to(p, f, f->mr->rkey, total, from - p->buf, 1),
			IB_WC_REM_ACCESS_ERR);
}

/* Registered, invalidated, registered anew with the next key, in one post. */
static void fastreg_key_rotation(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct fast *f = fast_make(test, p);
	struct ib_send_wr inv;
	u32 old;
	int i;

	KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	for (i = 0; i < 300; i++) {
		old = f->mr->rkey;
		inv = local_inv(p, old);
		/* What is registered stays so while the consumer maps the next. */
		KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096 * (1 + i % 2), 8192, 4096, 1, 4096), 0);
		KUNIT_ASSERT_NE(test, f->mr->rkey, old);
		/* Only the addresses' low bits are the memory's. */
		f->mr->iova |= 0x1234ull << 48;
		kverbs_expect(p, 2);
		KUNIT_ASSERT_EQ(test, post_reg(p, f, &inv), 0);
		KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
		KUNIT_ASSERT_EQ(test, p->last.status, IB_WC_SUCCESS);
		p->buf[0] = i;
		KUNIT_ASSERT_EQ(test, write_to(p, f, f->mr->rkey, 0, 0, 1), IB_WC_SUCCESS);
		KUNIT_ASSERT_EQ(test, p->buf[4096 * (1 + i % 2)], (u8)i);
	}
	KUNIT_EXPECT_EQ(test, write_to(p, f, old, 0, 0, 1), IB_WC_REM_ACCESS_ERR);
}

/* A region that is registered can't be once more. */
static void fastreg_reg_valid(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct fast *f = fast_make(test, p);

	KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, KVERBS_STATUS(p, post_reg(p, f, NULL)), IB_WC_MW_BIND_ERR);
}

/* The peer's SEND gives the registration up, and the receiver is told. */
static void fastreg_remote_inv(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct fast *f = fast_make(test, p);
	struct ib_sge sge = { p->dma, 8, p->pd->local_dma_lkey };
	struct ib_send_wr wr = {
		.wr_cqe = &p->cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND_WITH_INV,
	};

	KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	wr.ex.invalidate_rkey = f->mr->rkey;
	KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 1, 20000, 64), 0);
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, ib_post_send(p->qp[0], &wr, NULL)), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->last.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(test, p->last.wc_flags & IB_WC_WITH_INVALIDATE, IB_WC_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, p->last.ex.invalidate_rkey, f->mr->rkey);
	KUNIT_EXPECT_EQ(test, write_to(p, f, f->mr->rkey, 0, 0, 1), IB_WC_REM_ACCESS_ERR);
}

/* READ into a registration of this side, which it gives up. */
static void fastreg_read_with_inv(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct fast *f = fast_make(test, p), *to = fast_make(test, p);
	struct ib_sge sge = { .length = 4096 };
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = &p->cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IB_WR_RDMA_READ_WITH_INV,
			.send_flags = IB_SEND_SIGNALED,
		},
	};

	memset(p->buf + 4096, 0x3c, 4096);
	KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	KUNIT_ASSERT_EQ(test, fast_map(p, to, 16384, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, post_reg(p, to, NULL)), IB_WC_SUCCESS);
	sge.addr = to->mr->iova;
	sge.lkey = to->mr->lkey;
	wr.wr.ex.invalidate_rkey = to->mr->lkey;
	wr.remote_addr = f->mr->iova;
	wr.rkey = f->mr->rkey;
	KUNIT_ASSERT_EQ(test, KVERBS_STATUS(p, ib_post_send(p->qp[0], &wr.wr, NULL)),
			IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->last.opcode, IB_WC_RDMA_READ);
	KUNIT_EXPECT_EQ(test, p->last.byte_len, 4096);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf + 4096, p->buf + 16384, 4096), 0);
	KUNIT_EXPECT_EQ(test, KVERBS_STATUS(p, ib_post_send(p->qp[0], &wr.wr, NULL)),
			IB_WC_LOC_PROT_ERR);
}

static void fastreg_alloc_mr_refused(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	u32 max = p->ibdev->attrs.max_fast_reg_page_list_len;
	struct ib_mr *mr;

	KUNIT_ASSERT_GE(test, max, 256);
	mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, max);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, max + 1)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(p->pd, IB_MR_TYPE_SG_GAPS, 8)), -EOPNOTSUPP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(fastreg_pages, page_gen_params),
	KUNIT_CASE(fastreg_key_rotation),
	KUNIT_CASE(fastreg_reg_valid),
	KUNIT_CASE(fastreg_remote_inv),
	KUNIT_CASE(fastreg_read_with_inv),
	KUNIT_CASE(fastreg_alloc_mr_refused),
	{}
};

static struct kunit_suite suite = {
	.name = "soft-fastreg",
	.suite_init = kverbs_suite_init,
	.suite_exit = kverbs_suite_exit,
	.init = kverbs_pair_init,
	.exit = kverbs_pair_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
