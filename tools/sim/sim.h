/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The transport simulator: what its parts share.
 *
 * A world is one seed's run: QP pairs, their memory, the wire between them and
 * the virtual clock. There is one at a time (struct sim_world *world), in one
 * thread. Each side of a pair is an owner of the transport, like a device.
 */
#ifndef OHCA_SIM_H
#define OHCA_SIM_H

#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"
#include "qp.h"
#include "clock.h"
#include "memory.h"
#include "random.h"

#define SIM_PSN(n)	((u32)(n) & 0xffffff)

/* Receive completions' opcodes: enum ibv_wc_opcode; the uapi header has only the send side's. */
#define SIM_WC_RECV		128u
#define SIM_WC_RECV_IMM		129u

/*
 * What --break breaks: each is a fault in the simulator's own wire, memory or
 * owner that stands for a bug of the transport, and that a run must find.
 */
#define SIM_BREAKS(X)								\
	X(ghost_message,	"a SEND is received twice, the second past the PSN check")	\
	X(flip_payload,		"a payload bit flips after the ICRC was checked")	\
	X(flip_response,	"a bit of READ data flips after the ICRC was checked")	\
	X(lose_send_wc,		"a send completion is lost")			\
	X(lose_recv_wc,		"a receive completion is lost")			\
	X(repeat_send_wc,	"a send completion comes twice")		\
	X(repeat_recv_wc,	"a receive completion comes twice")		\
	X(swap_send_wc,		"two send completions change places")		\
	X(wrong_imm,		"immediate data changes")			\
	X(wrong_byte_len,	"byte_len is one more")				\
	X(lose_solicited,	"the solicited mark is lost")			\
	X(atomic_twice,		"an ATOMIC is executed twice")			\
	X(map_shift,		"memory is mapped one byte off")		\
	X(map_no_access,	"access rights are not looked at")		\
	X(map_no_range,		"a mapping begins before its region")		\
	X(leak_map,		"a mapping is never given back")		\
	X(use_after_unmap,	"a byte is written after the mapping was given back")	\
	X(dead_timer,		"the ACK timer never fires")			\
	X(dead_wire,		"nothing arrives any more")			\
	X(no_fence,		"the fence flag is ignored")			\
	X(early_send_wc,	"a send completes when it is posted")		\
	X(rewrite,		"a WRITE is executed a second time, later")	\
	X(skip_icrc,		"the ICRC of a packet is not checked")		\
	X(lose_event,		"asynchronous events are lost")			\
	X(wrong_status,		"REM_ACCESS_ERR is reported as REM_OP_ERR")	\
	X(flush_reverse,	"flushed work completes last first")		\
	X(no_invalidate,	"an invalidated key goes on working")

#define SIM_BREAK_ENUM(name, text) BREAK_##name,
enum sim_break {
	BREAK_none,
	SIM_BREAKS(SIM_BREAK_ENUM)
	SIM_NUM_BREAKS
};

#undef SIM_BREAK_ENUM

extern enum sim_break sim_break;
extern const char *const sim_break_names[SIM_NUM_BREAKS];

static inline bool broken(enum sim_break what)
{
	return __builtin_expect(sim_break == what, 0);
}

/**
 * struct sim_range - bytes of an area
 * @area: which
 * @off: first byte
 * @len: how many
 */
struct sim_range {
	struct sim_area *area;
	u32 off;
	u32 len;
};

/**
 * struct sim_send - a send WR and what is to become of it
 * @wr_id: unlike that of any other
 * @opcode: enum ib_uverbs_wr_opcode
 * @flags: TP_SEND_*
 * @signaled: gives a completion
 * @bad: handed to the transport as a WR that the owner found malformed
 * @imm: immediate data
 * @inv_rkey: key to invalidate
 * @length: bytes
 * @num_sge: entries in @sge
 * @sge: local memory as the transport sees it
 * @local: the same as the oracle sees it
 * @inline_data: bytes of an inline WR
 * @remote: remote memory as the oracle sees it
 * @rkey: remote key
 * @va: remote address
 * @compare: compare operand or addend
 * @swap: swap operand
 * @payload: the bytes that the message carries, or that a READ brings
 * @delivered: the peer has its receive completion
 * @number: how many were posted before it
 * @bound: REG_MR: was executed
 * @early: a --break has completed it already
 */
struct sim_send {
	u64 wr_id;
	u32 opcode;
	u32 flags;
	bool signaled;
	enum tp_wc_status bad;
	__be32 imm;
	u32 inv_rkey;
	u32 length;
	u32 num_sge;
	struct tp_sge sge[TP_MAX_SGE];
	struct sim_range local[TP_MAX_SGE];
	u8 *inline_data;
	struct sim_range remote;
	u32 rkey;
	u64 va;
	u64 compare;
	u64 swap;
	u8 *payload;
	bool delivered;
	u32 number;
	bool bound;
	bool early;
};

