/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the transport's files know of each other, and no owner does.
 *
 * Who calls whom: qp.c holds the life of a QP and brings both halves to ERR.
 * requester.c sends; completer.c takes responses and moves the requester's
 * window, which requester.c's tp_req_*() functions do for it; timer.c watches
 * both; wr.c knows what a send WR is. responder.c executes requests; resources.c
 * keeps what READs and ATOMICs answer, and sends it. uc.c has what is otherwise
 * where nothing is acknowledged; ud.c does all that datagrams need.
 */
#ifndef OHCA_TRANSPORT_INTERNAL_H
#define OHCA_TRANSPORT_INTERNAL_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>

#include "error.h"
#include "psn.h"
#include "transport.h"

/* Messages are 2^31 bytes at most (IBA 9.7.1). */
#define TP_MAX_MESSAGE		0x80000000u

/* What one tp_owner_map() may be asked for: its return value is an int. */
#define TP_MAP_BYTES		0x7fffffffu

/*
 * SEND and WRITE packets that may be unacknowledged: at most, and at least. Each
 * ACK timeout halves the window, each answer adds a packet: a peer or a wire that is
 * slower than the timer expects must not be sent the same again and again.
 */
#define TP_WINDOW_PACKETS	256u
#define TP_WINDOW_MIN		16u

/* One call sends this much at most before others have their turn. */
#define TP_BUDGET_BYTES		(256u * 1024)
#define TP_BUDGET_TRAINS	64u

/*
 * A READ WR is sent as READ requests of this many bytes at most, a message
 * each. That bounds what comes back unasked, it makes the PSNs outstanding
 * fewer than 2^23 whatever the QP's attributes (TP_MAX_RD_ATOMIC requests of 2^10
 * packets and a window), and a READ that loses a response repeats less. A
 * multiple of every path MTU.
 */
#define TP_READ_BYTES		(256u * 1024)

/*
 * Bytes of READ responses that may be on their way for each packet of the window:
 * 512 KiB with the full one. One request may always be out.
 */
#define TP_READ_WINDOW_BYTES	2048u

/* WRs flushed in one go at most: more than any queue holds. */
#define TP_FLUSH_MAX		65536u

/* How long to wait for memory that can't be reached now, ns. */
#define TP_PAUSE_NS		100000u

#define TP_BUDGET_INIT	{ .bytes = TP_BUDGET_BYTES, .trains = TP_BUDGET_TRAINS }

static inline bool tp_budget_spent(const struct tp_budget *budget)
{
	return !budget->bytes || !budget->trains;
}

static inline void tp_budget_take(struct tp_budget *budget, u32 bytes)
{
	budget->bytes -= min(bytes, budget->bytes);
	budget->trains -= min(1u, budget->trains);
}

/* Packets that @length bytes take. */
static inline u32 tp_packets(u32 length, u32 mtu)
{
	/* mtu is a power of two; no sum that could wrap. */
	return length ? (length - 1) / mtu + 1 : 1;
}

/* memory.c */

/**
 * struct tp_cursor - a place in a list of segments
 * @seg: the segment
 * @nr: segments left, with @seg
 * @offset: bytes of @seg that are behind
 */
struct tp_cursor {
	const struct tp_seg *seg;
	u32 nr;
	u32 offset;
};

int tp_map_sges(struct tp_qp *qp, struct tp_mem *mem, const struct tp_sge *sge, u32 num_sge,
		u32 offset, u32 len, u32 access);
int tp_fill_sges(struct tp_qp *qp, struct tp_mem *mem, const struct tp_sge *sge, u32 num_sge,
		 u32 offset, struct tp_cursor *from, u32 len);
void tp_cut_segs(struct tp_seg *seg, u32 *nr, u32 len);
void tp_cursor_skip(struct tp_cursor *from, u32 len);
void tp_copy(const struct tp_seg *to, u32 nr, struct tp_cursor *from, u32 len);
void tp_train_trim(struct tp_train *train, struct tp_cursor *data, u32 n);

/* The payload of @train. */
static inline struct tp_cursor tp_train_data(const struct tp_train *train)
{
	return (struct tp_cursor){ .seg = train->seg, .nr = train->nr_seg };
}

/* wr.c */

/**
 * struct tp_wr_type - what a send opcode is
 * @op: the message that it becomes
 * @known: the row is filled
 * @local: it sends nothing
 * @ordered: it waits for all WRs before it to have completed
 * @inv_after: a key of this side is invalidated once it has ended well
 * @takes_recv: it takes a receive WR of the peer's
 * @flags: TP_TRAIN_IMM, TP_TRAIN_INV
 * @wc_opcode: opcode of its completion
 */
