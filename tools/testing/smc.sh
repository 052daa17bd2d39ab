# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# kernels: debian13
# programs: smc
#
# SMC-R: sockets whose bytes the kernel's smc module moves by RDMA. It is a kernel
# consumer that registers fast and connects its QPs itself, over TCP.

. "$(dirname "$0")/lib.sh"

two_namespaces
modprobe smc
smc eid OHCA
writes=$(counter a1 rx_write_requests)
on a1 smc server "${ADDR4[a1]}" >server.out 2>&1 &
server_pid=$!
eventually 20 listens "${NS[a1]}" 7777
on a0 smc client "${ADDR4[a1]}" 8000000
wait "$server_pid" || { cat server.out; fail 'the server'; }
writes=$(($(counter a1 rx_write_requests) - writes))
echo "$writes WRITEs"
# Not by TCP, to which it falls back when RDMA can't be had.
[ "$writes" -gt 100 ] || { on a0 ss -tin | head; fail 'nothing came by RDMA'; }
modprobe -r smc
