// SPDX-License-Identifier: GPL-2.0
/*
 * Faults that are asked for: a table of words, each with what it does.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "eq.h"
#include "fault.h"
#include "mkey.h"

#define MAX_WORDS	4u

struct words {
	struct hca *hca;
	u32 nr;
	char *word[MAX_WORDS];
	char *answer;
	size_t room;
};

static bool number(const char *text, int base, s64 least, s64 most, s64 *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, base);
	return *text && !*end && !errno && *value >= least && *value <= most;
}

/* The optional number in word @i, @value if it is not there. */
static bool optional(struct words *w, u32 i, s64 least, s64 most, s64 *value)
{
	return i >= w->nr || number(w->word[i], 10, least, most, value);
}

static bool add_rule(struct words *w, u8 status, u32 count_at)
{
	struct faults *f = &w->hca->faults;
	s64 op, count = 1;
	u32 i;

	if (w->nr < 2 || !number(w->word[1], 16, 0, 0xffff, &op) ||
	    !optional(w, count_at, 1, U32_MAX, &count))
		return false;
	for (i = 0; i < FAULT_RULES; i++) {
		if (f->rule[i].left)
			continue;
		f->rule[i] = (struct fault_rule){ (u16)op, status, (u32)count };
		return true;
	}
	return false;
}

static bool do_fail(struct words *w)
{
	s64 status;

	return w->nr >= 3 && number(w->word[2], 16, 1, 0xff, &status) &&
	       add_rule(w, (u8)status, 3);
}

static bool do_stall(struct words *w)
{
	return add_rule(w, 0, 2);
}

static bool do_lose(struct words *w)
{
	s64 count = 1;

	if (!optional(w, 1, 1, U32_MAX, &count))
		return false;
	w->hca->faults.lose = (u32)count;
	return true;
}

static bool do_health(struct words *w)
{
	s64 synd;

	if (w->nr < 2 || !number(w->word[1], 16, 1, 0xff, &synd))
		return false;
	w->hca->faults.rfr = w->nr > 2 && !strcmp(w->word[2], "rfr");
	w->hca->faults.synd = (u8)synd;
	return true;
}

static bool do_freeze(struct words *w)
{
	w->hca->faults.frozen_at = hca_health_counter(w->hca);
	w->hca->faults.frozen = true;
	return true;
}

static bool do_link(struct words *w)
{
	bool was = hca_port_up(w->hca);

	if (w->nr < 2 || (strcmp(w->word[1], "up") && strcmp(w->word[1], "down")))
		return false;
	w->hca->faults.link_down = w->word[1][0] == 'd';
	if (hca_port_up(w->hca) != was)
		eq_port_event(w->hca);
	return true;
}

static bool do_unplug(struct words *w)
{
	hca_reset(w->hca);
	w->hca->faults.unplugged = true;
	return true;
}

static bool do_plug(struct words *w)
{
	w->hca->faults.unplugged = false;
	hca_reset(w->hca);
	return true;
}

/* As if another function's driver, or the platform, had reset it. */
static bool do_reset(struct words *w)
{
	hca_reset(w->hca);
	return true;
}

static bool do_pages(struct words *w)
{
	s64 count;

	if (w->nr < 2 || !number(w->word[1], 10, -(s64)HCA_MAX_PAGES, HCA_MAX_PAGES, &count) ||
	    !count)
		return false;
	eq_page_request(w->hca, (s32)count);
	return true;
}

static bool do_clear(struct words *w)
{
	memset(&w->hca->faults, 0, sizeof(w->hca->faults));
	return true;
}

static bool do_show(struct words *w)
{
	const struct hca *hca = w->hca;

	snprintf(w->answer, w->room,
		 "ok state %u pages %u carrier %u tx %llu rx %llu rdma_tx %llu rdma_rx %llu bus_errors %llu\n",
		 hca->state, hca->nr_pages, hca_port_up(hca),
		 (unsigned long long)hca->counters.tx_packets,
		 (unsigned long long)hca->counters.rx_packets,
		 (unsigned long long)hca->counters.rdma_tx_packets,
		 (unsigned long long)hca->counters.rdma_rx_packets,
		 (unsigned long long)hca->dma.errors);
	return true;
}

