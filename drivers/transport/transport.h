/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The InfiniBand transport: what an owner sees.
 *
 * The transport is the IBA transport layer (IBA Vol 1, chapter 9) over RoCE v2
 * headers (Annex A17), in portable C. It knows nothing of skbs, sockets,
 * ib_device or PCI. Its owner (ohca_soft.ko, the simulator, the device model)
 * embeds a struct tp_qp in its own QP, calls the tp_*() functions below, and
 * defines the tp_owner_*() functions, which are bound when the owner is linked.
 *
 * Locks: each QP has two halves with a lock each, taken with bottom halves off.
 *
 *   req.lock   requester and completer: send WRs, requests out, responses in
 *   resp.lock  responder: requests in, receive WRs, responses out
 *
 * Order: req.lock of any QP, then resp.lock of any QP. Never a req.lock inside
 * a resp.lock, never two of one kind, but for tp_qp_modify(), which takes both
 * of one QP in that order. The owner's locks (CQ, RQ, memory keys) nest inside.
 * tp_owner_*() functions that run under these locks must not sleep nor call
 * back into the transport, except where their description says so.
 */
#ifndef OHCA_TRANSPORT_H
#define OHCA_TRANSPORT_H

#include <linux/types.h>
#include <linux/spinlock.h>
#include <rdma/ib_user_verbs.h>

#include "packet.h"

/* Largest train: payload bytes, and packets (a UDP GSO skb's limits). */
#define TP_TRAIN_BYTES		65536u
#define TP_TRAIN_PACKETS	64u
/*
 * Segments a mapping may have. One packet's payload (4096 bytes at most) from
 * TP_MAX_SGE entries always fits: an entry of n bytes crosses at most one more
 * page than it fills.
 */
#define TP_MAX_SGE		32u
#define TP_MAX_SEGS		80u

/**
 * enum tp_wc_status - completion status; values of enum ib_wc_status
 */
enum tp_wc_status {
	TP_WC_SUCCESS		= 0,
	TP_WC_LOC_LEN_ERR	= 1,
	TP_WC_LOC_QP_OP_ERR	= 2,
	TP_WC_LOC_PROT_ERR	= 4,
	TP_WC_WR_FLUSH_ERR	= 5,
	TP_WC_MW_BIND_ERR	= 6,
	TP_WC_BAD_RESP_ERR	= 7,
	TP_WC_LOC_ACCESS_ERR	= 8,
	TP_WC_REM_INV_REQ_ERR	= 9,
	TP_WC_REM_ACCESS_ERR	= 10,
	TP_WC_REM_OP_ERR	= 11,
	TP_WC_RETRY_EXC_ERR	= 12,
	TP_WC_RNR_RETRY_EXC_ERR	= 13,
	TP_WC_REM_ABORT_ERR	= 16,
	TP_WC_FATAL_ERR		= 19,
	TP_WC_GENERAL_ERR	= 21,
};

/* Work completion flags; values of enum ib_uverbs_wc_flags as user space sees them. */
#define TP_WC_GRH		(1u << 0)
#define TP_WC_WITH_IMM		(1u << 1)
#define TP_WC_WITH_INV		(1u << 3)

/* Send flags; values of enum ib_send_flags. */
#define TP_SEND_FENCE		(1u << 0)
#define TP_SEND_SIGNALED	(1u << 1)
#define TP_SEND_SOLICITED	(1u << 2)
#define TP_SEND_INLINE		(1u << 3)

/* A Q_Key that stands for the QP's own (IBA 10.2.5). */
#define TP_QKEY_OWN		(1u << 31)

/* Access rights; values of enum ib_access_flags. */
#define TP_ACCESS_LOCAL_WRITE	(1u << 0)
#define TP_ACCESS_REMOTE_WRITE	(1u << 1)
#define TP_ACCESS_REMOTE_READ	(1u << 2)
#define TP_ACCESS_REMOTE_ATOMIC	(1u << 3)

/* REG_MR is of kernel consumers only: enum ib_wr_opcode; its completion is the owner's to name. */
#define TP_WR_REG_MR		32u
#define TP_WC_REG_MR		64u

