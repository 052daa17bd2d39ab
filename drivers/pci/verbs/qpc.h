/* SPDX-License-Identifier: GPL-2.0 */
/*
 * QP contexts: IB attributes as the device wants them, and back.
 */
#ifndef OHCA_PCI_VERBS_QPC_H
#define OHCA_PCI_VERBS_QPC_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

int verbs_qpc_opcode(enum ib_qp_state cur, enum ib_qp_state next);
u32 verbs_qpc_optpar(enum ib_qp_type type, enum ib_qp_state cur, enum ib_qp_state next, int mask);
int verbs_qpc_service(enum ib_qp_type type);
enum ib_qp_state verbs_qpc_ib_state(u8 state, bool *draining);
void verbs_qpc_write_path(void *ads, const struct rdma_ah_attr *ah, u16 sport);
void verbs_qpc_read_path(const void *ads, struct rdma_ah_attr *ah);
void verbs_qpc_write(void *qpc, enum ib_qp_type type, u32 qpn, const struct ib_qp_attr *attr,
		     int mask);
void verbs_qpc_read(const void *qpc, struct ib_qp_attr *attr);

#endif /* OHCA_PCI_VERBS_QPC_H */
