/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions.
 */
#ifndef OHCA_SOFT_MR_H
#define OHCA_SOFT_MR_H

#include <rdma/ib_verbs.h>
#include <ohca/page_list.h>

#include "key.h"
#include "odp.h"

struct soft_dmabuf;
struct tp_bind;

/**
 * struct soft_mr - a memory region
 * @ibmr: what IB core sees; lkey equals rkey. A kernel consumer rotates them there
 *        before he registers anew: @key has the key that counts
 * @key: its key, which never has @window
 * @pages: what it maps: [iova, iova + length) to pages; unused by a DMA or ODP region
 * @staged: fast registration: what the next one will map, from map_mr_sg
 * @staged_shift: log2 of the page size of @staged
 * @umem: pinned user pages, or NULL
 * @odp: pages that come and go, or NULL
 * @dmabuf: the buffer that @pages are of, or NULL
 * @access: IB_ACCESS_*
 * @windows: windows bound to it; under soft_dev.key_lock
 * @dma: a kernel user's region over all memory (get_dma_mr): address is identity
 * @rcu: frees the structure after lookups by key have gone
 */
struct soft_mr {
	struct ib_mr ibmr;
	struct soft_key key;
	struct ohca_page_list pages;
	struct ohca_page_list staged;
	unsigned int staged_shift;
	struct ib_umem *umem;
	struct soft_odp *odp;
	struct soft_dmabuf *dmabuf;
	u32 access;
	u32 windows;
	bool dma;
	struct rcu_head rcu;
};

static inline struct soft_mr *to_soft_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct soft_mr, ibmr);
}

/* Of a key that is no window's. */
static inline struct soft_mr *key_to_soft_mr(struct soft_key *key)
{
	return container_of(key, struct soft_mr, key);
}

/*
 * Between these two a region's pages stay where they are; those of a pinned one
 * always do. False: not now, come again (-EAGAIN).
 */
static inline bool soft_mr_begin(struct soft_mr *mr)
{
	return likely(!mr->odp) || soft_odp_begin(mr->odp);
}

static inline void soft_mr_end(struct soft_mr *mr)
{
	if (unlikely(mr->odp))
		soft_odp_end(mr->odp);
}

int soft_mr_check(const struct soft_mr *mr, u64 addr, u32 len, u32 access);
bool soft_mr_covers(const struct soft_mr *mr, u64 addr, u64 len);
int soft_mr_run(struct soft_mr *mr, u64 addr, u32 len, u32 access, void **kva);
int soft_mr_invalidate(struct soft_mr *mr, bool remote);
int soft_mr_register(struct soft_qp *qp, const struct tp_bind *bind);

/* ib_device_ops */
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *soft_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
			       struct ib_udata *udata);
struct ib_mr *soft_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,
				      int access);
struct ib_mr *soft_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				 int access, struct ib_pd *pd, struct ib_udata *udata);
struct ib_mr *soft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg);
int soft_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset);
int soft_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

#endif /* OHCA_SOFT_MR_H */
