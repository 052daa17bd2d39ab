// SPDX-License-Identifier: GPL-2.0
/*
 * Memory key contexts (PRM, "Memory Key Context").
 */
#include "mkc.h"

#include <linux/mlx5/device.h>
#include <rdma/ib_verbs.h>

/**
 * verbs_mkc_write() - writes a memory key context
 * @mkc: to fill: MLX5_ST_SZ_BYTES(mkc), zeroed
 * @from: what it is to be
 * @relaxed_read: the device knows relaxed ordering of reads by region
 * @relaxed_write: the same of writes
 *
 * Local read access needs no right of its own (IBA 10.6.3.1). Relaxed ordering is
 * a hint: where the device does not know it, accesses stay ordered.
 *
 * Context: any.
 */
void verbs_mkc_write(void *mkc, const struct verbs_mkc *from, bool relaxed_read,
		     bool relaxed_write)
{
	bool relaxed = from->access & IB_ACCESS_RELAXED_ORDERING;

	MLX5_SET(mkc, mkc, free, from->free);
	MLX5_SET(mkc, mkc, umr_en, from->umr);
	MLX5_SET(mkc, mkc, access_mode_1_0, from->mode & 3);
	MLX5_SET(mkc, mkc, access_mode_4_2, from->mode >> 2);
	MLX5_SET(mkc, mkc, lr, 1);
	MLX5_SET(mkc, mkc, lw, !!(from->access & IB_ACCESS_LOCAL_WRITE));
	MLX5_SET(mkc, mkc, rr, !!(from->access & IB_ACCESS_REMOTE_READ));
	MLX5_SET(mkc, mkc, rw, !!(from->access & IB_ACCESS_REMOTE_WRITE));
	MLX5_SET(mkc, mkc, a, !!(from->access & IB_ACCESS_REMOTE_ATOMIC));
	MLX5_SET(mkc, mkc, relaxed_ordering_read, relaxed && relaxed_read);
	MLX5_SET(mkc, mkc, relaxed_ordering_write, relaxed && relaxed_write);
	MLX5_SET(mkc, mkc, qpn, from->qpn);
	MLX5_SET(mkc, mkc, mkey_7_0, from->key);
	MLX5_SET(mkc, mkc, en_rinval, from->inval);
	MLX5_SET(mkc, mkc, pd, from->pdn);
	MLX5_SET(mkc, mkc, length64, from->all);
	MLX5_SET64(mkc, mkc, start_addr, from->start);
	MLX5_SET64(mkc, mkc, len, from->length);
	MLX5_SET(mkc, mkc, translations_octword_size, from->octwords);
	MLX5_SET(mkc, mkc, log_page_size, from->log_page_size);
}
