// SPDX-License-Identifier: GPL-2.0
/*
 * The vfio-user server: one client at a time, over a UNIX stream socket.
 *
 * The client is not trusted: a message is taken in whole, its sizes are checked
 * against what came, and what does not fit is answered with an error. Where the
 * stream itself makes no sense any more the client is dropped, never the model.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <linux/vfio.h>

#include "log.h"
#include "vfio_proto.h"

/* Messages that may wait while the server itself waits for an answer. */
#define VFU_MAX_QUEUE	64u
/* A client that does not read its answers for so long is gone. */
#define VFU_TIMEOUT_MS	10000
/* What one message moves of memory that has no file; every client takes so much. */
#define VFU_DMA_CHUNK	4096u

static void close_fds(struct vfu_msg *msg)
{
	u32 i;

	for (i = 0; i < msg->nr_fds; i++) {
		if (msg->fd[i] >= 0)
			close(msg->fd[i]);
	}
	msg->nr_fds = 0;
}

static void drop_client(struct vfu *vfu, const char *why)
{
	struct vfu_msg *msg;

	if (vfu->fd < 0)
		return;
	info("client gone: %s", why);
	loop_del(vfu->loop, vfu->fd);
	close(vfu->fd);
	vfu->fd = -1;
	vfu->versioned = false;
	close_fds(&vfu->msg);
	vfu->msg.got = 0;
	while ((msg = vfu->queue)) {
		vfu->queue = msg->next;
		close_fds(msg);
		free(msg->data);
		free(msg);
	}
	vfu->queued = 0;
	vfu_drop_irqs(vfu);
	dma_unmap_all(vfu->dma);
	vfu->ops->gone(vfu->ops->arg);
}

/* Sends all of it. The socket does not block, the client may. */
static int send_all(struct vfu *vfu, const void *data, u32 len)
{
	struct pollfd pfd = { .fd = vfu->fd, .events = POLLOUT };
	const u8 *p = data;
	ssize_t n;

	while (len) {
		n = send(vfu->fd, p, len, MSG_NOSIGNAL);
		if (n > 0) {
			p += n;
			len -= (u32)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) &&
		    poll(&pfd, 1, VFU_TIMEOUT_MS) > 0)
			continue;
		return -EPIPE;
	}
	return 0;
}

static void send_reply(struct vfu_req *req, int err)
{
	struct vfu_hdr *hdr = (struct vfu_hdr *)req->reply;

	if ((req->hdr.flags & VFU_NO_REPLY) || req->vfu->fd < 0)
		return;
	if (err)
		req->reply_len = 0;
	*hdr = (struct vfu_hdr){
		.id = req->hdr.id,
		.command = req->hdr.command,
		.size = (u32)sizeof(*hdr) + req->reply_len,
		.flags = VFU_REPLY | (err ? VFU_ERROR : 0),
		.error = (u32)-err,
	};
	if (send_all(req->vfu, req->reply, hdr->size))
		drop_client(req->vfu, "it does not read");
}

void vfu_message(struct vfu *vfu, struct vfu_msg *msg)
{
	static u8 reply[VFU_MAX_MSG] __aligned(8);
	struct vfu_req req = {
		.vfu = vfu,
		.msg = msg,
		.body = msg->data + sizeof(req.hdr),
		.len = msg->got - (u32)sizeof(req.hdr),
		.reply = reply,
	};
	int ret;

	memcpy(&req.hdr, msg->data, sizeof(req.hdr));
	if ((req.hdr.flags & VFU_TYPE_MASK) != 0) {
		trace("an answer to nothing, id %u", req.hdr.id);
		goto out;
	}
	ret = vfu_do_request(&req);
	if (ret)
		info("vfio-user command %u: error %d", req.hdr.command, -ret);
	send_reply(&req, ret);
out:
	close_fds(msg);
}

static void take_fds(struct vfu_msg *msg, struct msghdr *mh)
{
	struct cmsghdr *cmsg;
	size_t i, nr;
	int fd;

	for (cmsg = CMSG_FIRSTHDR(mh); cmsg; cmsg = CMSG_NXTHDR(mh, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		nr = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nr; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(int));
			if (msg->nr_fds < VFU_MAX_FDS)
				msg->fd[msg->nr_fds++] = fd;
			else
				close(fd);
		}
	}
}

/*
 * Reads what there is of the next message. 1: it is whole; 0: later; -errno:
 * the client is to go.
 */
