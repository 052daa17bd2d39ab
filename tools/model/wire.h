/* SPDX-License-Identifier: GPL-2.0 */
/* The link: Ethernet frames out and in. */
#ifndef OHCA_MODEL_WIRE_H
#define OHCA_MODEL_WIRE_H

#include <linux/types.h>
#include <sys/socket.h>

#include "loop.h"

#define WIRE_MAX_FRAME	65536u
/* Bytes that wait to be sent: above the first it is full, below the second there is room again. */
#define WIRE_FULL	(512u << 10)
#define WIRE_ROOM	(128u << 10)
/* What is sent all the same is lost beyond this. */
#define WIRE_MOST	(8u << 20)

struct wire;

/* A frame that waits. */
struct wire_frame {
	struct wire_frame *next;
	u32 len;
	u8 data[];
};

/*
 * A kind of wire. @send: one frame; 0, -EAGAIN or another -errno. @readable: reads what
 * has come and hands it to wire->receive.
 */
struct wire_ops {
	const char *name;
	const char *help;
	int (*open)(struct wire *wire, const char *arg);
	int (*send)(struct wire *wire, const void *frame, u32 len);
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
 * @arg: argument of @receive and @room
 * @connected: @fd knows where frames go
 * @room: the wire was full, and is not any more
 * @head: frames that wait
 * @tail: the last of them
 * @waiting: their bytes
 * @was_full: somebody was told so
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
	bool connected;
	void (*room)(void *arg);
	struct wire_frame *head;
	struct wire_frame *tail;
	u32 waiting;
	bool was_full;
	u8 *stream;
	u32 stream_len;
	u64 sent;
	u64 lost;
};

/* @spec: "KIND:ARGUMENT". 0, or -errno with a word on stderr. */
int wire_open(struct wire *wire, struct loop *loop, const char *spec);
void wire_close(struct wire *wire);
void wire_send(struct wire *wire, const void *frame, u32 len);
/* Whether it is better to wait; wire->room() tells when it no longer is. */
bool wire_full(struct wire *wire);
void wire_help(void);

static inline bool wire_present(const struct wire *wire)
{
	return wire->ops;
}

extern const struct wire_ops wire_dgram, wire_udp, wire_mcast, wire_stream, wire_packet;

#endif /* OHCA_MODEL_WIRE_H */
