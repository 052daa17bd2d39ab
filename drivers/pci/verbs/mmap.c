// SPDX-License-Identifier: GPL-2.0
/*
 * What programs map: doorbells, and the device's clock.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "clock.h"
#include "ucontext.h"
#include "verbs.h"

/**
 * verbs_map_add() - offers a page to a program
 * @ibuctx: the program's context
 * @kind: what it is
 * @addr: its physical address
 * @uar: the UAR that it is, a reference to which is taken; NULL: it is none
 * @first: lowest page offset that it may have
 * @last: highest
 *
 * rdma_user_mmap_entry_remove() takes it back.
 *
 * Context: may sleep.
 * Return: the page, or an ERR_PTR: -ENOMEM; -EINVAL: not a whole page of the CPU's.
 */
struct verbs_map *verbs_map_add(struct ib_ucontext *ibuctx, enum verbs_map_kind kind,
				phys_addr_t addr, struct verbs_uar *uar, u32 first, u32 last)
{
	struct verbs_map *map;
	int err;

	if (offset_in_page(addr))
		return ERR_PTR(-EINVAL);
	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map)
		return ERR_PTR(-ENOMEM);
	map->kind = kind;
	map->addr = addr;
	map->uar = uar;
	if (uar)
		kref_get(&uar->refs);
	err = rdma_user_mmap_entry_insert_range(ibuctx, &map->entry, PAGE_SIZE, first, last);
	if (err) {
		if (uar)
			verbs_uar_put(uar);
		kfree(map);
		return ERR_PTR(err);
	}
	return map;
}

/**
 * verbs_mmap_free() - ib_device_ops.mmap_free
 * @entry: nobody maps it any more, and nobody can
 */
void verbs_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct verbs_map *map = container_of(entry, struct verbs_map, entry);

	if (map->uar)
		verbs_uar_put(map->uar);
	kfree(map);
}

/* A page of the kernel's memory: the mapping takes a reference of its own. */
static int map_memory(struct vm_area_struct *vma, phys_addr_t addr)
{
	if (vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return vm_insert_page(vma, vma->vm_start, pfn_to_page(PHYS_PFN(addr)));
}

static int map_page(struct ib_ucontext *ibuctx, struct vm_area_struct *vma, struct verbs_map *map)
{
	pgprot_t prot = pgprot_noncached(vma->vm_page_prot);

	switch (map->kind) {
	case VERBS_MAP_UAR_WC:
		prot = pgprot_writecombine(vma->vm_page_prot);
		break;
	case VERBS_MAP_UAR_NC:
		break;
	case VERBS_MAP_CLOCK:
	case VERBS_MAP_CLOCK_INFO:
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
		break;
	}
	if (map->kind == VERBS_MAP_CLOCK_INFO)
		return map_memory(vma, map->addr);
	return rdma_user_mmap_io(ibuctx, vma, PHYS_PFN(map->addr), PAGE_SIZE, prot, &map->entry);
}

/**
 * verbs_mmap() - ib_device_ops.mmap
 * @ibuctx: the program's context
 * @vma: what it wants to map
 *
 * Return: 0; -EINVAL: nothing is there; -EPERM: it is not to be written.
 */
int verbs_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry = rdma_user_mmap_entry_get(ibuctx, vma);
	int err;

	if (!entry)
		return -EINVAL;
	err = map_page(ibuctx, vma, container_of(entry, struct verbs_map, entry));
	rdma_user_mmap_entry_put(entry);
	return err;
}
