// SPDX-License-Identifier: GPL-2.0
/*
 * Work queue elements: what a consumer can leave in a ring, and what the
 * transport gets of it.
 */
#include "../drivers/soft/wqe.c"

#include <kunit/test.h>

#include "random.h"

/* The one address handle that there is. */
#define AH		5

bool soft_ah_check(struct soft_dev *dev, const struct ib_pd *pd, u32 num)
{
	return num == AH;
}

#define MAX_SGE		4
#define MAX_INLINE	64

struct fixture {
	struct soft_qp *qp;
	struct rxe_send_wqe *send;	/* the slots at index 0 */
	struct rxe_recv_wqe *recv;
	struct tp_send_wr *wr;
	struct tp_recv_wr *rwr;
};

static int wqe_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct soft_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	u32 room = max_t(u32, MAX_SGE * sizeof(struct tp_sge), MAX_INLINE);

	if (!f || !qp)
		return -ENOMEM;
	qp->user = true;
	qp->cap.max_send_sge = MAX_SGE;
	qp->cap.max_recv_sge = MAX_SGE;
	qp->cap.max_inline_data = MAX_INLINE;
	qp->sq = soft_ring_create(NULL, 7, sizeof(*f->send) + room, NULL);
	qp->rq = soft_ring_create(NULL, 7, sizeof(*f->recv) + MAX_SGE * 16, NULL);
	/* No byte more than the transport gives: KASAN sees what writes beyond. */
	f->wr = kunit_kzalloc(test, sizeof(*f->wr) + room, GFP_KERNEL);
	f->rwr = kunit_kzalloc(test, sizeof(*f->rwr), GFP_KERNEL);
	if (IS_ERR(qp->sq) || IS_ERR(qp->rq) || !f->wr || !f->rwr)
		return -ENOMEM;
	f->qp = qp;
	f->send = soft_ring_at(qp->sq, 0);
	f->recv = soft_ring_at(qp->rq, 0);
	test->priv = f;
	return 0;
}

static void wqe_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	soft_ring_destroy(f->qp->sq);
	soft_ring_destroy(f->qp->rq);
}

/* As a program posts what it has written to slot 0 of an empty ring. */
static void post(struct soft_ring *ring)
{
	ring->index = 0;
	ring->taken = 0;
	ring->buf->consumer_index = 0;
	ring->buf->producer_index = 1;
}

static enum tp_wc_status take_send(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f->qp->sq);
	KUNIT_EXPECT_TRUE(test, soft_wqe_more_sends(f->qp));
	KUNIT_ASSERT_TRUE(test, soft_wqe_next_send(f->qp, f->wr));
	KUNIT_EXPECT_FALSE(test, soft_wqe_more_sends(f->qp));
	KUNIT_EXPECT_FALSE(test, soft_wqe_next_send(f->qp, f->wr));
	return f->wr->bad;
}

static void set_sges(struct rxe_dma_info *dma, u32 nr, u32 length)
{
	u32 i;

	dma->num_sge = nr;
	for (i = 0; i < min_t(u32, nr, MAX_SGE); i++) {
		dma->sge[i].addr = 0x1000 * (i + 1);
		dma->sge[i].length = length;
		dma->sge[i].lkey = 0x100 + i;
	}
}

struct opcode_case {
	u32 opcode;
	bool ok;
	bool data;
	bool rdma;
	bool atomic;
	bool imm;
	bool inv;
};

static const struct opcode_case opcodes[] = {
	{ IB_UVERBS_WR_RDMA_WRITE, true, .data = true, .rdma = true },
	{ IB_UVERBS_WR_RDMA_WRITE_WITH_IMM, true, .data = true, .rdma = true, .imm = true },
	{ IB_UVERBS_WR_SEND, true, .data = true },
	{ IB_UVERBS_WR_SEND_WITH_IMM, true, .data = true, .imm = true },
	{ IB_UVERBS_WR_RDMA_READ, true, .data = true, .rdma = true },
	{ IB_UVERBS_WR_ATOMIC_CMP_AND_SWP, true, .data = true, .atomic = true },
	{ IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, true, .data = true, .atomic = true },
	{ IB_UVERBS_WR_SEND_WITH_INV, true, .data = true, .inv = true },
	/* Of kernel consumers: rxe takes a kernel pointer out of the ring for the second. */
	{ IB_WR_RDMA_READ_WITH_INV },
	{ IB_WR_REG_MR },
	{ 0xf0 },
	{ 0x80000000 },
	{ U32_MAX },
};

