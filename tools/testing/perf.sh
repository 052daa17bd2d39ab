# SPDX-License-Identifier: GPL-2.0
# timeout: 200
# kernels: debian13
#
# The IBA's port counters: sysfs has them, and they follow what is sent.

. "$(dirname "$0")/lib.sh"

# count DEVICE NAME - of ports/1/counters
count()
{
	cat "$CLASS/$1/ports/1/counters/$2"
}

# gains DEVICE NAME LEAST MOST COMMAND... - so much more is there afterwards
gains()
{
	local dev=$1 name=$2 least=$3 most=$4 before gain
	shift 4
	before=$(count "$dev" "$name")
	"$@"
	gain=$(($(count "$dev" "$name") - before))
	if [ "$gain" -lt "$least" ] || [ "$gain" -gt "$most" ]; then
		fail "$dev: $name has gained $gain, not $least to $most: $*"
	fi
}

two_namespaces
step 'sysfs'
for name in port_xmit_data port_rcv_data port_xmit_packets port_rcv_packets \
	port_rcv_errors port_xmit_discards link_downed; do
	[ "$(count a0 $name)" = 0 ] || fail "$name of a new device: $(count a0 $name)"
done

step 'it follows the traffic, data in units of four bytes'
# 100 messages of 16 Ki units; what the test's own set-up sends is little.
gains a1 port_xmit_data 1638400 1700000 perftest a0 a1 ib_write_bw -s 65536 -n 100
gains a0 port_rcv_data 1638400 1700000 perftest a0 a1 ib_write_bw -s 65536 -n 100
gains a1 port_rcv_data 1638400 1700000 perftest a0 a1 ib_read_bw -s 65536 -n 100
# 4096 bytes in each.
gains a1 port_xmit_packets 1600 2000 perftest a0 a1 ib_write_bw -s 65536 -n 100
gains a0 port_rcv_packets 1600 2000 perftest a0 a1 ib_write_bw -s 65536 -n 100
down_and_up()
{
	ip netns exec near ip link set v0 down
	eventually 5 port_is a0 DOWN
	ip netns exec near ip link set v0 up
	eventually 5 port_is a0 ACTIVE
}
gains a0 link_downed 1 1 down_and_up
