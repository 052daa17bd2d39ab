// SPDX-License-Identifier: GPL-2.0
/*
 * The account of pages, and the reading of capabilities, against a device that is a
 * function: it answers the commands.
 */
#include "../drivers/pci/hw/pages.c"
#include "../drivers/pci/hw/caps.c"

#include <kunit/test.h>

#define MOST_PAGES	2000

/* The device: pages that it holds, and how it behaves. */
static struct {
	u32 wants;
	u64 page[MOST_PAGES];
	u32 count;
	u32 most_at_once;
	bool refuses;
	bool lies;
	u32 cant_give;
	u32 groups_asked;
	u32 set;
	u8 general[MLX5_UN_SZ_BYTES(hca_cap_union)];
} device;

static int take(const void *in)
{
	const __be64 *pas = MLX5_ADDR_OF(manage_pages_in, in, pas);
	u32 i, n = MLX5_GET(manage_pages_in, in, input_num_entries);

	if (device.refuses || n > MOST_PAGES - device.count)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		device.page[device.count++] = be64_to_cpu(pas[i]);
	return 0;
}

static int give_back(const void *in, void *out)
{
	u32 i, n = min3(MLX5_GET(manage_pages_in, in, input_num_entries), device.count,
			device.most_at_once ?: MOST_PAGES);
	__be64 *pas = MLX5_ADDR_OF(manage_pages_out, out, pas);

	for (i = 0; i < n; i++)
		pas[i] = cpu_to_be64(device.page[--device.count]);
	if (device.lies && n) {
		/* One that it was never given, instead of one that it was. */
		device.page[device.count++] = be64_to_cpu(pas[0]);
		pas[0] = cpu_to_be64(0xdead0000);
		device.lies = false;
	}
	MLX5_SET(manage_pages_out, out, output_num_entries, n);
	return 0;
}

static int manage_pages(const void *in, void *out)
{
	switch (MLX5_GET(manage_pages_in, in, op_mod)) {
	case PAGES_GIVE:
		return take(in);
	case PAGES_TAKE:
		return give_back(in, out);
	default:
		device.cant_give++;
		return 0;
	}
}

static int query_cap(const void *in, void *out)
{
	u16 group = MLX5_GET(query_hca_cap_in, in, op_mod) >> 1;

	device.groups_asked |= BIT(group);
	if (group == MLX5_CAP_GENERAL)
		memcpy(MLX5_ADDR_OF(query_hca_cap_out, out, capability), device.general,
		       sizeof(device.general));
	return 0;
}

