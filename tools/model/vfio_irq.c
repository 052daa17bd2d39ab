// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts of the vfio-user server: eventfds that the client hands over.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <linux/vfio.h>

#include "log.h"
#include "vfio_proto.h"

static void drop_irqs(struct vfu *vfu, u32 start, u32 count)
{
	u32 i;

	for (i = start; i < start + count; i++) {
		if (vfu->irq[i].fd >= 0)
			close(vfu->irq[i].fd);
		vfu->irq[i] = (struct vfu_irq){ .fd = -1 };
	}
}

static void drop_other_irqs(struct vfu *vfu)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		if (vfu->other_fd[i] >= 0)
			close(vfu->other_fd[i]);
		vfu->other_fd[i] = -1;
	}
}

void vfu_drop_irqs(struct vfu *vfu)
{
	drop_irqs(vfu, 0, vfu->nr_irqs);
	drop_other_irqs(vfu);
}

int vfu_irq_info(struct vfu_req *req)
{
	struct vfio_irq_info *out;

	if (req->len < sizeof(*out))
		return -EINVAL;
	out = vfu_reply_body(req, sizeof(*out));
	if (out->index >= VFIO_PCI_NUM_IRQS)
		return -EINVAL;
	out->argsz = sizeof(*out);
	out->flags = 0;
	out->count = 0;
	if (out->index == VFIO_PCI_MSIX_IRQ_INDEX) {
		out->flags = VFIO_IRQ_INFO_EVENTFD;
		out->count = req->vfu->nr_irqs;
	} else if (out->index == VFIO_PCI_ERR_IRQ_INDEX || out->index == VFIO_PCI_REQ_IRQ_INDEX) {
		out->flags = VFIO_IRQ_INFO_EVENTFD;
		out->count = 1;
	}
	return 0;
}

static void unmask(struct vfu *vfu, u32 vector)
{
	vfu->irq[vector].masked = false;
	if (vfu->irq[vector].pending)
		vfu_raise(vfu, vector);
}

/* One vector of a SET_IRQS; @fd is the vector's now. */
static void set_irq(struct vfu *vfu, u32 flags, u32 vector, int fd, u8 value)
{
	switch (flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) {
	case VFIO_IRQ_SET_ACTION_MASK:
		if (value)
			vfu->irq[vector].masked = true;
		break;
	case VFIO_IRQ_SET_ACTION_UNMASK:
		if (value)
			unmask(vfu, vector);
		break;
	default:
		if (!(flags & VFIO_IRQ_SET_DATA_EVENTFD)) {
			if (value)
				vfu_raise(vfu, vector);
			break;
		}
		if (vfu->irq[vector].fd >= 0)
			close(vfu->irq[vector].fd);
		vfu->irq[vector].fd = fd;
		if (fd >= 0 && vfu->irq[vector].pending)
			vfu_raise(vfu, vector);
	}
}

/* The interrupts that tell the client of an error and ask it to let go: kept, never raised. */
static int set_other_irq(struct vfu_req *req, const struct vfio_irq_set *set)
{
	int *fd = &req->vfu->other_fd[set->index - VFIO_PCI_ERR_IRQ_INDEX];

	if (set->start || set->count > 1)
		return -EINVAL;
	if (!(set->flags & VFIO_IRQ_SET_ACTION_TRIGGER))
		return 0;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	if ((set->flags & VFIO_IRQ_SET_DATA_EVENTFD) && req->msg->nr_fds) {
		*fd = req->msg->fd[0];
		req->msg->fd[0] = -1;
	}
	return 0;
}

int vfu_set_irqs(struct vfu_req *req)
{
	struct vfu *vfu = req->vfu;
	struct vfio_irq_set set;
	const u8 *values;
	u32 i, vector;
	bool bools;
	int fd;

	if (req->len < sizeof(set))
		return -EINVAL;
	memcpy(&set, req->body, sizeof(set));
	values = req->body + sizeof(set);
	if (set.index == VFIO_PCI_ERR_IRQ_INDEX || set.index == VFIO_PCI_REQ_IRQ_INDEX)
		return set_other_irq(req, &set);
	if (set.index != VFIO_PCI_MSIX_IRQ_INDEX)
		return set.count || set.index >= VFIO_PCI_NUM_IRQS ? -EINVAL : 0;
	if (set.start > vfu->nr_irqs || set.count > vfu->nr_irqs - set.start)
		return -EINVAL;
	bools = set.flags & VFIO_IRQ_SET_DATA_BOOL;
	if (bools && set.count > req->len - sizeof(set))
		return -EINVAL;
	if ((set.flags & VFIO_IRQ_SET_DATA_EVENTFD) && req->msg->nr_fds &&
	    req->msg->nr_fds < set.count)
		return -EINVAL;
	if (!set.count && (set.flags & VFIO_IRQ_SET_DATA_NONE) &&
	    (set.flags & VFIO_IRQ_SET_ACTION_TRIGGER)) {
		drop_irqs(vfu, 0, vfu->nr_irqs);
		return 0;
	}
	for (i = 0; i < set.count; i++) {
		vector = set.start + i;
		fd = -1;
		if ((set.flags & VFIO_IRQ_SET_DATA_EVENTFD) &&
		    (set.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) == VFIO_IRQ_SET_ACTION_TRIGGER &&
		    i < req->msg->nr_fds) {
			fd = req->msg->fd[i];
			req->msg->fd[i] = -1;
		}
		set_irq(vfu, set.flags, vector, fd, bools ? values[i] : 1);
	}
	return 0;
}

void vfu_raise(struct vfu *vfu, u32 vector)
{
	static const u64 one = 1;
	struct pollfd pfd = { .events = POLLOUT };
	struct vfu_irq *irq;

	if (vector >= vfu->nr_irqs)
		return;
	irq = &vfu->irq[vector];
	irq->pending = true;
	if (irq->masked || irq->fd < 0)
		return;
	/* The descriptor is the client's: it may be anything, and block. */
	pfd.fd = irq->fd;
	if (poll(&pfd, 1, 0) != 1 || !(pfd.revents & POLLOUT))
		return;
	if (write(irq->fd, &one, sizeof(one)) == sizeof(one)) {
		irq->pending = false;
		vfu->irqs_raised++;
	}
}
