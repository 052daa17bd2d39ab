// SPDX-License-Identifier: GPL-2.0
/*
 * The command interface's encoders: slots and mailboxes with signatures and tokens, as
 * a device checks them; the table of commands and the words for answers.
 */
#include "../drivers/pci/hw/mbox.c"
#include "../drivers/pci/hw/cmd_table.c"

#include <kunit/test.h>

#include "random.h"

static void cmd_xor8(struct kunit *test)
{
	static const u8 bytes[] = { 0x01, 0x80, 0xff, 0x0f };

	KUNIT_EXPECT_EQ(test, ohca_xor8(bytes, 0), 0);
	KUNIT_EXPECT_EQ(test, ohca_xor8(bytes, 1), 0x01);
	KUNIT_EXPECT_EQ(test, ohca_xor8(bytes, 4), 0x01 ^ 0x80 ^ 0xff ^ 0x0f);
}

static void cmd_mbox_count(struct kunit *test)
{
	static const struct { u32 len, count; } cases[] = {
		{ 8, 0 }, { 16, 0 }, { 17, 1 }, { 16 + 512, 1 }, { 16 + 513, 2 },
		{ 16 + 4096, 8 }, { 16 + 4097, 9 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, ohca_mbox_count(cases[i].len), cases[i].count,
				    "%u bytes", cases[i].len);
}

/* A device's checks: all bytes of the slot give 0xff, and the fields say what was asked. */
static void cmd_slot(struct kunit *test)
{
	struct mlx5_cmd_layout slot;
	struct rnd_state rnd;
	u8 in[64];
	int i;

	ohca_kunit_random(test, &rnd);
	for (i = 0; i < 200; i++) {
		u32 inlen = 8 + prandom_u32_state(&rnd) % (sizeof(in) - 8);
		u8 token = prandom_u32_state(&rnd);

		prandom_bytes_state(&rnd, in, sizeof(in));
		memset(&slot, 0x5a, sizeof(slot));
		ohca_slot_encode(&slot, in, inlen, 0x123456400, 4112, 0x9abcdec00, token);
		KUNIT_ASSERT_EQ(test, ohca_xor8(&slot, sizeof(slot)), 0xff);
		KUNIT_EXPECT_EQ(test, slot.type, 7);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(slot.inlen), inlen);
		KUNIT_EXPECT_EQ(test, be64_to_cpu(slot.in_ptr), 0x123456400);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(slot.outlen), 4112);
		KUNIT_EXPECT_EQ(test, be64_to_cpu(slot.out_ptr), 0x9abcdec00);
		KUNIT_EXPECT_EQ(test, slot.token, token);
		KUNIT_EXPECT_EQ(test, slot.status_own, 1);
		KUNIT_EXPECT_MEMEQ(test, slot.in, in, min_t(u32, inlen, 16));
		if (inlen < 16)
			KUNIT_EXPECT_EQ(test, ((u8 *)slot.in)[15], 0);
	}
}

#define CHAIN	5

/* A chain in memory of the test's own, with addresses that it chose. */
static void make_chain(struct kunit *test, struct ohca_mbox_chain *chain, u32 len)
{
	u32 i;

	chain->count = ohca_mbox_count(len);
	chain->mbox = kunit_kcalloc(test, chain->count ?: 1, sizeof(*chain->mbox), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chain->mbox);
	for (i = 0; i < chain->count; i++) {
		chain->mbox[i].block = kunit_kmalloc(test, sizeof(*chain->mbox[i].block),
						     GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, chain->mbox[i].block);
		memset(chain->mbox[i].block, 0xa5, sizeof(*chain->mbox[i].block));
		chain->mbox[i].dma = 0x100000400 + i * 0x1000;
	}
}

static void check_block(struct kunit *test, const struct ohca_mbox_chain *chain, u32 i, u8 token)
{
	const struct mlx5_cmd_prot_block *block = chain->mbox[i].block;
	const size_t head = offsetof(struct mlx5_cmd_prot_block, rsvd0);

	KUNIT_EXPECT_EQ(test, ohca_xor8(block, sizeof(*block)), 0xff);
	KUNIT_EXPECT_EQ(test, ohca_xor8((u8 *)block + head, sizeof(*block) - head - 1), 0xff);
	KUNIT_EXPECT_EQ(test, block->token, token);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(block->block_num), i);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(block->next),
			i + 1 < chain->count ? chain->mbox[i + 1].dma : 0);
}

