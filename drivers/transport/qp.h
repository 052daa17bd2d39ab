/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The transport's QP: what transport.h's owner embeds. Only @qpn, @service,
 * @has_srq and the locks are of interest outside drivers/transport/.
 *
 * Included by transport.h, after the types that it needs.
 */
#ifndef OHCA_TRANSPORT_QP_H
#define OHCA_TRANSPORT_QP_H

/* READs and ATOMICs outstanding between two QPs: the most that either side can be set to. */
#define TP_MAX_RD_ATOMIC	128u

/**
 * struct tp_budget - what is left of a call's share
 * @bytes: payload
 * @trains: trains
 */
struct tp_budget {
	u32 bytes;
	u32 trains;
};

/**
 * struct tp_pos - how far the requester has come in sending
 * @cur: WR that the next packet is of; head <= @cur <= tail
 * @pkt: packets of @cur that were sent in this pass
 * @psn: PSN of the next packet; behind @sent while packets are sent again
 * @sent: one past the newest PSN that was ever sent
 * @out: SEND and WRITE packets sent in this pass that were not acknowledged
 * @unasked: packets sent since the last one that asks for an answer
 * @reads: READ and ATOMIC requests sent in this pass and not answered
 * @read_pkts: READ response packets that they ask for and that have not come
 * @probing: a message that there is no credit for is out
 * @probe_psn: its last PSN
 *
 * Apart, so that what the owner could not send is undone by one assignment.
 */
struct tp_pos {
	u32 cur;
	u32 pkt;
	u32 psn;
	u32 sent;
	u32 out;
	u32 unasked;
	u32 reads;
	u32 read_pkts;
	bool probing;
	u32 probe_psn;
};

/**
 * struct tp_req - the requester and completer half; all under @lock
 * @lock: taken with bottom halves off
 * @state: enum tp_qp_state, this half's view
 * @sq: ring of the send WRs taken from the owner, @sq_stride bytes each
 * @sq_stride: bytes of a slot
 * @sq_mask: slots - 1; there is a power of two of them
 * @head: oldest WR that has not completed; counts on, as the next two do
 * @tail: one past the newest WR taken
 * @una: oldest PSN that was not acknowledged
 * @next_psn: first PSN of the next WR to be taken
 * @pos: how far sending has come
 * @budget: of the call that is sending; what it sends to a QP of this host, and
 *          the answers that come back, are all of its share
 * @ssn: send sequence number of the next message to start (IBA 9.7.7.2)
 * @lsn: newest send sequence number there is a credit for, if @limited
 * @limited: the peer gives credits
 * @window: SEND and WRITE packets that may be out now
 * @retries: transport retries that are left
 * @rnr_retries: RNR retries that are left
 * @implied_valid: a lost response was implied at @implied_psn, and seen to
 * @implied_psn: see @implied_valid
 * @sqd_event: TP_EVENT_SQ_DRAINED is wanted
 * @draining: in SQD, with WRs outstanding
 * @ack_deadline: when the oldest unacknowledged packet is given up; 0: not running
 * @rnr_deadline: when an RNR wait ends; 0: none
 * @stall_deadline: when to look again for memory that could not be reached; 0: none
 * @armed: what the owner's timer was last armed for; 0: not armed
 * @mem: the train on its way out
 * @resp_mem: where a response is put
 */
struct tp_req {
	spinlock_t lock;
	u32 state;
	u8 *sq;
	u32 sq_stride;
	u32 sq_mask;
	u32 head;
	u32 tail;
	u32 una;
	u32 next_psn;
	struct tp_pos pos;
	struct tp_budget budget;
	u32 ssn;
	u32 lsn;
	bool limited;
	u32 window;
	u8 retries;
	u8 rnr_retries;
	bool implied_valid;
	u32 implied_psn;
	bool sqd_event;
	bool draining;
	u64 ack_deadline;
	u64 rnr_deadline;
	u64 stall_deadline;
	u64 armed;
	struct tp_mem mem;
	struct tp_mem resp_mem;
};

