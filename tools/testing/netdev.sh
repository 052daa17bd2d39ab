# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# kernels: debian13
#
# The netdev under a device is renamed, goes down and up, changes its MTU and
# moves to another namespace.

. "$(dirname "$0")/lib.sh"

# watch DEVICE - asynchronous events go to watch.out
watch()
{
	stdbuf -oL ibv_asyncwatch -d "$1" >watch.out 2>&1 &
	watch_pid=$!
	eventually 10 grep -q 'async event FD' watch.out
}

event()
{
	grep -qiE -- "$1" watch.out
}

one_device

step 'renamed'
ip link set d0 down
ip link set d0 name other0
ip link set other0 up
netdev_up init other0 1
rdma link show a0/1 | grep -q 'netdev other0' || fail "$(rdma link show a0/1)"
eventually 5 gid_index a0 v4
pingpong a0 a0 -n 10

step 'down and up: port state and events'
watch a0
ip link set other0 down
eventually 5 port_is a0 DOWN
eventually 5 event 'port error|\(10\)'
ip link set other0 up
eventually 5 port_is a0 ACTIVE
eventually 5 event 'port active|\(9\)'
kill $watch_pid
netdev_up init other0 1
eventually 5 gid_index a0 v6
pingpong a0 a0 -n 10

step 'no carrier is a port that is down'
ip link add c0 type veth peer name c1
ip link set c0 up
rdma link add b0 type "$DUT_TYPE" netdev c0
eventually 5 port_is b0 DOWN
ip link set c1 up
eventually 5 port_is b0 ACTIVE
ip link set c1 down
eventually 5 port_is b0 DOWN
ip link del c0
eventually 10 test ! -e $CLASS/b0

step 'the path MTU follows the MTU'
for pair in 9000:4096 4200:4096 4100:2048 2200:2048 1500:1024 1100:512 640:512 400:256; do
	# IPv6 goes away below 1280, and with it its GIDs.
	ip link set other0 mtu ${pair%:*}
	eventually 5 active_mtu_is a0 ${pair#*:}
done
pingpong a0 a0 -n 10 -m 256
ip link set other0 mtu 9000
eventually 5 active_mtu_is a0 4096
pingpong a0 a0 -n 10 -m 4096

step 'moved to another namespace'
ip netns add far
ip netns exec far ip link set lo up
ip link set other0 netns far
netdev_up far other0 7
NS[a0]=far
ADDR4[a0]=10.77.0.7
eventually 5 gid_index a0 v4
pingpong a0 a0 -n 20

step 'and back'
ip netns exec far ip link set other0 netns 1
NS[a0]=init
netdev_up init other0 8
ADDR4[a0]=10.77.0.8
eventually 5 gid_index a0 v4
pingpong a0 a0 -n 20

step 'a namespace ends, its netdevs and their devices with it'
ip link set other0 netns far
ip netns del far
eventually 20 test ! -e $CLASS/a0
