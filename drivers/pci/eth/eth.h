/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Ethernet function: a netdev on the adapter. RoCE GIDs come from it.
 *
 * Each completion vector has a channel: a send queue, a receive queue, a CQ for each,
 * and one NAPI that serves both.
 */
#ifndef OHCA_PCI_ETH_H
#define OHCA_PCI_ETH_H

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include "../hw/buf.h"
#include "../hw/cq.h"
#include "../hw/hca.h"

struct ohca_channel;
struct ohca_eth;
struct page_pool;

/* log2 of the entries of a send queue (of 64 bytes) and of a receive queue. */
#define OHCA_ETH_LOG_SQ		10
#define OHCA_ETH_LOG_RQ		9
#define OHCA_ETH_MAX_MTU	9000
/* Header, two VLAN tags and FCS: what the port's MTU has that the netdev's has not. */
#define OHCA_ETH_OVERHEAD	(ETH_HLEN + 2 * VLAN_HLEN + ETH_FCS_LEN)
/* Data segments in a WQE basic block. */
#define OHCA_ETH_BB_SEGS	(MLX5_SEND_WQE_BB / MLX5_SEND_WQE_DS)
/* Basic blocks that a frame takes at most: 1 KiB, which max_wqe_sz_sq allows. */
#define OHCA_ETH_MAX_BBS	16
/* Moderation at first: microseconds, completions. */
#define OHCA_ETH_USEC		8
#define OHCA_ETH_COUNT		32

/**
 * struct ohca_eth_cq - a CQ of a channel
 * @hw: as the device knows it
 * @buf: its entries, struct mlx5_cqe64
 * @db: its doorbell record
 * @log_size: log2 of its entries
 * @ci: entries taken
 */
struct ohca_eth_cq {
	struct ohca_hw_cq hw;
	struct ohca_buf buf;
	struct ohca_db db;
	u8 log_size;
	u32 ci;
};

/**
 * struct ohca_tx_dma - a mapping of a frame that is being sent
 * @addr: bus address
 * @len: bytes
 * @page: of a page, not of the linear part
 */
struct ohca_tx_dma {
	dma_addr_t addr;
	u32 len;
	bool page;
};

/**
 * struct ohca_tx_wqe - a WQE that is being sent, at its first basic block
 * @skb: its frame; NULL: it only fills up the end of the ring
 * @bbs: basic blocks
 * @nr_dma: mappings
 */
struct ohca_tx_wqe {
	struct sk_buff *skb;
	u8 bbs;
	u8 nr_dma;
};

/**
 * struct ohca_txq - a send queue
 * @channel: its channel
 * @queue: the stack's queue
 * @cq: its completions
 * @buf: its WQEs
 * @db: its doorbell record
 * @sqn: its number
 * @pi: basic blocks posted; under the stack's lock of the queue
 * @last: where the latest WQE begins
 * @ci: basic blocks done; the NAPI's
 * @wqe: by basic block
 * @dma: by data segment: OHCA_ETH_BB_SEGS to a basic block
 * @failed: it had an error, and waits to be made anew
 */
struct ohca_txq {
	struct ohca_channel *channel;
	struct netdev_queue *queue;
	struct ohca_eth_cq cq;
	struct ohca_buf buf;
	struct ohca_db db;
	u32 sqn;
	u16 pi;
	u16 last;
	u16 ci;
	struct ohca_tx_wqe *wqe;
	struct ohca_tx_dma *dma;
	bool failed;
};

/**
 * struct ohca_rxq - a receive queue
 * @channel: its channel
 * @cq: its completions
 * @buf: its WQEs: a data segment each
 * @db: its doorbell record
 * @rqn: its number
 * @pi: buffers posted
 * @ci: buffers that have come back
 * @pool: where buffers come from, mapped
 * @page: the buffers, by place
 * @failed: it had an error, and waits to be made anew
 */
struct ohca_rxq {
	struct ohca_channel *channel;
	struct ohca_eth_cq cq;
	struct ohca_buf buf;
	struct ohca_db db;
	u32 rqn;
	u16 pi;
	u16 ci;
	struct page_pool *pool;
	struct page **page;
	bool failed;
};

/**
 * struct ohca_eth_counts - what a channel counts; written by its NAPI or under the
 * lock of its send queue
 * @syncp: for readers
 * @packets: frames
 * @bytes: their bytes
 * @dropped: frames that there was no memory for, or that can't be sent
 * @errors: completions with an error
 * @csum: frames whose checksum the device did
 * @tso: frames that the device cut
 */
struct ohca_eth_counts {
	struct u64_stats_sync syncp;
	u64_stats_t packets;
	u64_stats_t bytes;
	u64_stats_t dropped;
	u64_stats_t errors;
	u64_stats_t csum;
	u64_stats_t tso;
};

/**
 * struct ohca_channel - a channel
 * @eth: the function
 * @index: completion vector, and queue of the stack
 * @napi: serves both queues
 * @txq: sends
 * @rxq: receives
 */
struct ohca_channel {
	struct ohca_eth *eth;
	int index;
	struct napi_struct napi;
	struct ohca_txq txq;
	struct ohca_rxq rxq;
};

