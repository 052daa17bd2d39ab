# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# timeout: 20

ip link add left-behind type dummy
