# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# Every perftest program, between two devices of one host: all sizes, several
# QPs, both directions, completion events, inline data; and a device with itself.

. "$(dirname "$0")/lib.sh"

two_devices

step 'latency, one device with itself'
for kind in send write read atomic; do
	perftest a0 a0 ib_${kind}_lat -n 200
done

step 'all sizes, up to 8 MiB'
for kind in send write read; do
	for what in lat bw; do
		perftest a0 a1 ib_${kind}_$what -a -n 10
		[ "$(rows)" = 23 ] || fail "ib_${kind}_$what: $(rows) sizes, not 23"
	done
done

step 'atomics: fetch-and-add, compare-and-swap'
for type in FETCH_AND_ADD CMP_AND_SWAP; do
	perftest a0 a1 ib_atomic_lat -A $type -n 100
	perftest a0 a1 ib_atomic_bw -A $type -n 200
done

step 'several QPs, both directions'
for kind in send write read atomic; do
	perftest a0 a1 ib_${kind}_bw -q 8 -n 100
	perftest a0 a1 ib_${kind}_bw -b -n 100
	perftest a0 a1 ib_${kind}_bw -b -q 4 -n 100
done

step 'completion events (perftest has them not for WRITE)'
for tool in ib_send_lat ib_read_lat ib_send_bw ib_read_bw ib_atomic_bw; do
	perftest a0 a1 $tool -e -n 100
done

step 'inline data, and none'
for tool in ib_send_lat ib_write_lat ib_send_bw ib_write_bw; do
	perftest a0 a1 $tool -s 64 -I 64 -n 100
	perftest a0 a1 $tool -s 64 -I 0 -n 100
done

step 'each path MTU'
for mtu in 256 512 1024 2048 4096; do
	perftest a0 a1 ib_write_bw -m $mtu -s 65536 -n 50
done
