# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# tshark's RoCE dissector reads a capture of our traffic: every packet of every
# kind is well formed, and is what was asked for.

. "$(dirname "$0")/lib.sh"

capture()
{
	ip netns exec near tcpdump -q -Z root -s 0 -U -w raw.pcap -i v0 udp port 4791 or icmp \
		2>tcpdump.err &
	capture_pid=$!
	eventually 20 grep -q 'listening on' tcpdump.err
}

# end_capture FILE - what was sent before this is in FILE.  tcpdump forgets what
# it has not read when it is told to end, so it is told once it has read a ping.
end_capture()
{
	ip netns exec near ping -q -c 1 -W 10 10.77.0.2 >/dev/null || fail 'no ping'
	eventually 20 pinged
	kill -INT $capture_pid
	wait $capture_pid || true
	tcpdump -r raw.pcap -w "$1" udp port 4791 2>/dev/null
}

pinged()
{
	tcpdump -n -r raw.pcap icmp 2>/dev/null | grep -q 'echo reply'
}

# lacks WHAT - the table of packets has no line that the rest of the words find
lacks()
{
	local what=$1 found
	shift
	found=$(awk -F'\t' "$@" decoded | head -n 5)
	[ -z "$found" ] || fail "$what: $found"
}

# has OPCODE WHAT - a packet of each IP version has this opcode
has()
{
	local version
	for version in 4 6; do
		awk -F'\t' -v hex="$1" -v decimal="$(($1))" -v version=$version '
			($2 == hex || $2 == decimal) && $3 == version { found = 1 }
			END { exit !found }' decoded || fail "no packet over IPv$version is $2"
	done
}

two_namespaces
# One frame a packet, also where a GSO frame would cross the veth whole.
ip netns exec near ethtool -K v0 tx-udp-segmentation off gro off 2>/dev/null || true
ip netns exec far ethtool -K v1 tx-udp-segmentation off gro off 2>/dev/null || true

step 'traffic of every kind'
capture
for GID in v4 v6; do
	pingpong a0 a1 -n 5 -m 1024 -s 5000
	for kind in send write read; do
		perftest a0 a1 ib_${kind}_bw -s 3001 -m 1024 -n 5
	done
	perftest a0 a1 ib_atomic_bw -A FETCH_AND_ADD -n 5
	perftest a0 a1 ib_atomic_bw -A CMP_AND_SWAP -n 5
done
end_capture all.pcap

step 'ICRC of every packet, computed anew'
python icrc.py all.pcap

step 'what tshark says'
# A line a packet: number, opcode, IP version, TVer, MigReq, malformed, remarks.
tshark -n -r all.pcap -T fields -e frame.number -e infiniband.bth.opcode -e ip.version \
	-e infiniband.bth.tver -e infiniband.bth.m -e _ws.malformed \
	-e _ws.expert.severity -e _ws.expert.message >fields 2>tshark.err
# IPv6 has a field of its own for its version.
awk -F'\t' -v OFS='\t' '$3 == "" { $3 = 6 } { print }' fields >decoded
[ "$(wc -l <decoded)" -gt 100 ] || fail "only $(wc -l <decoded) packets were caught"
lacks 'not RoCE' '$2 == ""'
lacks 'malformed' '$6 != ""'
lacks 'an error, says tshark' '$7 ~ /8388608|[Ee]rror/'
lacks 'TVer is not 0' '$4 !~ /^(0|0x0+)$/'
lacks 'MigReq is not set' '$5 !~ /^(1|True)$/'
has 0x00 'SEND First'
has 0x01 'SEND Middle'
has 0x02 'SEND Last'
has 0x06 'WRITE First'
has 0x07 'WRITE Middle'
has 0x08 'WRITE Last'
has 0x0c 'READ Request'
has 0x0d 'READ Response First'
has 0x0e 'READ Response Middle'
has 0x0f 'READ Response Last'
has 0x11 'Acknowledge'
has 0x12 'ATOMIC Acknowledge'
has 0x13 'CmpSwap'
has 0x14 'FetchAdd'
