# SPDX-License-Identifier: GPL-2.0
# timeout: 240
#
# Unreliable connections with the kernel's rxe, each as the server and as the
# client, over IPv4 and IPv6, and with each path MTU.

. "$(dirname "$0")/lib.sh"

# both_ways TOOL [OPTION]...
both_ways()
{
	between rxe0 a1 "$@"
	between a1 rxe0 "$@"
}

rxe_and_ours
for GID in v4 v6; do
	step "ping-pong and perftest, $GID"
	both_ways ibv_uc_pingpong -n 50
	both_ways ib_send_lat -c UC -n 50
	both_ways ib_write_lat -c UC -n 50
done
GID=v4
step 'each path MTU'
for mtu in 256 512 1024 2048 4096; do
	both_ways ibv_uc_pingpong -n 10 -m $mtu -s 20001
done
step 'a stream'
both_ways ib_write_bw -c UC -n 50
[ "$(counter a1 rx_icrc_encapsulated)" = 0 ] || fail 'ICRC errors'
