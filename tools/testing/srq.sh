# SPDX-License-Identifier: GPL-2.0
# timeout: 400
# kernels: debian13
#
# Shared receive queues: what srq.py knows of them, by same-host delivery and by
# wire; stock programs that use one, alone and with rxe as the peer.

. "$(dirname "$0")/lib.sh"

# srq_pingpong SERVER CLIENT [OPTION]... - 16 QPs on one SRQ at each end
srq_pingpong()
{
	between "$1" "$2" ibv_srq_pingpong "${@:3}"
	grep -q 'bytes in' client.out || { show_outputs; fail "no result: $*"; }
}

two_devices
step 'same-host delivery'
python srq.py a0 a1
srq_pingpong a0 a1
srq_pingpong a0 a1 -e -q 4 -s 50000
same_host off
step 'the wire on one host'
python srq.py a0 a1
srq_pingpong a1 a0
step 'perftest'
for tool in ib_send_bw ib_send_lat; do
	perftest a0 a1 $tool --use-srq -n 1000 -s 4096
done
perftest a0 a1 ib_send_bw --use-srq -q 4 -n 1000 -s 65536
rdma link del a0
rdma link del a1
ip link del d0
ip link del d1

step 'rxe at the other end'
rxe_and_ours
srq_pingpong rxe0 a1
srq_pingpong a1 rxe0
perftest a1 rxe0 ib_send_bw --use-srq -q 4 -n 200 -s 16384
perftest rxe0 a1 ib_send_bw --use-srq -q 4 -n 200 -s 16384
