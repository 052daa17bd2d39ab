/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device's GIDs: whose an address is.
 */
#ifndef OHCA_SOFT_GID_H
#define OHCA_SOFT_GID_H

#include <linux/types.h>

struct ib_gid_attr;
struct in6_addr;
struct soft_dev;

/* ib_device_ops */
int soft_add_gid(const struct ib_gid_attr *attr, void **context);
int soft_del_gid(const struct ib_gid_attr *attr, void **context);

bool soft_has_gid(const struct soft_dev *dev, const struct in6_addr *addr);

#endif /* OHCA_SOFT_GID_H */
