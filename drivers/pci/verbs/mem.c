// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of queues.
 *
 * A program's queue is pinned and handed to the device as a list of pages, the
 * largest that the memory allows. A context says where in the first page the queue
 * begins, in 64ths of a page: where that can't be said, smaller pages are tried.
 */
#include "mem.h"

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <ohca/compat.h>

#include "ucontext.h"
#include "verbs.h"

/* Page sizes that a context can name, 4 KiB to 2 GiB. */
#define QUEUE_PAGE_SIZES	GENMASK_ULL(31, MLX5_ADAPTER_PAGE_SHIFT)

/**
 * struct verbs_db_page - a page of a program's memory that has doorbell records
 * @node: in the context's list
 * @uctx: the context
 * @umem: keeps it pinned
 * @addr: its address in the program
 * @users: doorbell records in use; under the context's lock
 */
struct verbs_db_page {
	struct list_head node;
	struct verbs_ucontext *uctx;
	struct ib_umem *umem;
	u64 addr;
	unsigned int users;
};

/* Makes the list of pages; the largest page whose offset the context can tell. */
static int set_pages(struct verbs_mem *mem, u64 addr, unsigned int offset_bits)
{
	u64 sizes = QUEUE_PAGE_SIZES, unit;
	int err;

	for (;;) {
		err = ohca_page_list_init_dma(&mem->pages, mem->umem, addr, sizes);
		if (err)
			return err;
		unit = BIT_ULL(mem->pages.shift) / 64;
		if (!(mem->pages.offset % unit) && !(mem->pages.offset / unit >> offset_bits))
			break;
		sizes &= BIT_ULL(mem->pages.shift) - 1;
		ohca_page_list_fini(&mem->pages);
		if (!sizes)
			return -EINVAL;
	}
	mem->log_page_size = mem->pages.shift - MLX5_ADAPTER_PAGE_SHIFT;
	mem->page_offset = mem->pages.offset / unit;
	return 0;
}

/**
 * verbs_mem_user() - pins a program's queue
 * @ibdev: the device
 * @mem: to fill
 * @addr: its address in the program
 * @bytes: its size, not 0
 * @offset_bits: VERBS_OFFSET_BITS or VERBS_OFFSET_BITS_WQ, as the context has it
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not aligned as the device needs it; or an error of pinning.
 */
int verbs_mem_user(struct ib_device *ibdev, struct verbs_mem *mem, u64 addr, u64 bytes,
		   unsigned int offset_bits)
{
	int err;

	memset(mem, 0, sizeof(*mem));
	mem->umem = ohca_umem_get(ibdev, addr, bytes, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(mem->umem)) {
		err = PTR_ERR(mem->umem);
		mem->umem = NULL;
		return err;
	}
	err = set_pages(mem, addr, offset_bits);
	if (err) {
		ib_umem_release(mem->umem);
		mem->umem = NULL;
	}
	return err;
}

/**
 * verbs_mem_kernel() - makes a queue of the kernel's
 * @ibdev: the device
 * @mem: to fill
 * @bytes: its size, not 0
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int verbs_mem_kernel(struct ib_device *ibdev, struct verbs_mem *mem, u64 bytes)
{
	memset(mem, 0, sizeof(*mem));
	return ohca_buf_alloc(to_hca(ibdev), &mem->buf, bytes);
}

/**
 * verbs_mem_free() - gives a queue's memory back
 * @ibdev: the device
 * @mem: the memory; all zeroes is fine
 *
 * Context: may sleep. The device does not use it any more.
 */
void verbs_mem_free(struct ib_device *ibdev, struct verbs_mem *mem)
{
	if (mem->umem) {
		ohca_page_list_fini(&mem->pages);
		ib_umem_release(mem->umem);
	} else if (mem->buf.addr) {
		ohca_buf_free(to_hca(ibdev), &mem->buf);
	}
	memset(mem, 0, sizeof(*mem));
}

/**
 * verbs_mem_pages() - entries of the list that a command needs
 * @mem: the memory
 *
 * Context: any.
 * Return: entries of 8 bytes.
 */
