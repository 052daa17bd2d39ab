// SPDX-License-Identifier: GPL-2.0
/*
 * Memory keys: from an address in a region to a bus address.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"
#include "mkey.h"

/* How many keys may stand behind one another. */
#define MAX_DEPTH	4
/* Translations come in so many octowords. */
#define XLT_STEP	4u

/* A range of another key: the layout of a KLM and a KSM. */
struct indirect {
	__be32 bytes;
	__be32 key;
	__be64 addr;
};

struct mkey *mkey_find(struct hca *hca, u32 key)
{
	struct mkey *mkey = object_find(hca, OBJ_MKEY, key >> 8);

	return mkey && mkey->key == (key & 0xff) ? mkey : NULL;
}

static bool in_range(const struct mkey *mkey, u64 addr, u64 len)
{
	if (mkey->all)
		return true;
	return addr >= mkey->start && addr - mkey->start <= mkey->len &&
	       len <= mkey->len - (addr - mkey->start);
}

static bool permits(const struct mkey *mkey, u32 pd, u64 addr, u64 len, u32 access)
{
	return !mkey->free && (access & ~mkey->access) == 0 &&
	       (pd == MKEY_ANY_PD || pd == mkey->pd) && in_range(mkey, addr, len);
}

static int pages(const struct mkey *mkey, u64 addr, u32 *run, u64 *iova)
{
	u64 size = 1ull << mkey->shift;
	u64 at = addr - mkey->start + (mkey->start & (size - 1));
	u64 page = at >> mkey->shift, in = at & (size - 1);

	if (page >= (u64)mkey->nr * 2)
		return -EACCES;
	*iova = (be64_to_cpu(mkey->entry[page]) & ~0xfffull) + in;
	if (size - in < *run)
		*run = (u32)(size - in);
	return 0;
}

/* The range of @mkey that @addr is in; its place in it goes to @addr. */
static const struct indirect *range_of(const struct mkey *mkey, u64 *addr, u64 *len)
{
	const struct indirect *list = (const struct indirect *)mkey->entry;
	u64 at = *addr - mkey->start;
	u32 i;

	if (mkey->mode == MKEY_KSMS) {
		if (at >> mkey->shift >= mkey->nr)
			return NULL;
		*len = 1ull << mkey->shift;
		*addr = at & (*len - 1);
		return &list[at >> mkey->shift];
	}
	for (i = 0; i < mkey->nr; i++) {
		*len = be32_to_cpu(list[i].bytes);
		if (at < *len) {
			*addr = at;
			return &list[i];
		}
		at -= *len;
	}
	return NULL;
}

int mkey_resolve(struct hca *hca, u32 key, u32 pd, u64 addr, u32 *run, u32 access, u64 *iova)
{
	const struct indirect *range;
	struct mkey *mkey;
	u64 len;
	int depth;

	if (key == HCA_RESERVED_LKEY && pd == MKEY_ANY_PD) {
		*iova = addr;
		return 0;
	}
	for (depth = 0; depth < MAX_DEPTH; depth++) {
		mkey = mkey_find(hca, key);
		if (!mkey || !permits(mkey, pd, addr, *run, access))
			return -EACCES;
		switch (mkey->mode) {
		case MKEY_PHYSICAL:
			*iova = addr;
			return 0;
		case MKEY_PAGES:
			return pages(mkey, addr, run, iova);
		default:
			range = range_of(mkey, &addr, &len);
			if (!range)
				return -EACCES;
			if (len - addr < *run)
				*run = (u32)(len - addr);
			addr += be64_to_cpu(range->addr);
			key = be32_to_cpu(range->key);
			/* A window gives rights that the region behind it need not give. */
			access = access & ~MKEY_REMOTE_READ ? MKEY_LOCAL_WRITE : 0;
		}
	}
	return -EACCES;
}

int mkey_check(struct hca *hca, u32 key, u32 pd, u64 addr, u64 len, u32 access)
{
	struct mkey *mkey = mkey_find(hca, key);

	return mkey && permits(mkey, pd, addr, len, access) ? 0 : -EACCES;
}

int mkey_copy(struct hca *hca, u32 key, u32 pd, u64 addr, void *data, u32 len, bool write)
{
	u8 *p = data;
	u64 iova;
	u32 run;
	int ret;

	if (key != HCA_RESERVED_LKEY &&
	    mkey_check(hca, key, pd, addr, len, write ? MKEY_LOCAL_WRITE : 0))
		return -EACCES;
	for (; len; addr += run, p += run, len -= run) {
		run = len;
		ret = mkey_resolve(hca, key, pd, addr, &run, write ? MKEY_LOCAL_WRITE : 0, &iova);
		if (!ret)
			ret = write ? dma_write(&hca->dma, iova, p, run) :
				      dma_read(&hca->dma, iova, p, run);
		if (ret)
			return ret;
	}
	return 0;
}

