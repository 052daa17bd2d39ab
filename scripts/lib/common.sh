# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every script here shares: where things are, how to talk, how to give up.

OHCA_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
OHCA_CACHE=${OHCA_CACHE:-/var/cache/ohca}
OHCA_JOBS=${OHCA_JOBS:-$(nproc)}
export OHCA_TOP OHCA_CACHE OHCA_JOBS

# say TEXT... - progress for a person, never mixed with a command's output
say()
{
	printf '==> %s\n' "$*" >&2
}

die()
{
	printf 'error: %s\n' "$*" >&2
	exit 1
}

# hash_of FILE... - one short key for the contents of the files
hash_of()
{
	cat -- "$@" | sha256sum | cut -c1-16
}

# hash_text TEXT... - one short key for the words
hash_text()
{
	printf '%s\n' "$@" | sha256sum | cut -c1-16
}
