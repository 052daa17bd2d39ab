/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The QP state machine: which transitions there are, which attributes each
 * needs and allows, and which values an attribute can have (IBA Vol 1, 10.3 and
 * 11.2.5.2, tables 91 to 96).
 */
#ifndef OHCA_QP_STATE_H
#define OHCA_QP_STATE_H

#include <rdma/ib_verbs.h>

/* PSNs and QPNs have 24 bits. */
#define OHCA_24BIT	0xffffffu

/* IBA: 5 bits of timeout and RNR timer, 3 bits of retry counts. */
#define OHCA_MAX_TIMEOUT	31
#define OHCA_MAX_RNR_TIMER	31
#define OHCA_MAX_RETRY		7

/**
 * struct ohca_qp_edge - one transition of the QP state machine
 * @from: states it leaves, BIT(enum ib_qp_state)
 * @to: state it enters
 * @types: QP types it is for, BIT(enum ib_qp_type)
 * @required: IB_QP_* attributes that must be given
 * @optional: IB_QP_* attributes that may be given
 *
 * IB_QP_STATE may always be given and is in neither mask.
 */
struct ohca_qp_edge {
	u8 from;
	u8 to;
	u16 types;
	u32 required;
	u32 optional;
};

/**
 * struct ohca_qp_limits - what a device and its port allow a QP's attributes to be
 * @mtu: largest path MTU now: the port's active MTU
 * @max_rd_atomic: READs and ATOMICs outstanding as requester
 * @max_dest_rd_atomic: responder resources
 * @pkey_tbl_len: entries of the port's P_Key table
 */
struct ohca_qp_limits {
	enum ib_mtu mtu;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u16 pkey_tbl_len;
};

const struct ohca_qp_edge *ohca_qp_edge_find(enum ib_qp_type type, enum ib_qp_state cur,
					     enum ib_qp_state next);
int ohca_qp_transition_check(enum ib_qp_type type, enum ib_qp_state cur, enum ib_qp_state next,
			     int mask);
int ohca_qp_attr_check(struct ib_device *ibdev, u32 port, enum ib_qp_type type,
		       const struct ib_qp_attr *attr, int mask,
		       const struct ohca_qp_limits *limits);
int ohca_qp_modify_check(struct ib_device *ibdev, u32 port, enum ib_qp_type type,
			 enum ib_qp_state cur, const struct ib_qp_attr *attr, int mask,
			 const struct ohca_qp_limits *limits);
void ohca_qp_attr_merge(struct ib_qp_attr *to, const struct ib_qp_attr *from, int mask);
void ohca_qp_attr_reset(struct ib_qp_attr *attr);
const char *ohca_qp_state_name(enum ib_qp_state state);

#endif /* OHCA_QP_STATE_H */
