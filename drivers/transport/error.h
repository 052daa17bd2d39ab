/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes wrong, and what follows from it on each side.
 */
#ifndef OHCA_TRANSPORT_ERROR_H
#define OHCA_TRANSPORT_ERROR_H

#include <linux/types.h>

#include "transport.h"

/**
 * enum tp_fault - what the responder finds wrong with a request
 * @TP_FAULT_NONE: nothing
 * @TP_FAULT_RNR: no receive WR, or memory that can't be reached now: come again
 * @TP_FAULT_INVALID: malformed, out of place, or more than was agreed on
 * @TP_FAULT_ACCESS: rkey, range or right
 * @TP_FAULT_OPERATION: the responder can't, for reasons of its own
 * @TP_FAULT_TOO_LONG: message longer than the receive WR
 * @TP_FAULT_RECV: the receive WR's memory
 * @TP_FAULT_INVALIDATE: the rkey of a SEND with invalidate
 */
enum tp_fault {
	TP_FAULT_NONE,
	TP_FAULT_RNR,
	TP_FAULT_INVALID,
	TP_FAULT_ACCESS,
	TP_FAULT_OPERATION,
	TP_FAULT_TOO_LONG,
	TP_FAULT_RECV,
	TP_FAULT_INVALIDATE,
	TP_NUM_FAULTS
};

/**
 * struct tp_fault_effect - what the responder does about a fault (IBA 9.9.3)
 * @nak: NAK code for the peer
 * @recv: status of the receive WR that the message has taken, if it has one
 * @has_event: @event is raised
 * @event: asynchronous event
 */
struct tp_fault_effect {
	u8 nak;
	enum tp_wc_status recv;
	bool has_event;
	enum tp_event event;
};

/* For the faults that end the connection: TP_FAULT_INVALID and after. */
extern const struct tp_fault_effect tp_fault_effects[TP_NUM_FAULTS];

/* AETH syndrome (IBA 9.7.5.2): kind in bits 6 and 5, value below. */
#define TP_AETH_KIND_MASK	0x60u
#define TP_AETH_VALUE_MASK	0x1fu
#define TP_AETH_RESERVED	0x80u
#define TP_AETH_ACK		0x00u
#define TP_AETH_RNR_NAK		0x20u
#define TP_AETH_NAK		0x60u
/* ACK with a credit field that says nothing. */
#define TP_AETH_NO_CREDITS	0x1fu

/**
 * enum tp_nak - NAK codes (IBA table 61)
 */
enum tp_nak {
	TP_NAK_SEQUENCE,
	TP_NAK_INVALID_REQ,
	TP_NAK_REM_ACCESS,
	TP_NAK_REM_OP,
	TP_NUM_NAKS
};

/**
 * struct tp_nak_effect - what the requester does about a NAK code
 * @status: status of the WR that it hits; TP_WC_SUCCESS: it is sent again
 * @has_counter: @counter counts it
 * @counter: counter
 */
struct tp_nak_effect {
	enum tp_wc_status status;
	bool has_counter;
	enum tp_counter counter;
};

extern const struct tp_nak_effect tp_nak_effects[TP_NUM_NAKS];

/* The largest encodable number of credits that @count covers, as AETH value. */
u8 tp_credits_encode(u32 count);

/* The credits that an AETH value other than TP_AETH_NO_CREDITS stands for. */
u32 tp_credits_decode(u8 value);

#endif /* OHCA_TRANSPORT_ERROR_H */
