// SPDX-License-Identifier: GPL-2.0
/*
 * A frame a datagram, as QEMU's `-netdev dgram` has it: over a UNIX socket, over
 * UDP, or over a multicast group, where any number may meet.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire.h"

#define SOCKET_BUFFER	(4 << 20)
/* Frames taken in one after another before something else has its turn. */
#define RECEIVE_BATCH	64

static int dgram_send(struct wire *wire, const void *frame, u32 len)
{
	if (sendto(wire->fd, frame, len, MSG_DONTWAIT | MSG_NOSIGNAL,
		   (struct sockaddr *)&wire->peer, wire->peer_len) == (ssize_t)len)
		return 0;
	return -errno;
}

/*
 * Connected as soon as the peer is there: only then can one wait for room in its
 * socket. A peer that comes again is another socket under the same name.
 */
static int unix_send(struct wire *wire, const void *frame, u32 len)
{
	if (!wire->connected && connect(wire->fd, (struct sockaddr *)&wire->peer, wire->peer_len))
		return -errno;
	wire->connected = true;
	if (send(wire->fd, frame, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len)
		return 0;
	if (errno != EAGAIN)
		wire->connected = false;
	return -errno;
}

static void dgram_readable(void *arg)
{
	static u8 frame[WIRE_MAX_FRAME] __aligned(16);
	struct wire *wire = arg;
	ssize_t n;
	int i;

	for (i = 0; i < RECEIVE_BATCH; i++) {
		/* 2 bytes in, so that the IP header is aligned. */
		n = recv(wire->fd, frame + 2, sizeof(frame) - 2, MSG_DONTWAIT | MSG_TRUNC);
		if (n < 0)
			return;
		if (n >= 14 && n <= (ssize_t)sizeof(frame) - 2)
			wire->receive(wire->arg, frame + 2, (u32)n);
	}
}

static int make_socket(struct wire *wire, int domain)
{
	int size = SOCKET_BUFFER;

	wire->fd = socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (wire->fd < 0)
		return -errno;
	setsockopt(wire->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(wire->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return 0;
}

/* Splits "A,B"; the result lives until the next call. */
static int split(const char *arg, char **a, char **b)
{
	static char copy[512];
	char *comma;

	if (strlen(arg) >= sizeof(copy))
		return -ENAMETOOLONG;
	memcpy(copy, arg, strlen(arg) + 1);
	comma = strchr(copy, ',');
	if (!comma)
		return -EINVAL;
	*comma = 0;
	*a = copy;
	*b = comma + 1;
	return 0;
}

static int unix_address(struct sockaddr_un *sun, const char *path)
{
	if (!*path || strlen(path) >= sizeof(sun->sun_path))
		return -EINVAL;
	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	memcpy(sun->sun_path, path, strlen(path) + 1);
	return 0;
}

static int unix_open(struct wire *wire, const char *arg)
{
	struct sockaddr_un local;
	char *here, *there;
	int ret = split(arg, &here, &there);

	ret = ret ?: unix_address(&local, here);
	ret = ret ?: unix_address((struct sockaddr_un *)&wire->peer, there);
	ret = ret ?: make_socket(wire, AF_UNIX);
	if (ret)
		return ret;
	wire->peer_len = sizeof(struct sockaddr_un);
	unlink(here);
	return bind(wire->fd, (struct sockaddr *)&local, sizeof(local)) ? -errno : 0;
}

/* "ADDRESS:PORT", numbers only. */
static int inet_address(struct sockaddr_in *sin, char *text)
{
	char *colon = strrchr(text, ':');
	char *end;
	unsigned long port;

	if (!colon)
		return -EINVAL;
	*colon = 0;
	port = strtoul(colon + 1, &end, 10);
	if (*end || !port || port > 65535)
		return -EINVAL;
	memset(sin, 0, sizeof(*sin));
	sin->sin_family = AF_INET;
	sin->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, text, &sin->sin_addr) == 1 ? 0 : -EINVAL;
}

static int udp_open(struct wire *wire, const char *arg)
{
	struct sockaddr_in local;
	char *here, *there;
	int ret = split(arg, &here, &there);

	ret = ret ?: inet_address(&local, here);
	ret = ret ?: inet_address((struct sockaddr_in *)&wire->peer, there);
	ret = ret ?: make_socket(wire, AF_INET);
	if (ret)
		return ret;
	wire->peer_len = sizeof(struct sockaddr_in);
	return bind(wire->fd, (struct sockaddr *)&local, sizeof(local)) ? -errno : 0;
}

static int mcast_open(struct wire *wire, const char *arg)
{
	struct sockaddr_in *group = (struct sockaddr_in *)&wire->peer;
	struct ip_mreq join = { .imr_interface.s_addr = htonl(INADDR_LOOPBACK) };
	char text[64];
	int one = 1, ret;

	if (strlen(arg) >= sizeof(text))
		return -EINVAL;
	memcpy(text, arg, strlen(arg) + 1);
	ret = inet_address(group, text);
	ret = ret ?: make_socket(wire, AF_INET);
	if (ret)
		return ret;
	wire->peer_len = sizeof(*group);
	join.imr_multiaddr = group->sin_addr;
	/* On this host only, with every other process that has joined. */
	if (setsockopt(wire->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(wire->fd, (struct sockaddr *)group, sizeof(*group)) ||
	    setsockopt(wire->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)) ||
	    setsockopt(wire->fd, IPPROTO_IP, IP_MULTICAST_IF, &join.imr_interface,
		       sizeof(join.imr_interface)) ||
	    setsockopt(wire->fd, IPPROTO_IP, IP_MULTICAST_LOOP, &one, sizeof(one)))
		return -errno;
	return 0;
}

const struct wire_ops wire_dgram = {
	.name = "dgram",
	.help = "HERE,THERE           UNIX datagram sockets, as QEMU's -netdev dgram",
	.open = unix_open,
	.send = unix_send,
	.readable = dgram_readable,
};

const struct wire_ops wire_udp = {
	.name = "udp",
	.help = "ADDR:PORT,ADDR:PORT    UDP, here and there, as QEMU's -netdev dgram",
	.open = udp_open,
	.send = dgram_send,
	.readable = dgram_readable,
};

const struct wire_ops wire_mcast = {
	.name = "mcast",
	.help = "GROUP:PORT           a multicast group on this host: a hub for any number",
	.open = mcast_open,
	.send = dgram_send,
	.readable = dgram_readable,
};