/* Completion opcodes of receive WRs; values of enum ib_wc_opcode, which uapi headers lack. */
#define TP_WC_RECV		128u
#define TP_WC_RECV_WITH_IMM	129u

/**
 * struct tp_wc - a work completion, as the transport hands it to its owner
 * @wr_id: the consumer's, from the WR
 * @status: how it ended
 * @opcode: enum ib_uverbs_wc_opcode, or TP_WC_RECV*; valid on success only, as
 *          IBA 11.4.2.1 says
 * @vendor_err: 0, or a number that tells the place which found the error
 * @byte_len: bytes received, or read
 * @imm: immediate data as it was on the wire (@flags has TP_WC_WITH_IMM)
 * @inv_rkey: the rkey invalidated (@flags has TP_WC_WITH_INV)
 * @src_qp: the sender's QPN
 * @origin: of a datagram received: where from, valid during the call only; else NULL
 * @flags: TP_WC_*
 * @solicited: the message carried the solicited event bit, or the status is an error
 */
struct tp_wc {
	u64 wr_id;
	enum tp_wc_status status;
	u32 opcode;
	u32 vendor_err;
	u32 byte_len;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u32 src_qp;
	const struct tp_origin *origin;
	u32 flags;
	bool solicited;
};

/**
 * struct tp_sge - a scatter or gather entry, already copied and private
 * @addr: I/O virtual address in the region that @lkey names
 * @length: bytes
 * @lkey: local key
 */
struct tp_sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

/**
 * struct tp_bind - what BIND_MW and REG_MR ask for
 * @addr: I/O virtual address of the first byte
 * @length: bytes; BIND_MW: 0 unbinds a window of type 1
 * @region: REG_MR: the owner's region
 * @lkey: BIND_MW: of the region that the window lies in
 * @window: BIND_MW: the window's rkey until now
 * @key: the key from now on
 * @access: enum ib_access_flags
 */
struct tp_bind {
	u64 addr;
	u64 length;
	void *region;
	u32 lkey;
	u32 window;
	u32 key;
	u32 access;
};

/**
 * struct tp_send_wr - a send WR: the private copy of what the consumer posted
 * @wr_id: the consumer's
 * @opcode: enum ib_uverbs_wr_opcode
 * @flags: TP_SEND_*
 * @bad: not TP_WC_SUCCESS: the owner found the WR malformed; it completes with
 *       this status when its turn comes and the rest is not looked at
 * @imm: immediate data (…_WITH_IMM)
 * @inv_rkey: rkey to invalidate (SEND_WITH_INV, LOCAL_INV); READ_WITH_INV: lkey
 * @length: bytes in all, the sum of the SGEs or the inline bytes
 * @num_sge: entries of @sge; 0 if the data is inline
 * @rkey: remote key (WRITE, READ, ATOMIC)
 * @remote_addr: remote I/O virtual address
 * @compare_add: compare operand, or addend
 * @swap: swap operand
 * @bind: BIND_MW and REG_MR, which have no use for the members before
 * @xrc_srqn: XRC: the peer's shared receive queue; the trains carry it
 * @dest_qpn: receiver's QPN (datagrams)
 * @qkey: Q_Key (datagrams); with the highest bit set, the QP's own is sent
 * @ah: the owner's name for where it goes (datagrams)
 * @signaled: completes with a CQE on success; the owner has weighed in sq_sig_all
 * @started: a request of it was sent, or it is BIND_MW or REG_MR and was executed
 * @first_psn: PSN of its first request (set by the requester)
 * @npkts: request packets, or for READ the response packets: its PSNs
 * @ssn: send sequence number of its first request (set by the requester)
 * @done: response bytes taken in so far (READ)
 * @sge: the entries
 * @inline_data: @length bytes in their place, if TP_SEND_INLINE
 *
 * The SQ is an array of these, as many as the QP's max_send_wr, each with room
 * for max(16 * max_sge, max_inline) bytes behind it. All under req.lock.
 */
