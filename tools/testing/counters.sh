# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# Counters are there by their names, in sysfs and in `rdma statistic`, and move
# with what they count.

. "$(dirname "$0")/lib.sh"

names='sent_pkts rcvd_pkts duplicate_request out_of_seq_request rcvd_rnr_err
	send_rnr_err rcvd_seq_err ack_deferred retry_exceeded_err
	retry_rnr_exceeded_err completer_retry_err send_err link_downed
	rdma_sends rdma_recvs'
queue_names='out_of_sequence packet_seq_err implied_nak_seq_err
	local_ack_timeout_err req_cqe_error resp_cqe_error req_cqe_flush_error
	resp_cqe_flush_error req_remote_access_errors resp_remote_access_errors
	req_remote_invalid_request resp_local_length_error rx_read_requests
	rx_write_requests rx_atomic_requests rx_icrc_encapsulated'

# rises DEVICE NAME COMMAND... - the command makes the counter go up
rises()
{
	local dev=$1 name=$2 before after
	shift 2
	before=$(counter "$dev" "$name")
	"$@"
	after=$(counter "$dev" "$name")
	[ "$after" -gt "$before" ] || fail "$dev $name stays $before: $*"
}

two_namespaces

step "rxe's names, and those of mlx5's queue counters that apply"
for name in $names $queue_names; do
	[ -r $CLASS/a0/ports/1/hw_counters/$name ] || fail "no $name"
done
rdma statistic show link a0/1 >statistic
for name in $names $queue_names; do
	grep -q "^ *$name " statistic || fail "rdma statistic has no $name"
done

step 'they move with traffic'
rises a0 sent_pkts pingpong a0 a1 -n 10
rises a0 rcvd_pkts pingpong a0 a1 -n 10
rises a1 rdma_sends pingpong a0 a1 -n 10
rises a1 rdma_recvs pingpong a0 a1 -n 10
rises a0 rx_read_requests perftest a0 a1 ib_read_bw -n 10
rises a0 rx_write_requests perftest a0 a1 ib_write_bw -n 10
rises a0 rx_atomic_requests perftest a0 a1 ib_atomic_bw -n 10

step 'and with trouble'
for pair in a0:req_remote_access_errors a1:resp_remote_access_errors \
	a0:req_cqe_error a0:req_cqe_flush_error; do
	rises ${pair%:*} ${pair#*:} python status.py a0 a1 v4 wrong_rkey
done
rises a1 resp_cqe_flush_error python status.py a0 a1 v4 flush_by_modify wrong_rkey
rises a1 resp_local_length_error python status.py a0 a1 v4 message_too_long
rises a0 req_remote_invalid_request python status.py a0 a1 v4 message_too_long
rises a0 local_ack_timeout_err python status.py a0 a1 v4 time_of_retries
rises a0 retry_exceeded_err python status.py a0 a1 v4 time_of_retries
rises a0 rcvd_rnr_err python status.py a0 a1 v4 no_receive
rises a1 send_rnr_err python status.py a0 a1 v4 no_receive
rises a0 retry_rnr_exceeded_err python status.py a0 a1 v4 no_receive
down_and_up()
{
	ip netns exec near ip link set v0 down
	eventually 5 port_is a0 DOWN
	ip netns exec near ip link set v0 up
	eventually 5 port_is a0 ACTIVE
}
rises a0 link_downed down_and_up

step 'same-host delivery counts too'
ip netns exec near rdma link del a0
ip netns exec far rdma link del a1
two_devices
rises a1 sent_pkts pingpong a0 a1 -n 10
rises a0 rcvd_pkts pingpong a0 a1 -n 10
rises a1 rdma_sends pingpong a0 a1 -n 10
