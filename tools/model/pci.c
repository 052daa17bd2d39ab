// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration space: type 0 header, power management, MSI-X, PCI Express, and
 * in the extended space advanced error reporting and the serial number.
 */
#include <string.h>
#include <linux/pci_regs.h>

#include "pci.h"

#define CAP_PM		0x40u
#define CAP_PCIE	0x60u
#define CAP_MSIX	0x9cu
#define CAP_AER		0x100u
#define CAP_DSN		0x150u

static void put(u8 *at, u64 value, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		at[i] = (u8)(value >> (8 * i));
}

static void set16(struct pci *pci, u32 at, u16 value, u16 writable)
{
	put(pci->config + at, value, 2);
	put(pci->writable + at, writable, 2);
}

static void set32(struct pci *pci, u32 at, u32 value, u32 writable)
{
	put(pci->config + at, value, 4);
	put(pci->writable + at, writable, 4);
}

static u16 get16(const struct pci *pci, u32 at)
{
	return (u16)(pci->config[at] | pci->config[at + 1] << 8);
}

static void header(struct pci *pci, const struct pci_identity *id)
{
	u64 bar = ~(id->bar_bytes - 1);

	set16(pci, PCI_VENDOR_ID, id->vendor, 0);
	set16(pci, PCI_DEVICE_ID, id->device, 0);
	set16(pci, PCI_COMMAND, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
	      PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	set16(pci, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	put(pci->clears + PCI_STATUS, 0xf900, 2);
	pci->config[PCI_REVISION_ID] = id->revision;
	put(pci->config + PCI_CLASS_DEVICE, 0x0200, 2);	/* Ethernet controller */
	pci->writable[PCI_CACHE_LINE_SIZE] = 0xff;
	set32(pci, PCI_BASE_ADDRESS_0,
	      PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH, (u32)bar & ~0xfu);
	set32(pci, PCI_BASE_ADDRESS_1, 0, (u32)(bar >> 32));
	set16(pci, PCI_SUBSYSTEM_VENDOR_ID, id->vendor, 0);
	set16(pci, PCI_SUBSYSTEM_ID, id->subsystem, 0);
	pci->config[PCI_CAPABILITY_LIST] = CAP_PCIE;
	pci->writable[PCI_INTERRUPT_LINE] = 0xff;
}

static void capability(struct pci *pci, u32 at, u8 id, u8 next)
{
	pci->config[at] = id;
	pci->config[at + 1] = next;
}

static void express(struct pci *pci)
{
	capability(pci, CAP_PCIE, PCI_CAP_ID_EXP, CAP_MSIX);
	set16(pci, CAP_PCIE + PCI_EXP_FLAGS, 2, 0);	/* version 2, endpoint */
	set32(pci, CAP_PCIE + PCI_EXP_DEVCAP,
	      PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_EXT_TAG | 2, 0);
	set16(pci, CAP_PCIE + PCI_EXP_DEVCTL, 0x2810, 0x7fff);
	put(pci->clears + CAP_PCIE + PCI_EXP_DEVSTA, 0xf, 2);
	set32(pci, CAP_PCIE + PCI_EXP_LNKCAP,
	      PCI_EXP_LNKCAP_SLS_16_0GB | 16 << 4, 0);
	set16(pci, CAP_PCIE + PCI_EXP_LNKCTL, 0, PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC);
	set16(pci, CAP_PCIE + PCI_EXP_LNKSTA, PCI_EXP_LNKSTA_CLS_16_0GB | 16 << 4, 0);
	set32(pci, CAP_PCIE + PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS, 0);
	set16(pci, CAP_PCIE + PCI_EXP_DEVCTL2, 0,
	      PCI_EXP_DEVCTL2_COMP_TIMEOUT | PCI_EXP_DEVCTL2_COMP_TMOUT_DIS);
	set32(pci, CAP_PCIE + PCI_EXP_LNKCAP2, 0x1e, 0);
	set16(pci, CAP_PCIE + PCI_EXP_LNKCTL2, PCI_EXP_LNKCTL2_TLS_16_0GT, 0xf);
}

static void extended(struct pci *pci, u64 serial)
{
	set32(pci, CAP_AER, PCI_EXT_CAP_ID_ERR | 2 << 16 | CAP_DSN << 20, 0);
	put(pci->clears + CAP_AER + PCI_ERR_UNCOR_STATUS, 0x001ff010, 4);
	set32(pci, CAP_AER + PCI_ERR_UNCOR_MASK, 0, 0x001ff010);
	set32(pci, CAP_AER + PCI_ERR_UNCOR_SEVER, 0x00062010, 0x001ff010);
	put(pci->clears + CAP_AER + PCI_ERR_COR_STATUS, 0x31c1, 4);
	set32(pci, CAP_AER + PCI_ERR_COR_MASK, 0x2000, 0x31c1);
	set32(pci, CAP_DSN, PCI_EXT_CAP_ID_DSN | 1 << 16, 0);
	set32(pci, CAP_DSN + 4, (u32)serial, 0);
	set32(pci, CAP_DSN + 8, (u32)(serial >> 32), 0);
}

void pci_init(struct pci *pci, const struct pci_identity *id)
{
	memset(pci, 0, sizeof(*pci));
	header(pci, id);
	express(pci);
	capability(pci, CAP_MSIX, PCI_CAP_ID_MSIX, CAP_PM);
	set16(pci, CAP_MSIX + PCI_MSIX_FLAGS, (u16)(id->vectors - 1),
	      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	set32(pci, CAP_MSIX + PCI_MSIX_TABLE, id->table_offset, 0);	/* in BAR 0 */
	set32(pci, CAP_MSIX + PCI_MSIX_PBA, id->pba_offset, 0);
	capability(pci, CAP_PM, PCI_CAP_ID_PM, 0);
	set16(pci, CAP_PM + PCI_PM_PMC, 3, 0);
	set16(pci, CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET, PCI_PM_CTRL_STATE_MASK);
	extended(pci, id->serial);
}

void pci_read(const struct pci *pci, u32 offset, void *data, u32 len)
{
	memcpy(data, pci->config + offset, len);
}

bool pci_write(struct pci *pci, u32 offset, const void *data, u32 len)
{
	const u32 devctl = CAP_PCIE + PCI_EXP_DEVCTL;
	const u8 *p = data;
	bool flr = false;
	u32 i, at;

	for (i = 0; i < len; i++) {
		at = offset + i;
		if (at == devctl + 1 && (p[i] << 8 & PCI_EXP_DEVCTL_BCR_FLR))
			flr = true;
		pci->config[at] = (u8)((pci->config[at] & ~pci->writable[at]) |
				       (p[i] & pci->writable[at]));
		pci->config[at] &= (u8)~(p[i] & pci->clears[at]);
	}
	return flr;
}

bool pci_bus_master(const struct pci *pci)
{
	return get16(pci, PCI_COMMAND) & PCI_COMMAND_MASTER;
}

bool pci_memory_enabled(const struct pci *pci)
{
	return get16(pci, PCI_COMMAND) & PCI_COMMAND_MEMORY;
}
