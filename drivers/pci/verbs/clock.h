/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device's clock, as programs read it: its counter, and what that means in time.
 */
#ifndef OHCA_PCI_VERBS_CLOCK_H
#define OHCA_PCI_VERBS_CLOCK_H

#include <linux/mm.h>

#include "../hw/hca.h"

struct verbs_clock;

/* Where in its page of the BAR the counter is: two words, the high one first. */
#define VERBS_CLOCK_AT		offsetof(struct mlx5_init_seg, internal_timer_h)
#define VERBS_CLOCK_OFFSET	(VERBS_CLOCK_AT % PAGE_SIZE)

struct verbs_clock *verbs_clock_create(struct ohca_hca *hca);
void verbs_clock_destroy(struct verbs_clock *clock);
phys_addr_t verbs_clock_info_page(const struct verbs_clock *clock);

/* The page of the BAR that has the counter. */
static inline phys_addr_t verbs_clock_page(const struct ohca_hca *hca)
{
	return hca->bar + (VERBS_CLOCK_AT & PAGE_MASK);
}

#endif /* OHCA_PCI_VERBS_CLOCK_H */
