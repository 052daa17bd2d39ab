/* SPDX-License-Identifier: GPL-2.0 */
/* The link: Ethernet frames out and in. */
#ifndef OHCA_MODEL_WIRE_H
#define OHCA_MODEL_WIRE_H

#include <linux/types.h>
#include <sys/socket.h>

#include "loop.h"

#define WIRE_MAX_FRAME	65536u

struct wire;

/* A kind of wire: sends one frame; reads what has come and hands it to wire->receive. */
struct wire_ops {
	const char *name;
	const char *help;
	int (*open)(struct wire *wire, const char *arg);
	void (*send)(struct wire *wire, const void *frame, u32 len);
	void (*readable)(void *arg);
};

/**
 * struct wire - the link
 * @ops: its kind; NULL: no cable
 * @loop: runs it
 * @fd: socket
 * @listen_fd: socket that the peer connects to
 * @peer: where frames go
 * @peer_len: bytes of @peer
 * @receive: a frame has come
 * @arg: argument of @receive
 * @stream: what has come of a frame that is not whole
 * @stream_len: bytes of it
 * @sent: frames
 * @lost: frames that could not be sent
 */
struct wire {
	const struct wire_ops *ops;
	struct loop *loop;
	int fd;
	int listen_fd;
	struct sockaddr_storage peer;
	socklen_t peer_len;
	void (*receive)(void *arg, const void *frame, u32 len);
	void *arg;
	u8 *stream;
	u32 stream_len;
	u64 sent;
	u64 lost;
};

/* @spec: "KIND:ARGUMENT". 0, or -errno with a word on stderr. */
int wire_open(struct wire *wire, struct loop *loop, const char *spec);
void wire_close(struct wire *wire);
void wire_send(struct wire *wire, const void *frame, u32 len);
void wire_help(void);

static inline bool wire_present(const struct wire *wire)
{
	return wire->ops;
}

extern const struct wire_ops wire_dgram, wire_udp, wire_mcast, wire_stream, wire_packet;

#endif /* OHCA_MODEL_WIRE_H */
