// SPDX-License-Identifier: GPL-2.0
/*
 * Values of QP attributes: a table of good and bad ones.
 */
#include <kunit/test.h>
#include <linux/random.h>
#include <ohca/qp_state.h>

#define V4(a, b, c, d)	{ .raw = { [10] = 0xff, 0xff, a, b, c, d } }
#define V6(last)	{ .raw = { 0x20, 0x01, 0x0d, 0xb8, [15] = last } }
#define MCAST6		{ .raw = { 0xff, 0x0e, [15] = 1 } }

static const struct ib_gid_attr sgid4 = {
	.gid = V4(192, 0, 2, 1), .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP, .port_num = 1,
};

static const struct ib_gid_attr sgid6 = {
	.gid = V6(1), .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP, .port_num = 1,
};

static const struct ib_gid_attr sgid_v1 = {
	.gid = V6(1), .gid_type = IB_GID_TYPE_ROCE, .port_num = 1,
};

static const struct ib_gid_attr sgid_port2 = {
	.gid = V6(1), .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP, .port_num = 2,
};

static const struct ohca_qp_limits limits = {
	.mtu = IB_MTU_1024, .max_rd_atomic = 16, .max_dest_rd_atomic = 32, .pkey_tbl_len = 1,
};

struct attr_case {
	const char *name;
	int mask;
	int want;
	struct ib_qp_attr attr;
	enum ib_qp_type type;	/* 0 (SMI): RC */
};

#define GRH(sgid, ...)							\
	.ah_flags = IB_AH_GRH,						\
	.grh = { .sgid_attr = sgid, .dgid = __VA_ARGS__ }
#define AV(...)								\
	{ .ah_attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 1, __VA_ARGS__ } }

