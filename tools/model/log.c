// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include "log.h"

int log_level;

static void print(const char *fmt, va_list ap)
{
	char line[512];

	vsnprintf(line, sizeof(line), fmt, ap);
	fprintf(stderr, "ohca-model: %s\n", line);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(fmt, ap);
	va_end(ap);
}

void log_print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(fmt, ap);
	va_end(ap);
}