static void opcode_desc(const struct opcode_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "opcode 0x%x", c->opcode);
}

KUNIT_ARRAY_PARAM(opcode, opcodes, opcode_desc);

/* Every field of an opcode, and none that it does not have. */
static void wqe_opcodes(struct kunit *test)
{
	const struct opcode_case *c = test->param_value;
	struct fixture *f = test->priv;
	struct tp_send_wr *wr = f->wr;

	memset(f->send, 0xee, sizeof(*f->send));
	f->send->wr.wr_id = 0x1122334455667788;
	f->send->wr.opcode = c->opcode;
	f->send->wr.send_flags = TP_SEND_FENCE | TP_SEND_SOLICITED | 0xfffffff0;
	f->send->wr.ex.invalidate_rkey = 0xa1a2a3a4;
	if (c->atomic) {
		f->send->wr.wr.atomic.remote_addr = 0xb000;
		f->send->wr.wr.atomic.compare_add = 0xc000;
		f->send->wr.wr.atomic.swap = 0xd000;
		f->send->wr.wr.atomic.rkey = 0xe0e0;
	} else {
		f->send->wr.wr.rdma.remote_addr = 0xb000;
		f->send->wr.wr.rdma.rkey = 0xe0e0;
	}
	set_sges(&f->send->dma, 2, 4);

	KUNIT_EXPECT_EQ(test, take_send(test), c->ok ? TP_WC_SUCCESS : TP_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, wr->wr_id, 0x1122334455667788);
	KUNIT_EXPECT_EQ(test, wr->flags, TP_SEND_FENCE | TP_SEND_SOLICITED);
	KUNIT_EXPECT_FALSE(test, wr->signaled);
	if (!c->ok)
		return;
	KUNIT_EXPECT_EQ(test, wr->opcode, c->opcode);
	KUNIT_EXPECT_EQ(test, wr->num_sge, 2);
	KUNIT_EXPECT_EQ(test, wr->length, 8);
	KUNIT_EXPECT_EQ(test, wr->sge[1].addr, 0x2000);
	KUNIT_EXPECT_EQ(test, wr->sge[1].length, 4);
	KUNIT_EXPECT_EQ(test, wr->sge[1].lkey, 0x101);
	KUNIT_EXPECT_EQ(test, wr->inv_rkey, c->imm || c->inv ? 0xa1a2a3a4 : 0);
	KUNIT_EXPECT_EQ(test, wr->remote_addr, c->rdma || c->atomic ? 0xb000 : 0);
	KUNIT_EXPECT_EQ(test, wr->rkey, c->rdma || c->atomic ? 0xe0e0 : 0);
	KUNIT_EXPECT_EQ(test, wr->compare_add, c->atomic ? 0xc000 : 0);
	KUNIT_EXPECT_EQ(test, wr->swap, c->atomic ? 0xd000 : 0);
}

/* Signalled: by its flag, or all. */
static void wqe_signaled(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->send->wr.opcode = IB_UVERBS_WR_SEND;
	f->send->wr.send_flags = TP_SEND_SIGNALED;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, f->wr->signaled);
	f->send->wr.send_flags = 0;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, f->wr->signaled);
	f->qp->sq_sig_all = true;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, f->wr->signaled);
}

/* Scatter and gather entries: their number, and their sum, whatever dma.length says. */
static void wqe_entries(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->send->wr.opcode = IB_UVERBS_WR_SEND;
	set_sges(&f->send->dma, MAX_SGE, 100);
	f->send->dma.length = 12345;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->length, MAX_SGE * 100);

	/* Entries of no bytes name no memory. */
	f->send->dma.sge[0].length = 0;
	f->send->dma.sge[2].length = 0;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->num_sge, 2);
	KUNIT_EXPECT_EQ(test, f->wr->sge[0].lkey, 0x101);
	KUNIT_EXPECT_EQ(test, f->wr->sge[1].lkey, 0x103);
	KUNIT_EXPECT_EQ(test, f->wr->length, 200);

	/* None: a message of no bytes. */
	set_sges(&f->send->dma, 0, 0);
	f->send->dma.length = 0;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->length, 0);
	KUNIT_EXPECT_EQ(test, f->wr->num_sge, 0);

	set_sges(&f->send->dma, MAX_SGE + 1, 1);
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_QP_OP_ERR);
	set_sges(&f->send->dma, U32_MAX, 1);
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_QP_OP_ERR);

	/* 2^31 bytes is the longest message; sums do not wrap. */
	set_sges(&f->send->dma, 2, BIT(30));
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->length, BIT(31));
	f->send->dma.sge[1].length++;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_LEN_ERR);
	set_sges(&f->send->dma, MAX_SGE, BIT(30));
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_LEN_ERR);
	set_sges(&f->send->dma, MAX_SGE, U32_MAX);
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_LEN_ERR);
}

