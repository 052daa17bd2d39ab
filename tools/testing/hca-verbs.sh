# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# boot: own
# hca: 2
#
# The verbs of ohca_pci with stock programs and the stock libmlx5, between two HCAs on
# one wire:
#
#   ohca_pci --- HCA --- wire --- HCA --- ohca_pci

. "$(dirname "$0")/lib.sh"

# both PROGRAM ARG... - the server on one device, the client on the other
both()
{
	local server
	step "$*"
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
	[ "$(find $CLASS -mindepth 1 | wc -l)" = "$1" ]
}

active()
{
	[ "$(ibv_devinfo | grep -c PORT_ACTIVE)" = 2 ]
}

# The kernel gives a netdev its link-local address, which GID 0 is, after the carrier
# is up, and talks from it when no other host has it.
addressed()
{
	local device
	for device in $first $second; do
		ip -6 -o addr show dev "$(netdev "$device")" scope link -tentative | grep -q . || return
	done
}

netdev()
{
	ls "$CLASS/$1/device/net"
}

modprobe ohca_pci
functions=$(grep -l 0x15b3 /sys/bus/pci/devices/*/vendor | xargs -n 1 dirname |
	xargs -n 1 basename)
for bdf in $functions; do
	echo ohca_pci >"/sys/bus/pci/devices/$bdf/driver_override"
	echo "$bdf" >/sys/bus/pci/drivers_probe
done
eventually 10 count 2
read -r first second <<<"$(find $CLASS -mindepth 1 -printf '%f\n' | sort |
	paste -sd' ')"
for device in $first $second; do
	ip link set "$(netdev "$device")" mtu 4200 up
done
eventually 10 active
eventually 10 addressed
ibv_devinfo -v >devinfo
grep -E 'hca_id|fw_ver|state|GID' devinfo
[ "$(grep -c 'active_mtu:.*4096' devinfo)" = 2 ] || fail 'the active MTU'

step 'RC, UC, SRQ, UD'
both ibv_rc_pingpong -g 0 -n 500
both ibv_rc_pingpong -g 0 -n 100 -e -s 100000
both ibv_rc_pingpong -g 0 -n 20 -s 1000000 -m 4096
both ibv_uc_pingpong -g 0 -n 100
both ibv_uc_pingpong -g 0 -n 20 -e -s 100000
both ibv_srq_pingpong -g 0 -n 100
both ibv_ud_pingpong -g 0 -n 100

step 'perftest'
both ib_send_lat -x 0 -n 50
both ib_write_lat -x 0 -n 50 -I 64
both ib_read_lat -x 0 -n 50
both ib_write_bw -x 0 -n 50 -q 4
both ib_read_bw -x 0 -n 50
both ib_send_bw -x 0 -n 50 -b
both ib_write_bw -x 0 -n 50 -c UC
both ib_send_bw -x 0 -n 50 -c UC
before=$(counter "$first" rx_atomic_requests)
both ib_atomic_bw -x 0 -n 50
[ "$(counter "$first" rx_atomic_requests)" -ge $((before + 50)) ] ||
	fail 'ATOMICs were not counted'

step 'resources'
grep -q "$first" <(rdma resource show cq -r) || fail 'no raw dump of the CQs'
grep -q rx_write_requests <(rdma statistic show link "$first/1") || fail 'no statistics'

step 'the driver is unbound under traffic'
timeout 60 ib_write_bw -d "$first" -x 0 -D 30 >server.log 2>&1 &
server=$!
eventually 20 listening
timeout 60 ib_write_bw -d "$second" -x 0 -D 30 localhost >client.log 2>&1 &
client=$!
sleep 2
bdf=$(basename "$(readlink "$CLASS/$first/device")")
echo "$bdf" >/sys/bus/pci/drivers/ohca_pci/unbind
eventually 5 count 1
kill $server $client 2>/dev/null || true
wait $server $client || true
echo "$bdf" >/sys/bus/pci/drivers/ohca_pci/bind
eventually 10 count 2
rmmod ohca_pci
