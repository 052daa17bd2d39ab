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
	struct wire_frame *frame;

	if (wire->fd >= 0) {
		loop_del(wire->loop, wire->fd);
		close(wire->fd);
	}
	if (wire->listen_fd >= 0) {
		loop_del(wire->loop, wire->listen_fd);
		close(wire->listen_fd);
	}
	while ((frame = wire->head)) {
		wire->head = frame->next;
		free(frame);
	}
	wire->tail = NULL;
	wire->waiting = 0;
	free(wire->stream);
	wire->stream = NULL;
	wire->fd = -1;
	wire->listen_fd = -1;
	wire->ops = NULL;
}

static void send_waiting(void *arg)
{
	struct wire *wire = arg;
	struct wire_frame *frame;
	int ret;

	while ((frame = wire->head)) {
		ret = wire->ops->send(wire, frame->data, frame->len);
		if (ret == -EAGAIN)
			break;
		if (ret)
			wire->lost++;
		wire->head = frame->next;
		if (!wire->head)
			wire->tail = NULL;
		wire->waiting -= frame->len;
		free(frame);
	}
	if (!wire->head && wire->fd >= 0)
		loop_on_writable(wire->loop, wire->fd, NULL);
	if (wire->was_full && wire->waiting < WIRE_ROOM) {
		wire->was_full = false;
		wire->room(wire->arg);
	}
}

static bool queue_frame(struct wire *wire, const void *data, u32 len)
{
	struct wire_frame *frame;

	if (wire->fd < 0 || wire->waiting > WIRE_MOST)
		return false;
	frame = malloc(sizeof(*frame) + len);
	if (!frame)
		return false;
	frame->next = NULL;
	frame->len = len;
	memcpy(frame->data, data, len);
	if (wire->tail)
		wire->tail->next = frame;
	else
		wire->head = frame;
	wire->tail = frame;
	wire->waiting += len;
	loop_on_writable(wire->loop, wire->fd, send_waiting);
	return true;
}

void wire_send(struct wire *wire, const void *frame, u32 len)
{
	int ret = -EAGAIN;

	if (!wire->ops)
		return;
	wire->sent++;
	if (!wire->head)
		ret = wire->ops->send(wire, frame, len);
	if (ret && (ret != -EAGAIN || !queue_frame(wire, frame, len)))
		wire->lost++;
}

bool wire_full(struct wire *wire)
{
	if (wire->waiting < WIRE_FULL)
		return false;
	wire->was_full = true;
	return true;
}

void wire_help(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		printf("      %s:%s\n", kinds[i]->name, kinds[i]->help);
}
