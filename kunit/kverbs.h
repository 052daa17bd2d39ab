/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The software device as a kernel consumer uses it: what the suites share.
 */
#ifndef OHCA_KUNIT_KVERBS_H
#define OHCA_KUNIT_KVERBS_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <rdma/ib_verbs.h>

#define KVERBS_BYTES	(64 * 1024)
#define KVERBS_DEPTH	32

/* Two QPs of one device, connected to each other. */
struct kverbs_pair {
	struct ib_device *ibdev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_srq *srq;	/* the case's own, or NULL: of the QPs that are made */
	struct ib_qp *qp[2];
	struct ib_mr *mr[2];	/* the case's own, to go with the pair */
	int nr_mr;
	u8 *buf;
	u64 dma;
	struct ib_cqe cqe;
	struct completion done;
	int wanted;
	struct ib_wc last;
};

/* For a suite: finding the device; and for a case: a pair, with PD flags. */
int kverbs_suite_init(struct kunit_suite *suite);
void kverbs_suite_exit(struct kunit_suite *suite);
int kverbs_pair_init(struct kunit *test);
int kverbs_pair_init_rkey(struct kunit *test);
void kverbs_pair_exit(struct kunit *test);

/* The case's pair; skips the case if there is no device. */
struct kverbs_pair *kverbs_pair_of(struct kunit *test);

/* Its QPs, one by one: a new one, both to RTS, both gone. */
struct ib_qp *kverbs_make_qp(struct kverbs_pair *p, struct ib_cq *cq);
int kverbs_connect(struct kverbs_pair *p);
void kverbs_destroy_qps(struct kverbs_pair *p);

/* So many completions are to come; and they have: 0 or -ETIMEDOUT. */
void kverbs_expect(struct kverbs_pair *p, int completions);
int kverbs_wait_for_all(struct kverbs_pair *p);

/* Post to QP @i, with @len bytes at @offset of the buffer. */
int kverbs_post_recv(struct kverbs_pair *p, int i, u32 offset, u32 len);
int kverbs_post_send(struct kverbs_pair *p, int i, enum ib_wr_opcode opcode, u32 offset, u32 len,
		     int flags);
/* From QP 0. */
int kverbs_post_rdma(struct kverbs_pair *p, enum ib_wr_opcode opcode, u32 offset, u32 len, u64 to,
		     u32 rkey);

/* Posts, and waits for the one completion: its status, or an errno. */
#define KVERBS_STATUS(p, post) ({				\
	struct kverbs_pair *__p = (p);				\
	int __err;						\
								\
	kverbs_expect(__p, 1);					\
	__err = (post) ?: kverbs_wait_for_all(__p);		\
	__err ?: (int)__p->last.status;				\
})

#endif /* OHCA_KUNIT_KVERBS_H */
