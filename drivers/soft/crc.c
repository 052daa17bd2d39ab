// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 of the ICRC, as fast as this kernel has it.
 *
 * The crc32 library uses the CPU's instructions from 6.14 on. Before that the crypto
 * API alone does, where a driver for them is loaded.
 */
#include "crc.h"

#include <linux/crc32.h>
#include <ohca/compat.h>

#include "transport.h"

#if OHCA_CRC32_BY_CRYPTO

#include <crypto/hash.h>
#include <linux/string.h>

/* Below this the call costs more than it saves. */
#define CRYPTO_MIN	128u

/* Does CRC-32 by instructions; NULL: nothing does. */
static struct crypto_shash *crc_tfm;

/* A descriptor with its context, which is the CRC's state. */
struct crc_desc {
	struct shash_desc shash;
	u32 crc;
};

static_assert(offsetof(struct crc_desc, crc) == sizeof(struct shash_desc));

void soft_crc_setup(void)
{
	struct crypto_shash *tfm = crypto_alloc_shash("crc32", 0, 0);

	if (IS_ERR(tfm))
		return;
	/* The generic driver is the library again; a context that is no bare CRC is no use. */
	if (strstr(crypto_shash_driver_name(tfm), "generic") ||
	    crypto_shash_descsize(tfm) != sizeof(u32)) {
		crypto_free_shash(tfm);
		return;
	}
	crc_tfm = tfm;
}

void soft_crc_cleanup(void)
{
	crypto_free_shash(crc_tfm);
	crc_tfm = NULL;
}

u32 tp_owner_crc32(u32 crc, const void *data, u32 len)
{
	struct crc_desc desc;

	if (len < CRYPTO_MIN || !crc_tfm)
		return crc32_le(crc, data, len);
	desc.shash.tfm = crc_tfm;
	desc.crc = crc;
	crypto_shash_update(&desc.shash, data, len);
	return desc.crc;
}

#else

void soft_crc_setup(void)
{
}

void soft_crc_cleanup(void)
{
}

u32 tp_owner_crc32(u32 crc, const void *data, u32 len)
{
	return crc32_le(crc, data, len);
}

#endif
