# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# Unreliable connections: one device with itself, two devices of one host with and
# without packets, and the wire between two namespaces, with netdevs of 9000 and of
# 1500 bytes.  Where nothing is lost no message is; where something is, nothing
# hangs, and what comes is whole.

. "$(dirname "$0")/lib.sh"

# uc SERVER CLIENT - what each way is tried with
uc()
{
	step "$1, $2: ping-pong, polling and events, $GID"
	between "$1" "$2" ibv_uc_pingpong -n 100
	between "$1" "$2" ibv_uc_pingpong -n 30 -e -m 256 -s 20001
	step "$1, $2: perftest"
	perftest "$1" "$2" ib_send_lat -c UC -n 100
	perftest "$1" "$2" ib_write_lat -c UC -n 100 -s 4096
	perftest "$1" "$2" ib_send_bw -c UC -n 100
	perftest "$1" "$2" ib_write_bw -c UC -n 100
}

two_devices
uc a0 a0
uc a0 a1
step 'all sizes, several QPs, both directions'
for kind in send write; do
	perftest a0 a1 ib_${kind}_bw -c UC -a -n 5
	[ "$(rows)" = 23 ] || fail "ib_${kind}_bw: $(rows) sizes, not 23"
done
perftest a0 a1 ib_write_bw -c UC -b -q 4 -n 100
perftest a0 a1 ib_send_bw -c UC -b -q 2 -n 100
step 'each operation, each way to fail'
python uc.py a0 a1
same_host off
step 'the same as on a wire'
python uc.py a1 a0 v6
same_host on
rdma link del a0
rdma link del a1
ip link del d0
ip link del d1

two_namespaces
for GID in v4 v6; do
	uc a0 a1
done
GID=v4
python uc.py a0 a1 v4 every_size a_stream
step 'netdevs of 1500 bytes'
ip netns exec near ip link set v0 mtu 1500
ip netns exec far ip link set v1 mtu 1500
eventually 5 active_mtu_is a0 1024
eventually 5 active_mtu_is a1 1024
between a0 a1 ibv_uc_pingpong -n 30 -m 1024 -s 30000
perftest a0 a1 ib_write_bw -c UC -s 65536 -n 50
for dev in a0 a1; do
	[ "$(counter $dev out_of_sequence)" = 0 ] || fail "$dev: something was lost"
done

step 'loss of 2 %'
ip netns exec near tc qdisc replace dev v0 root netem limit 10000 loss 2%
LOSS=2 python uc.py a0 a1 v4 a_stream
perftest a1 a0 ib_write_bw -c UC -s 65536 -n 50
perftest a1 a0 ib_write_bw -c UC -s 4096 -n 200 -q 2
step 'delay that varies, and duplication'
ip netns exec near tc qdisc replace dev v0 root netem limit 10000 \
	delay 1ms 500us duplicate 5%
perftest a1 a0 ib_write_bw -c UC -s 20000 -n 50