static const struct attr_case cases[] = {
	{ "nothing", 0, 0, {} },
	{ "state ERR", IB_QP_STATE, 0, { .qp_state = IB_QPS_ERR } },
	{ "state out of range", IB_QP_STATE, -EINVAL, { .qp_state = 7 } },
	{ "state negative", IB_QP_STATE, -EINVAL, { .qp_state = -1 } },

	{ "port 1", IB_QP_PORT, 0, { .port_num = 1 } },
	{ "port 2", IB_QP_PORT, 0, { .port_num = 2 } },
	{ "port 0", IB_QP_PORT, -EINVAL, { .port_num = 0 } },
	{ "port past the last", IB_QP_PORT, -EINVAL, { .port_num = 3 } },
	{ "P_Key index 0", IB_QP_PKEY_INDEX, 0, { .pkey_index = 0 } },
	{ "P_Key index past the table", IB_QP_PKEY_INDEX, -EINVAL, { .pkey_index = 1 } },
	{ "P_Key index 65535", IB_QP_PKEY_INDEX, -EINVAL, { .pkey_index = 65535 } },

	{ "access none", IB_QP_ACCESS_FLAGS, 0, { .qp_access_flags = 0 } },
	{ "access all remote", IB_QP_ACCESS_FLAGS, 0, { .qp_access_flags =
		IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
		IB_ACCESS_REMOTE_ATOMIC } },
	{ "access optional", IB_QP_ACCESS_FLAGS, 0,
		{ .qp_access_flags = IB_ACCESS_RELAXED_ORDERING } },
	{ "access unknown", IB_QP_ACCESS_FLAGS, -EINVAL, { .qp_access_flags = BIT(30) } },
	{ "access negative", IB_QP_ACCESS_FLAGS, -EINVAL, { .qp_access_flags = -1 } },

	{ "MTU 256", IB_QP_PATH_MTU, 0, { .path_mtu = IB_MTU_256 } },
	{ "MTU as the port's", IB_QP_PATH_MTU, 0, { .path_mtu = IB_MTU_1024 } },
	{ "MTU larger than the port's", IB_QP_PATH_MTU, -EINVAL, { .path_mtu = IB_MTU_2048 } },
	{ "MTU 0", IB_QP_PATH_MTU, -EINVAL, { .path_mtu = 0 } },
	{ "MTU in bytes", IB_QP_PATH_MTU, -EINVAL, { .path_mtu = 1024 } },
	{ "MTU negative", IB_QP_PATH_MTU, -EINVAL, { .path_mtu = -1 } },

	{ "timeout 0", IB_QP_TIMEOUT, 0, { .timeout = 0 } },
	{ "timeout 31", IB_QP_TIMEOUT, 0, { .timeout = 31 } },
	{ "timeout 32", IB_QP_TIMEOUT, -EINVAL, { .timeout = 32 } },
	{ "retry count 7", IB_QP_RETRY_CNT, 0, { .retry_cnt = 7 } },
	{ "retry count 8", IB_QP_RETRY_CNT, -EINVAL, { .retry_cnt = 8 } },
	{ "RNR retry 7", IB_QP_RNR_RETRY, 0, { .rnr_retry = 7 } },
	{ "RNR retry 8", IB_QP_RNR_RETRY, -EINVAL, { .rnr_retry = 8 } },
	{ "RNR timer 31", IB_QP_MIN_RNR_TIMER, 0, { .min_rnr_timer = 31 } },
	{ "RNR timer 32", IB_QP_MIN_RNR_TIMER, -EINVAL, { .min_rnr_timer = 32 } },

	{ "READs at the limit", IB_QP_MAX_QP_RD_ATOMIC, 0, { .max_rd_atomic = 16 } },
	{ "READs over the limit", IB_QP_MAX_QP_RD_ATOMIC, -EINVAL, { .max_rd_atomic = 17 } },
	{ "resources at the limit", IB_QP_MAX_DEST_RD_ATOMIC, 0, { .max_dest_rd_atomic = 32 } },
	{ "resources over the limit", IB_QP_MAX_DEST_RD_ATOMIC, -EINVAL,
		{ .max_dest_rd_atomic = 33 } },

	{ "PSNs of 32 bits", IB_QP_SQ_PSN | IB_QP_RQ_PSN, 0, { .sq_psn = ~0u, .rq_psn = ~0u } },
	{ "QPN of 32 bits", IB_QP_DEST_QPN, 0, { .dest_qp_num = ~0u } },
	{ "Q_Key", IB_QP_QKEY, 0, { .qkey = ~0u } },
	{ "migrated", IB_QP_PATH_MIG_STATE, 0, { .path_mig_state = IB_MIG_MIGRATED } },
	{ "rearm", IB_QP_PATH_MIG_STATE, -EOPNOTSUPP, { .path_mig_state = IB_MIG_REARM } },
	{ "armed", IB_QP_PATH_MIG_STATE, -EOPNOTSUPP, { .path_mig_state = IB_MIG_ARMED } },
	{ "alternate path", IB_QP_ALT_PATH, -EOPNOTSUPP, { .alt_port_num = 1 } },
	{ "SQD event", IB_QP_EN_SQD_ASYNC_NOTIFY, 0, { .en_sqd_async_notify = 1 } },
	{ "SQD event 2", IB_QP_EN_SQD_ASYNC_NOTIFY, -EINVAL, { .en_sqd_async_notify = 2 } },

	{ "IPv4 path", IB_QP_AV, 0, AV(GRH(&sgid4, V4(192, 0, 2, 2))) },
	{ "IPv6 path", IB_QP_AV, 0, AV(GRH(&sgid6, V6(2))) },
	{ "path to itself", IB_QP_AV, 0, AV(GRH(&sgid6, V6(1))) },
	{ "IPv4 to IPv6", IB_QP_AV, -EINVAL, AV(GRH(&sgid4, V6(2))) },
	{ "IPv6 to IPv4", IB_QP_AV, -EINVAL, AV(GRH(&sgid6, V4(192, 0, 2, 2))) },
	{ "destination zero", IB_QP_AV, -EINVAL, AV(GRH(&sgid6, {})) },
	{ "RC to multicast", IB_QP_AV, -EINVAL, AV(GRH(&sgid6, MCAST6)) },
	{ "RC to IPv4 multicast", IB_QP_AV, -EINVAL, AV(GRH(&sgid4, V4(224, 0, 0, 9))) },
	{ "UD to multicast", IB_QP_AV, 0, AV(GRH(&sgid6, MCAST6)), IB_QPT_UD },
	{ "RoCE v1", IB_QP_AV, -EINVAL, AV(GRH(&sgid_v1, V6(2))) },
	{ "source GID of another port", IB_QP_AV, -EINVAL, AV(GRH(&sgid_port2, V6(2))) },
	{ "source GID missing", IB_QP_AV, -EINVAL, AV(GRH(NULL, V6(2))) },
	{ "no GRH", IB_QP_AV, -EINVAL,
		AV(.ah_flags = 0, .grh = { .sgid_attr = &sgid6, .dgid = V6(2) }) },
	{ "not an Ethernet path", IB_QP_AV, -EINVAL,
		{ .ah_attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1,
			       GRH(&sgid6, V6(2)) } } },
	{ "path of another port", IB_QP_AV, -EINVAL,
		{ .ah_attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 2,
			       GRH(&sgid_port2, V6(2)) } } },
	{ "path and QP to another port", IB_QP_AV | IB_QP_PORT, 0,
		{ .port_num = 2, .ah_attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 2,
					      GRH(&sgid_port2, V6(2)) } } },
	{ "path of no port", IB_QP_AV, -EINVAL,
		{ .ah_attr = { .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 0,
			       GRH(&sgid6, V6(2)) } } },
	{ "flow label of 20 bits", IB_QP_AV, 0,
		AV(.ah_flags = IB_AH_GRH,
		   .grh = { .sgid_attr = &sgid6, .dgid = V6(2), .flow_label = 0xfffff }) },
	{ "flow label of 32 bits", IB_QP_AV, 0,
		AV(.ah_flags = IB_AH_GRH,
		   .grh = { .sgid_attr = &sgid6, .dgid = V6(2), .flow_label = 0xffffffff }) },
};

