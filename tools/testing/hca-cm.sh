# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# hca: 2
# programs: smc
#
# What goes over rdma_cm and the GSI queue pair of ohca_pci, and a consumer in the
# kernel, between two HCAs: connections over IPv4 and IPv6, a multicast group, XRC, and
# SMC-R, whose buffers are registered by work requests.

. "$(dirname "$0")/pci.sh"

two_hcas
for GID in v4 v6; do
	step "connections, $GID"
	connections hca0 hca1
	connections hca1 hca0
done
GID=v4

step 'a multicast group'
on hca0 timeout 30 stdbuf -oL mckey -m 239.7.7.7 -b 10.77.0.1 -C 5 >server.out 2>server.err &
server_pid=$!
eventually 10 grep -q joined server.out
on hca1 timeout 30 mckey -s -m 239.7.7.7 -b 10.77.0.2 -C 5 >client.out 2>client.err ||
	{ show_outputs; fail 'mckey: the sender'; }
wait "$server_pid" || { show_outputs; fail 'mckey: the receiver'; }

step 'XRC'
between hca0 hca1 ibv_xsrq_pingpong -n 100
between hca1 hca0 ibv_xsrq_pingpong -n 50 -e

step 'SMC-R'
modprobe smc
smc eid OHCA
before=$(counter hca0 rx_write_requests)
on hca0 smc server 10.77.0.1 >server.out 2>&1 &
server_pid=$!
eventually 20 listens near 7777
on hca1 smc client 10.77.0.1 4000000
wait "$server_pid" || { cat server.out; fail 'the server'; }
writes=$(($(counter hca0 rx_write_requests) - before))
echo "$writes WRITEs"
# Not by TCP, to which it falls back when RDMA can't be had.
[ "$writes" -gt 50 ] || { on hca1 ss -tin | head; fail 'nothing came by RDMA'; }
modprobe -r smc
end_of_pci
