/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Same-host delivery: a train goes straight to the peer QP.
 */
#ifndef OHCA_SOFT_LOCAL_H
#define OHCA_SOFT_LOCAL_H

#include <linux/types.h>

struct soft_qp;
struct tp_train;

/**
 * soft_local_deliver() - delivers a request on this host, if its peer is here
 * @qp: the sender; its req.lock is held
 * @train: the request
 *
 * The peer is here if the destination QPN is that of a QP of any device in the
 * same network namespace, the two QPs' addresses are each other's, and local
 * delivery is on (module parameter). Otherwise the wire takes it.
 *
 * Return: true if it was delivered (or rightly dropped).
 */
bool soft_local_deliver(struct soft_qp *qp, const struct tp_train *train);

#endif /* OHCA_SOFT_LOCAL_H */
