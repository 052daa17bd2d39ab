// SPDX-License-Identifier: GPL-2.0
/*
 * Page lists against a naive oracle: an array with the address of each page.
 *
 * Nothing is touched, so the pages need not be there: a umem is made by hand
 * over addresses that a kernel could have.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <rdma/ib_umem.h>
#include <ohca/page_list.h>

#include "random.h"

#define BASE		0xffff888000000000ull
#define MAX_PAGES	4096u
#define HUGE_PAGES	(SZ_2M / PAGE_SIZE)

/*
 * The layouts of memory that are tried. Runs of pages that lie in a row have
 * @run pages; @align: a run begins at a multiple of so many pages.
 */
struct layout {
	const char *name;
	unsigned int pages;
	unsigned int run;
	unsigned int align;
	bool split;		/* scatter list entries end within runs */
	unsigned int rounds;
};

static const struct layout layouts[] = {
	{ "one page", 1, 1, 1, false, 10 },
	{ "single pages", 300, 1, 1, false, 10 },
	{ "short runs", 300, 5, 1, false, 10 },
	{ "short runs, split entries", 300, 7, 1, true, 10 },
	{ "64 KiB, aligned", 512, 16, 16, false, 10 },
	{ "64 KiB, aligned, split entries", 512, 16, 16, true, 10 },
	{ "2 MiB, aligned", 4 * HUGE_PAGES, HUGE_PAGES, HUGE_PAGES, false, 4 },
	{ "2 MiB, aligned, split entries", 4 * HUGE_PAGES, HUGE_PAGES, HUGE_PAGES, true, 4 },
	{ "2 MiB, not aligned", 4 * HUGE_PAGES, HUGE_PAGES, 1, false, 4 },
	{ "all in a row", MAX_PAGES, MAX_PAGES, 1, false, 4 },
};

KUNIT_ARRAY_PARAM_DESC(layout, layouts, name);

struct fixture {
	struct rnd_state rnd;
	struct ib_device ibdev;
	struct device dma_device;
	struct ib_umem umem;
	u64 iova;
	unsigned int pages;
	u64 page[MAX_PAGES];
};

static u32 below(struct fixture *f, u32 n)
{
	return prandom_u32_state(&f->rnd) % n;
}

static int page_list_init(struct kunit *test)
{
	struct fixture *f = kvzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	ohca_kunit_random(test, &f->rnd);
	f->umem.ibdev = &f->ibdev;
	test->priv = f;
	return 0;
}

static void page_list_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	sg_free_table(&f->umem.sgt_append.sgt);
	kvfree(f);
}

/* Where the pages are: runs, none of which lies behind the one before it. */
static void place_pages(struct fixture *f, const struct layout *l)
{
	u64 at = BASE;
	unsigned int i;

	f->pages = l->pages;
	for (i = 0; i < f->pages; i++) {
		if (i % l->run == 0)
			at = BASE + ((u64)(below(f, 1u << 20) + 1) * l->align +
				     (u64)(i / l->run) * (1u << 21) * l->align) * PAGE_SIZE;
		f->page[i] = at;
		at += PAGE_SIZE;
	}
}

/* Scatter list entries as pinning makes them: pages in a row are one. */
static void make_sg(struct kunit *test, const struct layout *l)
{
	struct fixture *f = test->priv;
	struct sg_table *sgt = &f->umem.sgt_append.sgt;
	struct scatterlist *sg = NULL;
	unsigned int i, nents = 0;

	sg_free_table(sgt);
	KUNIT_ASSERT_EQ(test, sg_alloc_table(sgt, f->pages, GFP_KERNEL), 0);
	for (i = 0; i < f->pages; i++) {
		bool joins = sg && f->page[i] == f->page[i - 1] + PAGE_SIZE &&
			     !(l->split && below(f, 4) == 0);

		if (joins) {
			sg_dma_len(sg) += PAGE_SIZE;
			continue;
		}
		sg = sg ? sg_next(sg) : sgt->sgl;
		sg_dma_address(sg) = f->page[i];
		sg_dma_len(sg) = PAGE_SIZE;
		nents++;
	}
	sgt->nents = nents;
}

/* A user address, length and I/O address somewhere in the pages; first and last page are used. */
static void make_umem(struct fixture *f)
{
	u32 first = below(f, PAGE_SIZE);
	u32 last = below(f, PAGE_SIZE) + 1;

	if (f->pages == 1 && last <= first)
		last = PAGE_SIZE;
	f->umem.address = 0x7f0000000000ul + first;
	f->umem.length = (size_t)(f->pages - 1) * PAGE_SIZE + last - first;
	f->umem.iova = f->umem.address;
	f->iova = (u64)prandom_u32_state(&f->rnd) << 24 | below(f, 1u << 24);
}

/* Address of byte @at, the naive way. */
static u64 byte_at(const struct fixture *f, u64 at)
{
	u64 from_page = at + ib_umem_offset((struct ib_umem *)&f->umem);

	return f->page[from_page >> PAGE_SHIFT] + (from_page & ~PAGE_MASK);
}

