// SPDX-License-Identifier: GPL-2.0
/*
 * The QP state machine as one table.
 */
#include <ohca/qp_state.h>

#include <linux/export.h>
#include <linux/module.h>
#include <ohca/gid.h>

/* States, as bits of ohca_qp_edge.from. */
#define RESET	BIT(IB_QPS_RESET)
#define INIT	BIT(IB_QPS_INIT)
#define RTR	BIT(IB_QPS_RTR)
#define RTS	BIT(IB_QPS_RTS)
#define SQD	BIT(IB_QPS_SQD)
#define SQE	BIT(IB_QPS_SQE)
#define ERR	BIT(IB_QPS_ERR)

/* Types, as bits of ohca_qp_edge.types. An XRC QP is one half of an RC QP: SEND or RECV. */
#define RC	BIT(IB_QPT_RC)
#define UC	BIT(IB_QPT_UC)
#define UD	BIT(IB_QPT_UD)
#define GSI	BIT(IB_QPT_GSI)
#define INI	BIT(IB_QPT_XRC_INI)
#define TGT	BIT(IB_QPT_XRC_TGT)
#define DGRAM	(UD | GSI)
#define XRC	(INI | TGT)
#define CONN	(RC | UC | XRC)
#define ANY	(DGRAM | CONN)

/* Attributes, by the table of IBA that names them; the QKEY is the datagram QPs' only. */
#define CUR	IB_QP_CUR_STATE
#define ACCESS	IB_QP_ACCESS_FLAGS
#define PKEY	IB_QP_PKEY_INDEX
#define PORT	IB_QP_PORT
#define QKEY	IB_QP_QKEY
#define APM	(IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE)
#define RNR	IB_QP_MIN_RNR_TIMER
/* The requester's own, and the responder's. */
#define REQ	(IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC)
#define RESP	(IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)
/* What a connected QP may change on the way to RTS, and in RTS. */
#define LIVE	(CUR | ACCESS | APM)
/* What a connected QP must be told of its peer. */
#define PEER	(IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN)
#define INIT_RTR	(IB_QP_ALT_PATH | ACCESS | PKEY)
/* What a drained send queue lets change. */
#define DRAINED	(IB_QP_AV | APM | ACCESS | PKEY)
#define SQD_SQD	(DRAINED | PORT | IB_QP_TIMEOUT)

/*
 * { from, to, types, required, optional }; IBA tables 91 (to INIT, RTR), 92
 * (RTS), 93 to 96 (SQD, SQE, ERR, RESET). No two rows of a (from, to) have a type
 * in common.
 */
static const struct ohca_qp_edge edges[] = {
	{ RESET | INIT | RTR | RTS | SQD | SQE | ERR, IB_QPS_RESET, ANY, 0, 0 },
	{ INIT | RTR | RTS | SQD | SQE | ERR, IB_QPS_ERR, ANY, 0, 0 },

	{ RESET, IB_QPS_INIT, CONN, PKEY | PORT | ACCESS, 0 },
	{ RESET, IB_QPS_INIT, UD, PKEY | PORT | QKEY, 0 },
	{ RESET, IB_QPS_INIT, GSI, PKEY | QKEY, 0 },

	{ INIT, IB_QPS_INIT, CONN, 0, PKEY | PORT | ACCESS },
	{ INIT, IB_QPS_INIT, UD, 0, PKEY | PORT | QKEY },
	{ INIT, IB_QPS_INIT, GSI, 0, PKEY | QKEY },

	{ INIT, IB_QPS_RTR, RC | TGT, PEER | RESP, INIT_RTR },
	{ INIT, IB_QPS_RTR, UC | INI, PEER, INIT_RTR },
	{ INIT, IB_QPS_RTR, DGRAM, 0, PKEY | QKEY },

	{ RTR, IB_QPS_RTS, RC, IB_QP_SQ_PSN | IB_QP_TIMEOUT | REQ, LIVE | RNR },
	{ RTR, IB_QPS_RTS, INI, IB_QP_SQ_PSN | IB_QP_TIMEOUT | REQ, LIVE },
	{ RTR, IB_QPS_RTS, TGT, IB_QP_SQ_PSN | IB_QP_TIMEOUT, LIVE | RNR },
	{ RTR, IB_QPS_RTS, UC, IB_QP_SQ_PSN, LIVE },
	{ RTR, IB_QPS_RTS, DGRAM, IB_QP_SQ_PSN, CUR | QKEY },

	{ RTS | SQD, IB_QPS_RTS, RC | TGT, 0, LIVE | RNR },
	{ RTS | SQD, IB_QPS_RTS, UC | INI, 0, LIVE },
	{ RTS | SQD, IB_QPS_RTS, DGRAM, 0, CUR | QKEY },

	{ RTS, IB_QPS_SQD, ANY, 0, IB_QP_EN_SQD_ASYNC_NOTIFY },

	{ SQD, IB_QPS_SQD, RC, 0, SQD_SQD | REQ | RESP },
	{ SQD, IB_QPS_SQD, INI, 0, SQD_SQD | REQ },
	{ SQD, IB_QPS_SQD, TGT, 0, SQD_SQD | RESP },
	{ SQD, IB_QPS_SQD, UC, 0, DRAINED },
	{ SQD, IB_QPS_SQD, DGRAM, 0, PKEY | QKEY },

	/* A reliable QP never enters SQE; leaving it is harmless. */
	{ SQE, IB_QPS_RTS, UC, 0, CUR | ACCESS },
	{ SQE, IB_QPS_RTS, DGRAM, 0, CUR | QKEY },
	{ SQE, IB_QPS_RTS, RC | XRC, 0, 0 },
};

