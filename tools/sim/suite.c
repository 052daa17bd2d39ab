// SPDX-License-Identifier: GPL-2.0
/*
 * The lists of what is run.
 */
#include "sim.h"
#include "suite.h"

const struct sim_case *const sim_case_tables[] = {
	unit_cases, fault_cases, retry_cases, flow_cases, state_cases, large_cases, uc_cases,
	NULL
};

const struct sim_sweep sim_sweeps[] = {
	{ "--random", run_random, 100, 300 },
	{ "--hostile", run_hostile, 25, 20 },
	{ "--uc", run_uc, 30, 20 },
	{ NULL, NULL, 0, 0 }
};
