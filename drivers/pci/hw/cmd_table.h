/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands: names and sizes; what the device's answers mean.
 */
#ifndef OHCA_PCI_CMD_TABLE_H
#define OHCA_PCI_CMD_TABLE_H

#include <linux/types.h>

/**
 * struct ohca_cmd_info - what is known of a command
 * @name: for messages
 * @op: opcode, MLX5_CMD_OP_*
 * @in: its input has at least so many bytes
 * @out: its output has at least so many bytes
 * @gives_back: it gives a thing back: on a dead adapter there is nothing left to give,
 *              and it succeeds without asking
 */
struct ohca_cmd_info {
	const char *name;
	u16 op;
	u16 in;
	u16 out;
	bool gives_back;
};

const struct ohca_cmd_info *ohca_cmd_info(u16 op);
int ohca_cmd_status(u8 status, const char **text);
const char *ohca_cmd_delivery(u8 delivery);

#endif /* OHCA_PCI_CMD_TABLE_H */
