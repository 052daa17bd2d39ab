/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual clock: a queue of events, each at a time.
 */
#ifndef OHCA_SIM_CLOCK_H
#define OHCA_SIM_CLOCK_H

#include <linux/types.h>

#define USEC(n)		((u64)(n) * 1000)
#define MSEC(n)		((u64)(n) * 1000000)
#define SEC(n)		((u64)(n) * 1000000000)

enum sim_event_kind {
	EV_PACKET,	/* a packet arrives: @what is a struct sim_frame */
	EV_TRAIN,	/* a whole train arrives, unframed: @what is a struct sim_parcel */
	EV_TIMER,	/* a QP's timer: @what is a struct sim_qp */
	EV_SEND,	/* a QP may send: @what is a struct sim_qp */
	EV_RESPOND,	/* a QP may respond: @what is a struct sim_qp */
	EV_APP,		/* a consumer's turn: @what is a struct sim_qp */
	EV_CALL,	/* calls @fn */
};

/**
 * struct sim_event - something that happens at a time
 * @at: when, ns
 * @order: events of one time happen in the order they were made
 * @kind: what happens
 * @what: to what
 * @fn: EV_CALL: what to call with @what
 */
struct sim_event {
	u64 at;
	u64 order;
	enum sim_event_kind kind;
	void *what;
	void (*fn)(void *what);
};

/**
 * struct sim_clock - time and what is to come
 * @now: ns; only ever grows
 * @order: of the next event
 * @heap: a binary heap on (at, order)
 * @nr: events in it
 * @room: events that fit in it
 */
struct sim_clock {
	u64 now;
	u64 order;
	struct sim_event *heap;
	u32 nr;
	u32 room;
};

/* Adds an event at @at, or now if that has passed. */
void clock_add(struct sim_clock *clock, u64 at, enum sim_event_kind kind, void *what);

/* Calls @fn(@what) at @at. */
void clock_call(struct sim_clock *clock, u64 at, void (*fn)(void *what), void *what);

/* The next event, or NULL; stays in the queue. */
const struct sim_event *clock_peek(const struct sim_clock *clock);

/* Takes the next event off and moves @now to it. False if there is none. */
bool clock_take(struct sim_clock *clock, struct sim_event *ev);

/* Frees the queue; the events' objects are their makers'. */
void clock_free(struct sim_clock *clock);

#endif /* OHCA_SIM_CLOCK_H */
