// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: frames into WQEs (PRM, Ethernet send queues), completions back.
 */
#include <linux/dma-mapping.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>
#include <linux/tcp.h>
#include <linux/vmalloc.h>
#include <net/netdev_queues.h>

#include "eth.h"

#define SQ_BBS		BIT(OHCA_ETH_LOG_SQ)
/* Room for the largest frame, and for what fills up the end of the ring before it. */
#define STOP_BBS	(2 * OHCA_ETH_MAX_BBS)
#define START_BBS	(4 * OHCA_ETH_MAX_BBS)
/* Bytes of inline header that the Ethernet segment has room for itself. */
#define INLINE_START	2

/**
 * struct frame - what the WQE of a frame is like
 * @skb: the frame
 * @head: bytes that the WQE carries itself
 * @mss: TCP segmentation: payload of a segment; 0: none
 * @wire_bytes: bytes that go out
 * @packets: frames that go out
 * @ds: length of the WQE, in units of MLX5_SEND_WQE_DS
 * @bbs: the same in basic blocks
 */
struct frame {
	struct sk_buff *skb;
	u32 head;
	u16 mss;
	u32 wire_bytes;
	u32 packets;
	u8 ds;
	u8 bbs;
};

static u32 free_bbs(const struct ohca_txq *txq)
{
	return SQ_BBS - (u16)(txq->pi - READ_ONCE(txq->ci));
}

static void *wqe_at(const struct ohca_txq *txq, u16 pi)
{
	return txq->buf.addr + (pi & (SQ_BBS - 1)) * MLX5_SEND_WQE_BB;
}

static void fill_ctrl(const struct ohca_txq *txq, struct mlx5_wqe_ctrl_seg *ctrl, u8 opcode,
		      u8 ds)
{
	memset(ctrl, 0, sizeof(*ctrl));
	ctrl->opmod_idx_opcode = cpu_to_be32((u32)txq->pi << 8 | opcode);
	ctrl->qpn_ds = cpu_to_be32(txq->sqn << 8 | ds);
}

/* WQEs don't wrap: what is left at the end of the ring is filled with NOPs. */
static void fill_end(struct ohca_txq *txq, u8 bbs)
{
	u16 left = SQ_BBS - (txq->pi & (SQ_BBS - 1));

	if (left >= bbs)
		return;
	for (; left; left--, txq->pi++) {
		fill_ctrl(txq, wqe_at(txq, txq->pi), MLX5_OPCODE_NOP, 1);
		txq->wqe[txq->pi & (SQ_BBS - 1)] = (struct ohca_tx_wqe){ .bbs = 1 };
		txq->last = txq->pi;
	}
}

/* Plans the WQE. False: the frame has too many pieces. */
static bool plan(const struct ohca_eth *eth, struct sk_buff *skb, struct frame *f)
{
	u32 ds = (sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_eth_seg)) /
		 MLX5_SEND_WQE_DS;

	f->skb = skb;
	f->mss = 0;
	f->head = min(eth->inline_bytes, skb_headlen(skb));
	f->packets = 1;
	f->wire_bytes = max_t(u32, skb->len, ETH_ZLEN);
	if (skb_is_gso(skb)) {
		f->mss = skb_shinfo(skb)->gso_size;
		f->head = skb_tcp_all_headers(skb);
		f->packets = skb_shinfo(skb)->gso_segs;
		f->wire_bytes = skb->len + (f->packets - 1) * f->head;
	}
	if (f->head > INLINE_START)
		ds += DIV_ROUND_UP(f->head - INLINE_START, MLX5_SEND_WQE_DS);
	ds += (skb_headlen(skb) > f->head) + skb_shinfo(skb)->nr_frags;
	f->bbs = DIV_ROUND_UP(ds, OHCA_ETH_BB_SEGS);
	f->ds = ds;
	return f->bbs <= OHCA_ETH_MAX_BBS && f->head <= skb_headlen(skb);
}

