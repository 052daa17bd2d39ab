/* SPDX-License-Identifier: GPL-2.0 */
/* The PCI Express function: its configuration space. */
#ifndef OHCA_MODEL_PCI_H
#define OHCA_MODEL_PCI_H

#include <linux/types.h>

#define PCI_CONFIG_BYTES	4096u

/**
 * struct pci - a configuration space
 * @config: what is read
 * @writable: bits that a write changes
 * @clears: bits that writing 1 clears
 */
struct pci {
	u8 config[PCI_CONFIG_BYTES];
	u8 writable[PCI_CONFIG_BYTES];
	u8 clears[PCI_CONFIG_BYTES];
};

/**
 * struct pci_identity - what the function says it is
 * @vendor: vendor id
 * @device: device id
 * @subsystem: subsystem id
 * @revision: revision id
 * @bar_bytes: size of BAR 0, a power of two
 * @vectors: MSI-X vectors
 * @table_offset: MSI-X table in BAR 0
 * @pba_offset: MSI-X pending bits in BAR 0
 * @serial: device serial number
 */
struct pci_identity {
	u16 vendor;
	u16 device;
	u16 subsystem;
	u8 revision;
	u64 bar_bytes;
	u32 vectors;
	u32 table_offset;
	u32 pba_offset;
	u64 serial;
};

void pci_init(struct pci *pci, const struct pci_identity *id);
void pci_read(const struct pci *pci, u32 offset, void *data, u32 len);
/* True: the write asks for a function level reset. */
bool pci_write(struct pci *pci, u32 offset, const void *data, u32 len);
bool pci_bus_master(const struct pci *pci);
bool pci_memory_enabled(const struct pci *pci);

#endif /* OHCA_MODEL_PCI_H */