KUNIT_ARRAY_PARAM_DESC(attr, cases, name);

static struct ib_device *fake_device(struct kunit *test)
{
	struct ib_device *ibdev = kunit_kzalloc(test, sizeof(*ibdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ibdev);
	ibdev->phys_port_cnt = 2;
	return ibdev;
}

static void qp_attr_values(struct kunit *test)
{
	const struct attr_case *c = test->param_value;
	enum ib_qp_type type = c->type ?: IB_QPT_RC;
	struct ib_device *ibdev = fake_device(test);

	KUNIT_EXPECT_EQ(test, ohca_qp_attr_check(ibdev, 1, type, &c->attr, c->mask, &limits),
			c->want);
	/* What is not given is not looked at. */
	KUNIT_EXPECT_EQ(test, ohca_qp_attr_check(ibdev, 1, type, &c->attr, 0, &limits), 0);
}

/* The whole door: transition, the consumer's idea of the state, values. */
static void qp_attr_modify(struct kunit *test)
{
	struct ib_device *ibdev = fake_device(test);
	struct ib_qp_attr *attr = kunit_kzalloc(test, sizeof(*attr), GFP_KERNEL);
	int init = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS;

	KUNIT_ASSERT_NOT_NULL(test, attr);
	attr->qp_state = IB_QPS_INIT;
	attr->port_num = 1;
#define CHECK(cur, mask) \
	ohca_qp_modify_check(ibdev, 0, IB_QPT_RC, cur, attr, mask, &limits)
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RESET, init), 0);
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RESET, init & ~IB_QP_PORT), -EINVAL);
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RESET, init | IB_QP_QKEY), -EINVAL);
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RTR, init), -EINVAL);
	attr->port_num = 3;
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RESET, init), -EINVAL);

	attr->qp_state = IB_QPS_RTS;
	attr->cur_qp_state = IB_QPS_SQD;
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_SQD, IB_QP_STATE | IB_QP_CUR_STATE), 0);
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RTS, IB_QP_STATE | IB_QP_CUR_STATE), -EINVAL);
	attr->cur_qp_state = IB_QPS_RTS;
	/* No IB_QP_STATE: the QP stays where it is. */
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RTS, IB_QP_CUR_STATE | IB_QP_MIN_RNR_TIMER), 0);
	KUNIT_EXPECT_EQ(test, CHECK(IB_QPS_RTR, IB_QP_MIN_RNR_TIMER), -EINVAL);
