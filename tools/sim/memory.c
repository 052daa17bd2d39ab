// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a world, and the part of the owner that maps it.
 *
 * tp_owner_map() here is the naive check that the transport is judged by: one
 * list of regions, and a mapping only if key, domain, right and range fit.
 */
#include "sim.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif

#ifdef SIM_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)		((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n)	((void)(p), (void)(n))
#endif

#define GAP_BYTE	0xc5
#define GAP_MIN		16u

/* The arena is the process's: each world begins it anew. Its second half is for models. */
static u8 *arena;
static size_t arena_size;

void memory_init(struct sim_memory *mem, size_t size)
{
	if (size > arena_size) {
		free(arena);
		arena = malloc(2 * size);
		arena_size = size;
		if (!arena)
			abort();
	}
	mem->base = arena;
	mem->size = size;
	mem->used = 0;
	mem->models = 0;
}

void memory_free(struct sim_memory *mem)
{
	struct sim_region *region;
	struct sim_area *area;
	struct sim_hold *hold;

	ASAN_UNPOISON_MEMORY_REGION(mem->base, mem->used);
	while ((region = mem->regions)) {
		mem->regions = region->next;
		free(region);
	}
	while ((area = mem->areas)) {
		mem->areas = area->next;
		free(area->piece);
		free(area);
	}
	while ((hold = mem->unused)) {
		mem->unused = hold->next;
		free(hold);
	}
}

/* Room for @len bytes at a chance alignment of @align's multiples, with gaps around. */
static u8 *arena_take(u32 len, u32 align)
{
	struct sim_memory *mem = &world->mem;
	size_t start = mem->used;
	size_t at = start + GAP_MIN + random_below(&world->rng, 16);
	size_t end;

	at = (at + align - 1) / align * align;
	end = (at + len + GAP_MIN + 7) & ~(size_t)7;
	sim_check(end <= mem->size, "the simulator's arena of %zu bytes is too small", mem->size);
	memset(mem->base + start, GAP_BYTE, at - start);
	memset(mem->base + at + len, GAP_BYTE, end - at - len);
	mem->used = end;
	return mem->base + at;
}

static u8 *model_take(u32 len)
{
	struct sim_memory *mem = &world->mem;
	u8 *at = arena + arena_size + mem->models;

	sim_check(len <= mem->size - mem->models, "the simulator's arena is too small");
	mem->models += len;
	return at;
}

static void piece_close(struct sim_piece *p)
{
	size_t from = (size_t)p->addr & ~(size_t)7;
	size_t to = ((size_t)p->addr + p->len + 7) & ~(size_t)7;

	ASAN_POISON_MEMORY_REGION((void *)from, to - from);
}

static void piece_open(struct sim_piece *p)
{
	ASAN_UNPOISON_MEMORY_REGION(p->addr, p->len);
}

static u32 piece_length(enum sim_shape shape, u32 left, bool first)
{
	struct sim_random *rng = &world->rng;
	u32 n = left;

	switch (shape) {
	case SHAPE_WHOLE:
		return left;
	case SHAPE_PAGES:
		n = first ? random_range(rng, 1, 4096) : 4096;
		break;
	case SHAPE_ODD:
		/* No inner piece below 256 bytes: see TP_MAX_SEGS. */
		n = first ? random_range(rng, 1, 1500) : random_range(rng, 300, 1500);
		break;
	default:
		n = 8 * (first ? random_range(rng, 1, 180) : random_range(rng, 40, 180));
		break;
	}
	return n < left ? n : left;
}

struct sim_area *area_make(const char *name, u32 size, enum sim_shape shape)
{
	struct sim_area *area = calloc(1, sizeof(*area));
	static const u32 align[SHAPE_NUM] = { 8, 64, 1, 8 };
	u32 room = 0, off = 0, n;
	struct sim_piece *p;

	area->name = name;
	area->size = size;
	area->start = world->mem.used;
	area->model = model_take(size);
	random_fill(&world->rng, area->model, size);
	while (off < size) {
		if (area->nr == room) {
			room = room ? 4 * room : 4;
			area->piece = realloc(area->piece, room * sizeof(*area->piece));
		}
		n = piece_length(shape, size - off, !off);
		p = &area->piece[area->nr++];
		p->off = off;
		p->len = n;
		p->maps = 0;
		p->addr = arena_take(n, align[shape]);
		memcpy(p->addr, area->model + off, n);
		off += n;
	}
	area->end = world->mem.used;
	for (n = 0; n < area->nr; n++)
		piece_close(&area->piece[n]);
	area->next = world->mem.areas;
	world->mem.areas = area;
	return area;
}

