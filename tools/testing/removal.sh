# SPDX-License-Identifier: GPL-2.0
# timeout: 480
# kernels: debian13 test
#
# Something goes away under running traffic: programs are told and end, nothing
# hangs, nothing leaks.

. "$(dirname "$0")/lib.sh"

# Polling, events, and more than one QP.
ways=('ib_write_bw -s 65536' 'ib_read_bw -s 65536 -e' 'ib_send_bw -s 4096 -q 4')

for way in "${ways[@]}"; do
	step "rdma link del of the client's device ($way)"
	two_devices
	start_traffic a0 a1 $way
	timeout 20 rdma link del a1
	client_fails 20
	timeout 20 rdma link del a0
	ip link del d0
	ip link del d1

	# SEND: a server that only waits on the TCP connection, whose address goes too,
	# would not learn of it.
	way=$(sed 's/_write_\|_read_/_send_/' <<<"$way")
	step "the server's netdev is unregistered ($way)"
	two_devices
	start_traffic a0 a1 $way
	timeout 20 ip link del d0
	eventually 20 test ! -e $CLASS/a0
	traffic_fails 20
	ip link del d1
	eventually 20 test ! -e $CLASS/a1
done

step 'over the wire: a veth pair is unregistered, both devices with it'
two_namespaces
start_traffic a0 a1 ib_send_bw -s 65536
ip netns exec near ip link del v0
eventually 20 test ! -e $CLASS/a0
eventually 20 test ! -e $CLASS/a1
traffic_fails 20
ip netns del near
ip netns del far

step 'a namespace ends'
two_namespaces
start_traffic a0 a1 ib_write_bw -s 65536
kill -9 $(ip netns pids near)
ip netns del near
eventually 20 test ! -e $CLASS/a0
traffic_fails 20
ip netns del far
eventually 20 test ! -e $CLASS/a1

step 'the netdev moves to another namespace'
two_devices
ip netns add far
start_traffic a0 a1 ib_write_bw -s 65536
ip link set d1 netns far
client_fails 20
ip netns del far
eventually 20 not ip netns pids far
rdma link del a0
rdma link del a1 || eventually 20 test ! -e $CLASS/a1
ip link del d0
ip link del d1 2>/dev/null || true

step 'the module is removed'
two_devices
start_traffic a0 a1 ib_write_bw -s 65536
timeout 30 rmmod ohca_soft
traffic_fails 20
[ -z "$(ls $CLASS)" ] || fail "there are: $(ls $CLASS)"
device a0 d0 1
device a1 d1 2
start_traffic a0 a1 ib_write_bw -s 65536

step 'kill -9 of the client'
kill -9 $(pidof ib_write_bw | tr ' ' '\n' | sort -n | tail -n 1)
traffic_fails 20

step 'kill -9 of both'
start_traffic a0 a1 ib_read_bw -s 65536 -q 4
kill -9 $(pidof ib_read_bw)
traffic_fails 20
eventually 10 not grep -qE 'ib_(read|write)_bw' <(rdma resource show qp)

step 'all is as before'
pingpong a0 a1 -n 20
