// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the largest messages. Their regions show a few bytes over and over,
 * so that 2^31 bytes need no memory.
 */
#include "case.h"
#include "suite.h"

#define LARGEST		0x80000000u
#define PERIOD		65536u

/* An area of PERIOD bytes that a region shows @LARGEST / PERIOD times. */
static struct sim_region *repeated(const char *name, u32 pd)
{
	struct sim_area *area = area_make(name, PERIOD, SHAPE_WHOLE);
	struct sim_region *region = region_make(area, 0, LARGEST, 0x100000000ull, pd,
						TP_ACCESS_LOCAL_WRITE | TP_ACCESS_REMOTE_WRITE |
						TP_ACCESS_REMOTE_READ);

	region->repeat = PERIOD;
	return region;
}

static void same(struct sim_region *from, struct sim_region *to)
{
	static u8 bytes[PERIOD];

	area_read(from->area, 0, bytes, PERIOD);
	sim_check(area_compare(to->area, 0, bytes, PERIOD) == PERIOD,
		  "2^31 bytes do not arrive as they were sent");
}

/* A message of 2^31 bytes, and a small one after it, which tells the PSNs that it took. */
static void largest(u32 opcode, u32 mtu, bool local)
{
	struct sim_config cfg = case_config();
	struct sim_region *here, *there;
	struct sim_qp *a, *b;
	struct sim_recv *r;
	struct sim_send s;

	cfg.mtu = mtu;
	cfg.local = local;
	cfg.raw = !local;
	cfg.lose = local ? 0 : 5;
	case_begin(&cfg, &a, &b);
	world->tap = NULL;
	here = repeated("here", a->pd);
	there = repeated("there", b->pd);
	r = case_recv(b, 0, 1);
	r->length = LARGEST;
	r->num_sge = 1;
	r->sge[0] = (struct tp_sge){ there->iova, LARGEST, there->lkey };
	case_recv(b, 64, 1);
	memset(&s, 0, sizeof(s));
	s.opcode = opcode;
	s.signaled = true;
	s.length = LARGEST;
	s.num_sge = 1;
	s.sge[0] = (struct tp_sge){ here->iova, LARGEST, here->lkey };
	s.va = there->iova;
	s.rkey = there->rkey;
	case_post(a, &s);
	case_go(a);
	case_run(SEC(10000));
	want_send(a, 0, TP_WC_SUCCESS);
	if (opcode == IB_UVERBS_WR_SEND) {
		want_recv(b, 0, TP_WC_SUCCESS);
		sim_check(((struct sim_cqe *)b->recv_log.item[0])->wc.byte_len == LARGEST,
			  "byte_len of 2^31 bytes");
	}
	same(here, there);
	a->last_psn = 0;
	s = make_wr(a, IB_UVERBS_WR_RDMA_WRITE, 0, 64);
	case_post(a, &s);
	case_go(a);
	case_run(SEC(1));
	want_send(a, 1, TP_WC_SUCCESS);
	sim_check(a->last_psn == SIM_PSN(cfg.sq_psn[0] + LARGEST / mtu), "the next psn is %x",
		  a->last_psn);
	case_end();
}

static void largest_write(void)
{
	largest(IB_UVERBS_WR_RDMA_WRITE, 4096, true);
}

static void largest_send(void)
{
	largest(IB_UVERBS_WR_SEND, 256, false);
}

static void largest_read(void)
{
	largest(IB_UVERBS_WR_RDMA_READ, 256, false);
}

const struct sim_case large_cases[] = {
	{ "largest_write", "a WRITE of 2^31 bytes on one host", largest_write, true },
	{ "largest_send", "a SEND of 2^31 bytes, 2^23 packets, over a wire that loses",
	  largest_send, true },
	{ "largest_read", "a READ of 2^31 bytes, 2^23 packets, over a wire that loses",
	  largest_read, true },
	{ NULL, NULL, NULL, false }
};
