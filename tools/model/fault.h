/* SPDX-License-Identifier: GPL-2.0 */
/* Faults that are asked for: by --fault, or over the control socket. */
#ifndef OHCA_MODEL_FAULT_H
#define OHCA_MODEL_FAULT_H

#include <linux/types.h>

#define FAULT_RULES	16u

struct hca;

/* What happens to a command that a rule is for; else its status, MLX5_CMD_STAT_*. */
#define FAULT_NONE	(-1)
#define FAULT_STALL	(-2)

/**
 * struct fault_rule - commands that go wrong
 * @op: opcode; 0: any
 * @status: how they end; 0: they are never answered
 * @left: so many more times; 0: the rule is free
 */
struct fault_rule {
	u16 op;
	u8 status;
	u32 left;
};

/**
 * struct faults - what is wrong with the adapter
 * @rule: commands
 * @lose: so many more interrupts get lost
 * @synd: health syndrome: the adapter has failed, and answers no command; 0: it is well
 * @rfr: it says that a reset would help
 * @frozen: the health counter stands at @frozen_at
 * @frozen_at: see @frozen
 * @unplugged: the function is gone from the bus
 * @link_down: no carrier
 */
struct faults {
	struct fault_rule rule[FAULT_RULES];
	u32 lose;
	u8 synd;
	bool rfr;
	bool frozen;
	u32 frozen_at;
	bool unplugged;
	bool link_down;
};

/*
 * Does what a line asks for, as of "help". The answer, one line or more of at most
 * @room bytes with the final zero, begins with "ok" or "error". True: ok.
 */
bool fault_line(struct hca *hca, const char *line, char *answer, size_t room);

/* What happens to a command that is about to be executed. */
int fault_command(struct hca *hca, u16 op);

/* Whether an interrupt that is about to be raised gets lost. */
bool fault_interrupt(struct hca *hca);

/* A reset of the function ends what it can end. */
void fault_reset(struct hca *hca);

/* Lines of help, for --help. */
void fault_help(void);

#endif /* OHCA_MODEL_FAULT_H */