struct tp_send_wr {
	u64 wr_id;
	u32 opcode;
	u32 flags;
	enum tp_wc_status bad;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u32 length;
	u32 num_sge;
	u32 rkey;
	u64 remote_addr;
	u64 compare_add;
	u64 swap;
	struct tp_bind bind;
	u32 xrc_srqn;
	u32 dest_qpn;
	u32 qkey;
	u32 ah;
	bool signaled;
	bool started;
	u32 first_psn;
	u32 npkts;
	u32 ssn;
	u32 done;
	union {
		DECLARE_FLEX_ARRAY(struct tp_sge, sge);
		DECLARE_FLEX_ARRAY(u8, inline_data);
	};
};

/**
 * struct tp_recv_wr - a receive WR: the private copy of what the consumer posted
 * @wr_id: the consumer's
 * @bad: as in struct tp_send_wr
 * @length: bytes in all
 * @num_sge: entries of @sge
 * @sge: the entries
 */
struct tp_recv_wr {
	u64 wr_id;
	enum tp_wc_status bad;
	u32 length;
	u32 num_sge;
	struct tp_sge sge[TP_MAX_SGE];
};

/**
 * struct tp_seg - a run of bytes that can be touched now
 * @addr: address in the address space the transport runs in
 * @len: bytes
 */
struct tp_seg {
	void *addr;
	u32 len;
};

/**
 * struct tp_mem - mapped memory: segments, and what keeps them alive
 * @nr: segments in @seg
 * @length: bytes in @seg
 * @nr_refs: references in @ref
 * @seg: the bytes, in order
 * @ref: the owner's (a region each); dropped by tp_owner_unmap()
 *
 * Lives from tp_owner_map() to tp_owner_unmap(), inside one hold of the lock
 * of the half it belongs to. A region cannot go away in between.
 */
struct tp_mem {
	u32 nr;
	u32 length;
	u32 nr_refs;
	struct tp_seg seg[TP_MAX_SEGS];
	void *ref[TP_MAX_SGE];
};

/* What precedes the payload in a datagram's receive buffers: the GRH, or an IP header. */
#define TP_GRH_BYTES	40u

/**
 * struct tp_origin - where a datagram came from
 * @grh: what its receiver finds before the payload: the IPv6 header, or 20 bytes
 *       of no meaning and the IPv4 header (IBA A17.4.5.1)
 * @ipv4: the latter
 * @has_smac: @smac is known
 * @has_vlan: it came by a VLAN
 * @sl: service level
 * @vlan: VLAN id
 * @smac: source MAC
 *
 * The transport puts @grh into the receive buffers; the rest is for the owner's
 * completions.
 */
struct tp_origin {
	u8 grh[TP_GRH_BYTES];
	bool ipv4;
	bool has_smac;
	bool has_vlan;
	u8 sl;
	u16 vlan;
	u8 smac[6];
};

/**
 * struct tp_train - consecutive packets of one message, as one unit
 * @service: transport service, that of the QPs at both ends
 * @op: what kind of message: enum tp_op
 * @flags: TP_TRAIN_*
 * @npkts: packets, 1 to TP_TRAIN_PACKETS
 * @psn: of the first packet; packet i has psn + i modulo 2^24
 * @dest_qpn: 24 bits
 * @pkey: P_Key in the BTH
 * @mtu: path MTU, bytes: the payload of every packet but the last of a message
 * @length: payload bytes without padding
 * @va: remote address (RETH, AtomicETH); of the message's first byte
 * @rkey: remote key (RETH, AtomicETH)
 * @dmalen: RETH DMA length, bytes: of the whole message
 * @swap: AtomicETH swap or add data
 * @compare: AtomicETH compare data
 * @qkey: Q_Key (DETH)
 * @src_qpn: sender's QPN (DETH), 24 bits
 * @ah: of a datagram on its way out: as in struct tp_send_wr
 * @origin: of a datagram that came in: where from
 * @imm: immediate data (TP_TRAIN_IMM)
 * @inv_rkey: IETH (TP_TRAIN_INV)
 * @syndrome: AETH syndrome (responses)
 * @msn: AETH message sequence number (responses), 24 bits
 * @orig: AtomicAckETH
 * @xrc_srqn: the WR's, for an owner whose wire knows XRC; 0 in responses
 * @nr_seg: entries in @seg
 * @seg: the payload, @length bytes; borrowed, valid during the call only
 *
 * The train is the unit of sending, receiving and acknowledging. A train of
 * one is a packet. The opcode of packet i follows from @service, @op, @flags and
 * i: tp_train_opcode(). Fields that @op does not use are 0.
 */
