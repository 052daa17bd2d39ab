// SPDX-License-Identifier: GPL-2.0
/*
 * Protection domains and XRC domains: numbers of the device's.
 */
#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "../hw/object.h"
#include "verbs.h"

/**
 * verbs_alloc_pd() - ib_device_ops.alloc_pd
 * @ibpd: the domain
 * @udata: a program's: the answer is struct mlx5_ib_alloc_pd_resp; NULL: the kernel's
 *
 * Return: 0 or an error of the command or of the copy.
 */
int verbs_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct verbs_pd *pd = to_verbs_pd(ibpd);
	struct mlx5_ib_alloc_pd_resp resp = {};
	int err;

	err = ohca_pd_alloc(to_hca(ibpd->device), &pd->pdn);
	if (err || !udata)
		return err;
	resp.pdn = pd->pdn;
	err = ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
	if (err)
		ohca_pd_free(to_hca(ibpd->device), pd->pdn);
	return err;
}

/* ib_device_ops.dealloc_pd */
int verbs_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	ohca_pd_free(to_hca(ibpd->device), to_verbs_pd(ibpd)->pdn);
	return 0;
}

/* ib_device_ops.alloc_xrcd */
int verbs_alloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	struct ohca_hca *hca = to_hca(ibxrcd->device);

	if (!MLX5_CAP_GEN(hca, xrc))
		return -EOPNOTSUPP;
	return ohca_xrcd_alloc(hca, &to_verbs_xrcd(ibxrcd)->xrcdn);
}

/* ib_device_ops.dealloc_xrcd */
int verbs_dealloc_xrcd(struct ib_xrcd *ibxrcd, struct ib_udata *udata)
{
	ohca_xrcd_free(to_hca(ibxrcd->device), to_verbs_xrcd(ibxrcd)->xrcdn);
	return 0;
}
