/* SPDX-License-Identifier: GPL-2.0 */
/* The little-endian CRC-32, four bytes a step. */
#ifndef OHCA_SHIM_LINUX_CRC32_H
#define OHCA_SHIM_LINUX_CRC32_H

#include <linux/types.h>

struct ohca_crc32_table {
	bool ready;
	u32 t[4][256];
};

static inline void ohca_crc32_fill(struct ohca_crc32_table *table)
{
	u32 i, k, crc;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (k = 0; k < 8; k++)
			crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
		table->t[0][i] = crc;
	}
	for (k = 1; k < 4; k++) {
		for (i = 0; i < 256; i++) {
			crc = table->t[k - 1][i];
			table->t[k][i] = (crc >> 8) ^ table->t[0][crc & 255];
		}
	}
	table->ready = true;
}

static inline u32 crc32_le(u32 crc, const unsigned char *p, size_t len)
{
	static struct ohca_crc32_table table;

	if (!table.ready)
		ohca_crc32_fill(&table);
	for (; len >= 4; p += 4, len -= 4) {
		crc ^= p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
		crc = table.t[3][crc & 255] ^ table.t[2][crc >> 8 & 255] ^
		      table.t[1][crc >> 16 & 255] ^ table.t[0][crc >> 24];
	}
	while (len--)
		crc = (crc >> 8) ^ table.t[0][(crc ^ *p++) & 255];
	return crc;
}

#endif /* OHCA_SHIM_LINUX_CRC32_H */
