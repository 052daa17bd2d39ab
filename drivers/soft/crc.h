/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CRC-32 of the ICRC.
 */
#ifndef OHCA_SOFT_CRC_H
#define OHCA_SOFT_CRC_H

/**
 * soft_crc_setup() - finds the fastest CRC-32 for tp_owner_crc32()
 *
 * Context: may sleep, and load a module. There is always one: it can't fail.
 */
void soft_crc_setup(void);

/* Gives it back. Nothing may call tp_owner_crc32() any more. */
void soft_crc_cleanup(void);

#endif /* OHCA_SOFT_CRC_H */