#undef CHECK
}

static void qp_attr_merge(struct kunit *test)
{
	struct ib_qp_attr *to = kunit_kzalloc(test, 3 * sizeof(*to), GFP_KERNEL);
	struct ib_qp_attr *from = to + 1, *old = to + 2;

	KUNIT_ASSERT_NOT_NULL(test, to);
	to->cap.max_send_wr = 5;
	to->qkey = 9;
	ohca_qp_attr_reset(to);
	KUNIT_EXPECT_EQ(test, to->cap.max_send_wr, 5);
	KUNIT_EXPECT_EQ(test, to->qkey, 0);
	KUNIT_EXPECT_EQ(test, to->qp_state, IB_QPS_RESET);
	KUNIT_EXPECT_EQ(test, to->path_mig_state, IB_MIG_MIGRATED);

	*old = *to;
	get_random_bytes(from, sizeof(*from));
	ohca_qp_attr_merge(to, from, 0);
	KUNIT_EXPECT_MEMEQ(test, to, old, sizeof(*to));

	from->qp_state = IB_QPS_RTS;
	from->sq_psn = 0x12345678;
	from->rq_psn = 0xffffffff;
	from->dest_qp_num = 0xab000011;
	from->ah_attr.grh.sgid_attr = &sgid4;
	from->timeout = 14;
	from->port_num = 1;
	from->qp_access_flags = IB_ACCESS_REMOTE_READ;
	from->path_mtu = IB_MTU_4096;
	from->max_rd_atomic = 3;
	from->max_dest_rd_atomic = 4;
	from->min_rnr_timer = 12;
	from->retry_cnt = 5;
	from->rnr_retry = 6;
	from->pkey_index = 2;
	ohca_qp_attr_merge(to, from, BIT(26) - 1);
	KUNIT_EXPECT_EQ(test, to->qp_state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, to->cur_qp_state, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, to->sq_psn, 0x345678);
	KUNIT_EXPECT_EQ(test, to->rq_psn, 0xffffff);
	KUNIT_EXPECT_EQ(test, to->dest_qp_num, 0x000011);
	KUNIT_EXPECT_NULL(test, to->ah_attr.grh.sgid_attr);
	KUNIT_EXPECT_MEMEQ(test, to->ah_attr.grh.dgid.raw, from->ah_attr.grh.dgid.raw, 16);
	KUNIT_EXPECT_EQ(test, to->timeout, 14);
	KUNIT_EXPECT_EQ(test, to->port_num, 1);
	KUNIT_EXPECT_EQ(test, to->qp_access_flags, IB_ACCESS_REMOTE_READ);
	KUNIT_EXPECT_EQ(test, to->path_mtu, IB_MTU_4096);
	KUNIT_EXPECT_EQ(test, to->max_rd_atomic, 3);
	KUNIT_EXPECT_EQ(test, to->max_dest_rd_atomic, 4);
	KUNIT_EXPECT_EQ(test, to->min_rnr_timer, 12);
	KUNIT_EXPECT_EQ(test, to->retry_cnt, 5);
	KUNIT_EXPECT_EQ(test, to->rnr_retry, 6);
	KUNIT_EXPECT_EQ(test, to->pkey_index, 2);
	KUNIT_EXPECT_EQ(test, to->qkey, from->qkey);
	KUNIT_EXPECT_EQ(test, to->cap.max_send_wr, 5);
}

static struct kunit_case qp_attr_cases[] = {
	KUNIT_CASE_PARAM(qp_attr_values, attr_gen_params),
	KUNIT_CASE(qp_attr_modify),
	KUNIT_CASE(qp_attr_merge),
	{}
};

static struct kunit_suite qp_attr_suite = {
	.name = "ohca_qp_attr",
	.test_cases = qp_attr_cases,
};

kunit_test_suite(qp_attr_suite);
