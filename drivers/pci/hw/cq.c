// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues, as far as the device and its event queues are concerned.
 */
#include "cq.h"

#include <linux/mlx5/cq.h>

#include "cmd.h"
#include "eq.h"
#include "hca.h"

/**
 * ohca_hw_cq_create() - creates a CQ
 * @hca: the adapter
 * @cq: @db, @comp and @event are set
 * @vector: completion vector, below ohca_comp_vectors()
 * @in: create_cq_in, filled but for opcode and event queue
 * @inlen: its length with the list of pages, bytes
 * @out: create_cq_out
 * @outlen: its length, bytes
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int ohca_hw_cq_create(struct ohca_hca *hca, struct ohca_hw_cq *cq, int vector,
		      void *in, u32 inlen, void *out, u32 outlen)
{
	void *cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	int err;

	cq->hca = hca;
	cq->eq = ohca_comp_eq(hca, vector);
	cq->vector = vector;
	cq->arm_sn = 0;
	MLX5_SET(create_cq_in, in, opcode, MLX5_CMD_OP_CREATE_CQ);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, cq->eq->eqn);
	err = ohca_cmd_exec(hca, in, inlen, out, outlen);
	if (err)
		return err;
	cq->cqn = MLX5_GET(create_cq_out, out, cqn);
	err = xa_insert(&cq->eq->cqs, cq->cqn, cq, GFP_KERNEL);
	if (err)
		goto destroy;
	err = xa_insert(&hca->cqs, cq->cqn, cq, GFP_KERNEL);
	if (!err)
		return 0;
	xa_erase(&cq->eq->cqs, cq->cqn);
destroy:
	cq->eq = NULL;
	ohca_hw_cq_destroy(cq);
	return err;
}

/**
 * ohca_hw_cq_destroy() - destroys it
 * @cq: the CQ; no queue reports to it any more
 *
 * Afterwards the device does not write its memory, and neither of its functions runs.
 *
 * Context: process, may sleep.
 */
void ohca_hw_cq_destroy(struct ohca_hw_cq *cq)
{
	u32 out[MLX5_ST_SZ_DW(destroy_cq_out)];
	u32 in[MLX5_ST_SZ_DW(destroy_cq_in)] = {};

	if (cq->eq) {
		xa_erase(&cq->eq->cqs, cq->cqn);
		xa_erase(&cq->hca->cqs, cq->cqn);
	}
	MLX5_SET(destroy_cq_in, in, opcode, MLX5_CMD_OP_DESTROY_CQ);
	MLX5_SET(destroy_cq_in, in, cqn, cq->cqn);
	ohca_cmd(cq->hca, destroy_cq, in, out);
	if (cq->eq) {
		ohca_irq_barrier(cq->eq->irq);
		ohca_async_barrier(cq->hca);
	}
}

/**
 * ohca_hw_cq_moderate() - has the device gather completions before it tells of them
 * @cq: the CQ
 * @usec: tell at the latest so many microseconds after the first; 0: no such limit
 * @count: tell at the latest with so many; 0: no such limit
 *
 * What the kernel's DIM library chooses goes in here (rdma_dim, net_dim).
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP: the device can't; or an errno.
 */
int ohca_hw_cq_moderate(struct ohca_hw_cq *cq, u16 usec, u16 count)
{
	u32 out[MLX5_ST_SZ_DW(modify_cq_out)];
	u32 in[MLX5_ST_SZ_DW(modify_cq_in)] = {};
	void *cqc = MLX5_ADDR_OF(modify_cq_in, in, cq_context);

	if (!MLX5_CAP_GEN(cq->hca, cq_moderation))
		return -EOPNOTSUPP;
	MLX5_SET(modify_cq_in, in, opcode, MLX5_CMD_OP_MODIFY_CQ);
	MLX5_SET(modify_cq_in, in, cqn, cq->cqn);
	MLX5_SET(modify_cq_in, in,
		 modify_field_select_resize_field_select.modify_field_select.modify_field_select,
		 MLX5_CQ_MODIFY_PERIOD | MLX5_CQ_MODIFY_COUNT);
	MLX5_SET(cqc, cqc, cq_period, min_t(u16, usec, OHCA_CQ_MAX_PERIOD));
	MLX5_SET(cqc, cqc, cq_max_count, count);
	return ohca_cmd(cq->hca, modify_cq, in, out);
}

/**
 * ohca_hw_cq_arm() - asks to be told of the next completion
 * @cq: a CQ of the kernel's
 * @ci: completions polled since it was made
 * @what: of which
 *
 * If there is one behind @ci already, it is told of at once.
 *
 * Context: any.
 */
void ohca_hw_cq_arm(struct ohca_hw_cq *cq, u32 ci, enum ohca_arm what)
{
	u32 sn = READ_ONCE(cq->arm_sn) & 3;
	__be32 doorbell[2];

	doorbell[0] = cpu_to_be32(sn << 28 | what | (ci & 0xffffff));
	doorbell[1] = cpu_to_be32(cq->cqn);
	cq->db[1] = doorbell[0];
	wmb(); /* the record before the doorbell */
	mlx5_write64(doorbell, cq->hca->uar.map + OHCA_UAR_CQ_ARM);
}

/**
 * ohca_hw_cq_comp() - an event queue's entry that says that a CQ has something
 * @eq: the event queue
 * @eqe: the entry
 *
 * Context: hard interrupt, under the vector's lock, which keeps the CQ there.
 */
void ohca_hw_cq_comp(struct ohca_eq *eq, const struct mlx5_eqe *eqe)
{
	struct ohca_hw_cq *cq;

	cq = xa_load(&eq->cqs, be32_to_cpu(eqe->data.comp.cqn) & 0xffffff);
	if (!cq)
		return;	/* destroyed since */
	WRITE_ONCE(cq->arm_sn, cq->arm_sn + 1);
	cq->comp(cq);
}

/**
 * ohca_hw_cq_error() - the event that a CQ is broken: it overran, or could not be written
 * @hca: the adapter
 * @eqe: the event
 *
 * Context: hard interrupt, under the lock of the vector of events, which keeps the CQ
 * there.
 */
void ohca_hw_cq_error(struct ohca_hca *hca, const struct mlx5_eqe *eqe)
{
	u32 cqn = be32_to_cpu(eqe->data.cq_err.cqn) & 0xffffff;
	struct ohca_hw_cq *cq = xa_load(&hca->cqs, cqn);

	ohca_hca_dbg(hca, "error of CQ 0x%x, syndrome 0x%x\n", cqn, eqe->data.cq_err.syndrome);
	if (cq && cq->event)
		cq->event(cq, eqe->type);
}
