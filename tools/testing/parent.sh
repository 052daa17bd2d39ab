# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# kernels: test
#
# The device's parent is that of its netdev, so topology-aware programs find it
# beside the hardware.

. "$(dirname "$0")/lib.sh"

modprobe netdevsim
echo '7 1' >/sys/bus/netdevsim/new_device
eventually 10 test -e /sys/bus/netdevsim/devices/netdevsim7/net
netdev=$(ls /sys/bus/netdevsim/devices/netdevsim7/net)
netdev_up init "$netdev" 1 1500

step 'the same parent'
device a0 "$netdev" 1
[ "$(readlink -f $CLASS/a0/device)" = "$(readlink -f "/sys/class/net/$netdev/device")" ] ||
	fail "the parent is $(readlink -f $CLASS/a0/device)"
[ -e /sys/bus/netdevsim/devices/netdevsim7/infiniband/a0 ] || fail 'not below the parent'

step 'a netdev without one'
dummy d0 2
device a1 d0 2
readlink -f $CLASS/a1 | grep -q /virtual/ || fail "$(readlink -f $CLASS/a1)"

step 'the hardware goes'
pingpong a0 a0 -n 10
echo 7 >/sys/bus/netdevsim/del_device
eventually 10 test ! -e $CLASS/a0