static void unmap(struct ohca_txq *txq, u16 at, u8 nr)
{
	struct device *dev = &txq->channel->eth->hca->pdev->dev;
	struct ohca_tx_dma *dma = &txq->dma[(at & (SQ_BBS - 1)) * OHCA_ETH_BB_SEGS];

	for (; nr; nr--, dma++) {
		if (dma->page)
			dma_unmap_page(dev, dma->addr, dma->len, DMA_TO_DEVICE);
		else
			dma_unmap_single(dev, dma->addr, dma->len, DMA_TO_DEVICE);
	}
}

/* Maps the frame and writes data segments at @seg; the number, or an errno. */
static int map(struct ohca_txq *txq, const struct frame *f, struct mlx5_wqe_data_seg *seg)
{
	struct device *dev = &txq->channel->eth->hca->pdev->dev;
	struct ohca_tx_dma *dma = &txq->dma[(txq->pi & (SQ_BBS - 1)) * OHCA_ETH_BB_SEGS];
	const struct skb_shared_info *shinfo = skb_shinfo(f->skb);
	int i, nr = 0;

	for (i = -1; i < shinfo->nr_frags; i++) {
		if (i < 0) {
			dma->len = skb_headlen(f->skb) - f->head;
			if (!dma->len)
				continue;
			dma->page = false;
			dma->addr = dma_map_single(dev, f->skb->data + f->head, dma->len,
						   DMA_TO_DEVICE);
		} else {
			dma->len = skb_frag_size(&shinfo->frags[i]);
			dma->page = true;
			dma->addr = skb_frag_dma_map(dev, &shinfo->frags[i], 0, dma->len,
						     DMA_TO_DEVICE);
		}
		if (dma_mapping_error(dev, dma->addr)) {
			unmap(txq, txq->pi, nr);
			return -ENOMEM;
		}
		seg->byte_count = cpu_to_be32(dma->len);
		seg->lkey = cpu_to_be32(txq->channel->eth->mkey);
		seg->addr = cpu_to_be64(dma->addr);
		seg++;
		dma++;
		nr++;
	}
	return nr;
}

/* Writes the WQE at the producer index. */
static int build(struct ohca_txq *txq, const struct frame *f)
{
	struct mlx5_wqe_ctrl_seg *ctrl = wqe_at(txq, txq->pi);
	struct mlx5_wqe_eth_seg *eth = wqe_at(txq, txq->pi) + sizeof(*ctrl);
	void *data = eth + 1;
	int nr;

	fill_ctrl(txq, ctrl, f->mss ? MLX5_OPCODE_LSO : MLX5_OPCODE_SEND, f->ds);
	ctrl->fm_ce_se = MLX5_WQE_CTRL_CQ_UPDATE;
	memset(eth, 0, sizeof(*eth));
	if (f->skb->ip_summed == CHECKSUM_PARTIAL)
		eth->cs_flags = MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM;
	eth->mss = cpu_to_be16(f->mss);
	eth->inline_hdr.sz = cpu_to_be16(f->head);
	/* On into what is behind the segment. */
	memcpy((void *)eth + offsetof(struct mlx5_wqe_eth_seg, inline_hdr.start), f->skb->data,
	       f->head);
	if (f->head > INLINE_START)
		data += ALIGN(f->head - INLINE_START, MLX5_SEND_WQE_DS);
	nr = map(txq, f, data);
	if (nr < 0)
		return nr;
	txq->wqe[txq->pi & (SQ_BBS - 1)] = (struct ohca_tx_wqe){
		.skb = f->skb,
		.bbs = f->bbs,
		.nr_dma = nr,
	};
	txq->last = txq->pi;
	txq->pi += f->bbs;
	return 0;
}

static void ring(struct ohca_txq *txq)
{
	dma_wmb(); /* the WQE before the record */
	txq->db.rec[MLX5_SND_DBR] = cpu_to_be32(txq->pi);
	wmb(); /* the record before the doorbell */
	ohca_uar_send(&txq->channel->eth->hca->uar, wqe_at(txq, txq->last));
}