struct tp_train {
	enum tp_service service;
	enum tp_op op;
	u32 flags;
	u32 npkts;
	u32 psn;
	u32 dest_qpn;
	u16 pkey;
	u32 mtu;
	u32 length;
	u64 va;
	u32 rkey;
	u32 dmalen;
	u64 swap;
	u64 compare;
	u32 qkey;
	u32 src_qpn;
	u32 ah;
	const struct tp_origin *origin;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u8 syndrome;
	u32 msn;
	u64 orig;
	u32 xrc_srqn;
	u32 nr_seg;
	const struct tp_seg *seg;
};

#define TP_TRAIN_FIRST	(1u << 0)	/* its first packet is First or Only */
#define TP_TRAIN_LAST	(1u << 1)	/* its last packet is Last or Only */
#define TP_TRAIN_IMM	(1u << 2)	/* immediate data in the last packet */
#define TP_TRAIN_INV	(1u << 3)	/* IETH in the last packet */
#define TP_TRAIN_SE	(1u << 4)	/* solicited event bit in the last packet */
#define TP_TRAIN_ACKREQ	(1u << 5)	/* AckReq bit in the last packet */
#define TP_TRAIN_MIGREQ	(1u << 6)	/* MigReq bit in every packet */
#define TP_TRAIN_RESENT	(1u << 7)	/* sent before (not on the wire; for counters) */

/**
 * enum tp_qp_state - QP states; values of enum ib_qp_state
 */
enum tp_qp_state {
	TP_QPS_RESET, TP_QPS_INIT, TP_QPS_RTR, TP_QPS_RTS, TP_QPS_SQD, TP_QPS_SQE, TP_QPS_ERR,
};

/**
 * enum tp_event - asynchronous events a QP raises; IBA 11.6.3
 */
enum tp_event {
	TP_EVENT_COMM_EST,	/* a packet came while in RTR */
	TP_EVENT_SQ_DRAINED,	/* SQD: the last request was answered */
	TP_EVENT_LAST_WQE,	/* ERROR, with an SRQ: no receive WR is held any more */
	TP_EVENT_QP_FATAL,	/* local catastrophic error */
	TP_EVENT_REQ_ERR,	/* responder: invalid request */
	TP_EVENT_ACCESS_ERR,	/* responder: access violation */
};

/**
 * TP_COUNTERS() - what the transport counts
 * @X: macro that is given each counter's name and description
 *
 * Names are those of rxe or of mlx5's queue counters where one of them has it.
 */
