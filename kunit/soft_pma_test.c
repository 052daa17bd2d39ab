// SPDX-License-Identifier: GPL-2.0
/*
 * The performance management agent: what it says to good and bad requests.
 */
#include "../drivers/soft/pma.c"

#include <kunit/test.h>

void soft_stats_port(const struct soft_stats *stats, u64 *values)
{
	memset(values, 0, SOFT_NUM_PORT_COUNTERS * sizeof(*values));
}

struct fixture {
	struct soft_pma pma;
	u64 now[SOFT_NUM_PORT_COUNTERS];
	struct ib_pma_mad in;
	struct ib_pma_mad out;
};

static int pma_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 i;

	if (!f)
		return -ENOMEM;
	soft_pma_init(&f->pma);
	for (i = 0; i < SOFT_NUM_PORT_COUNTERS; i++)
		f->now[i] = 10 + i;
	f->in.mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	f->in.mad_hdr.mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	f->in.mad_hdr.class_version = 1;
	f->in.mad_hdr.tid = cpu_to_be64(0x123456789);
	test->priv = f;
	return 0;
}

/* The answer's status, or an errno if there is none. */
static int ask(struct fixture *f, u8 method, __be16 attr)
{
	f->in.mad_hdr.method = method;
	f->in.mad_hdr.attr_id = attr;
	memset(&f->out, 0x5a, sizeof(f->out));
	if (!soft_pma_answer(&f->pma, f->now, (struct ib_mad *)&f->in, (struct ib_mad *)&f->out))
		return -ENODATA;
	return be16_to_cpu(f->out.mad_hdr.status);
}

static void pma_info(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_class_port_info *info = (void *)f->out.data;

	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_CLASS_PORT_INFO), 0);
	KUNIT_EXPECT_EQ(test, f->out.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(f->out.mad_hdr.tid), 0x123456789);
	KUNIT_EXPECT_EQ(test, info->base_version, 1);
	KUNIT_EXPECT_EQ(test, info->class_version, 1);
	/* IBA 16.1.3.1: bit 10 says that the extended counters are the four basic ones. */
	KUNIT_EXPECT_EQ(test, be16_to_cpu(info->capability_mask), 1 << 10);
	KUNIT_EXPECT_EQ(test, ib_get_cpi_resp_time(info), PMA_RESP_TIME);
	KUNIT_EXPECT_NE(test, ask(f, IB_MGMT_METHOD_SET, IB_PMA_CLASS_PORT_INFO), 0);
}

/* Where the IBA has them: offsets in bytes from the attribute on. */
static void pma_layout(struct kunit *test)
{
	struct fixture *f = test->priv;
	const u8 *data = f->out.data;

	f->in.data[1] = 1;
	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS), 0);
	KUNIT_EXPECT_EQ(test, data[1], 1);
	KUNIT_EXPECT_EQ(test, data[7], f->now[SOFT_PORT_LINK_DOWNED]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(data + 8), f->now[SOFT_PORT_RCV_ERRORS]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(data + 14), f->now[SOFT_PORT_XMIT_DISCARDS]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(data + 24), f->now[SOFT_PORT_XMIT_DATA]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(data + 28), f->now[SOFT_PORT_RCV_DATA]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(data + 32), f->now[SOFT_PORT_XMIT_PACKETS]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(data + 36), f->now[SOFT_PORT_RCV_PACKETS]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(data + 4), 0);
	KUNIT_EXPECT_EQ(test, data[191], 0);

	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS_EXT), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(data + 8), f->now[SOFT_PORT_XMIT_DATA]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(data + 16), f->now[SOFT_PORT_RCV_DATA]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(data + 24), f->now[SOFT_PORT_XMIT_PACKETS]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(data + 32), f->now[SOFT_PORT_RCV_PACKETS]);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(data + 40), 0);
}

/* Narrow counters stay at their largest value; wide ones don't know it. */
static void pma_saturates(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	f->in.data[1] = 1;
	for (i = 0; i < SOFT_NUM_PORT_COUNTERS; i++)
		f->now[i] = BIT_ULL(40) + i;
	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS), 0);
	KUNIT_EXPECT_EQ(test, f->out.data[7], U8_MAX);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(f->out.data + 8), U16_MAX);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(f->out.data + 24), U32_MAX);
	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS_EXT), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(f->out.data + 8), BIT_ULL(40));
}

/* What is selected is set, to what is given; and goes on from there. */
static void pma_set(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->in.data[1] = 1;
	put_unaligned_be16(0x1000 | 0x4, f->in.data + 2);
	put_unaligned_be32(1000, f->in.data + 24);
	put_unaligned_be32(2000, f->in.data + 28);
	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_SET, IB_PMA_PORT_COUNTERS), 0);
	KUNIT_EXPECT_EQ(test, f->out.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(f->out.data + 24), 1000);
	KUNIT_EXPECT_EQ(test, f->out.data[7], 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(f->out.data + 28), f->now[SOFT_PORT_RCV_DATA]);
	f->now[SOFT_PORT_XMIT_DATA] += 7;
	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(f->out.data + 24), 1007);
	/* The other attribute is set apart. */
	KUNIT_ASSERT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS_EXT), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(f->out.data + 8), f->now[SOFT_PORT_XMIT_DATA]);
}

static void pma_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < 256; i++) {
		f->in.data[1] = i;
		KUNIT_EXPECT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS),
				i == 1 ? 0 : IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
		/* Answers, and what wants none, are left to others. */
		KUNIT_EXPECT_EQ(test, ask(f, i, IB_PMA_CLASS_PORT_INFO) == -ENODATA,
				i != IB_MGMT_METHOD_GET && i != IB_MGMT_METHOD_SET);
	}
	f->in.data[1] = 1;
	KUNIT_EXPECT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_SAMPLES_CONTROL),
			IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	f->in.mad_hdr.class_version = 2;
	KUNIT_EXPECT_EQ(test, ask(f, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS),
			IB_MGMT_MAD_STATUS_BAD_VERSION);
}

static struct kunit_case pma_cases[] = {
	KUNIT_CASE(pma_info),
	KUNIT_CASE(pma_layout),
	KUNIT_CASE(pma_saturates),
	KUNIT_CASE(pma_set),
	KUNIT_CASE(pma_refused),
	{}
};

static struct kunit_suite pma_suite = {
	.name = "soft_pma",
	.init = pma_init,
	.test_cases = pma_cases,
};

kunit_test_suite(pma_suite);
