// SPDX-License-Identifier: GPL-2.0
/*
 * The software device as a kernel consumer uses it: the verbs of ib_core, DMA
 * regions, handlers that poll and post, drains.
 *
 * Needs an ohca device whose port is up (`rdma link add ... type ohca netdev lo`
 * before the module is loaded); is skipped without one.
 */
#include <kunit/test.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#define BUF_BYTES	(64 * 1024)
#define DEPTH		32
#define WAIT		(10 * HZ)

/* Two QPs of one device, connected to each other. */
struct pair {
	struct ib_device *ibdev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp[2];
	u8 *buf;
	u64 dma;
	struct ib_cqe cqe;
	struct completion done;
	int wanted;
	struct ib_wc last;
};

static struct ib_device *found;

static int client_add(struct ib_device *ibdev)
{
	if (!found && ibdev->ops.owner && !strcmp(module_name(ibdev->ops.owner), "ohca_soft"))
		found = ibdev;
	return 0;
}

static void client_remove(struct ib_device *ibdev, void *data)
{
	if (found == ibdev)
		found = NULL;
}

static struct ib_client client = {
	.name = "ohca_kunit",
	.add = client_add,
	.remove = client_remove,
};

static void on_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct pair *p = container_of(wc->wr_cqe, struct pair, cqe);

	p->last = *wc;
	if (!--p->wanted)
		complete(&p->done);
}

static int to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_ATOMIC,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			    IB_QP_ACCESS_FLAGS);
}

static int to_rtr(struct ib_qp *qp, u32 dest, const struct ib_gid_attr *gid)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = dest,
		.rq_psn = 0xfffffe,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
	};

	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_grh(&attr.ah_attr, (union ib_gid *)&gid->gid, 0, gid->index, 1, 0);
	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			    IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 3,
		.rnr_retry = 7,
		.sq_psn = 0xfffffe,
		.max_rd_atomic = 4,
	};

	return ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT |
			    IB_QP_RNR_RETRY | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC);
}

static const struct ib_gid_attr *any_gid(struct ib_device *ibdev)
{
	const struct ib_gid_attr *gid;
	int i;

	for (i = 0; i < 16; i++) {
		gid = rdma_get_gid_attr(ibdev, 1, i);
		if (!IS_ERR(gid))
			return gid;
	}
	return NULL;
}

static int connect(struct pair *p)
{
	const struct ib_gid_attr *gid = any_gid(p->ibdev);
	int err = 0;
	int i;

	if (!gid)
		return -ENODEV;
	for (i = 0; i < 2 && !err; i++)
		err = to_init(p->qp[i]) ?: to_rtr(p->qp[i], p->qp[!i]->qp_num, gid) ?:
		      to_rts(p->qp[i]);
	rdma_put_gid_attr(gid);
	return err;
}

static void pair_exit(struct kunit *test)
{
	struct pair *p = test->priv;
	int i;

	if (!p)
		return;
	for (i = 0; i < 2; i++) {
		if (!IS_ERR_OR_NULL(p->qp[i]))
			ib_destroy_qp(p->qp[i]);
	}
	if (!IS_ERR_OR_NULL(p->cq))
		ib_free_cq(p->cq);
	if (p->dma)
		ib_dma_unmap_single(p->ibdev, p->dma, BUF_BYTES, DMA_BIDIRECTIONAL);
	if (!IS_ERR_OR_NULL(p->pd))
		ib_dealloc_pd(p->pd);
	kfree(p->buf);
}

static struct ib_qp *make_qp(struct pair *p)
{
	struct ib_qp_init_attr init = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = { DEPTH, DEPTH, 2, 2, 64 },
	};

	return ib_create_qp(p->pd, &init);
}

