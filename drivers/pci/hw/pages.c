// SPDX-License-Identifier: GPL-2.0
/*
 * Pages for the device's own use. It asks for a number at boot and before INIT_HCA,
 * and by events while it runs; at the end it gives them all back.
 *
 * A page of the device's is 4 KiB. Where the kernel's are larger, each takes a whole
 * one.
 */
#include "pages.h"

#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <ohca/compat.h>

#include "cmd.h"
#include "hca.h"

/* Pages a command carries at most. */
#define BATCH		512

/* How long reclaim goes on with no page coming back, milliseconds. */
#define RECLAIM_MS	5000

/* op_mod of MANAGE_PAGES. */
enum {
	PAGES_CANT_GIVE	= 0,
	PAGES_GIVE	= 1,
	PAGES_TAKE	= 2,
};

/**
 * struct ohca_pages - what the device has been given
 * @hca: the adapter
 * @given: the pages, by bus address in units of MLX5_ADAPTER_PAGE_SIZE
 * @count: how many
 * @owed: what events asked for and nobody has done yet; negative: to be taken back
 * @lock: guards @running and @owed
 * @running: requests are answered
 * @work: answers them
 *
 * @given and @count have one user at a time: bring-up, then @work, then teardown.
 */
struct ohca_pages {
	struct ohca_hca *hca;
	struct xarray given;
	u32 count;
	s64 owed;
	spinlock_t lock;
	bool running;
	struct work_struct work;
};

static unsigned long page_key(dma_addr_t dma)
{
	return dma >> MLX5_ADAPTER_PAGE_SHIFT;
}

static int page_add(struct ohca_pages *pages, __be64 *pas)
{
	struct device *dev = &pages->hca->pdev->dev;
	struct page *page;
	dma_addr_t dma;
	int err;

	page = alloc_pages_node(dev_to_node(dev), GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, 0);
	if (!page)
		return -ENOMEM;
	dma = dma_map_page(dev, page, 0, MLX5_ADAPTER_PAGE_SIZE, DMA_BIDIRECTIONAL);
	err = dma_mapping_error(dev, dma);
	if (err)
		goto free_page;
	err = xa_insert(&pages->given, page_key(dma), page, GFP_KERNEL);
	if (err)
		goto unmap;
	pages->count++;
	*pas = cpu_to_be64(dma);
	return 0;

unmap:
	dma_unmap_page(dev, dma, MLX5_ADAPTER_PAGE_SIZE, DMA_BIDIRECTIONAL);
free_page:
	__free_page(page);
	return err;
}

/* Whether it was one of those that the device has been given. */
static bool page_del(struct ohca_pages *pages, dma_addr_t dma)
{
	struct page *page = xa_erase(&pages->given, page_key(dma));

	if (!page)
		return false;
	dma_unmap_page(&pages->hca->pdev->dev, dma, MLX5_ADAPTER_PAGE_SIZE, DMA_BIDIRECTIONAL);
	__free_page(page);
	pages->count--;
	return true;
}

static void cant_give(struct ohca_hca *hca)
{
	u32 out[MLX5_ST_SZ_DW(manage_pages_out)];
	u32 in[MLX5_ST_SZ_DW(manage_pages_in)] = {};

	MLX5_SET(manage_pages_in, in, opcode, MLX5_CMD_OP_MANAGE_PAGES);
	MLX5_SET(manage_pages_in, in, op_mod, PAGES_CANT_GIVE);
	ohca_cmd(hca, manage_pages, in, out);
}

