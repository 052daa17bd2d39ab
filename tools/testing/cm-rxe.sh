# SPDX-License-Identifier: GPL-2.0
# timeout: 240
#
# Connections by rdma_cm and datagrams with the kernel's rxe, each as the server
# and as the client, over IPv4 and IPv6.

. "$(dirname "$0")/lib.sh"

# both_ways SERVER CLIENT
both_ways()
{
	step "$1 is the server, $2 the client, $GID"
	connections "$1" "$2"
	between "$1" "$2" ibv_ud_pingpong -n 100
}

modprobe rdma_ucm
rxe_and_ours
for GID in v4 v6; do
	both_ways rxe0 a1
	both_ways a1 rxe0
done