/* Walks [at, at + len) by runs: each byte is where it is, no run is shorter than it must be. */
static void walk(struct kunit *test, const struct ohca_page_list *pl, u64 at, u32 len)
{
	const struct fixture *f = test->priv;
	u32 left = len;

	while (left) {
		void *kva = NULL;
		u32 n = ohca_page_list_run(pl, f->iova + at, left, &kva), i, step;

		KUNIT_ASSERT_GT(test, n, 0);
		KUNIT_ASSERT_LE(test, n, left);
		for (i = 0; i < n; i += step) {
			u64 to_end = PAGE_SIZE - (byte_at(f, at + i) & ~PAGE_MASK);

			KUNIT_ASSERT_EQ(test, (u64)(uintptr_t)kva + i, byte_at(f, at + i));
			step = min_t(u64, to_end, n - i);
		}
		KUNIT_ASSERT_EQ(test, (u64)(uintptr_t)kva + n - 1, byte_at(f, at + n - 1));
		if (n < left)
			KUNIT_ASSERT_NE(test, (u64)(uintptr_t)kva + n, byte_at(f, at + n));
		at += n;
		left -= n;
	}
}

static void check_inside(struct kunit *test, const struct ohca_page_list *pl)
{
	struct fixture *f = test->priv;
	unsigned int i;

	walk(test, pl, 0, pl->length);
	walk(test, pl, 0, 1);
	walk(test, pl, pl->length - 1, 1);
	for (i = 0; i < 100; i++) {
		u64 at = below(f, pl->length);

		walk(test, pl, at, below(f, pl->length - at) + 1);
	}
}

static void check_outside(struct kunit *test, const struct ohca_page_list *pl)
{
	u64 iova = pl->iova, length = pl->length;
	struct {
		u64 addr;
		u32 len;
	} bad[] = {
		{ iova - 1, 1 },
		{ iova - 1, 2 },
		{ iova, length + 1 },
		{ iova, U32_MAX },
		{ iova + length, 1 },
		{ iova + length - 1, 2 },
		{ iova + length + PAGE_SIZE, 1 },
		{ 0, 1 },
		{ U64_MAX, 1 },
		{ U64_MAX, U32_MAX },
		{ U64_MAX - 4, 100 },
		{ iova + BIT_ULL(63), 1 },
	};
	void *kva = &bad;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, ohca_page_list_check(pl, bad[i].addr, bad[i].len),
				    -EFAULT, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, ohca_page_list_run(pl, bad[i].addr, bad[i].len, &kva),
				    0, "case %u", i);
	}
	KUNIT_EXPECT_PTR_EQ(test, kva, (void *)&bad);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(pl, iova, U64_MAX), -EFAULT);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(pl, iova + length, 0), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_run(pl, iova, 0, &kva), 0);
}

static void page_list_layouts(struct kunit *test)
{
	const struct layout *l = test->param_value;
	struct fixture *f = test->priv;
	struct ohca_page_list pl;
	unsigned int round;

	for (round = 0; round < l->rounds; round++) {
		place_pages(f, l);
		make_sg(test, l);
		make_umem(f);
		KUNIT_ASSERT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, f->iova), 0);
		KUNIT_EXPECT_EQ(test, pl.iova, f->iova);
		KUNIT_EXPECT_EQ(test, pl.length, f->umem.length);
		/* A run that is aligned is no more entries than it must be. */
		if (l->run > 1 && l->align == l->run) {
			KUNIT_EXPECT_GE(test, BIT(pl.shift), l->run * PAGE_SIZE);
			KUNIT_EXPECT_LE(test, pl.nr, l->pages / l->run);
		}
		check_inside(test, &pl);
		check_outside(test, &pl);
		ohca_page_list_fini(&pl);
		KUNIT_EXPECT_NULL(test, pl.block);
		KUNIT_EXPECT_EQ(test, ohca_page_list_check(&pl, f->iova, 1), -EFAULT);
	}
}

/* For a device: bus address and I/O address agree in a block. */
static void page_list_dma(struct kunit *test)
{
	static const struct layout l = {
		.pages = 4 * HUGE_PAGES, .run = HUGE_PAGES, .align = HUGE_PAGES,
	};
	struct fixture *f = test->priv;
	struct ohca_page_list pl;
	unsigned int i;

	f->ibdev.dma_device = &f->dma_device;
	place_pages(f, &l);
	make_sg(test, &l);
	make_umem(f);

	/* As the user has it: the address within a huge page is the same on both sides. */
	f->iova = ALIGN_DOWN(f->iova, SZ_2M) + ib_umem_offset(&f->umem);
	KUNIT_ASSERT_EQ(test, ohca_page_list_init_dma(&pl, &f->umem, f->iova, PAGE_MASK), 0);
	KUNIT_EXPECT_EQ(test, pl.shift, 21);
	KUNIT_EXPECT_EQ(test, pl.nr, 4);
	for (i = 0; i < pl.nr; i++)
		KUNIT_EXPECT_EQ(test, pl.block[i], f->page[i * HUGE_PAGES]);
	ohca_page_list_fini(&pl);

	/* A page off: smaller blocks, each as aligned as its address. */
	KUNIT_ASSERT_EQ(test, ohca_page_list_init_dma(&pl, &f->umem, f->iova + PAGE_SIZE,
						      PAGE_MASK), 0);
	KUNIT_EXPECT_EQ(test, pl.shift, PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, pl.nr, f->pages);
	ohca_page_list_fini(&pl);

	/* A byte off: a device can't take that. */
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_dma(&pl, &f->umem, f->iova + 1, PAGE_MASK),
			-EINVAL);
	/* Nor if it knows no size that is small enough. */
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_dma(&pl, &f->umem, f->iova + PAGE_SIZE,
						      SZ_2M), -EINVAL);
	KUNIT_EXPECT_NULL(test, pl.block);
}

