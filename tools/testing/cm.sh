# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# Datagrams, and connections by rdma_cm: ibv_ud_pingpong, UD perftest, and the
# programs of librdmacm, over IPv4 and IPv6; one device with itself, with and
# without same-host delivery, and two namespaces.

. "$(dirname "$0")/lib.sh"

datagrams()
{
	step "$3: datagrams, $GID"
	between "$1" "$2" ibv_ud_pingpong -n 200
	perftest "$1" "$2" ib_send_lat -c UD -n 100
	perftest "$1" "$2" ib_send_bw -c UD -n 100 -s 1024
}

all_ways()
{
	for GID in v4 v6; do
		datagrams "$@"
		step "$3: connections, $GID"
		connections "$1" "$2"
	done
}

modprobe rdma_ucm
one_device
all_ways a0 a0 'one device'
same_host off
all_ways a0 a0 'one device, as on a wire'
same_host on
rdma link del a0
ip link del d0

two_namespaces
all_ways a0 a1 'two namespaces'