static void mkey_free(struct object *obj)
{
	free(container_of(obj, struct mkey, obj)->entry);
}

void mkey_set_context(struct mkey *mkey, const void *mkc)
{
	memmove(mkey->ctx, mkc, sizeof(mkey->ctx));
	mkey->key = MLX5_GET(mkc, mkc, mkey_7_0);
	mkey->free = MLX5_GET(mkc, mkc, free);
	mkey->mode = MLX5_GET(mkc, mkc, access_mode_1_0);
	mkey->access = (MLX5_GET(mkc, mkc, lw) ? MKEY_LOCAL_WRITE : 0) |
		       (MLX5_GET(mkc, mkc, rr) ? MKEY_REMOTE_READ : 0) |
		       (MLX5_GET(mkc, mkc, rw) ? MKEY_REMOTE_WRITE : 0) |
		       (MLX5_GET(mkc, mkc, a) ? MKEY_ATOMIC : 0);
	mkey->pd = MLX5_GET(mkc, mkc, pd);
	mkey->qpn = MLX5_GET(mkc, mkc, qpn);
	mkey->start = MLX5_GET64(mkc, mkc, start_addr);
	mkey->len = MLX5_GET64(mkc, mkc, len);
	mkey->all = MLX5_GET(mkc, mkc, length64);
	mkey->shift = MLX5_GET(mkc, mkc, log_page_size);
}

static bool context_ok(const void *mkc)
{
	u32 mode = MLX5_GET(mkc, mkc, access_mode_1_0);
	u32 shift = MLX5_GET(mkc, mkc, log_page_size);

	if (MLX5_GET(mkc, mkc, access_mode_4_2))
		return false;
	if (MLX5_GET(mkc, mkc, free) || mode == MKEY_PHYSICAL || mode == MKEY_KLMS)
		return true;
	return shift >= MLX5_ADAPTER_PAGE_SHIFT && shift < 63;
}

int cmd_create_mkey(struct cmd *cmd)
{
	const void *mkc = MEMBER(create_mkey_in, cmd->in, memory_key_mkey_entry);
	u32 given = MLX5_GET(create_mkey_in, cmd->in, translations_octword_actual_size);
	u32 room = MLX5_GET(mkc, mkc, translations_octword_size);
	u32 pd = MLX5_GET(mkc, mkc, pd);
	struct mkey *mkey;

	if (!context_ok(mkc) || room > 1u << 24)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (given > (cmd->inlen - IN_BYTES(create_mkey)) / 16)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_INP_LEN_ERR);
	if (pd && !object_find(cmd->hca, OBJ_PD, pd))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	mkey = object_new(cmd->hca, OBJ_MKEY, sizeof(*mkey), mkey_free);
	if (!mkey)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	mkey_set_context(mkey, mkc);
	/* Room comes by 64 bytes, which is how UMR brings translations. */
	mkey->nr = (max(room, given) + XLT_STEP - 1) & ~(XLT_STEP - 1);
	if (mkey->nr) {
		mkey->entry = calloc(mkey->nr, 16);
		if (!mkey->entry) {
			object_delete(&mkey->obj);
			return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
		}
		memcpy(mkey->entry, MEMBER(create_mkey_in, cmd->in, klm_pas_mtt), given * 16ul);
	}
	MLX5_SET(create_mkey_out, cmd->out, mkey_index, mkey->obj.id);
	return 0;
}

int cmd_query_mkey(struct cmd *cmd)
{
	struct mkey *mkey = object_find(cmd->hca, OBJ_MKEY,
					MLX5_GET(query_mkey_in, cmd->in, mkey_index));
	void *mkc = MEMBER(query_mkey_out, cmd->out, memory_key_mkey_entry);

	if (!mkey)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	memcpy(mkc, mkey->ctx, sizeof(mkey->ctx));
	MLX5_SET(mkc, mkc, free, mkey->free);
	return 0;
}

int cmd_destroy_mkey(struct cmd *cmd)
{
	struct object *obj = object_find(cmd->hca, OBJ_MKEY,
					 MLX5_GET(destroy_mkey_in, cmd->in, mkey_index));

	if (!obj)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (obj->refs)
		return cmd_fail(cmd, MLX5_CMD_STAT_RES_BUSY);
	object_delete(obj);
	return 0;
}
