// SPDX-License-Identifier: GPL-2.0
#include "case.h"
#include "suite.h"

const struct sim_case flow_cases[] = {
	{ NULL, NULL, NULL, false }
};
