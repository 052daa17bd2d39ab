// SPDX-License-Identifier: GPL-2.0
/*
 * memory DEVICE GID-INDEX - regions are registered anew (address, PD, rights) and
 * pages of regions on demand are fetched ahead, and a dma-buf is registered: by system
 * calls, as the library that drives the device has no such functions.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "rc.h"

#define PAGE	4096
#define SIZE	(16 * PAGE)
#define RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

/* What of a region changes: IB_MR_REREG_*. */
enum { TRANS = 1, PD = 2, ACCESS = 4 };

static struct rc_dev dev;
static struct ibv_cq *cq;

static uint8_t *map(size_t length)
{
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

/* 0 or an errno. */
static int rereg(struct ibv_mr *mr, uint32_t flags, void *start, uint64_t length,
		 struct ibv_pd *pd, uint32_t access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_rereg_mr cmd;
	} req = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_REREG_MR,
			.in_words = sizeof(req) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.cmd = {
			.response = (uintptr_t)&resp,
			.mr_handle = mr->handle,
			.flags = flags,
			.start = (uintptr_t)start,
			.hca_va = (uintptr_t)start,
			.length = length,
			.pd_handle = pd ? pd->handle : 0,
			.access_flags = access,
		},
	};

	if (write(dev.ctx->cmd_fd, &req, sizeof(req)) != sizeof(req))
		return errno;
	if (resp.lkey != mr->lkey || resp.rkey != mr->rkey)
		die("other keys");
	return 0;
}

static void set_attr(struct ib_uverbs_attr *attr, uint16_t id, uint16_t len, uint64_t data)
{
	*attr = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data,
	};
}

/* 0 or an errno. */
static int advise(uint32_t lkey, void *addr, uint32_t length, uint64_t advice)
{
	struct ib_uverbs_sge sge = { (uintptr_t)addr, length, lkey };
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[4];
	} cmd = {
		.hdr = {
			.length = sizeof(cmd),
			.object_id = UVERBS_OBJECT_MR,
			.method_id = UVERBS_METHOD_ADVISE_MR,
			.num_attrs = 4,
			.driver_id = RDMA_DRIVER_RXE,
		},
	};

	set_attr(&cmd.attrs[0], UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, dev.pd->handle);
	set_attr(&cmd.attrs[1], UVERBS_ATTR_ADVISE_MR_ADVICE, 8, advice);
	set_attr(&cmd.attrs[2], UVERBS_ATTR_ADVISE_MR_FLAGS, 8, IB_UVERBS_ADVISE_MR_FLAG_FLUSH);
	set_attr(&cmd.attrs[3], UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(sge), (uintptr_t)&sge);
	return ioctl(dev.ctx->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

static void want(int got, int wanted, const char *what)
{
	if (got != wanted)
		die("%s: %d, not %d", what, got, wanted);
}

/* A WRITE of one byte over a new connection: its status. */
static int write_byte(struct ibv_mr *from, uint8_t *at, uint32_t rkey, uint8_t *to)
{
	struct ibv_sge sge = { (uintptr_t)at, 1, from->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)to, rkey },
	}, *bad;
	struct ibv_qp *a = rc_qp(&dev, cq, cq, 4), *b = rc_qp(&dev, cq, cq, 4);
	int status;

	rc_connect(&dev, a, &dev, b);
	rc_connect(&dev, b, &dev, a);
	if (ibv_post_send(a, &wr, &bad))
		die("post_send");
	status = rc_poll(cq).status;
	ibv_destroy_qp(a);
	ibv_destroy_qp(b);
	return status;
}

