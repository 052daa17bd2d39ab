// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of errors and credits against the standard's.
 */
#include "../drivers/transport/error.c"

#include <kunit/test.h>
#include <rdma/ib_verbs.h>

/* IBA table 60. */
static const u32 credits[] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

static void error_credits(struct kunit *test)
{
	u32 i, count;

	for (i = 0; i < ARRAY_SIZE(credits); i++) {
		KUNIT_EXPECT_EQ(test, tp_credits_decode(i), credits[i]);
		KUNIT_EXPECT_EQ(test, tp_credits_encode(credits[i]), i);
	}
	/* Never more than there is, and the most that can be said. */
	for (count = 0; count < 70000; count += 1 + count / 50) {
		u8 value = tp_credits_encode(count);

		KUNIT_ASSERT_LT(test, value, TP_AETH_NO_CREDITS);
		KUNIT_ASSERT_LE(test, credits[value], count);
		if (value + 1u < ARRAY_SIZE(credits))
			KUNIT_ASSERT_GT(test, credits[value + 1], count);
	}
	KUNIT_EXPECT_EQ(test, tp_credits_encode(U32_MAX), 30);
}

/* IBA 9.9.3 and 11.6.2: which status each side gets. */
static void error_effects(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, tp_nak_effects[0].status, TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, tp_nak_effects[1].status, IB_WC_REM_INV_REQ_ERR);
	KUNIT_EXPECT_EQ(test, tp_nak_effects[2].status, IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, tp_nak_effects[3].status, IB_WC_REM_OP_ERR);

	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_INVALID].nak, 1);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_INVALID].event, TP_EVENT_REQ_ERR);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_ACCESS].nak, 2);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_ACCESS].event, TP_EVENT_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_OPERATION].nak, 3);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_TOO_LONG].nak, 1);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_TOO_LONG].recv, IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_RECV].nak, 3);
	KUNIT_EXPECT_EQ(test, tp_fault_effects[TP_FAULT_RECV].recv, IB_WC_LOC_PROT_ERR);
}

/* The numbers that are IB core's and the user ABI's. */
static void error_numbers(struct kunit *test)
{
#define SAME(ours, theirs) KUNIT_EXPECT_EQ(test, (int)(ours), (int)(theirs))
	SAME(TP_WC_SUCCESS, IB_WC_SUCCESS);
	SAME(TP_WC_LOC_LEN_ERR, IB_WC_LOC_LEN_ERR);
	SAME(TP_WC_LOC_QP_OP_ERR, IB_WC_LOC_QP_OP_ERR);
	SAME(TP_WC_LOC_PROT_ERR, IB_WC_LOC_PROT_ERR);
	SAME(TP_WC_WR_FLUSH_ERR, IB_WC_WR_FLUSH_ERR);
	SAME(TP_WC_MW_BIND_ERR, IB_WC_MW_BIND_ERR);
	SAME(TP_WC_BAD_RESP_ERR, IB_WC_BAD_RESP_ERR);
	SAME(TP_WC_LOC_ACCESS_ERR, IB_WC_LOC_ACCESS_ERR);
	SAME(TP_WC_REM_INV_REQ_ERR, IB_WC_REM_INV_REQ_ERR);
	SAME(TP_WC_REM_ACCESS_ERR, IB_WC_REM_ACCESS_ERR);
	SAME(TP_WC_REM_OP_ERR, IB_WC_REM_OP_ERR);
	SAME(TP_WC_RETRY_EXC_ERR, IB_WC_RETRY_EXC_ERR);
	SAME(TP_WC_RNR_RETRY_EXC_ERR, IB_WC_RNR_RETRY_EXC_ERR);
	SAME(TP_WC_REM_ABORT_ERR, IB_WC_REM_ABORT_ERR);
	SAME(TP_WC_FATAL_ERR, IB_WC_FATAL_ERR);
	SAME(TP_WC_GENERAL_ERR, IB_WC_GENERAL_ERR);
	SAME(TP_QPS_RESET, IB_QPS_RESET);
	SAME(TP_QPS_INIT, IB_QPS_INIT);
	SAME(TP_QPS_RTR, IB_QPS_RTR);
	SAME(TP_QPS_RTS, IB_QPS_RTS);
	SAME(TP_QPS_SQD, IB_QPS_SQD);
	SAME(TP_QPS_SQE, IB_QPS_SQE);
	SAME(TP_QPS_ERR, IB_QPS_ERR);
	SAME(TP_SEND_FENCE, IB_SEND_FENCE);
	SAME(TP_SEND_SIGNALED, IB_SEND_SIGNALED);
	SAME(TP_SEND_SOLICITED, IB_SEND_SOLICITED);
	SAME(TP_SEND_INLINE, IB_SEND_INLINE);
	SAME(TP_ACCESS_LOCAL_WRITE, IB_ACCESS_LOCAL_WRITE);
	SAME(TP_ACCESS_REMOTE_WRITE, IB_ACCESS_REMOTE_WRITE);
	SAME(TP_ACCESS_REMOTE_READ, IB_ACCESS_REMOTE_READ);
	SAME(TP_ACCESS_REMOTE_ATOMIC, IB_ACCESS_REMOTE_ATOMIC);
	/* As user space has them: 8 where the kernel has 4 for invalidate. */
	SAME(TP_WC_GRH, 1);
	SAME(TP_WC_WITH_IMM, 2);
	SAME(TP_WC_WITH_INV, 8);
#undef SAME
}

static struct kunit_case error_cases[] = {
	KUNIT_CASE(error_credits),
	KUNIT_CASE(error_effects),
	KUNIT_CASE(error_numbers),
	{}
};

static struct kunit_suite error_suite = {
	.name = "ohca_transport_error",
	.test_cases = error_cases,
};

kunit_test_suite(error_suite);
