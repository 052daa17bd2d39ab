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
	u32 num = 0;

	/* Soon there is room for a train and more. */
	if (refcount_read(&sk->sk_wmem_alloc) > SOFT_PATH_BYTES / 2)
		return;

	read_lock_bh(&sk->sk_callback_lock);
	path = sk->sk_user_data;
	if (path && test_and_clear_bit(PATH_STARVED, &path->flags))
		num = path->num;
	read_unlock_bh(&sk->sk_callback_lock);
	if (!num)
		return;

	/* The transport's locks may be held here. */
	qp = soft_qp_get(num);
	if (!qp)
		return;
	soft_qp_defer(qp);
	soft_qp_put(qp);
}

/* A socket to own the path's skbs. The namespace is @path->net. */
static int path_open(struct soft_path *path, sa_family_t family)
{
	struct sock *sk;
	int err;

	err = sock_create_kern(path->net, family, SOCK_DGRAM, IPPROTO_UDP, &path->sock);
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
 * soft_flow_read() - reads address attributes
 * @flow: to fill
 * @ah: the attributes; ohca_av_check() has passed them, the source GID is held
 *
 * Context: any.
 * Return: 0, -EINVAL or -ENODEV, as ohca_av_read().
 */
int soft_flow_read(struct soft_flow *flow, const struct rdma_ah_attr *ah)
{
	struct ohca_av av;
	int err;

	err = ohca_av_read(ah, &av);
	if (err)
		return err;
	flow->saddr = av.src.addr;
	flow->daddr = av.daddr;
	flow->ipv4 = av.src.ipv4;
	flow->tclass = av.tclass;
	flow->hop_limit = av.hop_limit;
	flow->priority = av.sl;
	flow->flow_label = av.flow_label;
	flow->ifindex = av.src.ifindex;
	return 0;
}

/* The device's namespace, with a reference if @path->held; or false: it has none now. */
static bool path_enter_net(struct soft_path *path, struct soft_dev *dev)
{
	rcu_read_lock();
	path->net = READ_ONCE(dev->net);
	if (path->net && path->held)
		path->net = maybe_get_net(path->net);
	rcu_read_unlock();
	return path->net;
}

static struct soft_path *path_alloc(struct soft_qp *qp)
{
	struct soft_path *path = kzalloc(sizeof(*path), GFP_KERNEL);

	if (!path)
		return NULL;
	path->ip_id = get_random_u16();
	path->sent = jiffies - HZ;
	path->num = qp->num;
	path->held = qp->ibqp.qp_type != IB_QPT_GSI;
	return path;
}

/**
 * soft_path_create() - makes the path of a connected QP of address attributes
 * @qp: the QP
 * @ah: the attributes; ohca_av_check() has passed them, the source GID is held
 * @dest_qpn: the peer's number
 *
 * Context: may sleep.
 * Return: the path or an ERR_PTR: -ENETDOWN (the device is in no namespace
 * now), -EINVAL, -ENODEV, -ENOMEM and what making a socket may return.
 */
struct soft_path *soft_path_create(struct soft_qp *qp, const struct rdma_ah_attr *ah, u32 dest_qpn)
{
	struct soft_path *path;
	int err;

	path = path_alloc(qp);
	if (!path)
		return ERR_PTR(-ENOMEM);
	err = soft_flow_read(&path->flow, ah);
	if (err)
		goto err_free;
	path->sport = htons(rdma_get_udp_sport(path->flow.flow_label, qp->ibqp.qp_num, dest_qpn));

	if (!path_enter_net(path, to_soft_dev(qp->ibqp.device))) {
		err = -ENETDOWN;
		goto err_free;
	}
	err = path_open(path, path->flow.ipv4 ? AF_INET : AF_INET6);
	if (err)
		goto err_open;

	path->gid = rdma_ah_read_grh(ah)->sgid_attr;
	rdma_hold_gid_attr(path->gid);
	return path;

err_open:
	put_net(path->net);
err_free:
	kfree(path);
	return ERR_PTR(err);
}

/**
 * soft_path_create_datagram() - makes the path of a datagram QP
 * @qp: the QP
 *
 * Its socket owns packets of both families, as IPv6 sockets may. The path of a GSI
 * QP is freed before the device leaves its namespace.
 *
 * Context: may sleep.
 * Return: the path or an ERR_PTR: as soft_path_create().
 */
struct soft_path *soft_path_create_datagram(struct soft_qp *qp)
{
	struct soft_path *path;
	int err;

	path = path_alloc(qp);
	if (!path)
		return ERR_PTR(-ENOMEM);
	if (!path_enter_net(path, to_soft_dev(qp->ibqp.device))) {
		kfree(path);
		return ERR_PTR(-ENETDOWN);
	}
	err = path_open(path, AF_INET6);
	if (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
		err = path_open(path, AF_INET);
	if (err) {
		if (path->held)
			put_net(path->net);
		kfree(path);
		return ERR_PTR(err);
	}
	return path;
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
	if (path->held)
		put_net(path->net);
	if (path->gid)
		rdma_put_gid_attr(path->gid);
	kfree(path);
}

/*
 * Routes go out of the source GID's netdev, as an adapter's port does. Own
 * addresses are the exception: they are reached over the loopback.
 */
static struct dst_entry *route4(const struct soft_flow *flow, struct soft_path *path, __be16 sport)
{
	struct flowi4 fl4 = {
		.saddr = flow->saddr.s6_addr32[3],
		.daddr = flow->daddr.s6_addr32[3],
		.flowi4_proto = IPPROTO_UDP,
		.fl4_sport = sport,
		.fl4_dport = htons(TP_ROCE_V2_PORT),
	};
	struct rtable *rt;

	ohca_flowi4_set_tos(&fl4, flow->tclass);
	if (inet_addr_type(path->net, fl4.daddr) != RTN_LOCAL)
		fl4.flowi4_oif = flow->ifindex;
	rt = ip_route_output_flow(path->net, &fl4, path->sock->sk);
	return IS_ERR(rt) ? ERR_CAST(rt) : &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route6(const struct soft_flow *flow, struct soft_path *path, __be16 sport)
{
	struct flowi6 fl6 = {
		.saddr = flow->saddr,
		.daddr = flow->daddr,
		.flowlabel = ip6_make_flowinfo(flow->tclass, htonl(flow->flow_label)),
		.flowi6_proto = IPPROTO_UDP,
		.fl6_sport = sport,
		.fl6_dport = htons(TP_ROCE_V2_PORT),
	};
	bool link_local = ipv6_addr_type(&flow->daddr) & IPV6_ADDR_LINKLOCAL;

	if (link_local || !ipv6_chk_addr(path->net, &flow->daddr, NULL, 0))
		fl6.flowi6_oif = flow->ifindex;
	return ip6_dst_lookup_flow(path->net, path->sock->sk, &fl6, NULL);
}
#else
static struct dst_entry *route6(const struct soft_flow *flow, struct soft_path *path, __be16 sport)
{
	return ERR_PTR(-EAFNOSUPPORT);
}
#endif

/**
 * soft_flow_route() - looks up the route of a flow
 * @flow: the flow
 * @path: whose socket sends
 * @sport: UDP source port
 *
 * Context: bottom halves off.
 * Return: the route with a reference, or an ERR_PTR.
 */
struct dst_entry *soft_flow_route(const struct soft_flow *flow, struct soft_path *path,
				  __be16 sport)
{
	struct dst_entry *dst;
	int err;

	dst = flow->ipv4 ? route4(flow, path, sport) : route6(flow, path, sport);
	if (IS_ERR(dst) || !dst->error)
		return dst;
	err = dst->error;
	dst_release(dst);
	return ERR_PTR(err);
}

/**
 * soft_path_route() - the route of a connected QP's path, as it is now
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

	dst = soft_flow_route(&path->flow, path, path->sport);
	if (IS_ERR(dst))
		return dst;
#if IS_ENABLED(CONFIG_IPV6)
	if (!path->flow.ipv4)
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
