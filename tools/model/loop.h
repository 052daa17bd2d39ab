/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one thread of the model: file descriptors, timers, and work that is to be
 * done once what is at hand is finished.
 */
#ifndef OHCA_MODEL_LOOP_H
#define OHCA_MODEL_LOOP_H

#include <linux/types.h>

#define LOOP_MAX_FDS	32

/**
 * struct work - a function to call soon; queued at most once at a time
 * @fn: what to call
 * @arg: its argument
 * @queued: waits for its turn
 * @next: in the queue
 */
struct work {
	void (*fn)(void *arg);
	void *arg;
	bool queued;
	struct work *next;
};

/**
 * struct timer - a function to call later
 * @fn: what to call
 * @arg: its argument
 * @deadline: in ns of loop_now()
 * @active: in the list
 * @prev: in the list of active timers, which has no order
 * @next: same
 */
struct timer {
	void (*fn)(void *arg);
	void *arg;
	u64 deadline;
	bool active;
	struct timer *prev;
	struct timer *next;
};

/**
 * struct loop_watch - a descriptor
 * @fd: the descriptor
 * @fn: there is something to read
 * @arg: argument of @fn
 * @writable: there is room to write; NULL: nobody waits for that
 */
struct loop_watch {
	int fd;
	void (*fn)(void *arg);
	void *arg;
	void (*writable)(void *arg);
};

/**
 * struct loop - the loop
 * @watch: descriptors to read from
 * @nr: how many
 * @head: queue of work
 * @tail: its end
 * @timers: active timers
 * @stop: leave loop_run()
 */
struct loop {
	struct loop_watch watch[LOOP_MAX_FDS];
	unsigned int nr;
	struct work *head;
	struct work *tail;
	struct timer *timers;
	bool stop;
};

u64 loop_now(void);
int loop_add(struct loop *loop, int fd, void (*fn)(void *arg), void *arg);
/* Calls @fn, with the argument given to loop_add(), when @fd can be written to; NULL: no more. */
void loop_on_writable(struct loop *loop, int fd, void (*fn)(void *arg));
void loop_del(struct loop *loop, int fd);
void loop_queue(struct loop *loop, struct work *work);
void loop_cancel(struct loop *loop, struct work *work);
void loop_arm(struct loop *loop, struct timer *timer, u64 deadline);
void loop_disarm(struct loop *loop, struct timer *timer);
/* Waits for at most @timeout_ms (-1: without end) and does what is due, once. */
void loop_step(struct loop *loop, int timeout_ms);
void loop_run(struct loop *loop);

#endif /* OHCA_MODEL_LOOP_H */