static int pair_make(struct kunit *test, unsigned int pd_flags)
{
	struct pair *p;
	int i;

	if (!found)
		return 0;
	p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	test->priv = p;
	p->ibdev = found;
	p->cqe.done = on_done;
	init_completion(&p->done);
	p->buf = kzalloc(BUF_BYTES, GFP_KERNEL);
	p->pd = ib_alloc_pd(p->ibdev, pd_flags);
	p->cq = ib_alloc_cq(p->ibdev, p, 4 * DEPTH, 0, IB_POLL_WORKQUEUE);
	KUNIT_ASSERT_NOT_NULL(test, p->buf);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->pd);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->cq);
	p->dma = ib_dma_map_single(p->ibdev, p->buf, BUF_BYTES, DMA_BIDIRECTIONAL);
	for (i = 0; i < 2; i++) {
		p->qp[i] = make_qp(p);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->qp[i]);
	}
	KUNIT_ASSERT_EQ(test, connect(p), 0);
	return 0;
}

static int pair_init(struct kunit *test)
{
	return pair_make(test, 0);
}

/* The only rkey for a kernel consumer that registers nothing: of all memory. */
static int pair_init_rkey(struct kunit *test)
{
	return pair_make(test, IB_PD_UNSAFE_GLOBAL_RKEY);
}

static struct pair *pair_of(struct kunit *test)
{
	if (!test->priv)
		kunit_skip(test, "no ohca device");
	return test->priv;
}

static int wait_for_all(struct pair *p)
{
	return wait_for_completion_timeout(&p->done, WAIT) ? 0 : -ETIMEDOUT;
}

static void expect(struct pair *p, int completions)
{
	p->wanted = completions;
	reinit_completion(&p->done);
}

static int post_recv(struct pair *p, int i, u32 offset, u32 len)
{
	struct ib_sge sge = { p->dma + offset, len, p->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_cqe = &p->cqe, .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(p->qp[i], &wr, NULL);
}

static int post_send(struct pair *p, int i, enum ib_wr_opcode opcode, u32 offset, u32 len,
		     int flags)
{
	struct ib_sge sge = { p->dma + offset, len, p->pd->local_dma_lkey };
	struct ib_send_wr wr = {
		.wr_cqe = &p->cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = flags,
		.ex.imm_data = cpu_to_be32(0x12345678),
	};

	/* Inline data is where the CPU sees it. */
	if (flags & IB_SEND_INLINE)
		sge.addr = (uintptr_t)p->buf + offset;
	return ib_post_send(p->qp[i], &wr, NULL);
}

static void kverbs_send(struct kunit *test)
{
	struct pair *p = pair_of(test);

	memset(p->buf, 0xa5, 10000);
	expect(p, 2);
	KUNIT_ASSERT_EQ(test, post_recv(p, 1, 20000, 10000), 0);
	KUNIT_ASSERT_EQ(test, post_send(p, 0, IB_WR_SEND, 0, 10000, IB_SEND_SIGNALED), 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf, p->buf + 20000, 10000), 0);
}

static void kverbs_send_imm(struct kunit *test)
{
	struct pair *p = pair_of(test);

	strscpy(p->buf, "inline", 8);
	expect(p, 1);
	KUNIT_ASSERT_EQ(test, post_recv(p, 1, 20000, 100), 0);
	KUNIT_ASSERT_EQ(test, post_send(p, 0, IB_WR_SEND_WITH_IMM, 0, 8, IB_SEND_INLINE), 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
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
	struct pair *p = pair_of(test);
	int round, i;

	for (round = 0; round < 20; round++) {
		expect(p, 2 * DEPTH);
		for (i = 0; i < DEPTH; i++)
			KUNIT_ASSERT_EQ(test, post_recv(p, 1, 32768 + i * 64, 64), 0);
		for (i = 0; i < DEPTH; i++)
			KUNIT_ASSERT_EQ(test, post_send(p, 0, IB_WR_SEND, i * 64, 64,
							IB_SEND_SIGNALED), 0);
		KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
		KUNIT_ASSERT_EQ(test, p->last.status, IB_WC_SUCCESS);
	}
}

/* Posting with interrupts off must not turn bottom halves on. */
static void kverbs_irqs_off(struct kunit *test)
{
	struct pair *p = pair_of(test);
	unsigned long flags;
	int err;

	expect(p, 2);
	local_irq_save(flags);
	err = post_recv(p, 1, 20000, 64) ?: post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED);
	local_irq_restore(flags);
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
}

