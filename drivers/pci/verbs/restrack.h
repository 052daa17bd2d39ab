/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resources as `rdma resource show ... -r` dumps them: the device's own contexts.
 */
#ifndef OHCA_PCI_VERBS_RESTRACK_H
#define OHCA_PCI_VERBS_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct sk_buff;

int verbs_fill_res_cq_raw(struct sk_buff *msg, struct ib_cq *ibcq);
int verbs_fill_res_mr_raw(struct sk_buff *msg, struct ib_mr *ibmr);
int verbs_fill_res_qp_raw(struct sk_buff *msg, struct ib_qp *ibqp);

#endif /* OHCA_PCI_VERBS_RESTRACK_H */