static void registered_anew(void)
{
	uint8_t *one = map(SIZE), *two = map(SIZE), *none = map(SIZE), *own = map(PAGE);
	struct ibv_mr *from = ibv_reg_mr(dev.pd, own, PAGE, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, RIGHTS);
	struct ibv_pd *pd = ibv_alloc_pd(dev.ctx);

	if (!from || !mr || !pd)
		die("reg_mr");
	own[0] = 'a';
	munmap(none, SIZE);

	/* Another address, and what was there before is no more. */
	want(rereg(mr, TRANS, two, SIZE / 2, NULL, 0), 0, "translation");
	want(write_byte(from, own, mr->rkey, two + 5), IBV_WC_SUCCESS, "its new place");
	want(two[5], 'a', "what was written");
	want(write_byte(from, own, mr->rkey, one + 5), IBV_WC_REM_ACCESS_ERR, "its old place");
	want(write_byte(from, own, mr->rkey, two + SIZE / 2), IBV_WC_REM_ACCESS_ERR, "its end");
	want(one[5], 0, "the old place");

	/* Rights. */
	want(rereg(mr, ACCESS, NULL, 0, NULL, IBV_ACCESS_REMOTE_READ), 0, "rights");
	want(write_byte(from, own, mr->rkey, two), IBV_WC_REM_ACCESS_ERR, "without the right");
	want(rereg(mr, ACCESS, NULL, 0, NULL, RIGHTS), 0, "rights again");
	want(write_byte(from, own, mr->rkey, two), IBV_WC_SUCCESS, "with the right");

	/* The protection domain. */
	want(rereg(mr, PD, NULL, 0, pd, 0), 0, "PD");
	want(write_byte(from, own, mr->rkey, two), IBV_WC_REM_ACCESS_ERR, "of another PD");
	want(ibv_dealloc_pd(pd), EBUSY, "the PD is in use");
	want(rereg(mr, PD | TRANS | ACCESS, one, SIZE, dev.pd, RIGHTS), 0, "all");
	want(write_byte(from, own, mr->rkey, one + SIZE - 1), IBV_WC_SUCCESS, "all");
	want(ibv_dealloc_pd(pd), 0, "the PD");

	/* What fails leaves it as it was. */
	want(rereg(mr, TRANS, none, SIZE, NULL, 0), EFAULT, "no memory");
	want(rereg(mr, 8, NULL, 0, NULL, 0), EOPNOTSUPP, "unknown flag");
	want(rereg(mr, ACCESS, NULL, 0, NULL, IBV_ACCESS_REMOTE_WRITE), EINVAL, "rights");
	want(write_byte(from, own, mr->rkey, one + 7), IBV_WC_SUCCESS, "as it was");
	want(ibv_dereg_mr(mr), 0, "dereg_mr");

	/* A region that could only be read is pinned anew to be written. */
	mr = ibv_reg_mr(dev.pd, one, SIZE, IBV_ACCESS_REMOTE_READ);
	if (!mr)
		die("reg_mr");
	want(rereg(mr, ACCESS, NULL, 0, NULL, RIGHTS), 0, "more rights");
	want(write_byte(from, own, mr->rkey, one + 9), IBV_WC_SUCCESS, "to be written");
	want(one[9], 'a', "what was written");
	/* And on demand, and back. */
	want(rereg(mr, ACCESS, NULL, 0, NULL, RIGHTS | IBV_ACCESS_ON_DEMAND), 0, "on demand");
	madvise(one, SIZE, MADV_DONTNEED);
	want(write_byte(from, own, mr->rkey, one + 10), IBV_WC_SUCCESS, "on demand");
	want(one[10], 'a', "what was written");
	want(one[9], 0, "a page that went");
	want(rereg(mr, ACCESS, NULL, 0, NULL, RIGHTS), 0, "pinned");
	want(write_byte(from, own, mr->rkey, one + 11), IBV_WC_SUCCESS, "pinned");
	want(one[11], 'a', "what was written");
	want(ibv_dereg_mr(mr), 0, "dereg_mr");
	ibv_dereg_mr(from);
}

static void with_a_window(void)
{
	struct ibv_qp *a = rc_qp(&dev, cq, cq, 4), *b = rc_qp(&dev, cq, cq, 4);
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, map(SIZE), SIZE,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { mr, (uintptr_t)mr->addr, SIZE, IBV_ACCESS_REMOTE_WRITE },
	};

	rc_connect(&dev, a, &dev, b);
	rc_connect(&dev, b, &dev, a);
	if (ibv_bind_mw(a, mw, &bind) || rc_poll(cq).status != IBV_WC_SUCCESS)
		die("bind_mw");
	want(rereg(mr, ACCESS, NULL, 0, NULL, RIGHTS), EBUSY, "a window is bound");
	want(ibv_dereg_mr(mr), EBUSY, "a window is bound");
	ibv_dealloc_mw(mw);
	want(rereg(mr, ACCESS, NULL, 0, NULL, RIGHTS), 0, "the window is gone");
	want(ibv_dereg_mr(mr), 0, "dereg_mr");
	ibv_destroy_qp(a);
	ibv_destroy_qp(b);
}

/* How many of @n pages the program has. */
static int present(uint8_t *from, int n)
{
	int fd = open("/proc/self/pagemap", O_RDONLY), i, count = 0;
	uint64_t entry;

	for (i = 0; i < n; i++) {
		if (pread(fd, &entry, 8, ((uintptr_t)from / PAGE + i) * 8) != 8)
			die("pagemap");
		count += entry >> 63;
	}
	close(fd);
	return count;
}