u32 verbs_mem_pages(const struct verbs_mem *mem)
{
	if (mem->umem)
		return mem->pages.nr;
	return mem->buf.addr ? ohca_buf_pages(&mem->buf) : 0;
}

/**
 * verbs_mem_write() - writes the list of pages into a command
 * @mem: the memory
 * @pas: room for verbs_mem_pages() entries
 *
 * Context: any.
 */
void verbs_mem_write(const struct verbs_mem *mem, __be64 *pas)
{
	unsigned long i;

	if (mem->umem) {
		for (i = 0; i < mem->pages.nr; i++)
			pas[i] = cpu_to_be64(mem->pages.block[i]);
	} else if (mem->buf.addr) {
		ohca_buf_fill_pas(&mem->buf, pas);
	}
}

/* Programs that share a context by fork() have different memory at an address. */
static struct verbs_db_page *page_find(struct verbs_ucontext *uctx, u64 addr)
{
	struct verbs_db_page *page;

	list_for_each_entry(page, &uctx->db_pages, node) {
		if (page->addr == addr && page->umem->owning_mm == current->mm)
			return page;
	}
	return NULL;
}

static struct verbs_db_page *page_make(struct verbs_ucontext *uctx, u64 addr)
{
	struct verbs_db_page *page = kzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);
	struct ib_umem *umem;

	if (!page)
		return ERR_PTR(-ENOMEM);
	umem = ohca_umem_get(uctx->ibuctx.device, addr, PAGE_SIZE, 0);
	if (IS_ERR(umem)) {
		kfree(page);
		return ERR_CAST(umem);
	}
	page->uctx = uctx;
	page->umem = umem;
	page->addr = addr;
	list_add(&page->node, &uctx->db_pages);
	return page;
}

/**
 * verbs_db_user() - pins a program's doorbell record
 * @uctx: the program's context
 * @db: to fill
 * @addr: its address in the program: 8 bytes, aligned
 *
 * A page has many: each is pinned once.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: not aligned; or an error of pinning.
 */
int verbs_db_user(struct verbs_ucontext *uctx, struct verbs_db *db, u64 addr)
{
	struct verbs_db_page *page;

	memset(db, 0, sizeof(*db));
	if (addr & 7)
		return -EINVAL;
	mutex_lock(&uctx->db_lock);
	page = page_find(uctx, addr & PAGE_MASK);
	if (!page)
		page = page_make(uctx, addr & PAGE_MASK);
	if (!IS_ERR(page))
		page->users++;
	mutex_unlock(&uctx->db_lock);
	if (IS_ERR(page))
		return PTR_ERR(page);
	db->page = page;
	db->dma = sg_dma_address(page->umem->sgt_append.sgt.sgl) + (addr & ~PAGE_MASK);
	return 0;
}

/**
 * verbs_db_kernel() - makes a doorbell record of the kernel's
 * @ibdev: the device
 * @db: to fill
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int verbs_db_kernel(struct ib_device *ibdev, struct verbs_db *db)
{
	int err;

	memset(db, 0, sizeof(*db));
	err = ohca_db_alloc(to_hca(ibdev), &db->kernel);
	if (err)
		return err;
	db->rec = db->kernel.rec;
	db->dma = db->kernel.dma;
	return 0;
}

/**
 * verbs_db_free() - gives a doorbell record back
 * @ibdev: the device
 * @db: the record; all zeroes is fine
 *
 * Context: may sleep. The device does not use it any more.
 */
void verbs_db_free(struct ib_device *ibdev, struct verbs_db *db)
{
	struct verbs_db_page *page = db->page;

	if (db->rec)
		ohca_db_free(to_hca(ibdev), &db->kernel);
	if (page) {
		mutex_lock(&page->uctx->db_lock);
		if (--page->users)
			page = NULL;
		else
			list_del(&page->node);
		mutex_unlock(&db->page->uctx->db_lock);
	}
	if (page) {
		ib_umem_release(page->umem);
		kfree(page);
	}
	memset(db, 0, sizeof(*db));
}
