// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queue entries (PRM, "Completion Queue Entry").
 *
 * Nothing here needs a device: kunit/pci_cqe_test.c tests it with entries made by
 * hand.
 */
#include "cqe.h"

static const struct {
	u8 syndrome;
	enum ib_wc_status status;
} syndromes[] = {
	{ MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR,		IB_WC_LOC_LEN_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR,		IB_WC_LOC_QP_OP_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,		IB_WC_LOC_PROT_ERR },
	{ MLX5_CQE_SYNDROME_WR_FLUSH_ERR,		IB_WC_WR_FLUSH_ERR },
	{ MLX5_CQE_SYNDROME_MW_BIND_ERR,		IB_WC_MW_BIND_ERR },
	{ MLX5_CQE_SYNDROME_BAD_RESP_ERR,		IB_WC_BAD_RESP_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR,		IB_WC_LOC_ACCESS_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,	IB_WC_REM_INV_REQ_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR,		IB_WC_REM_ACCESS_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_OP_ERR,		IB_WC_REM_OP_ERR },
	{ MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR,	IB_WC_RETRY_EXC_ERR },
	{ MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR,		IB_WC_RNR_RETRY_EXC_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR,		IB_WC_REM_ABORT_ERR },
};

/* What each opcode of an entry means; WITH_* are struct ib_wc's flags. */
static const struct {
	enum verbs_cqe_kind kind;
	enum ib_wc_opcode opcode;
	int flags;
} opcodes[] = {
	[MLX5_CQE_REQ]		 = { VERBS_CQE_SEND, IB_WC_SEND, 0 },
	[MLX5_CQE_RESP_WR_IMM]	 = { VERBS_CQE_RECV, IB_WC_RECV_RDMA_WITH_IMM, IB_WC_WITH_IMM },
	[MLX5_CQE_RESP_SEND]	 = { VERBS_CQE_RECV, IB_WC_RECV, 0 },
	[MLX5_CQE_RESP_SEND_IMM] = { VERBS_CQE_RECV, IB_WC_RECV, IB_WC_WITH_IMM },
	[MLX5_CQE_RESP_SEND_INV] = { VERBS_CQE_RECV, IB_WC_RECV, IB_WC_WITH_INVALIDATE },
	[MLX5_CQE_RESIZE_CQ]	 = { VERBS_CQE_RESIZE, 0, 0 },
	[6 ... 12]		 = { VERBS_CQE_OTHER, 0, 0 },
	[MLX5_CQE_REQ_ERR]	 = { VERBS_CQE_SEND, IB_WC_SEND, 0 },
	[MLX5_CQE_RESP_ERR]	 = { VERBS_CQE_RECV, IB_WC_RECV, 0 },
	[MLX5_CQE_INVALID]	 = { VERBS_CQE_OTHER, 0, 0 },
};

/**
 * verbs_cqe_opcode() - an entry's opcode
 * @cqe: the entry
 *
 * Context: any.
 * Return: MLX5_CQE_*.
 */
u8 verbs_cqe_opcode(const struct mlx5_cqe64 *cqe)
{
	return READ_ONCE(cqe->op_own) >> 4;
}

/**
 * verbs_cqe_ready() - whether the device has written an entry
 * @cqe: the entry, in memory that the device writes
 * @index: its number, which counts on
 * @log_size: log2 of the queue's entries
 *
 * The ownership bit changes from lap to lap, and is written last. The caller
 * reads the rest after a dma_rmb().
 *
 * Context: any.
 * Return: whether it is there to be read.
 */
bool verbs_cqe_ready(const struct mlx5_cqe64 *cqe, u32 index, unsigned int log_size)
{
	u8 op_own = READ_ONCE(cqe->op_own);

	return op_own >> 4 != MLX5_CQE_INVALID && (op_own & 1) == (index >> log_size & 1);
}

/**
 * verbs_cqe_kind() - what an entry is about
 * @cqe: the entry
 *
 * Context: any.
 * Return: &enum verbs_cqe_kind.
 */
enum verbs_cqe_kind verbs_cqe_kind(const struct mlx5_cqe64 *cqe)
{
	return opcodes[verbs_cqe_opcode(cqe)].kind;
}

/**
 * verbs_cqe_status() - how the work request of an entry went
 * @cqe: the entry
 *
 * Context: any.
 * Return: the status; IB_WC_GENERAL_ERR for a syndrome that is not known.
 */
enum ib_wc_status verbs_cqe_status(const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_err_cqe *err = (const struct mlx5_err_cqe *)cqe;
	u8 opcode = verbs_cqe_opcode(cqe);
	unsigned int i;

	if (opcode != MLX5_CQE_REQ_ERR && opcode != MLX5_CQE_RESP_ERR)
		return IB_WC_SUCCESS;
	for (i = 0; i < ARRAY_SIZE(syndromes); i++) {
		if (syndromes[i].syndrome == err->syndrome)
			return syndromes[i].status;
	}
	return IB_WC_GENERAL_ERR;
}

/* The fields that datagrams have (IBA 11.4.2.1). */
static void read_addresses(const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	u32 flags = be32_to_cpu(cqe->flags_rqpn);

	wc->src_qp = flags & 0xffffff;
	wc->wc_flags |= flags >> 28 & 3 ? IB_WC_GRH : 0;
	switch (flags >> 24 & 3) {
	case MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV4:
		wc->network_hdr_type = RDMA_NETWORK_IPV4;
		break;
	case MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV6:
		wc->network_hdr_type = RDMA_NETWORK_IPV6;
		break;
	default:
		wc->network_hdr_type = RDMA_NETWORK_ROCE_V1;
		break;
	}
	wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
	wc->sl = flags >> 24 & 0xf;
	if (cqe_has_vlan(cqe)) {
		wc->vlan_id = be16_to_cpu(cqe->vlan_info) & 0xfff;
		wc->sl = be16_to_cpu(cqe->vlan_info) >> 13;
		wc->wc_flags |= IB_WC_WITH_VLAN;
	} else {
		wc->sl = 0;
	}
}

static void read_recv(const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	wc->byte_len = be32_to_cpu(cqe->byte_cnt);
	if (wc->wc_flags & IB_WC_WITH_IMM)
		wc->ex.imm_data = cqe->immediate;
	else if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		wc->ex.invalidate_rkey = be32_to_cpu(cqe->inval_rkey);
	read_addresses(cqe, wc);
}

/**
 * verbs_cqe_to_wc() - an entry as a work completion
 * @cqe: a VERBS_CQE_SEND or VERBS_CQE_RECV entry
 * @wc: to fill; the caller adds what only the queue knows: @wc->wr_id, @wc->qp, and
 *      of a send request what it was
 *
 * Context: any.
 */
void verbs_cqe_to_wc(const struct mlx5_cqe64 *cqe, struct ib_wc *wc)
{
	u8 opcode = verbs_cqe_opcode(cqe);

	memset(wc, 0, sizeof(*wc));
	wc->opcode = opcodes[opcode].opcode;
	wc->status = verbs_cqe_status(cqe);
	wc->port_num = 1;
	if (wc->status) {
		wc->vendor_err = ((const struct mlx5_err_cqe *)cqe)->vendor_err_synd;
		return;
	}
	wc->wc_flags = opcodes[opcode].flags;
	if (opcodes[opcode].kind == VERBS_CQE_RECV)
		read_recv(cqe, wc);
	else
		wc->byte_len = be32_to_cpu(cqe->byte_cnt);
}