struct tp_wr_type {
	enum tp_op op;
	bool known;
	bool local;
	bool ordered;
	bool inv_after;
	bool takes_recv;
	u32 flags;
	u32 wc_opcode;
};

const struct tp_wr_type *tp_wr_type(const struct tp_send_wr *wr);
enum tp_op tp_wr_op(const struct tp_send_wr *wr);
enum tp_wc_status tp_wr_check(const struct tp_qp *qp, const struct tp_send_wr *wr);
u32 tp_read_packets(const struct tp_qp *qp);
u32 tp_read_end(const struct tp_qp *qp, const struct tp_send_wr *wr, u32 pkt);

static inline bool tp_op_is_atomic(enum tp_op op)
{
	return op == TP_OP_CMP_SWAP || op == TP_OP_FETCH_ADD;
}

/* Whether the peer answers @op with data, and not only acknowledges it. */
static inline bool tp_op_has_answer(enum tp_op op)
{
	return op == TP_OP_READ || tp_op_is_atomic(op);
}

/* requester.c; all under req.lock */
static inline struct tp_send_wr *tp_req_wr(const struct tp_req *req, u32 i)
{
	return (struct tp_send_wr *)(req->sq + (size_t)(i & req->sq_mask) * req->sq_stride);
}

bool tp_req_run(struct tp_qp *qp);
void tp_req_flush(struct tp_qp *qp);
void tp_req_seek(struct tp_qp *qp);
void tp_req_pause(struct tp_qp *qp);
void tp_req_retry(struct tp_qp *qp, const char *why);
void tp_req_fail(struct tp_qp *qp, enum tp_wc_status status, u32 vendor_err);
void tp_req_finish(struct tp_qp *qp);
void tp_req_error(struct tp_qp *qp);
void tp_req_reset(struct tp_req *req);
void tp_req_drained(struct tp_qp *qp);

/* completer.c; under req.lock */
void tp_comp_train(struct tp_qp *qp, const struct tp_train *train);

/* timer.c; under req.lock */
void tp_timer_update(struct tp_qp *qp);
u64 tp_rnr_ns(u8 code);

/* responder.c; under resp.lock */
static inline bool tp_resp_receives(const struct tp_resp *resp)
{
	return resp->state >= TP_QPS_RTR && resp->state < TP_QPS_ERR;
}

bool tp_take_recv(struct tp_qp *qp);
void tp_complete_recv(struct tp_qp *qp, struct tp_wc *wc);
void tp_fail_recv(struct tp_qp *qp, enum tp_wc_status status);
void tp_resp_train(struct tp_qp *qp, const struct tp_train *train);
bool tp_resp_run(struct tp_qp *qp);
int tp_resp_emit(struct tp_qp *qp, const struct tp_train *train);
void tp_resp_fill(struct tp_qp *qp, struct tp_train *train, enum tp_op op, u32 psn, u32 msn);
void tp_resp_fault(struct tp_qp *qp, enum tp_fault fault, u32 psn);
void tp_resp_error(struct tp_qp *qp);
void tp_resp_reset(struct tp_resp *resp);
bool tp_needs_recv(const struct tp_train *train);
enum tp_fault tp_resp_message(struct tp_qp *qp, const struct tp_train *train,
			      struct tp_cursor *data);

/* uc.c; under req.lock, and under resp.lock */
void tp_uc_sent(struct tp_qp *qp);
void tp_uc_request(struct tp_qp *qp, const struct tp_train *train, struct tp_cursor *data);

/* ud.c; under req.lock, and under resp.lock */
bool tp_ud_run(struct tp_qp *qp);
void tp_ud_receive(struct tp_qp *qp, const struct tp_train *train);

/* resources.c; under resp.lock */
enum tp_fault tp_res_read(struct tp_qp *qp, const struct tp_train *train);
enum tp_fault tp_res_atomic(struct tp_qp *qp, const struct tp_train *train);
bool tp_res_replay(struct tp_qp *qp, const struct tp_train *train);
u32 tp_res_limit(struct tp_qp *qp, u32 psn);
int tp_res_send(struct tp_qp *qp, struct tp_budget *budget);

/* qp.c */
bool tp_pkey_match(const struct tp_qp *qp, u16 pkey);
void tp_qp_settle(struct tp_qp *qp);

#endif /* OHCA_TRANSPORT_INTERNAL_H */
