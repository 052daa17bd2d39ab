// SPDX-License-Identifier: GPL-2.0
/*
 * The link, whatever it is made of.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kernel.h>

#include "log.h"
#include "wire.h"

static const struct wire_ops *const kinds[] = {
	&wire_dgram, &wire_udp, &wire_mcast, &wire_stream, &wire_packet,
};

int wire_open(struct wire *wire, struct loop *loop, const char *spec)
{
	const char *colon = strchr(spec, ':');
	size_t len = colon ? (size_t)(colon - spec) : strlen(spec);
	size_t i;
	int ret;

	wire->loop = loop;
	wire->fd = -1;
	wire->listen_fd = -1;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strlen(kinds[i]->name) != len || strncmp(kinds[i]->name, spec, len))
			continue;
		ret = kinds[i]->open(wire, colon ? colon + 1 : "");
		if (ret) {
			warn("wire %s: %s", spec, strerror(-ret));
			wire_close(wire);
			return ret;
		}
		wire->ops = kinds[i];
		return wire->fd < 0 ? 0 : loop_add(loop, wire->fd, wire->ops->readable, wire);
	}
	warn("wire %s: no such kind", spec);
	return -EINVAL;
}

void wire_close(struct wire *wire)
{
	if (wire->fd >= 0) {
		loop_del(wire->loop, wire->fd);
		close(wire->fd);
	}
	if (wire->listen_fd >= 0) {
		loop_del(wire->loop, wire->listen_fd);
		close(wire->listen_fd);
	}
	free(wire->stream);
	wire->stream = NULL;
	wire->fd = -1;
	wire->listen_fd = -1;
	wire->ops = NULL;
}

void wire_send(struct wire *wire, const void *frame, u32 len)
{
	if (!wire->ops)
		return;
	wire->sent++;
	wire->ops->send(wire, frame, len);
}

void wire_help(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("      %s:%s\n", kinds[i]->name, kinds[i]->help);
}