/* TIRs: what spreads which frames over the receive queues. */
enum ohca_tir {
	OHCA_TIR_IPV4_TCP,
	OHCA_TIR_IPV4_UDP,
	OHCA_TIR_IPV6_TCP,
	OHCA_TIR_IPV6_UDP,
	OHCA_TIR_IPV4,
	OHCA_TIR_IPV6,
	OHCA_TIR_ANY,
	OHCA_TIR_COUNT
};

/**
 * struct ohca_steer_mac - an entry of the table of addresses
 * @mac: the address
 * @used: it is there
 * @wanted: while the list is compared with what should be there
 */
struct ohca_steer_mac {
	u8 mac[ETH_ALEN];
	bool used;
	bool wanted;
};

/**
 * struct ohca_steer - the way of a frame that comes in: by address, then by protocol
 * @rqtn: table of receive queues
 * @tirn: TIRs
 * @mac_table: flow table of addresses; the root
 * @mac_group: its groups: addresses, all multicast, everything
 * @type_table: flow table of protocols
 * @type_group: its groups: protocol and port kind, protocol, everything
 * @mac: addresses that are let in, by index in the table
 * @multicast: so is all multicast
 * @promisc: so is everything
 * @up: all of this is there
 */
struct ohca_steer {
	u32 rqtn;
	u32 tirn[OHCA_TIR_COUNT];
	u32 mac_table;
	u32 mac_group[3];
	u32 type_table;
	u32 type_group[3];
	struct ohca_steer_mac *mac;
	bool multicast;
	bool promisc;
	bool up;
};

/**
 * struct ohca_eth - the function; netdev_priv() of its netdev
 * @hca: the adapter
 * @netdev: the netdev
 * @pdn: protection domain
 * @tdn: transport domain
 * @mkey: key of all memory
 * @tisn: transport interface of what is sent
 * @inline_bytes: bytes of a frame that a WQE has to carry itself
 * @nr: channels
 * @channel: the channels; there while @open
 * @open: channels and steering are there; under RTNL
 * @rx_page_order: log2 of pages of a receive buffer
 * @usec: moderation: microseconds
 * @count: moderation: completions
 * @steer: the way of frames that come in
 * @tx: counts of what was sent, by channel; kept while the netdev is down
 * @rx: counts of what came in, by channel
 * @events: events of the adapter
 * @link_work: asks for the state of the link
 * @filter_work: does what set_rx_mode() says
 * @heal_work: makes the channels anew after an error
 */
struct ohca_eth {
	struct ohca_hca *hca;
	struct net_device *netdev;
	u32 pdn;
	u32 tdn;
	u32 mkey;
	u32 tisn;
	u32 inline_bytes;
	int nr;
	struct ohca_channel *channel;
	bool open;
	u8 rx_page_order;
	u16 usec;
	u16 count;
	struct ohca_steer steer;
	struct ohca_eth_counts *tx;
	struct ohca_eth_counts *rx;
	struct notifier_block events;
	struct work_struct link_work;
	struct work_struct filter_work;
	struct work_struct heal_work;
};

/* netdev.c */
void ohca_eth_heal(struct ohca_eth *eth);

/* channel.c */
int ohca_channels_open(struct ohca_eth *eth);
void ohca_channels_close(struct ohca_eth *eth);
void ohca_channels_moderate(struct ohca_eth *eth);

/* queue.c: CQs, and the commands of SQs and RQs. */
int ohca_eth_cq_create(struct ohca_eth *eth, struct ohca_eth_cq *cq, int vector, u8 log_size);
void ohca_eth_cq_destroy(struct ohca_eth_cq *cq);
struct mlx5_cqe64 *ohca_eth_cqe(struct ohca_eth_cq *cq);
int ohca_sq_create(struct ohca_txq *txq);
void ohca_sq_destroy(struct ohca_txq *txq);
int ohca_rq_create(struct ohca_rxq *rxq);
int ohca_rq_ready(struct ohca_rxq *rxq);
void ohca_rq_destroy(struct ohca_rxq *rxq);

/* tx.c */
int ohca_txq_init(struct ohca_txq *txq);
void ohca_txq_fini(struct ohca_txq *txq);
netdev_tx_t ohca_eth_xmit(struct sk_buff *skb, struct net_device *netdev);
bool ohca_txq_poll(struct ohca_txq *txq, int budget);

/* rx.c */
int ohca_rxq_init(struct ohca_rxq *rxq);
void ohca_rxq_fini(struct ohca_rxq *rxq);
void ohca_rxq_fill(struct ohca_rxq *rxq);
int ohca_rxq_poll(struct ohca_rxq *rxq, int budget);

/* steer.c */
int ohca_steer_up(struct ohca_eth *eth);
void ohca_steer_down(struct ohca_eth *eth);
void ohca_steer_update(struct ohca_eth *eth);

/* tir.c */
int ohca_tirs_create(struct ohca_eth *eth);
void ohca_tirs_destroy(struct ohca_eth *eth);

/* ethtool.c */
extern const struct ethtool_ops ohca_ethtool_ops;

#endif /* OHCA_PCI_ETH_H */
