// SPDX-License-Identifier: GPL-2.0
/*
 * CQs of kernel consumers: every way of polling that IB core has, shared CQs of its
 * pool, a handler that polls and arms by itself, and arming that tells what it missed;
 * and what Documentation/infiniband/core_locking.rst promises a handler.
 */
#include "kverbs.h"

#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/workqueue.h>

#define ROUNDS		200

/* QP 0 of the pair, made anew with its completions in other CQs. */
static struct ib_qp *remake(struct kverbs_pair *p, struct ib_cq *cq)
{
	int i;

	for (i = 0; i < 2; i++) {
		ib_destroy_qp(p->qp[i]);
		p->qp[i] = kverbs_make_qp(p, cq);
		if (IS_ERR(p->qp[i]))
			return p->qp[i];
	}
	return ERR_PTR(kverbs_connect(p));
}

/* A SEND and its receive, ROUNDS times. */
static void ping(struct kunit *test, struct kverbs_pair *p, struct ib_cq *direct)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		kverbs_expect(p, 2);
		KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 1, 20000, 64), 0);
		KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED),
				0);
		while (direct && p->wanted)
			ib_process_cq_direct(direct, -1);
		KUNIT_ASSERT_EQ(test, kverbs_wait_for_all(p), 0);
		KUNIT_ASSERT_EQ(test, p->last.status, IB_WC_SUCCESS);
	}
}

struct context_case {
	enum ib_poll_context context;
	const char *name;
};

static const struct context_case contexts[] = {
	{ IB_POLL_SOFTIRQ, "softirq" },
	{ IB_POLL_WORKQUEUE, "workqueue" },
	{ IB_POLL_UNBOUND_WORKQUEUE, "unbound workqueue" },
	{ IB_POLL_DIRECT, "direct" },
};

static void context_desc(const struct context_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(context, contexts, context_desc);

static void kcq_contexts(struct kunit *test)
{
	const struct context_case *c = test->param_value;
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct ib_cq *cq = ib_alloc_cq(p->ibdev, p, 4 * KVERBS_DEPTH, 0, c->context);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(remake(p, cq)), 0);
	ping(test, p, c->context == IB_POLL_DIRECT ? cq : NULL);
	kverbs_destroy_qps(p);
	ib_free_cq(cq);
}

/* A CQ of IB core's pool, two users of which get the same one. */
static void kcq_pool(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct ib_cq *cq = ib_cq_pool_get(p->ibdev, 4 * KVERBS_DEPTH, 0, IB_POLL_SOFTIRQ);
	struct ib_cq *again;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	again = ib_cq_pool_get(p->ibdev, 4 * KVERBS_DEPTH, 0, IB_POLL_SOFTIRQ);
	KUNIT_EXPECT_PTR_EQ(test, cq, again);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(remake(p, cq)), 0);
	ping(test, p, NULL);
	kverbs_destroy_qps(p);
	if (!IS_ERR(again))
		ib_cq_pool_put(again, 4 * KVERBS_DEPTH);
	ib_cq_pool_put(cq, 4 * KVERBS_DEPTH);
}

/* A consumer's own handler: polls, answers what it receives, and arms again. */
struct echo {
	struct kverbs_pair *p;
	struct ib_cq *cq;
	struct completion done;
	int left;
	int calls;
	int bad;
};

static void on_completions(struct ib_cq *cq, void *context)
{
	struct echo *echo = context;
	struct ib_wc wc;

	echo->calls++;
	do {
		while (ib_poll_cq(cq, 1, &wc) > 0) {
			if (wc.status != IB_WC_SUCCESS) {
				echo->bad++;
				continue;
			}
			if (wc.opcode != IB_WC_RECV)
				continue;
			if (!--echo->left) {
				complete(&echo->done);
				continue;
			}
			/* To whom it came from: the two play for ever, inside this handler. */
			if (kverbs_post_recv(echo->p, wc.qp == echo->p->qp[1], 20000, 64) ||
			    kverbs_post_send(echo->p, wc.qp == echo->p->qp[1], IB_WR_SEND, 0, 64,
					     IB_SEND_SIGNALED))
				echo->bad++;
		}
	} while (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

static void kcq_handler_polls(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct ib_cq_init_attr attr = { .cqe = 4 * KVERBS_DEPTH };
	struct echo *echo = kunit_kzalloc(test, sizeof(*echo), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, echo);
	echo->p = p;
	echo->left = 5 * ROUNDS;
	init_completion(&echo->done);
	echo->cq = ib_create_cq(p->ibdev, on_completions, NULL, echo, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, echo->cq);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(remake(p, echo->cq)), 0);
	KUNIT_ASSERT_EQ(test, ib_req_notify_cq(echo->cq, IB_CQ_NEXT_COMP), 0);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, i, 20000, 64), 0);
	KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED), 0);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&echo->done, 10 * HZ), 0);
	KUNIT_EXPECT_EQ(test, echo->bad, 0);
	KUNIT_EXPECT_GT(test, echo->calls, 0);
	kverbs_destroy_qps(p);
	ib_destroy_cq(echo->cq);
}

static void count_calls(struct ib_cq *cq, void *context)
{
	atomic_inc((atomic_t *)context);
}

