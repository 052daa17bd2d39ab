// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of trying again: how often and after which time, until it is given up
 * (IBA 9.7.5.2.8, 9.7.6.1.3, 9.9.2.1).
 */
#include "case.h"
#include "suite.h"

static bool lose_all(struct sim_qp *from, const struct tp_train *train)
{
	(void)from;
	(void)train;
	return true;
}

/*
 * Nothing comes back: a packet is sent 1 + retry_cnt times, each after a time
 * between one and four times 4.096 us * 2^timeout (IBA 9.7.6.1.3), and then it fails.
 */
static void retry_exceeded(void)
{
	static const struct {
		u8 retry_cnt, timeout;
	} t[] = { { 0, 8 }, { 1, 10 }, { 3, 1 }, { 7, 14 } };
	struct sim_config cfg = case_config();
	const struct seen_train *before, *next;
	struct sim_qp *a, *b;
	u32 i, k;
	u64 unit;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		cfg.retry_cnt = t[i].retry_cnt;
		cfg.timeout = t[i].timeout;
		unit = 4096ull << t[i].timeout;
		case_begin(&cfg, &a, &b);
		case_recv(b, 64, 1);
		case_lose = lose_all;
		case_send(a, IB_UVERBS_WR_RDMA_WRITE, 64);
		case_send(a, IB_UVERBS_WR_SEND, 64);
		case_run(SEC(1000));
		want_sends(a, 2);
		want_send(a, 0, TP_WC_RETRY_EXC_ERR);
		want_send(a, 1, TP_WC_WR_FLUSH_ERR);
		sim_check(seen_count(a, TP_OP_WRITE) == 1u + t[i].retry_cnt,
			  "retry_cnt %u: sent %u times", t[i].retry_cnt,
			  seen_count(a, TP_OP_WRITE));
		before = seen_nth(a, TP_OP_WRITE, 0);
		for (k = 1; k <= t[i].retry_cnt; k++, before = next) {
			next = seen_nth(a, TP_OP_WRITE, k);
			sim_check(next->at - before->at >= unit &&
				  next->at - before->at <= 4 * unit,
				  "timeout %u: sent again after %llu ns, not %llu", t[i].timeout,
				  (unsigned long long)(next->at - before->at),
				  (unsigned long long)unit);
		}
		sim_check(a->counter[TP_CNT_retry_exceeded_err] == 1, "retry_exceeded_err is %llu",
			  (unsigned long long)a->counter[TP_CNT_retry_exceeded_err]);
		want_state(a, TP_QPS_ERR);
		want_state(b, TP_QPS_RTS);
		want_no_event(a);
		want_no_event(b);
		case_end();
	}
}

/* timeout 0: a lost packet is waited for without end. */
static void no_timeout(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	cfg.timeout = 0;
	case_begin(&cfg, &a, &b);
	case_lose = lose_all;
	case_send(a, IB_UVERBS_WR_RDMA_WRITE, 64);
	case_run(SEC(100000));
	want_sends(a, 0);
	sim_check(seen_count(a, TP_OP_WRITE) == 1, "sent again without a timeout");
	want_state(a, TP_QPS_RTS);
	world_modify(a, TP_QPS_ERR);
	case_run(SEC(1));
	want_sends(a, 1);
	want_send(a, 0, TP_WC_WR_FLUSH_ERR);
	case_end();
}

/* No receive WR: a SEND is sent 1 + rnr_retry times. */
static void rnr_exceeded(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;
	u8 retry;

	for (retry = 0; retry < 7; retry++) {
		cfg.rnr_retry = retry;
		case_begin(&cfg, &a, &b);
		case_send(a, IB_UVERBS_WR_SEND, 64);
		case_send(a, IB_UVERBS_WR_RDMA_WRITE, 64);
		case_run(SEC(100));
		want_sends(a, 2);
		want_send(a, 0, TP_WC_RNR_RETRY_EXC_ERR);
		want_send(a, 1, TP_WC_WR_FLUSH_ERR);
		sim_check(seen_count(a, TP_OP_SEND) == 1u + retry, "rnr_retry %u: sent %u times",
			  retry, seen_count(a, TP_OP_SEND));
		want_state(b, TP_QPS_RTS);
		want_no_event(b);
		want_recvs(b, 0);
		case_end();
	}
}

/* rnr_retry 7 has no end, and counts no transport retries. */
static void rnr_endless(void)
{
	struct sim_config cfg = case_config();
	struct sim_qp *a, *b;

	cfg.retry_cnt = 0;
	case_begin(&cfg, &a, &b);
	case_send(a, IB_UVERBS_WR_SEND, 64);
	case_wait(MSEC(50));
	want_sends(a, 0);
	sim_check(seen_count(a, TP_OP_SEND) > 100, "only %u tries in 50 ms",
		  seen_count(a, TP_OP_SEND));
	case_recv(b, 64, 1);
	case_run(SEC(1));
	want_sends(a, 1);
	want_send(a, 0, TP_WC_SUCCESS);
	want_recv(b, 0, TP_WC_SUCCESS);
	case_end();
}

/* IBA table 45, in units of 10 us. */
static const u32 rnr_units[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
};

/* After an RNR NAK the requester waits as long as the NAK says. */
static void rnr_delays(void)
{
	struct sim_config cfg = case_config();
	const struct seen_train *nak, *second;
	struct sim_qp *a, *b;
	u64 want, waited;
	u32 code;

	cfg.timeout = 0;
	for (code = 0; code < 32; code++) {
		cfg.min_rnr_timer = code;
		case_begin(&cfg, &a, &b);
		case_send(a, IB_UVERBS_WR_SEND, 64);
		case_wait(USEC(5));
		nak = seen_nth(b, TP_OP_ACK, 0);
		sim_check(nak && nak->train.syndrome == (0x20 | code), "RNR NAK %02x, not %02x",
			  nak ? nak->train.syndrome : 0, 0x20 | code);
		sim_check(nak->train.psn == a->attr.sq_psn, "RNR NAK of psn %x", nak->train.psn);
		want = rnr_units[code] * 10000ull;
		case_recv(b, 64, 1);
		case_run(SEC(2));
		want_send(a, 0, TP_WC_SUCCESS);
		nak = seen_nth(b, TP_OP_ACK, 0);
		second = seen_nth(a, TP_OP_SEND, 1);
		waited = second->at - (nak->at + cfg.latency);
		sim_check(waited >= want && waited <= want + want / 4 + USEC(10),
			  "timer %u: waited %llu ns, not %llu", code, (unsigned long long)waited,
			  (unsigned long long)want);
		case_end();
	}
}

const struct sim_case retry_cases[] = {
	{ "retry_exceeded", "a dead wire fails after retry_cnt retries, in time", retry_exceeded,
	  false },
	{ "no_timeout", "timeout 0 waits for ever", no_timeout, false },
	{ "rnr_exceeded", "no receive WR fails after rnr_retry retries", rnr_exceeded, false },
	{ "rnr_endless", "rnr_retry 7 tries for ever", rnr_endless, false },
	{ "rnr_delays", "each RNR timer code is waited for", rnr_delays, false },
	{ NULL, NULL, NULL, false }
};
