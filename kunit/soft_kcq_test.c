// SPDX-License-Identifier: GPL-2.0
/*
 * CQs of kernel consumers: every way of polling that IB core has, shared CQs of its
 * pool, a handler that polls and arms by itself, and arming that tells what it missed.
 */
#include "kverbs.h"

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

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(kcq_contexts, context_gen_params),
	KUNIT_CASE(kcq_pool),
	KUNIT_CASE(kcq_handler_polls),
	KUNIT_CASE(kcq_missed_events),
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