#define TP_COUNTERS(X)							\
	X(sent_pkts, "packets sent")					\
	X(rcvd_pkts, "packets received and taken in")			\
	X(sent_bytes, "payload bytes sent")				\
	X(rcvd_bytes, "payload bytes received and taken in")		\
	X(duplicate_request, "requests that had been executed before")	\
	X(out_of_seq_request, "requests ahead of the expected PSN")	\
	X(out_of_sequence, "packets that came ahead of the expected PSN") \
	X(packet_seq_err, "NAK sequence error received")		\
	X(implied_nak_seq_err, "responses that implied a lost one")	\
	X(rcvd_rnr_err, "RNR NAK received")				\
	X(send_rnr_err, "RNR NAK sent")					\
	X(rcvd_seq_err, "NAK sequence error sent or received")		\
	X(local_ack_timeout_err, "ACK timer expired")			\
	X(ack_deferred, "ACKs left to a later run")			\
	X(retry_exceeded_err, "transport retries exhausted")		\
	X(retry_rnr_exceeded_err, "RNR retries exhausted")		\
	X(completer_retry_err, "go-back-N begun")			\
	X(req_cqe_error, "send completions in error")			\
	X(resp_cqe_error, "receive completions in error")		\
	X(req_cqe_flush_error, "send completions flushed")		\
	X(resp_cqe_flush_error, "receive completions flushed")		\
	X(req_remote_access_errors, "remote access errors reported to the requester") \
	X(resp_remote_access_errors, "remote access errors found by the responder") \
	X(req_remote_invalid_request, "invalid requests reported to the requester") \
	X(out_of_buffer, "unreliable messages that found no receive WR")		\
	X(resp_local_length_error, "messages longer than their receive WR") \
	X(rx_read_requests, "READ requests received")			\
	X(rx_write_requests, "WRITE requests received")			\
	X(rx_atomic_requests, "ATOMIC requests received")		\
	X(rdma_sends, "SEND messages sent")				\
	X(rdma_recvs, "SEND messages received")

#define TP_COUNTER_ENUM(name, text) TP_CNT_##name,
enum tp_counter {
	TP_COUNTERS(TP_COUNTER_ENUM)
	TP_NUM_COUNTERS
};

#undef TP_COUNTER_ENUM

/**
 * struct tp_qp_attr - the attributes that the transport works by
 * @state: what tp_qp_modify() moves the QP to
 * @access: TP_ACCESS_REMOTE_*: what a peer may do over this QP
 * @pkey: P_Key of the BTH
 * @qkey: Q_Key of a datagram QP
 * @dest_qpn: the peer's QPN
 * @sq_psn: first PSN to send
 * @rq_psn: first PSN expected
 * @mtu: path MTU, bytes, 256 to 4096
 * @max_rd_atomic: READs and ATOMICs outstanding as requester
 * @max_dest_rd_atomic: responder resources
 * @timeout: ACK timer: 4.096 us * 2^timeout; 0: none
 * @retry_cnt: 0 to 7
 * @rnr_retry: 0 to 6; 7: without end
 * @min_rnr_timer: what RNR NAKs ask for; IBA table 45
 */
struct tp_qp_attr {
	enum tp_qp_state state;
	u32 access;
	u16 pkey;
	u32 qkey;
	u32 dest_qpn;
	u32 sq_psn;
	u32 rq_psn;
	u32 mtu;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
};

/* Which members of struct tp_qp_attr tp_qp_modify() takes over. */
#define TP_ATTR_STATE		(1u << 0)
#define TP_ATTR_ACCESS		(1u << 1)
#define TP_ATTR_PKEY		(1u << 2)
#define TP_ATTR_DEST_QPN	(1u << 3)
#define TP_ATTR_SQ_PSN		(1u << 4)
#define TP_ATTR_RQ_PSN		(1u << 5)
#define TP_ATTR_MTU		(1u << 6)
#define TP_ATTR_MAX_RD		(1u << 7)
#define TP_ATTR_MAX_DEST_RD	(1u << 8)
#define TP_ATTR_TIMEOUT		(1u << 9)
#define TP_ATTR_RETRY		(1u << 10)
#define TP_ATTR_RNR_RETRY	(1u << 11)
#define TP_ATTR_RNR_TIMER	(1u << 12)
#define TP_ATTR_SQD_EVENT	(1u << 13)	/* raise TP_EVENT_SQ_DRAINED */
#define TP_ATTR_QKEY		(1u << 14)

#include "qp.h"

/*
 * Calls of an owner into the transport.
 *
 * Any of them may call tp_owner_complete_*(), tp_owner_event() and
 * tp_owner_arm(). They take the locks named above, from any context in which
 * spin_lock_bh() is allowed.
 */

/**
 * struct tp_qp_init_attr - sizes of a QP
 * @qpn: its number, as the wire knows it
 * @service: its transport service
 * @max_send_wr: send WRs that can be outstanding
 * @max_send_sge: entries of a send WR, TP_MAX_SGE at most
 * @max_inline: inline bytes of a send WR
 * @has_srq: receive WRs come from a shared queue
 */
