// SPDX-License-Identifier: GPL-2.0
/*
 * ohca-model: a PCI Express HCA for an unmodified QEMU, over vfio-user.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control.h"
#include "eth.h"
#include "model.h"

static const struct option options[] = {
	{ "socket", required_argument, NULL, 's' },
	{ "wire", required_argument, NULL, 'w' },
	{ "device", required_argument, NULL, 'd' },
	{ "mac", required_argument, NULL, 'm' },
	{ "guid", required_argument, NULL, 'g' },
	{ "vectors", required_argument, NULL, 'n' },
	{ "speed", required_argument, NULL, 'b' },
	{ "control", required_argument, NULL, 'c' },
	{ "fault", required_argument, NULL, 'f' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static void usage(void)
{
	printf("Usage: ohca-model --socket PATH [OPTION]...\n"
	       "Serves a ConnectX-6 Dx-like PCI function to QEMU's vfio-user-pci.\n\n"
	       "  --socket PATH    where QEMU connects\n"
	       "  --wire KIND:ARG  the link; without it there is no carrier\n");
	wire_help();
	printf("  --mac MAC        permanent address (default: from the process id)\n"
	       "  --guid HEX       node GUID, 16 digits (default: from the MAC)\n"
	       "  --device HEX     PCI device id (101d)\n"
	       "  --vectors N      MSI-X vectors, 1 to %u (64)\n"
	       "  --speed GBPS     1, 10, 25, 40, 50 or 100 (100)\n"
	       "  --control PATH   a UNIX stream socket that takes the words below, a line each\n"
	       "  --fault WORDS    the same at start; may be repeated\n"
	       "  --verbose        tell of commands; twice: of every packet\n"
	       "  --help           this text\n"
	       "Words:\n", VFU_MAX_VECTORS);
	fault_help();
}

static bool parse_mac(const char *text, u8 *mac)
{
	unsigned int b[6];
	int i, end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &end) != 6 || text[end])
		return false;
	for (i = 0; i < 6; i++)
		mac[i] = (u8)b[i];
	return !(mac[0] & 1);
}

static bool parse_number(const char *text, int base, u64 least, u64 most, u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, base);
	return *text && !*end && !errno && *value >= least && *value <= most;
}

static int bad(const char *what, const char *value)
{
	fprintf(stderr, "ohca-model: %s: %s\n", what, value);
	return 2;
}

/* EUI-64 of a MAC. */
static u64 guid_of(const u8 *mac)
{
	return (u64)(mac[0] ^ 2) << 56 | (u64)mac[1] << 48 | (u64)mac[2] << 40 | 0xfffeull << 24 |
	       (u64)mac[3] << 16 | (u64)mac[4] << 8 | mac[5];
}

static void on_signal(void *arg)
{
	struct hca *hca = arg;

	hca->loop.stop = true;
}

static int watch_signals(struct hca *hca)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : loop_add(&hca->loop, fd, on_signal, hca);
}

/**
 * struct start - what is only of interest at the start
 * @wire: the link
 * @control: path of the control socket
 * @fault: faults from the start
 * @nr_faults: how many
 */
struct start {
	const char *wire;
	const char *control;
	const char *fault[FAULT_RULES];
	u32 nr_faults;
};

/* 0: go on; else the exit status plus 1. */
static int parse(struct hca *hca, int argc, char **argv, struct start *start)
{
	struct hca_options *opt = &hca->opt;
	u64 n;
	int c;

	while ((c = getopt_long(argc, argv, "s:w:d:m:g:n:b:c:f:vh", options, NULL)) != -1) {
		switch (c) {
		case 's':
			opt->socket = optarg;
			break;
		case 'w':
			start->wire = optarg;
			break;
		case 'd':
			if (!parse_number(optarg, 16, 1, 0xfffe, &n))
				return 1 + bad("not a PCI device id", optarg);
			opt->device = (u16)n;
			break;
		case 'm':
			if (!parse_mac(optarg, opt->mac))
				return 1 + bad("not a unicast MAC address", optarg);
			break;
		case 'g':
			if (!parse_number(optarg, 16, 1, U64_MAX, &n))
				return 1 + bad("not a GUID", optarg);
			opt->guid = n;
			break;
		case 'n':
			if (!parse_number(optarg, 10, 1, VFU_MAX_VECTORS, &n))
				return 1 + bad("not a number of vectors", optarg);
			opt->vectors = (u32)n;
			break;
		case 'b':
			if (!parse_number(optarg, 10, 1, 100, &n))
				return 1 + bad("not a speed", optarg);
			opt->speed = (u32)n;
			break;
		case 'c':
			start->control = optarg;
			break;
		case 'f':
			if (start->nr_faults == FAULT_RULES)
				return 1 + bad("one fault too many", optarg);
			start->fault[start->nr_faults++] = optarg;
			break;
		case 'v':
			log_level++;
			break;
		case 'h':
			usage();
			return 1;
		default:
			return 3;
		}
	}
	if (!opt->socket || optind != argc) {
		usage();
		return 3;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct hca hca;
	struct vfu_ops ops;
	struct control control = { .listen_fd = -1 };
	struct start start = { 0 };
	char answer[256];
	u32 i;
	u32 pid = (u32)getpid();
	int ret;

	setvbuf(stderr, NULL, _IOLBF, 0);
	hca.opt = (struct hca_options){
		.device = 0x101d,
		.mac = { 0x02, 0x0c, 0xa0, (u8)(pid >> 16), (u8)(pid >> 8), (u8)pid },
		.vectors = 64,
		.speed = 100,
	};
	ret = parse(&hca, argc, argv, &start);
	if (ret)
		return ret - 1;
	if (!hca.opt.guid)
		hca.opt.guid = guid_of(hca.opt.mac);
	dma_survive_truncation();
	hca_init(&hca);
	hca_ops(&hca, &ops);
	for (i = 0; i < start.nr_faults; i++) {
		if (!fault_line(&hca, start.fault[i], answer, sizeof(answer)))
			return bad("not a fault", start.fault[i]);
	}
	hca.wire.receive = eth_receive;
	hca.wire.room = hca_wire_room;
	hca.wire.arg = &hca;
	if (start.wire && wire_open(&hca.wire, &hca.loop, start.wire))
		return 1;
	if (start.control && control_open(&control, &hca, start.control)) {
		bad("can't listen", start.control);
		return 1;
	}
	ret = watch_signals(&hca);
	ret = ret ?: vfu_init(&hca.vfu, &hca.loop, &hca.dma, &ops, hca.opt.socket,
			      hca.opt.vectors);
	if (ret) {
		bad(hca.opt.socket, strerror(-ret));
		return 1;
	}
	loop_run(&hca.loop);
	control_close(&control);
	vfu_fini(&hca.vfu);
	wire_close(&hca.wire);
	hca_fini(&hca);
	unlink(hca.opt.socket);
	return 0;
}
