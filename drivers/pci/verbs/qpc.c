// SPDX-License-Identifier: GPL-2.0
/*
 * QP contexts (PRM, "Queue Pair Context").
 *
 * Which attributes a transition needs and allows is ohca_core's table; here is what
 * each is called by the device. Nothing here needs a device: kunit/pci_qpc_test.c
 * writes contexts and reads them back.
 */
#include "qpc.h"

#include <linux/mlx5/device.h>
#include <linux/mlx5/qp.h>
#include <ohca/qp_state.h>

/* PRM: atomic operations are as IBA has them. */
#define ATOMIC_MODE_IB	1

/* The commands that move a QP. ERR and RESET are reached from every state. */
static const struct {
	enum ib_qp_state from;
	enum ib_qp_state to;
	u16 opcode;
} moves[] = {
	{ IB_QPS_RESET,	IB_QPS_INIT,	MLX5_CMD_OP_RST2INIT_QP },
	{ IB_QPS_INIT,	IB_QPS_INIT,	MLX5_CMD_OP_INIT2INIT_QP },
	{ IB_QPS_INIT,	IB_QPS_RTR,	MLX5_CMD_OP_INIT2RTR_QP },
	{ IB_QPS_RTR,	IB_QPS_RTS,	MLX5_CMD_OP_RTR2RTS_QP },
	{ IB_QPS_RTS,	IB_QPS_RTS,	MLX5_CMD_OP_RTS2RTS_QP },
	{ IB_QPS_SQE,	IB_QPS_RTS,	MLX5_CMD_OP_SQERR2RTS_QP },
	{ IB_QPS_SQD,	IB_QPS_RTS,	MLX5_CMD_OP_SQD_RTS_QP },
};

/**
 * verbs_qpc_opcode() - the command of a transition
 * @cur: state that the QP is in
 * @next: state that it goes to
 *
 * Context: any.
 * Return: MLX5_CMD_OP_*; -EOPNOTSUPP: the device has none (RTS to SQD, and within
 * SQD; RESET to RESET and to ERR, for which none is needed).
 */
int verbs_qpc_opcode(enum ib_qp_state cur, enum ib_qp_state next)
{
	unsigned int i;

	if (next == IB_QPS_RESET)
		return cur == IB_QPS_RESET ? -EOPNOTSUPP : MLX5_CMD_OP_2RST_QP;
	if (next == IB_QPS_ERR)
		return cur == IB_QPS_RESET ? -EOPNOTSUPP : MLX5_CMD_OP_2ERR_QP;
	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		if (moves[i].from == cur && moves[i].to == next)
			return moves[i].opcode;
	}
	return -EOPNOTSUPP;
}

/* Attributes that a command takes only if its mask of optional parameters says so. */
static const struct {
	int attr;
	u32 optpar;
} optpars[] = {
	{ IB_QP_ACCESS_FLAGS,		MLX5_QP_OPTPAR_RRE | MLX5_QP_OPTPAR_RAE |
					MLX5_QP_OPTPAR_RWE },
	{ IB_QP_PKEY_INDEX,		MLX5_QP_OPTPAR_PKEY_INDEX },
	{ IB_QP_PORT,			MLX5_QP_OPTPAR_PRI_PORT },
	{ IB_QP_QKEY,			MLX5_QP_OPTPAR_Q_KEY },
	{ IB_QP_AV,			MLX5_QP_OPTPAR_PRIMARY_ADDR_PATH },
	{ IB_QP_TIMEOUT,		MLX5_QP_OPTPAR_ACK_TIMEOUT },
	{ IB_QP_RETRY_CNT,		MLX5_QP_OPTPAR_RETRY_COUNT },
	{ IB_QP_RNR_RETRY,		MLX5_QP_OPTPAR_RNR_RETRY },
	{ IB_QP_MAX_QP_RD_ATOMIC,	MLX5_QP_OPTPAR_SRA_MAX },
	{ IB_QP_MAX_DEST_RD_ATOMIC,	MLX5_QP_OPTPAR_RRA_MAX },
	{ IB_QP_MIN_RNR_TIMER,		MLX5_QP_OPTPAR_RNR_TIMEOUT },
	{ IB_QP_PATH_MIG_STATE,		MLX5_QP_OPTPAR_PM_STATE },
};