struct tp_qp_init_attr {
	u32 qpn;
	enum tp_service service;
	u32 max_send_wr;
	u32 max_send_sge;
	u32 max_inline;
	bool has_srq;
};

/* Makes a QP in RESET. May sleep. 0, -EINVAL or -ENOMEM. */
int tp_qp_init(struct tp_qp *qp, const struct tp_qp_init_attr *init);

/* Frees what tp_qp_init() made. No other call may be running or follow. */
void tp_qp_fini(struct tp_qp *qp);

/*
 * Takes over the members of @attr that @mask names, all under both locks, and
 * then moves to @attr->state if @mask has TP_ATTR_STATE. The owner has checked
 * the transition and the values (core's table). RESET drops all work without a
 * completion; ERR flushes both queues. May be called with bottom halves off.
 */
void tp_qp_modify(struct tp_qp *qp, const struct tp_qp_attr *attr, u32 mask);

/*
 * A copy of the present attributes and state (a QP moves to ERR or out of SQD's
 * draining by itself), with the PSNs that come next.
 */
void tp_qp_query(struct tp_qp *qp, struct tp_qp_attr *attr, bool *sq_draining);

/*
 * Runs the requester: takes send WRs and sends until there are none, the
 * window is full, or a budget is spent. In ERR it flushes what was posted.
 * True: there is more to do now; call again, after giving others a turn.
 */
bool tp_send(struct tp_qp *qp);

/* New receive WRs were posted in ERR (they are flushed), or credits are owed to the peer. */
void tp_recv_posted(struct tp_qp *qp);

/*
 * A train came from the peer; the owner has checked that it came from the
 * peer's address and carries this QP's number. True as for tp_send(), or if
 * tp_respond() has more to do: the owner calls both again later.
 */
bool tp_receive(struct tp_qp *qp, const struct tp_train *train);

/* Sends responses that are due (READ data past the budget). True: more to do. */
bool tp_respond(struct tp_qp *qp);

/*
 * Delivers @train, a request that @from is sending, to @to on the same host,
 * and takes all of @to's answers back into @from's completer. Called by
 * tp_owner_xmit(), that is with @from's req.lock held; takes @to's resp.lock.
 * True: @to has moved to ERR, and tp_send(@to) is to be called once no lock is
 * held (from a work item, say): it flushes @to's send queue. Not calling it is
 * harmless to everyone but @to's consumer, who waits.
 */
bool __must_check tp_deliver_local(struct tp_qp *from, struct tp_qp *to,
				   const struct tp_train *train);

/*
 * The timer that tp_owner_arm() armed has come to its end (too early is harmless).
 * True as for tp_send().
 */
bool tp_timeout(struct tp_qp *qp);

/*
 * The owner found the QP unusable (its device is going, its CQ has overflowed): to
 * ERR, with @event.
 */
void tp_qp_error(struct tp_qp *qp, enum tp_event event);

/*
 * What the owner defines.
 */

/*
 * Copies the next posted send WR into @wr, whose @sge or @inline_data has the
 * room that tp_qp_init() was told, and takes it off the posted ones. The WR's
 * slot in the consumer's queue stays taken until tp_owner_complete_send() or
 * tp_owner_retire_send(). False: none is posted. Under req.lock.
 */
bool tp_owner_next_send(struct tp_qp *qp, struct tp_send_wr *wr);

/* Whether a further send WR is posted (a hint: decides AckReq). Under req.lock. */
bool tp_owner_more_sends(struct tp_qp *qp);

/* Copies the next posted receive WR, takes it off. False: none. Under resp.lock. */
bool tp_owner_next_recv(struct tp_qp *qp, struct tp_recv_wr *wr);

/* Receive WRs posted now, for AETH credits; a hint. Under resp.lock. */
u32 tp_owner_recv_count(struct tp_qp *qp);

/* Puts @wc into the send CQ and frees the oldest slot of the SQ. Under req.lock. */
void tp_owner_complete_send(struct tp_qp *qp, const struct tp_wc *wc);

