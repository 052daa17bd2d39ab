// SPDX-License-Identifier: GPL-2.0
/*
 * Scatter-gather entries to mapped segments, and bytes from segments to segments.
 */
#include "internal.h"

#include <linux/errno.h>
#include <linux/string.h>

/**
 * tp_map_sges() - maps a part of what a WR's entries describe
 * @qp: the QP
 * @mem: to add to
 * @sge: the entries
 * @num_sge: how many
 * @offset: first byte wanted, counted over all entries
 * @len: bytes wanted
 * @access: TP_ACCESS_* as for tp_owner_map()
 *
 * Under the half's lock. The caller unmaps, on failure too.
 *
 * Return: bytes mapped, fewer than @len if @mem has no more room or the entries
 * end; or what tp_owner_map() failed with.
 */
int tp_map_sges(struct tp_qp *qp, struct tp_mem *mem, const struct tp_sge *sge, u32 num_sge,
		u32 offset, u32 len, u32 access)
{
	u32 mapped = 0, want, i;
	int got;

	for (i = 0; i < num_sge && mapped < len; i++) {
		if (offset >= sge[i].length) {
			offset -= sge[i].length;
			continue;
		}
		if (mem->nr == TP_MAX_SEGS || mem->nr_refs == TP_MAX_SGE)
			break;
		want = min(sge[i].length - offset, len - mapped);
		got = tp_owner_map(qp, mem, sge[i].lkey, sge[i].addr + offset, want, access);
		if (got < 0)
			return got;
		mapped += got;
		if ((u32)got < want)
			break;
		offset = 0;
	}
	return mapped;
}

/**
 * tp_fill_sges() - writes bytes to where a WR's entries point
 * @qp: the QP
 * @mem: scratch, empty; empty again on return
 * @sge: the entries
 * @num_sge: how many
 * @offset: first byte to write, counted over all entries
 * @from: the bytes
 * @len: how many
 *
 * Under the half's lock.
 *
 * Return: 0, or what tp_owner_map() failed with; a part may be written then.
 */
int tp_fill_sges(struct tp_qp *qp, struct tp_mem *mem, const struct tp_sge *sge, u32 num_sge,
		 u32 offset, struct tp_cursor *from, u32 len)
{
	int got;

	while (len) {
		got = tp_map_sges(qp, mem, sge, num_sge, offset, len, TP_ACCESS_LOCAL_WRITE);
		if (got > 0)
			tp_copy(mem->seg, mem->nr, from, got);
		tp_owner_unmap(mem);
		if (got < 0)
			return got;
		if (!got)
			return -EACCES;
		offset += got;
		len -= got;
	}
	return 0;
}

/**
 * tp_cut_segs() - shortens a list of segments
 * @seg: the segments; the last that stays may be made shorter
 * @nr: how many; set to how many stay
 * @len: bytes that stay
 */
void tp_cut_segs(struct tp_seg *seg, u32 *nr, u32 len)
{
	u32 i;

	for (i = 0; i < *nr && len; i++) {
		seg[i].len = min(seg[i].len, len);
		len -= seg[i].len;
	}
	*nr = i;
}

/* Moves @from ahead by @len bytes. */
void tp_cursor_skip(struct tp_cursor *from, u32 len)
{
	u32 n;

	while (len && from->nr) {
		n = min(from->seg->len - from->offset, len);
		len -= n;
		from->offset += n;
		if (from->offset == from->seg->len) {
			from->seg++;
			from->nr--;
			from->offset = 0;
		}
	}
}

/* A consumer may name the same bytes as source and as target on one host. */
static void tp_copy_run(char *to, const char *from, u32 len)
{
	if (to < from + len && from < to + len)
		memmove(to, from, len);
	else
		memcpy(to, from, len);
}

/**
 * tp_copy() - copies bytes to segments
 * @to: segments, @len bytes or more
 * @nr: how many
 * @from: the bytes; moved past what is copied
 * @len: how many
 */
void tp_copy(const struct tp_seg *to, u32 nr, struct tp_cursor *from, u32 len)
{
	u32 offset = 0, n;

	while (len && nr && from->nr) {
		if (from->offset == from->seg->len) {
			/* An empty segment. */
			from->seg++;
			from->nr--;
			from->offset = 0;
			continue;
		}
		n = min3(to->len - offset, from->seg->len - from->offset, len);
		tp_copy_run((char *)to->addr + offset,
			    (const char *)from->seg->addr + from->offset, n);
		tp_cursor_skip(from, n);
		len -= n;
		offset += n;
		if (offset == to->len) {
			to++;
			nr--;
			offset = 0;
		}
	}
}

/**
 * tp_train_trim() - takes packets off the front of a train
 * @train: the train, a copy; its segments stay, @data is what counts
 * @data: its payload
 * @n: packets, fewer than the train has
 */
void tp_train_trim(struct tp_train *train, struct tp_cursor *data, u32 n)
{
	tp_cursor_skip(data, n * train->mtu);
	train->psn = tp_psn_add(train->psn, n);
	train->npkts -= n;
	train->length -= n * train->mtu;
	train->flags &= ~TP_TRAIN_FIRST;
}
