/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the C programs here share: a device, and RC QPs connected in one process.
 */
#ifndef OHCA_TESTING_RC_H
#define OHCA_TESTING_RC_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/verbs.h>

#include "die.h"

#define RC_ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct rc_dev {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	union ibv_gid gid;
	int gid_index;
};

static inline void rc_open(struct rc_dev *dev, const char *name, int gid_index)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **d;

	for (d = list; d && *d; d++)
		if (!strcmp(ibv_get_device_name(*d), name))
			break;
	if (!d || !*d)
		die("no device %s", name);
	dev->ctx = ibv_open_device(*d);
	if (!dev->ctx)
		die("open %s", name);
	ibv_free_device_list(list);
	dev->pd = ibv_alloc_pd(dev->ctx);
	dev->gid_index = gid_index;
	if (!dev->pd || ibv_query_gid(dev->ctx, 1, gid_index, &dev->gid))
		die("set up %s", name);
}

/* @srq: the queue that it receives from, or NULL: one of its own. */
static inline struct ibv_qp *rc_qp_srq(struct rc_dev *dev, struct ibv_cq *scq,
				       struct ibv_cq *rcq, struct ibv_srq *srq,
				       unsigned int depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = scq,
		.recv_cq = rcq,
		.srq = srq,
		.cap = { .max_send_wr = depth, .max_recv_wr = depth,
			 .max_send_sge = 2, .max_recv_sge = 2 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &init);

	if (!qp)
		die("create_qp");
	return qp;
}

static inline struct ibv_qp *rc_qp(struct rc_dev *dev, struct ibv_cq *scq,
				   struct ibv_cq *rcq, unsigned int depth)
{
	return rc_qp_srq(dev, scq, rcq, NULL, depth);
}

/* 7 is for ever: what a peer wants whose pages have to be fetched first. */
static uint8_t rc_rnr_retry = 3;

/* Takes @qp on @dev to RTR, for the peer @other on @other_dev. */
static inline void rc_to_rtr(struct rc_dev *dev, struct ibv_qp *qp,
			     struct rc_dev *other_dev, struct ibv_qp *other)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = RC_ALL,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("to INIT");
	attr = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = other->qp_num,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = other_dev->gid, .hop_limit = 64,
				 .sgid_index = dev->gid_index },
		},
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("to RTR");
}

/* From RTR; what ibv_modify_qp() returns. */
static inline int rc_to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 10,
		.retry_cnt = 7,
		.rnr_retry = rc_rnr_retry,
		.max_rd_atomic = 4,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			     IBV_QP_MAX_QP_RD_ATOMIC);
}

/* Takes @qp on @dev to RTS, for the peer @other on @other_dev. */
static inline void rc_connect(struct rc_dev *dev, struct ibv_qp *qp,
			      struct rc_dev *other_dev, struct ibv_qp *other)
{
	rc_to_rtr(dev, qp, other_dev, other);
	if (rc_to_rts(qp))
		die("to RTS");
}

/* One completion; gives up after 20 seconds. */
static inline struct ibv_wc rc_poll(struct ibv_cq *cq)
{
	time_t end = time(NULL) + 20;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		if (time(NULL) > end)
			die("no completion");
	if (n < 0)
		die("poll_cq");
	return wc;
}

#endif /* OHCA_TESTING_RC_H */
