/* SPDX-License-Identifier: GPL-2.0 */
/* The control socket: a line in, an answer out. */
#ifndef OHCA_MODEL_CONTROL_H
#define OHCA_MODEL_CONTROL_H

#include <linux/types.h>

#include "loop.h"

#define CONTROL_LINE	128u

struct hca;

/**
 * struct control - the control socket
 * @hca: what it controls
 * @listen_fd: where clients come; -1: there is none
 * @fd: the one client; -1: none
 * @line: what has come of a line
 * @got: bytes of it
 */
struct control {
	struct hca *hca;
	int listen_fd;
	int fd;
	char line[CONTROL_LINE];
	u32 got;
};

/* Listens at @path; 0 or -errno. */
int control_open(struct control *control, struct hca *hca, const char *path);
void control_close(struct control *control);

#endif /* OHCA_MODEL_CONTROL_H */
