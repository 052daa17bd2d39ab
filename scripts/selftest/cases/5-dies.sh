# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# timeout: 20

insmod /root/ohca_complain.ko how=oops
