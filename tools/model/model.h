/* SPDX-License-Identifier: GPL-2.0 */
/* The adapter from outside: the program, its tests and the fuzzers. */
#ifndef OHCA_MODEL_MODEL_H
#define OHCA_MODEL_MODEL_H

#include "hca.h"

/* @hca is zeroed but for its options. */
void hca_init(struct hca *hca);
void hca_fini(struct hca *hca);
/* What the vfio-user server calls. */
void hca_ops(struct hca *hca, struct vfu_ops *ops);

#endif /* OHCA_MODEL_MODEL_H */
