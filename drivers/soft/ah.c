// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles. A send WR names one by its number, which a program can forge:
 * the number is looked up, and the protection domain compared, for each WR.
 */
#include "ah.h"

#include <linux/slab.h>
#include <net/ip6_fib.h>
#include <net/route.h>
#include <rdma/ib_addr.h>
#include <rdma/rdma_user_rxe.h>
#include <ohca/gid.h>

#include "device.h"

static void free_dest(struct soft_dest *dest)
{
	if (dest->cached)
		dst_cache_destroy(&dest->cache);
	kfree(dest);
}

static void free_dest_rcu(struct rcu_head *rcu)
{
	free_dest(container_of(rcu, struct soft_dest, rcu));
}

/*
 * Who may not sleep makes an AH for a message or two (the connection manager): it
 * has no route kept for it.
 */
static struct soft_dest *make_dest(struct ib_ah *ibah, const struct rdma_ah_attr *attr, gfp_t gfp)
{
	struct soft_dev *dev = to_soft_dev(ibah->device);
	struct soft_dest *dest;
	int err;

	dest = kzalloc(sizeof(*dest), gfp);
	if (!dest)
		return ERR_PTR(-ENOMEM);
	dest->pd = ibah->pd;
	dest->moves = READ_ONCE(dev->moves);
	err = soft_flow_read(&dest->flow, attr);
	if (err) {
		kfree(dest);
		return ERR_PTR(err);
	}
	dest->multicast = rdma_is_multicast_addr(&dest->flow.daddr);
	dest->cached = gfpflags_allow_blocking(gfp) && !dst_cache_init(&dest->cache, gfp);
	return dest;
}

/* Interrupts may be off, or somebody who has them on may be interrupted. */
static int give_number(struct soft_dev *dev, struct soft_ah *ah, gfp_t gfp)
{
	struct xa_limit limit = XA_LIMIT(1, SOFT_MAX_AH);
	unsigned long flags;
	int err;

	if (gfpflags_allow_blocking(gfp)) {
		err = xa_alloc_cyclic_irq(&dev->ahs, &ah->num, ah->dest, limit, &dev->next_ah,
					  gfp);
	} else {
		xa_lock_irqsave(&dev->ahs, flags);
		err = __xa_alloc_cyclic(&dev->ahs, &ah->num, ah->dest, limit, &dev->next_ah, gfp);
		xa_unlock_irqrestore(&dev->ahs, flags);
	}
	return min(err, 0);
}

static void take_number(struct soft_dev *dev, u32 num)
{
	unsigned long flags;

	xa_lock_irqsave(&dev->ahs, flags);
	__xa_erase(&dev->ahs, num);
	xa_unlock_irqrestore(&dev->ahs, flags);
}

/**
 * soft_create_ah() - ib_device_ops.create_ah and .create_user_ah
 * @ibah: the AH
 * @init: its attributes; IB core has resolved the source GID
 * @udata: of the system call, or NULL for a kernel consumer
 *
 * Context: may sleep if @init says so.
 * Return: 0; -EINVAL: attributes; -ENODEV; -ENOMEM; -EBUSY: no number is free; -EFAULT.
 */
int soft_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL : GFP_ATOMIC;
	struct soft_dev *dev = to_soft_dev(ibah->device);
	struct rxe_create_ah_resp resp = {};
	struct soft_ah *ah = to_soft_ah(ibah);
	int err;

	/* Without the number a library would have to make the address vector itself. */
	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;
	err = ohca_av_check(ibah->device, IB_QPT_UD, init->ah_attr);
	if (err)
		return err;

	ah->dest = make_dest(ibah, init->ah_attr, gfp);
	if (IS_ERR(ah->dest))
		return PTR_ERR(ah->dest);
	err = give_number(dev, ah, gfp);
	if (err) {
		free_dest(ah->dest);
		return err;
	}
	resp.ah_num = ah->num;
	if (udata && ib_copy_to_udata(udata, &resp, sizeof(resp))) {
		soft_destroy_ah(ibah, RDMA_DESTROY_AH_SLEEPABLE);
		return -EFAULT;
	}
	ah->attr = *init->ah_attr;
	return 0;
}

/* ib_device_ops.query_ah; what belongs to the caller of create_ah stays out. */
int soft_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_soft_ah(ibah)->attr;
	attr->grh.sgid_attr = NULL;
	return 0;
}

/**
 * soft_destroy_ah() - ib_device_ops.destroy_ah
 * @ibah: the AH
 * @flags: RDMA_DESTROY_AH_SLEEPABLE or not
 *
 * Context: any. A sender may still be using what the number stood for.
 * Return: 0.
 */
int soft_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct soft_ah *ah = to_soft_ah(ibah);

	take_number(to_soft_dev(ibah->device), ah->num);
	call_rcu(&ah->dest->rcu, free_dest_rcu);
	return 0;
}

/**
 * soft_ah_find() - where an AH's datagrams go
 * @dev: the device
 * @num: the AH's number
 *
 * Context: RCU held.
 * Return: the destination, or NULL: there is no such AH, or it is of a namespace
 * that the netdev has left.
 */
struct soft_dest *soft_ah_find(struct soft_dev *dev, u32 num)
{
	struct soft_dest *dest = xa_load(&dev->ahs, num);

	return dest && dest->moves == READ_ONCE(dev->moves) ? dest : NULL;
}

/**
 * soft_ah_check() - whether a send WR may use an AH
 * @dev: the device
 * @pd: the QP's protection domain
 * @num: the AH's number
 *
 * Context: any.
 * Return: whether there is such an AH, of that protection domain (IBA 10.2.2.2).
 */
bool soft_ah_check(struct soft_dev *dev, const struct ib_pd *pd, u32 num)
{
	const struct soft_dest *dest;
	bool good;

	rcu_read_lock();
	dest = xa_load(&dev->ahs, num);
	good = dest && dest->pd == pd;
	rcu_read_unlock();
	return good;
}

/**
 * soft_ah_route() - the route to a destination, as it is now
 * @dest: the destination
 * @path: of the QP that sends
 * @sport: UDP source port
 *
 * Context: bottom halves off, RCU held.
 * Return: the route with a reference, or an ERR_PTR.
 */
struct dst_entry *soft_ah_route(struct soft_dest *dest, struct soft_path *path, __be16 sport)
{
	struct dst_entry *dst = NULL;
	struct in6_addr saddr;

	if (dest->cached)
		dst = dst_cache_get(&dest->cache);
	if (dst)
		return dst;
	dst = soft_flow_route(&dest->flow, path, sport);
	if (IS_ERR(dst) || !dest->cached)
		return dst;
	saddr = dest->flow.saddr;
	if (dest->flow.ipv4)
		dst_cache_set_ip4(&dest->cache, dst, saddr.s6_addr32[3]);
#if IS_ENABLED(CONFIG_IPV6)
	else
		dst_cache_set_ip6(&dest->cache, dst, &saddr);
#endif
	return dst;
}
