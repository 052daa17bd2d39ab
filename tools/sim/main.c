// SPDX-License-Identifier: GPL-2.0
/*
 * The transport simulator's command line.
 */
#include "sim.h"
#include "suite.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum sim_break sim_break;
bool sim_verbose;

#define SIM_BREAK_NAME(name, text) [BREAK_##name] = #name,
const char *const sim_break_names[SIM_NUM_BREAKS] = { SIM_BREAKS(SIM_BREAK_NAME) };
#define SIM_BREAK_TEXT(name, text) [BREAK_##name] = text,
static const char *const break_text[SIM_NUM_BREAKS] = { SIM_BREAKS(SIM_BREAK_TEXT) };

/* What runs now, for messages. */
static const char *running = "";
static u64 running_seed;
static bool quiet;

/* A hang ends a process that is at one seed or case for this long, in seconds. */
#define HANG_SECONDS	60

static void say_replay(void)
{
	fprintf(stderr, "replay with: sim %s --seed %llu --verbose%s%s\n", running,
		(unsigned long long)running_seed, sim_break ? " --break " : "",
		sim_break ? sim_break_names[sim_break] : "");
}

void sim_fail(const char *fmt, ...)
{
	va_list ap;

	if (!quiet) {
		fprintf(stderr, "FAIL %s seed %llu at %llu ns: ", running,
			(unsigned long long)running_seed,
			world ? (unsigned long long)world->clock.now : 0);
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		fputc('\n', stderr);
		say_replay();
	}
	_exit(1);
}

void trace_line(const char *fmt, ...)
{
	va_list ap;

	printf("%12llu ", world ? (unsigned long long)world->clock.now : 0);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

static void on_signal(int sig)
{
	if (!quiet) {
		fprintf(stderr, "FAIL %s seed %llu: %s\n", running,
			(unsigned long long)running_seed,
			sig == SIGALRM ? "it hangs" : "it aborts");
		say_replay();
	}
	_exit(1);
}

/* The sanitizers end the process by abort(), so that the seed is told. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "abort_on_error=1:handle_abort=0:detect_leaks=0:allocator_may_return_null=0:"
	       "quarantine_size_mb=4:malloc_context_size=2:max_malloc_fill_size=256:"
	       "allocator_release_to_os_interval_ms=-1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static void one_seed(const struct sim_sweep *sweep, u64 seed)
{
	running_seed = seed;
	alarm(HANG_SECONDS);
	sweep->run(seed);
}

/* Runs @fn(@arg) in a process of its own; true if it returns. */
bool run_apart(void (*fn)(const void *arg), const void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid < 0) {
		perror("fork");
		exit(2);
	}
	if (!pid) {
		signal(SIGALRM, on_signal);
		signal(SIGABRT, on_signal);
		if (quiet && !freopen("/dev/null", "w", stderr))
			_exit(2);
		alarm(HANG_SECONDS);
		fn(arg);
		fflush(stdout);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* A sweep's seeds, every @step from @first on. */
struct span {
	const struct sim_sweep *sweep;
	u64 first;
	u64 last;
	u64 step;
};

static void run_span(const void *arg)
{
	const struct span *span = arg;
	u64 seed;

	running = span->sweep->option;
	for (seed = span->first; seed <= span->last; seed += span->step)
		one_seed(span->sweep, seed);
}

/* The seeds of a sweep in @jobs processes. */
static bool run_sweep(const struct sim_sweep *sweep, u64 first, u64 last, u32 jobs)
{
	struct span span = { sweep, first, last, jobs };
	bool ok = true;
	int status;
	u32 i;

	for (i = 0; i < jobs; i++) {
		fflush(stdout);
		if (!fork()) {
			span.first = first + i;
			_exit(!run_apart(run_span, &span));
		}
	}
	for (i = 0; i < jobs; i++) {
		while (wait(&status) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			ok = false;
	}
	return ok;
}

static void run_case(const void *arg)
{
	const struct sim_case *c = arg;

	running = c->name;
	running_seed = 1;
	c->run();
}

/**
 * struct tally - what was run
 * @passed: tests that passed
 * @failed: tests that failed
 */
struct tally {
	u32 passed;
	u32 failed;
};

static void tell(struct tally *t, bool ok, const char *kind, const char *name, const char *text)
{
	if (ok)
		t->passed++;
	else
		t->failed++;
	printf("%s %s %s%s%s\n", ok ? "pass" : "FAIL", kind, name, *text ? ": " : "", text);
	fflush(stdout);
}

static void run_cases(struct tally *t, const char *only)
{
	const struct sim_case *const *table;
	const struct sim_case *c;

	for (table = sim_case_tables; *table; table++)
		for (c = *table; c->name; c++)
			if (!only || !strcmp(only, c->name))
				tell(t, run_apart(run_case, c), "case", c->name, c->text);
}

/* Everything that a break may show in, at a small size. */
static void run_broken(const void *arg)
{
	const struct sim_case *const *table;
	const struct sim_case *c;
	const struct sim_sweep *sweep;
	u64 seed;

	(void)arg;
	for (sweep = sim_sweeps; sweep->option; sweep++) {
		running = sweep->option;
		for (seed = 1; seed <= sweep->broken_seeds; seed++)
			one_seed(sweep, seed);
	}
	for (table = sim_case_tables; *table; table++)
		for (c = *table; c->name; c++)
			if (!c->slow)
				run_case(c);
}

/* A fault in the simulator must be found, or the simulator is worth nothing. */
static void run_breaks(struct tally *t)
{
	bool found;
	u32 i;

	for (i = 1; i < SIM_NUM_BREAKS; i++) {
		sim_break = i;
		quiet = true;
		found = !run_apart(run_broken, NULL);
		quiet = false;
		sim_break = BREAK_none;
		tell(t, found, "break", sim_break_names[i], break_text[i]);
	}
}

static void run_sweeps(struct tally *t, u64 seeds, u32 jobs)
{
	const struct sim_sweep *sweep;
	struct timespec a, b;
	char text[80];
	u64 last;
	bool ok;

	for (sweep = sim_sweeps; sweep->option; sweep++) {
		last = seeds * sweep->share / 100;
		clock_gettime(CLOCK_MONOTONIC, &a);
		ok = run_sweep(sweep, 1, last, jobs);
		clock_gettime(CLOCK_MONOTONIC, &b);
		snprintf(text, sizeof(text), "%llu seeds in %lld s", (unsigned long long)last,
			 (long long)(b.tv_sec - a.tv_sec));
		tell(t, ok, "sweep", sweep->option + 2, text);
	}
}

static const char usage[] =
"usage: sim [--check] [--seeds N] [--jobs N]\n"
"       sim [--random | --hostile | --uc] --seed N [--verbose] [--break NAME]\n"
"       sim --cases | --case NAME [--verbose] [--break NAME]\n"
"       sim --list\n";

enum {
	OPT_SEED = 256, OPT_SEEDS, OPT_JOBS, OPT_CHECK, OPT_VERBOSE, OPT_BREAK, OPT_CASES,
	OPT_CASE, OPT_LIST, OPT_RANDOM, OPT_HOSTILE, OPT_BREAKS, OPT_UC,
};

static const struct option options[] = {
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "seeds", required_argument, NULL, OPT_SEEDS },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "verbose", no_argument, NULL, OPT_VERBOSE },
	{ "break", required_argument, NULL, OPT_BREAK },
	{ "breaks", no_argument, NULL, OPT_BREAKS },
	{ "cases", no_argument, NULL, OPT_CASES },
	{ "case", required_argument, NULL, OPT_CASE },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "random", no_argument, NULL, OPT_RANDOM },
	{ "hostile", no_argument, NULL, OPT_HOSTILE },
	{ "uc", no_argument, NULL, OPT_UC },
	{ NULL, 0, NULL, 0 }
};

