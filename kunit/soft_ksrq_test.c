// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues of the software device, as a kernel consumer uses them.
 *
 * Needs an ohca device whose port is up; is skipped without one.
 */
#include "kverbs.h"

#define WRS	15

/* What a case's event handler saw. */
struct events {
	struct kverbs_pair *p;
	atomic_t limit;
	int posted;
};

static int post(struct kverbs_pair *p, u32 offset, u32 len)
{
	struct ib_sge sge = { p->dma + offset, len, p->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_cqe = &p->cqe, .sg_list = &sge, .num_sge = 1 };

	return ib_post_srq_recv(p->srq, &wr, NULL);
}

/* A handler may post: it is called with no lock held. */
static void on_event(struct ib_event *event, void *context)
{
	struct events *seen = context;

	if (event->event != IB_EVENT_SRQ_LIMIT_REACHED || event->element.srq != seen->p->srq)
		return;
	while (seen->posted && !post(seen->p, 40000, 64))
		seen->posted--;
	atomic_inc(&seen->limit);
}

/* The case's pair, its QPs made anew over an SRQ. */
static struct kverbs_pair *shared_pair(struct kunit *test, struct events *seen)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct ib_srq_init_attr init = {
		.event_handler = on_event,
		.srq_context = seen,
		.attr = { .max_wr = WRS, .max_sge = 2 },
		.srq_type = IB_SRQT_BASIC,
	};
	int i;

	kverbs_destroy_qps(p);
	memset(seen, 0, sizeof(*seen));
	seen->p = p;
	p->srq = ib_create_srq(p->pd, &init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->srq);
	for (i = 0; i < 2; i++) {
		p->qp[i] = kverbs_make_qp(p, p->cq);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->qp[i]);
	}
	KUNIT_ASSERT_EQ(test, kverbs_connect(p), 0);
	return p;
}

static void send_to(struct kunit *test, struct kverbs_pair *p, int i, enum ib_wc_status want)
{
	kverbs_expect(p, 2);
	KUNIT_ASSERT_EQ(test, kverbs_post_send(p, !i, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED), 0);
	KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
	KUNIT_ASSERT_EQ(test, p->last.status, want);
}

/* Both QPs take from one queue; posting with interrupts off is fine. */
static void ksrq_send(struct kunit *test)
{
	struct events seen;
	struct kverbs_pair *p = shared_pair(test, &seen);
	unsigned long flags;
	int i, err;

	memset(p->buf, 0xa5, 64);
	for (i = 0; i < 4; i++) {
		local_irq_save(flags);
		err = post(p, 20000 + i * 100, 64);
		local_irq_restore(flags);
		KUNIT_ASSERT_EQ(test, err, 0);
	}
	for (i = 0; i < 4; i++) {
		send_to(test, p, i % 2, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, memcmp(p->buf, p->buf + 20000 + i * 100, 64), 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&seen.limit), 0);
}

/* The limit's event comes once, and its handler posts. */
static void ksrq_limit(struct kunit *test)
{
	struct ib_srq_attr attr = { .srq_limit = 2 };
	struct events seen;
	struct kverbs_pair *p = shared_pair(test, &seen);
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, post(p, 20000, 64), 0);
	KUNIT_ASSERT_EQ(test, ib_modify_srq(p->srq, &attr, IB_SRQ_LIMIT), 0);
	seen.posted = 4;
	send_to(test, p, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen.limit), 0);
	for (i = 0; i < 6; i++)
		send_to(test, p, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&seen.limit), 1);
	KUNIT_EXPECT_EQ(test, seen.posted, 0);
	KUNIT_ASSERT_EQ(test, ib_query_srq(p->srq, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, 0);
}

