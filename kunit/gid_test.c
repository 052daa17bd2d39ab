// SPDX-License-Identifier: GPL-2.0
/*
 * GIDs and address vectors: what reaches a packet's headers.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <net/ipv6.h>
#include <ohca/gid.h>

#define V4(a, b, c, d)	{ .raw = { [10] = 0xff, 0xff, a, b, c, d } }
#define V6(last)	{ .raw = { 0x20, 0x01, 0x0d, 0xb8, [15] = last } }
#define IFINDEX		4711

static const u8 smac[ETH_ALEN] = { 0x02, 1, 2, 3, 4, 5 };
static const u8 dmac[ETH_ALEN] = { 0x02, 6, 7, 8, 9, 10 };

/* A netdev that nobody knows, with an address. */
static int gid_init(struct kunit *test)
{
	struct net_device *ndev = alloc_etherdev(0);

	if (!ndev)
		return -ENOMEM;
	eth_hw_addr_set(ndev, smac);
	ndev->ifindex = IFINDEX;
	test->priv = ndev;
	return 0;
}

static void gid_exit(struct kunit *test)
{
	free_netdev(test->priv);
}

static void gid_entry(struct kunit *test)
{
	struct ib_gid_attr attr = {
		.gid = V6(7), .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP, .port_num = 1,
	};
	union ib_gid v4 = V4(192, 0, 2, 9);
	struct ohca_gid gid = {};

	KUNIT_EXPECT_EQ(test, ohca_gid_read(&attr, &gid), -ENODEV);
	rcu_assign_pointer(attr.ndev, test->priv);
	KUNIT_ASSERT_EQ(test, ohca_gid_read(&attr, &gid), 0);
	KUNIT_EXPECT_FALSE(test, gid.ipv4);
	KUNIT_EXPECT_EQ(test, gid.ifindex, IFINDEX);
	KUNIT_EXPECT_EQ(test, gid.vlan, OHCA_NO_VLAN);
	KUNIT_EXPECT_MEMEQ(test, gid.mac, smac, ETH_ALEN);
	KUNIT_EXPECT_MEMEQ(test, &gid.addr, attr.gid.raw, sizeof(gid.addr));

	attr.gid = v4;
	KUNIT_ASSERT_EQ(test, ohca_gid_read(&attr, &gid), 0);
	KUNIT_EXPECT_TRUE(test, gid.ipv4);
	KUNIT_EXPECT_EQ(test, ntohl(gid.addr.s6_addr32[3]), 0xc0000209);

	attr.gid_type = IB_GID_TYPE_ROCE;
	KUNIT_EXPECT_EQ(test, ohca_gid_read(&attr, &gid), -EINVAL);
}

static void gid_av(struct kunit *test)
{
	struct ib_gid_attr attr = {
		.gid = V4(192, 0, 2, 1), .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP, .port_num = 1,
	};
	struct rdma_ah_attr ah = {
		.type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 1, .ah_flags = IB_AH_GRH, .sl = 5,
		.grh = {
			.sgid_attr = &attr, .dgid = V4(192, 0, 2, 2), .hop_limit = 3,
			.traffic_class = 0xb9, .flow_label = 0xfffabcde,
		},
	};
	struct ohca_av av;

	KUNIT_EXPECT_EQ(test, ohca_av_read(&ah, &av), -ENODEV);
	rcu_assign_pointer(attr.ndev, test->priv);
	ether_addr_copy(ah.roce.dmac, dmac);
	KUNIT_ASSERT_EQ(test, ohca_av_read(&ah, &av), 0);
	KUNIT_EXPECT_TRUE(test, av.src.ipv4);
	KUNIT_EXPECT_MEMEQ(test, &av.src.addr, attr.gid.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, &av.daddr, ah.grh.dgid.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, av.dmac, dmac, ETH_ALEN);
	KUNIT_EXPECT_EQ(test, av.tclass, 0xb9);
	KUNIT_EXPECT_EQ(test, av.hop_limit, 3);
	KUNIT_EXPECT_EQ(test, av.sl, 5);
	KUNIT_EXPECT_EQ(test, av.flow_label, 0xabcde);

	ah.grh.hop_limit = 0;
	KUNIT_ASSERT_EQ(test, ohca_av_read(&ah, &av), 0);
	KUNIT_EXPECT_EQ(test, av.hop_limit, 64);
}

static void gid_sport(struct kunit *test)
{
	struct ohca_av av = { .flow_label = 0 };
	u32 i;

	/* From the label: the low 14 bits, folded with the upper 6. */
	av.flow_label = 0x00001;
	KUNIT_EXPECT_EQ(test, ohca_av_sport(&av, 2, 3), 0xc001);
	av.flow_label = 0xfffff;
	KUNIT_EXPECT_EQ(test, ohca_av_sport(&av, 2, 3), 0xc000 | (0x3fff ^ 0x3f));
	/* From the QPNs: the same in both directions, always in the range. */
	av.flow_label = 0;
	for (i = 0; i < 1000; i++) {
		u32 l = i * 7919 & 0xffffff, r = i * 104729 & 0xffffff;
		u16 port = ohca_av_sport(&av, l, r);

		KUNIT_EXPECT_EQ(test, port, ohca_av_sport(&av, r, l));
		KUNIT_EXPECT_GE(test, port, 0xc000);
	}
}

static struct kunit_case gid_cases[] = {
	KUNIT_CASE(gid_entry),
	KUNIT_CASE(gid_av),
	KUNIT_CASE(gid_sport),
	{}
};

static struct kunit_suite gid_suite = {
	.name = "ohca_gid",
	.init = gid_init,
	.exit = gid_exit,
	.test_cases = gid_cases,
};

kunit_test_suite(gid_suite);
