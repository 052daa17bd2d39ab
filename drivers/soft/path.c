// SPDX-License-Identifier: GPL-2.0
/*
 * Paths: from address attributes to the socket and the route that packets take.
 */
#include "wire.h"

#include <linux/net.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/sock.h>
#include <rdma/ib_cache.h>
#include <ohca/compat.h>
#include <ohca/gid.h>

#include "device.h"
#include "qp.h"

/* Called as each skb of the path is freed, by whoever frees it. */
static void path_write_space(struct sock *sk)
{
	struct soft_path *path;
	struct soft_qp *qp;
	u32 qpn = 0;

	/* Soon there is room for a train and more. */
	if (refcount_read(&sk->sk_wmem_alloc) > SOFT_PATH_BYTES / 2)
		return;

	read_lock_bh(&sk->sk_callback_lock);
	path = sk->sk_user_data;
	if (path && test_and_clear_bit(PATH_STARVED, &path->flags))
		qpn = path->qpn;
	read_unlock_bh(&sk->sk_callback_lock);
	if (!qpn)
		return;

	/* The transport's locks may be held here. */
	qp = soft_qp_get(qpn);
	if (!qp)
		return;
	soft_qp_defer(qp);
	soft_qp_put(qp);
}

/* A socket to own the path's skbs. The namespace is @path->net. */
static int path_open(struct soft_path *path)
{
	struct sock *sk;
	int err;

	err = sock_create_kern(path->net, path->ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM, IPPROTO_UDP,
			       &path->sock);
	if (err)
		return err;

	sk = path->sock->sk;
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = path;
	path->write_space = sk->sk_write_space;
	sk->sk_write_space = path_write_space;
	write_unlock_bh(&sk->sk_callback_lock);
	/* The hash of all its skbs: spreads flows over queues without looking into packets. */
	sk_set_txhash(sk);
	return 0;
}

/*
 * Skbs that are still on their way keep the struct sock. They don't find the path
 * any more, nor this module, which may go before them.
 */
static void path_close(struct soft_path *path)
{
	struct sock *sk = path->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = NULL;
	sk->sk_write_space = path->write_space;
	write_unlock_bh(&sk->sk_callback_lock);
	sock_release(path->sock);
}

/**
 * soft_path_create() - makes a path of address attributes
 * @dev: the device
 * @ah: the attributes; ohca_av_check() has passed them, the source GID is held
 * @qpn: the QP's number
 * @dest_qpn: the peer's
 *
 * Context: may sleep.
 * Return: the path or an ERR_PTR: -ENETDOWN (the device is in no namespace
 * now), -EINVAL, -ENODEV, -ENOMEM and what making a socket may return.
 */
struct soft_path *soft_path_create(struct soft_dev *dev, const struct rdma_ah_attr *ah, u32 qpn,
				   u32 dest_qpn)
{
	struct soft_path *path;
	struct ohca_av av;
	int err;

	err = ohca_av_read(ah, &av);
	if (err)
		return ERR_PTR(err);
	path = kzalloc(sizeof(*path), GFP_KERNEL);
	if (!path)
		return ERR_PTR(-ENOMEM);

	path->saddr = av.src.addr;
	path->daddr = av.daddr;
	path->ipv4 = av.src.ipv4;
	path->tclass = av.tclass;
	path->hop_limit = av.hop_limit;
	path->priority = av.sl;
	path->flow_label = av.flow_label;
	path->sport = htons(ohca_av_sport(&av, qpn, dest_qpn));
	path->ip_id = get_random_u16();
	path->ifindex = av.src.ifindex;
	path->qpn = qpn;

	rcu_read_lock();
	path->net = READ_ONCE(dev->net);
	if (path->net)
		path->net = maybe_get_net(path->net);
	rcu_read_unlock();
	if (!path->net) {
		err = -ENETDOWN;
		goto err_net;
	}
	err = path_open(path);
	if (err)
		goto err_open;

	path->gid = rdma_ah_read_grh(ah)->sgid_attr;
	rdma_hold_gid_attr(path->gid);
	return path;

err_open:
	put_net(path->net);
err_net:
	kfree(path);
	return ERR_PTR(err);
}