/* Rights that depend on what a type of QP can do at all. */
static u32 optpar_rights(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		return MLX5_QP_OPTPAR_RRE | MLX5_QP_OPTPAR_RAE | MLX5_QP_OPTPAR_RWE;
	case IB_QPT_UC:
		return MLX5_QP_OPTPAR_RWE;
	default:
		return 0;
	}
}

/**
 * verbs_qpc_optpar() - a transition's mask of optional parameters
 * @type: QP type
 * @cur: state that the QP is in
 * @next: state that it goes to; the transition is one that there is
 * @mask: attributes that are given, IB_QP_*
 *
 * Context: any.
 * Return: MLX5_QP_OPTPAR_*.
 */
u32 verbs_qpc_optpar(enum ib_qp_type type, enum ib_qp_state cur, enum ib_qp_state next, int mask)
{
	const u32 all_rights = MLX5_QP_OPTPAR_RRE | MLX5_QP_OPTPAR_RAE | MLX5_QP_OPTPAR_RWE;
	const struct ohca_qp_edge *edge = ohca_qp_edge_find(type, cur, next);
	u32 optpar = 0;
	unsigned int i;

	if (!edge)
		return 0;
	for (i = 0; i < ARRAY_SIZE(optpars); i++) {
		if (mask & edge->optional & optpars[i].attr)
			optpar |= optpars[i].optpar;
	}
	/* With no responder resources there are no READs and ATOMICs: it is a right. */
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && next == IB_QPS_RTR)
		optpar |= all_rights;
	return optpar & ~(all_rights & ~optpar_rights(type));
}

/**
 * verbs_qpc_service() - a QP type's service
 * @type: QP type
 *
 * Context: any.
 * Return: MLX5_QP_ST_*, or -EOPNOTSUPP.
 */
int verbs_qpc_service(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return MLX5_QP_ST_RC;
	case IB_QPT_UC:
		return MLX5_QP_ST_UC;
	case IB_QPT_UD:
		return MLX5_QP_ST_UD;
	case IB_QPT_GSI:
		return MLX5_QP_ST_QP1;
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		return MLX5_QP_ST_XRC;
	default:
		return -EOPNOTSUPP;
	}
}

/**
 * verbs_qpc_ib_state() - a context's state
 * @state: MLX5_QP_STATE_*, any value
 * @draining: whether sends go on in SQD
 *
 * Context: any.
 * Return: the state; ERR for one that there is not.
 */
enum ib_qp_state verbs_qpc_ib_state(u8 state, bool *draining)
{
	static const enum ib_qp_state states[] = {
		[MLX5_QP_STATE_RST] = IB_QPS_RESET,
		[MLX5_QP_STATE_INIT] = IB_QPS_INIT,
		[MLX5_QP_STATE_RTR] = IB_QPS_RTR,
		[MLX5_QP_STATE_RTS] = IB_QPS_RTS,
		[MLX5_QP_STATE_SQER] = IB_QPS_SQE,
		[MLX5_QP_STATE_SQD] = IB_QPS_SQD,
		[MLX5_QP_STATE_ERR] = IB_QPS_ERR,
		[MLX5_QP_STATE_SQ_DRAINING] = IB_QPS_SQD,
	};

	*draining = state == MLX5_QP_STATE_SQ_DRAINING;
	return state < ARRAY_SIZE(states) ? states[state] : IB_QPS_ERR;
}

/* The MAC of a path: its 48 bits are in two members, one after the other. */
static u8 *rmac(void *ads)
{
	return (u8 *)MLX5_ADDR_OF(ads, ads, rmac_31_0) - 2;
}

/**
 * verbs_qpc_write_path() - writes an address path
 * @ads: to fill: MLX5_ST_SZ_BYTES(ads)
 * @ah: address attributes; IB core has resolved the source GID and the MAC
 * @sport: UDP source port (RoCE v2, A17.3.2)
 *
 * The packet's source is entry grh.sgid_index of the device's table of RoCE
 * addresses, which add_gid keeps the same as IB core's.
 *
 * Context: any.
 */
