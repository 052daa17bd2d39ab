/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels. They live here and nowhere else.
 */
#ifndef OHCA_COMPAT_H
#define OHCA_COMPAT_H

#include <linux/hmm.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/timecounter.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <net/flow.h>
#include <net/inet_dscp.h>
#include <net/udp_tunnel.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_umem_odp.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#ifndef CONFIG_64BIT
#error "OpenHCA needs a 64-bit kernel: 64-bit counters and atomics are read in one piece"
#endif

/* Pinning user memory: one call became a family when dma-bufs came to back queues too. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define ohca_umem_get(ibdev, addr, size, access) ib_umem_get_va(ibdev, addr, size, access)
#else
#define ohca_umem_get(ibdev, addr, size, access) ib_umem_get(ibdev, addr, size, access)
#endif

/*
 * On-demand paging for a device without DMA: how to ask for pages to be read or
 * written; and page @i of a umem, as a kernel virtual address, or NULL if it is not
 * there. Under umem_mutex. Newer kernels have one list of pages in place of two.
 */
#ifdef CONFIG_INFINIBAND_ON_DEMAND_PAGING
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
static inline u64 ohca_odp_mask(bool write)
{
	return write ? HMM_PFN_WRITE : HMM_PFN_VALID;
}

static inline void *ohca_odp_page(struct ib_umem_odp *umem, unsigned long i, bool *writable)
{
	unsigned long pfn = umem->map.pfn_list[i];

	*writable = pfn & HMM_PFN_WRITE;
	return pfn & HMM_PFN_VALID ? page_address(hmm_pfn_to_page(pfn)) : NULL;
}
#else
static inline u64 ohca_odp_mask(bool write)
{
	return ODP_READ_ALLOWED_BIT | (write ? ODP_WRITE_ALLOWED_BIT : 0);
}

static inline void *ohca_odp_page(struct ib_umem_odp *umem, unsigned long i, bool *writable)
{
	dma_addr_t addr = umem->dma_list[i];

	*writable = addr & ODP_WRITE_ALLOWED_BIT;
	return addr ? page_address(hmm_pfn_to_page(umem->pfn_list[i])) : NULL;
}
#endif
#endif

/* A namespace of symbols, as a string: older kernels want a word. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define OHCA_IMPORT_NS(ns)	MODULE_IMPORT_NS(ns)
#else
#define OHCA_IMPORT_NS(ns)	MODULE_INFO(import_ns, ns)
#endif

/* The iterator over a umem's blocks got a header of its own, in a stable release too. */
#ifdef __CHECKER__
#include <rdma/iter.h>
#elif __has_include(<rdma/iter.h>)
#include <rdma/iter.h>
#endif

/*
 * Where each device belongs to one network namespace (`rdma system set netns
 * exclusive`), it is born in that of its netdev; else in the initial one, and seen
 * in all. Older kernels know only the latter; who may see a device tells the mode.
 */
#ifdef ib_alloc_device_with_net
#define ohca_alloc_device(drv_struct, member, net) \
	ib_alloc_device_with_net(drv_struct, member, net)
#else
static inline void ohca_device_set_net(struct ib_device *ibdev, struct net *net)
{
	if (!rdma_dev_access_netns(ibdev, net))
		write_pnet(&ibdev->coredev.rdma_net, net);
}

#define ohca_alloc_device(drv_struct, member, net)					\
({											\
	struct drv_struct *__dev = ib_alloc_device(drv_struct, member);			\
											\
	if (__dev)									\
		ohca_device_set_net(&__dev->member, net);				\
	__dev;										\
})
#endif