/* Index of the piece that has byte @off. */
static u32 area_find(const struct sim_area *area, u32 off)
{
	u32 lo = 0, hi = area->nr - 1, mid;

	while (lo < hi) {
		mid = (lo + hi + 1) / 2;
		if (area->piece[mid].off <= off)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

/* Calls @fn for each run of bytes in [@off, @off + @len); ends early if it returns true. */
static u32 area_walk(struct sim_area *area, u32 off, u32 len,
		     bool (*fn)(u8 *at, u8 *other, u32 n, u32 *bad), u8 *other)
{
	u32 done = 0, bad = 0, skip, n, i;
	struct sim_piece *p;
	bool stop;

	for (i = len ? area_find(area, off) : 0; done < len; i++) {
		p = &area->piece[i];
		skip = off + done - p->off;
		n = p->len - skip;
		if (n > len - done)
			n = len - done;
		if (!p->maps)
			piece_open(p);
		stop = fn(p->addr + skip, other + done, n, &bad);
		if (!p->maps)
			piece_close(p);
		if (stop)
			return done + bad;
		done += n;
	}
	return len;
}

static bool walk_read(u8 *at, u8 *other, u32 n, u32 *bad)
{
	(void)bad;
	memcpy(other, at, n);
	return false;
}

static bool walk_write(u8 *at, u8 *other, u32 n, u32 *bad)
{
	(void)bad;
	memcpy(at, other, n);
	return false;
}

static bool walk_compare(u8 *at, u8 *other, u32 n, u32 *bad)
{
	u32 i;

	if (!memcmp(at, other, n))
		return false;
	for (i = 0; at[i] == other[i]; i++)
		;
	*bad = i;
	return true;
}

void area_read(struct sim_area *area, u32 off, void *to, u32 len)
{
	area_walk(area, off, len, walk_read, to);
}

void area_write(struct sim_area *area, u32 off, const void *from, u32 len)
{
	area_walk(area, off, len, walk_write, (u8 *)from);
}

u32 area_compare(struct sim_area *area, u32 off, const void *want, u32 len)
{
	return area_walk(area, off, len, walk_compare, (u8 *)want);
}

void area_scribble(struct sim_area *area, u32 off, u32 len)
{
	random_fill(&world->rng, area->model + off, len);
	area_write(area, off, area->model + off, len);
}

static bool key_is_taken(u32 key)
{
	const struct sim_region *r;

	for (r = world->mem.regions; r; r = r->next)
		if (r->lkey == key || r->rkey == key)
			return true;
	return !key;
}

static u32 key_make(void)
{
	u32 key;

	do
		key = random_bits(&world->rng);
	while (key_is_taken(key));
	return key;
}

struct sim_region *region_make(struct sim_area *area, u32 off, u64 len, u64 iova, u32 pd,
			       u32 access)
{
	struct sim_region *region = calloc(1, sizeof(*region));

	region->area = area;
	region->off = off;
	region->len = len;
	region->iova = iova;
	region->pd = pd;
	region->access = access;
	region->valid = true;
	region->lkey = key_make();
	do
		region->rkey = key_make();
	while (region->rkey == region->lkey);
	region->next = world->mem.regions;
	world->mem.regions = region;
	return region;
}

struct sim_region *region_pick(struct sim_area *area, u32 off, u32 len, u32 pd, u32 access)
{
	struct sim_region *region, *found = NULL;
	u32 seen = 0;

	for (region = world->mem.regions; region; region = region->next) {
		if (region->area != area || region->pd != pd || !region->valid || region->spare)
			continue;
		if ((region->access & access) != access || off < region->off)
			continue;
		if (off - region->off > region->len || len > region->len - (off - region->off))
			continue;
		if (!random_below(&world->rng, ++seen))
			found = region;
	}
	return found;
}

struct sim_region *region_by_rkey(u32 rkey)
{
	struct sim_region *region;

	for (region = world->mem.regions; region; region = region->next)
		if (region->rkey == rkey)
			return region;
	return NULL;
}

static void check_gap(const u8 *from, const u8 *to)
{
	while (from < to)
		sim_check(*from++ == GAP_BYTE, "a byte outside every area was written");
}

/* The bytes of the arena that @area has, but are in no piece. */
static void check_gaps(const struct sim_area *area)
{
	const u8 *at = world->mem.base + area->start;
	u32 i;

	for (i = 0; i < area->nr; i++) {
		check_gap(at, area->piece[i].addr);
		at = area->piece[i].addr + area->piece[i].len;
	}
	check_gap(at, world->mem.base + area->end);
}

void memory_check(void)
{
	struct sim_memory *mem = &world->mem;
	struct sim_area *area;
	u32 n;

	sim_check(!mem->holds, "%u mappings were not given back", mem->holds);
	ASAN_UNPOISON_MEMORY_REGION(mem->base, mem->used);
	for (area = mem->areas; area; area = area->next)
		check_gaps(area);
	for (area = mem->areas; area; area = area->next)
		for (n = 0; n < area->nr; n++)
			piece_close(&area->piece[n]);
}

void memory_compare(void)
{
	struct sim_area *area;
	u32 off;

	for (area = world->mem.areas; area; area = area->next) {
		off = area_compare(area, 0, area->model, area->size);
		sim_check(off == area->size, "memory '%s' differs from the model at byte %u of %u",
			  area->name, off, area->size);
	}
}

static struct sim_hold *hold_take(struct sim_region *region, u32 off, u32 len)
{
	struct sim_memory *mem = &world->mem;
	struct sim_hold *hold = mem->unused;

	if (hold)
		mem->unused = hold->next;
	else
		hold = malloc(sizeof(*hold));
	*hold = (struct sim_hold){ .region = region, .off = off, .len = len, .live = true };
	mem->holds++;
	return hold;
}

static bool key_fits(const struct sim_region *region, u32 key, u32 access)
{
	const u32 remote = TP_ACCESS_REMOTE_WRITE | TP_ACCESS_REMOTE_READ | TP_ACCESS_REMOTE_ATOMIC;

	return key == (access & remote ? region->rkey : region->lkey);
}

/* The region that @key names, if an access is right in every respect. */
static struct sim_region *region_check(const struct sim_qp *qp, u32 key, u64 addr, u32 len,
				       u32 access)
{
	struct sim_region *region;

	for (region = world->mem.regions; region; region = region->next)
		if (key_fits(region, key, access))
			break;
	if (!region || region->pd != qp->pd)
		return NULL;
	if (!region->valid && !broken(BREAK_no_invalidate))
		return NULL;
	if ((region->access & access) != access && !broken(BREAK_map_no_access))
		return NULL;
	if (addr < region->iova || addr - region->iova > region->len)
		return NULL;
	if (len > region->len - (addr - region->iova))
		return NULL;
	return region;
}

static bool paging_now(struct sim_qp *qp)
{
	const struct sim_config *cfg = &world->cfg;
	u64 at;

	/* One refusal between two completions, so that retry_cnt is enough. */
	if (qp->paged || !random_chance(&world->rng, cfg->paging))
		return false;
	qp->paged = true;
	at = world->clock.now + random_range(&world->rng, 100, 20000);
	kick_send_at(qp, at);
	kick_respond_at(qp, at);
	return true;
}

/* Segments of [@off, @off + @len) of @area behind those in @mem; fewer if they don't fit. */
static u32 map_pieces(struct tp_mem *mem, struct sim_area *area, u32 off, u32 len)
{
	u32 done = 0, skip, n, i;
	struct sim_piece *p;

	for (i = area_find(area, off); done < len && mem->nr < TP_MAX_SEGS; i++) {
		p = &area->piece[i];
		skip = off + done - p->off;
		n = p->len - skip;
		if (n > len - done)
			n = len - done;
		if (!p->maps++)
			piece_open(p);
		mem->seg[mem->nr].addr = p->addr + skip;
		mem->seg[mem->nr].len = n;
		mem->nr++;
		done += n;
	}
	return done;
}

/* The same for a region that repeats its bytes; those are never poisoned. */
static u32 map_repeated(struct tp_mem *mem, struct sim_region *region, u64 off, u32 len)
{
	struct sim_piece *p = &region->area->piece[0];
	u32 done = 0, at, n;

	piece_open(p);
	while (done < len && mem->nr < TP_MAX_SEGS) {
		at = (off + done) % region->repeat;
		n = region->repeat - at;
		if (n > len - done)
			n = len - done;
		mem->seg[mem->nr].addr = p->addr + at;
		mem->seg[mem->nr].len = n;
		mem->nr++;
		done += n;
	}
	return done;
}

int tp_owner_map(struct tp_qp *tp, struct tp_mem *mem, u32 key, u64 addr, u32 len, u32 access)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);
	struct sim_region *region;
	u32 off, done;
	u64 skip;

	sim_check(len, "tp_owner_map() of no bytes");
	sim_check(mem->nr <= TP_MAX_SEGS && mem->nr_refs <= TP_MAX_SGE,
		  "tp_owner_map() into a mapping of %u segments and %u references",
		  mem->nr, mem->nr_refs);
	region = region_check(qp, key, addr, len, access);
	if (!region) {
		trace("qp %u map key %x addr %llx len %u access %x: refused", qp->qpn, key,
		      (unsigned long long)addr, len, access);
		return -EACCES;
	}
	if (paging_now(qp))
		return -EAGAIN;
	if (mem->nr == TP_MAX_SEGS || mem->nr_refs == TP_MAX_SGE)
		return 0;
	skip = addr - region->iova;
	off = region->off + (region->repeat ? 0 : (u32)skip);
	if (region->repeat) {
		done = map_repeated(mem, region, skip, len);
	} else {
		done = map_pieces(mem, region->area, off, len);
		if (broken(BREAK_map_shift) && mem->seg[mem->nr - 1].len > 1)
			mem->seg[mem->nr - 1].addr = (u8 *)mem->seg[mem->nr - 1].addr - 1;
		if (broken(BREAK_map_no_range))
			mem->seg[mem->nr - 1].addr = region->area->piece[0].addr - 1;
	}
	mem->ref[mem->nr_refs++] = hold_take(region, off, region->repeat ? 0 : done);
	mem->length += done;
	return done;
}