static void fetched_ahead(void)
{
	enum { FETCH = IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH,
	       FETCH_WRITE = IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE,
	       NO_FAULT = IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT };
	uint8_t *p = map(600 * PAGE), *q = map(SIZE);
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, p, 600 * PAGE, RIGHTS | IBV_ACCESS_ON_DEMAND);
	struct ibv_mr *pinned = ibv_reg_mr(dev.pd, q, SIZE, RIGHTS);
	struct ibv_mr *only_read;

	if (!mr || !pinned)
		die("reg_mr");
	madvise(p, 600 * PAGE, MADV_NOHUGEPAGE);
	want(present(p, 600), 0, "pages at first");
	want(advise(mr->lkey, p, 600 * PAGE, NO_FAULT), 0, "what is there");
	want(present(p, 600), 0, "pages");
	want(advise(mr->lkey, p + PAGE + 1, 2 * PAGE, FETCH), 0, "fetch");
	want(present(p, 600), 3, "pages");
	want(advise(mr->lkey, p, 600 * PAGE, FETCH_WRITE), 0, "fetch to write");
	want(present(p, 600), 600, "pages");

	want(advise(mr->lkey + 0x100000, p, PAGE, FETCH), ENOENT, "no such key");
	want(advise(pinned->lkey, q, PAGE, FETCH), EINVAL, "a pinned region");
	want(advise(mr->lkey, p + 599 * PAGE, PAGE + 1, FETCH), EFAULT, "past its end");
	want(advise(mr->lkey, p, PAGE, 9), EOPNOTSUPP, "another advice");
	munmap(p + 8 * PAGE, PAGE);
	want(advise(mr->lkey, p, 16 * PAGE, FETCH), EFAULT, "a hole");
	only_read = ibv_reg_mr(dev.pd, q, SIZE, IBV_ACCESS_ON_DEMAND);
	if (!only_read)
		die("reg_mr");
	want(advise(only_read->lkey, q, PAGE, FETCH_WRITE), EPERM, "to be read only");
	want(advise(only_read->lkey, q, PAGE, FETCH), 0, "to be read");
	ibv_dereg_mr(mr);
	ibv_dereg_mr(pinned);
	ibv_dereg_mr(only_read);
}

/* A region over a dma-buf: 0 or an errno; its keys. */
static int reg_dmabuf(int fd, uint64_t offset, uint64_t length, uint64_t iova, uint32_t *lkey,
		      uint32_t *rkey)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[9];
	} cmd = {
		.hdr = {
			.length = sizeof(cmd),
			.object_id = UVERBS_OBJECT_MR,
			.method_id = UVERBS_METHOD_REG_DMABUF_MR,
			.num_attrs = 9,
			.driver_id = RDMA_DRIVER_RXE,
		},
	};

	set_attr(&cmd.attrs[0], UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	set_attr(&cmd.attrs[1], UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, dev.pd->handle);
	set_attr(&cmd.attrs[2], UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, offset);
	set_attr(&cmd.attrs[3], UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, length);
	set_attr(&cmd.attrs[4], UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, iova);
	set_attr(&cmd.attrs[5], UVERBS_ATTR_REG_DMABUF_MR_FD, 4, fd);
	set_attr(&cmd.attrs[6], UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, RIGHTS);
	set_attr(&cmd.attrs[7], UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, (uintptr_t)lkey);
	set_attr(&cmd.attrs[8], UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, (uintptr_t)rkey);
	return ioctl(dev.ctx->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

static void dma_buf(void)
{
	int memory = memfd_create("buffer", MFD_ALLOW_SEALING), maker, fd;
	struct udmabuf_create create = { .memfd = memory, .size = SIZE };
	uint8_t *own = map(PAGE), *p;
	struct ibv_mr *from = ibv_reg_mr(dev.pd, own, PAGE, IBV_ACCESS_LOCAL_WRITE);
	uint64_t iova = 0x700000000000ull + PAGE + 100;
	uint32_t lkey, rkey;

	maker = open("/dev/udmabuf", O_RDWR);
	if (maker < 0 || ftruncate(memory, SIZE) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK))
		die("udmabuf");
	fd = ioctl(maker, UDMABUF_CREATE, &create);
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (fd < 0 || p == MAP_FAILED)
		die("udmabuf");
	want(reg_dmabuf(memory, 0, SIZE, 0, &lkey, &rkey), EINVAL, "no dma-buf");
	want(reg_dmabuf(fd, PAGE, SIZE, 0, &lkey, &rkey), EINVAL, "past its end");
	want(reg_dmabuf(fd, 0, 0, 0, &lkey, &rkey), EINVAL, "nothing");
	want(reg_dmabuf(fd, PAGE + 100, 2 * PAGE, iova, &lkey, &rkey), 0, "dma-buf");
	close(fd);
	own[0] = 'd';
	want(write_byte(from, own, rkey, (uint8_t *)iova), IBV_WC_SUCCESS, "its first byte");
	want(p[PAGE + 100], 'd', "its first byte");
	want(write_byte(from, own, rkey, (uint8_t *)iova + 2 * PAGE - 1), IBV_WC_SUCCESS, "last");
	want(p[3 * PAGE + 99], 'd', "its last");
	want(write_byte(from, own, rkey, (uint8_t *)iova + 2 * PAGE), IBV_WC_REM_ACCESS_ERR, "end");
	want(write_byte(from, own, rkey, (uint8_t *)iova - 1), IBV_WC_REM_ACCESS_ERR, "before");
	want(p[PAGE + 99] | p[3 * PAGE + 100], 0, "what is around it");
	ibv_dereg_mr(from);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	rc_rnr_retry = 7;
	rc_open(&dev, argv[1], atoi(argv[2]));
	cq = ibv_create_cq(dev.ctx, 64, NULL, NULL, 0);
	if (!cq)
		die("create_cq");
	registered_anew();
	with_a_window();
	fetched_ahead();
	dma_buf();
	return 0;
}
