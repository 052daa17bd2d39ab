// SPDX-License-Identifier: GPL-2.0
/*
 * The software device as a kernel consumer uses it: the verbs of ib_core, DMA
 * regions, handlers that poll and post, drains.
 *
 * Needs an ohca device whose port is up (`rdma link add ... type ohca netdev lo`
 * before the module is loaded); is skipped without one.
 */
#include "kverbs.h"

static void kverbs_send(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);

	memset(p->buf, 0xa5, 10000);
	kverbs_expect(p, 2);
	KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 1, 20000, 10000), 0);
	KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND, 0, 10000, IB_SEND_SIGNALED), 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf, p->buf + 20000, 10000), 0);
}

static void kverbs_send_imm(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);

	strscpy(p->buf, "inline", 8);
	kverbs_expect(p, 1);
	KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 1, 20000, 100), 0);
	KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND_WITH_IMM, 0, 8, IB_SEND_INLINE), 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->last.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(test, p->last.wc_flags & IB_WC_WITH_IMM, IB_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(p->last.ex.imm_data), 0x12345678);
	KUNIT_EXPECT_EQ(test, p->last.byte_len, 8);
	KUNIT_EXPECT_PTR_EQ(test, p->last.qp, p->qp[1]);
	KUNIT_EXPECT_STREQ(test, (char *)p->buf + 20000, "inline");
}

/* More WRs than the queue holds, posted as they complete. */
static void kverbs_many(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	int round, i;

	for (round = 0; round < 20; round++) {
		kverbs_expect(p, 2 * KVERBS_DEPTH);
		for (i = 0; i < KVERBS_DEPTH; i++)
			KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 1, 32768 + i * 64, 64), 0);
		for (i = 0; i < KVERBS_DEPTH; i++)
			KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND, i * 64, 64,
							       IB_SEND_SIGNALED), 0);
		KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
		KUNIT_ASSERT_EQ(test, p->last.status, IB_WC_SUCCESS);
	}
}

/* Posting with interrupts off must not turn bottom halves on. */
static void kverbs_irqs_off(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	unsigned long flags;
	int err;

	kverbs_expect(p, 2);
	local_irq_save(flags);
	err = kverbs_post_recv(p, 1, 20000, 64) ?:
	      kverbs_post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED);
	local_irq_restore(flags);
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
}

/* The DMA region of a kernel PD is for local access: it is no rkey. */
static void kverbs_no_rkey(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);

	kverbs_expect(p, 1);
	KUNIT_ASSERT_EQ(test, kverbs_post_rdma(p, IB_WR_RDMA_WRITE, 0, 8, p->dma + 100,
					       p->pd->local_dma_lkey), 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_REM_ACCESS_ERR);
}

static void kverbs_rdma(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);

	memset(p->buf, 0x5a, 5000);
	kverbs_expect(p, 1);
	KUNIT_ASSERT_EQ(test, kverbs_post_rdma(p, IB_WR_RDMA_WRITE, 0, 5000, p->dma + 10000,
					       p->pd->unsafe_global_rkey), 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf, p->buf + 10000, 5000), 0);

	memset(p->buf + 10000, 0xa5, 5000);
	kverbs_expect(p, 1);
	KUNIT_ASSERT_EQ(test, kverbs_post_rdma(p, IB_WR_RDMA_READ, 0, 5000, p->dma + 10000,
					       p->pd->unsafe_global_rkey), 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf, p->buf + 10000, 5000), 0);
}

/* A peer makes an address up: no memory is there. */
static void kverbs_no_memory(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);

	kverbs_expect(p, 1);
	KUNIT_ASSERT_EQ(test, kverbs_post_rdma(p, IB_WR_RDMA_WRITE, 0, 8, 0x1000,
					       p->pd->unsafe_global_rkey), 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_REM_ACCESS_ERR);
}