static void wqe_inline(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct rxe_dma_info *dma = &f->send->dma;

	f->send->wr.opcode = IB_UVERBS_WR_SEND;
	f->send->wr.send_flags = TP_SEND_INLINE;
	memset(dma->inline_data, 0x77, MAX_INLINE);
	dma->length = MAX_INLINE;
	/* num_sge counts the entries that the data came from: ignored. */
	dma->num_sge = 1000;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->length, MAX_INLINE);
	KUNIT_EXPECT_EQ(test, f->wr->num_sge, 0);
	KUNIT_EXPECT_TRUE(test, f->wr->flags & TP_SEND_INLINE);
	KUNIT_EXPECT_MEMEQ(test, f->wr->inline_data, dma->inline_data, MAX_INLINE);

	dma->length = MAX_INLINE + 1;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_QP_OP_ERR);
	dma->length = U32_MAX;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_QP_OP_ERR);

	/* ibv_wr_set_inline_data() of librxe: no entry, a length, and no flag. */
	f->send->wr.send_flags = 0;
	dma->num_sge = 0;
	dma->length = 3;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->length, 3);
	KUNIT_EXPECT_TRUE(test, f->wr->flags & TP_SEND_INLINE);
	f->send->wr.opcode = IB_UVERBS_WR_RDMA_WRITE;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, f->wr->flags & TP_SEND_INLINE);

	/* What comes back can't be put inline. */
	f->send->wr.opcode = IB_UVERBS_WR_RDMA_READ;
	f->send->wr.send_flags = TP_SEND_INLINE;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_QP_OP_ERR);
	f->send->wr.opcode = IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD;
	KUNIT_EXPECT_EQ(test, take_send(test), TP_WC_LOC_QP_OP_ERR);
}

static bool take_recv(struct fixture *f)
{
	post(f->qp->rq);
	return soft_wqe_next_recv(f->qp->rq, MAX_SGE, f->rwr);
}

static void wqe_receive(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_FALSE(test, soft_wqe_next_recv(f->qp->rq, MAX_SGE, f->rwr));
	f->recv->wr_id = 77;
	set_sges(&f->recv->dma, MAX_SGE, 10);
	KUNIT_ASSERT_TRUE(test, take_recv(f));
	KUNIT_EXPECT_EQ(test, f->rwr->bad, TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->rwr->wr_id, 77);
	KUNIT_EXPECT_EQ(test, f->rwr->num_sge, MAX_SGE);
	KUNIT_EXPECT_EQ(test, f->rwr->length, 40);
	KUNIT_EXPECT_EQ(test, soft_wqe_recv_count(f->qp), 0);

	set_sges(&f->recv->dma, MAX_SGE + 1, 10);
	KUNIT_ASSERT_TRUE(test, take_recv(f));
	KUNIT_EXPECT_EQ(test, f->rwr->bad, TP_WC_LOC_QP_OP_ERR);
	set_sges(&f->recv->dma, U32_MAX, 10);
	KUNIT_ASSERT_TRUE(test, take_recv(f));
	KUNIT_EXPECT_EQ(test, f->rwr->bad, TP_WC_LOC_QP_OP_ERR);

	/* More room than any message has is fine, and does not wrap. */
	set_sges(&f->recv->dma, MAX_SGE, U32_MAX);
	KUNIT_ASSERT_TRUE(test, take_recv(f));
	KUNIT_EXPECT_EQ(test, f->rwr->bad, TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->rwr->length, U32_MAX);
}

