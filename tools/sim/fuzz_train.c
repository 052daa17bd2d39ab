// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of a live QP: the input is a program of what its peer sends and of
 * what its owner and its consumer do.
 */
#include "sim.h"
#include "fuzz.h"

/**
 * struct input - what is left of the fuzzer's bytes
 * @data: next byte
 * @size: bytes left
 */
struct input {
	const u8 *data;
	size_t size;
};

static u32 take(struct input *in, u32 bytes)
{
	u32 v = 0;

	while (bytes--) {
		v <<= 8;
		if (in->size) {
			v |= *in->data++;
			in->size--;
		}
	}
	return v;
}

static struct sim_qp *victim;
static u8 payload[TP_TRAIN_BYTES];

/* A train as tp_train_begin() and tp_train_join() could have made it. */
static void send_train(struct input *in)
{
	struct tp_seg seg = { payload, 0 };
	struct tp_train t = { .npkts = 1, .seg = &seg };
	u32 shape = take(in, 1), place = take(in, 1);
	struct sim_region *region = victim->spare.item[place % victim->spare.nr];
	bool data;

	t.op = shape % TP_NUM_OPS;
	data = t.op == TP_OP_SEND || t.op == TP_OP_WRITE || t.op == TP_OP_READ_RESP;
	t.flags = data ? shape >> 6 : TP_TRAIN_FIRST | TP_TRAIN_LAST;
	t.pkey = 0xffff;
	t.dest_qpn = victim->qpn;
	t.psn = tp_op_is_request(t.op) ? victim->attr.rq_psn : victim->last_psn;
	t.psn = SIM_PSN(t.psn + (place & 0x80 ? take(in, 3) : (place & 15) - 3));
	t.mtu = victim->attr.mtu;
	if (data) {
		t.npkts = 1 + (place >> 4 & 7);
		t.length = t.npkts * t.mtu;
		if (t.flags & TP_TRAIN_LAST) {
			t.length -= take(in, 1) % t.mtu;
		} else if (t.npkts == 1) {
			t.mtu = take(in, 1) * 16;
			t.length = t.mtu;
		}
		t.flags |= take(in, 1) & (TP_TRAIN_SE | TP_TRAIN_ACKREQ);
		if (t.flags & TP_TRAIN_LAST && t.op != TP_OP_READ_RESP)
			t.flags |= shape & 0x20 ? TP_TRAIN_IMM :
				   (shape & 0x10) && t.op == TP_OP_SEND ? TP_TRAIN_INV : 0;
	}
	t.rkey = region->rkey + (place == 0x7f);
	t.va = region->iova + 8 * take(in, 1);
	t.dmalen = shape & 8 ? t.length : take(in, 2);
	t.swap = place;
	t.inv_rkey = region->rkey;
	t.syndrome = take(in, 1);
	t.msn = take(in, 1);
	seg.len = t.length;
	t.nr_seg = t.length ? 1 : 0;
	wire_deliver(victim, &t);
}

static void post(struct input *in)
{
	static const u32 opcodes[] = {
		IB_UVERBS_WR_SEND, IB_UVERBS_WR_RDMA_WRITE, IB_UVERBS_WR_RDMA_READ,
		IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, IB_UVERBS_WR_SEND_WITH_IMM,
	};
	struct sim_send s = { .opcode = opcodes[take(in, 1) % ARRAY_SIZE(opcodes)] };
	struct sim_region *region;

	if (victim->sends.nr - victim->done >= victim->init.max_send_wr)
		return;
	s.length = is_atomic(s.opcode) ? 8 : take(in, 2) % 4000;
	s.signaled = s.length & 1;
	s.num_sge = 1;
	region = region_pick(victim->local, 0, 4000, victim->pd, TP_ACCESS_LOCAL_WRITE);
	s.sge[0] = (struct tp_sge){ region->iova, s.length, region->lkey };
	post_send(victim, &s);
	kick_send(victim);
}

static void change(struct input *in)
{
	static const enum tp_qp_state way[] = { TP_QPS_RESET, TP_QPS_INIT, TP_QPS_RTR, TP_QPS_RTS };
	u32 i, n = take(in, 1);

	if (n < 64)
		world_modify(victim, TP_QPS_ERR);
	for (i = 0; n >= 64 && i <= n % 4; i++)
		world_modify(victim, way[i]);
	kick_send(victim);
}

static void step(struct input *in)
{
	struct sim_recv *r;

	switch (take(in, 1) % 12) {
	case 0:
		post(in);
		break;
	case 1:
		r = work_make_recv(victim, take(in, 2) % victim->rq->slot_len);
		if (r)
			post_recv(victim, r);
		tell_recv(victim);
		break;
	case 2:
		world_run(world->clock.now + (1ull << take(in, 1) % 30));
		break;
	case 3:
		change(in);
		break;
	default:
		send_train(in);
		break;
	}
}

/* Nothing that the victim sends arrives: its peer is the fuzzer. */
static bool swallow(struct sim_qp *from, const struct tp_train *train)
{
	(void)from;
	(void)train;
	return true;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct sim_config base = {
		.pairs = 1, .mtu = 256, .latency = 1000, .max_msg = 4000, .max_send = 4000,
		.sq_depth = 8, .rq_depth = 8, .max_sge = 3, .rd = 4, .dest_rd = 4, .timeout = 8,
		.retry_cnt = 3, .rnr_retry = 3, .min_rnr_timer = 1,
		.sq_psn = { 0xfffff8, 0x7ffff8 },
	};
	struct sim_config cfg = base;
	struct input in = { data, size };
	u32 steps = 0, shape = take(&in, 1);

	cfg.pieces = shape % SHAPE_NUM;
	cfg.mtu = 256u << (shape >> 2) % 3;
	cfg.srq = shape & 0x80;
	cfg.busy = shape & 0x40 ? 100 : 0;
	cfg.paging = shape & 0x20 ? 100 : 0;
	world_make(shape, &cfg);
	world->lenient = true;
	world->hostile = true;
	world->tap = swallow;
	victim = &world->qp[0];
	world_connect();
	while (in.size && steps++ < 200)
		step(&in);
	world_modify(victim, TP_QPS_ERR);
	tell_recv(victim);
	kick_send(victim);
	world_run(world->clock.now + SEC(60));
	check_flushed(victim);
	memory_check();
	world_free();
	return 0;
}
