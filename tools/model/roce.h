/* SPDX-License-Identifier: GPL-2.0 */
/* RoCE v2 frames: trains to the wire and packets from it. */
#ifndef OHCA_MODEL_ROCE_H
#define OHCA_MODEL_ROCE_H

#include "hca.h"

struct qp;
struct tp_train;

/* Sends a train to a QP's peer. */
void roce_send(struct qp *qp, const struct tp_train *train);

/* True: the frame is RoCE's, and was taken in or dropped. */
bool roce_receive(struct hca *hca, const u8 *frame, u32 len);

#endif /* OHCA_MODEL_ROCE_H */
