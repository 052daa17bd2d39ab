// SPDX-License-Identifier: GPL-2.0
/*
 * Ports: a netdev's MTU and state, and what they mean.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <ohca/port.h>

/* The largest headers: IPv6 40, UDP 8, BTH 12, XRCETH 4, AtomicETH 28, ICRC 4. */
#define ROOM	96

struct mtu_case {
	unsigned int netdev;
	enum ib_mtu want;
};

static const struct mtu_case mtus[] = {
	{ 0, IB_MTU_256 },
	{ 68, IB_MTU_256 },
	{ 256 + ROOM, IB_MTU_256 },
	{ 512 + ROOM - 1, IB_MTU_256 },
	{ 512 + ROOM, IB_MTU_512 },
	{ 1024 + ROOM - 1, IB_MTU_512 },
	{ 1024 + ROOM, IB_MTU_1024 },
	{ 1280, IB_MTU_1024 },
	{ 1500, IB_MTU_1024 },
	{ 2048 + ROOM - 1, IB_MTU_1024 },
	{ 2048 + ROOM, IB_MTU_2048 },
	{ 4096, IB_MTU_2048 },
	{ 4096 + ROOM - 1, IB_MTU_2048 },
	{ 4096 + ROOM, IB_MTU_4096 },
	{ 4200, IB_MTU_4096 },
	{ 9000, IB_MTU_4096 },
	{ 65536, IB_MTU_4096 },
	{ INT_MAX, IB_MTU_4096 },
	{ UINT_MAX, IB_MTU_4096 },
};

static void mtu_desc(const struct mtu_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "netdev MTU %u", c->netdev);
}

KUNIT_ARRAY_PARAM(mtu, mtus, mtu_desc);

static void port_mtu(struct kunit *test)
{
	const struct mtu_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ohca_port_mtu(c->netdev), c->want);
}

static void port_state(struct kunit *test)
{
	struct net_device *ndev = alloc_etherdev(0);

	KUNIT_ASSERT_NOT_NULL(test, ndev);

	KUNIT_EXPECT_EQ(test, ohca_port_state(NULL), IB_PORT_DOWN);
	KUNIT_EXPECT_EQ(test, ohca_port_phys_state(NULL), IB_PORT_PHYS_STATE_DISABLED);

	/* Down, with or without a carrier. */
	clear_bit(__LINK_STATE_START, &ndev->state);
	KUNIT_EXPECT_EQ(test, ohca_port_state(ndev), IB_PORT_DOWN);
	KUNIT_EXPECT_EQ(test, ohca_port_phys_state(ndev), IB_PORT_PHYS_STATE_DISABLED);
	set_bit(__LINK_STATE_NOCARRIER, &ndev->state);
	KUNIT_EXPECT_EQ(test, ohca_port_state(ndev), IB_PORT_DOWN);
	KUNIT_EXPECT_EQ(test, ohca_port_phys_state(ndev), IB_PORT_PHYS_STATE_DISABLED);

	set_bit(__LINK_STATE_START, &ndev->state);
	KUNIT_EXPECT_EQ(test, ohca_port_state(ndev), IB_PORT_DOWN);
	KUNIT_EXPECT_EQ(test, ohca_port_phys_state(ndev), IB_PORT_PHYS_STATE_POLLING);
	clear_bit(__LINK_STATE_NOCARRIER, &ndev->state);
	KUNIT_EXPECT_EQ(test, ohca_port_state(ndev), IB_PORT_ACTIVE);
	KUNIT_EXPECT_EQ(test, ohca_port_phys_state(ndev), IB_PORT_PHYS_STATE_LINK_UP);

	clear_bit(__LINK_STATE_START, &ndev->state);
	free_netdev(ndev);
}

static struct kunit_case port_cases[] = {
	KUNIT_CASE_PARAM(port_mtu, mtu_gen_params),
	KUNIT_CASE(port_state),
	{}
};

static struct kunit_suite port_suite = {
	.name = "ohca_port",
	.test_cases = port_cases,
};

kunit_test_suite(port_suite);
