/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts of programs, and what they map.
 */
#ifndef OHCA_PCI_VERBS_UCONTEXT_H
#define OHCA_PCI_VERBS_UCONTEXT_H

#include <linux/mutex.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "../hw/uar.h"

struct vm_area_struct;

/* Send doorbells of a UAR that programs use in the static mode. */
#define VERBS_BFREGS_PER_UAR	2

/**
 * struct verbs_ucontext - a program's context
 * @ibuctx: IB core's
 * @cqe_version: 0: completions name QPs by number; 1: by the program's index
 * @uars: the UARs that it has (struct verbs_uar), by the device's number
 * @static_uar: static mode: the UAR of all its queues; NULL: the program makes UARs as
 *              it needs them (dynamic mode)
 * @nr_maps: entries of @map
 * @map: what it may map from the beginning
 * @db_lock: guards @db_pages and the counts in them
 * @db_pages: pages of doorbell records (struct verbs_db_page)
 */
struct verbs_ucontext {
	struct ib_ucontext ibuctx;
	u8 cqe_version;
	struct xarray uars;
	struct verbs_uar *static_uar;
	unsigned int nr_maps;
	struct rdma_user_mmap_entry *map[4];
	struct mutex db_lock;
	struct list_head db_pages;
};

static inline struct verbs_ucontext *to_verbs_ucontext(struct ib_ucontext *ibuctx)
{
	return container_of(ibuctx, struct verbs_ucontext, ibuctx);
}

/**
 * struct verbs_uar - a UAR of a program
 * @uar: the UAR
 * @uctx: the context that has it
 * @refs: mappings, or the right to make them, and queues
 */
struct verbs_uar {
	struct ohca_uar uar;
	struct verbs_ucontext *uctx;
	struct kref refs;
};

/**
 * enum verbs_map_kind - what a mapping is of
 * @VERBS_MAP_UAR_NC: a UAR, non-cached, to be written
 * @VERBS_MAP_UAR_WC: a UAR, write-combining, to be written
 * @VERBS_MAP_CLOCK: the device's clock, to be read
 * @VERBS_MAP_CLOCK_INFO: struct mlx5_ib_clock_info, to be read
 */
enum verbs_map_kind {
	VERBS_MAP_UAR_NC,
	VERBS_MAP_UAR_WC,
	VERBS_MAP_CLOCK,
	VERBS_MAP_CLOCK_INFO,
};

/**
 * struct verbs_map - a page that a program may map
 * @entry: IB core's; goes when the last mapping has gone
 * @kind: what it is
 * @uar: the UAR, of which it holds a reference; NULL: it is none
 * @addr: physical address of the page
 */
struct verbs_map {
	struct rdma_user_mmap_entry entry;
	enum verbs_map_kind kind;
	struct verbs_uar *uar;
	phys_addr_t addr;
};

/* ucontext.c */
int verbs_alloc_ucontext(struct ib_ucontext *ibuctx, struct ib_udata *udata);
void verbs_dealloc_ucontext(struct ib_ucontext *ibuctx);
void verbs_disassociate_ucontext(struct ib_ucontext *ibuctx);

/* mmap.c */
int verbs_mmap(struct ib_ucontext *ibuctx, struct vm_area_struct *vma);
void verbs_mmap_free(struct rdma_user_mmap_entry *entry);
struct verbs_map *verbs_map_add(struct ib_ucontext *ibuctx, enum verbs_map_kind kind,
				phys_addr_t addr, struct verbs_uar *uar, u32 first, u32 last);

/* uar.c: UARs, and how programs make them */
struct verbs_uar *verbs_uar_make(struct verbs_ucontext *uctx);
struct verbs_uar *verbs_uar_get(struct verbs_ucontext *uctx, u32 index);
void verbs_uar_put(struct verbs_uar *uar);
extern const struct uapi_definition verbs_uar_defs[];

/*
 * Offsets that the library knows: a command and an index. It has those below 9;
 * the others mean what the device says.
 */
static inline u32 verbs_map_offset(u32 cmd, u32 index)
{
	return (index & ~0xffu) << 8 | cmd << 8 | (index & 0xff);
}

#define VERBS_MAP_FIRST_FREE	9
#define VERBS_MAP_LAST_FREE	255

#endif /* OHCA_PCI_VERBS_UCONTEXT_H */
