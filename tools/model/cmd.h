/* SPDX-License-Identifier: GPL-2.0 */
/* The command interface, and the one table of commands. */
#ifndef OHCA_MODEL_CMD_H
#define OHCA_MODEL_CMD_H

#include "hca.h"

/**
 * struct cmd - a command at work
 * @hca: the adapter
 * @in: its input, whole
 * @inlen: bytes of it
 * @out: its output, zeroed
 * @outlen: bytes of it
 * @op: opcode
 * @op_mod: opcode modifier
 * @syndrome: tells more about a status that is not 0
 */
struct cmd {
	struct hca *hca;
	void *in;
	u32 inlen;
	void *out;
	u32 outlen;
	u16 op;
	u16 op_mod;
	u32 syndrome;
};

/**
 * struct cmd_entry - a command that the device knows
 * @op: opcode
 * @name: for the log
 * @in: least bytes of input
 * @out: least bytes of output
 * @state: least state of the adapter
 * @fn: does it; returns a status, MLX5_CMD_STAT_*
 */
struct cmd_entry {
	u16 op;
	const char *name;
	u32 in;
	u32 out;
	enum hca_state state;
	int (*fn)(struct cmd *cmd);
};

const struct cmd_entry *cmd_lookup(u16 op);

/* Runs one command whose input and output are at hand; returns its status, or FAULT_STALL. */
int cmd_execute(struct cmd *cmd);

/* The doorbell rang for the slots in @mask. */
void cmd_doorbell(struct hca *hca, u32 mask);
void cmd_init(struct hca *hca);

/* Status with a syndrome: where in the model it was found. */
#define cmd_fail(cmd, status) ((cmd)->syndrome = 0x10000u + __LINE__, (status))

#endif /* OHCA_MODEL_CMD_H */