/**
 * struct sim_recv - a receive WR
 * @wr_id: unlike that of any other
 * @bad: handed to the transport as a WR that the owner found malformed
 * @length: bytes
 * @num_sge: entries in @sge
 * @sge: memory as the transport sees it
 * @local: the same as the oracle sees it
 * @slot: which slot of the area it has, or -1
 */
struct sim_recv {
	u64 wr_id;
	enum tp_wc_status bad;
	u32 length;
	u32 num_sge;
	struct tp_sge sge[TP_MAX_SGE];
	struct sim_range local[TP_MAX_SGE];
	int slot;
};

/**
 * struct sim_queue - a growing list of pointers, oldest first
 * @item: the entries
 * @nr: how many
 * @room: how many fit
 */
struct sim_queue {
	void **item;
	u32 nr;
	u32 room;
};

void queue_add(struct sim_queue *q, void *item);

/**
 * struct sim_rq - a receive queue, of one QP or shared by a side's
 * @posted: struct sim_recv, all that ever were
 * @taken: of those, taken by a QP
 * @done: of those, completed
 * @depth: may be posted and not completed
 * @quota: to be posted in all
 * @slots: busy receive buffers, one byte each
 * @slot_len: bytes of a receive buffer
 * @area: where the buffers are
 */
struct sim_rq {
	struct sim_queue posted;
	u32 taken;
	u32 done;
	u32 depth;
	u32 quota;
	u8 *slots;
	u32 slot_len;
	struct sim_area *area;
};

/**
 * struct sim_cqe - a completion that came, for the cases to look at
 * @wc: what the transport said
 * @at: when
 */
struct sim_cqe {
	struct tp_wc wc;
	u64 at;
};

#define SIM_LOSS_CELLS	64u

/**
 * struct sim_fair - remembers what a fair wire has lost
 * @psn: of the packet that a cell is about
 * @lost: how often in a row
 * @acks: ACKs lost in a row
 * @trains: trains refused in a row
 */
struct sim_fair {
	u32 psn[2][SIM_LOSS_CELLS];
	u8 lost[2][SIM_LOSS_CELLS];
	u8 acks;
	u8 trains;
};

/**
 * struct sim_qp - one end of a pair, as its owner has it
 * @tp: the transport's part
 * @index: in the world
 * @side: 0 or 1
 * @peer: the other end
 * @qpn: its number
 * @pd: its protection domain
 * @attr: as last set
 * @init: as it was made
 * @up: tp_qp_init() has been called
 * @sends: struct sim_send, all that were ever posted
 * @msgs: of those, the ones that take a receive WR of the peer
 * @taken: of those in @sends, taken by the transport
 * @done: of those, completed: their slots are free
 * @seen: of those, looked at by the oracle
 * @quota: send WRs to post in all
 * @sig_all: every send WR is signaled
 * @rq: where its receive WRs come from
 * @own_rq: that, if it is not shared
 * @held: struct sim_recv that this QP took, in order
 * @held_done: of those, completed: their slots are free
 * @held_seen: of those, looked at by the oracle
 * @matched: of the peer's @msgs, received
 * @placed: of its own sends, those whose WRITE was seen at the peer by a receive
 * @failed: its completions are in error from here on: [0] sends, [1] receives
 * @send_log: struct sim_cqe, send completions in order
 * @recv_log: struct sim_cqe, receive completions in order
 * @events: how often each event was raised
 * @event_at: when it was last raised
 * @counter: the transport's counters
 * @drops: packets dropped, by reason
 * @retransmits: calls of tp_owner_retransmit()
 * @moved: the state that the transport itself last moved it to, or -1
 * @armed: the timer is armed
 * @deadline: for when
 * @earliest: when the next timer event comes; 0: none is in the clock's queue
 * @app_due: a consumer's turn is in the clock's queue
 * @send_due: a tp_send() is in the clock's queue
 * @respond_due: a tp_respond() is in the clock's queue
 * @blocked: xmit refuses until this time (0: does not), per kind of train
 * @paged: a mapping has failed with -EAGAIN since the last completion
 * @fair: what the wire has lost of what it sent
 * @local: local memory of its requests
 * @target: memory for the peer's WRITE, READ and ATOMIC
 * @spare: keys of this side that the peer may invalidate, then this side itself
 * @spare_used: of those, used up
 * @last_psn: PSN of the last request it sent (for the hostile peer)
 * @stash: a completion held back by a --break
 * @stashed: there is one
 */
struct sim_qp {
	struct tp_qp tp;
	u32 index;
	u32 side;
	struct sim_qp *peer;
	u32 qpn;
	u32 pd;
	struct tp_qp_attr attr;
	struct tp_qp_init_attr init;
	bool up;

