# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# timeout: 20

! ip link show left-behind
