// SPDX-License-Identifier: GPL-2.0
/*
 * QP contexts: commands and optional parameters of every transition, and that what is
 * written can be read back.
 */
#include "../drivers/pci/verbs/qpc.c"

#include <kunit/test.h>

#include "random.h"

#define RIGHTS	(MLX5_QP_OPTPAR_RRE | MLX5_QP_OPTPAR_RAE | MLX5_QP_OPTPAR_RWE)

/* Every transition that ohca_core knows has a command, or a reason why not. */
static void qpc_every_transition(struct kunit *test)
{
	int cur, next, opcode;

	for (cur = IB_QPS_RESET; cur <= IB_QPS_ERR; cur++) {
		for (next = IB_QPS_RESET; next <= IB_QPS_ERR; next++) {
			opcode = verbs_qpc_opcode(cur, next);
			if (!ohca_qp_edge_find(IB_QPT_RC, cur, next) &&
			    !ohca_qp_edge_find(IB_QPT_UD, cur, next)) {
				KUNIT_EXPECT_LT(test, opcode, 0);
				continue;
			}
			/* RESET to RESET needs none, the device has none into SQD. */
			if (next == IB_QPS_SQD || (!cur && !next))
				KUNIT_EXPECT_EQ(test, opcode, -EOPNOTSUPP);
			else
				KUNIT_EXPECT_GT(test, opcode, 0);
		}
	}
}

static void qpc_optional(struct kunit *test)
{
	u32 all = ~0u;

	/* Nothing is optional from RESET on, but the command takes all it needs anyway. */
	KUNIT_EXPECT_EQ(test, verbs_qpc_optpar(IB_QPT_RC, IB_QPS_RESET, IB_QPS_INIT, all), 0);
	KUNIT_EXPECT_EQ(test, verbs_qpc_optpar(IB_QPT_RC, IB_QPS_INIT, IB_QPS_INIT, all),
			RIGHTS | MLX5_QP_OPTPAR_PKEY_INDEX | MLX5_QP_OPTPAR_PRI_PORT);
	KUNIT_EXPECT_EQ(test, verbs_qpc_optpar(IB_QPT_RC, IB_QPS_INIT, IB_QPS_RTR,
					       IB_QP_MAX_DEST_RD_ATOMIC), RIGHTS);
	KUNIT_EXPECT_EQ(test, verbs_qpc_optpar(IB_QPT_UC, IB_QPS_RTS, IB_QPS_RTS,
					       IB_QP_ACCESS_FLAGS), MLX5_QP_OPTPAR_RWE);
	KUNIT_EXPECT_EQ(test, verbs_qpc_optpar(IB_QPT_RC, IB_QPS_RTS, IB_QPS_RTS,
					       IB_QP_MIN_RNR_TIMER), MLX5_QP_OPTPAR_RNR_TIMEOUT);
	KUNIT_EXPECT_EQ(test, verbs_qpc_optpar(IB_QPT_UD, IB_QPS_RTR, IB_QPS_RTS,
					       IB_QP_QKEY | IB_QP_SQ_PSN), MLX5_QP_OPTPAR_Q_KEY);
	/* No such transition. */
	KUNIT_EXPECT_EQ(test, verbs_qpc_optpar(IB_QPT_RC, IB_QPS_RESET, IB_QPS_RTS, all), 0);
}

static void qpc_states(struct kunit *test)
{
	bool draining;
	int i;

	for (i = 0; i < 256; i++) {
		enum ib_qp_state state = verbs_qpc_ib_state(i, &draining);

		KUNIT_EXPECT_LE(test, (unsigned int)state, (unsigned int)IB_QPS_ERR);
		KUNIT_EXPECT_EQ(test, draining, i == MLX5_QP_STATE_SQ_DRAINING);
	}
	KUNIT_EXPECT_EQ(test, verbs_qpc_ib_state(MLX5_QP_STATE_SQER, &draining), IB_QPS_SQE);
	KUNIT_EXPECT_EQ(test, verbs_qpc_ib_state(0xf, &draining), IB_QPS_ERR);
}

