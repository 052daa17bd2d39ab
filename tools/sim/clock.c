// SPDX-License-Identifier: GPL-2.0
/*
 * The virtual clock: a binary heap of events.
 */
#include "clock.h"

#include <stdlib.h>

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void add(struct sim_clock *clock, struct sim_event ev)
{
	u32 i = clock->nr;

	if (clock->nr == clock->room) {
		clock->room = clock->room ? 2 * clock->room : 64;
		clock->heap = realloc(clock->heap, clock->room * sizeof(*clock->heap));
		if (!clock->heap)
			abort();
	}
	if (ev.at < clock->now)
		ev.at = clock->now;
	ev.order = clock->order++;
	clock->nr++;
	while (i && before(&ev, &clock->heap[(i - 1) / 2])) {
		clock->heap[i] = clock->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	clock->heap[i] = ev;
}

void clock_add(struct sim_clock *clock, u64 at, enum sim_event_kind kind, void *what)
{
	add(clock, (struct sim_event){ .at = at, .kind = kind, .what = what });
}

void clock_call(struct sim_clock *clock, u64 at, void (*fn)(void *what), void *what)
{
	add(clock, (struct sim_event){ .at = at, .kind = EV_CALL, .what = what, .fn = fn });
}

const struct sim_event *clock_peek(const struct sim_clock *clock)
{
	return clock->nr ? &clock->heap[0] : NULL;
}

bool clock_take(struct sim_clock *clock, struct sim_event *ev)
{
	struct sim_event last;
	u32 i = 0, child;

	if (!clock->nr)
		return false;
	*ev = clock->heap[0];
	last = clock->heap[--clock->nr];
	for (;;) {
		child = 2 * i + 1;
		if (child >= clock->nr)
			break;
		if (child + 1 < clock->nr && before(&clock->heap[child + 1], &clock->heap[child]))
			child++;
		if (!before(&clock->heap[child], &last))
			break;
		clock->heap[i] = clock->heap[child];
		i = child;
	}
	if (clock->nr)
		clock->heap[i] = last;
	clock->now = ev->at;
	return true;
}

void clock_free(struct sim_clock *clock)
{
	free(clock->heap);
	clock->heap = NULL;
	clock->nr = 0;
	clock->room = 0;
}
