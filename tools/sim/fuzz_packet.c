// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the packet parser and of joining packets to trains.
 *
 * The input is packets, each behind a length of two bytes.
 */
#include "sim.h"
#include "fuzz.h"

static void check_packet(const struct tp_packet *pkt, u32 len)
{
	u32 tail;

	fuzz_check(pkt->op < TP_NUM_OPS);
	fuzz_check(pkt->header_len >= TP_BTH_BYTES && pkt->header_len <= TP_HEADER_MAX);
	fuzz_check(pkt->header_len <= len && pkt->length <= len - pkt->header_len);
	tail = len - pkt->header_len - pkt->length;
	fuzz_check(tail >= TP_ICRC_BYTES && tail < TP_ICRC_BYTES + 4);
	fuzz_check(pkt->psn <= 0xffffff && pkt->dest_qpn <= 0xffffff && pkt->msn <= 0xffffff);
}

/* The headers that the train writes parse to the packet that it was made of. */
static void check_again(const struct tp_train *train, const struct tp_packet *pkt)
{
	u8 head[TP_HEADER_MAX];
	struct tp_packet again;
	u32 len = tp_train_headers(train, 0, head);

	fuzz_check(len == pkt->header_len);
	fuzz_check(tp_packet_parse(head, len + ((pkt->length + 3) & ~3u) + TP_ICRC_BYTES, &again) ==
		   TP_DROP_NONE);
	fuzz_check(again.op == pkt->op && again.psn == pkt->psn && again.length == pkt->length);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct tp_packet pkt;
	struct tp_train train;
	bool have = false;
	u32 len, n;
	u8 *head;

	while (size >= 2) {
		len = data[0] | (u32)data[1] << 8;
		data += 2;
		size -= 2;
		n = len < TP_HEADER_MAX ? len : TP_HEADER_MAX;
		if (n > size)
			n = size;
		/* A shorter input is a shorter packet; else its payload is not in the input. */
		if (n < TP_HEADER_MAX && n < len)
			len = n;
		head = malloc(n + 1);
		memcpy(head, data, n);
		data += n;
		size -= n;
		if (tp_packet_parse(head, len, &pkt) == TP_DROP_NONE) {
			check_packet(&pkt, len);
			if (!have || !tp_train_join(&train, &pkt)) {
				tp_train_begin(&train, &pkt);
				if (pkt.flags & TP_TRAIN_LAST)
					check_again(&train, &pkt);
				have = true;
			}
			fuzz_check(train.npkts && train.npkts <= TP_TRAIN_PACKETS);
			fuzz_check(train.length <= TP_TRAIN_BYTES || train.npkts == 1);
		}
		free(head);
	}
	return 0;
}