void tp_owner_unmap(struct tp_mem *mem)
{
	struct sim_hold *hold;
	struct sim_piece *p;
	u32 i, n, skip;

	if (broken(BREAK_leak_map) && mem->nr_refs && random_chance(&world->rng, 20))
		mem->nr_refs--;
	for (i = 0; i < mem->nr_refs; i++) {
		hold = mem->ref[i];
		sim_check(hold->live, "a mapping is given back twice");
		hold->live = false;
		p = hold->len ? &hold->region->area->piece[area_find(hold->region->area,
								     hold->off)] : NULL;
		for (skip = p ? hold->off - p->off : 0; hold->len; p++, skip = 0) {
			n = p->len - skip;
			if (n > hold->len)
				n = hold->len;
			if (!--p->maps)
				piece_close(p);
			hold->len -= n;
		}
		hold->next = world->mem.unused;
		world->mem.unused = hold;
		world->mem.holds--;
	}
	if (broken(BREAK_use_after_unmap) && mem->nr)
		*(u8 *)mem->seg[0].addr ^= 1;
	mem->nr = 0;
	mem->nr_refs = 0;
	mem->length = 0;
}

u64 tp_owner_atomic(struct tp_qp *tp, void *addr, enum tp_op op, u64 swap_add, u64 compare)
{
	u64 before, after;

	(void)tp;
	sim_check(!((size_t)addr & 7), "an ATOMIC on the unaligned address %p", addr);
	sim_check(op == TP_OP_CMP_SWAP || op == TP_OP_FETCH_ADD, "an ATOMIC of kind %d", op);
	memcpy(&before, addr, 8);
	after = op == TP_OP_FETCH_ADD ? before + swap_add :
		before == compare ? swap_add : before;
	if (broken(BREAK_atomic_twice) && op == TP_OP_FETCH_ADD)
		after += swap_add;
	memcpy(addr, &after, 8);
	return before;
}

/* Once, and before anything that was posted after it is taken. */
int tp_owner_bind(struct tp_qp *tp, const struct tp_send_wr *wr)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);
	struct sim_send *s = qp->sends.item[wr->bind.key];

	sim_check(s->wr_id == wr->wr_id, "qp %u: REG_MR of another WR", qp->qpn);
	sim_check(wr->bind.key + 1 == qp->taken && !s->bound,
		  "qp %u wr %llx: REG_MR is executed out of its turn", qp->qpn,
		  (unsigned long long)wr->wr_id);
	if (paging_now(qp))
		return -EAGAIN;
	s->bound = true;
	return 0;
}

int tp_owner_invalidate(struct tp_qp *tp, u32 rkey, bool remote)
{
	struct sim_qp *qp = container_of(tp, struct sim_qp, tp);
	struct sim_region *region = region_by_rkey(rkey);

	trace("qp %u invalidate %x%s", qp->qpn, rkey, remote ? " for the peer" : "");
	if (!region || region->pd != qp->pd || !region->valid || !region->spare)
		return -EACCES;
	region->valid = false;
	return 0;
}