static void cmd_chain(struct kunit *test)
{
	static const u32 lens[] = { 16, 17, 16 + 511, 16 + 512, 16 + 513, 16 + CHAIN * 512 };
	u8 *data = kunit_kmalloc(test, 16 + CHAIN * 512, GFP_KERNEL);
	u8 *back = kunit_kmalloc(test, 16 + CHAIN * 512, GFP_KERNEL);
	struct ohca_mbox_chain chain;
	struct rnd_state rnd;
	size_t n;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	KUNIT_ASSERT_NOT_NULL(test, back);
	ohca_kunit_random(test, &rnd);
	prandom_bytes_state(&rnd, data, 16 + CHAIN * 512);
	for (n = 0; n < ARRAY_SIZE(lens); n++) {
		make_chain(test, &chain, lens[n]);
		ohca_mbox_chain_seal(&chain, data, lens[n], n + 1);
		for (i = 0; i < chain.count; i++)
			check_block(test, &chain, i, n + 1);
		KUNIT_EXPECT_EQ(test, ohca_mbox_chain_dma(&chain),
				chain.count ? chain.mbox[0].dma : 0);
		/* What went in comes out, and the slot's part is left alone. */
		memset(back, 0, lens[n]);
		ohca_mbox_chain_read(&chain, back, lens[n]);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(back, 0, 16));
		KUNIT_EXPECT_TRUE(test, !memcmp(back + 16, data + 16, lens[n] - 16));
	}
}

static void cmd_table(struct kunit *test)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		KUNIT_EXPECT_PTR_EQ(test, ohca_cmd_info(commands[i].op), &commands[i]);
		/* An opcode and its modifier in, status and syndrome out, at least. */
		KUNIT_EXPECT_GE(test, commands[i].in, 8);
		KUNIT_EXPECT_GE(test, commands[i].out, 8);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, commands[i].op, commands[j].op);
	}
	KUNIT_EXPECT_NULL(test, ohca_cmd_info(0));
	KUNIT_EXPECT_NULL(test, ohca_cmd_info(0xffff));
	KUNIT_EXPECT_TRUE(test, ohca_cmd_info(MLX5_CMD_OP_DESTROY_CQ)->gives_back);
	KUNIT_EXPECT_FALSE(test, ohca_cmd_info(MLX5_CMD_OP_CREATE_CQ)->gives_back);
}

static void cmd_status(struct kunit *test)
{
	const char *text;
	u32 status;

	KUNIT_EXPECT_EQ(test, ohca_cmd_status(0, &text), 0);
	KUNIT_EXPECT_EQ(test, ohca_cmd_status(MLX5_CMD_STAT_LIM_ERR, &text), -ENOMEM);
	KUNIT_EXPECT_EQ(test, ohca_cmd_status(MLX5_CMD_STAT_RES_BUSY, NULL), -EBUSY);
	for (status = 1; status <= U8_MAX; status++) {
		text = NULL;
		KUNIT_EXPECT_LT(test, ohca_cmd_status(status, &text), 0);
		KUNIT_EXPECT_NOT_NULL(test, text);
		KUNIT_EXPECT_NOT_NULL(test, ohca_cmd_delivery(status));
	}
}

static struct kunit_case pci_cmd_cases[] = {
	KUNIT_CASE(cmd_xor8),
	KUNIT_CASE(cmd_mbox_count),
	KUNIT_CASE(cmd_slot),
	KUNIT_CASE(cmd_chain),
	KUNIT_CASE(cmd_table),
	KUNIT_CASE(cmd_status),
	{}
};

static struct kunit_suite pci_cmd_suite = {
	.name = "pci_cmd",
	.test_cases = pci_cmd_cases,
};

kunit_test_suite(pci_cmd_suite);
