/* SPDX-License-Identifier: GPL-2.0 */
/* Queue counters. */
#ifndef OHCA_MODEL_COUNTER_H
#define OHCA_MODEL_COUNTER_H

#include "hca.h"

/* What a set counts: X(name in query_q_counter_out). */
#define Q_COUNTERS(X)			\
	X(rx_write_requests)		\
	X(rx_read_requests)		\
	X(rx_atomic_requests)		\
	X(out_of_buffer)		\
	X(out_of_sequence)		\
	X(duplicate_request)		\
	X(rnr_nak_retry_err)		\
	X(packet_seq_err)		\
	X(implied_nak_seq_err)		\
	X(local_ack_timeout_err)	\
	X(req_rnr_retries_exceeded)	\
	X(resp_local_length_error)	\
	X(resp_cqe_error)		\
	X(req_cqe_error)		\
	X(req_remote_invalid_request)	\
	X(req_remote_access_errors)	\
	X(resp_remote_access_errors)	\
	X(req_transport_retries_exceeded) \
	X(resp_cqe_flush_error)		\
	X(req_cqe_flush_error)

/* A set of queue counters; the id of @obj is its number. */
struct q_counter {
	struct object obj;
#define Q_COUNTER_MEMBER(name) u64 name;
	Q_COUNTERS(Q_COUNTER_MEMBER)
#undef Q_COUNTER_MEMBER
};

#endif /* OHCA_MODEL_COUNTER_H */