static int post_rdma(struct pair *p, enum ib_wr_opcode opcode, u32 offset, u32 len, u64 to,
		     u32 rkey)
{
	struct ib_sge sge = { p->dma + offset, len, p->pd->local_dma_lkey };
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = &p->cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = opcode,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = to,
		.rkey = rkey,
	};

	return ib_post_send(p->qp[0], &wr.wr, NULL);
}

/* The DMA region of a kernel PD is for local access: it is no rkey. */
static void kverbs_no_rkey(struct kunit *test)
{
	struct pair *p = pair_of(test);

	expect(p, 1);
	KUNIT_ASSERT_EQ(test, post_rdma(p, IB_WR_RDMA_WRITE, 0, 8, p->dma + 100,
					p->pd->local_dma_lkey), 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_REM_ACCESS_ERR);
}

static void kverbs_rdma(struct kunit *test)
{
	struct pair *p = pair_of(test);

	memset(p->buf, 0x5a, 5000);
	expect(p, 1);
	KUNIT_ASSERT_EQ(test, post_rdma(p, IB_WR_RDMA_WRITE, 0, 5000, p->dma + 10000,
					p->pd->unsafe_global_rkey), 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf, p->buf + 10000, 5000), 0);

	memset(p->buf + 10000, 0xa5, 5000);
	expect(p, 1);
	KUNIT_ASSERT_EQ(test, post_rdma(p, IB_WR_RDMA_READ, 0, 5000, p->dma + 10000,
					p->pd->unsafe_global_rkey), 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf, p->buf + 10000, 5000), 0);
}

/* A peer makes an address up: no memory is there. */
static void kverbs_no_memory(struct kunit *test)
{
	struct pair *p = pair_of(test);

	expect(p, 1);
	KUNIT_ASSERT_EQ(test, post_rdma(p, IB_WR_RDMA_WRITE, 0, 8, 0x1000,
					p->pd->unsafe_global_rkey), 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_REM_ACCESS_ERR);
}

static void kverbs_atomic(struct kunit *test)
{
	struct pair *p = pair_of(test);
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

	/* IB core's region of all memory allows READ and WRITE only. */
	expect(p, 1);
	KUNIT_ASSERT_EQ(test, ib_post_send(p->qp[0], &wr.wr, NULL), 0);
	KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_REM_ACCESS_ERR);
}

static void kverbs_refused(struct kunit *test)
{
	struct pair *p = pair_of(test);
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
		err = post_recv(p, 0, 0, 8);
		if (err)
			break;
	}
	KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	KUNIT_EXPECT_GE(test, i, DEPTH);
	/* They are flushed when the QP goes. */
	expect(p, i + 1);
	ib_drain_qp(p->qp[0]);
	p->wanted--;
	KUNIT_EXPECT_EQ(test, p->wanted, 0);
}

/* A drain comes back when all that was posted before is flushed. */
static void kverbs_drain(struct kunit *test)
{
	struct pair *p = pair_of(test);
	int i;

	expect(p, 3 * DEPTH / 2 + 1);
	for (i = 0; i < DEPTH / 2; i++)
		KUNIT_ASSERT_EQ(test, post_recv(p, 0, i * 64, 64), 0);
	for (i = 0; i < DEPTH; i++)
		KUNIT_ASSERT_EQ(test, post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED), 0);
	ib_drain_qp(p->qp[0]);
	KUNIT_EXPECT_EQ(test, p->wanted, 1);
	KUNIT_EXPECT_EQ(test, p->last.status, IB_WC_WR_FLUSH_ERR);
}

#define REG_PAGES	8

/* A region for fast registration, and the scatter-gather list of what it maps. */
struct fast {
	struct ib_mr *mr;
	struct scatterlist sg[REG_PAGES];
	int nents;
};

static void fast_exit(void *data)
{
	struct fast *f = data;

	if (!IS_ERR_OR_NULL(f->mr))
		ib_dereg_mr(f->mr);
}

static struct fast *fast_make(struct kunit *test, struct pair *p)
{
	struct fast *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, REG_PAGES);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f->mr);
	KUNIT_ASSERT_EQ(test, kunit_add_action(test, fast_exit, f), 0);
	return f;
}

/* @nents pieces of @len bytes, the first at @offset of the buffer, one every @stride. */
static int fast_map(struct pair *p, struct fast *f, u32 offset, u32 stride, u32 len, int nents,
		    u32 page)
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

