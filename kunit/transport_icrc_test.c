// SPDX-License-Identifier: GPL-2.0
/*
 * The ICRC: a packet of a real adapter, and random ones against a CRC that is
 * computed a bit at a time over bytes that are masked one by one.
 */
#include "../drivers/transport/icrc.c"
#include "../drivers/soft/crc.c"

#include <kunit/test.h>
#include <linux/unaligned.h>

#include "random.h"

#define MAX_PAYLOAD	300
#define MAX_PACKET	(40 + 8 + TP_BTH_BYTES + MAX_PAYLOAD)

/* A congestion notification that a ConnectX-4 Lx sent: IP header to ICRC. */
static const u8 captured[] = {
	0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
	0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,
	0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,
	0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x82, 0xfd, 0x00, 0x2a,
};

static u32 naive_crc(u32 crc, u8 byte)
{
	int bit;

	crc ^= byte;
	for (bit = 0; bit < 8; bit++)
		crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	return crc;
}

/* Whether a router may change bits @mask of byte @at of an IPv4 or IPv6 packet (A17.3.3). */
static u8 variant(bool ipv6, u32 at)
{
	u32 ip = ipv6 ? 40 : 20;

	if (!ipv6 && (at == 1 || at == 8 || at == 10 || at == 11))
		return 0xff;	/* TOS, TTL, checksum */
	if (ipv6 && at < 4)
		return at ? 0xff : 0x0f;	/* traffic class and flow label, not the version */
	if (ipv6 && at == 7)
		return 0xff;	/* hop limit */
	if (at == ip + 6 || at == ip + 7)
		return 0xff;	/* UDP checksum */
	if (at == ip + 8 + 4)
		return 0xff;	/* BTH resv8a */
	return 0;
}

static u32 naive_icrc(bool ipv6, const u8 *packet, u32 len)
{
	u32 crc = ~0u, i;

	for (i = 0; i < 8; i++)
		crc = naive_crc(crc, 0xff);
	for (i = 0; i < len; i++)
		crc = naive_crc(crc, packet[i] | variant(ipv6, i));
	return ~crc;
}

static u32 ours(bool ipv6, const u8 *packet, u32 len, u32 cut)
{
	u32 ip = ipv6 ? 40 : 20, done = ip + 8 + TP_BTH_BYTES, crc;
	const struct udphdr *udp = (const struct udphdr *)(packet + ip);

	if (ipv6)
		crc = tp_icrc_ipv6((const struct ipv6hdr *)packet, udp, packet + ip + 8);
	else
		crc = tp_icrc_ipv4((const struct iphdr *)packet, udp, packet + ip + 8);
	/* In two parts, as a payload in two segments comes. */
	crc = tp_icrc_update(crc, packet + done, cut);
	crc = tp_icrc_update(crc, packet + done + cut, len - done - cut);
	return le32_to_cpu(tp_icrc_end(crc));
}

static void icrc_captured(struct kunit *test)
{
	u32 len = sizeof(captured) - TP_ICRC_BYTES;
	u32 icrc = ours(false, captured, len, 5);

	KUNIT_EXPECT_EQ(test, icrc, get_unaligned_le32(captured + len));
	KUNIT_EXPECT_EQ(test, icrc, naive_icrc(false, captured, len));
}

static void icrc_random(struct kunit *test)
{
	u8 *packet = kunit_kzalloc(test, MAX_PACKET, GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, packet);
	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 200; i++) {
		bool ipv6 = i & 1;
		u32 head = (ipv6 ? 40 : 20) + 8 + TP_BTH_BYTES;
		u32 payload = prandom_u32_state(&rnd) % (MAX_PAYLOAD + 1);
		u32 cut = prandom_u32_state(&rnd) % (payload + 1), at;
		u32 icrc;

		prandom_bytes_state(&rnd, packet, head + payload);
		packet[0] = (packet[0] & 0x0f) | (ipv6 ? 0x60 : 0x40);
		icrc = ours(ipv6, packet, head + payload, cut);
		KUNIT_ASSERT_EQ(test, icrc, naive_icrc(ipv6, packet, head + payload));

		/* What a router may change does not matter; any other bit does. */
		at = prandom_u32_state(&rnd) % (head + payload);
		packet[at] ^= 1;
		if (variant(ipv6, at) & 1)
			KUNIT_EXPECT_EQ(test, icrc, ours(ipv6, packet, head + payload, cut));
		else
			KUNIT_EXPECT_NE(test, icrc, ours(ipv6, packet, head + payload, cut));
	}
}

/* As the software device computes it, by what this CPU has for it. */
static int icrc_init(struct kunit_suite *suite)
{
	soft_crc_setup();
	return 0;
}

static void icrc_exit(struct kunit_suite *suite)
{
	soft_crc_cleanup();
}

static struct kunit_case icrc_cases[] = {
	KUNIT_CASE(icrc_captured),
	KUNIT_CASE(icrc_random),
	{}
};

static struct kunit_suite icrc_suite = {
	.name = "ohca_transport_icrc",
	.suite_init = icrc_init,
	.suite_exit = icrc_exit,
	.test_cases = icrc_cases,
};

kunit_test_suite(icrc_suite);