static void random_attr(struct rnd_state *rnd, struct ib_qp_attr *attr)
{
	u8 raw[16];

	memset(attr, 0, sizeof(*attr));
	attr->path_mtu = 1 + prandom_u32_state(rnd) % 5;
	attr->qkey = prandom_u32_state(rnd);
	attr->rq_psn = prandom_u32_state(rnd) & 0xffffff;
	attr->sq_psn = prandom_u32_state(rnd) & 0xffffff;
	attr->dest_qp_num = prandom_u32_state(rnd) & 0xffffff;
	attr->qp_access_flags = prandom_u32_state(rnd) & (IB_ACCESS_REMOTE_WRITE |
				IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
	attr->max_rd_atomic = 1 << prandom_u32_state(rnd) % 8;
	attr->max_dest_rd_atomic = 1 << prandom_u32_state(rnd) % 8;
	attr->min_rnr_timer = prandom_u32_state(rnd) & 0x1f;
	attr->timeout = prandom_u32_state(rnd) & 0x1f;
	attr->retry_cnt = prandom_u32_state(rnd) & 7;
	attr->rnr_retry = prandom_u32_state(rnd) & 7;
	attr->port_num = 1;
	attr->ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(&attr->ah_attr, 1);
	rdma_ah_set_sl(&attr->ah_attr, prandom_u32_state(rnd) & 7);
	rdma_ah_set_grh(&attr->ah_attr, NULL, prandom_u32_state(rnd) & 0xfffff,
			prandom_u32_state(rnd) & 0xff, prandom_u32_state(rnd) & 0xff,
			prandom_u32_state(rnd) & 0xff);
	prandom_bytes_state(rnd, raw, sizeof(raw));
	rdma_ah_set_dgid_raw(&attr->ah_attr, raw);
	prandom_bytes_state(rnd, attr->ah_attr.roce.dmac, ETH_ALEN);
}

static void expect_same(struct kunit *test, const struct ib_qp_attr *a, const struct ib_qp_attr *b)
{
	KUNIT_EXPECT_EQ(test, a->path_mtu, b->path_mtu);
	KUNIT_EXPECT_EQ(test, a->qkey, b->qkey);
	KUNIT_EXPECT_EQ(test, a->rq_psn, b->rq_psn);
	KUNIT_EXPECT_EQ(test, a->sq_psn, b->sq_psn);
	KUNIT_EXPECT_EQ(test, a->dest_qp_num, b->dest_qp_num);
	KUNIT_EXPECT_EQ(test, a->qp_access_flags, b->qp_access_flags);
	KUNIT_EXPECT_EQ(test, a->max_rd_atomic, b->max_rd_atomic);
	KUNIT_EXPECT_EQ(test, a->max_dest_rd_atomic, b->max_dest_rd_atomic);
	KUNIT_EXPECT_EQ(test, a->min_rnr_timer, b->min_rnr_timer);
	KUNIT_EXPECT_EQ(test, a->timeout, b->timeout);
	KUNIT_EXPECT_EQ(test, a->retry_cnt, b->retry_cnt);
	KUNIT_EXPECT_EQ(test, a->rnr_retry, b->rnr_retry);
	KUNIT_EXPECT_EQ(test, a->port_num, b->port_num);
	KUNIT_EXPECT_EQ(test, a->pkey_index, b->pkey_index);
	KUNIT_EXPECT_EQ(test, a->ah_attr.sl, b->ah_attr.sl);
	KUNIT_EXPECT_EQ(test, a->ah_attr.grh.flow_label, b->ah_attr.grh.flow_label);
	KUNIT_EXPECT_EQ(test, a->ah_attr.grh.sgid_index, b->ah_attr.grh.sgid_index);
	KUNIT_EXPECT_EQ(test, a->ah_attr.grh.hop_limit, b->ah_attr.grh.hop_limit);
	KUNIT_EXPECT_EQ(test, a->ah_attr.grh.traffic_class, b->ah_attr.grh.traffic_class);
	KUNIT_EXPECT_MEMEQ(test, a->ah_attr.grh.dgid.raw, b->ah_attr.grh.dgid.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, a->ah_attr.roce.dmac, b->ah_attr.roce.dmac, ETH_ALEN);
}

static void qpc_round_trip(struct kunit *test)
{
	u32 qpc[MLX5_ST_SZ_DW(qpc)];
	struct ib_qp_attr *set, *got;
	struct rnd_state rnd;
	u32 sport;
	int i;

	set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
	got = kunit_kzalloc(test, sizeof(*got), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, set);
	KUNIT_ASSERT_NOT_NULL(test, got);
	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 1000; i++) {
		random_attr(&rnd, set);
		memset(qpc, 0, sizeof(qpc));
		verbs_qpc_write(qpc, IB_QPT_RC, 0x1234, set, ~0);
		verbs_qpc_read(qpc, got);
		expect_same(test, set, got);
		/* RoCE v2: 49152 and up (IBA A17.3.2, by convention). */
		sport = MLX5_GET(qpc, qpc, primary_address_path.udp_sport);
		KUNIT_EXPECT_GE(test, sport, 0xc000);
		KUNIT_EXPECT_EQ(test, sport,
				rdma_get_udp_sport(set->ah_attr.grh.flow_label, 0x1234,
						   set->dest_qp_num));
	}
}