static void list(void)
{
	const struct sim_case *const *table;
	const struct sim_case *c;
	u32 i;

	for (table = sim_case_tables; *table; table++)
		for (c = *table; c->name; c++)
			printf("case  %-28s %s\n", c->name, c->text);
	for (i = 1; i < SIM_NUM_BREAKS; i++)
		printf("break %-28s %s\n", sim_break_names[i], break_text[i]);
}

static enum sim_break find_break(const char *name)
{
	u32 i;

	for (i = 1; i < SIM_NUM_BREAKS; i++)
		if (!strcmp(name, sim_break_names[i]))
			return i;
	fprintf(stderr, "no break is called %s\n", name);
	exit(2);
}

/**
 * struct request - what the command line asks for
 * @sweep: which kind of run
 * @one: a single seed
 * @seed: that seed
 * @seeds: how many of a sweep
 * @jobs: processes
 * @cases: run cases
 * @only: that case alone
 * @breaks: run the breaks
 * @check: run everything
 */
struct request {
	const struct sim_sweep *sweep;
	bool one;
	u64 seed;
	u64 seeds;
	u32 jobs;
	bool cases;
	const char *only;
	bool breaks;
	bool check;
};

static void parse(int argc, char **argv, struct request *req)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case OPT_SEED:
			req->one = true;
			req->seed = strtoull(optarg, NULL, 0);
			break;
		case OPT_SEEDS:
			req->seeds = strtoull(optarg, NULL, 0);
			break;
		case OPT_JOBS:
			req->jobs = strtoul(optarg, NULL, 0);
			break;
		case OPT_CHECK:
			req->check = true;
			break;
		case OPT_VERBOSE:
			sim_verbose = true;
			break;
		case OPT_BREAK:
			sim_break = find_break(optarg);
			break;
		case OPT_BREAKS:
			req->breaks = true;
			break;
		case OPT_CASE:
			req->only = optarg;
			req->cases = true;
			break;
		case OPT_CASES:
			req->cases = true;
			break;
		case OPT_RANDOM:
			req->sweep = &sim_sweeps[0];
			break;
		case OPT_HOSTILE:
			req->sweep = &sim_sweeps[1];
			break;
		case OPT_UC:
			req->sweep = &sim_sweeps[2];
			break;
		case OPT_LIST:
			list();
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct request req = { .seeds = 20000, .jobs = 2 };
	struct tally t = { 0, 0 };
	struct span span;

	parse(argc, argv, &req);
	if (!req.jobs || !req.seeds) {
		fputs(usage, stderr);
		return 2;
	}
	if (req.one) {
		span = (struct span){ req.sweep ? req.sweep : &sim_sweeps[0],
				      req.seed, req.seed, 1 };
		tell(&t, run_apart(run_span, &span), "seed", span.sweep->option + 2, "");
	} else if (req.sweep) {
		tell(&t, run_sweep(req.sweep, 1, req.seeds, req.jobs), "sweep",
		     req.sweep->option + 2, "");
	} else if (req.cases && !req.check) {
		run_cases(&t, req.only);
	} else if (req.breaks && !req.check) {
		run_breaks(&t);
	} else {
		run_cases(&t, NULL);
		run_sweeps(&t, req.seeds, req.jobs);
		run_breaks(&t);
	}
	printf("%u passed, %u failed\n", t.passed, t.failed);
	return t.failed || !t.passed;
}