/* Arming tells of what is there already, if asked to, and fires for the next only. */
static void kcq_missed_events(struct kunit *test)
{
	struct kverbs_pair *p = kverbs_pair_of(test);
	struct ib_cq_init_attr attr = { .cqe = 4 * KVERBS_DEPTH };
	atomic_t *calls = kunit_kzalloc(test, sizeof(*calls), GFP_KERNEL);
	struct ib_cq *cq;
	struct ib_wc wc[4];

	KUNIT_ASSERT_NOT_NULL(test, calls);
	cq = ib_create_cq(p->ibdev, count_calls, NULL, calls, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(remake(p, cq)), 0);

	/* Not armed: no call. */
	KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 1, 20000, 64), 0);
	KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(calls), 0);
	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(cq, IB_CQ_NEXT_COMP), 0);
	KUNIT_EXPECT_GT(test, ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS),
			0);
	KUNIT_EXPECT_EQ(test, atomic_read(calls), 0);
	KUNIT_EXPECT_EQ(test, ib_poll_cq(cq, 4, wc), 2);
	KUNIT_EXPECT_EQ(test, ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS),
			0);
	/* One call for two completions. */
	KUNIT_ASSERT_EQ(test, kverbs_post_recv(p, 1, 20000, 64), 0);
	KUNIT_ASSERT_EQ(test, kverbs_post_send(p, 0, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(calls), 1);
	KUNIT_EXPECT_EQ(test, ib_poll_cq(cq, 4, wc), 2);
	kverbs_destroy_qps(p);
	ib_destroy_cq(cq);
}

/* A consumer that has a lock as it posts, which its handler takes too. */
struct locking {
	struct kverbs_pair *p;
	struct ib_cq *cq;
	struct work_struct work;
	bool posting;
	atomic_t running;
	atomic_t calls;
	int inside;
	int overlaps;
	int bad;
};

static void on_locking(struct ib_cq *cq, void *context)
{
	struct locking *l = context;
	struct ib_wc wc;

	if (READ_ONCE(l->posting))
		l->inside++;
	if (atomic_inc_return(&l->running) > 1)
		l->overlaps++;
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	/* Long enough for the other CPU to come in. */
	udelay(8);
	while (ib_poll_cq(cq, 1, &wc) > 0)
		l->bad += wc.status != IB_WC_SUCCESS;
	atomic_dec(&l->running);
	atomic_inc(&l->calls);
}

static void locking_start(struct kunit *test, struct locking *l)
{
	struct ib_cq_init_attr attr = { .cqe = 8 * ROUNDS };

	l->p = kverbs_pair_of(test);
	l->cq = ib_create_cq(l->p->ibdev, on_locking, NULL, l, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, l->cq);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(remake(l->p, l->cq)), 0);
	KUNIT_ASSERT_EQ(test, ib_req_notify_cq(l->cq, IB_CQ_NEXT_COMP), 0);
}

static void locking_end(struct locking *l)
{
	kverbs_destroy_qps(l->p);
	ib_destroy_cq(l->cq);
}

static int post_from(struct kverbs_pair *p, int i)
{
	return kverbs_post_recv(p, !i, 20000, 64) ?:
	       kverbs_post_send(p, i, IB_WR_SEND, 0, 64, IB_SEND_SIGNALED);
}

/* core_locking.rst: a handler is not called from the verb that made it due. */
static void kcq_posts_under_lock(struct kunit *test)
{
	struct locking *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, l);
	locking_start(test, l);
	local_bh_disable();
	WRITE_ONCE(l->posting, true);
	l->bad += post_from(l->p, 0) != 0;
	WRITE_ONCE(l->posting, false);
	local_bh_enable();
	for (i = 0; i < 5000 && !atomic_read(&l->calls); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, l->inside, 0);
	KUNIT_EXPECT_EQ(test, l->bad, 0);
	KUNIT_EXPECT_GT(test, atomic_read(&l->calls), 0);
	locking_end(l);
}

static void post_rounds(struct locking *l, int from)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		l->bad += post_from(l->p, from) != 0;
}

static void post_work(struct work_struct *work)
{
	post_rounds(container_of(work, struct locking, work), 1);
}

/* core_locking.rst: one call of a CQ's handler at a time. */
static void kcq_one_at_a_time(struct kunit *test)
{
	struct locking *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	locking_start(test, l);
	INIT_WORK(&l->work, post_work);
	queue_work(system_unbound_wq, &l->work);
	post_rounds(l, 0);
	flush_work(&l->work);
	KUNIT_EXPECT_EQ(test, l->overlaps, 0);
	KUNIT_EXPECT_EQ(test, l->bad, 0);
	KUNIT_EXPECT_GT(test, atomic_read(&l->calls), 0);
	locking_end(l);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(kcq_contexts, context_gen_params),
	KUNIT_CASE(kcq_pool),
	KUNIT_CASE(kcq_handler_polls),
	KUNIT_CASE(kcq_missed_events),
	KUNIT_CASE(kcq_posts_under_lock),
	KUNIT_CASE(kcq_one_at_a_time),
	{}
};

static struct kunit_suite suite = {
	.name = "soft-kcq",
	.suite_init = kverbs_suite_init,
	.suite_exit = kverbs_suite_exit,
	.init = kverbs_pair_init,
	.exit = kverbs_pair_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