static int post_reg(struct pair *p, struct fast *f, const struct ib_send_wr *before)
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

static struct ib_send_wr local_inv(struct pair *p, u32 rkey)
{
	return (struct ib_send_wr) {
		.wr_cqe = &p->cqe,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = rkey,
	};
}

/* Posts, and waits for the one completion: its status, or an errno. */
#define STATUS_OF(p, post) ({					\
	struct pair *__p = (p);					\
	int __err;						\
								\
	expect(__p, 1);						\
	__err = (post) ?: wait_for_all(__p);			\
	__err ?: (int)__p->last.status;				\
})

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
	{ 16384, 0, 32768, 16384, 2 },
};

static void page_desc(const struct page_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u-byte pages, %d x %u", c->page, c->nents,
		 c->len);
}

KUNIT_ARRAY_PARAM(page, page_cases, page_desc);

/* What a peer writes is in the pieces, in their order, and nowhere else. */
static void kverbs_fast_reg(struct kunit *test)
{
	const struct page_case *c = test->param_value;
	struct pair *p = pair_of(test);
	struct fast *f = fast_make(test, p);
	u32 total = c->len * c->nents;
	u8 *from = p->buf + BUF_BYTES - 20000;
	int i, k;

	KUNIT_ASSERT_LE(test, total, 20000);
	for (i = 0; i < total; i++)
		from[i] = i * 7 + 1;
	KUNIT_ASSERT_EQ(test, fast_map(p, f, c->offset, c->stride, c->len, c->nents, c->page), 0);
	KUNIT_ASSERT_EQ(test, f->mr->length, total);
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->last.opcode, IB_WC_REG_MR);
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_rdma(p, IB_WR_RDMA_WRITE, from - p->buf, total,
						     f->mr->iova, f->mr->rkey)), IB_WC_SUCCESS);
	for (k = 0; k < c->nents; k++) {
		KUNIT_EXPECT_EQ(test, memcmp(p->buf + c->offset + k * c->stride,
					     from + k * c->len, c->len), 0);
		if (c->stride > c->len)
			KUNIT_EXPECT_EQ(test, p->buf[c->offset + k * c->stride + c->len], 0);
	}
	/* Not a byte more. */
	KUNIT_EXPECT_EQ(test, STATUS_OF(p, post_rdma(p, IB_WR_RDMA_WRITE, from - p->buf, 1,
						     f->mr->iova + total, f->mr->rkey)),
			IB_WC_REM_ACCESS_ERR);
}

/* Registered, invalidated, registered anew with the next key, in one post. */
static void kverbs_key_rotation(struct kunit *test)
{
	struct pair *p = pair_of(test);
	struct fast *f = fast_make(test, p);
	struct ib_send_wr inv;
	u32 old;
	int i;

	KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	for (i = 0; i < 300; i++) {
		old = f->mr->rkey;
		inv = local_inv(p, old);
		/* What is registered stays so while the consumer maps the next. */
		KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096 * (1 + i % 2), 8192, 4096, 1, 4096), 0);
		KUNIT_ASSERT_NE(test, f->mr->rkey, old);
		/* Only the addresses' low bits are the memory's. */
		f->mr->iova |= 0x1234ull << 48;
		expect(p, 2);
		KUNIT_ASSERT_EQ(test, post_reg(p, f, &inv), 0);
		KUNIT_ASSERT_EQ(test, wait_for_all(p), 0);
		KUNIT_ASSERT_EQ(test, p->last.status, IB_WC_SUCCESS);
		p->buf[0] = i;
		KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_rdma(p, IB_WR_RDMA_WRITE, 0, 1,
							     f->mr->iova, f->mr->rkey)),
				IB_WC_SUCCESS);
		KUNIT_ASSERT_EQ(test, p->buf[4096 * (1 + i % 2)], (u8)i);
	}
	KUNIT_EXPECT_EQ(test, STATUS_OF(p, post_rdma(p, IB_WR_RDMA_WRITE, 0, 1, f->mr->iova, old)),
			IB_WC_REM_ACCESS_ERR);
}

