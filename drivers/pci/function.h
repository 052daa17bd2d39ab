/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module builds on an adapter; see struct ohca_function.
 */
#ifndef OHCA_PCI_FUNCTION_H
#define OHCA_PCI_FUNCTION_H

struct ohca_function;

extern const struct ohca_function ohca_eth_function;	/* eth/ */
extern const struct ohca_function ohca_ib_function;	/* verbs/ */

#endif /* OHCA_PCI_FUNCTION_H */
