// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable datagrams, and the GSI queue pair, which is one that the wire knows
 * as QP 1 (IBA 9.8.3).
 */
#include "eth.h"
#include "mcg.h"
#include "mkey.h"
#include "qp.h"
#include "roce.h"

#define BTH_SEND_ONLY		0x64
#define BTH_SEND_ONLY_IMM	0x65
#define DETH_BYTES		8u
#define UD_HEAD			20u
#define IMM_BYTES		4u
#define GRH_BYTES		40u
#define GSI_QPN			1u
#define GSI_QKEY		0x80010000u
/* States in which datagrams are taken in. */
#define RECEIVING	(BIT(MLX5_QP_STATE_RTR) | BIT(MLX5_QP_STATE_RTS) | \
			 BIT(MLX5_QP_STATE_SQER) | BIT(MLX5_QP_STATE_SQD))
#define UD_BATCH		64
#define MULTICAST_QPN		0xffffffu
#define FLUSH_INTERVAL		(20 * 1000000ull)

static void put32(u8 *p, u32 value)
{
	__be32 be = cpu_to_be32(value);

	memcpy(p, &be, sizeof(be));
}

static u32 get32(const u8 *p)
{
	__be32 be;

	memcpy(&be, p, sizeof(be));
	return be32_to_cpu(be);
}

/* The number that the wire knows a QP by. */
static u32 wire_qpn(const struct qp *qp)
{
	if (qp->st == MLX5_QP_ST_QP1)
		return GSI_QPN;
	return MLX5_GET(qpc, qp->ctx, deth_sqpn) ?: qp->wq.obj.id;
}

static u32 own_qkey(const struct qp *qp)
{
	return qp->st == MLX5_QP_ST_QP1 ? GSI_QKEY : MLX5_GET(qpc, qp->ctx, q_key);
}

static u32 put_headers(u8 *head, struct qp *qp, const struct mlx5_av *av,
		       const struct tp_send_wr *wr)
{
	u32 qkey = be32_to_cpu(av->key.qkey.qkey), psn, pad = -wr->length & 3;
	bool imm = wr->opcode == IB_UVERBS_WR_SEND_WITH_IMM;

	psn = MLX5_GET(qpc, qp->ctx, next_send_psn);
	MLX5_SET(qpc, qp->ctx, next_send_psn, (psn + 1) & 0xffffff);
	/* A Q_Key with the high bit set stands for the QP's own (IBA 10.2.5). */
	if (qkey >> 31)
		qkey = own_qkey(qp);
	head[0] = imm ? BTH_SEND_ONLY_IMM : BTH_SEND_ONLY;
	head[1] = (u8)((wr->flags & TP_SEND_SOLICITED ? 0x80 : 0) | 0x40 | pad << 4);
	head[2] = 0xff;
	head[3] = 0xff;
	put32(head + 4, be32_to_cpu(av->dqp_dct) & 0xffffff);
	put32(head + 8, psn);
	put32(head + 12, qkey);
	put32(head + 16, wire_qpn(qp));
	if (imm)
		memcpy(head + 20, &wr->imm, IMM_BYTES);
	return 12 + DETH_BYTES + (imm ? IMM_BYTES : 0);
}

/* Collects the payload; TP_WC_SUCCESS or how the request fails. */
static enum tp_wc_status gather(struct qp *qp, const struct tp_send_wr *wr, u8 *payload)
{
	u32 i, at = 0, pd;

	if (wr->bad)
		return wr->bad;
	if (wr->length > ROCE_MAX_PAYLOAD)
		return TP_WC_LOC_LEN_ERR;
	if (wr->flags & TP_SEND_INLINE) {
		memcpy(payload, wr->inline_data, wr->length);
		return TP_WC_SUCCESS;
	}
	for (i = 0; i < wr->num_sge; i++) {
		pd = wr->sge[i].lkey == HCA_RESERVED_LKEY && MLX5_GET(qpc, qp->ctx, rlky) ?
		     MKEY_ANY_PD : qp->pd;
		if (mkey_copy(qp->wq.obj.hca, wr->sge[i].lkey, pd, wr->sge[i].addr, payload + at,
			      wr->sge[i].length, false))
			return TP_WC_LOC_PROT_ERR;
		at += wr->sge[i].length;
	}
	return TP_WC_SUCCESS;
}

