/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Health: whether the device is alive, and what is done when it is not.
 */
#ifndef OHCA_PCI_HEALTH_H
#define OHCA_PCI_HEALTH_H

#include <linux/types.h>

struct ohca_hca;

int ohca_health_init(struct ohca_hca *hca);
void ohca_health_fini(struct ohca_hca *hca);
void ohca_health_start(struct ohca_hca *hca);
void ohca_health_stop(struct ohca_hca *hca);
void ohca_health_look(struct ohca_hca *hca);
void ohca_health_hold(struct ohca_hca *hca);
void ohca_health_give_up(struct ohca_hca *hca);
bool ohca_hca_gone(struct ohca_hca *hca);

#endif /* OHCA_PCI_HEALTH_H */
