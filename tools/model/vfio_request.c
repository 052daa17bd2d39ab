// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of the vfio-user client: one function each, and the table of them. A
 * request's sizes are checked against what came before anything is looked at.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/vfio.h>

#include "log.h"
#include "vfio_proto.h"

void *vfu_reply_body(struct vfu_req *req, u32 len)
{
	u8 *body = req->reply + sizeof(struct vfu_hdr);

	memset(body, 0, len);
	memcpy(body, req->body, len < req->len ? len : req->len);
	req->reply_len = len;
	return body;
}

static int do_version(struct vfu_req *req)
{
	static const char caps[] = "{\"capabilities\":{"
		"\"max_msg_fds\":8,\"max_data_xfer_size\":65536,"
		"\"pgsizes\":4096,\"max_dma_maps\":65535}}";
	u16 major, minor;
	u8 *body;

	if (req->len < 4)
		return -EINVAL;
	memcpy(&major, req->body, 2);
	memcpy(&minor, req->body + 2, 2);
	if (major != 0)
		return -ENOTSUP;
	body = vfu_reply_body(req, 4 + sizeof(caps));
	minor = minor > 1 ? 1 : minor;
	memset(body, 0, 2);
	memcpy(body + 2, &minor, 2);
	memcpy(body + 4, caps, sizeof(caps));
	req->vfu->versioned = true;
	return 0;
}

static int do_dma_map(struct vfu_req *req)
{
	struct vfu_dma_map map;
	u32 flags = 0;
	int fd = -1;

	if (req->len < sizeof(map))
		return -EINVAL;
	memcpy(&map, req->body, sizeof(map));
	if (map.flags & VFIO_DMA_MAP_FLAG_READ)
		flags |= DMA_READABLE;
	if (map.flags & VFIO_DMA_MAP_FLAG_WRITE)
		flags |= DMA_WRITABLE;
	if (req->msg->nr_fds)
		fd = req->msg->fd[0];
	trace("dma map 0x%llx + 0x%llx, flags %x%s", (unsigned long long)map.iova,
	      (unsigned long long)map.size, flags, fd < 0 ? ", no file" : "");
	return dma_map(req->vfu->dma, map.iova, map.size, map.offset, fd, flags);
}

static int do_dma_unmap(struct vfu_req *req)
{
	struct vfu_dma_unmap unmap;

	if (req->len < sizeof(unmap))
		return -EINVAL;
	memcpy(&unmap, req->body, sizeof(unmap));
	trace("dma unmap 0x%llx + 0x%llx", (unsigned long long)unmap.iova,
	      (unsigned long long)unmap.size);
	if (unmap.flags & VFIO_DMA_UNMAP_FLAG_ALL)
		dma_unmap_all(req->vfu->dma);
	else
		dma_unmap(req->vfu->dma, unmap.iova, unmap.size);
	vfu_reply_body(req, sizeof(unmap));
	return 0;
}

static int do_get_info(struct vfu_req *req)
{
	u32 *out;

	if (req->len < 16)
		return -EINVAL;
	out = vfu_reply_body(req, 16);
	out[0] = 16;
	out[1] = VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI;
	out[2] = VFIO_PCI_NUM_REGIONS;
	out[3] = VFIO_PCI_NUM_IRQS;
	return 0;
}

static int do_region_info(struct vfu_req *req)
{
	struct vfio_region_info *out;
	u64 size;

	if (req->len < sizeof(*out))
		return -EINVAL;
	out = vfu_reply_body(req, sizeof(*out));
	if (out->index >= VFIO_PCI_NUM_REGIONS)
		return -EINVAL;
	size = req->vfu->ops->region_size(req->vfu->ops->arg, out->index);
	out->argsz = sizeof(*out);
	out->flags = size ? VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE : 0;
	out->cap_offset = 0;
	out->size = size;
	out->offset = 0;
	return 0;
}

static int region_access(struct vfu_req *req, struct vfu_access *a, bool write)
{
	struct vfu *vfu = req->vfu;
	u64 size;

	if (req->len < sizeof(*a))
		return -EINVAL;
	memcpy(a, req->body, sizeof(*a));
	if (a->region >= VFIO_PCI_NUM_REGIONS || a->count > VFU_MAX_XFER)
		return -EINVAL;
	size = vfu->ops->region_size(vfu->ops->arg, a->region);
	if (a->offset > size || a->count > size - a->offset)
		return -EINVAL;
	if (write && a->count > req->len - sizeof(*a))
		return -EINVAL;
	return 0;
}

static int do_region_read(struct vfu_req *req)
{
	struct vfu_access a;
	int ret = region_access(req, &a, false);
	u8 *out;

	if (ret)
		return ret;
	out = vfu_reply_body(req, (u32)sizeof(a) + a.count);
	memset(out + sizeof(a), 0, a.count);
	return req->vfu->ops->access(req->vfu->ops->arg, a.region, a.offset, out + sizeof(a),
				     a.count, false);
}

static int do_region_write(struct vfu_req *req)
{
	struct vfu_access a;
	int ret = region_access(req, &a, true);

	if (ret)
		return ret;
	ret = req->vfu->ops->access(req->vfu->ops->arg, a.region, a.offset,
				    (u8 *)req->body + sizeof(a), a.count, true);
	vfu_reply_body(req, sizeof(a));
	return ret;
}

static int do_reset(struct vfu_req *req)
{
	req->vfu->ops->reset(req->vfu->ops->arg);
	return 0;
}

static int (*const commands[VFU_NR_COMMANDS])(struct vfu_req *req) = {
	[VFU_VERSION]		= do_version,
	[VFU_DMA_MAP]		= do_dma_map,
	[VFU_DMA_UNMAP]		= do_dma_unmap,
	[VFU_GET_INFO]		= do_get_info,
	[VFU_GET_REGION_INFO]	= do_region_info,
	[VFU_GET_IRQ_INFO]	= vfu_irq_info,
	[VFU_SET_IRQS]		= vfu_set_irqs,
	[VFU_REGION_READ]	= do_region_read,
	[VFU_REGION_WRITE]	= do_region_write,
	[VFU_DEVICE_RESET]	= do_reset,
};

int vfu_do_request(struct vfu_req *req)
{
	if (!req->vfu->versioned && req->hdr.command != VFU_VERSION)
		return -EPROTO;
	if (req->hdr.command >= VFU_NR_COMMANDS || !commands[req->hdr.command])
		return -ENOTSUP;
	return commands[req->hdr.command](req);
}
