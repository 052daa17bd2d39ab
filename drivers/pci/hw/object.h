/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects that one short command makes and another destroys.
 */
#ifndef OHCA_PCI_OBJECT_H
#define OHCA_PCI_OBJECT_H

#include <linux/types.h>

struct ohca_hca;

int ohca_pd_alloc(struct ohca_hca *hca, u32 *pdn);
void ohca_pd_free(struct ohca_hca *hca, u32 pdn);
int ohca_td_alloc(struct ohca_hca *hca, u32 *tdn);
void ohca_td_free(struct ohca_hca *hca, u32 tdn);
int ohca_xrcd_alloc(struct ohca_hca *hca, u32 *xrcdn);
void ohca_xrcd_free(struct ohca_hca *hca, u32 xrcdn);
int ohca_q_counter_alloc(struct ohca_hca *hca, u16 *id);
void ohca_q_counter_free(struct ohca_hca *hca, u16 id);

int ohca_mkey_create(struct ohca_hca *hca, u32 *mkey, void *in, u32 inlen);
int ohca_mkey_create_all(struct ohca_hca *hca, u32 *mkey, u32 pdn, bool remote);
int ohca_mkey_destroy(struct ohca_hca *hca, u32 mkey);

#endif /* OHCA_PCI_OBJECT_H */