/**
 * ohca_qp_edge_find() - looks a transition up
 * @type: QP type
 * @cur: state the QP is in
 * @next: state it is to be in
 *
 * Context: any.
 * Return: its row of the table, or NULL if there is no such transition.
 */
const struct ohca_qp_edge *ohca_qp_edge_find(enum ib_qp_type type, enum ib_qp_state cur,
					     enum ib_qp_state next)
{
	unsigned int i;

	if ((unsigned int)cur > IB_QPS_ERR || (unsigned int)type > IB_QPT_XRC_TGT)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		if (edges[i].to == next && edges[i].from & BIT(cur) && edges[i].types & BIT(type))
			return &edges[i];
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(ohca_qp_edge_find);

/**
 * ohca_qp_transition_check() - whether a QP may go from a state to another with these attributes
 * @type: QP type: RC, UC, UD, GSI, XRC
 * @cur: state the QP is in
 * @next: state it is to be in (@cur, if @mask lacks IB_QP_STATE)
 * @mask: attributes given, IB_QP_*
 *
 * Only which attributes are given is checked, not their values
 * (ohca_qp_attr_check()). IBA 10.3.1 and 11.2.5.2.
 *
 * Context: any. The caller keeps the state from changing.
 * Return: 0 or -EINVAL.
 */
int ohca_qp_transition_check(enum ib_qp_type type, enum ib_qp_state cur, enum ib_qp_state next,
			     int mask)
{
	const struct ohca_qp_edge *edge = ohca_qp_edge_find(type, cur, next);
	u32 given = mask & ~IB_QP_STATE;

	if (!edge)
		return -EINVAL;
	if ((given & edge->required) != edge->required)
		return -EINVAL;
	if (given & ~(edge->required | edge->optional))
		return -EINVAL;
	return 0;
}
EXPORT_SYMBOL_GPL(ohca_qp_transition_check);

/* Attributes that are a number of 8 bits with a fixed bound. */
struct bound {
	int attr;
	u16 offset;
	u16 max;
};

#define BOUND(attr, member, max)						\
	{ attr, offsetof(struct ib_qp_attr, member) +				\
		BUILD_BUG_ON_ZERO(sizeof_field(struct ib_qp_attr, member) != 1), max }

static const struct bound bounds[] = {
	BOUND(IB_QP_TIMEOUT, timeout, OHCA_MAX_TIMEOUT),
	BOUND(IB_QP_RETRY_CNT, retry_cnt, OHCA_MAX_RETRY),
	BOUND(IB_QP_RNR_RETRY, rnr_retry, OHCA_MAX_RETRY),
	BOUND(IB_QP_MIN_RNR_TIMER, min_rnr_timer, OHCA_MAX_RNR_TIMER),
};

static int check_bounds(const struct ib_qp_attr *attr, int mask)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		const u8 *value = (const u8 *)attr + bounds[i].offset;

