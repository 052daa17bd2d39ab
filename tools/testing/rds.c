// SPDX-License-Identifier: GPL-2.0
/*
 * rds server ADDRESS - answers the datagrams of a client until an empty one comes.
 * rds client ADDRESS SERVER COUNT - sends datagrams of all sizes and looks at the
 * answers; then has the server write to and read from its memory by RDMA.
 *
 * The sockets are of AF_RDS: the kernel moves the datagrams by RDMA where it can.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rds.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "die.h"

#define PORT		4000
#define DATAGRAM	(64 * 1024)
#define TOKEN		77
#define REGION		(200 * 1000)

/* What a client asks the server to do to its memory. */
struct request {
	uint64_t length;
	uint64_t write;		/* or read, and compare with what was written */
};

static uint8_t out[DATAGRAM], in[DATAGRAM];
static uint8_t region[REGION] __attribute__((aligned(4096)));
static uint8_t copy[REGION] __attribute__((aligned(4096)));

static void fill(uint8_t *p, size_t len, unsigned int seed)
{
	while (len--) {
		seed = seed * 1103515245 + 12345;
		*p++ = seed >> 16;
	}
}

static struct sockaddr_in at(const char *address, int port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, address, &sin.sin_addr) != 1)
		die("no address: %s", address);
	return sin;
}

static int open_at(const char *address, int port)
{
	struct sockaddr_in sin = at(address, port);
	struct timeval limit = { .tv_sec = 30 };
	int fd = socket(AF_RDS, SOCK_SEQPACKET, 0);
	int transport = RDS_TRANS_IB;

	if (fd < 0)
		die("socket");
	if (setsockopt(fd, SOL_RDS, SO_RDS_TRANSPORT, &transport, sizeof(transport)))
		die("RDS over IB");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		die("timeout");
	if (bind(fd, (struct sockaddr *)&sin, sizeof(sin)))
		die("bind %s", address);
	return fd;
}

/* The cookie is that of the memory that came with the datagram, or 0. */
static size_t receive(int fd, struct sockaddr_in *from, rds_rdma_cookie_t *cookie)
{
	char control[CMSG_SPACE(sizeof(*cookie))];
	struct iovec iov = { .iov_base = in, .iov_len = sizeof(in) };
	struct msghdr msg = {
		.msg_name = from, .msg_namelen = sizeof(*from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &msg, 0);
	struct cmsghdr *cmsg;

	if (n < 0)
		die("recvmsg");
	cmsg = CMSG_FIRSTHDR(&msg);
	*cookie = 0;
	if (cmsg && cmsg->cmsg_level == SOL_RDS && cmsg->cmsg_type == RDS_CMSG_RDMA_DEST)
		memcpy(cookie, CMSG_DATA(cmsg), sizeof(*cookie));
	return n;
}

static void answer(int fd, const struct sockaddr_in *to, const void *data, size_t len)
{
	if (sendto(fd, data, len, 0, (const struct sockaddr *)to, sizeof(*to)) != (ssize_t)len)
		die("sendto");
}

/* A datagram with something for the kernel's rds to do. */
static void ask(int fd, struct sockaddr_in *to, const void *data, size_t len, int type,
		const void *args, size_t args_len)
{
	char control[CMSG_SPACE(sizeof(struct rds_rdma_args))] = {};
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = {
		.msg_name = to, .msg_namelen = sizeof(*to),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = CMSG_SPACE(args_len),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_RDS;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(args_len);
	memcpy(CMSG_DATA(cmsg), args, args_len);
	if (sendmsg(fd, &msg, 0) != (ssize_t)len)
		die("sendmsg with request %d", type);
}

/* The status of an RDMA comes as a message without bytes. */
static void expect_status(int fd)
{
	char control[CMSG_SPACE(sizeof(struct rds_rdma_notify))];
	struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };
	struct rds_rdma_notify *notify;
	struct cmsghdr *cmsg;

	if (recvmsg(fd, &msg, 0) < 0)
		die("status of RDMA");
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != RDS_CMSG_RDMA_STATUS)
		die("no status of RDMA");
	notify = (struct rds_rdma_notify *)CMSG_DATA(cmsg);
	if (notify->status || notify->user_token != TOKEN)
		die("RDMA failed: %d", notify->status);
}

