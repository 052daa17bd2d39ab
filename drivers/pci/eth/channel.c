// SPDX-License-Identifier: GPL-2.0
/*
 * Channels.
 */
#include <linux/slab.h>

#include "../hw/eq.h"
#include "eth.h"

static int poll(struct napi_struct *napi, int budget)
{
	struct ohca_channel *channel = container_of(napi, struct ohca_channel, napi);
	struct ohca_rxq *rxq = &channel->rxq;
	struct ohca_txq *txq = &channel->txq;
	bool busy;
	int done = 0;

	busy = ohca_txq_poll(txq, budget);
	if (budget) {
		done = ohca_rxq_poll(rxq, budget);
		busy |= done == budget;
	}
	if (busy)
		return budget;
	if (!budget || !napi_complete_done(napi, done))
		return done;
	ohca_hw_cq_arm(&txq->cq.hw, txq->cq.ci, OHCA_ARM_NEXT);
	ohca_hw_cq_arm(&rxq->cq.hw, rxq->cq.ci, OHCA_ARM_NEXT);
	return done;
}

static int channel_open(struct ohca_eth *eth, int index)
{
	struct ohca_channel *channel = &eth->channel[index];
	int err;

	channel->eth = eth;
	channel->index = index;
	channel->txq.channel = channel;
	channel->rxq.channel = channel;
	netif_napi_add(eth->netdev, &channel->napi, poll);
	netif_napi_set_irq(&channel->napi, ohca_comp_irq(eth->hca, index));
	err = ohca_txq_init(&channel->txq);
	if (err)
		goto del_napi;
	err = ohca_rxq_init(&channel->rxq);
	if (err)
		goto fini_txq;
	netif_set_xps_queue(eth->netdev, ohca_comp_affinity(eth->hca, index), index);
	return 0;

fini_txq:
	ohca_txq_fini(&channel->txq);
del_napi:
	netif_napi_del(&channel->napi);
	return err;
}

static void channel_close(struct ohca_channel *channel)
{
	ohca_rxq_fini(&channel->rxq);
	ohca_txq_fini(&channel->txq);
	netif_napi_del(&channel->napi);
}

static void channel_start(struct ohca_channel *channel)
{
	napi_enable(&channel->napi);
	/* Arms both CQs. */
	local_bh_disable();
	napi_schedule(&channel->napi);
	local_bh_enable();
}

/* Channels from @n - 1 down. */
static void close_from(struct ohca_eth *eth, int n)
{
	while (n--)
		channel_close(&eth->channel[n]);
	kvfree(eth->channel);
	eth->channel = NULL;
}

static int receive_all(struct ohca_eth *eth)
{
	int i, err = 0;

	for (i = 0; i < eth->nr && !err; i++)
		err = ohca_rq_ready(&eth->channel[i].rxq);
	return err;
}

static int page_order(const struct ohca_eth *eth)
{
	return get_order(NET_SKB_PAD + NET_IP_ALIGN + eth->netdev->mtu + OHCA_ETH_OVERHEAD +
			 SKB_DATA_ALIGN(sizeof(struct skb_shared_info)));
}

/**
 * ohca_channels_open() - makes all channels and the ways into them, and starts
 * @eth: the function
 *
 * Context: may sleep; under RTNL.
 * Return: 0 or an errno.
 */
int ohca_channels_open(struct ohca_eth *eth)
{
	int i, err;

	eth->channel = kvcalloc(eth->nr, sizeof(*eth->channel), GFP_KERNEL);
	if (!eth->channel)
		return -ENOMEM;
	eth->rx_page_order = page_order(eth);
	for (i = 0; i < eth->nr; i++) {
		err = channel_open(eth, i);
		if (err)
			goto close;
	}
	for (i = 0; i < eth->nr; i++)
		channel_start(&eth->channel[i]);
	err = receive_all(eth);
	err = err ?: ohca_steer_up(eth);
	if (err)
		goto stop;
	eth->open = true;
	netif_tx_start_all_queues(eth->netdev);
	return 0;

stop:
	for (i = 0; i < eth->nr; i++)
		napi_disable(&eth->channel[i].napi);
	i = eth->nr;
close:
	close_from(eth, i);
	return err;
}

/**
 * ohca_channels_close() - undoes ohca_channels_open()
 * @eth: the function
 *
 * Context: may sleep; under RTNL.
 */
void ohca_channels_close(struct ohca_eth *eth)
{
	int i;

	eth->open = false;
	netif_tx_disable(eth->netdev);
	ohca_steer_down(eth);
	for (i = 0; i < eth->nr; i++)
		napi_disable(&eth->channel[i].napi);
	close_from(eth, eth->nr);
}

/**
 * ohca_channels_moderate() - has all channels moderate as @eth says
 * @eth: the function, open
 *
 * Context: may sleep; under RTNL.
 */
void ohca_channels_moderate(struct ohca_eth *eth)
{
	int i;

	for (i = 0; i < eth->nr; i++) {
		ohca_hw_cq_moderate(&eth->channel[i].txq.cq.hw, eth->usec, eth->count);
		ohca_hw_cq_moderate(&eth->channel[i].rxq.cq.hw, eth->usec, eth->count);
	}
}