/* Frees the oldest slot of the SQ: an unsignaled WR that ended well. Under req.lock. */
void tp_owner_retire_send(struct tp_qp *qp);

/* Puts @wc into the receive CQ and frees the slot in the RQ or SRQ. Under resp.lock. */
void tp_owner_complete_recv(struct tp_qp *qp, const struct tp_wc *wc);

/* Raises an asynchronous event, from whatever context it likes. Under either lock. */
void tp_owner_event(struct tp_qp *qp, enum tp_event event);

/* The transport itself moved the QP to @state. Under one or both locks; for tracing. */
void tp_owner_state(struct tp_qp *qp, enum tp_qp_state state);

/*
 * Adds [@addr, @addr + @len) of the region that @key names to @mem.
 * @access: TP_ACCESS_* that the region must allow, 0 to read locally. A remote
 * access (TP_ACCESS_REMOTE_*) takes @key as an rkey, else it is an lkey. The whole
 * range is checked always. @len is not 0 (a zero length access checks no key:
 * IBA C9-88 and o10-…). Returns the bytes added: fewer than @len only if @mem
 * has no room for more segments or references. -EACCES: no such key, wrong PD,
 * right or range. -EAGAIN: would have to sleep (paging); try again after
 * tp_send() or tp_receive() is called anew. Under the half's lock.
 */
int tp_owner_map(struct tp_qp *qp, struct tp_mem *mem, u32 key, u64 addr, u32 len, u32 access);

/* Drops what tp_owner_map() took, and empties @mem. */
void tp_owner_unmap(struct tp_mem *mem);

/*
 * An ATOMIC on the 8 aligned bytes at @addr, atomic to the consumer's CPUs and
 * to other QPs of the device. Returns what was there before.
 */
u64 tp_owner_atomic(struct tp_qp *qp, void *addr, enum tp_op op, u64 swap_add, u64 compare);

/*
 * Invalidates @rkey as a SEND with invalidate (remote) or LOCAL_INV asks. 0: nobody
 * reads or writes by it any more. -EACCES: no such key, or it can't be invalidated.
 * -EAGAIN: it is of no more use, but somebody still reads or writes; try again as
 * for tp_owner_map(). Under the half's lock.
 */
int tp_owner_invalidate(struct tp_qp *qp, u32 rkey, bool remote);

/* Does what BIND_MW or REG_MR (@wr->bind) asks. 0, -EACCES or -EAGAIN. Under req.lock. */
int tp_owner_bind(struct tp_qp *qp, const struct tp_send_wr *wr);

/*
 * Puts a train on its way. Requests run under req.lock, responses under
 * resp.lock. A train that can't go now is lost, as on a wire: the transport's
 * own retransmission sees to it. Returns 0, or -EAGAIN where the owner will
 * call tp_send() or tp_respond() when there is room: the train then was not sent.
 */
int tp_owner_xmit(struct tp_qp *qp, const struct tp_train *train);

/* The CRC-32 of Ethernet, without the inversion at either end, over @len more bytes. */
u32 tp_owner_crc32(u32 crc, const void *data, u32 len);

/* Now, in ns, from a clock that never goes back. */
u64 tp_owner_now(void);

/*
 * tp_timeout() is wanted at @deadline (tp_owner_now() time), or sooner: a later
 * deadline than the one armed need not move the timer. Under req.lock.
 */
void tp_owner_arm(struct tp_qp *qp, u64 deadline);

/* The timer is of no more use; it may still fire. Under req.lock. */
void tp_owner_disarm(struct tp_qp *qp);

/* Counts. */
void tp_owner_count(struct tp_qp *qp, enum tp_counter counter, u64 n);

/* For tracing: go-back-N from @psn begins; a packet was dropped, and why. */
void tp_owner_retransmit(struct tp_qp *qp, u32 psn, const char *why);
void tp_owner_drop(struct tp_qp *qp, u32 psn, enum tp_drop why);

#endif /* OHCA_TRANSPORT_H */
