// SPDX-License-Identifier: GPL-2.0
/*
 * A network interface of this host, by AF_PACKET.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "wire.h"

static int packet_send(struct wire *wire, const void *frame, u32 len)
{
	if (send(wire->fd, frame, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len)
		return 0;
	return -errno;
}

static void packet_readable(void *arg)
{
	static u8 frame[WIRE_MAX_FRAME] __aligned(16);
	struct wire *wire = arg;
	struct sockaddr_ll from;
	socklen_t from_len = sizeof(from);
	ssize_t n = recvfrom(wire->fd, frame + 2, sizeof(frame) - 2, MSG_DONTWAIT | MSG_TRUNC,
			     (struct sockaddr *)&from, &from_len);

	if (n < 14 || n > (ssize_t)sizeof(frame) - 2 || from.sll_pkttype == PACKET_OUTGOING)
		return;
	wire->receive(wire->arg, frame + 2, (u32)n);
}

static int packet_open(struct wire *wire, const char *arg)
{
	struct packet_mreq promisc = { .mr_type = PACKET_MR_PROMISC };
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(arg),
	};

	if (!sll.sll_ifindex)
		return -ENODEV;
	wire->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (wire->fd < 0 || bind(wire->fd, (struct sockaddr *)&sll, sizeof(sll)))
		return -errno;
	promisc.mr_ifindex = sll.sll_ifindex;
	if (setsockopt(wire->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc)))
		return -errno;
	return 0;
}

const struct wire_ops wire_packet = {
	.name = "packet",
	.help = "IFNAME              a network interface of this host",
	.open = packet_open,
	.send = packet_send,
	.readable = packet_readable,
};
