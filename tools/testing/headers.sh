# SPDX-License-Identifier: GPL-2.0
# timeout: 180
#
# Traffic class, hop limit and flow label of an address become type of service
# (DSCP and ECN), time to live and UDP source port on the wire.

. "$(dirname "$0")/lib.sh"

veth_pair near far
device a1 v1 2 far

# The hop limit of an address is the route's: IB core puts it there.
ip netns exec far ip route replace 10.77.0.0/24 dev v1 src 10.77.0.2 hoplimit 9
ip netns exec far ip -6 route del fd00:77::/64 dev v1
ip netns exec far ip -6 route add fd00:77::/64 dev v1 hoplimit 9

step 'IPv4'
python headers.py a1 near 10.77.0.1 v4
step 'IPv6'
python headers.py a1 near fd00:77::1 v6
