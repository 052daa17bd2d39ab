# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# boot: own
# hca: 2
#
# The device model's judge: the kernel's own mlx5_core and mlx5_ib, with none of
# our modules, bring up two functions. The netdevs pass ping, and RDMA of every kind
# passes between the two: memory registered by UMR, RC, UC, UD, XRC, SRQ, atomics,
# and connections and multicast groups by rdma_cm.

. /ohca/testing/hca.sh

hca_two_namespaces

echo '== ping'
ping -c 5 -i 0.2 10.77.0.1 || fail 'ping'
ping -c 3 -i 0.2 -s 4000 10.77.0.1 || fail 'ping in fragments'

hca_both ibv_rc_pingpong -g 0 -n 100
hca_both ibv_rc_pingpong -g 1 -n 50 -e -s 100000
hca_both ibv_uc_pingpong -g 0 -n 50 -s 20000
hca_both ibv_ud_pingpong -g 0 -n 50
hca_both ibv_ud_pingpong -g 1 -n 50 -e
hca_both ibv_srq_pingpong -g 1 -n 50
hca_both ibv_xsrq_pingpong -g 1 -n 50
hca_both ib_write_bw -x 1 -n 50 -s 65536 -q 4
hca_both ib_read_bw -x 1 -n 50 -s 65536
hca_both ib_send_bw -x 1 -n 50 -e -r 64 --use-srq
hca_both ib_send_lat -x 1 -n 50 -c UD -I 64
hca_both ib_atomic_bw -x 1 -n 50
hca_both ib_atomic_lat -x 1 -n 50 -A CMP_AND_SWAP

echo '== rping, by the connection manager'
ip netns exec hca timeout 30 rping -s -a 10.77.0.1 -C 5 >server.log 2>&1 &
server=$!
sleep 0.7
timeout 30 rping -c -a 10.77.0.1 -C 5 || fail 'rping: the client'
# The server can't tell the client's end from a failure; it says that it saw it.
wait $server
grep -q 'server DISCONNECT' server.log || { cat server.log; fail 'rping: the server'; }

echo '== mckey, a multicast group'
ip netns exec hca timeout 30 mckey -m 239.7.7.7 -b 10.77.0.1 -C 5 >server.log 2>&1 &
server=$!
sleep 2
timeout 30 mckey -s -m 239.7.7.7 -b 10.77.0.2 -C 5 >client.log 2>&1 ||
	{ cat client.log; fail 'mckey: the sender'; }
wait $server || { cat server.log client.log; fail 'mckey: the receiver'; }

hca_end
