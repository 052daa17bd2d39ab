# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Every part of the machinery, for scripts/vm and for what cache.sh starts.

OHCA_LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$OHCA_LIB/common.sh"
. "$OHCA_LIB/cache.sh"
. "$OHCA_LIB/roots.sh"
. "$OHCA_LIB/kernel.sh"
. "$OHCA_LIB/modules.sh"
. "$OHCA_LIB/image.sh"
. "$OHCA_LIB/qemu.sh"
. "$OHCA_LIB/hca.sh"
. "$OHCA_LIB/guest.sh"