/* Gives @n pages, BATCH at most. */
static int give_batch(struct ohca_pages *pages, u32 n)
{
	const u32 inlen = MLX5_ST_SZ_BYTES(manage_pages_in) + n * sizeof(__be64);
	u32 out[MLX5_ST_SZ_DW(manage_pages_out)];
	__be64 *pas;
	u32 i = 0;
	void *in;
	int err;

	in = kvzalloc(inlen, GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	MLX5_SET(manage_pages_in, in, opcode, MLX5_CMD_OP_MANAGE_PAGES);
	MLX5_SET(manage_pages_in, in, op_mod, PAGES_GIVE);
	MLX5_SET(manage_pages_in, in, input_num_entries, n);
	pas = MLX5_ADDR_OF(manage_pages_in, in, pas);
	for (i = 0; i < n; i++) {
		err = page_add(pages, &pas[i]);
		if (err)
			goto undo;
	}
	err = ohca_cmd_exec(pages->hca, in, inlen, out, sizeof(out));
	if (!err)
		goto free_in;
undo:
	while (i)
		page_del(pages, be64_to_cpu(pas[--i]));
free_in:
	kvfree(in);
	return err;
}

static int give(struct ohca_pages *pages, u32 n)
{
	int err = 0;
	u32 batch;

	for (; n && !err; n -= batch) {
		batch = min_t(u32, n, BATCH);
		err = give_batch(pages, batch);
	}
	return err;
}

/* Takes @n pages back, BATCH at most. Returns how many came, or an errno. */
static int take_batch(struct ohca_pages *pages, u32 n)
{
	const u32 outlen = MLX5_ST_SZ_BYTES(manage_pages_out) + n * sizeof(__be64);
	u32 in[MLX5_ST_SZ_DW(manage_pages_in)] = {};
	u32 i, came, good = 0;
	const __be64 *pas;
	void *out;
	int err;

	out = kvzalloc(outlen, GFP_KERNEL);
	if (!out)
		return -ENOMEM;
	MLX5_SET(manage_pages_in, in, opcode, MLX5_CMD_OP_MANAGE_PAGES);
	MLX5_SET(manage_pages_in, in, op_mod, PAGES_TAKE);
	MLX5_SET(manage_pages_in, in, input_num_entries, n);
	err = ohca_cmd_exec(pages->hca, in, sizeof(in), out, outlen);
	if (err)
		goto free_out;
	came = min(MLX5_GET(manage_pages_out, out, output_num_entries), n);
	pas = MLX5_ADDR_OF(manage_pages_out, out, pas);
	for (i = 0; i < came; i++)
		good += page_del(pages, be64_to_cpu(pas[i]));
	if (good != came)
		ohca_hca_err_limited(pages->hca, "%u pages came back that were never given\n",
				     came - good);
	err = good;
free_out:
	kvfree(out);
	return err;
}

/**
 * ohca_pages_supply() - gives the pages that a phase of bring-up needs
 * @hca: the adapter
 * @phase: the phase
 *
 * Context: may sleep.
 * Return: 0 or an errno; pages that the device has stay with it until
 * ohca_pages_reclaim().
 */
int ohca_pages_supply(struct ohca_hca *hca, enum ohca_pages_phase phase)
{
	u32 out[MLX5_ST_SZ_DW(query_pages_out)];
	u32 in[MLX5_ST_SZ_DW(query_pages_in)] = {};
	s32 wanted;
	int err;

	MLX5_SET(query_pages_in, in, opcode, MLX5_CMD_OP_QUERY_PAGES);
	MLX5_SET(query_pages_in, in, op_mod, phase);
	err = ohca_cmd(hca, query_pages, in, out);
	if (err)
		return err;
	wanted = MLX5_GET(query_pages_out, out, num_pages);
	ohca_hca_dbg(hca, "%d pages for phase %d\n", wanted, phase);
	return wanted > 0 ? give(hca->pages, wanted) : 0;
}

/**
 * ohca_pages_reclaim() - takes all pages back
 * @hca: the adapter, after TEARDOWN_HCA
 *
 * What a device does not give back is freed by ohca_pages_fini(), when it can't write
 * memory any more.
 *
 * Context: may sleep.
 * Return: 0; -EIO: some did not come back, which the log tells.
 */
int ohca_pages_reclaim(struct ohca_hca *hca)
{
	unsigned long end = jiffies + msecs_to_jiffies(RECLAIM_MS);
	struct ohca_pages *pages = hca->pages;
	int came;

	while (pages->count && !ohca_hca_dead(hca)) {
		came = take_batch(pages, min_t(u32, pages->count, BATCH));
		if (came < 0)
			break;
		if (came) {
			end = jiffies + msecs_to_jiffies(RECLAIM_MS);
			continue;
		}
		if (time_after(jiffies, end))
			break;
		usleep_range(1000, 2000);
	}
	if (!pages->count || ohca_hca_dead(hca))
		return 0;
	ohca_hca_err(hca, "%u pages were not given back\n", pages->count);
	return -EIO;
}

static void pages_work(struct work_struct *work)
{
	struct ohca_pages *pages = container_of(work, struct ohca_pages, work);
	struct ohca_hca *hca = pages->hca;
	s64 owed;
	int came;

	spin_lock_irq(&pages->lock);
	owed = pages->owed;
	pages->owed = 0;
	spin_unlock_irq(&pages->lock);

	if (owed > 0 && give(pages, min_t(s64, owed, U32_MAX))) {
		ohca_hca_err_limited(hca, "no memory for %lld pages that the device wants\n",
				     owed);
		cant_give(hca);
	}
	while (owed < 0 && pages->count) {
		came = take_batch(pages, min3((s64)BATCH, -owed, (s64)pages->count));
		if (came <= 0)
			break;
		owed += came;
	}
}

/**
 * ohca_pages_request() - the device wants pages, or has some to give back
 * @hca: the adapter
 * @req: the event
 *
 * Context: any.
 */
void ohca_pages_request(struct ohca_hca *hca, const struct mlx5_eqe_page_req *req)
{
	struct ohca_pages *pages = hca->pages;
	s32 n = be32_to_cpu(req->num_pages);
	unsigned long flags;

	if (req->func_id) {
		ohca_hca_err_limited(hca, "function %u wants pages, which is none of ours\n",
				     be16_to_cpu(req->func_id));
		return;
	}
	spin_lock_irqsave(&pages->lock, flags);
	if (pages->running) {
		pages->owed += n;
		queue_work(ohca_unbound_wq, &pages->work);
	}
	spin_unlock_irqrestore(&pages->lock, flags);
}

/**
 * ohca_pages_start() - begins to answer the device's requests
 * @hca: the adapter
 *
 * Context: any.
 */
void ohca_pages_start(struct ohca_hca *hca)
{
	hca->pages->running = true;
}

/**
 * ohca_pages_stop() - ends that
 * @hca: the adapter
 *
 * Context: may sleep.
 */
void ohca_pages_stop(struct ohca_hca *hca)
{
	struct ohca_pages *pages = hca->pages;

	spin_lock_irq(&pages->lock);
	pages->running = false;
	spin_unlock_irq(&pages->lock);
	cancel_work_sync(&pages->work);
	pages->owed = 0;
}

/**
 * ohca_pages_init() - makes the account of pages
 * @hca: the adapter
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ohca_pages_init(struct ohca_hca *hca)
{
	struct ohca_pages *pages = kzalloc(sizeof(*pages), GFP_KERNEL);

	if (!pages)
		return -ENOMEM;
	pages->hca = hca;
	xa_init(&pages->given);
	spin_lock_init(&pages->lock);
	INIT_WORK(&pages->work, pages_work);
	hca->pages = pages;
	return 0;
}

/**
 * ohca_pages_fini() - ends it, and frees what the device has not given back
 * @hca: the adapter; no bus master any more
 *
 * Context: may sleep.
 */
void ohca_pages_fini(struct ohca_hca *hca)
{
	struct ohca_pages *pages = hca->pages;
	unsigned long key;
	struct page *page;

	xa_for_each(&pages->given, key, page)
		page_del(pages, (dma_addr_t)key << MLX5_ADAPTER_PAGE_SHIFT);
	xa_destroy(&pages->given);
	hca->pages = NULL;
	kfree(pages);
}
