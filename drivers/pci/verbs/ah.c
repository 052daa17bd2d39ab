// SPDX-License-Identifier: GPL-2.0
/*
 * Address handles.
 */
#include "ah.h"

#include <rdma/mlx5-abi.h>
#include <rdma/uverbs_ioctl.h>
#include <ohca/gid.h>

#include "verbs.h"

/* A word of the vector: entry of the table of source addresses, and flow label. */
#define AV_GID_SHIFT	20

/**
 * verbs_av_write() - writes an address vector
 * @av: to fill
 * @attr: address attributes; IB core has resolved the source GID and the MAC
 *
 * Context: any.
 */
void verbs_av_write(struct mlx5_av *av, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	memset(av, 0, sizeof(*av));
	av->stat_rate_sl = (rdma_ah_get_sl(attr) & 7) << 1;
	av->udp_sport = cpu_to_be16(rdma_flow_label_to_udp_sport(grh->flow_label));
	memcpy(av->rmac, attr->roce.dmac, ETH_ALEN);
	av->tclass = grh->traffic_class;
	av->hop_limit = grh->hop_limit;
	av->grh_gid_fl = cpu_to_be32((u32)grh->sgid_index << AV_GID_SHIFT |
				     (grh->flow_label & IB_GRH_FLOWLABEL_MASK));
	memcpy(av->rgid, grh->dgid.raw, sizeof(av->rgid));
}

/**
 * verbs_av_read() - reads an address vector
 * @av: the vector
 * @attr: to fill
 *
 * Context: any.
 */
void verbs_av_read(const struct mlx5_av *av, struct rdma_ah_attr *attr)
{
	u32 word = be32_to_cpu(av->grh_gid_fl);

	memset(attr, 0, sizeof(*attr));
	attr->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(attr, VERBS_PORT);
	rdma_ah_set_sl(attr, av->stat_rate_sl >> 1 & 7);
	rdma_ah_set_grh(attr, NULL, word & IB_GRH_FLOWLABEL_MASK, word >> AV_GID_SHIFT & 0xff,
			av->hop_limit, av->tclass);
	rdma_ah_set_dgid_raw(attr, (void *)av->rgid);
	memcpy(attr->roce.dmac, av->rmac, ETH_ALEN);
}

/**
 * verbs_create_ah() - ib_device_ops.create_ah and create_user_ah
 * @ibah: the handle
 * @init: address attributes
 * @udata: a program's: it writes its work requests itself, so the answer, struct
 *         mlx5_ib_create_ah_resp, tells the MAC; NULL: the kernel's
 *
 * Return: 0 or -EINVAL.
 */
int verbs_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct mlx5_ib_create_ah_resp resp = {};
	int err;

	err = ohca_av_check(ibah->device, IB_QPT_UD, init->ah_attr);
	if (err)
		return err;
	verbs_av_write(&to_verbs_ah(ibah)->av, init->ah_attr);
	if (!udata || !udata->outlen)
		return 0;
	memcpy(resp.dmac, init->ah_attr->roce.dmac, ETH_ALEN);
	resp.response_length = min(udata->outlen, sizeof(resp));
	return ib_copy_to_udata(udata, &resp, resp.response_length);
}

/* ib_device_ops.query_ah */
int verbs_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	verbs_av_read(&to_verbs_ah(ibah)->av, attr);
	return 0;
}

/* ib_device_ops.destroy_ah: there is nothing to give back. May not sleep. */
int verbs_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}