/* A region that is registered can't be once more. */
static void kverbs_reg_valid(struct kunit *test)
{
	struct pair *p = pair_of(test);
	struct fast *f = fast_make(test, p);

	KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, STATUS_OF(p, post_reg(p, f, NULL)), IB_WC_MW_BIND_ERR);
}

/* The peer's SEND gives the registration up, and the receiver is told. */
static void kverbs_remote_inv(struct kunit *test)
{
	struct pair *p = pair_of(test);
	struct fast *f = fast_make(test, p);
	struct ib_sge sge = { p->dma, 8, p->pd->local_dma_lkey };
	struct ib_send_wr wr = {
		.wr_cqe = &p->cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND_WITH_INV,
	};

	KUNIT_ASSERT_EQ(test, fast_map(p, f, 4096, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	wr.ex.invalidate_rkey = f->mr->rkey;
	KUNIT_ASSERT_EQ(test, post_recv(p, 1, 20000, 64), 0);
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, ib_post_send(p->qp[0], &wr, NULL)), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->last.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(test, p->last.wc_flags & IB_WC_WITH_INVALIDATE, IB_WC_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, p->last.ex.invalidate_rkey, f->mr->rkey);
	KUNIT_EXPECT_EQ(test, STATUS_OF(p, post_rdma(p, IB_WR_RDMA_WRITE, 0, 1, f->mr->iova,
						     f->mr->rkey)), IB_WC_REM_ACCESS_ERR);
}

/* READ into a registration of this side, which it gives up. */
static void kverbs_read_with_inv(struct kunit *test)
{
	struct pair *p = pair_of(test);
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
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_reg(p, f, NULL)), IB_WC_SUCCESS);
	KUNIT_ASSERT_EQ(test, fast_map(p, to, 16384, 8192, 4096, 1, 4096), 0);
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, post_reg(p, to, NULL)), IB_WC_SUCCESS);
	sge.addr = to->mr->iova;
	sge.lkey = to->mr->lkey;
	wr.wr.ex.invalidate_rkey = to->mr->lkey;
	wr.remote_addr = f->mr->iova;
	wr.rkey = f->mr->rkey;
	KUNIT_ASSERT_EQ(test, STATUS_OF(p, ib_post_send(p->qp[0], &wr.wr, NULL)), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->last.opcode, IB_WC_RDMA_READ);
	KUNIT_EXPECT_EQ(test, p->last.byte_len, 4096);
	KUNIT_EXPECT_EQ(test, memcmp(p->buf + 4096, p->buf + 16384, 4096), 0);
	KUNIT_EXPECT_EQ(test, STATUS_OF(p, ib_post_send(p->qp[0], &wr.wr, NULL)),
			IB_WC_LOC_PROT_ERR);
}

static void kverbs_alloc_mr_refused(struct kunit *test)
{
	struct pair *p = pair_of(test);
	u32 max = p->ibdev->attrs.max_fast_reg_page_list_len;
	struct ib_mr *mr;

	KUNIT_ASSERT_GE(test, max, 256);
	mr = ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, max);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, ib_dereg_mr(mr), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(p->pd, IB_MR_TYPE_MEM_REG, max + 1)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ib_alloc_mr(p->pd, IB_MR_TYPE_SG_GAPS, 8)), -EOPNOTSUPP);
}

static int suite_init(struct kunit_suite *suite)
{
	return ib_register_client(&client);
}

static void suite_exit(struct kunit_suite *suite)
{
	ib_unregister_client(&client);
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
	KUNIT_CASE_PARAM(kverbs_fast_reg, page_gen_params),
	KUNIT_CASE(kverbs_key_rotation),
	KUNIT_CASE(kverbs_reg_valid),
	KUNIT_CASE(kverbs_remote_inv),
	KUNIT_CASE(kverbs_read_with_inv),
	KUNIT_CASE(kverbs_alloc_mr_refused),
	{}
};

static struct kunit_suite suite = {
	.name = "soft-kverbs",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.init = pair_init,
	.exit = pair_exit,
	.test_cases = cases,
};

static struct kunit_suite rkey_suite = {
	.name = "soft-kverbs-rkey",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.init = pair_init_rkey,
	.exit = pair_exit,
	.test_cases = rkey_cases,
};

kunit_test_suites(&suite, &rkey_suite);