		if (mask & bounds[i].attr && *value > bounds[i].max)
			return -EINVAL;
	}
	return 0;
}

static int check_limits(const struct ib_qp_attr *attr, int mask,
			const struct ohca_qp_limits *limits)
{
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > limits->mtu))
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > limits->max_rd_atomic)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	    attr->max_dest_rd_atomic > limits->max_dest_rd_atomic)
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index >= limits->pkey_tbl_len)
		return -EINVAL;
	return 0;
}

/* Where the QP is, and the port and address vector that go with it. */
static int check_path(struct ib_device *ibdev, u32 port, enum ib_qp_type type,
		      const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PORT) {
		if (!rdma_is_port_valid(ibdev, attr->port_num))
			return -EINVAL;
		port = attr->port_num;
	}
	if (mask & IB_QP_AV) {
		int err = ohca_av_check(ibdev, type, &attr->ah_attr);

		if (err)
			return err;
		/* The QP's port sends; an address vector of another one can't be its. */
		if (attr->ah_attr.port_num != port)
			return -EINVAL;
	}
	return 0;
}

/**
 * ohca_qp_attr_check() - whether attributes have values that the device can work with
 * @ibdev: the device
 * @port: port the QP is on now, 0 before INIT
 * @type: QP type
 * @attr: the attributes, as ib_device_ops.modify_qp gets them (the GID is resolved)
 * @mask: which of them are given
 * @limits: the device's and the port's
 *
 * PSNs and QPNs are taken modulo 2^24, as IB core and other RoCE drivers do:
 * ohca_qp_attr_merge() masks them. Unknown access rights are refused, those
 * that the device does not act on are not.
 *
 * Context: any.
 * Return: 0; -EINVAL for a bad value; -EOPNOTSUPP for path migration, which
 * RoCE has not.
 */
int ohca_qp_attr_check(struct ib_device *ibdev, u32 port, enum ib_qp_type type,
		       const struct ib_qp_attr *attr, int mask,
		       const struct ohca_qp_limits *limits)
{
	int err;

	if (mask & IB_QP_STATE && (unsigned int)attr->qp_state > IB_QPS_ERR)
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH)
		return -EOPNOTSUPP;
	if (mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~IB_ACCESS_SUPPORTED)
		return -EINVAL;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify > 1)
		return -EINVAL;

	err = check_bounds(attr, mask);
	if (err)
		return err;
	err = check_limits(attr, mask, limits);
	if (err)
		return err;
	return check_path(ibdev, port, type, attr, mask);
}
EXPORT_SYMBOL_GPL(ohca_qp_attr_check);

/**
 * ohca_qp_modify_check() - the whole check of a modify_qp
 * @ibdev: the device
 * @port: port the QP is on now, 0 before INIT
 * @type: QP type
 * @cur: state the QP is in
 * @attr: the attributes
 * @mask: which of them are given
 * @limits: the device's and the port's
 *
 * ohca_qp_transition_check(), ohca_qp_attr_check(), and that the consumer's
 * idea of the current state (IB_QP_CUR_STATE) is right.
 *
 * Context: any. The caller keeps @cur from changing until it has acted on the
 * answer.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int ohca_qp_modify_check(struct ib_device *ibdev, u32 port, enum ib_qp_type type,
			 enum ib_qp_state cur, const struct ib_qp_attr *attr, int mask,
			 const struct ohca_qp_limits *limits)
{
	enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : cur;
	int err;

	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != cur)
		return -EINVAL;
	err = ohca_qp_transition_check(type, cur, next, mask);
	if (err)
		return err;
	return ohca_qp_attr_check(ibdev, port, type, attr, mask, limits);
}
EXPORT_SYMBOL_GPL(ohca_qp_modify_check);

/* An attribute that is copied as it is: where it lies in struct ib_qp_attr. */
struct member {
	int attr;
	u16 offset;
	u16 size;
};