	struct sim_queue sends;
	struct sim_queue msgs;
	u32 taken;
	u32 done;
	u32 seen;
	u32 quota;
	bool sig_all;

	struct sim_rq *rq;
	struct sim_rq own_rq;
	struct sim_queue held;
	u32 held_done;
	u32 held_seen;
	u32 matched;
	u32 placed;
	bool failed[2];

	struct sim_queue send_log;
	struct sim_queue recv_log;
	u32 events[TP_EVENT_ACCESS_ERR + 1];
	u64 event_at[TP_EVENT_ACCESS_ERR + 1];
	u64 counter[TP_NUM_COUNTERS];
	u32 drops[TP_NUM_DROPS];
	u32 retransmits;
	int moved;

	bool armed;
	u64 deadline;
	u64 earliest;
	bool app_due;
	bool send_due;
	bool respond_due;
	u64 blocked[2];
	bool paged;
	struct sim_fair fair;

	struct sim_area *local;
	struct sim_area *target;
	struct sim_queue spare;
	u32 spare_used;
	u32 last_psn;

	struct tp_wc stash;
	bool stashed;
};

/**
 * struct sim_config - how a world is made, and how it behaves
 * @service: transport service of all QPs
 * @pairs: QP pairs
 * @mtu: path MTU
 * @ipv6: framing
 * @local: trains go to the peer without packets
 * @raw: trains are carried whole, unframed
 * @latency: of the wire, ns
 * @jitter: at most this is added, ns
 * @lose: packets lost, of a thousand
 * @duplicate: packets that come twice
 * @reorder: packets that @jitter is added to
 * @corrupt: packets with flipped bits or cut short
 * @unfair: loss knows no limit
 * @busy: trains refused with -EAGAIN
 * @paging: mappings refused with -EAGAIN
 * @join: packets that may join the train before them
 * @spurious: timers that fire early, or though disarmed
 * @quota: send WRs of each QP
 * @max_msg: largest message
 * @max_send: largest SEND
 * @late_recv: receive WRs are posted late
 * @srq: receive WRs come from a queue of the side
 * @pieces: shape of memory, enum sim_shape
 * @sq_depth: send WRs of a QP
 * @rq_depth: receive WRs of a queue
 * @max_sge: entries of a WR
 * @max_inline: inline bytes
 * @sig_all: every send WR is signaled
 * @sq_psn: first PSN of each side
 * @rd: max_rd_atomic of both sides
 * @dest_rd: max_dest_rd_atomic of both sides
 * @timeout: as in struct tp_qp_attr; so are the next three
 * @retry_cnt: …
 * @rnr_retry: …
 * @min_rnr_timer: …
 * @turn: a consumer's time between two turns, at most, ns
 */
struct sim_config {
	enum tp_service service;
	u32 pairs;
	u32 mtu;
	bool ipv6;
	bool local;
	bool raw;
	u64 latency;
	u64 jitter;
	u32 lose;
	u32 duplicate;
	u32 reorder;
	u32 corrupt;
	bool unfair;
	u32 busy;
	u32 paging;
	u32 join;
	u32 spurious;
	u32 quota;
	u32 max_msg;
	u32 max_send;
	bool late_recv;
	bool srq;
	enum sim_shape pieces;
	u32 sq_depth;
	u32 rq_depth;
	u32 max_sge;
	u32 max_inline;
	bool sig_all;
	u32 sq_psn[2];
	u8 rd;
	u8 dest_rd;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
	u64 turn;
};

/**
 * struct sim_world - one run
 * @seed: what it was made from
 * @rng: random numbers
 * @clock: time
 * @cfg: how it behaves
 * @mem: all memory
 * @nr_qps: QPs, two a pair: 2i and 2i + 1 are peers
 * @qp: the QPs
 * @srq: shared receive queues of the two sides
 * @lenient: errors are no surprise: the oracle looks only at what is always true
 * @working: consumers post by themselves, by world.c's events
 * @hostile: a hostile peer is at work: so it does here
 * @next_id: of the next WR
 * @steps: events run
 * @depth: calls into the transport now on the stack
 * @dead: the wire carries nothing
 * @tap: sees each train; true: takes it off the wire
 * @trains: trains sent
 */
struct sim_world {
	u64 seed;
	struct sim_random rng;
	struct sim_clock clock;
	struct sim_config cfg;
	struct sim_memory mem;
	u32 nr_qps;
	struct sim_qp *qp;
	struct sim_rq srq[2];
	bool lenient;
	bool working;
	bool hostile;
	u64 next_id;
	u64 steps;
	u32 depth;
	bool dead;
	bool (*tap)(struct sim_qp *from, const struct tp_train *train);
	u64 trains;
};

extern struct sim_world *world;
extern bool sim_verbose;