void verbs_qpc_write_path(void *ads, const struct rdma_ah_attr *ah, u16 sport)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	MLX5_SET(ads, ads, src_addr_index, grh->sgid_index);
	MLX5_SET(ads, ads, hop_limit, grh->hop_limit);
	MLX5_SET(ads, ads, tclass, grh->traffic_class);
	MLX5_SET(ads, ads, dscp, grh->traffic_class >> 2);
	MLX5_SET(ads, ads, ecn, grh->traffic_class & 3);
	MLX5_SET(ads, ads, flow_label, grh->flow_label);
	MLX5_SET(ads, ads, eth_prio, rdma_ah_get_sl(ah) & 7);
	MLX5_SET(ads, ads, udp_sport, sport);
	MLX5_SET(ads, ads, vhca_port_num, rdma_ah_get_port_num(ah));
	memcpy(MLX5_ADDR_OF(ads, ads, rgid_rip), grh->dgid.raw, sizeof(grh->dgid));
	memcpy(rmac(ads), ah->roce.dmac, ETH_ALEN);
}

/**
 * verbs_qpc_read_path() - reads an address path
 * @ads: the path
 * @ah: to fill
 *
 * Context: any.
 */
void verbs_qpc_read_path(const void *ads, struct rdma_ah_attr *ah)
{
	memset(ah, 0, sizeof(*ah));
	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(ah, MLX5_GET(ads, ads, vhca_port_num));
	rdma_ah_set_sl(ah, MLX5_GET(ads, ads, eth_prio));
	rdma_ah_set_grh(ah, NULL, MLX5_GET(ads, ads, flow_label),
			MLX5_GET(ads, ads, src_addr_index), MLX5_GET(ads, ads, hop_limit),
			MLX5_GET(ads, ads, tclass));
	rdma_ah_set_dgid_raw(ah, MLX5_ADDR_OF(ads, ads, rgid_rip));
	memcpy(ah->roce.dmac, rmac((void *)ads), ETH_ALEN);
}

static void write_rights(void *qpc, enum ib_qp_type type, const struct ib_qp_attr *attr)
{
	u32 allowed = optpar_rights(type);
	bool resources = attr->max_dest_rd_atomic || attr->qp_state == IB_QPS_INIT;

	MLX5_SET(qpc, qpc, rwe, allowed & MLX5_QP_OPTPAR_RWE &&
		 attr->qp_access_flags & IB_ACCESS_REMOTE_WRITE);
	MLX5_SET(qpc, qpc, rre, allowed & MLX5_QP_OPTPAR_RRE && resources &&
		 attr->qp_access_flags & IB_ACCESS_REMOTE_READ);
	MLX5_SET(qpc, qpc, rae, allowed & MLX5_QP_OPTPAR_RAE && resources &&
		 attr->qp_access_flags & IB_ACCESS_REMOTE_ATOMIC);
	MLX5_SET(qpc, qpc, atomic_mode, allowed & MLX5_QP_OPTPAR_RAE ? ATOMIC_MODE_IB : 0);
}

/* log2 of a number of READs and ATOMICs, rounded up; 0 is as good as 1. */
static u8 log_rd_atomic(u8 nr)
{
	return nr ? fls(nr - 1) : 0;
}

static void write_path(void *qpc, u32 qpn, const struct ib_qp_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&attr->ah_attr);

	verbs_qpc_write_path(MLX5_ADDR_OF(qpc, qpc, primary_address_path), &attr->ah_attr,
			     rdma_get_udp_sport(grh->flow_label, qpn, attr->dest_qp_num));
}

static void write_requester(void *qpc, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_TIMEOUT)
		MLX5_SET(qpc, qpc, primary_address_path.ack_timeout, attr->timeout);
	if (mask & IB_QP_RETRY_CNT)
		MLX5_SET(qpc, qpc, retry_count, attr->retry_cnt);
	if (mask & IB_QP_RNR_RETRY)
		MLX5_SET(qpc, qpc, rnr_retry, attr->rnr_retry);
	if (mask & IB_QP_SQ_PSN)
		MLX5_SET(qpc, qpc, next_send_psn, attr->sq_psn);
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		MLX5_SET(qpc, qpc, log_sra_max, log_rd_atomic(attr->max_rd_atomic));
}