/* Only what the mask names is written. */
static void qpc_mask(struct kunit *test)
{
	static const u32 zero[MLX5_ST_SZ_DW(qpc)];
	u32 qpc[MLX5_ST_SZ_DW(qpc)] = {};
	struct ib_qp_attr *attr;
	struct rnd_state rnd;

	attr = kunit_kzalloc(test, sizeof(*attr), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, attr);
	ohca_kunit_random(test, &rnd);
	random_attr(&rnd, attr);
	verbs_qpc_write(qpc, IB_QPT_RC, 1, attr, IB_QP_STATE | IB_QP_CUR_STATE);
	KUNIT_EXPECT_MEMEQ(test, qpc, zero, sizeof(qpc));
	verbs_qpc_write(qpc, IB_QPT_RC, 1, attr, IB_QP_QKEY);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, q_key), attr->qkey);
	MLX5_SET(qpc, qpc, q_key, 0);
	KUNIT_EXPECT_MEMEQ(test, qpc, zero, sizeof(qpc));
}

/* Rights follow from the type of the QP and its resources too. */
static void qpc_rights(struct kunit *test)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_ATOMIC,
	};
	u32 qpc[MLX5_ST_SZ_DW(qpc)] = {};

	/* No responder resources: no READs and ATOMICs. */
	verbs_qpc_write(qpc, IB_QPT_RC, 1, &attr, IB_QP_MAX_DEST_RD_ATOMIC);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, rwe), 1);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, rre), 0);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, rae), 0);
	/* In INIT they are not known yet. */
	attr.qp_state = IB_QPS_INIT;
	verbs_qpc_write(qpc, IB_QPT_RC, 1, &attr, IB_QP_ACCESS_FLAGS);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, rre), 1);
	verbs_qpc_write(qpc, IB_QPT_UC, 1, &attr, IB_QP_ACCESS_FLAGS);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, rwe), 1);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, rre), 0);
	verbs_qpc_write(qpc, IB_QPT_UD, 1, &attr, IB_QP_ACCESS_FLAGS);
	KUNIT_EXPECT_EQ(test, MLX5_GET(qpc, qpc, rwe), 0);
}

static struct kunit_case qpc_cases[] = {
	KUNIT_CASE(qpc_every_transition),
	KUNIT_CASE(qpc_optional),
	KUNIT_CASE(qpc_states),
	KUNIT_CASE(qpc_round_trip),
	KUNIT_CASE(qpc_mask),
	KUNIT_CASE(qpc_rights),
	{}
};

static struct kunit_suite qpc_suite = {
	.name = "pci_qpc",
	.test_cases = qpc_cases,
};

kunit_test_suite(qpc_suite);
