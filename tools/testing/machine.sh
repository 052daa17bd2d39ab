# SPDX-License-Identifier: GPL-2.0
# kernels: debian13 newest test
# timeout: 90
#
# The guest itself: the kernel's rxe talks to itself with the stock tools, so that
# a failure elsewhere is not the machine's.

DUT_TYPE=rxe
. "$(dirname "$0")/lib.sh"

one_device
pingpong a0 a0 -n 20
perftest a0 a0 ib_send_lat -n 20
perftest a0 a0 ib_write_bw -n 20 -s 4096
