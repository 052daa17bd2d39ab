/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a world: areas in odd pieces, and the regions registered on them.
 *
 * Real bytes lie in an arena, with a poisoned gap on each side of each piece;
 * a piece itself is poisoned too unless a mapping holds it. So any access that
 * tp_owner_map() did not allow ends in a report of the address sanitizer.
 */
#ifndef OHCA_SIM_MEMORY_H
#define OHCA_SIM_MEMORY_H

#include <linux/types.h>

struct sim_world;

/**
 * enum sim_shape - how an area is cut into pieces
 */
enum sim_shape {
	SHAPE_WHOLE,	/* one piece */
	SHAPE_PAGES,	/* 4096 bytes each, at such an alignment */
	SHAPE_ODD,	/* a few hundred bytes, any alignment */
	SHAPE_EIGHTS,	/* the same in multiples of 8: for ATOMICs */
	SHAPE_NUM
};

/**
 * struct sim_piece - bytes that lie in a row
 * @addr: where
 * @off: of its first byte in the area
 * @len: bytes
 * @maps: mappings that hold it
 */
struct sim_piece {
	u8 *addr;
	u32 off;
	u32 len;
	u32 maps;
};

/**
 * struct sim_area - memory of a consumer
 * @name: for messages
 * @size: bytes
 * @nr: pieces
 * @piece: the pieces, in order
 * @model: what the oracle says the bytes are
 * @start: where its part of the arena begins, with the gaps
 * @end: where that ends
 * @next: of the world's areas
 */
struct sim_area {
	const char *name;
	u32 size;
	u32 nr;
	struct sim_piece *piece;
	u8 *model;
	size_t start;
	size_t end;
	struct sim_area *next;
};

/**
 * struct sim_region - a registered region
 * @area: on which memory
 * @off: its first byte there
 * @iova: address of its first byte
 * @len: bytes
 * @repeat: not 0: the region shows the first @repeat bytes over and over
 * @lkey: local key
 * @rkey: remote key; unlike @lkey, so that a mix-up is found
 * @pd: protection domain
 * @access: TP_ACCESS_*
 * @spare: may be invalidated
 * @valid: not invalidated yet
 * @next: of the world's regions
 */
struct sim_region {
	struct sim_area *area;
	u32 off;
	u64 iova;
	u64 len;
	u32 repeat;
	u32 lkey;
	u32 rkey;
	u32 pd;
	u32 access;
	bool spare;
	bool valid;
	struct sim_region *next;
};

/**
 * struct sim_hold - one tp_owner_map() that tp_owner_unmap() is to give back
 * @region: of which region
 * @off: first byte in the area
 * @len: bytes
 * @live: not given back yet
 * @next: unused ones
 */
struct sim_hold {
	struct sim_region *region;
	u32 off;
	u32 len;
	bool live;
	struct sim_hold *next;
};

/**
 * struct sim_memory - all memory of a world
 * @base: the arena
 * @size: its bytes
 * @used: of those, given out
 * @models: bytes of the arena's second half given out
 * @areas: the areas
 * @regions: the regions
 * @unused: holds not in use
 * @holds: holds in use
 */
struct sim_memory {
	u8 *base;
	size_t size;
	size_t used;
	size_t models;
	struct sim_area *areas;
	struct sim_region *regions;
	struct sim_hold *unused;
	u32 holds;
};

/* Makes an area of random bytes. */
struct sim_area *area_make(const char *name, u32 size, enum sim_shape shape);

/* Copies real bytes out or in; the oracle's model is left alone. */
void area_read(struct sim_area *area, u32 off, void *to, u32 len);
void area_write(struct sim_area *area, u32 off, const void *from, u32 len);

/* The first byte that differs from @want, or @len. */
u32 area_compare(struct sim_area *area, u32 off, const void *want, u32 len);

/* Fills real bytes and model with new random ones: the consumer uses its memory. */
void area_scribble(struct sim_area *area, u32 off, u32 len);

/* Registers a region. Keys are random, and different. */
struct sim_region *region_make(struct sim_area *area, u32 off, u64 len, u64 iova, u32 pd,
			       u32 access);

/* A valid region of @pd on [@off, @off + @len) of @area with @access, at random; NULL if none. */
struct sim_region *region_pick(struct sim_area *area, u32 off, u32 len, u32 pd, u32 access);

struct sim_region *region_by_rkey(u32 rkey);

/* Nothing was written between the pieces; no mapping is held. */
void memory_check(void);

/* The real bytes of every area are what its model says. */
void memory_compare(void);

void memory_init(struct sim_memory *mem, size_t size);
void memory_free(struct sim_memory *mem);

#endif /* OHCA_SIM_MEMORY_H */
