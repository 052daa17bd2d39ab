/* SPDX-License-Identifier: GPL-2.0 */
/* Completion queues. */
#ifndef OHCA_MODEL_CQ_H
#define OHCA_MODEL_CQ_H

#include "eq.h"

/**
 * struct cq - a completion queue
 * @obj: id is the CQN
 * @ctx: context, as the driver gave it
 * @eq: where completions are announced
 * @log_size: log2 of its entries
 * @stride: bytes of an entry, 64 or 128
 * @collapsed: all entries go to the first place
 * @ignore_overrun: the driver sees to it that it can't be full
 * @buf: the entries
 * @dbr: bus address of the doorbell record
 * @pi: entries written, counts on
 * @solicited_pi: one past the newest entry with a solicited event or an error
 * @armed: an event is asked for
 * @armed_solicited: only at solicited entries
 * @arm_sn: sequence number of the newest request for an event
 * @fired_sn: the same of the newest that was answered
 * @fired: there was one
 * @failed: it was overrun
 * @waiting: entries written while armed that are not announced yet
 * @period: ends the wait for more of them
 */
struct cq {
	struct object obj;
	u32 ctx[MLX5_ST_SZ_DW(cqc)];
	struct eq *eq;
	u32 log_size;
	u32 stride;
	bool collapsed;
	bool ignore_overrun;
	struct qbuf buf;
	u64 dbr;
	u32 pi;
	u32 solicited_pi;
	bool armed;
	bool armed_solicited;
	u8 arm_sn;
	u8 fired_sn;
	bool fired;
	bool failed;
	u32 waiting;
	struct timer period;
};

int cmd_create_cq(struct cmd *cmd);
int cmd_modify_cq(struct cmd *cmd);
int cmd_query_cq(struct cmd *cmd);
int cmd_destroy_cq(struct cmd *cmd);

void cq_doorbell(struct hca *hca, u32 value, u32 cqn);
/* Writes an entry; its ownership bit is set here. @solicited: or an error. */
void cq_push(struct cq *cq, struct mlx5_cqe64 *cqe, bool solicited);
struct cq *cq_find(struct hca *hca, u32 cqn);

#endif /* OHCA_MODEL_CQ_H */
