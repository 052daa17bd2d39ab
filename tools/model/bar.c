// SPDX-License-Identifier: GPL-2.0
/*
 * BAR 0: the initialization segment, the MSI-X table, and behind them the UARs
 * with their doorbells.
 */
#include <errno.h>

#include "cmd.h"
#include "cq.h"
#include "eq.h"
#include "hca.h"
#include "wq.h"

#define ISEG_FIELD(f)	((u32)offsetof(struct mlx5_init_seg, f))

#define FW_MAJOR	22u
#define FW_MINOR	41u
#define FW_SUBMINOR	1000u

/* Doorbells within a UAR page. */
#define UAR_CQ_ARM	0x20u
#define UAR_EQ_ARM	0x40u
#define UAR_EQ_UPDATE	0x48u
#define UAR_SEND	0x800u
/* Only the first 8 bytes of such a buffer are a doorbell; the rest is a BlueFlame copy. */
#define UAR_SEND_BUFFER	0x100u

static u32 iseg_word(const struct hca *hca, u32 at)
{
	u64 now = loop_now();

	switch (at) {
	case ISEG_FIELD(fw_rev):
		return FW_MINOR << 16 | FW_MAJOR;
	case ISEG_FIELD(cmdif_rev_fw_sub):
		return 5u << 16 | FW_SUBMINOR;
	case ISEG_FIELD(cmdq_addr_h):
		return hca->cmdq_high;
	case ISEG_FIELD(cmdq_addr_l_sz):
		return ((u32)hca->cmdq & ~0xfffu) | (u32)hca->nic_interface << 8 |
		       CMD_LOG_SLOTS << 4 | CMD_LOG_STRIDE;
	case ISEG_FIELD(health) + offsetof(struct health_buffer, fw_ver):
		return FW_MAJOR << 24 | FW_MINOR << 16 | FW_SUBMINOR;
	case ISEG_FIELD(health) + offsetof(struct health_buffer, rfr_severity):
		return (u32)hca->faults.rfr << 31;
	case ISEG_FIELD(health) + offsetof(struct health_buffer, irisc_index):
		return (u32)hca->faults.synd << 16;
	case ISEG_FIELD(health_counter):
		return hca_health_counter(hca);
	case ISEG_FIELD(internal_timer_h):
		return (u32)(hca_clock(hca) >> 32);
	case ISEG_FIELD(internal_timer_l):
		return (u32)hca_clock(hca);
	case ISEG_FIELD(real_time_h):
		return (u32)(now / 1000000000u);
	case ISEG_FIELD(real_time_l):
		return (u32)(now % 1000000000u);
	}
	return 0;
}

static void iseg_write(struct hca *hca, u32 at, u32 value)
{
	switch (at) {
	case ISEG_FIELD(cmdq_addr_h):
		hca->cmdq_high = value;
		break;
	case ISEG_FIELD(cmdq_addr_l_sz):
		hca->cmdq = (u64)hca->cmdq_high << 32 | (value & ~0xfffu);
		hca->nic_interface = value >> 8 & 7;
		info("command queue at 0x%llx, interface %u", (unsigned long long)hca->cmdq,
		     hca->nic_interface);
		break;
	case ISEG_FIELD(cmd_dbell):
		cmd_doorbell(hca, value);
		break;
	}
}

static void uar_write(struct hca *hca, u32 uar, u32 at, const u8 *data, u32 len)
{
	__be32 word[2] = { 0, 0 };

	memcpy(word, data, len < 8 ? len : 8);
	if (!object_find(hca, OBJ_UAR, uar)) {
		info("doorbell 0x%x of UAR %u, which is not allocated", at, uar);
		return;
	}
	if (at == UAR_EQ_ARM || at == UAR_EQ_UPDATE) {
		eq_doorbell(hca, be32_to_cpu(word[0]), at == UAR_EQ_ARM);
		return;
	}
	/* The others are 8 bytes, which may come in halves. */
	if (len == 4 && !(at & 7)) {
		hca->bar_latch = be32_to_cpu(word[0]);
		hca->bar_latch_at = (u64)uar * HCA_UAR_BYTES + at;
		return;
	}
	if (len == 4) {
		at -= 4;
		if (hca->bar_latch_at != (u64)uar * HCA_UAR_BYTES + at)
			return;
		word[1] = word[0];
		word[0] = cpu_to_be32(hca->bar_latch);
		hca->bar_latch_at = 0;
	}
	if (at == UAR_CQ_ARM)
		cq_doorbell(hca, be32_to_cpu(word[0]), be32_to_cpu(word[1]) & 0xffffff);
	else if (at >= UAR_SEND && !(at % UAR_SEND_BUFFER))
		wq_doorbell(hca, uar, be32_to_cpu(word[1]) >> 8);
}

static void read_word(struct hca *hca, u64 offset, u8 *data, u32 len)
{
	__be32 word;

	memset(data, 0, len);
	if (offset >= HCA_MSIX_TABLE && offset + len <= HCA_MSIX_TABLE + sizeof(hca->msix_table)) {
		memcpy(data, hca->msix_table + (offset - HCA_MSIX_TABLE), len);
	} else if (offset < HCA_MSIX_TABLE) {
		word = cpu_to_be32(iseg_word(hca, (u32)offset & ~3u));
		memcpy(data, (u8 *)&word + (offset & 3), len);
	}
}

static void write_word(struct hca *hca, u64 offset, const u8 *data, u32 len)
{
	__be32 word;

	if (offset >= HCA_UAR_FIRST * HCA_UAR_BYTES) {
		uar_write(hca, (u32)(offset / HCA_UAR_BYTES), offset % HCA_UAR_BYTES, data, len);
	} else if (offset >= HCA_MSIX_TABLE &&
		   offset + len <= HCA_MSIX_TABLE + sizeof(hca->msix_table)) {
		memcpy(hca->msix_table + (offset - HCA_MSIX_TABLE), data, len);
	} else if (offset < HCA_MSIX_TABLE && len == 4 && !(offset & 3)) {
		memcpy(&word, data, 4);
		iseg_write(hca, (u32)offset, be32_to_cpu(word));
	}
}

int bar_access(struct hca *hca, u64 offset, void *data, u32 len, bool write)
{
	u8 *p = data;
	u32 n;

	if (!pci_memory_enabled(&hca->pci))
		return write ? 0 : (memset(data, 0xff, len), 0);
	for (; len; offset += n, p += n, len -= n) {
		/* Naturally aligned pieces: 8 bytes in a UAR, else 4 at most. */
		n = 4 - (u32)(offset & 3);
		if (!(offset & 7) && len >= 8 && offset >= HCA_UAR_FIRST * HCA_UAR_BYTES)
			n = 8;
		n = n < len ? n : len;
		if (write)
			write_word(hca, offset, p, n);
		else
			read_word(hca, offset, p, n);
	}
	return 0;
}
