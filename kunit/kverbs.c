// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites of kernel consumers share: a device, and two QPs of it that are
 * connected to each other.
 *
 * Needs an ohca device whose port is up (`rdma link add ... type ohca netdev lo`
 * before the module is loaded); what needs it is skipped without one.
 */
#include "kverbs.h"

#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#define WAIT		(10 * HZ)

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
	struct kverbs_pair *p = container_of(wc->wr_cqe, struct kverbs_pair, cqe);

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

int kverbs_connect(struct kverbs_pair *p)
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

void kverbs_destroy_qps(struct kverbs_pair *p)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (!IS_ERR_OR_NULL(p->qp[i]))
			ib_destroy_qp(p->qp[i]);
		p->qp[i] = NULL;
	}
}

void kverbs_pair_exit(struct kunit *test)
{
	struct kverbs_pair *p = test->priv;

	if (!p)
		return;
	kverbs_destroy_qps(p);
	if (!IS_ERR_OR_NULL(p->srq))
		ib_destroy_srq(p->srq);
	while (p->nr_mr)
		ib_dereg_mr(p->mr[--p->nr_mr]);
	if (!IS_ERR_OR_NULL(p->cq))
		ib_free_cq(p->cq);
	if (p->dma)
		ib_dma_unmap_single(p->ibdev, p->dma, KVERBS_BYTES, DMA_BIDIRECTIONAL);
	if (!IS_ERR_OR_NULL(p->pd))
		ib_dealloc_pd(p->pd);
	kfree(p->buf);
}

struct ib_qp *kverbs_make_qp(struct kverbs_pair *p, struct ib_cq *cq)
{
	struct ib_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = p->srq,
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = { KVERBS_DEPTH, KVERBS_DEPTH, 2, 2, 64 },
	};

	return ib_create_qp(p->pd, &init);
}

static int pair_make(struct kunit *test, unsigned int pd_flags)
{
	struct kverbs_pair *p;
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
	p->buf = kzalloc(KVERBS_BYTES, GFP_KERNEL);
	p->pd = ib_alloc_pd(p->ibdev, pd_flags);
	p->cq = ib_alloc_cq(p->ibdev, p, 4 * KVERBS_DEPTH, 0, IB_POLL_WORKQUEUE);
	KUNIT_ASSERT_NOT_NULL(test, p->buf);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->pd);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->cq);
	p->dma = ib_dma_map_single(p->ibdev, p->buf, KVERBS_BYTES, DMA_BIDIRECTIONAL);
	for (i = 0; i < 2; i++) {
		p->qp[i] = kverbs_make_qp(p, p->cq);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->qp[i]);
	}
	KUNIT_ASSERT_EQ(test, kverbs_connect(p), 0);
	return 0;
}

int kverbs_pair_init(struct kunit *test)
{
	return pair_make(test, 0);
}

/* The only rkey for a kernel consumer that registers nothing: of all memory. */
int kverbs_pair_init_rkey(struct kunit *test)
{
	return pair_make(test, IB_PD_UNSAFE_GLOBAL_RKEY);
}

struct kverbs_pair *kverbs_pair_of(struct kunit *test)
{
	if (!test->priv)
		kunit_skip(test, "no ohca device");
	return test->priv;
}

int kverbs_wait_for_all(struct kverbs_pair *p)
{
	return wait_for_completion_timeout(&p->done, WAIT) ? 0 : -ETIMEDOUT;
}

void kverbs_expect(struct kverbs_pair *p, int completions)
{
	p->wanted = completions;
	reinit_completion(&p->done);
}

int kverbs_post_recv(struct kverbs_pair *p, int i, u32 offset, u32 len)
{
	struct ib_sge sge = { p->dma + offset, len, p->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_cqe = &p->cqe, .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(p->qp[i], &wr, NULL);
}

int kverbs_post_send(struct kverbs_pair *p, int i, enum ib_wr_opcode opcode, u32 offset, u32 len,
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

int kverbs_post_rdma(struct kverbs_pair *p, enum ib_wr_opcode opcode, u32 offset, u32 len, u64 to,
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

int kverbs_suite_init(struct kunit_suite *suite)
{
	return ib_register_client(&client);
}

void kverbs_suite_exit(struct kunit_suite *suite)
{
	ib_unregister_client(&client);
}
