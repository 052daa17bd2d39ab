# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# Every perftest program over the wire: two network namespaces, neither of them
# the initial one, over veth; IPv4 and IPv6.

. "$(dirname "$0")/lib.sh"

two_namespaces

step 'ping-pong, each kind of GID'
for GID in v4 v6 ll; do
	pingpong a0 a1 -n 100
done

for GID in v4 v6; do
	step "latency and bandwidth, $GID"
	for kind in send write read atomic; do
		perftest a0 a1 ib_${kind}_lat -n 200
		perftest a1 a0 ib_${kind}_bw -n 200
	done
done

GID=v4
step 'all sizes, up to 8 MiB'
for kind in send write read; do
	perftest a0 a1 ib_${kind}_bw -a -n 5
	[ "$(rows)" = 23 ] || fail "ib_${kind}_bw: $(rows) sizes, not 23"
done

step 'several QPs, both directions'
for kind in send write read atomic; do
	perftest a0 a1 ib_${kind}_bw -b -q 4 -n 100
done

step 'completion events, inline data'
perftest a0 a1 ib_send_bw -e -n 100
perftest a0 a1 ib_write_lat -s 64 -I 64 -n 100
perftest a0 a1 ib_send_lat -s 64 -I 64 -n 100

step 'each path MTU'
for mtu in 256 512 1024 2048 4096; do
	perftest a0 a1 ib_write_bw -m $mtu -s 65536 -n 30
	perftest a0 a1 ib_read_bw -m $mtu -s 65536 -n 30
done

step 'a netdev of 1500 bytes'
ip netns exec near ip link set v0 mtu 1500
ip netns exec far ip link set v1 mtu 1500
eventually 5 active_mtu_is a0 1024
eventually 5 active_mtu_is a1 1024
perftest a0 a1 ib_write_bw -s 65536 -n 50
