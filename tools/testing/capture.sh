# SPDX-License-Identifier: GPL-2.0
# timeout: 120
#
# tshark's RoCE dissector reads a capture of our traffic: every packet of every
# kind is well formed, and is what was asked for.

. "$(dirname "$0")/lib.sh"

capture()
{
	ip netns exec near tcpdump -q -Z root -s 0 -w "$1" -i v0 udp port 4791 \
		2>tcpdump.err &
	capture_pid=$!
	eventually 20 grep -q 'listening on' tcpdump.err
}

end_capture()
{
	sleep 0.5
	kill -INT $capture_pid
	wait $capture_pid || true
}

# decode FILE FILTER FIELD... - one line a packet
decode()
{
	local file=$1 filter=$2 field fields=()
	shift 2
	for field in "$@"; do
		fields+=(-e "$field")
	done
	tshark -r "$file" -Y "$filter" -T fields "${fields[@]}" 2>tshark.err
}

# has FILE FILTER WHAT - the capture has such a packet
has()
{
	[ -n "$(decode "$1" "$2" frame.number)" ] || fail "no packet is $3"
}

two_namespaces
# One frame a packet, also where a GSO frame would cross the veth whole.
ip netns exec near ethtool -K v0 tx-udp-segmentation off gro off 2>/dev/null || true
ip netns exec far ethtool -K v1 tx-udp-segmentation off gro off 2>/dev/null || true

for GID in v4 v6; do
	step "traffic of every kind, $GID"
	capture $GID.pcap
	pingpong a0 a1 -n 5 -m 1024 -s 5000
	for kind in send write read; do
		perftest a0 a1 ib_${kind}_bw -s 3001 -m 1024 -n 5
	done
	perftest a0 a1 ib_atomic_bw -A FETCH_AND_ADD -n 5
	perftest a0 a1 ib_atomic_bw -A CMP_AND_SWAP -n 5
	end_capture

	step "what tshark says, $GID"
	total=$(decode $GID.pcap udp frame.number | wc -l)
	[ "$total" -gt 50 ] || fail "only $total packets were caught"
	[ "$(decode $GID.pcap infiniband frame.number | wc -l)" = "$total" ] ||
		fail 'not every packet is RoCE'
	[ -z "$(decode $GID.pcap _ws.malformed frame.number)" ] || fail 'malformed packets'
	[ -z "$(decode $GID.pcap '_ws.expert.severity == error' frame.number _ws.expert.message)" ] ||
		fail "$(decode $GID.pcap '_ws.expert.severity == error' frame.number _ws.expert.message)"
	[ -z "$(decode $GID.pcap 'infiniband.bth.tver != 0' frame.number)" ] || fail 'TVer is not 0'
	[ -z "$(decode $GID.pcap 'infiniband.bth.m == 0' frame.number)" ] || fail 'MigReq is not 1'
	has $GID.pcap 'infiniband.bth.opcode == 0x00' 'SEND First'
	has $GID.pcap 'infiniband.bth.opcode == 0x01' 'SEND Middle'
	has $GID.pcap 'infiniband.bth.opcode == 0x02' 'SEND Last'
	has $GID.pcap 'infiniband.bth.opcode == 0x06' 'WRITE First'
	has $GID.pcap 'infiniband.bth.opcode == 0x08' 'WRITE Last'
	has $GID.pcap 'infiniband.bth.opcode == 0x0c' 'READ Request'
	has $GID.pcap 'infiniband.bth.opcode == 0x0d' 'READ Response First'
	has $GID.pcap 'infiniband.bth.opcode == 0x0f' 'READ Response Last'
	has $GID.pcap 'infiniband.bth.opcode == 0x11' 'Acknowledge'
	has $GID.pcap 'infiniband.bth.opcode == 0x12' 'ATOMIC Acknowledge'
	has $GID.pcap 'infiniband.bth.opcode == 0x13' 'CmpSwap'
	has $GID.pcap 'infiniband.bth.opcode == 0x14' 'FetchAdd'

	step "ICRC of every packet, computed anew, $GID"
	python icrc.py $GID.pcap
done
