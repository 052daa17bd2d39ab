/* SPDX-License-Identifier: GPL-2.0 */
/* What the model tells a person, on stderr. */
#ifndef OHCA_MODEL_LOG_H
#define OHCA_MODEL_LOG_H

#define OHCA_PRINTF	__attribute__((__format__(__printf__, 1, 2)))

/* 0: warnings only; 1: commands and events; 2: every packet and work request. */
extern int log_level;

/* printf() to stderr, with the program's name; always. */
void warn(const char *fmt, ...) OHCA_PRINTF;
void log_print(const char *fmt, ...) OHCA_PRINTF;

#define info(...)	do { if (log_level >= 1) log_print(__VA_ARGS__); } while (0)
#define trace(...)	do { if (log_level >= 2) log_print(__VA_ARGS__); } while (0)

#endif /* OHCA_MODEL_LOG_H */
