# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# packages: e2fsprogs fio libfabric-bin nfs-kernel-server open-iscsi openmpi-bin python3-mpi4py srptools ucx-utils
#
# What applications reach RDMA by, from Debian: UCX by UD, libfabric's verbs provider,
# Open MPI over UCX with four ranks, qperf.

. "$(dirname "$0")/lib.sh"

# both NAME - the server, behind the case, succeeds too
both()
{
	wait "$server_pid" || { show_outputs; fail "server: $1"; }
}

# server DEVICE PORT COMMAND... - listens to the TCP port
server()
{
	ip netns exec "${NS[$1]}" timeout "$LIMIT" "${@:3}" >server.out 2>server.err &
	server_pid=$!
	eventually 20 listens_or_ended "$1" "$2"
}

listens_or_ended()
{
	listens "${NS[$1]}" "$2" || not kill -0 "$server_pid"
}

client()
{
	on "$1" timeout "$LIMIT" "${@:2}" >client.out 2>client.err ||
		{ show_outputs; fail "client: ${*:2}"; }
}

# ucx TRANSPORT - messages of the kinds in the file `tests', one after another
ucx()
{
	: $((port += 1))
	server a0 $port env UCX_NET_DEVICES=a0:1 UCX_TLS="$1" \
		ucx_perftest -P 0 -p $port -b tests
	client a1 env UCX_NET_DEVICES=a1:1 UCX_TLS="$1" \
		ucx_perftest "${ADDR4[a0]}" -P 0 -p $port -b tests
	both "UCX by $1"
	[ "$(grep -c '^Final:' client.out)" = "$(wc -l <tests)" ] ||
		{ show_outputs; fail "UCX by $1: no results"; }
}

# fabric ENDPOINT [OPTION]... - fi_pingpong looks at the bytes
fabric()
{
	: $((port += 1))
	server a0 $port fi_pingpong -p verbs -e "$1" -B $port -c -I 50 "${@:2}"
	client a1 fi_pingpong -p verbs -e "$1" -P $port -c -I 50 "${@:2}" "${ADDR4[a0]}"
	both "fi_pingpong $1"
}

qperf_tests()
{
	ip netns exec "${NS[a0]}" qperf >server.out 2>&1 &
	server_pid=$!
	eventually 20 listens "${NS[a0]}" 19765
	client a1 qperf -t 1 -cm 1 "${ADDR4[a0]}" "$@"
	kill "$server_pid"
	wait "$server_pid" || true
}

two_namespaces
modprobe rdma_ucm
step 'UCX'
cat >tests <<'TESTS'
bandwidth -t tag_bw -s 100000 -n 200 -w 10
latency -t tag_lat -s 8 -n 200 -w 10
put -t ucp_put_bw -s 4096 -n 200 -w 10
get -t ucp_get -s 4096 -n 200 -w 10
atomic -t ucp_fadd -s 8 -n 200 -w 10
TESTS
ucx ud_verbs
step 'libfabric'
fabric msg
fabric rdm
step 'qperf'
qperf_tests rc_lat rc_bw rc_rdma_write_bw rc_rdma_write_lat
step 'Open MPI'
# Four ranks of one host: all by RDMA, none by shared memory.
sent=$(counter a1 sent_pkts)
on a1 timeout $LIMIT env UCX_NET_DEVICES=a1:1 UCX_TLS=ud_verbs,self \
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	mpirun -n 4 --oversubscribe --mca pml ucx --mca osc ucx --mca coll ^hcoll \
	python3 "$TESTING/mpi.py" 4 >client.out 2>client.err ||
	{ cat client.out client.err; fail 'mpirun'; }
grep -qx 'all well' client.out || { cat client.out client.err; fail 'no result'; }
sent=$(($(counter a1 sent_pkts) - sent))
echo "$sent packets"
[ $sent -gt 1000 ] || fail 'it was not by RDMA'
