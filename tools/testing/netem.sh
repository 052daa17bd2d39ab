# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# The wire between two namespaces loses, reorders, doubles and delays packets:
# nothing is lost, nothing fails, and every byte is right.

. "$(dirname "$0")/lib.sh"

# bad_wire SETTING... - the same in both directions
bad_wire()
{
	ip netns exec near tc qdisc replace dev v0 root netem limit 10000 "$@"
	ip netns exec far tc qdisc replace dev v1 root netem limit 10000 "$@"
}

traffic()
{
	# Both ends in one process: the last ACK may be lost after ping-pong's
	# server has gone, and its client would rightly complain.
	SMALL=1 python data.py a0 a1 v4 every_mtu many_in_flight both_directions
	for kind in send write read; do
		perftest a0 a1 ib_${kind}_bw -s 65536 -n 20 -m 1024
	done
	perftest a1 a0 ib_atomic_bw -n 50
	perftest a1 a0 ib_write_bw -s 20000 -n 20 -q 4 -b -m 1024
}

two_namespaces

step 'loss of 2 %'
bad_wire loss 2%
traffic
resent=$(counter a0 local_ack_timeout_err)
resent=$((resent + $(counter a0 packet_seq_err) + $(counter a0 implied_nak_seq_err)))
[ "$resent" -gt 0 ] || fail 'nothing was sent again'

step 'reordering'
bad_wire delay 1ms reorder 75% 50%
traffic

step 'duplication'
bad_wire duplicate 20%
traffic
[ "$(counter a1 duplicate_request)" -gt 0 ] || fail 'no duplicate was counted'

step 'delay that varies, loss and duplication together'
bad_wire delay 1ms 1ms loss 1% duplicate 5%
traffic

step 'corruption: the ICRC finds it'
bad_wire corrupt 2%
traffic
