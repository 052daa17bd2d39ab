# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# boot: own
# hca: 2
#
# The verbs of ohca_pci with stock programs and the stock libmlx5, between two HCAs on
# one wire:
#
#   ohca_pci --- HCA --- wire --- HCA --- ohca_pci

fail()
{
	echo "failed: $*"
	dmesg | grep -i ohca_pci | tail -n 20
	exit 1
}

# eventually SECONDS COMMAND... - COMMAND succeeds within so many seconds
eventually()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "did not come true: $*"
		sleep 0.1
	done
}

# both PROGRAM ARG... - the server on one device, the client on the other
both()
{
	local server
	echo "- $*"
	timeout 60 "$1" -d "$first" "${@:2}" >server.log 2>&1 &
	server=$!
	eventually 20 listening
	timeout 60 "$1" -d "$second" "${@:2}" localhost >client.log 2>&1 ||
		{ cat server.log client.log; fail "$1: the client"; }
	wait $server || { cat server.log client.log; fail "$1: the server"; }
}

listening()
{
	ss -Hltn | grep -qE ':(18515|18516)\b'
}

# count N - there are so many RDMA devices
count()
{
	[ "$(find /sys/class/infiniband -mindepth 1 | wc -l)" = "$1" ]
}

active()
{
	[ "$(ibv_devinfo | grep -c PORT_ACTIVE)" = 2 ]
}

# counter NAME - of the first device
counter()
{
	cat "/sys/class/infiniband/$first/ports/1/hw_counters/$1"
}

modprobe ohca_pci || fail 'the module'
functions=$(grep -l 0x15b3 /sys/bus/pci/devices/*/vendor | xargs -n 1 dirname |
	xargs -n 1 basename)
for bdf in $functions; do
	echo ohca_pci >"/sys/bus/pci/devices/$bdf/driver_override"
	echo "$bdf" >/sys/bus/pci/drivers_probe
done
eventually 10 count 2
read -r first second <<<"$(find /sys/class/infiniband -mindepth 1 -printf '%f\n' | sort |
	paste -sd' ')"
for device in $first $second; do
	ip link set "$(ls "/sys/class/infiniband/$device/device/net")" mtu 4200 up
done
eventually 10 active
ibv_devinfo -v >devinfo
grep -E 'hca_id|fw_ver|state|GID' devinfo
[ "$(grep -c 'active_mtu:.*4096' devinfo)" = 2 ] || fail 'the active MTU'

echo '- RC, SRQ, UD'
both ibv_rc_pingpong -g 0 -n 500
both ibv_rc_pingpong -g 0 -n 100 -e -s 100000
both ibv_rc_pingpong -g 0 -n 20 -s 1000000 -m 4096
both ibv_srq_pingpong -g 0 -n 100
both ibv_ud_pingpong -g 0 -n 100

echo '- perftest'
both ib_send_lat -x 0 -n 50
both ib_write_lat -x 0 -n 50 -I 64
both ib_read_lat -x 0 -n 50
both ib_write_bw -x 0 -n 50 -q 4
both ib_read_bw -x 0 -n 50
both ib_send_bw -x 0 -n 50 -b
before=$(counter rx_atomic_requests)
both ib_atomic_bw -x 0 -n 50
[ "$(counter rx_atomic_requests)" -ge $((before + 50)) ] || fail 'ATOMICs were not counted'

echo '- resources'
rdma resource show cq -r | grep -q "$first" || fail 'no raw dump of the CQs'
rdma statistic show link "$first/1" | grep -q rx_write_requests || fail 'no statistics'

echo '- the driver is unbound under traffic'
timeout 60 ib_write_bw -d "$first" -x 0 -D 30 >server.log 2>&1 &
server=$!
eventually 20 listening
timeout 60 ib_write_bw -d "$second" -x 0 -D 30 localhost >client.log 2>&1 &
client=$!
sleep 2
bdf=$(basename "$(readlink "/sys/class/infiniband/$first/device")")
echo "$bdf" >/sys/bus/pci/drivers/ohca_pci/unbind
eventually 5 count 1
kill $server $client 2>/dev/null
wait $server $client
echo "$bdf" >/sys/bus/pci/drivers/ohca_pci/bind
eventually 10 count 2
rmmod ohca_pci || fail 'the module does not go'
