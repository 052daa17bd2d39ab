# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# hca: 2
#
# ohca_pci takes an adapter that driver_override names it for, and no other; brings
# it up and down again and again; its interrupts have names; its netdevs pass
# traffic, and come back from a reset under it.

. "$(dirname "$0")/pci.sh"

adapters=("${FUNCTIONS[@]}")
[ ${#adapters[@]} = 2 ] || fail "there are ${#adapters[@]} adapters"

bound()
{
	[ -e "$PCI/drivers/ohca_pci/$1" ]
}

netdev_of()
{
	ls "$PCI/devices/$1/net"
}

vectors()
{
	grep -c "ohca-.*@pci:$1" /proc/interrupts
}

step 'the module takes nothing by itself'
modprobe ohca_pci
for dev in "${adapters[@]}"; do
	echo "$dev" >$PCI/drivers_probe
	! bound "$dev" || fail "$dev was taken"
	refuse 'No such device' bash -c "echo $dev >$PCI/drivers/ohca_pci/bind"
done

step 'driver_override'
for dev in "${adapters[@]}"; do
	echo ohca_pci >"$PCI/devices/$dev/driver_override"
	echo "$dev" >$PCI/drivers_probe
	bound "$dev" || fail "$dev was not taken"
done
one=$(netdev_of "${adapters[0]}")
two=$(netdev_of "${adapters[1]}")

step 'names in /proc/interrupts: one for events, one a CPU for completions'
for dev in "${adapters[@]}"; do
	[ "$(vectors "$dev")" = $(($(nproc) + 1)) ] || fail "$(grep ohca /proc/interrupts)"
	grep -q "ohca-async@pci:$dev" /proc/interrupts || fail 'no vector for events'
	for ((i = 0; i < $(nproc); i++)); do
		grep -q "ohca-comp$i@pci:$dev" /proc/interrupts || fail "no vector comp$i"
	done
done

step 'what ethtool says'
[ "$(ethtool -i "$one" | grep -c -e 'driver: ohca_pci' -e "bus-info: ${adapters[0]}")" = 2 ] ||
	fail "$(ethtool -i "$one")"
ip netns add hca
ip link set "$one" netns hca
ip -n hca addr add 10.77.0.1/24 dev "$one"
ip -n hca link set "$one" up
ip addr add 10.77.0.2/24 dev "$two"
ip link set "$two" up
eventually 10 ping -c 1 -W 1 10.77.0.1
ethtool "$two" | grep -q 'Speed: 100000Mb/s' || fail "$(ethtool "$two")"
ethtool "$two" | grep -q 'Link detected: yes' || fail "$(ethtool "$two")"

step 'ping: small, in fragments, and with a large MTU'
ping -c 3 -i 0.2 10.77.0.1
ping -c 3 -i 0.2 -s 4000 10.77.0.1
ip link set "$two" mtu 9000
ip -n hca link set "$one" mtu 9000
ping -c 3 -i 0.2 -M 'do' -s 8972 10.77.0.1
ip link set "$two" mtu 1500
ip -n hca link set "$one" mtu 1500

step 'a new MAC address, and promiscuous mode'
ip link set "$two" address 02:0c:a0:00:01:02
ping -c 2 -i 0.2 10.77.0.1
ip link set "$two" promisc on
ping -c 2 -i 0.2 10.77.0.1
ip link set "$two" promisc off

step 'TCP, with segmentation and checksums by the device'
ip netns exec hca qperf &
eventually 10 bash -c 'ip netns exec hca ss -ltn | grep -q :19765'
timeout 60 qperf 10.77.0.1 -t 2 tcp_bw
timeout 60 qperf 10.77.0.1 -t 1 tcp_lat
kill %1
for counter in tx._tso tx._csum rx._csum; do
	ethtool -S "$two" | grep -E "$counter: " | grep -qv ': 0$' || fail "$counter is 0"
done
if ethtool -S "$two" | grep errors: | grep -v ': 0$'; then
	fail 'errors'
fi

step 'a reset under traffic'
ping -i 0.01 10.77.0.1 >/dev/null &
echo 1 >"$PCI/devices/${adapters[1]}/reset"
eventually 10 ping -c 1 -W 1 10.77.0.1
kill %1 2>/dev/null || true
[ "$(netdev_of "${adapters[1]}")" = "$two" ] || fail 'the netdev did not stay'

step 'the link goes with its end'
ip -n hca link set "$one" down
ip -n hca link set "$one" up
eventually 10 ping -c 1 -W 1 10.77.0.1

step 'unbind and bind, 20 times'
ip link set "$two" down
for ((i = 0; i < 20; i++)); do
	echo "${adapters[1]}" >$PCI/drivers/ohca_pci/unbind
	! bound "${adapters[1]}" || fail 'still bound'
	[ "$(vectors "${adapters[1]}")" = 0 ] || fail 'vectors are left'
	echo "${adapters[1]}" >$PCI/drivers/ohca_pci/bind
	two=$(netdev_of "${adapters[1]}")
	ip link set "$two" up
	ip addr add 10.77.0.2/24 dev "$two"
	[ $((i % 5)) != 0 ] || eventually 10 ping -c 1 -W 1 10.77.0.1
done
eventually 10 ping -c 1 -W 1 10.77.0.1

ip netns del hca
end_of_pci
