/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programmer's reference: the layouts of commands, contexts, queue entries
 * and registers, out of the kernel's own headers.
 */
#ifndef OHCA_MODEL_PRM_H
#define OHCA_MODEL_PRM_H

#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>
#include <rdma/ib_verbs.h>
#include <linux/mlx5/mlx5_ifc.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/qp.h>
#include <linux/refcount.h>
#include <linux/mlx5/cq.h>
/* Used up by the header above; the model has functions of these names. */
#undef complete

/* Bytes of a command's input and output. */
#define IN_BYTES(name)	MLX5_ST_SZ_BYTES(name##_in)
#define OUT_BYTES(name)	MLX5_ST_SZ_BYTES(name##_out)

/* A member that is itself a structure. */
#define MEMBER(typ, p, fld)	MLX5_ADDR_OF(typ, p, fld)

#endif /* OHCA_MODEL_PRM_H */
