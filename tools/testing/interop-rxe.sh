# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# The kernel's rxe in the initial namespace against OpenHCA in another, over
# veth: each as the server and as the client, IPv4 and IPv6.  That rxe takes in
# what we send shows that headers, sequence numbers and ICRC are right.

. "$(dirname "$0")/lib.sh"

# both_ways TOOL [OPTION]...
both_ways()
{
	perftest rxe0 a1 "$@"
	perftest a1 rxe0 "$@"
}

rxe_and_ours

for GID in v4 v6 ll; do
	step "ping-pong, $GID"
	pingpong rxe0 a1 -n 100
	pingpong a1 rxe0 -n 100
	pingpong a1 rxe0 -n 30 -e -s 100000
	pingpong rxe0 a1 -n 30 -e -s 100000
done

for GID in v4 v6; do
	for kind in send write read atomic; do
		step "ib_${kind}_lat and ib_${kind}_bw, $GID"
		both_ways ib_${kind}_lat -n 100
		both_ways ib_${kind}_bw -n 100
	done
done

GID=v4
step 'each path MTU'
for mtu in 256 512 1024 2048 4096; do
	pingpong rxe0 a1 -n 10 -m $mtu -s 20001
	both_ways ib_write_bw -m $mtu -s 65536 -n 20
	both_ways ib_read_bw -m $mtu -s 65536 -n 20
done

step 'several QPs, both directions'
for kind in send write read; do
	both_ways ib_${kind}_bw -b -q 2 -n 50 -s 4096
done

step 'neither end dropped a packet for its ICRC'
[ "$(counter a1 rx_icrc_encapsulated 2>/dev/null || counter a1 drop_icrc)" = 0 ] ||
	fail 'ICRC errors'
