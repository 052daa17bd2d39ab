/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The software device: an ib_device over a netdev.
 */
#ifndef OHCA_SOFT_DEVICE_H
#define OHCA_SOFT_DEVICE_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <ohca/port.h>

#include "packet.h"
#include "pma.h"

struct soft_wire;
struct soft_stats;

/* What query_device says, and create_* holds to. */
#define SOFT_MAX_QP		65536
#define SOFT_MAX_QP_WR		32767
#define SOFT_MAX_SGE		32
#define SOFT_MAX_SRQ		65536
#define SOFT_MAX_SRQ_WR		32767
#define SOFT_MAX_INLINE		512
#define SOFT_MAX_CQ		65536
#define SOFT_MAX_CQE		131071
#define SOFT_MAX_PD		65536
#define SOFT_MAX_MR		0xfffff0
#define SOFT_MAX_MW		65536
#define SOFT_MAX_FAST_REG	1024
#define SOFT_MAX_RD_ATOMIC	128
#define SOFT_MAX_AH		0xfffff
#define SOFT_MAX_MCAST_GRP	1024
#define SOFT_MAX_MCAST_QP	64
#define SOFT_GID_TBL_LEN	256
/* Numbers of memory keys, of which regions and windows have one each. */
#define SOFT_MAX_KEY		0xffffff
#define SOFT_DEFAULT_PKEY	0xffff
/* 4.096 us * 2^15 = 134 ms: a busy host answers within that. */
#define SOFT_ACK_DELAY		15

#define SOFT_VERSION_MAJOR	1
#define SOFT_VERSION_MINOR	0
#define SOFT_VERSION_PATCH	0

/**
 * struct soft_dev - a software device
 * @ibdev: what IB core sees; its port 1 is the netdev (ib_device_get_netdev())
 * @net: the namespace whose addresses and sockets the device uses: its
 *       netdev's; NULL while the netdev moves to another one
 * @wire: the namespace's UDP sockets, shared by its devices; see wire.h. NULL
 *        while @net is, or if the sockets could not be had
 * @keys: memory keys, by number: struct soft_key; entries are freed by RCU
 * @key_lock: of the state of keys and the bindings of windows; bottom halves off;
 *            nests inside the transport's locks
 * @next_key: where the search for a free key goes on; under @keys' lock
 * @key_variant: low byte of the next key, so that a stale key is found out
 * @qp_serial: of the QP that was made last; see soft_qp.serial
 * @nr_pd: PDs there are
 * @nr_cq: CQs there are
 * @nr_qp: QPs there are
 * @nr_srq: SRQs there are
 * @nr_mr: regions there are
 * @nr_mw: windows there are
 * @nr_grp: multicast groups that QPs are attached to
 * @ahs: struct soft_dest by an AH's number; interrupts off; entries are freed by RCU
 * @next_ah: where the search for a free number goes on
 * @gids: addresses (gid.c); changed by IB core's calls, one at a time, read under RCU
 * @gsi: number of the GSI QP, or 0
 * @stats: counters
 * @pma: what a performance manager has set of them
 * @ndev: the netdev, with a reference (@ndev_tracker); NULL once it has gone
 * @ndev_tracker: see @ndev
 * @port: the port's state, for events
 * @qps: QPs of the device, by soft_qp.dev_node; under @qps_lock
 * @qps_lock: see @qps
 * @moves: counts the namespaces that the netdev left
 * @node: in netdev.c's list of devices
 * @registered: IB core knows the device; under netdev.c's lock, as the next ones
 * @gone: the netdev went while the device was being registered
 * @dead: dealloc_driver has run: only the memory is left
 *
 * Lives from ib_alloc_device() to ib_dealloc_device() by IB core's own count:
 * every object of a device is gone before the device is. The memory lives on
 * until netdev.c gives back the reference that its list holds.
 *
 * @net and @wire are read with READ_ONCE() by what runs under soft_enter(), and
 * change with synchronize_net() between taking them away and putting them.
 */
struct soft_dev {
	struct ib_device ibdev;
	struct net *net;
	struct soft_wire *wire;
	struct xarray keys;
	spinlock_t key_lock;	/* see @key_lock */
	u32 next_key;
	atomic_t key_variant;
	atomic64_t qp_serial;
	atomic_t nr_pd;
	atomic_t nr_cq;
	atomic_t nr_qp;
	atomic_t nr_srq;
	atomic_t nr_mr;
	atomic_t nr_mw;
	atomic_t nr_grp;
	struct xarray ahs;
	u32 next_ah;
	struct list_head gids;
	u32 gsi;
	struct soft_stats *stats;
	struct soft_pma pma;
	struct net_device __rcu *ndev;
	netdevice_tracker ndev_tracker;
	struct ohca_port port;
	struct list_head qps;
	spinlock_t qps_lock;	/* see @qps_lock */
	u32 moves;
	struct list_head node;
	bool registered;
	bool gone;
	bool dead;
};

static inline struct soft_dev *to_soft_dev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct soft_dev, ibdev);
}

/* One object more of a kind, if there are fewer than @max; the end of one is atomic_dec(). */
static inline bool soft_count_up(atomic_t *count, int max)
{
	if (atomic_inc_return(count) <= max)
		return true;
	atomic_dec(count);
	return false;
}

/* device.c */
struct soft_dev *soft_device_alloc(struct net_device *ndev);
int soft_device_register(struct soft_dev *dev, const char *name);

/* netdev.c: which devices there are, and what becomes of them with their netdevs. */
int soft_netdev_add(const char *name, struct net_device *ndev);
int soft_netdev_init(void);
void soft_netdev_exit(void);
struct net_device *soft_get_netdev(struct ib_device *ibdev, u32 port);
void soft_netdev_release(struct soft_dev *dev);
const struct soft_dev *soft_dev_by_gid(const struct net *net, const struct in6_addr *addr);
void soft_dev_count_drop(struct net_device *ndev, enum tp_drop why);

/* pd.c */
struct soft_pd {
	struct ib_pd ibpd;
};

struct soft_ucontext {
	struct ib_ucontext ibuctx;
};

int soft_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata);
void soft_dealloc_ucontext(struct ib_ucontext *uctx);
void soft_disassociate_ucontext(struct ib_ucontext *uctx);
int soft_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int soft_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

#endif /* OHCA_SOFT_DEVICE_H */