/* Writes or reads the client's memory. The message that goes with it is the answer. */
static void rdma(int fd, struct sockaddr_in *to, const struct request *req,
		 rds_rdma_cookie_t cookie)
{
	struct rds_iovec local = { .addr = (uintptr_t)copy, .bytes = req->length };
	struct rds_rdma_args args = {
		.cookie = cookie,
		.remote_vec = { .addr = 0, .bytes = req->length },
		.local_vec_addr = (uintptr_t)&local,
		.nr_local = 1,
		.flags = (req->write ? RDS_RDMA_READWRITE : RDS_RDMA_FENCE) |
			 RDS_RDMA_NOTIFY_ME,
		.user_token = TOKEN,
	};

	ask(fd, to, "done", 4, RDS_CMSG_RDMA_ARGS, &args, sizeof(args));
	expect_status(fd);
}

static void server(const char *address)
{
	int fd = open_at(address, PORT);
	struct sockaddr_in from;
	rds_rdma_cookie_t cookie;
	struct request req;
	size_t n;

	/* What comes for a port that nobody has is lost. */
	puts("ready");
	fflush(stdout);
	for (;;) {
		n = receive(fd, &from, &cookie);
		if (!n)
			return;
		if (!cookie || n != sizeof(req)) {
			answer(fd, &from, in, n);
			continue;
		}
		memcpy(&req, in, sizeof(req));
		if (req.write) {
			fill(copy, req.length, req.length);
			rdma(fd, &from, &req, cookie);
		} else {
			memset(copy, 0, req.length);
			rdma(fd, &from, &req, cookie);
			fill(region, req.length, req.length + 1);
			if (memcmp(copy, region, req.length))
				die("what was read is wrong");
		}
	}
}

static void echoes(int fd, const struct sockaddr_in *to, int count)
{
	rds_rdma_cookie_t cookie;
	struct sockaddr_in from;
	size_t len;
	int i;

	for (i = 0; i < count; i++) {
		len = 1 + (size_t)rand() % (DATAGRAM - 1);
		fill(out, len, i);
		answer(fd, to, out, len);
		if (receive(fd, &from, &cookie) != len || memcmp(in, out, len))
			die("answer %d of %zu bytes is wrong", i, len);
	}
}

static void memory(int fd, struct sockaddr_in *to, size_t len, int write)
{
	struct request req = { .length = len, .write = write };
	struct rds_get_mr_args args = {
		.vec = { .addr = (uintptr_t)region, .bytes = len },
		.flags = RDS_RDMA_READWRITE | RDS_RDMA_USE_ONCE,
	};
	rds_rdma_cookie_t cookie;
	struct sockaddr_in from;

	/* The kernel writes the cookie here too. */
	args.cookie_addr = (uintptr_t)&cookie;
	if (write)
		memset(region, 0, len);
	else
		fill(region, len, len + 1);
	ask(fd, to, &req, sizeof(req), RDS_CMSG_RDMA_MAP, &args, sizeof(args));
	if (receive(fd, &from, &cookie) != 4 || memcmp(in, "done", 4))
		die("the answer to RDMA is wrong");
	if (!write)
		return;
	fill(copy, len, len);
	if (memcmp(region, copy, len))
		die("what the server wrote is wrong: %zu bytes", len);
}

static void client(const char *address, const char *server, int count)
{
	static const size_t lengths[] = { 1, 100, 4096, 5000, 65536, REGION };
	struct sockaddr_in to = at(server, PORT);
	int fd = open_at(address, PORT + 1);
	size_t i;

	echoes(fd, &to, count);
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		memory(fd, &to, lengths[i], 1);
		memory(fd, &to, lengths[i], 0);
	}
	answer(fd, &to, out, 0);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "server"))
		server(argv[2]);
	else if (argc == 5 && !strcmp(argv[1], "client"))
		client(argv[2], argv[3], atoi(argv[4]));
	else
		die("usage: rds server ADDRESS | client ADDRESS SERVER COUNT");
	return 0;
}