/* Ends the process with a message, the seed, and how to replay it. */
void sim_fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* A line of the trace, with the time, if --verbose. */
void trace_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define trace(...) do { if (sim_verbose) trace_line(__VA_ARGS__); } while (0)

#define sim_check(cond, ...) do { if (!(cond)) sim_fail(__VA_ARGS__); } while (0)

/* world.c */
/* Drops what a RESET drops; the QP begins anew. */
void world_reset(struct sim_qp *qp);
/* Moves a QP by tp_qp_modify(). */
void world_set(struct sim_qp *qp, const struct tp_qp_attr *attr, u32 mask);
struct sim_world *world_make(u64 seed, const struct sim_config *cfg);
void world_free(void);
/* Moves both ends of each pair to RTS. */
void world_connect(void);
void world_connect_pair(struct sim_qp *a);
/* What INIT, RTR and RTS set of @qp: sq_psn and rq_psn from the configuration. */
void world_modify(struct sim_qp *qp, enum tp_qp_state state);
/* Runs events until there are none, or @until has passed. False: @until has passed. */
bool world_run(u64 until);
/* Runs one event. False: there is none. */
bool world_step(void);
struct sim_qp *world_find(u32 qpn);
/* Calls into the transport, and again later if it says so. */
void kick_send(struct sim_qp *qp);
void kick_respond(struct sim_qp *qp);
/* The same at a later time. */
void kick_send_at(struct sim_qp *qp, u64 at);
void kick_respond_at(struct sim_qp *qp, u64 at);
/* Name of a status, for messages. */
const char *status_name(enum tp_wc_status status);
const char *opcode_name(u32 wr_opcode);

/* owner.c: an EV_TIMER of @qp has come. */
void owner_timer(struct sim_qp *qp);

/* wire.c */
int wire_send(struct sim_qp *from, const struct tp_train *train);
void wire_packet(void *frame);
void wire_parcel(void *parcel);
/* Puts bytes from BTH to the end of the payload on the wire; frames and ICRC are added. */
void wire_inject(struct sim_qp *to, const void *bytes, u32 len, bool good_icrc, u64 at);
/* Hands a train to the QP, as tp_receive() wants it. */
void wire_deliver(struct sim_qp *to, const struct tp_train *train);

/* work.c */
void work_start(void);
void work_turn(struct sim_qp *qp);
bool work_done(void);
/* The consumer of @qp has something to do: a completion came. */
void work_wake(struct sim_qp *qp);
/* Makes a receive WR of @len bytes in a free slot; NULL if there is none. */
struct sim_recv *work_make_recv(struct sim_qp *qp, u32 len);
void post_send(struct sim_qp *qp, struct sim_send *s);
void post_recv(struct sim_qp *qp, struct sim_recv *r);
bool ranges_overlap(const struct sim_range *a, const struct sim_range *b);

/* oracle.c */
void oracle_post(struct sim_qp *qp, struct sim_send *s);
void oracle_send(struct sim_qp *qp, const struct tp_wc *wc);
void oracle_retire(struct sim_qp *qp);
void oracle_recv(struct sim_qp *qp, const struct tp_wc *wc);
void oracle_finish(void);
bool is_fetch(u32 wr_opcode);
bool is_write(u32 wr_opcode);
bool is_atomic(u32 wr_opcode);
bool takes_recv(u32 wr_opcode);
/* What @qp received into @r must be @m. */
void check_received(struct sim_qp *qp, struct sim_recv *r, struct sim_send *m,
		    const struct tp_wc *wc);

/* uc.c: what becomes of work where nothing is acknowledged. */
/* Whether every message arrives. */
bool uc_lossless(void);
/* Whether @s may be posted now. */
bool uc_may_post(const struct sim_qp *qp, const struct sim_send *s);
/* Which message @qp received into @r, or NULL. */
struct sim_send *uc_match(struct sim_qp *qp, const struct sim_recv *r, const struct tp_wc *wc);
/* @m has arrived whole. */
void uc_received(struct sim_qp *qp, const struct sim_send *m);
/* The end of a run that has gone well. */
void uc_finish(struct sim_qp *qp);

/* scenario.c: ends the run, with where each QP is. */
void stuck(const char *why) __attribute__((noreturn));
/* Every WR of @qp, which is in ERROR, has ended. */
void check_flushed(struct sim_qp *qp);
/* The consumer of @qp, which may be in ERROR, tells the transport of receive WRs. */
void tell_recv(struct sim_qp *qp);

/* A run of each kind; they return when all is well. */
void run_random(u64 seed);
void run_hostile(u64 seed);
void run_uc(u64 seed);
/* A configuration, and a random run of one. */
void random_config(u64 seed, struct sim_config *cfg);
void run_config(u64 seed, const struct sim_config *cfg);

#endif /* OHCA_SIM_H */