static void count(struct ohca_txq *txq, const struct frame *f)
{
	struct ohca_eth_counts *c = &txq->channel->eth->tx[txq->channel->index];

	u64_stats_update_begin(&c->syncp);
	u64_stats_add(&c->packets, f->packets);
	u64_stats_add(&c->bytes, f->wire_bytes);
	if (f->skb->ip_summed == CHECKSUM_PARTIAL)
		u64_stats_inc(&c->csum);
	if (f->mss)
		u64_stats_inc(&c->tso);
	u64_stats_update_end(&c->syncp);
}

static netdev_tx_t drop(struct ohca_txq *txq, struct sk_buff *skb)
{
	struct ohca_eth_counts *c = &txq->channel->eth->tx[txq->channel->index];

	u64_stats_update_begin(&c->syncp);
	u64_stats_inc(&c->dropped);
	u64_stats_update_end(&c->syncp);
	dev_kfree_skb_any(skb);
	/* What was posted before it, and not rung for, must not wait for ever. */
	if (!netdev_xmit_more() && txq->pi != (u16)be32_to_cpu(txq->db.rec[MLX5_SND_DBR]))
		ring(txq);
	return NETDEV_TX_OK;
}

/**
 * ohca_eth_xmit() - ndo_start_xmit
 * @skb: the frame
 * @netdev: the netdev
 *
 * Each WQE asks for a completion: one that is not rung for at once may be the last
 * for a long time.
 *
 * Context: under the stack's lock of the queue, bottom halves off.
 * Return: NETDEV_TX_OK, or NETDEV_TX_BUSY, which the stack does not let happen.
 */
netdev_tx_t ohca_eth_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct ohca_eth *eth = netdev_priv(netdev);
	struct ohca_txq *txq = &eth->channel[skb_get_queue_mapping(skb)].txq;
	struct frame f;
	bool now;

	if (unlikely(!plan(eth, skb, &f)) &&
	    (skb_is_gso(skb) || skb_linearize(skb) || !plan(eth, skb, &f)))
		return drop(txq, skb);
	fill_end(txq, f.bbs);
	if (unlikely(build(txq, &f)))
		return drop(txq, skb);
	skb_tx_timestamp(skb);
	count(txq, &f);
	now = __netdev_tx_sent_queue(txq->queue, f.wire_bytes, netdev_xmit_more());
	if (!netif_txq_maybe_stop(txq->queue, free_bbs(txq), STOP_BBS, START_BBS))
		now = true;
	if (now)
		ring(txq);
	return NETDEV_TX_OK;
}

/* Retires one WQE; adds up what went out. */
static void retire(struct ohca_txq *txq, int budget, u32 *packets, u32 *bytes)
{
	struct ohca_tx_wqe *wqe = &txq->wqe[txq->ci & (SQ_BBS - 1)];
	struct frame f;

	if (wqe->skb) {
		unmap(txq, txq->ci, wqe->nr_dma);
		plan(txq->channel->eth, wqe->skb, &f);
		*packets += f.packets;
		*bytes += f.wire_bytes;
		napi_consume_skb(wqe->skb, budget);
		wqe->skb = NULL;
	}
	WRITE_ONCE(txq->ci, txq->ci + wqe->bbs);
}

static void queue_failed(struct ohca_txq *txq, const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_err_cqe *err = (const void *)cqe;
	struct ohca_eth *eth = txq->channel->eth;

	if (txq->failed)
		return;
	txq->failed = true;
	if (net_ratelimit())
		netdev_err(eth->netdev, "send queue %d: error, syndrome 0x%x/0x%x\n",
			   txq->channel->index, err->syndrome, err->vendor_err_synd);
	u64_stats_update_begin(&eth->tx[txq->channel->index].syncp);
	u64_stats_inc(&eth->tx[txq->channel->index].errors);
	u64_stats_update_end(&eth->tx[txq->channel->index].syncp);
	ohca_eth_heal(eth);
}

/**
 * ohca_txq_poll() - takes completions of what was sent
 * @txq: the queue
 * @budget: of the NAPI; 0: netpoll, no interrupts
 *
 * Context: the NAPI.
 * Return: whether there may be more.
 */
