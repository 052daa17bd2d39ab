// SPDX-License-Identifier: GPL-2.0
/*
 * Work requests: the input is one, of 16 to 1024 bytes.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "qp.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct tp_send_wr *wr;
	size_t room = TP_MAX_SGE * sizeof(struct tp_sge);
	u8 *wqe;

	len = len > MLX5_SEND_WQE_MAX_SIZE ? MLX5_SEND_WQE_MAX_SIZE : len & ~15ul;
	if (len < 16)
		return 0;
	/* Both as large as they are said to be, and not a byte more. */
	wqe = malloc(len);
	wr = malloc(sizeof(*wr) + (room > QP_MAX_INLINE ? room : QP_MAX_INLINE));
	if (!wqe || !wr)
		abort();
	memcpy(wqe, data, len);
	wqe_parse_send(wqe, (u32)len, wr);
	if (!wr->bad && (wr->flags & TP_SEND_INLINE ? wr->length > QP_MAX_INLINE :
						      wr->num_sge > TP_MAX_SGE))
		abort();
	free(wqe);
	free(wr);
	return 0;
}
