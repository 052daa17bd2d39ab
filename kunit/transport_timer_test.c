// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: the RNR table, and when the owner's timer is armed. The rest of the
 * transport is played by this file.
 */
#include "../drivers/transport/timer.c"

#include <kunit/test.h>

static struct {
	u64 now;
	u64 armed;
	unsigned int arms;
	unsigned int retries;
	unsigned int timeouts;
	unsigned int runs;
} world;

u64 tp_owner_now(void)
{
	return world.now;
}

void tp_owner_arm(struct tp_qp *qp, u64 deadline)
{
	world.armed = deadline;
	world.arms++;
}

void tp_owner_count(struct tp_qp *qp, enum tp_counter counter, u64 n)
{
	if (counter == TP_CNT_local_ack_timeout_err)
		world.timeouts += n;
}

void tp_req_retry(struct tp_qp *qp, const char *why)
{
	world.retries++;
}

bool tp_req_run(struct tp_qp *qp)
{
	world.runs++;
	tp_timer_update(qp);
	return false;
}

void tp_qp_settle(struct tp_qp *qp)
{
}

/* IBA table 45, in hundredths of a millisecond, as the standard prints it. */
static const u32 rnr_times[] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576,
	32768, 49152,
};

static void timer_rnr(struct kunit *test)
{
	unsigned int code;

	for (code = 0; code < 256; code++)
		KUNIT_EXPECT_EQ_MSG(test, tp_rnr_ns(code), rnr_times[code & 31] * 10000ull,
				    "code %u", code);
}

static struct tp_qp *make_qp(struct kunit *test, u8 timeout)
{
	struct tp_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	memset(&world, 0, sizeof(world));
	world.now = 1000000;
	spin_lock_init(&qp->req.lock);
	qp->attr.timeout = timeout;
	return qp;
}

static void timer_ack(struct kunit *test)
{
	struct tp_qp *qp = make_qp(test, 14);
	u64 interval = 4096ull << 14, first;

	/* Nothing is out: nothing to wait for. */
	tp_timer_update(qp);
	KUNIT_EXPECT_EQ(test, world.arms, 0);

	qp->req.pos.psn = 3;
	tp_timer_update(qp);
	first = world.now + interval;
	KUNIT_EXPECT_EQ(test, world.armed, first);
	KUNIT_EXPECT_EQ(test, world.arms, 1);

	/* Progress stops the ACK timer; the owner's timer is left where it is. */
	qp->req.una = 1;
	qp->req.ack_deadline = 0;
	world.now += interval / 2;
	tp_timer_update(qp);
	KUNIT_EXPECT_EQ(test, world.arms, 1);

	/* It comes too early for what is out now: armed again, nothing else. */
	world.now = first;
	tp_timeout(qp);
	KUNIT_EXPECT_EQ(test, world.timeouts, 0);
	KUNIT_EXPECT_EQ(test, world.arms, 2);
	KUNIT_EXPECT_EQ(test, world.armed, first + interval / 2);

	world.now = world.armed;
	tp_timeout(qp);
	KUNIT_EXPECT_EQ(test, world.timeouts, 1);
	KUNIT_EXPECT_EQ(test, world.retries, 1);
	KUNIT_EXPECT_EQ(test, world.armed, world.now + interval);

	/* All is answered. */
	qp->req.una = 3;
	world.now = world.armed;
	tp_timeout(qp);
	KUNIT_EXPECT_EQ(test, world.retries, 1);
	KUNIT_EXPECT_EQ(test, qp->req.ack_deadline, 0);
}

/* timeout 0: for ever (IBA 9.7.6.1.3). */
static void timer_none(struct kunit *test)
{
	struct tp_qp *qp = make_qp(test, 0);

	qp->req.pos.psn = 3;
	tp_timer_update(qp);
	KUNIT_EXPECT_EQ(test, world.arms, 0);
	world.now = U64_MAX / 2;
	tp_timeout(qp);
	KUNIT_EXPECT_EQ(test, world.retries, 0);
}

static void timer_longest(struct kunit *test)
{
	struct tp_qp *qp = make_qp(test, 31);

	qp->req.pos.psn = 1;
	tp_timer_update(qp);
	KUNIT_EXPECT_EQ(test, world.armed - world.now, 4096ull << 31);
}

/* While the peer is not ready, there is no ACK to wait for. */
static void timer_rnr_wait(struct kunit *test)
{
	struct tp_qp *qp = make_qp(test, 1);

	qp->req.pos.psn = 3;
	qp->req.rnr_deadline = world.now + tp_rnr_ns(12);
	tp_timer_update(qp);
	KUNIT_EXPECT_EQ(test, world.armed, world.now + 640000);
	KUNIT_EXPECT_EQ(test, qp->req.ack_deadline, 0);

	world.now = world.armed;
	tp_timeout(qp);
	KUNIT_EXPECT_EQ(test, qp->req.rnr_deadline, 0);
	KUNIT_EXPECT_EQ(test, world.timeouts, 0);
	KUNIT_EXPECT_EQ(test, world.runs, 1);
	KUNIT_EXPECT_EQ(test, world.armed, world.now + 8192);
}

static struct kunit_case timer_cases[] = {
	KUNIT_CASE(timer_rnr),
	KUNIT_CASE(timer_ack),
	KUNIT_CASE(timer_none),
	KUNIT_CASE(timer_longest),
	KUNIT_CASE(timer_rnr_wait),
	{}
};

static struct kunit_suite timer_suite = {
	.name = "ohca_transport_timer",
	.test_cases = timer_cases,
};

kunit_test_suite(timer_suite);
