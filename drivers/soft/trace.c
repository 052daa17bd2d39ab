// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the tracepoints.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