static void page_list_refused(struct kunit *test)
{
	static const struct layout l = { .pages = 4, .run = 1, .align = 1 };
	struct fixture *f = test->priv;
	struct ohca_page_list pl;
	u64 top = U64_MAX;
	size_t length;

	place_pages(f, &l);
	make_sg(test, &l);
	make_umem(f);
	length = f->umem.length;

	/* The last byte may be the last there is, but not beyond. */
	f->iova = top - length + 1;
	KUNIT_ASSERT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, f->iova), 0);
	walk(test, &pl, 0, length);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(&pl, top, 1), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(&pl, top, 2), -EFAULT);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(&pl, 0, 1), -EFAULT);
	ohca_page_list_fini(&pl);
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, top - length + 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, top), -EINVAL);

	f->umem.length = 0;
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, 0), -EINVAL);
	f->umem.length = length;

	f->umem.is_odp = 1;
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, 0), -EOPNOTSUPP);
	f->umem.is_odp = 0;
	f->umem.is_dmabuf = 1;
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, 0), -EOPNOTSUPP);
	f->umem.is_dmabuf = 0;
	f->ibdev.dma_device = &f->dma_device;
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_umem(&pl, &f->umem, 0), -EOPNOTSUPP);
	f->ibdev.dma_device = NULL;
	KUNIT_EXPECT_EQ(test, ohca_page_list_init_dma(&pl, &f->umem, 0, PAGE_MASK), -EOPNOTSUPP);
	KUNIT_EXPECT_NULL(test, pl.block);
}

/* A list that is filled by hand, as fast registration does. */
static void page_list_by_hand(struct kunit *test)
{
	const u64 bytes = 3 * PAGE_SIZE - 0x10;
	struct ohca_page_list pl;
	void *kva;

	KUNIT_EXPECT_EQ(test, ohca_page_list_init_empty(&pl, 0), -EINVAL);
	KUNIT_ASSERT_EQ(test, ohca_page_list_init_empty(&pl, 3), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_set(&pl, 0, 1, PAGE_SHIFT), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(&pl, 0, 1), -EFAULT);

	KUNIT_EXPECT_EQ(test, ohca_page_list_add(&pl, BASE), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_add(&pl, BASE + PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_add(&pl, BASE), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_add(&pl, BASE), -ENOMEM);

	KUNIT_EXPECT_EQ(test, ohca_page_list_set(&pl, 0x10010, 3 * PAGE_SIZE, PAGE_SHIFT), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_page_list_set(&pl, 0x10010, U64_MAX, PAGE_SHIFT), -EINVAL);
	KUNIT_EXPECT_EQ(test, ohca_page_list_set(&pl, 0x10010, 1, BITS_PER_LONG), -EINVAL);
	KUNIT_ASSERT_EQ(test, ohca_page_list_set(&pl, 0x10010, bytes, PAGE_SHIFT), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_run(&pl, 0x10010, bytes, &kva), 2 * PAGE_SIZE - 0x10);
	KUNIT_EXPECT_EQ(test, (u64)(uintptr_t)kva, BASE + 0x10);
	KUNIT_EXPECT_EQ(test, ohca_page_list_run(&pl, 0x12001, 5, &kva), 5);
	KUNIT_EXPECT_EQ(test, (u64)(uintptr_t)kva, BASE + 1);
	KUNIT_EXPECT_EQ(test, ohca_page_list_run(&pl, 0x1000f, 1, &kva), 0);

	ohca_page_list_clear(&pl);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(&pl, 0x10010, 1), -EFAULT);
	KUNIT_EXPECT_EQ(test, ohca_page_list_add(&pl, BASE), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_set(&pl, 0, 0, PAGE_SHIFT), 0);
	KUNIT_EXPECT_EQ(test, ohca_page_list_check(&pl, 0, 1), -EFAULT);
	ohca_page_list_fini(&pl);
	ohca_page_list_fini(&pl);
}

static struct kunit_case page_list_cases[] = {
	KUNIT_CASE_PARAM(page_list_layouts, layout_gen_params),
	KUNIT_CASE(page_list_dma),
	KUNIT_CASE(page_list_refused),
	KUNIT_CASE(page_list_by_hand),
	{}
};

static struct kunit_suite page_list_suite = {
	.name = "ohca_page_list",
	.init = page_list_init,
	.exit = page_list_exit,
	.test_cases = page_list_cases,
};

kunit_test_suite(page_list_suite);
