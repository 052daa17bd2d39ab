/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory regions and memory windows.
 */
#ifndef OHCA_PCI_VERBS_MR_H
#define OHCA_PCI_VERBS_MR_H

#include <rdma/ib_verbs.h>
#include <ohca/page_list.h>

struct scatterlist;

/**
 * struct verbs_fast - the list of a region for fast registration
 * @list: pages, as the device reads them; NULL: it is no such region
 * @dma: for the device
 * @bytes: size of @list
 * @nr: pages in @list
 * @max: room in @list
 */
struct verbs_fast {
	__be64 *list;
	dma_addr_t dma;
	size_t bytes;
	u32 nr;
	u32 max;
};

/**
 * struct verbs_mr - a memory region
 * @ibmr: IB core's
 * @mkey: the device's key; of a region for fast registration the one that it was made
 *        with, whose low byte consumers change
 * @umem: a program's memory, pinned; NULL: there is none
 * @start: its address in the program
 * @access: IB_ACCESS_*
 * @fast: for fast registration
 */
struct verbs_mr {
	struct ib_mr ibmr;
	u32 mkey;
	struct ib_umem *umem;
	u64 start;
	int access;
	struct verbs_fast fast;
};

static inline struct verbs_mr *to_verbs_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct verbs_mr, ibmr);
}

/**
 * struct verbs_mw - a memory window
 * @ibmw: IB core's
 */
struct verbs_mw {
	struct ib_mw ibmw;
};

/* mr.c */
struct ib_mr *verbs_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *verbs_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 iova, int access,
				struct ib_udata *udata);
struct ib_mr *verbs_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 iova,
				       int fd, int access);
struct ib_mr *verbs_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				  int access, struct ib_pd *ibpd, struct ib_udata *udata);
int verbs_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* mr_fast.c */
struct ib_mr *verbs_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_sg);
int verbs_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset);
void verbs_fast_free(struct verbs_mr *mr);
u32 verbs_fast_max(void);
int verbs_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int verbs_dealloc_mw(struct ib_mw *ibmw);
bool verbs_can_umr(struct ib_device *ibdev);
bool verbs_can_mw(struct ib_device *ibdev);

#endif /* OHCA_PCI_VERBS_MR_H */