/* A QP holds the queue; sizes are held to; a QP over it has no queue of its own. */
static void ksrq_refused(struct kunit *test)
{
	struct ib_sge sges[3] = {};
	struct ib_recv_wr wr = { .sg_list = sges, .num_sge = 3 };
	struct ib_srq_init_attr init = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ib_srq_attr attr;
	struct events seen;
	struct kverbs_pair *p = shared_pair(test, &seen);
	struct ib_srq *srq;
	u32 i;

	KUNIT_EXPECT_EQ(test, ib_destroy_srq_user(p->srq, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, ib_post_srq_recv(p->srq, &wr, NULL), -EINVAL);
	wr.num_sge = -1;
	KUNIT_EXPECT_EQ(test, ib_post_srq_recv(p->srq, &wr, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, kverbs_post_recv(p, 1, 0, 64), -EINVAL);

	KUNIT_ASSERT_EQ(test, ib_query_srq(p->srq, &attr), 0);
	KUNIT_EXPECT_GE(test, attr.max_wr, WRS);
	KUNIT_EXPECT_GE(test, attr.max_sge, 2);
	for (i = 0; i < attr.max_wr; i++)
		KUNIT_ASSERT_EQ(test, post(p, 20000, 64), 0);
	KUNIT_EXPECT_EQ(test, post(p, 20000, 64), -ENOMEM);

	init.attr.max_wr = p->ibdev->attrs.max_srq_wr + 1;
	srq = ib_create_srq(p->pd, &init);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(srq), -EINVAL);
	init.attr.max_wr = 1;
	init.attr.max_sge = p->ibdev->attrs.max_srq_sge + 1;
	srq = ib_create_srq(p->pd, &init);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(srq), -EINVAL);
	init.attr.max_sge = 1;
	init.srq_type = IB_SRQT_TM;
	init.ext.cq = p->cq;
	srq = ib_create_srq(p->pd, &init);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(srq), -EOPNOTSUPP);
}

/* Full, resized, and all of it arrives. */
static void ksrq_resize(struct kunit *test)
{
	struct ib_srq_attr attr = {};
	struct events seen;
	struct kverbs_pair *p = shared_pair(test, &seen);
	u32 room, i;

	KUNIT_ASSERT_EQ(test, ib_query_srq(p->srq, &attr), 0);
	room = attr.max_wr;
	for (i = 0; i < room; i++)
		KUNIT_ASSERT_EQ(test, post(p, 20000 + i * 64, 64), 0);
	attr.max_wr = room / 2;
	KUNIT_EXPECT_EQ(test, ib_modify_srq(p->srq, &attr, IB_SRQ_MAX_WR), -EINVAL);
	attr.max_wr = room + 1;
	KUNIT_ASSERT_EQ(test, ib_modify_srq(p->srq, &attr, IB_SRQ_MAX_WR), 0);
	KUNIT_ASSERT_EQ(test, post(p, 20000 + room * 64, 64), 0);
	for (i = 0; i <= room; i++) {
		p->buf[0] = i;
		send_to(test, p, 1, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, p->buf[20000 + i * 64], i);
	}
}

/* IB core waits for the last WR's event; what is posted is for other QPs to take. */
static void ksrq_drain(struct kunit *test)
{
	struct events seen;
	struct kverbs_pair *p = shared_pair(test, &seen);
	unsigned long start = jiffies;
	int i;

	KUNIT_ASSERT_EQ(test, post(p, 20000, 64), 0);
	ib_drain_qp(p->qp[1]);
	/* It would go on after a minute without the event. */
	KUNIT_EXPECT_TRUE(test, time_before(jiffies, start + 30 * HZ));
	kverbs_destroy_qps(p);
	for (i = 0; i < 2; i++) {
		p->qp[i] = kverbs_make_qp(p, p->cq);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p->qp[i]);
	}
	KUNIT_ASSERT_EQ(test, kverbs_connect(p), 0);
	send_to(test, p, 0, IB_WC_SUCCESS);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ksrq_send),
	KUNIT_CASE(ksrq_limit),
	KUNIT_CASE(ksrq_refused),
	KUNIT_CASE(ksrq_resize),
	KUNIT_CASE(ksrq_drain),
	{}
};

static struct kunit_suite suite = {
	.name = "soft-ksrq",
	.suite_init = kverbs_suite_init,
	.suite_exit = kverbs_suite_exit,
	.init = kverbs_pair_init,
	.exit = kverbs_pair_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
