/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of host memory for the device's own use (QUERY_PAGES, MANAGE_PAGES).
 */
#ifndef OHCA_PCI_PAGES_H
#define OHCA_PCI_PAGES_H

#include <linux/types.h>

struct mlx5_eqe_page_req;
struct ohca_hca;

/* What QUERY_PAGES asks about. */
enum ohca_pages_phase {
	OHCA_PAGES_BOOT	= 1,	/* before SET_HCA_CAP */
	OHCA_PAGES_INIT	= 2,	/* before INIT_HCA */
};

int ohca_pages_init(struct ohca_hca *hca);
void ohca_pages_fini(struct ohca_hca *hca);
int ohca_pages_supply(struct ohca_hca *hca, enum ohca_pages_phase phase);
int ohca_pages_reclaim(struct ohca_hca *hca);
void ohca_pages_request(struct ohca_hca *hca, const struct mlx5_eqe_page_req *req);
void ohca_pages_start(struct ohca_hca *hca);
void ohca_pages_stop(struct ohca_hca *hca);

#endif /* OHCA_PCI_PAGES_H */
