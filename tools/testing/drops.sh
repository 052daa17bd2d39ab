# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# kernels: debian13 test
#
# Packets made by hand against one device: what is short, has a bad ICRC, an
# unknown opcode, a bad pad count, a wrong length, or the number of no QP is
# counted and dropped, and nothing else happens.

. "$(dirname "$0")/lib.sh"

veth_pair near far
device a1 v1 2 far
ip netns exec near ip addr add 10.77.0.66/24 dev v0
ip netns exec near ip addr add fd00:77::66/64 dev v0 nodad

step 'IPv4'
python drops.py a1 near 10.77.0.1 10.77.0.2 v4 10.77.0.66
step 'IPv6'
python drops.py a1 near fd00:77::1 fd00:77::2 v6 fd00:77::66
