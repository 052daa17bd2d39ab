/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the C programs here end when something is wrong.
 */
#ifndef OHCA_TESTING_DIE_H
#define OHCA_TESTING_DIE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define die(...) do { \
	printf("%s:%d: ", __FILE__, __LINE__); \
	printf(__VA_ARGS__); \
	printf(" (errno %d)\n", errno); \
	exit(1); \
} while (0)

#endif /* OHCA_TESTING_DIE_H */
