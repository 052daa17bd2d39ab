/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the software device: /sys/kernel/tracing/events/ohca/
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ohca

#if !defined(OHCA_SOFT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define OHCA_SOFT_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include <ohca/compat.h>

#include "packet.h"
#include "transport.h"

#define OHCA_TRACE_STATES						\
	{ TP_QPS_RESET,	"RESET" },					\
	{ TP_QPS_INIT,	"INIT" },					\
	{ TP_QPS_RTR,	"RTR" },					\
	{ TP_QPS_RTS,	"RTS" },					\
	{ TP_QPS_SQD,	"SQD" },					\
	{ TP_QPS_SQE,	"SQE" },					\
	{ TP_QPS_ERR,	"ERR" }

#define OHCA_TRACE_FLAGS						\
	{ TP_TRAIN_FIRST,	"first" },				\
	{ TP_TRAIN_LAST,	"last" },				\
	{ TP_TRAIN_IMM,		"imm" },				\
	{ TP_TRAIN_INV,		"inv" },				\
	{ TP_TRAIN_SE,		"se" },					\
	{ TP_TRAIN_ACKREQ,	"ackreq" },				\
	{ TP_TRAIN_MIGREQ,	"migreq" },				\
	{ TP_TRAIN_RESENT,	"resent" }

/* A QP changed its state, by itself or by a verb. */
TRACE_EVENT(ohca_qp_state,
	TP_PROTO(const struct ib_qp *ibqp, u32 state),
	TP_ARGS(ibqp, state),
	TP_STRUCT__entry(
		__string(dev, dev_name(&ibqp->device->dev))
		__field(u32, qpn)
		__field(u32, state)
	),
	TP_fast_assign(
		ohca_assign_str(dev, dev_name(&ibqp->device->dev));
		__entry->qpn = ibqp->qp_num;
		__entry->state = state;
	),
	TP_printk("dev=%s qpn=0x%06x state=%s", __get_str(dev), __entry->qpn,
		  __print_symbolic(__entry->state, OHCA_TRACE_STATES))
);

DECLARE_EVENT_CLASS(ohca_train,
	TP_PROTO(const struct ib_qp *ibqp, const struct tp_train *train),
	TP_ARGS(ibqp, train),
	TP_STRUCT__entry(
		__string(dev, dev_name(&ibqp->device->dev))
		__string(op, tp_op_names[train->op])
		__field(u32, qpn)
		__field(u32, dest_qpn)
		__field(u32, flags)
		__field(u32, psn)
		__field(u32, npkts)
		__field(u32, length)
		__field(u32, msn)
		__field(u8, syndrome)
	),
	TP_fast_assign(
		ohca_assign_str(dev, dev_name(&ibqp->device->dev));
		ohca_assign_str(op, tp_op_names[train->op]);
		__entry->qpn = ibqp->qp_num;
		__entry->dest_qpn = train->dest_qpn;
		__entry->flags = train->flags;
		__entry->psn = train->psn;
		__entry->npkts = train->npkts;
		__entry->length = train->length;
		__entry->msn = train->msn;
		__entry->syndrome = train->syndrome;
	),
	TP_printk("dev=%s qpn=0x%06x dest=0x%06x op=%s psn=0x%06x npkts=%u length=%u msn=0x%06x syndrome=0x%02x flags=%s",
		  __get_str(dev), __entry->qpn, __entry->dest_qpn, __get_str(op), __entry->psn,
		  __entry->npkts, __entry->length, __entry->msn, __entry->syndrome,
		  __print_flags(__entry->flags, "|", OHCA_TRACE_FLAGS))
);

/* A train went out: to the wire, or to a peer on the same host. */
DEFINE_EVENT(ohca_train, ohca_send,
	TP_PROTO(const struct ib_qp *ibqp, const struct tp_train *train),
	TP_ARGS(ibqp, train)
);

/* A train came in for a QP. */
DEFINE_EVENT(ohca_train, ohca_receive,
	TP_PROTO(const struct ib_qp *ibqp, const struct tp_train *train),
	TP_ARGS(ibqp, train)
);

/* The requester goes back to a PSN. */
TRACE_EVENT(ohca_retransmit,
	TP_PROTO(const struct ib_qp *ibqp, u32 psn, const char *why),
	TP_ARGS(ibqp, psn, why),
	TP_STRUCT__entry(
		__string(dev, dev_name(&ibqp->device->dev))
		__string(why, why)
		__field(u32, qpn)
		__field(u32, psn)
	),
	TP_fast_assign(
		ohca_assign_str(dev, dev_name(&ibqp->device->dev));
		ohca_assign_str(why, why);
		__entry->qpn = ibqp->qp_num;
		__entry->psn = psn;
	),
	TP_printk("dev=%s qpn=0x%06x psn=0x%06x why=%s", __get_str(dev), __entry->qpn,
		  __entry->psn, __get_str(why))
);

/* A packet was dropped. @ibdev is NULL if it reached no device. */
TRACE_EVENT(ohca_drop,
	TP_PROTO(const struct ib_device *ibdev, u32 qpn, u32 psn, u32 why),
	TP_ARGS(ibdev, qpn, psn, why),
	TP_STRUCT__entry(
		__string(dev, ibdev ? dev_name(&ibdev->dev) : "-")
		__string(why, tp_drop_names[why])
		__field(u32, qpn)
		__field(u32, psn)
	),
	TP_fast_assign(
		ohca_assign_str(dev, ibdev ? dev_name(&ibdev->dev) : "-");
		ohca_assign_str(why, tp_drop_names[why]);
		__entry->qpn = qpn;
		__entry->psn = psn;
	),
	TP_printk("dev=%s qpn=0x%06x psn=0x%06x reason=%s", __get_str(dev), __entry->qpn,
		  __entry->psn, __get_str(why))
);

#endif /* OHCA_SOFT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
