# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# ibv_rc_pingpong, both ends checking every byte: polling and events, each path
# MTU, each kind of GID; one device with itself, two devices of one host, and
# the wire.

. "$(dirname "$0")/lib.sh"

all_ways()
{
	local server=$1 client=$2 mtu kinds=${4:-v6 ll}
	step "$3: polling"
	pingpong "$server" "$client" -n 200
	step "$3: events"
	pingpong "$server" "$client" -n 50 -e
	for mtu in 256 512 1024 2048 4096; do
		step "$3: path MTU $mtu"
		pingpong "$server" "$client" -n 20 -m $mtu -s 10000
	done
	for GID in $kinds; do
		step "$3: $GID GIDs"
		pingpong "$server" "$client" -n 20
	done
	GID=v4
}

for size in 1 255 4095 4097 65536 1048577; do
	sizes+=("$size")
done

two_devices
all_ways a0 a0 'one device'
all_ways a0 a1 'two devices'
for size in "${sizes[@]}"; do
	step "two devices: $size bytes"
	pingpong a0 a1 -n 10 -s "$size"
done

same_host off
# The two netdevs are two links: no link-local address of one is reached from the other.
all_ways a0 a1 'the wire on one host' v6
for size in "${sizes[@]}"; do
	step "the wire on one host: $size bytes"
	pingpong a1 a0 -n 10 -s "$size"
done