bool ohca_txq_poll(struct ohca_txq *txq, int budget)
{
	u32 packets = 0, bytes = 0;
	struct mlx5_cqe64 *cqe;
	unsigned int done;
	u16 last, pi;

	for (done = 0; done < SQ_BBS / 4; done++) {
		cqe = ohca_eth_cqe(&txq->cq);
		if (!cqe)
			break;
		txq->cq.ci++;
		if (get_cqe_opcode(cqe) != MLX5_CQE_REQ) {
			queue_failed(txq, cqe);
			continue;
		}
		/* Everything up to the WQE that begins there. */
		last = be16_to_cpu(cqe->wqe_counter);
		pi = READ_ONCE(txq->pi);
		while (txq->ci != pi && (s16)(last - txq->ci) >= 0)
			retire(txq, budget, &packets, &bytes);
	}
	if (!done)
		return false;
	ohca_hw_cq_set_ci(&txq->cq.hw, txq->cq.ci);
	netif_txq_completed_wake(txq->queue, packets, bytes, free_bbs(txq), START_BBS);
	return done == SQ_BBS / 4;
}

static void tx_comp(struct ohca_hw_cq *hw)
{
	struct ohca_txq *txq = container_of(hw, struct ohca_txq, cq.hw);

	napi_schedule_irqoff(&txq->channel->napi);
}

static void tx_free(struct ohca_txq *txq)
{
	struct ohca_eth *eth = txq->channel->eth;

	kvfree(txq->dma);
	kvfree(txq->wqe);
	ohca_db_free(eth->hca, &txq->db);
	ohca_buf_free(eth->hca, &txq->buf);
}

static int tx_alloc(struct ohca_txq *txq)
{
	struct ohca_eth *eth = txq->channel->eth;
	int err;

	err = ohca_buf_alloc(eth->hca, &txq->buf, SQ_BBS * MLX5_SEND_WQE_BB);
	if (err)
		return err;
	err = ohca_db_alloc(eth->hca, &txq->db);
	if (err) {
		ohca_buf_free(eth->hca, &txq->buf);
		return err;
	}
	txq->wqe = kvcalloc(SQ_BBS, sizeof(*txq->wqe), GFP_KERNEL);
	txq->dma = kvcalloc(SQ_BBS * OHCA_ETH_BB_SEGS, sizeof(*txq->dma), GFP_KERNEL);
	if (txq->wqe && txq->dma)
		return 0;
	tx_free(txq);
	return -ENOMEM;
}

/**
 * ohca_txq_init() - makes a channel's send queue
 * @txq: zeroed but for @channel
 *
 * Context: may sleep; under RTNL.
 * Return: 0 or an errno.
 */
int ohca_txq_init(struct ohca_txq *txq)
{
	struct ohca_channel *channel = txq->channel;
	struct ohca_eth *eth = channel->eth;
	int err;

	txq->queue = netdev_get_tx_queue(eth->netdev, channel->index);
	err = tx_alloc(txq);
	if (err)
		return err;
	txq->cq.hw.comp = tx_comp;
	err = ohca_eth_cq_create(eth, &txq->cq, channel->index, OHCA_ETH_LOG_SQ);
	if (err)
		goto free;
	err = ohca_sq_create(txq);
	if (err)
		goto destroy_cq;
	netdev_tx_reset_queue(txq->queue);
	return 0;

destroy_cq:
	ohca_eth_cq_destroy(&txq->cq);
free:
	tx_free(txq);
	return err;
}

/**
 * ohca_txq_fini() - undoes ohca_txq_init(); frames on their way are dropped
 * @txq: the queue; neither the stack nor the NAPI uses it any more
 *
 * Context: may sleep; under RTNL.
 */
void ohca_txq_fini(struct ohca_txq *txq)
{
	u32 packets = 0, bytes = 0;

	ohca_sq_destroy(txq);
	ohca_eth_cq_destroy(&txq->cq);
	while (txq->ci != txq->pi)
		retire(txq, 0, &packets, &bytes);
	netdev_tx_reset_queue(txq->queue);
	tx_free(txq);
}
