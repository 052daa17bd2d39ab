// SPDX-License-Identifier: GPL-2.0
/*
 * scribble DEVICE GID-INDEX SEED ROUNDS
 *
 * A program that breaks every rule of the queues it shares with the kernel: work
 * requests of random bytes, indices that jump, CQEs and headers overwritten from
 * a second thread while traffic runs, into a receive queue of its QP's own or a
 * shared one. It must get errors on its own QPs at most;
 * memory that it registered nowhere stays as it is, and a decent program that
 * runs afterwards on the same device finds all well.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>

#include "rc.h"

#define DEPTH 16
#define MAX_RINGS 16
#define PAGE 4096

/* Where the ABI has the indices of a queue; elements come behind its header. */
enum { LOG2_ELEM = 0, INDEX_MASK = 4, PRODUCER = 128, CONSUMER = 256, DATA = 384 };

struct ring {
	uint8_t *base;
	size_t size;
};

static struct ring rings[MAX_RINGS];
static int nr_rings;
static volatile int stop;
static uint64_t rng;

static uint32_t any(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng >> 16;
}

static uint32_t below(uint32_t n)
{
	return any() % n;
}

/* Adds the queues that were mapped since the last call, in the order of addresses. */
static void find_rings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end;
		int i;

		if (!strstr(line, "/dev/infiniband/uverbs"))
			continue;
		if (sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		for (i = 0; i < nr_rings; i++)
			if (rings[i].base == (uint8_t *)start)
				break;
		if (i == nr_rings && nr_rings < MAX_RINGS)
			rings[nr_rings++] = (struct ring) { (uint8_t *)start, end - start };
	}
	fclose(maps);
}

static uint32_t *word(const struct ring *ring, size_t offset)
{
	return (uint32_t *)(ring->base + offset);
}

/* Values that are more likely to hurt than any others. */
static uint32_t nasty(void)
{
	static const uint32_t values[] = {
		0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 127, 128, 255, 256, 4095, 4096,
		0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffff0, 0xffffffff,
	};

	return below(3) ? values[below(sizeof(values) / sizeof(*values))] : any();
}

/* What the second thread does with one ring. */
static void scribble(const struct ring *ring)
{
	switch (below(6)) {
	case 0:
		*word(ring, PRODUCER) = nasty();
		break;
	case 1:
		*word(ring, CONSUMER) = nasty();
		break;
	case 2:
		*word(ring, below(2) ? LOG2_ELEM : INDEX_MASK) = nasty();
		break;
	default:
		*word(ring, DATA + (below(ring->size - DATA - 4) & ~3u)) = nasty();
	}
}

static void *scribbler(void *unused)
{
	(void)unused;
	while (!stop)
		scribble(&rings[below(nr_rings)]);
	return NULL;
}

/* The doorbell as librxe rings it, without looking at any queue. */
static void doorbell(struct ibv_context *ctx, uint32_t qp_handle)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} req = {
		.hdr.command = IB_USER_VERBS_CMD_POST_SEND,
		.hdr.in_words = sizeof(req) / 4,
		.hdr.out_words = sizeof(struct ib_uverbs_post_send_resp) / 4,
		.cmd.qp_handle = qp_handle,
		.cmd.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	struct ib_uverbs_post_send_resp resp;

	req.cmd.response = (uintptr_t)&resp;
	if (write(ctx->cmd_fd, &req, sizeof(req)) < 0 && errno == EBADF)
		die("doorbell");
}

/* A work request that is nearly right, or not at all. */
static void make_wqe(struct rxe_send_wqe *wqe, size_t room, const struct ibv_mr *mr)
{
	uint32_t i, sges = below(8) ? below(3) : nasty();

	memset(wqe, 0, room);
	wqe->wr.opcode = below(8) ? below(16) : nasty();
	wqe->wr.send_flags = below(8) ? IBV_SEND_SIGNALED : nasty();
	wqe->wr.wr.rdma.remote_addr = (uintptr_t)mr->addr + (below(4) ? 0 : nasty());
	wqe->wr.wr.rdma.rkey = below(4) ? mr->rkey : nasty();
	wqe->dma.num_sge = sges;
	wqe->dma.length = below(2) ? 64 : nasty();
	wqe->dma.resid = below(2) ? wqe->dma.length : nasty();
	wqe->dma.cur_sge = below(4) ? 0 : nasty();
	wqe->dma.sge_offset = below(4) ? 0 : nasty();
	for (i = 0; i < sges && (uint8_t *)&wqe->dma.sge[i + 1] <= (uint8_t *)wqe + room; i++) {
		wqe->dma.sge[i].addr = (uintptr_t)mr->addr + (below(4) ? 0 : nasty());
		wqe->dma.sge[i].length = below(2) ? 64 : nasty();
		wqe->dma.sge[i].lkey = below(4) ? mr->lkey : nasty();
	}
	for (i = below(4) ? 0 : below(8); i; i--)
		((uint32_t *)wqe)[below(room / 4)] = nasty();
}

