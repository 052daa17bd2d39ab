// SPDX-License-Identifier: GPL-2.0
/*
 * The loop: ppoll(), a queue of work and a list of timers.
 */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "loop.h"

/* Work done between two looks at the descriptors, so that neither starves. */
#define WORK_BATCH	64

u64 loop_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

int loop_add(struct loop *loop, int fd, void (*fn)(void *arg), void *arg)
{
	if (loop->nr == LOOP_MAX_FDS)
		return -ENOSPC;
	loop->watch[loop->nr++] = (struct loop_watch){ .fd = fd, .fn = fn, .arg = arg };
	return 0;
}

void loop_on_writable(struct loop *loop, int fd, void (*fn)(void *arg))
{
	unsigned int i;

	for (i = 0; i < loop->nr; i++) {
		if (loop->watch[i].fd == fd)
			loop->watch[i].writable = fn;
	}
}

void loop_del(struct loop *loop, int fd)
{
	unsigned int i;

	for (i = 0; i < loop->nr; i++) {
		if (loop->watch[i].fd != fd)
			continue;
		loop->watch[i] = loop->watch[--loop->nr];
		return;
	}
}

void loop_queue(struct loop *loop, struct work *work)
{
	if (work->queued)
		return;
	work->queued = true;
	work->next = NULL;
	if (loop->tail)
		loop->tail->next = work;
	else
		loop->head = work;
	loop->tail = work;
}

void loop_cancel(struct loop *loop, struct work *work)
{
	struct work **link, *prev = NULL;

	if (!work->queued)
		return;
	for (link = &loop->head; *link; link = &(*link)->next) {
		if (*link == work) {
			*link = work->next;
			if (loop->tail == work)
				loop->tail = prev;
			break;
		}
		prev = *link;
	}
	work->queued = false;
}

void loop_arm(struct loop *loop, struct timer *timer, u64 deadline)
{
	timer->deadline = deadline;
	if (timer->active)
		return;
	timer->active = true;
	timer->prev = NULL;
	timer->next = loop->timers;
	if (loop->timers)
		loop->timers->prev = timer;
	loop->timers = timer;
}

void loop_disarm(struct loop *loop, struct timer *timer)
{
	if (!timer->active)
		return;
	timer->active = false;
	if (timer->prev)
		timer->prev->next = timer->next;
	else
		loop->timers = timer->next;
	if (timer->next)
		timer->next->prev = timer->prev;
}

/* What one wait lasts at most. */
#define MOST_NS		(60 * 1000000000ull)

/* Nanoseconds to the next deadline, no more than @most; negative: without end. */
static s64 time_to_wait(const struct loop *loop, s64 most)
{
	u64 first = U64_MAX, now;
	s64 wait;
	struct timer *t;

	if (loop->head)
		return 0;
	for (t = loop->timers; t; t = t->next)
		first = t->deadline < first ? t->deadline : first;
	if (first == U64_MAX)
		return most;
	now = loop_now();
	if (first <= now)
		return 0;
	wait = first - now < MOST_NS ? (s64)(first - now) : (s64)MOST_NS;
	return most >= 0 && most < wait ? most : wait;
}

static struct timer *due_timer(const struct loop *loop, u64 now)
{
	struct timer *t;

	for (t = loop->timers; t; t = t->next) {
		if (t->deadline <= now)
			return t;
	}
	return NULL;
}

static void run_timers(struct loop *loop)
{
	u64 now = loop_now();
	struct timer *t;

	/* From the start each time: a timer's function may end any other. */
	while ((t = due_timer(loop, now))) {
		loop_disarm(loop, t);
		t->fn(t->arg);
	}
}

static void run_work(struct loop *loop)
{
	struct work *work;
	int i;

	for (i = 0; i < WORK_BATCH && loop->head; i++) {
		work = loop->head;
		loop->head = work->next;
		if (!loop->head)
			loop->tail = NULL;
		work->queued = false;
		work->fn(work->arg);
	}
}

static struct loop_watch *find_watch(struct loop *loop, int fd)
{
	unsigned int i;

	for (i = 0; i < loop->nr; i++) {
		if (loop->watch[i].fd == fd)
			return &loop->watch[i];
	}
	return NULL;
}

/* Looked up anew each time: what one function does may add and remove others. */
static void call_watch(struct loop *loop, const struct pollfd *pfd)
{
	struct loop_watch *watch = find_watch(loop, pfd->fd);

	if (watch && watch->writable && (pfd->revents & POLLOUT)) {
		watch->writable(watch->arg);
		watch = find_watch(loop, pfd->fd);
	}
	if (watch && (pfd->revents & ~POLLOUT))
		watch->fn(watch->arg);
}

void loop_step(struct loop *loop, int timeout_ms)
{
	struct pollfd pfd[LOOP_MAX_FDS];
	s64 wait = time_to_wait(loop, timeout_ms < 0 ? -1 : timeout_ms * 1000000ll);
	struct timespec ts = { .tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000 };
	unsigned int i, nr = loop->nr;
	int ret;

	for (i = 0; i < nr; i++) {
		pfd[i] = (struct pollfd){ .fd = loop->watch[i].fd, .events = POLLIN };
		if (loop->watch[i].writable)
			pfd[i].events |= POLLOUT;
	}
	ret = ppoll(pfd, nr, wait < 0 ? NULL : &ts, NULL);
	if (ret > 0) {
		for (i = 0; i < nr; i++) {
			if (pfd[i].revents)
				call_watch(loop, &pfd[i]);
		}
	}
	if (loop->timers)
		run_timers(loop);
	run_work(loop);
}

void loop_run(struct loop *loop)
{
	while (!loop->stop)
		loop_step(loop, -1);
}
