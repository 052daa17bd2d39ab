// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: buffers out, frames in.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>
#include <net/page_pool/helpers.h>

#include "eth.h"

#define RQ_SIZE		BIT(OHCA_ETH_LOG_RQ)
#define HEADROOM	(NET_SKB_PAD + NET_IP_ALIGN)

static u32 frame_room(const struct ohca_eth *eth)
{
	return READ_ONCE(eth->netdev->mtu) + OHCA_ETH_OVERHEAD;
}

/**
 * ohca_rxq_fill() - gives the device buffers
 * @rxq: the queue
 *
 * Context: the NAPI, or before the queue receives.
 */
void ohca_rxq_fill(struct ohca_rxq *rxq)
{
	struct mlx5_wqe_data_seg *seg = rxq->buf.addr;
	u16 i, from = rxq->pi;
	struct page *page;

	while ((u16)(rxq->pi - rxq->ci) < RQ_SIZE) {
		page = page_pool_dev_alloc_pages(rxq->pool);
		if (!page)
			break;
		i = rxq->pi & (RQ_SIZE - 1);
		rxq->page[i] = page;
		seg[i].addr = cpu_to_be64(page_pool_get_dma_addr(page) + HEADROOM);
		rxq->pi++;
	}
	if (rxq->pi == from)
		return;
	dma_wmb(); /* the buffers before the record */
	rxq->db.rec[MLX5_RCV_DBR] = cpu_to_be32(rxq->pi);
}

static void set_checksum(struct ohca_eth *eth, struct sk_buff *skb,
			 const struct mlx5_cqe64 *cqe, struct ohca_eth_counts *c)
{
	const u8 good = CQE_L3_OK | CQE_L4_OK;

	if (!(eth->netdev->features & NETIF_F_RXCSUM) || (cqe->hds_ip_ext & good) != good)
		return;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	u64_stats_inc(&c->csum);
}

static void set_hash(struct ohca_eth *eth, struct sk_buff *skb, const struct mlx5_cqe64 *cqe)
{
	enum pkt_hash_types type = PKT_HASH_TYPE_NONE;

	if (!(eth->netdev->features & NETIF_F_RXHASH))
		return;
	if (cqe->rss_hash_type & CQE_RSS_HTYPE_L4)
		type = PKT_HASH_TYPE_L4;
	else if (cqe->rss_hash_type & CQE_RSS_HTYPE_IP)
		type = PKT_HASH_TYPE_L3;
	skb_set_hash(skb, be32_to_cpu(cqe->rss_hash_result), type);
}

/* A frame came into @page. */
static void receive(struct ohca_rxq *rxq, const struct mlx5_cqe64 *cqe, struct page *page)
{
	struct ohca_channel *channel = rxq->channel;
	struct ohca_eth *eth = channel->eth;
	struct ohca_eth_counts *c = &eth->rx[channel->index];
	u32 len = be32_to_cpu(cqe->byte_cnt);
	struct sk_buff *skb = NULL;

	u64_stats_update_begin(&c->syncp);
	if (len <= frame_room(eth)) {
		page_pool_dma_sync_for_cpu(rxq->pool, page, 0, len);
		skb = napi_build_skb(page_address(page), PAGE_SIZE << eth->rx_page_order);
	}
	if (!skb) {
		u64_stats_inc(&c->dropped);
		u64_stats_update_end(&c->syncp);
		page_pool_recycle_direct(rxq->pool, page);
		return;
	}
	skb_mark_for_recycle(skb);
	skb_reserve(skb, HEADROOM);
	skb_put(skb, len);
	set_checksum(eth, skb, cqe, c);
	u64_stats_inc(&c->packets);
	u64_stats_add(&c->bytes, len);
	u64_stats_update_end(&c->syncp);
	set_hash(eth, skb, cqe);
	skb_record_rx_queue(skb, channel->index);
	skb->protocol = eth_type_trans(skb, eth->netdev);
	napi_gro_receive(&channel->napi, skb);
}

static void queue_failed(struct ohca_rxq *rxq, const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_err_cqe *err = (const void *)cqe;
	struct ohca_eth *eth = rxq->channel->eth;

	if (rxq->failed)
		return;
	rxq->failed = true;
	if (net_ratelimit())
		netdev_err(eth->netdev, "receive queue %d: error, syndrome 0x%x/0x%x\n",
			   rxq->channel->index, err->syndrome, err->vendor_err_synd);
	u64_stats_update_begin(&eth->rx[rxq->channel->index].syncp);
	u64_stats_inc(&eth->rx[rxq->channel->index].errors);
	u64_stats_update_end(&eth->rx[rxq->channel->index].syncp);
	ohca_eth_heal(eth);
}

/**
 * ohca_rxq_poll() - takes frames that came in
 * @rxq: the queue
 * @budget: at most so many
 *
 * Context: the NAPI.
 * Return: how many; @budget, if there may be more or there is no buffer left.
 */
