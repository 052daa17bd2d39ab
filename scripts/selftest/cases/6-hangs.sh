# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# timeout: 3

sleep 100
