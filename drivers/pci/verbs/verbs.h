/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs of the PCI adapter: its ib_device, and what its parts share.
 *
 * It speaks the mlx5 user ABI (include/uapi/rdma/mlx5-abi.h), so that the stock
 * library drives it, and rests on hw/ for everything that concerns the adapter.
 */
#ifndef OHCA_PCI_VERBS_H
#define OHCA_PCI_VERBS_H

#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <ohca/port.h>

#include "../hw/hca.h"

/* The only port. */
#define VERBS_PORT	1

/* The default key, full membership (IBA 10.9.2): the only one, as RoCE has no other. */
#define VERBS_PKEY	0xffff

struct verbs_clock;
struct verbs_counters;

/**
 * struct ohca_ib - the verbs of an adapter
 * @ibdev: the IB device
 * @hca: the adapter
 * @port: its port, for events
 * @netdev_nb: watches the port's netdev
 * @event_nb: watches the adapter
 * @counters: the device's counters
 * @qps: the QPs by number (struct verbs_qp), for completions; entries go when no
 *       completion of theirs can be left
 * @clock: conversion of the device's clock for user space; NULL: none
 *
 * Made by ohca_ib_function.add, freed by IB core after the last user has gone.
 */
struct ohca_ib {
	struct ib_device ibdev;
	struct ohca_hca *hca;
	struct ohca_port port;
	struct notifier_block netdev_nb;
	struct notifier_block event_nb;
	struct verbs_counters *counters;
	struct xarray qps;
	struct verbs_clock *clock;
};

static inline struct ohca_ib *to_ohca_ib(struct ib_device *ibdev)
{
	return container_of(ibdev, struct ohca_ib, ibdev);
}

static inline struct ohca_hca *to_hca(struct ib_device *ibdev)
{
	return to_ohca_ib(ibdev)->hca;
}

/**
 * verbs_read_udata() - reads what a library of any age says beside a verb
 * @udata: of the system call
 * @req: where to; what an older library does not know of is 0
 * @size: bytes of @req
 * @least: bytes that the oldest library says
 *
 * Return: 0; -EINVAL: too short; -EOPNOTSUPP: a newer library asks for what is not
 * known here; -EFAULT.
 */
static inline int verbs_read_udata(struct ib_udata *udata, void *req, size_t size, size_t least)
{
	memset(req, 0, size);
	if (udata->inlen < least)
		return -EINVAL;
	if (udata->inlen > size && !ib_is_udata_cleared(udata, size, udata->inlen - size))
		return -EOPNOTSUPP;
	return ib_copy_from_udata(req, udata, min(udata->inlen, size)) ? -EFAULT : 0;
}

/**
 * struct verbs_pd - a protection domain
 * @ibpd: IB core's
 * @pdn: the device's number
 */
struct verbs_pd {
	struct ib_pd ibpd;
	u32 pdn;
};

static inline struct verbs_pd *to_verbs_pd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct verbs_pd, ibpd);
}

/**
 * struct verbs_xrcd - an XRC domain
 * @ibxrcd: IB core's
 * @xrcdn: the device's number
 */
struct verbs_xrcd {
	struct ib_xrcd ibxrcd;
	u32 xrcdn;
};

static inline struct verbs_xrcd *to_verbs_xrcd(struct ib_xrcd *ibxrcd)
{
	return container_of(ibxrcd, struct verbs_xrcd, ibxrcd);
}

/* query.c */
int verbs_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		       struct ib_udata *udata);
int verbs_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
int verbs_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int verbs_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *modify);
enum rdma_link_layer verbs_get_link_layer(struct ib_device *ibdev, u32 port);
int verbs_get_port_immutable(struct ib_device *ibdev, u32 port,
			     struct ib_port_immutable *immutable);
void verbs_get_fw_str(struct ib_device *ibdev, char *str);
u32 verbs_gid_table_len(struct ohca_hca *hca);
u32 verbs_max_rd_atomic(struct ohca_hca *hca, bool requester);

/* gid.c */
int verbs_add_gid(const struct ib_gid_attr *attr, void **context);
int verbs_del_gid(const struct ib_gid_attr *attr, void **context);

/* mcast.c */
int verbs_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int verbs_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/* pd.c */
int verbs_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int verbs_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int verbs_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);
int verbs_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata);

#endif /* OHCA_PCI_VERBS_H */