/* Fills the send queue behind the library's back, and rings. */
static void post_wild(struct ibv_context *ctx, struct ring *sq, uint32_t shift, uint32_t mask,
		      struct ibv_qp *qp, struct ibv_mr *mr)
{
	uint32_t producer = *word(sq, PRODUCER) & mask, n;

	for (n = 1 + below(DEPTH); n; n--) {
		size_t offset = DATA + ((size_t)producer << shift);

		if (offset + (1u << shift) <= sq->size)
			make_wqe((void *)(sq->base + offset), 1u << shift, mr);
		producer = (producer + 1) & mask;
	}
	__atomic_store_n(word(sq, PRODUCER), below(8) ? producer : nasty(), __ATOMIC_RELEASE);
	doorbell(ctx, qp->handle);
}

/*
 * Connects @qp again.  The other end may be in RTS already and send out of a ring that
 * is scribbled over: what @qp takes in before it is in RTS can be the end of it.
 */
static void connect_wild(struct rc_dev *dev, struct ibv_qp *qp, struct ibv_qp *other)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	rc_to_rtr(dev, qp, dev, other);
	if (!rc_to_rts(qp))
		return;
	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		die("query_qp");
	if (attr.qp_state != IBV_QPS_ERR)
		die("to RTS, and in state %d", attr.qp_state);
}

/* A shared receive queue, and what its ring's header said when it was made. */
struct shared {
	struct ibv_srq *srq;
	struct ring *ring;
	uint32_t shift, mask;
};

static void make_shared(struct shared *shared, struct rc_dev *dev)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 2 } };

	shared->srq = ibv_create_srq(dev->pd, &init);
	if (!shared->srq)
		die("create_srq");
	find_rings();
	shared->ring = &rings[nr_rings - 1];
	shared->shift = *word(shared->ring, LOG2_ELEM);
	shared->mask = *word(shared->ring, INDEX_MASK);
}

/*
 * Good receives, for the second thread to spoil as the kernel takes them. Not by the
 * library: it believes the header, which that thread writes to as well.
 */
static void post_shared(const struct shared *shared, const struct ibv_mr *mr)
{
	uint32_t producer = *word(shared->ring, PRODUCER) & shared->mask, n;
	struct rxe_recv_wqe *wqe;

	for (n = 0; n < DEPTH; n++) {
		wqe = (void *)(shared->ring->base + DATA + ((size_t)producer << shared->shift));
		wqe->dma.num_sge = 1;
		wqe->dma.sge[0].addr = (uintptr_t)mr->addr;
		wqe->dma.sge[0].length = 64;
		wqe->dma.sge[0].lkey = mr->lkey;
		producer = (producer + 1) & shared->mask;
	}
	__atomic_store_n(word(shared->ring, PRODUCER), producer, __ATOMIC_RELEASE);
}

