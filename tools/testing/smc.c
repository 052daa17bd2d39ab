// SPDX-License-Identifier: GPL-2.0
/*
 * smc eid NAME - makes NAME the enterprise id by which SMC-R version 2 peers know
 * that they belong together.
 * smc server ADDRESS - echoes what one connection brings, until it ends.
 * smc client ADDRESS BYTES - has bytes echoed, in pieces of all sizes, and looks at them.
 *
 * The sockets are of AF_SMC: the kernel moves the bytes by RDMA if it can.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/smc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "die.h"

#ifndef AF_SMC
#define AF_SMC	43
#endif
#define PORT	7777
#define BUF	(256 * 1024)

static uint8_t buf[BUF], back[BUF];

/* A request with one attribute, and its answer in @reply. */
static void generic(int fd, uint16_t family, uint8_t cmd, uint16_t attr, const void *data,
		    size_t len, char *reply, size_t room)
{
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
		struct nlattr nla;
		char data[64];
	} req = {
		.nlh = {
			.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(NLA_HDRLEN + len),
			.nlmsg_type = family,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.genl = { .cmd = cmd, .version = 1 },
		.nla = { .nla_len = NLA_HDRLEN + len, .nla_type = attr },
	};
	struct nlmsgerr *err;

	memcpy(req.data, data, len);
	if (send(fd, &req, req.nlh.nlmsg_len, 0) < 0 || recv(fd, reply, room, 0) < 0)
		die("netlink");
	err = NLMSG_DATA((struct nlmsghdr *)reply);
	if (((struct nlmsghdr *)reply)->nlmsg_type == NLMSG_ERROR && err->error)
		die("netlink: error %d", err->error);
}

static void set_eid(const char *name)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	char reply[8192], eid[SMC_MAX_EID_LEN + 1];
	struct nlattr *nla;
	uint16_t family = 0;
	char *end;

	generic(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, SMC_GENL_FAMILY_NAME,
		sizeof(SMC_GENL_FAMILY_NAME), reply, sizeof(reply));
	end = reply + ((struct nlmsghdr *)reply)->nlmsg_len;
	for (nla = (struct nlattr *)(reply + NLMSG_LENGTH(GENL_HDRLEN)); (char *)nla < end;
	     nla = (struct nlattr *)((char *)nla + NLA_ALIGN(nla->nla_len)))
		if (nla->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, (char *)nla + NLA_HDRLEN, 2);
	if (!family)
		die("no %s", SMC_GENL_FAMILY_NAME);
	close(fd);

	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	snprintf(eid, sizeof(eid), "%-*s", SMC_MAX_EID_LEN, name);
	generic(fd, family, SMC_NETLINK_ADD_UEID, SMC_NLA_EID_TABLE_ENTRY, eid, sizeof(eid), reply,
		sizeof(reply));
}

static void send_all(int fd, const uint8_t *p, size_t len)
{
	ssize_t n;

	for (; len; p += n, len -= n) {
		n = send(fd, p, len, 0);
		if (n <= 0)
			die("send");
	}
}

static void serve(struct sockaddr_in *addr)
{
	int one = 1, fd = socket(AF_SMC, SOCK_STREAM, 0), peer;
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, (struct sockaddr *)addr, sizeof(*addr)) || listen(fd, 1))
		die("listen");
	peer = accept(fd, NULL, NULL);
	if (peer < 0)
		die("accept");
	while ((n = recv(peer, buf, sizeof(buf), 0)) > 0)
		send_all(peer, buf, n);
	if (n < 0)
		die("recv");
	close(peer);
}

static void use(struct sockaddr_in *addr, size_t total)
{
	int fd = socket(AF_SMC, SOCK_STREAM, 0);
	size_t done = 0, len, got, i;
	ssize_t n;

	if (fd < 0 || connect(fd, (struct sockaddr *)addr, sizeof(*addr)))
		die("connect");
	for (; done < total; done += len) {
		len = 1 + rand() % (rand() % 4 ? 2000 : BUF);
		for (i = 0; i < len; i++)
			buf[i] = rand();
		send_all(fd, buf, len);
		for (got = 0; got < len; got += n) {
			n = recv(fd, back + got, len - got, 0);
			if (n <= 0)
				die("recv");
		}
		if (memcmp(buf, back, len))
			die("other bytes come back, %zu at %zu", len, done);
	}
	close(fd);
	printf("%zu bytes\n", done);
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(PORT) };

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "eid")) {
		set_eid(argv[2]);
		return 0;
	}
	inet_pton(AF_INET, argv[2], &addr.sin_addr);
	if (!strcmp(argv[1], "server"))
		serve(&addr);
	else if (argc == 4)
		use(&addr, strtoull(argv[3], NULL, 0));
	return 0;
}
