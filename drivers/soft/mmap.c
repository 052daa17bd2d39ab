// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping rings into programs.
 *
 * Offsets are IB core's (rdma_user_mmap_entry): opaque, of one user context, and
 * refused once the ring is gone. The pages are inserted into the program's page
 * tables with a reference each, so a mapping that outlives its ring, its device
 * or this module keeps plain pages, which nobody but the program reads or writes
 * any more, and needs no call back into here.
 */
#include "ring.h"

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/**
 * struct soft_ring_map - a ring's buffer, as user space can map it
 * @entry: IB core's: the offset, and a reference count
 * @buf: vmalloc()ed; freed with the last reference to @entry
 */
struct soft_ring_map {
	struct rdma_user_mmap_entry entry;
	void *buf;
};

struct soft_ring_map *soft_ring_map_create(struct ib_ucontext *uctx, void *buf, size_t bytes,
					   struct mminfo *info)
{
	struct soft_ring_map *map;
	int err;

	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map) {
		vfree(buf);
		return ERR_PTR(-ENOMEM);
	}
	map->buf = buf;
	err = rdma_user_mmap_entry_insert(uctx, &map->entry, bytes);
	if (err) {
		kfree(map);
		vfree(buf);
		return ERR_PTR(err);
	}
	info->offset = rdma_user_mmap_get_offset(&map->entry);
	info->size = bytes;
	info->pad = 0;
	return map;
}

void soft_ring_map_remove(struct soft_ring_map *map)
{
	rdma_user_mmap_entry_remove(&map->entry);
}

void soft_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct soft_ring_map *map = container_of(entry, struct soft_ring_map, entry);

	vfree(map->buf);
	kfree(map);
}

static int insert_pages(struct vm_area_struct *vma, void *buf)
{
	unsigned long at;
	int err;

	/* The size was agreed on when the ring was made: it never grows into what follows. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (at = vma->vm_start; at < vma->vm_end; at += PAGE_SIZE, buf += PAGE_SIZE) {
		err = vm_insert_page(vma, at, vmalloc_to_page(buf));
		if (err)
			return err;
	}
	return 0;
}

int soft_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err = -EINVAL;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;

	entry = rdma_user_mmap_entry_get_pgoff(uctx, vma->vm_pgoff);
	if (!entry) {
		ibdev_dbg(uctx->device, "mmap: no ring at page offset %lu\n", vma->vm_pgoff);
		return -EINVAL;
	}
	if (vma_pages(vma) <= entry->npages)
		err = insert_pages(vma, container_of(entry, struct soft_ring_map, entry)->buf);
	rdma_user_mmap_entry_put(entry);
	return err;
}