/**
 * struct tp_resource - a READ or ATOMIC that the responder can answer again
 * @psn: first PSN of the answer
 * @npkts: packets of the answer
 * @va: RETH or AtomicETH
 * @orig: what the ATOMIC returned
 * @rkey: RETH or AtomicETH
 * @dmalen: READ: bytes
 * @compare: AtomicETH, to know a duplicate by
 * @swap: AtomicETH
 * @msn: MSN of the answer
 * @from: first packet of the part that is being sent now, as the request asked
 * @next: next packet to send
 * @part: READ: bytes of the part that is being sent now
 * @op: TP_OP_READ, TP_OP_CMP_SWAP or TP_OP_FETCH_ADD
 * @valid: holds an answer
 * @queued: in the queue of answers to send
 * @replay: a duplicate request asked for it
 */
struct tp_resource {
	u32 psn;
	u32 npkts;
	u64 va;
	u64 orig;
	u32 rkey;
	u32 dmalen;
	u64 compare;
	u64 swap;
	u32 msn;
	u32 from;
	u32 next;
	u32 part;
	u8 op;
	bool valid;
	bool queued;
	bool replay;
};

/**
 * struct tp_resp - the responder half; all under @lock
 * @lock: taken with bottom halves off, inside a req.lock at most
 * @state: enum tp_qp_state, this half's view
 * @psn: expected PSN
 * @msn: messages executed, 24 bits
 * @in_msg: a message has begun and not ended
 * @op: TP_OP_SEND or TP_OP_WRITE, if @in_msg
 * @offset: bytes of the message taken in so far
 * @va: WRITE: where it goes
 * @rkey: WRITE
 * @dmalen: WRITE: bytes in all
 * @nak_sent: a NAK for @psn is out; silent until @psn comes (IBA C9-115)
 * @ack_due: an ACK or NAK is to be sent after the queued answers
 * @ack_psn: its PSN
 * @ack_syndrome: its AETH syndrome; credits are filled in when it goes
 * @told_none: the last AETH sent told the peer that there is no credit
 * @closing: in ERR, but the answers and the NAK that are due still go out
 * @comm_est: TP_EVENT_COMM_EST was raised
 * @have_recv: @recv is taken for the present message
 * @recv: receive WR
 * @local: requester on this host that answers are handed to; NULL: they go by wire
 * @res: TP_MAX_RD_ATOMIC of them; the first max_dest_rd_atomic are in use
 * @res_next: which one the next READ or ATOMIC takes
 * @queue: indices of resources whose answers are to be sent, a ring
 * @queue_head: first
 * @queue_len: how many
 * @mem: memory of the request or answer at hand
 */
struct tp_resp {
	spinlock_t lock;
	u32 state;
	u32 psn;
	u32 msn;
	bool in_msg;
	enum tp_op op;
	u32 offset;
	u64 va;
	u32 rkey;
	u32 dmalen;
	bool nak_sent;
	bool ack_due;
	u32 ack_psn;
	u8 ack_syndrome;
	bool told_none;
	bool closing;
	bool comm_est;
	bool have_recv;
	struct tp_recv_wr recv;
	struct tp_qp *local;
	struct tp_resource *res;
	u32 res_next;
	u8 queue[TP_MAX_RD_ATOMIC];
	u32 queue_head;
	u32 queue_len;
	struct tp_mem mem;
};

/**
 * struct tp_qp - a queue pair
 * @qpn: its number
 * @service: its transport service
 * @has_srq: receive WRs come from a shared queue
 * @attr: attributes; written under both locks, read under either. Its state is
 *        not used: see the halves.
 * @failed: a half moved itself to ERR and the other one is still to follow
 * @req: requester half
 * @resp: responder half
 *
 * Each half has a state of its own, so that neither needs the other's lock to
 * fail: the half that finds an error goes to ERR, sets @failed, and whoever
 * comes next without a lock held brings the other half along (tp_qp_settle()).
 */
struct tp_qp {
	u32 qpn;
	enum tp_service service;
	bool has_srq;
	struct tp_qp_attr attr;
	bool failed;
	struct tp_req req;
	struct tp_resp resp;
};

#endif /* OHCA_TRANSPORT_QP_H */