static bool set_path(struct hca *hca, const struct mlx5_av *av, struct path *path)
{
	u32 grh = be32_to_cpu(av->grh_gid_fl);

	/* RoCE always has addresses, whether the AV says so or not. */
	if (!roce_source(hca, grh >> 20 & 0xff, path))
		return false;
	memcpy(path->dmac, av->rmac, sizeof(path->dmac));
	memcpy(path->dip, av->rgid, sizeof(path->dip));
	path->vlan |= (u16)((av->stat_rate_sl & 7) << 13);
	path->sport = be16_to_cpu(av->udp_sport) ?: 0xc000;
	path->tclass = av->tclass;
	path->hop_limit = av->hop_limit ?: 64;
	path->flow_label = grh & 0xfffff;
	return true;
}

/* One request of @bytes in @wqe: control, address vector, data. */
static enum tp_wc_status send_one(struct qp *qp, u8 *wqe, u32 bytes, struct tp_send_wr *wr)
{
	const u32 ctrl = sizeof(struct mlx5_wqe_ctrl_seg);
	u8 head[64], payload[ROCE_MAX_PAYLOAD];
	struct path path = { 0 };
	enum tp_wc_status status;
	struct mlx5_av av;
	u32 head_len;

	if (bytes < ctrl + sizeof(av))
		return TP_WC_LOC_QP_OP_ERR;
	memcpy(&av, wqe + ctrl, sizeof(av));
	memmove(wqe + ctrl, wqe + ctrl + sizeof(av), bytes - ctrl - sizeof(av));
	wqe_parse_send(wqe, bytes - (u32)sizeof(av), wr);
	if (wr->opcode != IB_UVERBS_WR_SEND && wr->opcode != IB_UVERBS_WR_SEND_WITH_IMM)
		return TP_WC_LOC_QP_OP_ERR;
	status = gather(qp, wr, payload);
	if (status)
		return status;
	if (!set_path(qp->wq.obj.hca, &av, &path))
		return TP_WC_LOC_QP_OP_ERR;
	head_len = put_headers(head, qp, &av, wr);
	roce_send_packet(qp->wq.obj.hca, &path, head, head_len, payload, wr->length);
	return TP_WC_SUCCESS;
}

/* Receives are posted without a doorbell: the timer looks for more. */
static void flush_receives(struct qp *qp)
{
	struct tp_wc wc = { .status = TP_WC_WR_FLUSH_ERR };
	struct tp_recv_wr wr;

	while (!qp->srq && wqe_next_recv(qp, &wr))
		cqe_recv(qp, &wc);
	loop_arm(&qp->wq.obj.hca->loop, &qp->timer, loop_now() + FLUSH_INTERVAL);
}

void ud_run(struct qp *qp)
{
	union {
		struct tp_send_wr wr;
		u8 room[sizeof(struct tp_send_wr) + QP_MAX_INLINE];
	} u;
	u8 wqe[MLX5_SEND_WQE_MAX_SIZE] __aligned(16);
	struct tp_wc wc = { 0 };
	u32 bytes, i;

	if (qp->st != MLX5_QP_ST_UD && qp->st != MLX5_QP_ST_QP1)
		return;
	if (qp->state == MLX5_QP_STATE_ERR)
		flush_receives(qp);
	for (i = 0; i < UD_BATCH; i++) {
		if (qp->state != MLX5_QP_STATE_RTS && qp->state != MLX5_QP_STATE_ERR &&
		    qp->state != MLX5_QP_STATE_SQER)
			return;
		if (wire_full(&qp->wq.obj.hca->wire) ||
		    !wqe_fetch_send(qp, wqe, &bytes, &wc.wr_id))
			return;
		memset(&u, 0, sizeof(u));
		wc.status = TP_WC_WR_FLUSH_ERR;
		if (qp->state == MLX5_QP_STATE_RTS)
			wc.status = send_one(qp, wqe, bytes, &u.wr);
		/* Receiving goes on (IBA 10.3.1.7). */
		if (wc.status && wc.status != TP_WC_WR_FLUSH_ERR)
			qp->state = MLX5_QP_STATE_SQER;
		if (wc.status || u.wr.signaled)
			cqe_send(qp, &wc);
	}
	qp_again(qp);
}

static struct qp *find(struct hca *hca, u32 qpn)
{
	struct table *table = &hca->table[OBJ_WQ];
	struct qp *qp;
	u32 i;

	if (qpn != GSI_QPN)
		return qp_find(hca, qpn);
	for (i = 0; i < table->cap; i++) {
		qp = table->slot[i] ? qp_find(hca, table->first + i) : NULL;
		if (qp && qp->st == MLX5_QP_ST_QP1)
			return qp;
	}
	return NULL;
}

