// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of main.c that a fuzzer has in another way: a failure is an abort.
 */
#include "sim.h"
#include "fuzz.h"

enum sim_break sim_break;
bool sim_verbose;

void sim_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

void trace_line(const char *fmt, ...)
{
	(void)fmt;
}
