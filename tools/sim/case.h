/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cases are made of: a small world, WRs, and what is wanted of them.
 */
#ifndef OHCA_SIM_CASE_H
#define OHCA_SIM_CASE_H

#include "sim.h"

/**
 * struct seen_train - a train that was on the wire
 * @from: its sender
 * @at: when
 * @train: what it was; its payload is gone
 */
struct seen_train {
	struct sim_qp *from;
	u64 at;
	struct tp_train train;
};

/* What was on the wire since case_begin() or seen_clear(), lost or not. */
extern struct seen_train *seen;
extern u32 nr_seen;

/* Decides about each train: true: it is lost. NULL: none is. */
extern bool (*case_lose)(struct sim_qp *from, const struct tp_train *train);

/* One pair, mtu 1024, a perfect wire of 1 us, depths of 16, retry counts of 7. */
struct sim_config case_config(void);

/* Makes the world and connects it; *a and *b are its pair. */
void case_begin(const struct sim_config *cfg, struct sim_qp **a, struct sim_qp **b);
/* The same, but leaves the QPs in RESET. */
void case_begin_reset(const struct sim_config *cfg, struct sim_qp **a, struct sim_qp **b);
/* Checks what must hold always, and takes the world down. */
void case_end(void);

void seen_clear(void);
/* How many trains of @op @from has sent; any op if @op is TP_NUM_OPS. */
u32 seen_count(const struct sim_qp *from, enum tp_op op);
/* The @n-th of them. */
const struct seen_train *seen_nth(const struct sim_qp *from, enum tp_op op, u32 n);

/* A good signaled WR of @len bytes, at @off of the local and the remote memory. */
struct sim_send make_wr(struct sim_qp *qp, u32 opcode, u32 off, u32 len);

/* Posts a WR; it goes when case_go() says so. */
void case_post(struct sim_qp *qp, struct sim_send *s);
void case_go(struct sim_qp *qp);
/* Both. */
void case_send(struct sim_qp *qp, u32 opcode, u32 len);

/* Posts @n receive WRs of @len bytes; the first is returned. */
struct sim_recv *case_recv(struct sim_qp *qp, u32 len, u32 n);

/* Runs until nothing is left to happen, which must be within @limit ns. */
void case_run(u64 limit);
/* Runs for @ns, whatever is left then. */
void case_wait(u64 ns);

/* @qp's @i-th send or receive completion is there, with this status. */
void want_send(const struct sim_qp *qp, u32 i, enum tp_wc_status status);
void want_recv(const struct sim_qp *qp, u32 i, enum tp_wc_status status);
/* There are this many. */
void want_sends(const struct sim_qp *qp, u32 n);
void want_recvs(const struct sim_qp *qp, u32 n);
void want_state(struct sim_qp *qp, enum tp_qp_state state);
/* @qp had @event @times times; no other event at all. */
void want_event(const struct sim_qp *qp, enum tp_event event, u32 times);
void want_no_event(const struct sim_qp *qp);

u64 send_time(const struct sim_qp *qp, u32 i);

#endif /* OHCA_SIM_CASE_H */