/**
 * soft_path_free() - frees a path
 * @path: the path, which nobody uses any more; NULL is fine
 *
 * Context: may sleep.
 */
void soft_path_free(struct soft_path *path)
{
	if (!path)
		return;
	path_close(path);
	put_net(path->net);
	rdma_put_gid_attr(path->gid);
	kfree(path);
}

/*
 * Routes go out of the source GID's netdev, as an adapter's port does. Own
 * addresses are the exception: they are reached over the loopback.
 */
static struct dst_entry *route4(struct soft_path *path)
{
	struct flowi4 fl4 = {
		.saddr = path->saddr.s6_addr32[3],
		.daddr = path->daddr.s6_addr32[3],
		.flowi4_proto = IPPROTO_UDP,
		.fl4_sport = path->sport,
		.fl4_dport = htons(TP_ROCE_V2_PORT),
	};
	struct rtable *rt;

	ohca_flowi4_set_tos(&fl4, path->tclass);
	if (inet_addr_type(path->net, fl4.daddr) != RTN_LOCAL)
		fl4.flowi4_oif = path->ifindex;
	rt = ip_route_output_flow(path->net, &fl4, path->sock->sk);
	return IS_ERR(rt) ? ERR_CAST(rt) : &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route6(struct soft_path *path)
{
	struct flowi6 fl6 = {
		.saddr = path->saddr,
		.daddr = path->daddr,
		.flowlabel = ip6_make_flowinfo(path->tclass, htonl(path->flow_label)),
		.flowi6_proto = IPPROTO_UDP,
		.fl6_sport = path->sport,
		.fl6_dport = htons(TP_ROCE_V2_PORT),
	};
	bool link_local = ipv6_addr_type(&path->daddr) & IPV6_ADDR_LINKLOCAL;

	if (link_local || !ipv6_chk_addr(path->net, &path->daddr, NULL, 0))
		fl6.flowi6_oif = path->ifindex;
	return ip6_dst_lookup_flow(path->net, path->sock->sk, &fl6, NULL);
}
#else
static struct dst_entry *route6(struct soft_path *path)
{
	return ERR_PTR(-EAFNOSUPPORT);
}
#endif

/**
 * soft_path_route() - the path's route, as it is now
 * @path: the path
 *
 * Context: bottom halves off.
 * Return: the route with a reference, or an ERR_PTR.
 */
struct dst_entry *soft_path_route(struct soft_path *path)
{
	struct sock *sk = path->sock->sk;
	struct dst_entry *dst;

	/*
	 * Requester and responder may both come here at once: a cookie that
	 * fits another route costs one more look-up.
	 */
	dst = sk_dst_check(sk, READ_ONCE(path->cookie));
	if (dst)
		return dst;

	dst = path->ipv4 ? route4(path) : route6(path);
	if (IS_ERR(dst))
		return dst;
	if (dst->error) {
		int err = dst->error;

		dst_release(dst);
		return ERR_PTR(err);
	}
#if IS_ENABLED(CONFIG_IPV6)
	if (!path->ipv4)
		WRITE_ONCE(path->cookie, rt6_get_cookie(dst_rt6_info(dst)));
#endif
	dst_hold(dst);
	sk_dst_set(sk, dst);
	return dst;
}

/**
 * soft_path_has_room() - whether the host's queues may take a further train
 * @path: the path
 *
 * If not, the QP is deferred when they may.
 *
 * Context: bottom halves off.
 * Return: whether they may.
 */
bool soft_path_has_room(struct soft_path *path)
{
	const struct sock *sk = path->sock->sk;

	if (likely(refcount_read(&sk->sk_wmem_alloc) <= SOFT_PATH_BYTES))
		return true;
	set_bit(PATH_STARVED, &path->flags);
	/* Skbs freed before the bit was seen did not wake the QP: look again. */
	smp_mb__after_atomic();
	return refcount_read(&sk->sk_wmem_alloc) <= SOFT_PATH_BYTES;
}