/* Which bus address a byte of a memory key has. */
static bool do_where(struct words *w)
{
	s64 key, address;
	u32 run = 1;
	u64 at;

	if (w->nr < 3 || !number(w->word[1], 16, 0, U32_MAX, &key) ||
	    !number(w->word[2], 16, 0, INT64_MAX, &address))
		return false;
	if (mkey_resolve(w->hca, (u32)key, MKEY_ANY_PD, (u64)address, &run, 0, &at))
		snprintf(w->answer, w->room, "error: no such memory\n");
	else
		snprintf(w->answer, w->room, "ok %llx\n", (unsigned long long)at);
	return true;
}

/* An access to the bus at any time, such as a late one. */
static bool do_read(struct words *w)
{
	s64 at;
	u8 byte;

	if (w->nr < 2 || !number(w->word[1], 16, 0, INT64_MAX, &at))
		return false;
	if (dma_read(&w->hca->dma, (u64)at, &byte, 1))
		snprintf(w->answer, w->room, "error: bus error\n");
	else
		snprintf(w->answer, w->room, "ok %02x\n", byte);
	return true;
}

static bool do_help(struct words *w);

static const struct {
	const char *word;
	const char *help;
	bool (*fn)(struct words *w);
} verbs[] = {
	{ "fail", "OPCODE STATUS [COUNT] - commands end so (hex; opcode 0: any)", do_fail },
	{ "stall", "OPCODE [COUNT] - commands are never answered", do_stall },
	{ "lose", "[COUNT] - interrupts get lost", do_lose },
	{ "health", "SYNDROME [rfr] - an internal error, until a reset", do_health },
	{ "freeze", "- the health counter stands still, until a reset", do_freeze },
	{ "link", "up|down - carrier", do_link },
	{ "unplug", "- the function is gone from the bus", do_unplug },
	{ "plug", "- it is back, as after a reset", do_plug },
	{ "reset", "- the function resets itself", do_reset },
	{ "pages", "COUNT - ask for pages, or give some back (negative)", do_pages },
	{ "where", "KEY ADDRESS - the bus address of a byte of a memory key (hex)", do_where },
	{ "read", "ADDRESS - read a byte at a bus address (hex)", do_read },
	{ "clear", "- no fault any more", do_clear },
	{ "show", "- state and counters", do_show },
	{ "help", "- this", do_help },
};

static bool do_help(struct words *w)
{
	size_t i, at = 0;

	for (i = 0; i < ARRAY_SIZE(verbs) && at < w->room; i++)
		at += (size_t)snprintf(w->answer + at, w->room - at, "%s%s %s\n", i ? "   " : "ok ",
				       verbs[i].word, verbs[i].help);
	return true;
}

void fault_help(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		printf("      %s %s\n", verbs[i].word, verbs[i].help);
}

bool fault_line(struct hca *hca, const char *line, char *answer, size_t room)
{
	struct words w = { .hca = hca, .answer = answer, .room = room };
	char copy[128], *rest = copy, *word;
	size_t i;

	snprintf(copy, sizeof(copy), "%s", line);
	while (w.nr < MAX_WORDS && (word = strtok_r(rest, " \t\r\n", &rest)))
		w.word[w.nr++] = word;
	snprintf(answer, room, "ok\n");
	for (i = 0; w.nr && i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i].word, w.word[0]))
			continue;
		info("fault: %s", line);
		if (verbs[i].fn(&w))
			return true;
		snprintf(answer, room, "error: %s %s\n", verbs[i].word, verbs[i].help);
		return false;
	}
	snprintf(answer, room, "error: unknown word; try help\n");
	return false;
}

int fault_command(struct hca *hca, u16 op)
{
	struct fault_rule *rule;
	u32 i;

	if (hca->faults.synd)
		return FAULT_STALL;
	for (i = 0; i < FAULT_RULES; i++) {
		rule = &hca->faults.rule[i];
		if (!rule->left || (rule->op && rule->op != op))
			continue;
		rule->left--;
		return rule->status ? rule->status : FAULT_STALL;
	}
	return FAULT_NONE;
}

bool fault_interrupt(struct hca *hca)
{
	if (!hca->faults.lose)
		return false;
	hca->faults.lose--;
	return true;
}

void fault_reset(struct hca *hca)
{
	hca->faults.synd = 0;
	hca->faults.rfr = false;
	hca->faults.frozen = false;
}
