# SPDX-License-Identifier: GPL-2.0
# timeout: 180
#
# Network namespaces with `rdma system set netns exclusive`: a device belongs to
# one namespace, is seen there alone, moves with `rdma dev set`, and works.

. "$(dirname "$0")/lib.sh"

# seen NAMESPACE DEVICE
seen()
{
	in_ns "$1" rdma link show | grep -q "^link $2/"
}

modprobe ib_core
rdma system set netns exclusive

step 'made in two namespaces, seen in one each'
two_namespaces
seen near a0
seen far a1
! seen init a0 || fail 'a0 is seen in the initial namespace'
! seen far a0 || fail "a0 is seen in the other's namespace"

step 'traffic between them'
pingpong a0 a1 -n 20
perftest a1 a0 ib_write_bw -s 65536 -n 20
perftest a0 a1 ib_read_bw -s 65536 -n 20
ip netns exec near rdma link del a0
ip netns exec far rdma link del a1

step 'a device is handed to a namespace'
ip link add w0 type veth peer name w1
netdev_up init w0 3
netdev_up init w1 4
device b0 w0 3
device b1 w1 4
rdma dev set b0 netns near
ip link set w0 netns near
netdev_up near w0 3
rdma dev set b1 netns far
ip link set w1 netns far
netdev_up far w1 4
NS[b0]=near
NS[b1]=far
! seen init b0 || fail 'b0 is seen where it came from'
seen near b0
seen far b1
eventually 10 gid_index b0 v4
eventually 10 gid_index b1 v4
pingpong b0 b1 -n 20

step 'the namespaces end: their netdevs go, and the devices with them'
ip netns del near
ip netns del far
# Refused for as long as there are other namespaces, dying ones too.
eventually 20 rdma system set netns shared
eventually 20 not seen init b0
eventually 20 not seen init b1

step 'shared again'
two_devices
pingpong a0 a1 -n 10
