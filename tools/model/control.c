// SPDX-License-Identifier: GPL-2.0
/*
 * The control socket: a UNIX stream of lines, one client at a time. A client that
 * sends a line longer than any, or does not read, is hung up on.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"
#include "hca.h"

#define ANSWER_ROOM	2048u

static void hang_up(struct control *control)
{
	if (control->fd < 0)
		return;
	loop_del(&control->hca->loop, control->fd);
	close(control->fd);
	control->fd = -1;
	control->got = 0;
}

/* One line, without its end; false: the client is not to be had any more. */
static bool answer(struct control *control, const char *line)
{
	char text[ANSWER_ROOM];
	size_t len;

	fault_line(control->hca, line, text, sizeof(text));
	len = strlen(text);
	return send(control->fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}

static void readable(void *arg)
{
	struct control *control = arg;
	char *end;
	ssize_t n;
	u32 len;

	n = recv(control->fd, control->line + control->got, CONTROL_LINE - control->got,
		 MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(control);
		return;
	}
	control->got += (u32)n;
	while ((end = memchr(control->line, '\n', control->got))) {
		*end = 0;
		if (!answer(control, control->line)) {
			hang_up(control);
			return;
		}
		len = (u32)(end + 1 - control->line);
		memmove(control->line, end + 1, control->got - len);
		control->got -= len;
	}
	if (control->got == CONTROL_LINE)
		hang_up(control);
}

static void comes(void *arg)
{
	struct control *control = arg;
	int fd = accept4(control->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	/* The newest is the one that is meant. */
	hang_up(control);
	control->fd = fd;
	if (loop_add(&control->hca->loop, fd, readable, control))
		hang_up(control);
}

int control_open(struct control *control, struct hca *hca, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, ret;

	control->hca = hca;
	control->fd = -1;
	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(path);
	ret = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1) ? -errno : 0;
	ret = ret ?: loop_add(&hca->loop, fd, comes, control);
	if (ret) {
		close(fd);
		return ret;
	}
	control->listen_fd = fd;
	return 0;
}

void control_close(struct control *control)
{
	if (control->listen_fd < 0)
		return;
	hang_up(control);
	loop_del(&control->hca->loop, control->listen_fd);
	close(control->listen_fd);
	control->listen_fd = -1;
}