/* Any bytes in the ring, and any indices: what comes out keeps its promises. */
static void wqe_random(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct soft_ring *ring = f->qp->sq;
	u32 i, taken = 0, ok = 0;
	struct rnd_state rnd;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 20000; i++) {
		struct rxe_send_wqe *wqe = soft_ring_at(ring, ring->taken);
		struct tp_send_wr *wr = f->wr;

		prandom_bytes_state(&rnd, wqe, BIT(ring->shift));
		if (i % 2) {
			wqe->wr.opcode %= 12;
			wqe->dma.num_sge %= MAX_SGE + 2;
			wqe->dma.length %= MAX_INLINE + 2;
		}
		ring->buf->producer_index = prandom_u32_state(&rnd);
		if (!soft_wqe_next_send(f->qp, wr))
			continue;
		KUNIT_ASSERT_LE(test, ++taken, ring->mask);
		if (!wr->bad) {
			ok++;
			KUNIT_ASSERT_LE(test, wr->opcode, 11);
			KUNIT_ASSERT_LE(test, wr->num_sge, MAX_SGE);
			KUNIT_ASSERT_LE(test, wr->length, BIT(31));
			if (wr->flags & TP_SEND_INLINE)
				KUNIT_ASSERT_LE(test, wr->length, MAX_INLINE);
		}
		if (taken == ring->mask || prandom_u32_state(&rnd) % 2) {
			soft_wqe_retire_send(f->qp);
			taken--;
		}
	}
	KUNIT_EXPECT_GT(test, ok, 100);
}

/* A datagram's WR, with one SGE of @length bytes; returns what becomes of it. */
static enum tp_wc_status take_datagram(struct fixture *f, u32 opcode, u32 ah, u32 length)
{
	struct rxe_send_wqe *w = soft_ring_at(f->qp->sq, f->qp->sq->taken);

	memset(w, 0, sizeof(*w));
	w->wr.opcode = opcode;
	w->wr.ex.imm_data = cpu_to_be32(0x11223344);
	w->wr.wr.ud.remote_qpn = 0xff123456;
	w->wr.wr.ud.remote_qkey = 0x80000001;
	w->wr.wr.ud.ah_num = ah;
	w->dma.num_sge = 1;
	w->dma.sge[0].length = length;
	soft_ring_user_publish(f->qp->sq);
	soft_wqe_next_send(f->qp, f->wr);
	soft_wqe_retire_send(f->qp);
	return f->wr->bad;
}

static void wqe_datagrams(struct kunit *test)
{
	struct soft_dev *dev = kunit_kzalloc(test, sizeof(*dev), GFP_KERNEL);
	struct fixture *f = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, dev);
	f->qp->ibqp.device = &dev->ibdev;
	f->qp->tp.service = TP_UD;

	KUNIT_EXPECT_EQ(test, take_datagram(f, IB_UVERBS_WR_SEND, AH, 256), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->dest_qpn, 0x123456);
	KUNIT_EXPECT_EQ(test, f->wr->qkey, 0x80000001);
	KUNIT_EXPECT_EQ(test, f->wr->ah, AH);
	KUNIT_EXPECT_EQ(test, f->wr->length, 256);
	KUNIT_EXPECT_EQ(test, take_datagram(f, IB_UVERBS_WR_SEND_WITH_IMM, AH, 0), TP_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->wr->imm, cpu_to_be32(0x11223344));

	/* Without a netdev a port carries the smallest path MTU. */
	KUNIT_EXPECT_EQ(test, take_datagram(f, IB_UVERBS_WR_SEND, AH, 257), TP_WC_LOC_LEN_ERR);
	/* An AH that is not there, none at all, and what is no datagram. */
	KUNIT_EXPECT_EQ(test, take_datagram(f, IB_UVERBS_WR_SEND, AH + 1, 1), TP_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, take_datagram(f, IB_UVERBS_WR_SEND, 0, 1), TP_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, take_datagram(f, IB_UVERBS_WR_RDMA_WRITE, AH, 1),
			TP_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, take_datagram(f, IB_UVERBS_WR_SEND_WITH_INV, AH, 1),
			TP_WC_LOC_QP_OP_ERR);
}

static struct kunit_case wqe_cases[] = {
	KUNIT_CASE(wqe_datagrams),
	KUNIT_CASE_PARAM(wqe_opcodes, opcode_gen_params),
	KUNIT_CASE(wqe_signaled),
	KUNIT_CASE(wqe_entries),
	KUNIT_CASE(wqe_inline),
	KUNIT_CASE(wqe_receive),
	KUNIT_CASE(wqe_random),
	{}
};

static struct kunit_suite wqe_suite = {
	.name = "ohca_soft_wqe",
	.init = wqe_init,
	.exit = wqe_exit,
	.test_cases = wqe_cases,
};

kunit_test_suite(wqe_suite);
