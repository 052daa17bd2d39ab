// SPDX-License-Identifier: GPL-2.0
/*
 * ohca_pci: mlx5-family PCI HCAs.
 */
#include <linux/module.h>

#include "function.h"
#include "hw/hca.h"

/* The RoCE port of the verbs is on the netdev, which comes before and goes after it. */
static const struct ohca_function *const functions[] = {
	&ohca_eth_function,
	&ohca_ib_function,
	NULL
};

static int __init ohca_init(void)
{
	return ohca_pci_register(functions);
}

static void __exit ohca_exit(void)
{
	ohca_pci_unregister();
}

module_init(ohca_init);
module_exit(ohca_exit);

MODULE_DESCRIPTION("OpenHCA: mlx5-family PCI HCAs, by driver_override only");
MODULE_AUTHOR("OpenHCA contributors");
MODULE_LICENSE("GPL");
