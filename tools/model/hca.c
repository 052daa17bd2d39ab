// SPDX-License-Identifier: GPL-2.0
/*
 * The adapter: made, reset, torn down, and shown to the vfio-user client.
 */
#include <errno.h>
#include <stdlib.h>
#include <linux/vfio.h>

#include "cmd.h"
#include "cq.h"
#include "model.h"

/* Numbers that objects of a kind can have. */
static const struct { u32 first, last; } ranges[OBJ_NR_KINDS] = {
	[OBJ_UAR]	 = { HCA_UAR_FIRST, HCA_UAR_LAST },
	[OBJ_PD]	 = { 1, 1 << 18 },
	[OBJ_TD]	 = { 1, 1 << 16 },
	[OBJ_XRCD]	 = { 1, 1 << 16 },
	[OBJ_Q_COUNTER]	 = { 1, 127 },
	[OBJ_MKEY]	 = { HCA_FIRST_MKEY, (1 << 23) - 1 },
	[OBJ_CQ]	 = { 0x80, 1 << 18 },
	[OBJ_WQ]	 = { 0x40, 1 << 18 },
	[OBJ_SRQ]	 = { 1, 1 << 16 },
	[OBJ_TIS]	 = { 1, 1 << 16 },
	[OBJ_TIR]	 = { 1, 1 << 16 },
	[OBJ_RQT]	 = { 1, 1 << 16 },
	[OBJ_FLOW_TABLE] = { 1, 1 << 16 },
};

/* Users before what they use. */
static const enum obj_kind teardown_order[] = {
	OBJ_FLOW_TABLE, OBJ_TIR, OBJ_RQT, OBJ_TIS, OBJ_WQ, OBJ_SRQ, OBJ_CQ, OBJ_MKEY,
	OBJ_Q_COUNTER, OBJ_XRCD, OBJ_TD, OBJ_PD, OBJ_UAR,
};

void hca_teardown(struct hca *hca)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(teardown_order); i++) {
		/* Event queues are no objects of a table: they go when no CQ is left. */
		if (teardown_order[i] == OBJ_UAR)
			eq_free_all(hca);
		object_delete_all(hca, teardown_order[i]);
	}
	hca->rx_root = NULL;
	memset(hca->roce, 0, sizeof(hca->roce));
	memset(hca->nr_list, 0, sizeof(hca->nr_list));
}

static void set_vport(struct hca *hca)
{
	const u8 *mac = hca->opt.mac;
	void *ctx = hca->nic_vport, *addr = MEMBER(nic_vport_context, ctx, permanent_address);

	memset(ctx, 0, sizeof(hca->nic_vport));
	MLX5_SET(nic_vport_context, ctx, mtu, 1500);
	MLX5_SET64(nic_vport_context, ctx, system_image_guid, hca->opt.guid);
	MLX5_SET64(nic_vport_context, ctx, node_guid, hca->opt.guid);
	MLX5_SET64(nic_vport_context, ctx, port_guid, hca->opt.guid);
	MLX5_SET(mac_address_layout, addr, mac_addr_47_32, mac[0] << 8 | mac[1]);
	MLX5_SET(mac_address_layout, addr, mac_addr_31_0,
		 (u32)mac[2] << 24 | mac[3] << 16 | mac[4] << 8 | mac[5]);
}

void hca_reset(struct hca *hca)
{
	static const char desc[] = "OpenHCA device model";
	const struct pci_identity id = {
		.vendor = 0x15b3,
		.device = hca->opt.device,
		.subsystem = 0x0001,
		.revision = 0,
		.bar_bytes = HCA_BAR_BYTES,
		.vectors = hca->opt.vectors,
		.table_offset = HCA_MSIX_TABLE,
		.pba_offset = HCA_MSIX_PBA,
		.serial = hca->opt.guid,
	};

	info("reset");
	hca_teardown(hca);
	fault_reset(hca);
	loop_cancel(&hca->loop, &hca->cmd_work);
	hca->cmd_pending = 0;
	hca->state = HCA_DISABLED;
	hca->issi = 0;
	hca->cmdq = 0;
	hca->cmdq_high = 0;
	hca->nic_interface = 0;
	hca->nr_pages = 0;
	hca->bar_latch_at = 0;
	hca->admin_up = true;
	hca->mtu = 1522;
	memset(hca->msix_table, 0, sizeof(hca->msix_table));
	memset(&hca->counters, 0, sizeof(hca->counters));
	memset(hca->node_desc, 0, sizeof(hca->node_desc));
	memcpy(hca->node_desc, desc, sizeof(desc));
	pci_init(&hca->pci, &id);
	hca->dma.enabled = false;
	caps_init(hca);
	set_vport(hca);
}

void hca_init(struct hca *hca)
{
	u32 i;

	for (i = 0; i < OBJ_NR_KINDS; i++)
		table_init(&hca->table[i], ranges[i].first, ranges[i].last);
	hca->wire.fd = -1;
	hca->wire.listen_fd = -1;
	cmd_init(hca);
	hca_reset(hca);
}

void hca_fini(struct hca *hca)
{
	hca_teardown(hca);
	free(hca->page);
	hca->page = NULL;
	free(hca->mcg);
	hca->mcg = NULL;
	dma_unmap_all(&hca->dma);
}

static u64 region_size(void *arg, u32 region)
{
	(void)arg;
	switch (region) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		return HCA_BAR_BYTES;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return PCI_CONFIG_BYTES;
	}
	return 0;
}

static int region_access(void *arg, u32 region, u64 offset, void *data, u32 len, bool write)
{
	struct hca *hca = arg;

	/* What is not there answers with ones. */
	if (hca->faults.unplugged) {
		if (!write)
			memset(data, 0xff, len);
		return 0;
	}
	if (region == VFIO_PCI_BAR0_REGION_INDEX)
		return bar_access(hca, offset, data, len, write);
	if (region != VFIO_PCI_CONFIG_REGION_INDEX)
		return -EINVAL;
	if (!write) {
		pci_read(&hca->pci, (u32)offset, data, len);
	} else if (pci_write(&hca->pci, (u32)offset, data, len)) {
		hca_reset(hca);
		return 0;
	}
	hca->dma.enabled = pci_bus_master(&hca->pci);
	return 0;
}

static void reset(void *arg)
{
	hca_reset(arg);
}

void hca_ops(struct hca *hca, struct vfu_ops *ops)
{
	*ops = (struct vfu_ops){
		.region_size = region_size,
		.access = region_access,
		.reset = reset,
		.gone = reset,
		.arg = hca,
	};
}
