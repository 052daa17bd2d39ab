// SPDX-License-Identifier: GPL-2.0
/*
 * Asynchronous events.
 */
#include "event.h"

#include <linux/slab.h>

#include "cq.h"
#include "eq.h"
#include "hca.h"
#include "health.h"

/* What an event's number is of. */
enum about {
	ABOUT_QUEUE,	/* struct mlx5_eqe_qp_srq: a QP, RQ or SQ as its type says */
	ABOUT_SRQ,	/* struct mlx5_eqe_qp_srq: an SRQ */
	ABOUT_CQ,	/* struct mlx5_eqe_cq_err */
	ABOUT_ADAPTER,	/* the adapter itself, or its port */
};

/* The events that the driver subscribes to. */
static const struct {
	u8 type;
	enum about about;
} events[] = {
	{ MLX5_EVENT_TYPE_PATH_MIG,		ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_COMM_EST,		ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_SQ_DRAINED,		ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_SRQ_LAST_WQE,		ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_WQ_CATAS_ERROR,	ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_PATH_MIG_FAILED,	ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR,	ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_WQ_ACCESS_ERROR,	ABOUT_QUEUE },
	{ MLX5_EVENT_TYPE_SRQ_CATAS_ERROR,	ABOUT_SRQ },
	{ MLX5_EVENT_TYPE_SRQ_RQ_LIMIT,		ABOUT_SRQ },
	{ MLX5_EVENT_TYPE_CQ_ERROR,		ABOUT_CQ },
	{ MLX5_EVENT_TYPE_INTERNAL_ERROR,	ABOUT_ADAPTER },
	{ MLX5_EVENT_TYPE_PORT_CHANGE,		ABOUT_ADAPTER },
};

/* Queues by kind and number. */
static unsigned long res_key(enum ohca_res_kind kind, u32 num)
{
	return (unsigned long)kind << 24 | num;
}

static void tell_queue(struct ohca_hca *hca, enum ohca_res_kind kind, u32 num, u8 type)
{
	struct ohca_res *res = xa_load(&hca->res, res_key(kind, num & 0xffffff));

	if (res)
		res->event(res, type);
	else
		ohca_hca_dbg(hca, "event 0x%x of queue 0x%x, which is not there\n", type, num);
}

/* Which kind of queue; enum mlx5_event_queue_type is the driver's own of mlx5_core. */
static enum ohca_res_kind queue_kind(u8 type)
{
	switch (type) {
	case MLX5_EVENT_QUEUE_TYPE_RQ:
		return OHCA_RES_RQ;
	case MLX5_EVENT_QUEUE_TYPE_SQ:
		return OHCA_RES_SQ;
	default:
		return OHCA_RES_QP;
	}
}

/**
 * ohca_event_handle() - an entry of the queue of asynchronous events
 * @eq: the queue
 * @eqe: the entry
 *
 * Context: hard interrupt, under the vector's lock.
 */
void ohca_event_handle(struct ohca_eq *eq, const struct mlx5_eqe *eqe)
{
	u32 num = be32_to_cpu(eqe->data.qp_srq.qp_srq_n);
	struct ohca_hca *hca = eq->hca;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events) && events[i].type != eqe->type; i++)
		;
	if (i == ARRAY_SIZE(events)) {
		ohca_hca_dbg(hca, "event 0x%x, which nobody wants\n", eqe->type);
		return;
	}
	switch (events[i].about) {
	case ABOUT_QUEUE:
		tell_queue(hca, queue_kind(eqe->data.qp_srq.type), num, eqe->type);
		break;
	case ABOUT_SRQ:
		tell_queue(hca, OHCA_RES_SRQ, num, eqe->type);
		break;
	case ABOUT_CQ:
		ohca_hw_cq_error(hca, eqe);
		break;
	case ABOUT_ADAPTER:
		if (eqe->type == MLX5_EVENT_TYPE_INTERNAL_ERROR)
			ohca_health_look(hca);
		break;
	}
	atomic_notifier_call_chain(&hca->events, eqe->type, (void *)eqe);
}

/**
 * ohca_event_mask() - events that the driver wants
 * @hca: the adapter
 * @mask: set to a bit an event type
 *
 * Context: any.
 */
void ohca_event_mask(const struct ohca_hca *hca, u64 mask[4])
{
	size_t i;

	memset(mask, 0, 4 * sizeof(*mask));
	for (i = 0; i < ARRAY_SIZE(events); i++)
		mask[events[i].type / 64] |= BIT_ULL(events[i].type % 64);
}

/**
 * ohca_event_init() - makes the tables of who gets events
 * @hca: the adapter
 *
 * Context: any.
 * Return: 0.
 */
int ohca_event_init(struct ohca_hca *hca)
{
	ATOMIC_INIT_NOTIFIER_HEAD(&hca->events);
	xa_init(&hca->res);
	xa_init(&hca->cqs);
	return 0;
}

/**
 * ohca_event_fini() - undoes ohca_event_init()
 * @hca: the adapter
 *
 * Context: any.
 */
void ohca_event_fini(struct ohca_hca *hca)
{
	xa_destroy(&hca->cqs);
	xa_destroy(&hca->res);
}

/**
 * ohca_event_register() - asks for all events
 * @hca: the adapter
 * @nb: called with MLX5_EVENT_TYPE_* or OHCA_EVENT_*, in any context, and must not
 *      sleep
 *
 * Context: may sleep. Good across suspend and reset.
 * Return: 0 or an errno.
 */
int ohca_event_register(struct ohca_hca *hca, struct notifier_block *nb)
{
	return atomic_notifier_chain_register(&hca->events, nb);
}

/**
 * ohca_event_unregister() - ends that; @nb is not running any more afterwards
 * @hca: the adapter
 * @nb: the notifier
 *
 * Context: may sleep.
 */
void ohca_event_unregister(struct ohca_hca *hca, struct notifier_block *nb)
{
	atomic_notifier_chain_unregister(&hca->events, nb);
}

/**
 * ohca_res_add() - asks for a queue's events
 * @hca: the adapter
 * @kind: what it is
 * @num: its number
 * @res: what to call
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_res_add(struct ohca_hca *hca, enum ohca_res_kind kind, u32 num, struct ohca_res *res)
{
	return xa_insert(&hca->res, res_key(kind, num), res, GFP_KERNEL);
}

/**
 * ohca_res_remove() - ends that; it is not called any more afterwards
 * @hca: the adapter
 * @kind: what it is
 * @num: its number
 *
 * Context: process.
 */
void ohca_res_remove(struct ohca_hca *hca, enum ohca_res_kind kind, u32 num)
{
	xa_erase(&hca->res, res_key(kind, num));
	ohca_async_barrier(hca);
}