static int receive(struct vfu *vfu)
{
	struct vfu_msg *msg = &vfu->msg;
	char control[CMSG_SPACE(VFU_MAX_FDS * sizeof(int))];
	struct vfu_hdr hdr;
	struct iovec iov;
	struct msghdr mh;
	u32 want;
	ssize_t n;

	for (;;) {
		want = sizeof(hdr);
		if (msg->got >= sizeof(hdr)) {
			memcpy(&hdr, msg->data, sizeof(hdr));
			if (hdr.size < sizeof(hdr) || hdr.size > VFU_MAX_MSG)
				return -EMSGSIZE;
			want = hdr.size;
			if (msg->got == want)
				return 1;
		}
		iov = (struct iovec){ msg->data + msg->got, want - msg->got };
		mh = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
				      .msg_controllen = sizeof(control) };
		n = recvmsg(vfu->fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n > 0) {
			take_fds(msg, &mh);
			msg->got += (u32)n;
		} else if (n == 0) {
			return -EPIPE;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return 0;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
}

static void run_queue(void *arg)
{
	struct vfu *vfu = arg;
	struct vfu_msg *msg;

	while (!vfu->depth && (msg = vfu->queue)) {
		vfu->queue = msg->next;
		vfu->queued--;
		vfu_message(vfu, msg);
		close_fds(msg);
		free(msg->data);
		free(msg);
	}
}

static void readable(void *arg)
{
	struct vfu *vfu = arg;
	struct vfu_msg msg;
	int ret;

	run_queue(vfu);
	if (vfu->fd < 0)
		return;
	ret = receive(vfu);
	if (ret < 0) {
		drop_client(vfu, ret == -EPIPE ? "closed" : strerror(-ret));
		return;
	}
	if (!ret)
		return;
	/* Apart, as working on it may take in the next one. */
	msg = vfu->msg;
	vfu->msg = (struct vfu_msg){ .data = malloc(VFU_MAX_MSG) };
	if (!vfu->msg.data) {
		vfu->msg = msg;
		drop_client(vfu, "no memory");
		return;
	}
	vfu_message(vfu, &msg);
	free(msg.data);
}

/* Puts the message that has come in whole aside until its turn. */
static int put_aside(struct vfu *vfu)
{
	struct vfu_msg *msg, **link;

	if (vfu->queued == VFU_MAX_QUEUE)
		return -ENOBUFS;
	msg = calloc(1, sizeof(*msg));
	if (!msg)
		return -ENOMEM;
	*msg = vfu->msg;
	msg->next = NULL;
	vfu->msg = (struct vfu_msg){ .data = malloc(VFU_MAX_MSG) };
	if (!vfu->msg.data) {
		vfu->msg = *msg;
		free(msg);
		return -ENOMEM;
	}
	for (link = &vfu->queue; *link; link = &(*link)->next)
		;
	*link = msg;
	vfu->queued++;
	loop_queue(vfu->loop, &vfu->later);
	return 0;
}

/* Waits for the answer to message @id and leaves it in vfu->msg. */
static int wait_answer(struct vfu *vfu, u16 id)
{
	struct pollfd pfd = { .fd = vfu->fd, .events = POLLIN };
	struct vfu_hdr hdr;
	int ret;

	for (;;) {
		ret = receive(vfu);
		if (ret < 0)
			return ret;
		if (!ret) {
			if (poll(&pfd, 1, VFU_TIMEOUT_MS) <= 0)
				return -ETIMEDOUT;
			continue;
		}
		memcpy(&hdr, vfu->msg.data, sizeof(hdr));
		if ((hdr.flags & VFU_TYPE_MASK) == VFU_REPLY) {
			if (hdr.id == id)
				return hdr.flags & VFU_ERROR ? -EFAULT : 0;
			close_fds(&vfu->msg);
			vfu->msg.got = 0;
			continue;
		}
		ret = put_aside(vfu);
		if (ret)
			return ret;
	}
}

static int dma_message(struct vfu *vfu, u64 iova, void *data, u32 len, bool write)
{
	u8 out[sizeof(struct vfu_hdr) + sizeof(struct vfu_dma_rw) + VFU_DMA_CHUNK];
	struct vfu_dma_rw rw = { .iova = iova, .count = len };
	struct vfu_hdr hdr = {
		.id = vfu->next_id++,
		.command = write ? VFU_DMA_WRITE : VFU_DMA_READ,
		.size = (u32)(sizeof(hdr) + sizeof(rw)) + (write ? len : 0),
	};
	int ret;

	memcpy(out, &hdr, sizeof(hdr));
	memcpy(out + sizeof(hdr), &rw, sizeof(rw));
	if (write)
		memcpy(out + sizeof(hdr) + sizeof(rw), data, len);
	if (send_all(vfu, out, hdr.size))
		return -EPIPE;
	ret = wait_answer(vfu, hdr.id);
	if (!ret && !write) {
		if (vfu->msg.got < sizeof(hdr) + sizeof(rw) + len)
			ret = -EFAULT;
		else
			memcpy(data, vfu->msg.data + sizeof(hdr) + sizeof(rw), len);
	}
	if (!ret || ret == -EFAULT) {
		close_fds(&vfu->msg);
		vfu->msg.got = 0;
	}
	return ret;
}

/* Memory that came without a file, a message at a time. */
static int dma_by_message(void *arg, u64 iova, void *data, u32 len, bool write)
{
	struct vfu *vfu = arg;
	u8 *p = data;
	int ret = 0;
	u32 n;

	if (vfu->fd < 0 || vfu->depth)
		return -EFAULT;
	vfu->depth++;
	for (; len && !ret; iova += n, p += n, len -= n) {
		n = len < VFU_DMA_CHUNK ? len : VFU_DMA_CHUNK;
		ret = dma_message(vfu, iova, p, n, write);
	}
	vfu->depth--;
	if (ret && ret != -EFAULT)
		shutdown(vfu->fd, SHUT_RDWR);	/* seen and dropped from the loop */
	return ret;
}

static void use_client(struct vfu *vfu, int fd)
{
	vfu->fd = fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	loop_add(vfu->loop, fd, readable, vfu);
	info("client connected");
}

/* The client has hung up, and the loop has not come to it yet. */
static bool client_has_gone(struct vfu *vfu)
{
	struct pollfd pfd = { .fd = vfu->fd, .events = POLLRDHUP };

	return poll(&pfd, 1, 0) == 1;
}

static void client_waits(void *arg)
{
	struct vfu *vfu = arg;
	int fd = accept4(vfu->listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (vfu->fd >= 0 && client_has_gone(vfu))
		drop_client(vfu, "closed");
	if (vfu->fd >= 0) {
		warn("a second client is turned away");
		close(fd);
		return;
	}
	use_client(vfu, fd);
}

static void init(struct vfu *vfu, struct loop *loop, struct dma *dma,
		 const struct vfu_ops *ops, u32 vectors)
{
	u32 i;

	memset(vfu, 0, sizeof(*vfu));
	vfu->loop = loop;
	vfu->dma = dma;
	vfu->ops = ops;
	vfu->listen_fd = -1;
	vfu->fd = -1;
	vfu->nr_irqs = vectors < VFU_MAX_VECTORS ? vectors : VFU_MAX_VECTORS;
	vfu->msg.data = malloc(VFU_MAX_MSG);
	vfu->later = (struct work){ .fn = run_queue, .arg = vfu };
	for (i = 0; i < VFU_MAX_VECTORS; i++)
		vfu->irq[i].fd = -1;
	vfu->other_fd[0] = -1;
	vfu->other_fd[1] = -1;
	dma->remote = dma_by_message;
	dma->remote_arg = vfu;
}

int vfu_init(struct vfu *vfu, struct loop *loop, struct dma *dma, const struct vfu_ops *ops,
	     const char *path, u32 vectors)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd, ret;

	init(vfu, loop, dma, ops, vectors);
	if (!vfu->msg.data)
		return -ENOMEM;
	if (strlen(path) >= sizeof(sun.sun_path))
		return -ENAMETOOLONG;
	memcpy(sun.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	unlink(path);
	if (bind(fd, (struct sockaddr *)&sun, sizeof(sun)) || listen(fd, 1)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	vfu->listen_fd = fd;
	return loop_add(loop, fd, client_waits, vfu);
}

void vfu_init_connected(struct vfu *vfu, struct loop *loop, struct dma *dma,
			const struct vfu_ops *ops, int fd, u32 vectors)
{
	init(vfu, loop, dma, ops, vectors);
	use_client(vfu, fd);
}

void vfu_fini(struct vfu *vfu)
{
	drop_client(vfu, "the model ends");
	loop_cancel(vfu->loop, &vfu->later);
	if (vfu->listen_fd >= 0) {
		loop_del(vfu->loop, vfu->listen_fd);
		close(vfu->listen_fd);
	}
	free(vfu->msg.data);
}
