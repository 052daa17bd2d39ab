// SPDX-License-Identifier: GPL-2.0
/*
 * What work queues share.
 */
#include "cmd.h"
#include "wq.h"

void wq_doorbell(struct hca *hca, u32 uar, u32 number)
{
	struct wq *wq = object_find(hca, OBJ_WQ, number);

	if (!wq || wq->kind == WQ_RQ) {
		info("send doorbell of queue 0x%x, which is not there", number);
		return;
	}
	if (wq->uar != uar) {
		info("send doorbell of queue 0x%x in UAR %u, but it uses %u", number, uar,
		     wq->uar);
		return;
	}
	loop_queue(&hca->loop, &wq->work);
}

void hca_wire_room(void *arg)
{
	struct hca *hca = arg;
	struct table *table = &hca->table[OBJ_WQ];
	struct wq *wq;
	u32 i;

	for (i = 0; i < table->cap; i++) {
		if (!table->slot[i])
			continue;
		wq = container_of(table->slot[i], struct wq, obj);
		if (wq->kind != WQ_RQ)
			loop_queue(&hca->loop, &wq->work);
	}
}

int wq_buffer(struct cmd *cmd, const void *wq, u32 pas_room, struct qbuf *buf)
{
	u32 shift = MLX5_GET(wq, wq, log_wq_pg_sz) + MLX5_ADAPTER_PAGE_SHIFT;
	u32 log_size = MLX5_GET(wq, wq, log_wq_sz), log_stride = MLX5_GET(wq, wq, log_wq_stride);

	if (log_size > 16)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	if (qbuf_init(buf, MEMBER(wq, wq, pas), pas_room, shift,
		      MLX5_GET(wq, wq, page_offset) << (shift - 6),
		      1ull << (log_size + log_stride)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	return 0;
}