static void write_responder(void *qpc, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PATH_MTU)
		MLX5_SET(qpc, qpc, mtu, attr->path_mtu);
	if (mask & IB_QP_DEST_QPN)
		MLX5_SET(qpc, qpc, remote_qpn, attr->dest_qp_num);
	if (mask & IB_QP_RQ_PSN)
		MLX5_SET(qpc, qpc, next_rcv_psn, attr->rq_psn);
	if (mask & IB_QP_MIN_RNR_TIMER)
		MLX5_SET(qpc, qpc, min_rnr_nak, attr->min_rnr_timer);
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		MLX5_SET(qpc, qpc, log_rra_max, log_rd_atomic(attr->max_dest_rd_atomic));
}

/**
 * verbs_qpc_write() - writes the attributes of a transition
 * @qpc: the context that goes with the command: MLX5_ST_SZ_BYTES(qpc)
 * @type: QP type
 * @qpn: number of the QP
 * @attr: all attributes, as they are after the transition
 * @mask: those that the transition sets, IB_QP_*
 *
 * Datagrams have no path MTU of their own: the device is told the largest.
 *
 * Context: any.
 */
void verbs_qpc_write(void *qpc, enum ib_qp_type type, u32 qpn, const struct ib_qp_attr *attr,
		     int mask)
{
	bool datagram = type == IB_QPT_UD || type == IB_QPT_GSI;

	if (mask & IB_QP_AV)
		write_path(qpc, qpn, attr);
	if (mask & IB_QP_PKEY_INDEX)
		MLX5_SET(qpc, qpc, primary_address_path.pkey_index, attr->pkey_index);
	if (mask & IB_QP_PORT)
		MLX5_SET(qpc, qpc, primary_address_path.vhca_port_num, attr->port_num);
	if (mask & IB_QP_QKEY)
		MLX5_SET(qpc, qpc, q_key, attr->qkey);
	if (mask & (IB_QP_ACCESS_FLAGS | IB_QP_MAX_DEST_RD_ATOMIC))
		write_rights(qpc, type, attr);
	write_requester(qpc, attr, mask);
	write_responder(qpc, attr, mask);
	if (datagram && attr->qp_state == IB_QPS_RTR)
		MLX5_SET(qpc, qpc, mtu, IB_MTU_4096);
}

static int read_access(const void *qpc)
{
	return (MLX5_GET(qpc, qpc, rwe) ? IB_ACCESS_REMOTE_WRITE : 0) |
	       (MLX5_GET(qpc, qpc, rre) ? IB_ACCESS_REMOTE_READ : 0) |
	       (MLX5_GET(qpc, qpc, rae) ? IB_ACCESS_REMOTE_ATOMIC : 0);
}

/**
 * verbs_qpc_read() - reads a context that the device gave back
 * @qpc: the context
 * @attr: to fill; what a context does not say is left alone
 *
 * Context: any.
 */
void verbs_qpc_read(const void *qpc, struct ib_qp_attr *attr)
{
	const void *path = MLX5_ADDR_OF(qpc, qpc, primary_address_path);
	bool draining;

	attr->qp_state = verbs_qpc_ib_state(MLX5_GET(qpc, qpc, state), &draining);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = draining;
	attr->path_mtu = MLX5_GET(qpc, qpc, mtu) ?: IB_MTU_256;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = MLX5_GET(qpc, qpc, q_key);
	attr->rq_psn = MLX5_GET(qpc, qpc, next_rcv_psn);
	attr->sq_psn = MLX5_GET(qpc, qpc, next_send_psn);
	attr->dest_qp_num = MLX5_GET(qpc, qpc, remote_qpn);
	attr->qp_access_flags = read_access(qpc);
	verbs_qpc_read_path(path, &attr->ah_attr);
	attr->pkey_index = MLX5_GET(ads, path, pkey_index);
	attr->port_num = MLX5_GET(ads, path, vhca_port_num);
	attr->max_rd_atomic = 1 << MLX5_GET(qpc, qpc, log_sra_max);
	attr->max_dest_rd_atomic = 1 << MLX5_GET(qpc, qpc, log_rra_max);
	attr->min_rnr_timer = MLX5_GET(qpc, qpc, min_rnr_nak);
	attr->timeout = MLX5_GET(ads, path, ack_timeout);
	attr->retry_cnt = MLX5_GET(qpc, qpc, retry_count);
	attr->rnr_retry = MLX5_GET(qpc, qpc, rnr_retry);
}
