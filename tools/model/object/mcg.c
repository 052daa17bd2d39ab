// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups: which queue pairs of unreliable datagrams a multicast address
 * leads to. A table of pairs, searched for each multicast datagram.
 */
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"
#include "mcg.h"
#include "qp.h"

static struct mcg_member *find(struct hca *hca, const u8 *gid, u32 qpn)
{
	struct mcg_member *member;
	u32 i;

	for (i = 0; i < hca->nr_mcg; i++) {
		member = &hca->mcg[i];
		if (member->qpn == qpn && !memcmp(member->gid, gid, sizeof(member->gid)))
			return member;
	}
	return NULL;
}

static void drop(struct hca *hca, struct mcg_member *member)
{
	*member = hca->mcg[--hca->nr_mcg];
}

int cmd_attach_to_mcg(struct cmd *cmd)
{
	struct hca *hca = cmd->hca;
	const u8 *gid = MEMBER(attach_to_mcg_in, cmd->in, multicast_gid);
	struct qp *qp = qp_find(hca, MLX5_GET(attach_to_mcg_in, cmd->in, qpn));
	struct mcg_member *bigger;

	if (!qp)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	if (qp->st != MLX5_QP_ST_UD || (gid[0] != 0xff && !mcg_is_ipv4(gid)))
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_PARAM_ERR);
	if (find(hca, gid, qp->wq.obj.id))
		return 0;
	if (hca->nr_mcg == HCA_MAX_MCG_MEMBERS)
		return cmd_fail(cmd, MLX5_CMD_STAT_LIM_ERR);
	bigger = realloc(hca->mcg, (hca->nr_mcg + 1) * sizeof(*bigger));
	if (!bigger)
		return cmd_fail(cmd, MLX5_CMD_STAT_NO_RES_ERR);
	hca->mcg = bigger;
	memcpy(bigger[hca->nr_mcg].gid, gid, sizeof(bigger->gid));
	bigger[hca->nr_mcg++].qpn = qp->wq.obj.id;
	return 0;
}

int cmd_detach_from_mcg(struct cmd *cmd)
{
	struct mcg_member *member;

	member = find(cmd->hca, MEMBER(detach_from_mcg_in, cmd->in, multicast_gid),
		      MLX5_GET(detach_from_mcg_in, cmd->in, qpn));
	if (!member)
		return cmd_fail(cmd, MLX5_CMD_STAT_BAD_RES_ERR);
	drop(cmd->hca, member);
	return 0;
}

void mcg_forget(struct hca *hca, u32 qpn)
{
	u32 i = 0;

	while (i < hca->nr_mcg) {
		if (hca->mcg[i].qpn == qpn)
			drop(hca, &hca->mcg[i]);
		else
			i++;
	}
}