/* One life of the bad program. */
static int child(const char *name, int gid_index)
{
	uint8_t *area = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct shared shared = {};
	struct ring *sq, *rq;
	uint32_t shift, mask, i;
	struct ibv_qp *a, *b;
	struct ibv_cq *scq, *rcq;
	struct ibv_mr *mr;
	struct rc_dev dev;
	pthread_t thread;
	int first;

	memset(area, 0x5a, 3 * PAGE);
	rc_open(&dev, name, gid_index);
	mr = ibv_reg_mr(dev.pd, area + PAGE, PAGE, RC_ALL);
	scq = ibv_create_cq(dev.ctx, DEPTH, NULL, NULL, 0);
	rcq = ibv_create_cq(dev.ctx, DEPTH, NULL, NULL, 0);
	if (!mr || !scq || !rcq)
		die("set up");
	find_rings();
	first = nr_rings;
	a = rc_qp(&dev, scq, rcq, DEPTH);
	find_rings();
	if (nr_rings != first + 2)
		die("%d new rings", nr_rings - first);
	/* The send queue has the larger elements. */
	sq = &rings[first];
	rq = &rings[first + 1];
	if (sq->size < rq->size) {
		sq = rq;
		rq = &rings[first];
	}
	shift = *word(sq, LOG2_ELEM);
	mask = *word(sq, INDEX_MASK);
	if (below(2))
		make_shared(&shared, &dev);
	b = rc_qp_srq(&dev, scq, rcq, shared.srq, DEPTH);
	find_rings();
	rc_connect(&dev, a, &dev, b);
	rc_connect(&dev, b, &dev, a);

	/* First the work requests alone, then everything at once. */
	for (i = 0; i < 20; i++) {
		post_wild(dev.ctx, sq, shift, mask, a, mr);
		*word(&rings[below(nr_rings)], below(2) ? PRODUCER : CONSUMER) = nasty();
		*word(rq, PRODUCER) = nasty();
		if (shared.srq)
			*word(shared.ring, PRODUCER) = nasty();
	}
	if (pthread_create(&thread, NULL, scribbler, NULL))
		die("thread");
	for (i = 0; i < 100; i++) {
		post_wild(dev.ctx, sq, shift, mask, a, mr);
		doorbell(dev.ctx, b->handle);
		if (shared.srq)
			post_shared(&shared, mr);
		if (i == 50) {
			struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

			/* Anew: an early error would have been the end of the fun. */
			ibv_modify_qp(a, &attr, IBV_QP_STATE);
			ibv_modify_qp(b, &attr, IBV_QP_STATE);
			connect_wild(&dev, a, b);
			connect_wild(&dev, b, a);
		}
	}
	stop = 1;
	pthread_join(thread, NULL);

	for (i = 0; i < PAGE; i++)
		if (area[i] != 0x5a || area[2 * PAGE + i] != 0x5a)
			die("memory of no region was written to");
	/* Half of them leave it to the kernel to clean up. */
	if (below(2))
		return 0;
	if (shared.srq && ibv_destroy_srq(shared.srq) != EBUSY)
		die("a shared queue was destroyed that is in use");
	if (ibv_destroy_qp(a) || ibv_destroy_qp(b) || (shared.srq && ibv_destroy_srq(shared.srq)) ||
	    ibv_destroy_cq(scq) || ibv_destroy_cq(rcq) || ibv_dereg_mr(mr))
		die("destroy");
	return 0;
}

/* A decent program: its bytes arrive. */
static void check_device(const char *name, int gid_index)
{
	static char from[256], to[256];
	struct rc_dev dev;
	struct ibv_cq *cq;
	struct ibv_qp *a, *b;
	struct ibv_mr *mr_from, *mr_to;
	struct ibv_sge sge = { .length = sizeof(from) };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_wc wc;

	rc_open(&dev, name, gid_index);
	cq = ibv_create_cq(dev.ctx, 16, NULL, NULL, 0);
	a = rc_qp(&dev, cq, cq, 4);
	b = rc_qp(&dev, cq, cq, 4);
	rc_connect(&dev, a, &dev, b);
	rc_connect(&dev, b, &dev, a);
	mr_from = ibv_reg_mr(dev.pd, from, sizeof(from), RC_ALL);
	mr_to = ibv_reg_mr(dev.pd, to, sizeof(to), RC_ALL);
	memset(to, 0, sizeof(to));
	memset(from, 1 + below(255), sizeof(from));
	sge.addr = (uintptr_t)from;
	sge.lkey = mr_from->lkey;
	wr.wr.rdma.remote_addr = (uintptr_t)to;
	wr.wr.rdma.rkey = mr_to->rkey;
	if (ibv_post_send(a, &wr, &bad))
		die("post_send");
	wc = rc_poll(cq);
	if (wc.status != IBV_WC_SUCCESS)
		die("status %d of a decent program", wc.status);
	if (memcmp(from, to, sizeof(from)))
		die("wrong data of a decent program");
	ibv_destroy_qp(a);
	ibv_destroy_qp(b);
	ibv_dereg_mr(mr_from);
	ibv_dereg_mr(mr_to);
	ibv_destroy_cq(cq);
	ibv_dealloc_pd(dev.pd);
	ibv_close_device(dev.ctx);
}

int main(int argc, char **argv)
{
	int rounds, i, status;
	pid_t pid;

	if (argc != 5)
		return 2;
	rounds = atoi(argv[4]);
	for (i = 0; i < rounds; i++) {
		rng = (strtoull(argv[3], NULL, 0) + i) * 0x9e3779b97f4a7c15ull + 1;
		fflush(stdout);
		pid = fork();
		if (!pid) {
			/* A hang is a failure too. */
			alarm(60);
			exit(child(argv[1], atoi(argv[2])));
		}
		if (waitpid(pid, &status, 0) != pid)
			die("wait");
		if (status)
			die("round %d of seed %s ended with %#x", i, argv[3], status);
		check_device(argv[1], atoi(argv[2]));
	}
	return 0;
}
