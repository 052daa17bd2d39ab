# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# timeout: 20

echo not fine
exit 3
