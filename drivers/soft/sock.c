// SPDX-License-Identifier: GPL-2.0
/*
 * The receiving side of a network namespace: a UDP socket for each family, on
 * the RoCE v2 port, and a netfilter hook in front of them.
 *
 * The socket holds the port, and its encap_rcv takes packets in. But UDP cuts a
 * GSO skb up before it shows it to encap_rcv, which costs more than everything
 * that follows. So a hook behind all other LOCAL_IN hooks, and thus behind
 * every filter rule, takes the packets first, whole. What the hook leaves
 * alone, or a kernel without netfilter, comes through the socket.
 */
#include "wire.h"

#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/udp_tunnel.h>
#include <net/xfrm.h>
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
#include <net/netfilter/nf_conntrack.h>
#endif
#include <ohca/compat.h>

#include "packet.h"

/**
 * struct soft_wire - the sockets of a namespace
 * @node: in soft_wires
 * @net: the namespace; not held: devices leave it before it goes
 * @users: devices in the namespace; under soft_wires_lock
 * @sock4: IPv4 socket
 * @sock6: IPv6 socket, or NULL on a host without IPv6
 */
struct soft_wire {
	struct list_head node;
	struct net *net;
	unsigned int users;
	struct socket *sock4;
	struct socket *sock6;
};

static LIST_HEAD(soft_wires);
static DEFINE_MUTEX(soft_wires_lock);

/* The socket's way in: the skb begins with the UDP header. */
static int wire_encap_rcv(struct sock *sk, struct sk_buff *skb)
{
	soft_wire_receive(skb);
	return 0;
}

static struct socket *wire_open(struct net *net, sa_family_t family)
{
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(TP_ROCE_V2_PORT),
		.ipv6_v6only = family == AF_INET6,
	};
	struct udp_tunnel_sock_cfg cfg = {
		.encap_type = 1,
		.encap_rcv = wire_encap_rcv,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &port, &sock);
	if (err)
		return ERR_PTR(err);
	ohca_udp_tunnel_setup(net, sock, &cfg);
	return sock;
}

#if IS_ENABLED(CONFIG_NETFILTER)

/*
 * Connection tracking confirms a flow in a LOCAL_IN hook as late as ours: the
 * first packet of a flow takes the longer way, so that it is confirmed.
 */
static bool is_unconfirmed(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
	enum ip_conntrack_info info;
	const struct nf_conn *ct = nf_ct_get(skb, &info);

	return ct && !nf_ct_is_confirmed(ct);
#else
	return false;
#endif
}

/* Takes @skb, with @hlen bytes of IP header, if it is a RoCE v2 packet that can be taken whole. */
static unsigned int wire_hook(struct sk_buff *skb, unsigned int hlen, unsigned short family)
{
	const struct udphdr *udp;
	struct udphdr copy;

	udp = skb_header_pointer(skb, hlen, sizeof(copy), &copy);
	if (!udp || udp->dest != htons(TP_ROCE_V2_PORT))
		return NF_ACCEPT;
	/* Segments that carry headers of their own are UDP's business. */
	if (skb_is_gso(skb) && (skb_has_frag_list(skb) ||
				skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST))
		return NF_ACCEPT;
	if (is_unconfirmed(skb))
		return NF_ACCEPT;
	if (!xfrm_policy_check(NULL, XFRM_POLICY_IN, skb, family))
		return NF_DROP;

	__skb_pull(skb, hlen);
	skb_reset_transport_header(skb);
	soft_wire_receive(skb);
	return NF_STOLEN;
}

static unsigned int wire_hook4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);

	/* RoCE v2 has no IP options; UDP shows such packets to encap_rcv, which drops them. */
	if (ip->protocol != IPPROTO_UDP || ip->ihl != sizeof(*ip) / 4 || ip_is_fragment(ip))
		return NF_ACCEPT;
	return wire_hook(skb, sizeof(*ip), AF_INET);
}

static unsigned int wire_hook6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (ipv6_hdr(skb)->nexthdr != IPPROTO_UDP)
		return NF_ACCEPT;
	return wire_hook(skb, sizeof(struct ipv6hdr), AF_INET6);
}

static const struct nf_hook_ops wire_hooks[] = {
	{
		.hook = wire_hook4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	},
#if IS_ENABLED(CONFIG_IPV6)
	{
		.hook = wire_hook6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
#endif
};

static int wire_hook_in(struct net *net)
{
	return nf_register_net_hooks(net, wire_hooks, ARRAY_SIZE(wire_hooks));
}

static void wire_unhook(struct net *net)
{
	nf_unregister_net_hooks(net, wire_hooks, ARRAY_SIZE(wire_hooks));
}

#else

static int wire_hook_in(struct net *net)
{
	return 0;
}

static void wire_unhook(struct net *net)
{
}

#endif

static int wire_start(struct soft_wire *wire)
{
	int err;

	wire->sock4 = wire_open(wire->net, AF_INET);
	if (IS_ERR(wire->sock4))
		return PTR_ERR(wire->sock4);

	wire->sock6 = wire_open(wire->net, AF_INET6);
	if (IS_ERR(wire->sock6)) {
		err = PTR_ERR(wire->sock6);
		if (err != -EAFNOSUPPORT && err != -EPFNOSUPPORT)
			goto err_sock6;
		wire->sock6 = NULL;
	}

	err = wire_hook_in(wire->net);
	if (err)
		goto err_hook;
	return 0;

err_hook:
	if (wire->sock6)
		ohca_udp_tunnel_release(wire->sock6);
err_sock6:
	ohca_udp_tunnel_release(wire->sock4);
	return err;
}

static void wire_stop(struct soft_wire *wire)
{
	wire_unhook(wire->net);
	if (wire->sock6)
		ohca_udp_tunnel_release(wire->sock6);
	ohca_udp_tunnel_release(wire->sock4);
	/* No packet is on its way through either any more. */
	synchronize_net();
}

static struct soft_wire *wire_find(const struct net *net)
{
	struct soft_wire *wire;

	list_for_each_entry(wire, &soft_wires, node)
		if (wire->net == net)
			return wire;
	return NULL;
}

/**
 * soft_wire_get() - opens the RoCE v2 port in a namespace, for one more device
 * @net: the namespace; it must outlive the use
 *
 * Context: may sleep.
 * Return: for soft_wire_put(), or an ERR_PTR: -ENOMEM; -EADDRINUSE: somebody
 * else has the port (rxe has it in the initial namespace when it is loaded).
 */
struct soft_wire *soft_wire_get(struct net *net)
{
	struct soft_wire *wire;
	int err;

	mutex_lock(&soft_wires_lock);
	wire = wire_find(net);
	if (wire)
		goto out;

	wire = kzalloc(sizeof(*wire), GFP_KERNEL);
	if (!wire) {
		wire = ERR_PTR(-ENOMEM);
		goto out_unlock;
	}
	wire->net = net;
	err = wire_start(wire);
	if (err) {
		kfree(wire);
		wire = ERR_PTR(err);
		goto out_unlock;
	}
	list_add(&wire->node, &soft_wires);
out:
	wire->users++;
out_unlock:
	mutex_unlock(&soft_wires_lock);
	return wire;
}

/**
 * soft_wire_put() - a device leaves a namespace
 * @wire: from soft_wire_get(); NULL is fine
 *
 * Context: may sleep.
 */
void soft_wire_put(struct soft_wire *wire)
{
	if (!wire)
		return;
	mutex_lock(&soft_wires_lock);
	if (!--wire->users) {
		list_del(&wire->node);
		wire_stop(wire);
		kfree(wire);
	}
	mutex_unlock(&soft_wires_lock);
}
