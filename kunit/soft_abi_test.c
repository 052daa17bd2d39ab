// SPDX-License-Identifier: GPL-2.0
/*
 * The user ABI of the software device: offsets that librxe was built with.
 *
 * The numbers come from rdma-core, not from the header that we include: should a
 * kernel's header ever change, stock programs would not.
 */
#include <kunit/test.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>

struct offset_case {
	const char *name;
	size_t offset;
	size_t want;
};

#define OFFSET(type, member, want)	{ #type "." #member, offsetof(struct type, member), want }
#define SIZE(type, want)		{ #type, sizeof(struct type), want }

static const struct offset_case offsets[] = {
	OFFSET(rxe_queue_buf, log2_elem_size, 0),
	OFFSET(rxe_queue_buf, index_mask, 4),
	OFFSET(rxe_queue_buf, producer_index, 128),
	OFFSET(rxe_queue_buf, consumer_index, 256),
	OFFSET(rxe_queue_buf, data, 384),

	OFFSET(rxe_send_wqe, wr.wr_id, 0),
	OFFSET(rxe_send_wqe, wr.opcode, 12),
	OFFSET(rxe_send_wqe, wr.send_flags, 16),
	OFFSET(rxe_send_wqe, wr.ex.imm_data, 20),
	OFFSET(rxe_send_wqe, wr.ex.invalidate_rkey, 20),
	OFFSET(rxe_send_wqe, wr.wr.rdma.remote_addr, 24),
	OFFSET(rxe_send_wqe, wr.wr.rdma.rkey, 32),
	OFFSET(rxe_send_wqe, wr.wr.atomic.remote_addr, 24),
	OFFSET(rxe_send_wqe, wr.wr.atomic.compare_add, 32),
	OFFSET(rxe_send_wqe, wr.wr.atomic.swap, 40),
	OFFSET(rxe_send_wqe, wr.wr.atomic.rkey, 48),
	OFFSET(rxe_send_wqe, wr.wr.ud.remote_qpn, 24),
	OFFSET(rxe_send_wqe, wr.wr.ud.remote_qkey, 28),
	OFFSET(rxe_send_wqe, wr.wr.ud.pkey_index, 32),
	OFFSET(rxe_send_wqe, wr.wr.ud.ah_num, 36),
	OFFSET(rxe_send_wqe, wr.wr.ud.av, 56),
	OFFSET(rxe_send_wqe, wr.wr.mw.addr, 24),
	OFFSET(rxe_send_wqe, wr.wr.mw.length, 32),
	OFFSET(rxe_send_wqe, wr.wr.mw.mr_lkey, 40),
	OFFSET(rxe_send_wqe, wr.wr.mw.mw_rkey, 44),
	OFFSET(rxe_send_wqe, wr.wr.mw.rkey, 48),
	OFFSET(rxe_send_wqe, wr.wr.mw.access, 52),
	OFFSET(rxe_send_wqe, wr.wr.flush.remote_addr, 24),
	OFFSET(rxe_send_wqe, wr.wr.flush.length, 32),
	OFFSET(rxe_send_wqe, wr.wr.flush.rkey, 36),
	OFFSET(rxe_send_wqe, wr.wr.flush.type, 40),
	OFFSET(rxe_send_wqe, wr.wr.flush.level, 41),
	OFFSET(rxe_send_wqe, status, 144),
	OFFSET(rxe_send_wqe, state, 148),
	OFFSET(rxe_send_wqe, iova, 152),
	OFFSET(rxe_send_wqe, ssn, 176),
	OFFSET(rxe_send_wqe, dma, 184),
	OFFSET(rxe_send_wqe, dma.length, 184),
	OFFSET(rxe_send_wqe, dma.num_sge, 196),
	OFFSET(rxe_send_wqe, dma.sge, 208),
	OFFSET(rxe_send_wqe, dma.inline_data, 208),
	SIZE(rxe_send_wqe, 208),
	SIZE(rxe_av, 88),

	OFFSET(rxe_sge, addr, 0),
	OFFSET(rxe_sge, length, 8),
	OFFSET(rxe_sge, lkey, 12),
	SIZE(rxe_sge, 16),

	OFFSET(rxe_recv_wqe, wr_id, 0),
	OFFSET(rxe_recv_wqe, dma, 16),
	OFFSET(rxe_recv_wqe, dma.num_sge, 28),
	OFFSET(rxe_recv_wqe, dma.sge, 40),
	SIZE(rxe_recv_wqe, 40),

	OFFSET(ib_uverbs_wc, wr_id, 0),
	OFFSET(ib_uverbs_wc, status, 8),
	OFFSET(ib_uverbs_wc, opcode, 12),
	OFFSET(ib_uverbs_wc, vendor_err, 16),
	OFFSET(ib_uverbs_wc, byte_len, 20),
	OFFSET(ib_uverbs_wc, ex.imm_data, 24),
	OFFSET(ib_uverbs_wc, ex.invalidate_rkey, 24),
	OFFSET(ib_uverbs_wc, qp_num, 28),
	OFFSET(ib_uverbs_wc, src_qp, 32),
	OFFSET(ib_uverbs_wc, wc_flags, 36),
	OFFSET(ib_uverbs_wc, pkey_index, 40),
	OFFSET(ib_uverbs_wc, slid, 42),
	OFFSET(ib_uverbs_wc, sl, 44),
	OFFSET(ib_uverbs_wc, dlid_path_bits, 45),
	SIZE(ib_uverbs_wc, 48),

	OFFSET(mminfo, offset, 0),
	OFFSET(mminfo, size, 8),
	SIZE(mminfo, 16),
	SIZE(rxe_create_cq_resp, 16),
	SIZE(rxe_resize_cq_resp, 16),
	OFFSET(rxe_create_qp_resp, rq_mi, 0),
	OFFSET(rxe_create_qp_resp, sq_mi, 16),
	SIZE(rxe_create_qp_resp, 32),
	OFFSET(rxe_create_srq_resp, srq_num, 16),
	SIZE(rxe_create_srq_resp, 24),
	SIZE(rxe_modify_srq_cmd, 8),
	SIZE(rxe_create_ah_resp, 8),
};

KUNIT_ARRAY_PARAM_DESC(offset, offsets, name);

static void abi_offset(struct kunit *test)
{
	const struct offset_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->offset, c->want);
}

/* Numbers of enum ibv_wr_opcode and ibv_wc_opcode, as programs have them compiled in. */
static void abi_numbers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_RDMA_WRITE, 0);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_RDMA_WRITE_WITH_IMM, 1);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_SEND, 2);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_SEND_WITH_IMM, 3);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_RDMA_READ, 4);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_ATOMIC_CMP_AND_SWP, 5);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, 6);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_LOCAL_INV, 7);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_BIND_MW, 8);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WR_SEND_WITH_INV, 9);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WC_SEND, 0);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WC_RDMA_WRITE, 1);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WC_RDMA_READ, 2);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WC_COMP_SWAP, 3);
	KUNIT_EXPECT_EQ(test, (int)IB_UVERBS_WC_FETCH_ADD, 4);
}

static struct kunit_case abi_cases[] = {
	KUNIT_CASE_PARAM(abi_offset, offset_gen_params),
	KUNIT_CASE(abi_numbers),
	{}
};

static struct kunit_suite abi_suite = {
	.name = "ohca_soft_abi",
	.test_cases = abi_cases,
};

kunit_test_suite(abi_suite);