int ohca_rxq_poll(struct ohca_rxq *rxq, int budget)
{
	struct mlx5_cqe64 *cqe;
	struct page *page;
	int done = 0;
	u16 i;

	while (done < budget && (cqe = ohca_eth_cqe(&rxq->cq))) {
		rxq->cq.ci++;
		done++;
		if (get_cqe_opcode(cqe) != MLX5_CQE_RESP_SEND) {
			queue_failed(rxq, cqe);
			continue;
		}
		i = be16_to_cpu(cqe->wqe_counter) & (RQ_SIZE - 1);
		page = rxq->page[i];
		if (!page)
			continue;	/* told twice: not by a device that works */
		rxq->page[i] = NULL;
		rxq->ci++;
		receive(rxq, cqe, page);
	}
	if (done)
		ohca_hw_cq_set_ci(&rxq->cq.hw, rxq->cq.ci);
	dma_wmb(); /* room for completions before buffers that lead to them */
	ohca_rxq_fill(rxq);
	/* With no buffer no frame comes in, and nobody would try again. */
	return rxq->pi == rxq->ci && !rxq->failed ? budget : done;
}

static void rx_comp(struct ohca_hw_cq *hw)
{
	struct ohca_rxq *rxq = container_of(hw, struct ohca_rxq, cq.hw);

	napi_schedule_irqoff(&rxq->channel->napi);
}

static struct page_pool *pool_create(struct ohca_rxq *rxq)
{
	struct ohca_eth *eth = rxq->channel->eth;
	struct page_pool_params params = {
		.flags = PP_FLAG_DMA_MAP | PP_FLAG_DMA_SYNC_DEV,
		.order = eth->rx_page_order,
		.pool_size = RQ_SIZE,
		.nid = dev_to_node(&eth->hca->pdev->dev),
		.dev = &eth->hca->pdev->dev,
		.napi = &rxq->channel->napi,
		.netdev = eth->netdev,
		.dma_dir = DMA_FROM_DEVICE,
		.offset = HEADROOM,
		.max_len = frame_room(eth),
	};

	return page_pool_create(&params);
}

static void rx_free(struct ohca_rxq *rxq)
{
	struct ohca_eth *eth = rxq->channel->eth;
	u32 i;

	for (i = 0; rxq->page && i < RQ_SIZE; i++) {
		if (rxq->page[i])
			page_pool_put_full_page(rxq->pool, rxq->page[i], false);
	}
	kvfree(rxq->page);
	page_pool_destroy(rxq->pool);
	ohca_db_free(eth->hca, &rxq->db);
	ohca_buf_free(eth->hca, &rxq->buf);
}

static int rx_alloc(struct ohca_rxq *rxq)
{
	struct ohca_eth *eth = rxq->channel->eth;
	struct mlx5_wqe_data_seg *seg;
	u32 i;
	int err;

	err = ohca_buf_alloc(eth->hca, &rxq->buf, RQ_SIZE * sizeof(*seg));
	if (err)
		return err;
	err = ohca_db_alloc(eth->hca, &rxq->db);
	if (err)
		goto free_buf;
	rxq->pool = pool_create(rxq);
	if (IS_ERR(rxq->pool)) {
		err = PTR_ERR(rxq->pool);
		goto free_db;
	}
	rxq->page = kvcalloc(RQ_SIZE, sizeof(*rxq->page), GFP_KERNEL);
	if (!rxq->page) {
		rx_free(rxq);
		return -ENOMEM;
	}
	seg = rxq->buf.addr;
	for (i = 0; i < RQ_SIZE; i++) {
		seg[i].byte_count = cpu_to_be32(frame_room(eth));
		seg[i].lkey = cpu_to_be32(eth->mkey);
	}
	return 0;

free_db:
	ohca_db_free(eth->hca, &rxq->db);
free_buf:
	ohca_buf_free(eth->hca, &rxq->buf);
	return err;
}

/**
 * ohca_rxq_init() - makes a channel's receive queue, with buffers, not receiving yet
 * @rxq: zeroed but for @channel
 *
 * Context: may sleep; under RTNL.
 * Return: 0 or an errno.
 */
int ohca_rxq_init(struct ohca_rxq *rxq)
{
	struct ohca_channel *channel = rxq->channel;
	struct ohca_eth *eth = channel->eth;
	int err;

	err = rx_alloc(rxq);
	if (err)
		return err;
	rxq->cq.hw.comp = rx_comp;
	err = ohca_eth_cq_create(eth, &rxq->cq, channel->index, OHCA_ETH_LOG_RQ);
	if (err)
		goto free;
	err = ohca_rq_create(rxq);
	if (err)
		goto destroy_cq;
	/* The NAPI is not enabled yet, so nobody else takes from the pool. */
	local_bh_disable();
	ohca_rxq_fill(rxq);
	local_bh_enable();
	if (rxq->pi != RQ_SIZE) {
		err = -ENOMEM;
		goto destroy_rq;
	}
	return 0;

destroy_rq:
	ohca_rq_destroy(rxq);
destroy_cq:
	ohca_eth_cq_destroy(&rxq->cq);
free:
	rx_free(rxq);
	return err;
}

/**
 * ohca_rxq_fini() - undoes ohca_rxq_init()
 * @rxq: the queue; no TIR leads to it, and the NAPI does not use it any more
 *
 * Context: may sleep; under RTNL.
 */
void ohca_rxq_fini(struct ohca_rxq *rxq)
{
	ohca_rq_destroy(rxq);
	ohca_eth_cq_destroy(&rxq->cq);
	rx_free(rxq);
}