/*
 * OHCA_DEFINE_REG_USER_MR() - defines @name, an ib_device_ops.reg_user_mr, as a
 * call of @fn (pd, start, length, iova, access, udata). Newer kernels hand a
 * DMA handle (TPH hints) down; a device without them refuses one.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define OHCA_DEFINE_REG_USER_MR(name, fn)						\
static struct ib_mr *name(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,	\
			  struct ib_dmah *dmah, struct ib_udata *udata)			\
{											\
	if (dmah)									\
		return ERR_PTR(-EOPNOTSUPP);						\
	return fn(pd, start, length, iova, access, udata);				\
}
#else
#define OHCA_DEFINE_REG_USER_MR(name, fn)						\
static struct ib_mr *name(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,	\
			  struct ib_udata *udata)					\
{											\
	return fn(pd, start, length, iova, access, udata);				\
}
#endif

/* OHCA_DEFINE_REG_USER_MR_DMABUF() - the same of ib_device_ops.reg_user_mr_dmabuf. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define OHCA_DEFINE_REG_USER_MR_DMABUF(name, fn)					\
static struct ib_mr *name(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,	\
			  int access, struct ib_dmah *dmah,				\
			  struct uverbs_attr_bundle *attrs)				\
{											\
	if (dmah)									\
		return ERR_PTR(-EOPNOTSUPP);						\
	return fn(pd, offset, length, iova, fd, access);				\
}
#else
#define OHCA_DEFINE_REG_USER_MR_DMABUF(name, fn)					\
static struct ib_mr *name(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,	\
			  int access, struct uverbs_attr_bundle *attrs)			\
{											\
	return fn(pd, offset, length, iova, fd, access);				\
}
#endif

/*
 * A program's CQ is made by an operation of its own in newer kernels. Resizing
 * one: the member of ib_device_ops, and OHCA_DEFINE_RESIZE_CQ() which
 * defines @name for it as a call of @fn (cq, unsigned int cqe, udata).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define OHCA_OP_CREATE_USER_CQ(fn)	.create_user_cq = fn,
#define OHCA_OP_RESIZE_CQ	resize_user_cq
#define OHCA_DEFINE_RESIZE_CQ(name, fn)							\
static int name(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata)		\
{											\
	return fn(cq, cqe, udata);							\
}
#else
#define OHCA_OP_CREATE_USER_CQ(fn)
#define OHCA_OP_RESIZE_CQ	resize_cq
#define OHCA_DEFINE_RESIZE_CQ(name, fn)							\
static int name(struct ib_cq *cq, int cqe, struct ib_udata *udata)			\
{											\
	return cqe < 0 ? -EINVAL : fn(cq, cqe, udata);					\
}
#endif

/*
 * Counters that QPs are bound to: newer kernels name the port, and may have the driver
 * keep something of its own in them.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define OHCA_DEFINE_COUNTER_BIND_QP(name, fn)						\
static int name(struct rdma_counter *counter, struct ib_qp *qp, u32 port)		\
{											\
	return fn(counter, qp);								\
}
#define OHCA_DEFINE_COUNTER_UNBIND_QP(name, fn)						\
static int name(struct ib_qp *qp, u32 port)						\
{											\
	return fn(qp);									\
}
struct ohca_counter {
	struct rdma_counter counter;
};

#define OHCA_OP_COUNTER_SIZE	INIT_RDMA_OBJ_SIZE(rdma_counter, ohca_counter, counter),
#else
#define OHCA_DEFINE_COUNTER_BIND_QP(name, fn)						\
static int name(struct rdma_counter *counter, struct ib_qp *qp)				\
{											\
	return fn(counter, qp);								\
}
#define OHCA_DEFINE_COUNTER_UNBIND_QP(name, fn)						\
static int name(struct ib_qp *qp)							\
{											\
	return fn(qp);									\
}
#define OHCA_OP_COUNTER_SIZE
#endif

/*
 * Port state events: newer kernels send them from IB core, once for each change,
 * and drivers call in for what IB core does not see (bonds, a second device).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define OHCA_CORE_PORT_EVENTS	1
#else
#define OHCA_CORE_PORT_EVENTS	0
static inline void ib_dispatch_port_state_event(struct ib_device *ibdev, struct net_device *ndev)
{
}
#endif

/* Timers. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif
#ifndef timer_container_of
#define timer_container_of(var, timer, field)	container_of(timer, typeof(*(var)), field)
#endif

/* The crc32 library uses the CPU's instructions; older kernels have them in the crypto API only. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define OHCA_CRC32_BY_CRYPTO	0
#else
#define OHCA_CRC32_BY_CRYPTO	IS_REACHABLE(CONFIG_CRYPTO)
#endif

/* What a cyclecounter's read function gets: itself, which it once could not change. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define ohca_cyclecounter_arg	struct cyclecounter
#else
#define ohca_cyclecounter_arg	const struct cyclecounter
#endif

/* UDP encapsulation sockets: struct socket or its struct sock. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define ohca_udp_tunnel_setup(net, sock, cfg)	setup_udp_tunnel_sock(net, (sock)->sk, cfg)
#define ohca_udp_tunnel_release(sock)		udp_tunnel_sock_release((sock)->sk)
#else
#define ohca_udp_tunnel_setup(net, sock, cfg)	setup_udp_tunnel_sock(net, sock, cfg)
#define ohca_udp_tunnel_release(sock)		udp_tunnel_sock_release(sock)
#endif

/* The DSCP part of an IPv4 flow: only it takes part in routing. */
static inline void ohca_flowi4_set_tos(struct flowi4 *fl4, u8 tos)
{
#ifdef flowi4_dscp
	fl4->flowi4_dscp = inet_dsfield_to_dscp(tos);
#else
	fl4->flowi4_tos = tos & INET_DSCP_MASK;
#endif
}

/* Whether a netdev sends without a queue lock: virtual ones do. */
static inline bool ohca_netdev_is_lltx(const struct net_device *dev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return dev->lltx;
#else
	return dev->features & NETIF_F_LLTX;
#endif
}

/* Tracepoints: newer kernels remember a string's source from its __string(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define ohca_assign_str(dst, src)	__assign_str(dst)
#else
#define ohca_assign_str(dst, src)	__assign_str(dst, src)
#endif

/* Work on any CPU: the queue got another name. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define ohca_unbound_wq	system_dfl_wq
#else
#define ohca_unbound_wq	system_unbound_wq
#endif

/* Work in bottom halves of the CPU that asks; older kernels have threads for it only. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define ohca_alloc_bh_workqueue(name)	alloc_workqueue("%s", WQ_BH | WQ_PERCPU, 0, name)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define ohca_alloc_bh_workqueue(name)	alloc_workqueue("%s", WQ_BH, 0, name)
#else
#define ohca_alloc_bh_workqueue(name)	alloc_workqueue("%s", WQ_HIGHPRI | WQ_MEM_RECLAIM, 0, name)
#endif

#endif /* OHCA_COMPAT_H */
