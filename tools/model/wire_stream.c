// SPDX-License-Identifier: GPL-2.0
/*
 * Frames on a UNIX stream, each after its length in 4 bytes, as QEMU's `-netdev
 * stream` has it. "listen,PATH" waits for the peer, "connect,PATH" goes to it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "log.h"
#include "wire.h"

#define HEAD		4u
#define STREAM_ROOM	(HEAD + WIRE_MAX_FRAME)
#define SEND_WAIT_MS	100

static void hang_up(struct wire *wire, const char *why)
{
	if (wire->fd < 0)
		return;
	info("wire: %s", why);
	loop_del(wire->loop, wire->fd);
	close(wire->fd);
	wire->fd = -1;
	wire->stream_len = 0;
}

/* A frame that has begun has to go whole, or the stream makes no sense any more. */
static int stream_send(struct wire *wire, const void *frame, u32 len)
{
	u8 buf[STREAM_ROOM];
	struct pollfd pfd = { .fd = wire->fd, .events = POLLOUT };
	u32 at = 0, all = HEAD + len, net = htonl(len);
	ssize_t n;

	if (wire->fd < 0 || len > WIRE_MAX_FRAME)
		return -ENOTCONN;
	memcpy(buf, &net, HEAD);
	memcpy(buf + HEAD, frame, len);
	while (at < all) {
		n = send(wire->fd, buf + at, all - at, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			at += (u32)n;
			continue;
		}
		if (n < 0 && errno == EAGAIN && !at)
			return -EAGAIN;
		if (n < 0 && errno == EAGAIN && poll(&pfd, 1, SEND_WAIT_MS) > 0)
			continue;
		hang_up(wire, "the peer does not read");
		return -EPIPE;
	}
	return 0;
}

/* Hands over what is whole of wire->stream; false: it makes no sense. */
static bool take_frames(struct wire *wire)
{
	u32 at = 0, len;

	while (wire->stream_len - at >= HEAD) {
		memcpy(&len, wire->stream + at, HEAD);
		len = ntohl(len);
		if (len < 14 || len > WIRE_MAX_FRAME)
			return false;
		if (wire->stream_len - at - HEAD < len)
			break;
		wire->receive(wire->arg, wire->stream + at + HEAD, len);
		at += HEAD + len;
	}
	wire->stream_len -= at;
	memmove(wire->stream, wire->stream + at, wire->stream_len);
	return true;
}

static void stream_readable(void *arg)
{
	struct wire *wire = arg;
	ssize_t n = recv(wire->fd, wire->stream + wire->stream_len,
			 STREAM_ROOM - wire->stream_len, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(wire, "the peer has gone");
		return;
	}
	wire->stream_len += (u32)n;
	if (!take_frames(wire))
		hang_up(wire, "nonsense on the stream");
}

static void peer_comes(void *arg)
{
	struct wire *wire = arg;
	int fd = accept4(wire->listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	hang_up(wire, "another peer comes");
	wire->fd = fd;
	loop_add(wire->loop, fd, stream_readable, wire);
}

static int stream_open(struct wire *wire, const char *arg)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const char *path = strchr(arg, ',');
	bool wait = !strncmp(arg, "listen,", 7);
	int fd;

	if (!path || (!wait && strncmp(arg, "connect,", 8)) ||
	    strlen(++path) >= sizeof(sun.sun_path))
		return -EINVAL;
	memcpy(sun.sun_path, path, strlen(path) + 1);
	wire->stream = malloc(STREAM_ROOM);
	if (!wire->stream)
		return -ENOMEM;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!wait) {
		wire->fd = fd;
		return connect(fd, (struct sockaddr *)&sun, sizeof(sun)) ? -errno : 0;
	}
	wire->listen_fd = fd;
	unlink(path);
	if (bind(fd, (struct sockaddr *)&sun, sizeof(sun)) || listen(fd, 1))
		return -errno;
	return loop_add(wire->loop, fd, peer_comes, wire);
}

const struct wire_ops wire_stream = {
	.name = "stream",
	.help = "listen|connect,PATH  a UNIX stream, as QEMU's -netdev stream",
	.open = stream_open,
	.send = stream_send,
	.readable = stream_readable,
};