/* Puts @len bytes at @at of the receive's buffers; false: they don't fit, or a bad key. */
static bool scatter(struct qp *qp, const struct tp_recv_wr *wr, u32 at, const u8 *data, u32 len)
{
	u32 i, n, pd;

	for (i = 0; i < wr->num_sge && len; i++) {
		if (at >= wr->sge[i].length) {
			at -= wr->sge[i].length;
			continue;
		}
		n = min(wr->sge[i].length - at, len);
		pd = wr->sge[i].lkey == HCA_RESERVED_LKEY && MLX5_GET(qpc, qp->ctx, rlky) ?
		     MKEY_ANY_PD : qp->pd;
		if (mkey_copy(qp->wq.obj.hca, wr->sge[i].lkey, pd, wr->sge[i].addr + at,
			      (void *)data, n, true))
			return false;
		data += n;
		len -= n;
		at = 0;
	}
	return !len;
}

/* Where the GRH would be: the IP header, an IPv4 one in the last 20 bytes (A17.4.5.1). */
static void make_grh(u8 *grh, const u8 *frame, const struct eth_parsed *p)
{
	memset(grh, 0, GRH_BYTES);
	if (p->version == 4)
		memcpy(grh + 20, frame + p->l3, 20);
	else
		memcpy(grh, frame + p->l3, GRH_BYTES);
}

static void receive_one(struct qp *qp, const u8 *frame, const struct eth_parsed *p, const u8 *bth,
			u32 len)
{
	bool imm = bth[0] == BTH_SEND_ONLY_IMM;
	u32 head = 12 + DETH_BYTES + (imm ? IMM_BYTES : 0), pad = bth[1] >> 4 & 3, qkey;
	struct tp_wc wc = { .flags = TP_WC_GRH, .solicited = bth[1] >> 7 };
	struct tp_recv_wr wr;
	u8 grh[GRH_BYTES];

	if ((bth[0] != BTH_SEND_ONLY && !imm) || len < head + pad + TP_ICRC_BYTES || !qp ||
	    (qp->st != MLX5_QP_ST_UD && qp->st != MLX5_QP_ST_QP1) ||
	    !(RECEIVING >> qp->state & 1)) {
		trace("datagram dropped");
		return;
	}
	qkey = own_qkey(qp);
	if (get32(bth + 12) != qkey) {
		trace("qp 0x%x: Q_Key 0x%x, not 0x%x", qp->wq.obj.id, get32(bth + 12), qkey);
		return;
	}
	if (!wqe_next_recv(qp, &wr)) {
		trace("qp 0x%x: no receive for a datagram", qp->wq.obj.id);
		return;
	}
	len -= head + pad + TP_ICRC_BYTES;
	make_grh(grh, frame, p);
	wc.byte_len = GRH_BYTES + len;
	wc.src_qp = get32(bth + 16) & 0xffffff;
	wc.opcode = TP_WC_RECV;
	if (imm) {
		memcpy(&wc.imm, bth + 20, IMM_BYTES);
		wc.flags |= TP_WC_WITH_IMM;
	}
	if (wr.bad)
		wc.status = wr.bad;
	else if (wr.length < wc.byte_len)
		wc.status = TP_WC_LOC_LEN_ERR;
	else if (!scatter(qp, &wr, 0, grh, GRH_BYTES) ||
		 !scatter(qp, &wr, GRH_BYTES, bth + head, len))
		wc.status = TP_WC_LOC_PROT_ERR;
	cqe_recv_ud(qp, &wc, p->version == 4);
}

/* The group that a multicast frame is for. */
static void group_of(const u8 *frame, const struct eth_parsed *p, u8 *gid)
{
	memset(gid, 0, 16);
	if (p->version == 4) {
		memset(gid + 10, 0xff, 2);
		memcpy(gid + 12, frame + p->l3 + 16, 4);
	} else {
		memcpy(gid, frame + p->l3 + 24, 16);
	}
}

void ud_receive(struct hca *hca, const u8 *frame, const struct eth_parsed *p, const u8 *bth,
		u32 len)
{
	u32 qpn = get32(bth + 4) & 0xffffff, i;
	struct qp *qp;
	u8 gid[16];
	bool own;

	if (qpn != MULTICAST_QPN) {
		receive_one(find(hca, qpn), frame, p, bth, len);
		return;
	}
	group_of(frame, p, gid);
	own = !memcmp(frame + 6, hca->opt.mac, sizeof(hca->opt.mac));
	for (i = 0; i < hca->nr_mcg; i++) {
		if (memcmp(hca->mcg[i].gid, gid, sizeof(gid)))
			continue;
		qp = qp_find(hca, hca->mcg[i].qpn);
		/* Nobody hears himself who does not want to. */
		if (own && qp && MLX5_GET(qpc, qp->ctx, block_lb_mc) && len >= UD_HEAD &&
		    (get32(bth + 16) & 0xffffff) == wire_qpn(qp))
			continue;
		receive_one(qp, frame, p, bth, len);
	}
}