int ohca_cmd_exec(struct ohca_hca *hca, const void *in, u32 inlen, void *out, u32 outlen)
{
	memset(out, 0, outlen);
	switch (MLX5_GET(nop_in, in, opcode)) {
	case MLX5_CMD_OP_QUERY_PAGES:
		MLX5_SET(query_pages_out, out, num_pages, device.wants);
		return 0;
	case MLX5_CMD_OP_MANAGE_PAGES:
		return manage_pages(in, out);
	case MLX5_CMD_OP_QUERY_HCA_CAP:
		return query_cap(in, out);
	case MLX5_CMD_OP_SET_HCA_CAP:
		device.set++;
		memcpy(device.general, MLX5_ADDR_OF(set_hca_cap_in, in, capability),
		       sizeof(device.general));
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* An adapter on a PCI function that is only a struct device which can map memory. */
static struct ohca_hca *make_hca(struct kunit *test)
{
	struct ohca_hca *hca = kunit_kzalloc(test, sizeof(*hca), GFP_KERNEL);
	struct pci_dev *pdev = kunit_kzalloc(test, sizeof(*pdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hca);
	KUNIT_ASSERT_NOT_NULL(test, pdev);
	pdev->dev.init_name = "pages-test";
	pdev->dma_mask = DMA_BIT_MASK(64);
	pdev->dev.dma_mask = &pdev->dma_mask;
	pdev->dev.coherent_dma_mask = DMA_BIT_MASK(64);
	set_dev_node(&pdev->dev, NUMA_NO_NODE);
	hca->pdev = pdev;
	hca->state = OHCA_HCA_UP;
	memset(&device, 0, sizeof(device));
	return hca;
}

static struct ohca_pages *make_pages(struct kunit *test)
{
	struct ohca_hca *hca = make_hca(test);

	KUNIT_ASSERT_EQ(test, ohca_pages_init(hca), 0);
	return hca->pages;
}

static u32 held(struct ohca_pages *pages)
{
	unsigned long key;
	struct page *page;
	u32 n = 0;

	xa_for_each(&pages->given, key, page)
		n++;
	return n;
}

static void pages_supply_and_reclaim(struct kunit *test)
{
	struct ohca_pages *pages = make_pages(test);
	struct ohca_hca *hca = pages->hca;

	device.wants = 3 * BATCH + 1;
	KUNIT_EXPECT_EQ(test, ohca_pages_supply(hca, OHCA_PAGES_BOOT), 0);
	KUNIT_EXPECT_EQ(test, device.count, device.wants);
	KUNIT_EXPECT_EQ(test, pages->count, device.wants);
	KUNIT_EXPECT_EQ(test, held(pages), device.wants);
	/* It gives back as many at once as it likes. */
	device.most_at_once = 100;
	KUNIT_EXPECT_EQ(test, ohca_pages_reclaim(hca), 0);
	KUNIT_EXPECT_EQ(test, device.count, 0);
	KUNIT_EXPECT_EQ(test, pages->count, 0);
	KUNIT_EXPECT_EQ(test, held(pages), 0);
	ohca_pages_fini(hca);
}

static void pages_refused(struct kunit *test)
{
	struct ohca_pages *pages = make_pages(test);

	device.wants = 10;
	device.refuses = true;
	KUNIT_EXPECT_EQ(test, ohca_pages_supply(pages->hca, OHCA_PAGES_INIT), -ENOMEM);
	KUNIT_EXPECT_EQ(test, pages->count, 0);
	KUNIT_EXPECT_EQ(test, held(pages), 0);
	ohca_pages_fini(pages->hca);
}

static void pages_of_nobody(struct kunit *test)
{
	struct ohca_pages *pages = make_pages(test);

	device.wants = 10;
	KUNIT_EXPECT_EQ(test, ohca_pages_supply(pages->hca, OHCA_PAGES_BOOT), 0);
	device.lies = true;
	KUNIT_EXPECT_EQ(test, ohca_pages_reclaim(pages->hca), 0);
	KUNIT_EXPECT_EQ(test, held(pages), 0);
	ohca_pages_fini(pages->hca);
}

static void ask(struct ohca_hca *hca, s32 n)
{
	const struct mlx5_eqe_page_req req = { .num_pages = cpu_to_be32(n) };

	ohca_pages_request(hca, &req);
	flush_work(&hca->pages->work);
}

static void pages_at_run_time(struct kunit *test)
{
	struct ohca_pages *pages = make_pages(test);
	struct ohca_hca *hca = pages->hca;

	ask(hca, 5);
	KUNIT_EXPECT_EQ_MSG(test, device.count, 0, "nothing before the start");
	ohca_pages_start(hca);
	ask(hca, 700);
	KUNIT_EXPECT_EQ(test, device.count, 700);
	ask(hca, -650);
	KUNIT_EXPECT_EQ(test, device.count, 50);
	KUNIT_EXPECT_EQ(test, held(pages), 50);
	/* More than it has. */
	ask(hca, -100);
	KUNIT_EXPECT_EQ(test, device.count, 0);
	device.refuses = true;
	ask(hca, 1);
	KUNIT_EXPECT_EQ(test, device.cant_give, 1);
	ohca_pages_stop(hca);
	device.refuses = false;
	ask(hca, 5);
	KUNIT_EXPECT_EQ_MSG(test, device.count, 0, "nothing after the end");
	ohca_pages_fini(hca);
}

/* What a device that died still holds is freed all the same. */
static void pages_of_the_dead(struct kunit *test)
{
	struct ohca_pages *pages = make_pages(test);

	device.wants = 20;
	KUNIT_EXPECT_EQ(test, ohca_pages_supply(pages->hca, OHCA_PAGES_BOOT), 0);
	pages->hca->state = OHCA_HCA_DEAD;
	KUNIT_EXPECT_EQ(test, ohca_pages_reclaim(pages->hca), 0);
	KUNIT_EXPECT_EQ(test, held(pages), 20);
	ohca_pages_fini(pages->hca);
}

static void caps_groups(struct kunit *test)
{
	struct ohca_hca *hca = make_hca(test);

	KUNIT_ASSERT_EQ(test, ohca_caps_alloc(hca), 0);
	MLX5_SET(cmd_hca_cap, device.general, log_max_cq, 18);
	MLX5_SET(cmd_hca_cap, device.general, roce, 1);
	/* What an earlier read has left goes, if it is not announced any more. */
	hca->caps.hca[MLX5_CAP_ATOMIC]->cur[0] = ~0;
	KUNIT_EXPECT_EQ(test, ohca_caps_read(hca), 0);
	KUNIT_EXPECT_EQ(test, device.groups_asked, BIT(MLX5_CAP_GENERAL) | BIT(MLX5_CAP_ROCE));
	KUNIT_EXPECT_EQ(test, MLX5_CAP_GEN(hca, log_max_cq), 18);
	KUNIT_EXPECT_EQ(test, MLX5_CAP_GEN_MAX(hca, log_max_cq), 18);
	KUNIT_EXPECT_EQ(test, hca->caps.hca[MLX5_CAP_ATOMIC]->cur[0], 0);
	ohca_caps_free(hca);
}

static void caps_chosen(struct kunit *test)
{
	struct ohca_hca *hca = make_hca(test);

	KUNIT_ASSERT_EQ(test, ohca_caps_alloc(hca), 0);
	MLX5_SET(cmd_hca_cap, device.general, log_max_qp, 20);
	MLX5_SET(cmd_hca_cap, device.general, log_max_cq, 18);
	KUNIT_EXPECT_EQ(test, ohca_caps_negotiate(hca), 0);
	KUNIT_EXPECT_EQ(test, device.set, 1);
	KUNIT_EXPECT_EQ(test, MLX5_GET(cmd_hca_cap, device.general, log_max_qp), LOG_MAX_QP);
	KUNIT_EXPECT_EQ(test, MLX5_GET(cmd_hca_cap, device.general, log_max_cq), 18);
	/* A second time there is nothing to set. */
	KUNIT_EXPECT_EQ(test, ohca_caps_negotiate(hca), 0);
	KUNIT_EXPECT_EQ(test, device.set, 1);
	ohca_caps_free(hca);
}

static struct kunit_case pci_pages_cases[] = {
	KUNIT_CASE(pages_supply_and_reclaim),
	KUNIT_CASE(pages_refused),
	KUNIT_CASE(pages_of_nobody),
	KUNIT_CASE(pages_at_run_time),
	KUNIT_CASE(pages_of_the_dead),
	KUNIT_CASE(caps_groups),
	KUNIT_CASE(caps_chosen),
	{}
};

static struct kunit_suite pci_pages_suite = {
	.name = "pci_pages",
	.test_cases = pci_pages_cases,
};

kunit_test_suite(pci_pages_suite);
