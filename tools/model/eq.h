/* SPDX-License-Identifier: GPL-2.0 */
/* Event queues. */
#ifndef OHCA_MODEL_EQ_H
#define OHCA_MODEL_EQ_H

#include "hca.h"

/**
 * struct eq - an event queue
 * @hca: its adapter
 * @eqn: its number
 * @log_size: log2 of its entries
 * @vector: MSI-X vector
 * @armed: raise the vector at the next entry
 * @buf: the entries
 * @pi: entries written, counts on
 * @ci: entries taken, 24 bits
 * @events: asynchronous events that go here, by type
 * @refs: CQs that report here
 * @overruns: entries lost as the queue was full
 */
struct eq {
	struct hca *hca;
	u32 eqn;
	u32 log_size;
	u32 vector;
	bool armed;
	struct qbuf buf;
	u32 pi;
	u32 ci;
	u64 events[4];
	u32 refs;
	u64 overruns;
};

struct cmd;

int cmd_create_eq(struct cmd *cmd);
int cmd_destroy_eq(struct cmd *cmd);
int cmd_query_eq(struct cmd *cmd);

void eq_doorbell(struct hca *hca, u32 value, bool arm);
/* A completion of CQ @cqn. */
void eq_completion(struct eq *eq, u32 cqn);
/* Command slot @slot has completed. */
void eq_command(struct hca *hca, u32 slot);
/* An asynchronous event, to the queue that subscribed to it. */
void eq_event(struct hca *hca, u8 type, u8 subtype, const union ev_data *data);
/* A QP, SRQ or RQ had an event; @what is MLX5_EVENT_QUEUE_TYPE_*. */
void eq_queue_event(struct hca *hca, u8 type, u8 what, u32 number);
/* Asks the driver for @count pages, or to take some back: negative. */
void eq_page_request(struct hca *hca, s32 count);
void eq_port_event(struct hca *hca);
void eq_free_all(struct hca *hca);

#endif /* OHCA_MODEL_EQ_H */
