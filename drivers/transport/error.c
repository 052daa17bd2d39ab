// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of errors, and of the AETH syndrome that carries them.
 */
#include "error.h"

#include <linux/kernel.h>

const struct tp_fault_effect tp_fault_effects[TP_NUM_FAULTS] = {
	[TP_FAULT_INVALID] = {
		.nak = TP_NAK_INVALID_REQ, .recv = TP_WC_REM_INV_REQ_ERR,
		.has_event = true, .event = TP_EVENT_REQ_ERR,
	},
	[TP_FAULT_ACCESS] = {
		.nak = TP_NAK_REM_ACCESS, .recv = TP_WC_LOC_ACCESS_ERR,
		.has_event = true, .event = TP_EVENT_ACCESS_ERR,
	},
	[TP_FAULT_OPERATION] = {
		.nak = TP_NAK_REM_OP, .recv = TP_WC_LOC_QP_OP_ERR,
		.has_event = true, .event = TP_EVENT_QP_FATAL,
	},
	/* From here on the receive completion tells; an event would tell it twice. */
	[TP_FAULT_TOO_LONG] = { .nak = TP_NAK_INVALID_REQ, .recv = TP_WC_LOC_LEN_ERR, },
	[TP_FAULT_RECV] = { .nak = TP_NAK_REM_OP, .recv = TP_WC_LOC_PROT_ERR, },
	[TP_FAULT_INVALIDATE] = { .nak = TP_NAK_REM_ACCESS, .recv = TP_WC_MW_BIND_ERR, },
};

const struct tp_nak_effect tp_nak_effects[TP_NUM_NAKS] = {
	[TP_NAK_SEQUENCE] = {
		.status = TP_WC_SUCCESS,
		.has_counter = true, .counter = TP_CNT_packet_seq_err,
	},
	[TP_NAK_INVALID_REQ] = {
		.status = TP_WC_REM_INV_REQ_ERR,
		.has_counter = true, .counter = TP_CNT_req_remote_invalid_request,
	},
	[TP_NAK_REM_ACCESS] = {
		.status = TP_WC_REM_ACCESS_ERR,
		.has_counter = true, .counter = TP_CNT_req_remote_access_errors,
	},
	[TP_NAK_REM_OP] = { .status = TP_WC_REM_OP_ERR, },
};

/* IBA table 60: the credit count of each AETH value below TP_AETH_NO_CREDITS. */
static const u16 tp_credits[TP_AETH_NO_CREDITS] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

u8 tp_credits_encode(u32 count)
{
	u32 low = 0, high = ARRAY_SIZE(tp_credits) - 1;

	while (low < high) {
		u32 mid = (low + high + 1) / 2;

		if (tp_credits[mid] <= count)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

u32 tp_credits_decode(u8 value)
{
	return tp_credits[min_t(u32, value, ARRAY_SIZE(tp_credits) - 1)];
}
