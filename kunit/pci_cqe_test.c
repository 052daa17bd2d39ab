// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queue entries: ownership, kinds, statuses, and what a work completion
 * says of them.
 */
#include "../drivers/pci/verbs/cqe.c"

#include <kunit/test.h>

#include "random.h"

static void cqe_ownership(struct kunit *test)
{
	struct mlx5_cqe64 cqe = { .op_own = VERBS_CQE_FRESH };
	u32 index;

	/* Four laps of a queue of 8: each entry is written once a lap. */
	for (index = 0; index < 32; index++) {
		if (index < 8)
			cqe.op_own = VERBS_CQE_FRESH;
		else
			cqe.op_own = MLX5_CQE_REQ << 4 | ((index - 8) >> 3 & 1);
		KUNIT_EXPECT_FALSE(test, verbs_cqe_ready(&cqe, index, 3));
		cqe.op_own = MLX5_CQE_REQ << 4 | (index >> 3 & 1);
		KUNIT_EXPECT_TRUE(test, verbs_cqe_ready(&cqe, index, 3));
	}
	/* The index turns over. */
	cqe.op_own = MLX5_CQE_REQ << 4 | 1;
	KUNIT_EXPECT_TRUE(test, verbs_cqe_ready(&cqe, U32_MAX, 3));
	KUNIT_EXPECT_FALSE(test, verbs_cqe_ready(&cqe, 0, 3));
}

static void cqe_every_opcode(struct kunit *test)
{
	static const enum verbs_cqe_kind kinds[16] = {
		VERBS_CQE_SEND, VERBS_CQE_RECV, VERBS_CQE_RECV, VERBS_CQE_RECV,
		VERBS_CQE_RECV, VERBS_CQE_RESIZE, VERBS_CQE_OTHER, VERBS_CQE_OTHER,
		VERBS_CQE_OTHER, VERBS_CQE_OTHER, VERBS_CQE_OTHER, VERBS_CQE_OTHER,
		VERBS_CQE_OTHER, VERBS_CQE_SEND, VERBS_CQE_RECV, VERBS_CQE_OTHER,
	};
	struct mlx5_cqe64 cqe = {};
	struct ib_wc wc;
	int i;

	for (i = 0; i < 256; i++) {
		cqe.op_own = i;
		KUNIT_EXPECT_EQ(test, verbs_cqe_kind(&cqe), kinds[i >> 4]);
		/* Any byte is safe. */
		verbs_cqe_to_wc(&cqe, &wc);
	}
}

static void cqe_statuses(struct kunit *test)
{
	static const struct { u8 syndrome; enum ib_wc_status status; } want[] = {
		{ 0x01, IB_WC_LOC_LEN_ERR },	{ 0x02, IB_WC_LOC_QP_OP_ERR },
		{ 0x04, IB_WC_LOC_PROT_ERR },	{ 0x05, IB_WC_WR_FLUSH_ERR },
		{ 0x06, IB_WC_MW_BIND_ERR },	{ 0x10, IB_WC_BAD_RESP_ERR },
		{ 0x11, IB_WC_LOC_ACCESS_ERR },	{ 0x12, IB_WC_REM_INV_REQ_ERR },
		{ 0x13, IB_WC_REM_ACCESS_ERR },	{ 0x14, IB_WC_REM_OP_ERR },
		{ 0x15, IB_WC_RETRY_EXC_ERR },	{ 0x16, IB_WC_RNR_RETRY_EXC_ERR },
		{ 0x22, IB_WC_REM_ABORT_ERR },	{ 0x77, IB_WC_GENERAL_ERR },
	};
	struct mlx5_err_cqe err = { .vendor_err_synd = 0x5a };
	struct ib_wc wc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		err.syndrome = want[i].syndrome;
		err.op_own = (i & 1 ? MLX5_CQE_REQ_ERR : MLX5_CQE_RESP_ERR) << 4;
		verbs_cqe_to_wc((struct mlx5_cqe64 *)&err, &wc);
		KUNIT_EXPECT_EQ(test, wc.status, want[i].status);
		KUNIT_EXPECT_EQ(test, wc.vendor_err, 0x5a);
	}
	/* What is no error has no syndrome, whatever the byte says. */
	err.op_own = MLX5_CQE_REQ << 4;
	KUNIT_EXPECT_EQ(test, verbs_cqe_status((struct mlx5_cqe64 *)&err), IB_WC_SUCCESS);
}

static void cqe_recv(struct kunit *test)
{
	struct mlx5_cqe64 cqe = {
		.op_own = MLX5_CQE_RESP_SEND_IMM << 4,
		.byte_cnt = cpu_to_be32(140),
		.flags_rqpn = cpu_to_be32(1u << 28 | 2u << 24 | 0x123456),
		.immediate = cpu_to_be32(0xdeadbeef),
		.sop_drop_qpn = cpu_to_be32(0x0a00abcd),
	};
	struct ib_wc wc;

	verbs_cqe_to_wc(&cqe, &wc);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 140);
	KUNIT_EXPECT_EQ(test, wc.src_qp, 0x123456);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(wc.ex.imm_data), 0xdeadbeef);
	KUNIT_EXPECT_EQ(test, wc.network_hdr_type, RDMA_NETWORK_IPV4);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_GRH | IB_WC_WITH_IMM |
			IB_WC_WITH_NETWORK_HDR_TYPE);
	KUNIT_EXPECT_EQ(test, wc.sl, 0);
	KUNIT_EXPECT_EQ(test, verbs_cqe_qpn(&cqe), 0xabcd);

	cqe.op_own = MLX5_CQE_RESP_SEND_INV << 4;
	cqe.flags_rqpn = cpu_to_be32(1u << 28 | 1u << 24);
	cqe.l4_l3_hdr_type = 1;
	cqe.vlan_info = cpu_to_be16(5 << 13 | 0x123);
	verbs_cqe_to_wc(&cqe, &wc);
	KUNIT_EXPECT_EQ(test, wc.ex.invalidate_rkey, 0xdeadbeef);
	KUNIT_EXPECT_EQ(test, wc.network_hdr_type, RDMA_NETWORK_IPV6);
	KUNIT_EXPECT_EQ(test, wc.vlan_id, 0x123);
	KUNIT_EXPECT_EQ(test, wc.sl, 5);

	cqe.op_own = MLX5_CQE_RESP_WR_IMM << 4;
	verbs_cqe_to_wc(&cqe, &wc);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
}

static struct kunit_case cqe_cases[] = {
	KUNIT_CASE(cqe_ownership),
	KUNIT_CASE(cqe_every_opcode),
	KUNIT_CASE(cqe_statuses),
	KUNIT_CASE(cqe_recv),
	{}
};

static struct kunit_suite cqe_suite = {
	.name = "pci_cqe",
	.test_cases = cqe_cases,
};

kunit_test_suite(cqe_suite);
