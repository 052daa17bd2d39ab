/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is run: tables of cases, and sweeps over seeds.
 */
#ifndef OHCA_SIM_SUITE_H
#define OHCA_SIM_SUITE_H

#include <linux/types.h>

/**
 * struct sim_case - a test with one right outcome
 * @name: for --case
 * @text: what must be so
 * @run: returns if it is, ends the process if not
 * @slow: takes seconds: not for the breaks
 */
struct sim_case {
	const char *name;
	const char *text;
	void (*run)(void);
	bool slow;
};

/* Each ends with an entry that has no name; so does the list, with NULL. */
extern const struct sim_case unit_cases[];
extern const struct sim_case fault_cases[];
extern const struct sim_case retry_cases[];
extern const struct sim_case flow_cases[];
extern const struct sim_case state_cases[];
extern const struct sim_case large_cases[];
extern const struct sim_case uc_cases[];
extern const struct sim_case *const sim_case_tables[];

/**
 * struct sim_sweep - a test for many seeds
 * @option: on the command line
 * @run: one seed; returns if all is well
 * @share: how many seeds of a hundred that are asked for
 * @broken_seeds: seeds run for each break
 */
struct sim_sweep {
	const char *option;
	void (*run)(u64 seed);
	u32 share;
	u32 broken_seeds;
};

/* --random, --hostile, --uc; ends with an entry that has no option. */
extern const struct sim_sweep sim_sweeps[];

#endif /* OHCA_SIM_SUITE_H */