static void kverbs_atomic(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct ib_sge sge = { p->dma, 8, p->pd->local_dma_lkey };
	struct ib_atomic_wr wr = {
		.wr = {
			.wr_cqe = &p->cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = p->dma + 4096,
		.compare_add = 5,
		.rkey = p->pd->unsafe_global_rkey,
	};
	const struct ib_send_wr *bad = &wr.wr;

	/* IB core's region of all memory allows READ and WRITE only. */
	kverbs_expect(p, 1);
	KUNIT_ASSERT_EQ(test, ib_post_send(p->qp[0], &wr.wr, &bad), 0);
	/* RDS relies on it. */
	KUNIT_EXPECT_PTR_EQ(test, bad, (const struct ib_send_wr *)&wr.wr);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_REM_ACCESS_ERR);
}

static void kverbs_refused(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct ib_sge sge[3] = { };
	struct ib_send_wr wr = { .wr_cqe = &p->cqe, .sg_list = sge, .num_sge = 5 };
	struct ib_recv_wr rwr = { .wr_cqe = &p->cqe, .sg_list = sge, .num_sge = 3 };
	const struct ib_send_wr *bad = NULL;
	int i, err;

	KUNIT_EXPECT_EQ(test, ib_post_send(p->qp[0], &wr, &bad), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, bad, (const struct ib_send_wr *)&wr);
	KUNIT_EXPECT_EQ(test, ib_post_recv(p->qp[0], &rwr, NULL), -EINVAL);
	wr.num_sge = 1;
	wr.opcode = IB_WR_RESERVED1;
	KUNIT_EXPECT_EQ(test, ib_post_send(p->qp[0], &wr, NULL), -EINVAL);
	/* Receives until it is full. */
	for (i = 0; i < 1000; i++) {
		err = kverbs_post_recv(p, 0, 0, 8);
		if (err)
			break;
	}
	KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	KUNIT_EXPECT_GE(test, i, KVERBS_DEPTH);
	/* They are flushed when the QP goes. */
	kverbs_expect(p, i + 1);
	ib_drain_qp(p->qp[0]);
	p->wanted--;
	KUNIT_EXPECT_EQ(test, p->wanted, 0);
}

/* A drain comes back when all that was posted before is flushed. */
static void kverbs_drain(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	int i;

	kverbs_expect(p, 3 * KVERBS_DEPTH / 2 + 1);
	for (i = 0; i < KVERBS_DEPTH / 2; i++)
		KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 0, i * 64, 64), 0);
	for (i = 0; i < KVERBS_DEPTH; i++)
		KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED),
				0);
	ib_drain_qp(p->qp[0]);
	KUNIT_EXPECT_EQ(test, p->wanted, 1);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_WR_FLUSH_ERR);
}

static struct kunit_case rkey_cases[] = {
	KUNIT_CASE(kverbs_rdma),
	KUNIT_CASE(kverbs_no_memory),
	KUNIT_CASE(kverbs_atomic),
	{}
};

static struct kunit_case cases[] = {
	KUNIT_CASE(kverbs_send),
	KUNIT_CASE(kverbs_send_imm),
	KUNIT_CASE(kverbs_many),
	KUNIT_CASE(kverbs_irqs_off),
	KUNIT_CASE(kverbs_no_rkey),
	KUNIT_CASE(kverbs_refused),
	KUNIT_CASE(kverbs_drain),
	{}
};

static struct kunit_suite suite = {
	.name = "soft-kverbs",
	.suite_init = kverbs_suite_init,
	.suite_exit = kverbs_suite_exit,
	.init = kverbs_pair_init,
	.exit = kverbs_pair_exit,
	.test_cases = cases,
};

static struct kunit_suite rkey_suite = {
	.name = "soft-kverbs-rkey",
	.suite_init = kverbs_suite_init,
	.suite_exit = kverbs_suite_exit,
	.init = kverbs_pair_init_rkey,
	.exit = kverbs_pair_exit,
	.test_cases = rkey_cases,
};

kunit_test_suites(&suite, &rkey_suite);
