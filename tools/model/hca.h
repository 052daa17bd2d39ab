/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The adapter: what all parts of the model share.
 */
#ifndef OHCA_MODEL_HCA_H
#define OHCA_MODEL_HCA_H

#include "prm.h"
#include "dma.h"
#include "fault.h"
#include "log.h"
#include "loop.h"
#include "object.h"
#include "pci.h"
#include "vfio_user.h"
#include "wire.h"

#define HCA_BAR_BYTES		(32u << 20)
#define HCA_MSIX_TABLE		0x2000u
#define HCA_MSIX_PBA		0x3000u
#define HCA_UAR_BYTES		4096u
#define HCA_UAR_FIRST		4u
#define HCA_UAR_LAST		(HCA_BAR_BYTES / HCA_UAR_BYTES - 1)
#define HCA_MAX_EQS		128u
#define HCA_ROCE_ADDRESSES	128u
#define HCA_CAP_GROUPS		0x40u
#define HCA_CAP_BYTES		4096u
#define HCA_CLOCK_KHZ		156250u
/* Memory keys that are always there. */
#define HCA_TERMINATE_LKEY	0x100u
#define HCA_RESERVED_LKEY	0x200u
#define HCA_NULL_MKEY		0x300u
#define HCA_DUMP_FILL_MKEY	0x400u
#define HCA_FIRST_MKEY		0x10u
#define HCA_MAX_PAGES		65536u
#define HCA_LIST_ENTRIES	512u
#define HCA_MAX_MCG_MEMBERS	65536u

/* The command interface: 32 slots of 64 bytes. */
#define CMD_LOG_SLOTS		5u
#define CMD_LOG_STRIDE		6u
#define CMD_SLOTS		BIT(CMD_LOG_SLOTS)
/* A list of pages, 8 bytes each: a region of 4 GiB in the smallest pages. */
#define CMD_MAX_IN		(8u * 1024u * 1024u + 4096u)
#define CMD_MAX_OUT		(64u * 1024u)

/**
 * struct hca_options - what the command line chose
 * @socket: path of the vfio-user socket
 * @device: PCI device id
 * @mac: permanent MAC address
 * @guid: node GUID
 * @vectors: MSI-X vectors
 * @speed: link speed, Gbit/s
 */
struct hca_options {
	const char *socket;
	u16 device;
	u8 mac[6];
	u64 guid;
	u32 vectors;
	u32 speed;
};

/* What the port has counted; rdma_: of RoCE, which the Ethernet function does not see. */
struct counters {
	u64 rx_packets;
	u64 rx_bytes;
	u64 rx_multicast;
	u64 rx_broadcast;
	u64 tx_packets;
	u64 tx_bytes;
	u64 tx_multicast;
	u64 tx_broadcast;
	u64 rx_dropped;
	u64 rdma_rx_packets;
	u64 rdma_rx_bytes;
	u64 rdma_tx_packets;
	u64 rdma_tx_bytes;
};

enum hca_state {
	HCA_DISABLED,	/* after reset */
	HCA_ENABLED,	/* ENABLE_HCA */
	HCA_READY,	/* INIT_HCA */
};

struct eq;
struct mcg_member;
struct flow_table;

/**
 * struct hca - the adapter
 * @opt: options
 * @loop: runs it all
 * @dma: guest memory
 * @pci: configuration space
 * @vfu: the client
 * @wire: the link
 * @state: how far bring-up has come
 * @issi: interface step of commands
 * @cmdq: bus address of the command queue
 * @cmdq_high: what was written to the high half
 * @nic_interface: as written
 * @cmd_pending: slots whose doorbell rang
 * @cmd_work: works on them
 * @cmd_eq: raises command completions; NULL: they are polled for
 * @bar_latch: first half of an 8-byte register that comes in two writes
 * @bar_latch_at: its offset
 * @msix_table: what was written there
 * @cap_max: capabilities that the device can have
 * @cap_cur: those that it has
 * @page: pages that the driver has given
 * @nr_pages: how many
 * @max_pages: room in @page
 * @table: objects, by kind
 * @eq: event queues, by number
 * @nic_vport: NIC vport context
 * @roce: RoCE addresses (struct mlx5_ifc_roce_addr_layout_bits)
 * @node_desc: as the driver wrote it
 * @admin_up: PAOS administrative status
 * @mtu: port MTU
 * @rx_root: root flow table of the Ethernet receive side
 * @faults: what is made wrong
 * @mcg: members of multicast groups
 * @nr_mcg: how many
 * @list: unicast MAC, multicast MAC and VLAN lists of the NIC vport
 * @nr_list: how long they are
 * @counters: what the Ethernet function counts
 */
struct hca {
	struct hca_options opt;
	struct loop loop;
	struct dma dma;
	struct pci pci;
	struct vfu vfu;
	struct wire wire;

	enum hca_state state;
	u16 issi;
	u64 cmdq;
	u32 cmdq_high;
	u8 nic_interface;
	u32 cmd_pending;
	struct work cmd_work;
	struct eq *cmd_eq;
	u32 bar_latch;
	u64 bar_latch_at;
	u8 msix_table[VFU_MAX_VECTORS * 16];

	u8 cap_max[HCA_CAP_GROUPS][HCA_CAP_BYTES];
	u8 cap_cur[HCA_CAP_GROUPS][HCA_CAP_BYTES];

	u64 *page;
	u32 nr_pages;
	u32 max_pages;

	struct table table[OBJ_NR_KINDS];
	struct eq *eq[HCA_MAX_EQS];

	u32 nic_vport[MLX5_ST_SZ_DW(nic_vport_context)];
	u32 roce[HCA_ROCE_ADDRESSES][MLX5_ST_SZ_DW(roce_addr_layout)];
	u8 node_desc[64];
	bool admin_up;
	u16 mtu;
	struct flow_table *rx_root;
	struct faults faults;
	struct mcg_member *mcg;
	u32 nr_mcg;
	__be64 list[3][HCA_LIST_ENTRIES];
	u32 nr_list[3];
	struct counters counters;
};

/* Function level reset, and what a client that goes away leaves behind. */
void hca_reset(struct hca *hca);

/* Frees every object. */
void hca_teardown(struct hca *hca);

/* The wire has room again: whoever waits goes on. */
void hca_wire_room(void *arg);

/* bar.c: region accesses. */
int bar_access(struct hca *hca, u64 offset, void *data, u32 len, bool write);

/* The health counter of the initialization segment: every 67 ms. */
static inline u32 hca_health_counter(const struct hca *hca)
{
	return hca->faults.frozen ? hca->faults.frozen_at : (u32)(loop_now() >> 26);
}

/* caps.c */
void caps_init(struct hca *hca);

/* The free-running clock that time stamps are of. */
static inline u64 hca_clock(const struct hca *hca)
{
	(void)hca;
	return (u64)((__uint128_t)loop_now() * HCA_CLOCK_KHZ / 1000000u);
}

/* The port is up: the driver wants it, and there is a wire. */
static inline bool hca_port_up(const struct hca *hca)
{
	return hca->admin_up && wire_present(&hca->wire) && !hca->faults.link_down;
}

#endif /* OHCA_MODEL_HCA_H */