#define MEMBER(attr, member) \
	{ attr, offsetof(struct ib_qp_attr, member), sizeof_field(struct ib_qp_attr, member) }

static const struct member members[] = {
	MEMBER(IB_QP_STATE, qp_state),
	MEMBER(IB_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify),
	MEMBER(IB_QP_ACCESS_FLAGS, qp_access_flags),
	MEMBER(IB_QP_PKEY_INDEX, pkey_index),
	MEMBER(IB_QP_PORT, port_num),
	MEMBER(IB_QP_QKEY, qkey),
	MEMBER(IB_QP_PATH_MTU, path_mtu),
	MEMBER(IB_QP_TIMEOUT, timeout),
	MEMBER(IB_QP_RETRY_CNT, retry_cnt),
	MEMBER(IB_QP_RNR_RETRY, rnr_retry),
	MEMBER(IB_QP_MAX_QP_RD_ATOMIC, max_rd_atomic),
	MEMBER(IB_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	MEMBER(IB_QP_MIN_RNR_TIMER, min_rnr_timer),
	MEMBER(IB_QP_PATH_MIG_STATE, path_mig_state),
	MEMBER(IB_QP_RQ_PSN, rq_psn),
	MEMBER(IB_QP_SQ_PSN, sq_psn),
	MEMBER(IB_QP_DEST_QPN, dest_qp_num),
};

/**
 * ohca_qp_attr_merge() - takes checked attributes over, for query_qp to give back
 * @to: the QP's attributes
 * @from: those of a modify_qp that ohca_qp_modify_check() has passed
 * @mask: which of @from are given
 *
 * The address vector is copied without its reference to the source GID
 * (grh.sgid_attr is NULL): IB core holds one of its own, and adds it to what
 * query_qp returns.
 *
 * Context: any; the caller holds what guards @to.
 */
void ohca_qp_attr_merge(struct ib_qp_attr *to, const struct ib_qp_attr *from, int mask)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		u16 offset = members[i].offset;

		if (mask & members[i].attr)
			memcpy((u8 *)to + offset, (const u8 *)from + offset, members[i].size);
	}
	if (mask & IB_QP_STATE)
		to->cur_qp_state = to->qp_state;
	if (mask & IB_QP_AV) {
		to->ah_attr = from->ah_attr;
		to->ah_attr.grh.sgid_attr = NULL;
	}
	to->rq_psn &= OHCA_24BIT;
	to->sq_psn &= OHCA_24BIT;
	to->dest_qp_num &= OHCA_24BIT;
}
EXPORT_SYMBOL_GPL(ohca_qp_attr_merge);

/**
 * ohca_qp_attr_reset() - the attributes of a QP that is made, or moved to RESET
 * @attr: the QP's attributes
 *
 * IBA 10.3.1.1: RESET is what a QP is created in; nothing set before counts.
 *
 * Context: any; the caller holds what guards @attr.
 */
void ohca_qp_attr_reset(struct ib_qp_attr *attr)
{
	struct ib_qp_cap cap = attr->cap;

	memset(attr, 0, sizeof(*attr));
	attr->cap = cap;
	attr->qp_state = IB_QPS_RESET;
	attr->cur_qp_state = IB_QPS_RESET;
	attr->path_mtu = IB_MTU_256;
	attr->path_mig_state = IB_MIG_MIGRATED;
}
EXPORT_SYMBOL_GPL(ohca_qp_attr_reset);

/**
 * ohca_qp_state_name() - name of a state, for messages and traces
 * @state: any value
 *
 * Context: any.
 * Return: a constant string.
 */
const char *ohca_qp_state_name(enum ib_qp_state state)
{
	static const char *const names[] = {
		[IB_QPS_RESET] = "RESET", [IB_QPS_INIT] = "INIT", [IB_QPS_RTR] = "RTR",
		[IB_QPS_RTS] = "RTS", [IB_QPS_SQD] = "SQD", [IB_QPS_SQE] = "SQE",
		[IB_QPS_ERR] = "ERR",
	};

	return (unsigned int)state < ARRAY_SIZE(names) ? names[state] : "?";
}
EXPORT_SYMBOL_GPL(ohca_qp_state_name);
