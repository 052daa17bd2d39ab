# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# programs: mcast
#
# Multicast: copies for each QP attached; senders and receivers in two namespaces, by
# verbs and by mckey, and with the kernel's rxe; the netdev is a member of the group
# for as long as a QP is, however that ends.

. "$(dirname "$0")/lib.sh"

GROUP4=239.77.0.1
GROUP6=ff0e::77:1

# is_member DEVICE GROUP - whether the device's netdev has joined
is_member()
{
	on "$1" ip maddr show dev "${NETDEV[$1]}" >addresses
	grep -qw "$2" addresses
}

# is_free - a0's netdev is a member of nothing that is ours
is_free()
{
	ip maddr show dev d0 >addresses
	not grep -q '239[.]77\|ff0e::77' addresses
}

declare -A NETDEV=([a0]=d0)

# mckeys RECEIVER SENDER - IPv4: for more rdma_cm has no RoCE v2
mckeys()
{
	: >server.out
	on "$1" timeout $LIMIT stdbuf -oL mckey -m $GROUP4 -b "${ADDR4[$1]}" \
		>server.out 2>server.err &
	server_pid=$!
	# Its QP is attached by then.
	eventually 10 grep -q 'joined dgid' server.out
	is_member "$1" $GROUP4 || fail "$1 is not a member"
	on "$2" timeout $LIMIT mckey -m $GROUP4 -b "${ADDR4[$2]}" -s >client.out 2>client.err ||
		{ show_outputs; fail "sender $2"; }
	wait $server_pid || { show_outputs; fail "receiver $1"; }
	eventually 5 not is_member "$1" $GROUP4
}

# wire RECEIVER SENDER v4|v6 GROUP - the same by verbs alone
wire()
{
	: >server.out
	on "$1" mcast receive "$1" "$(gid_index "$1" "$3")" "$4" >server.out 2>server.err &
	server_pid=$!
	eventually 10 grep -q attached server.out
	is_member "$1" "$4" || fail "$1 is not a member of $4"
	on "$2" mcast send "$2" "$(gid_index "$2" "$3")" "$4"
	wait $server_pid || { show_outputs; fail "receiver $1 of $4"; }
	eventually 5 not is_member "$1" "$4"
}

# hold GROUP - a program that has a QP attached, in $hold_pid
hold()
{
	: >hold.out
	mcast hold a0 "$(gid_index a0 v4)" "$1" >hold.out &
	hold_pid=$!
	eventually 10 grep -q attached hold.out
	is_member a0 "$1" || fail "not a member of $1"
}

modprobe rdma_ucm
one_device
step 'refused'
mcast refuse a0 "$(gid_index a0 v4)" $GROUP4
mcast refuse a0 "$(gid_index a0 v6)" $GROUP6
eventually 5 is_free
step 'a copy for each'
mcast copies a0 "$(gid_index a0 v4)" $GROUP4
mcast copies a0 "$(gid_index a0 v6)" $GROUP6
step 'membership ends with the program'
for group in $GROUP4 $GROUP6; do
	hold $group
	kill -9 $hold_pid
	wait $hold_pid || true
	eventually 5 not is_member a0 $group
done
step 'with the device'
hold $GROUP4
rdma link del a0
eventually 5 not is_member a0 $GROUP4
kill -9 $hold_pid || true
wait $hold_pid || true
step 'with the netdev'
device a0 d0 1
hold $GROUP6
ip link del d0
eventually 10 not test -e $CLASS/a0
kill -9 $hold_pid || true
wait $hold_pid || true
step 'and goes along to another namespace'
one_device
hold $GROUP4
ip netns add far
ip link set d0 netns far
netdev_up far d0 1
device_is_there a0 1 far
eventually 5 is_member a0 $GROUP4
kill -9 $hold_pid
wait $hold_pid || true
eventually 5 not is_member a0 $GROUP4
rdma link del a0
ip netns del far

step 'two namespaces'
two_namespaces
NETDEV=([a0]=v0 [a1]=v1)
wire a0 a1 v4 $GROUP4
wire a1 a0 v6 $GROUP6
mckeys a0 a1
mckeys a1 a0
rdma link del a0
rdma link del a1
ip netns del near
ip netns del far

# Not mckey as rxe's sender: it goes before rxe has sent all that it posted. Nor
# IPv6 to rxe, which joins nothing itself: for IPv4, rdma_cm does.
step 'with rxe'
eventually 5 not ip link show v0
rxe_and_ours
NETDEV=([rxe0]=v0 [a1]=v1)
wire a1 rxe0 v4 $GROUP4
wire a1 rxe0 v6 $GROUP6
mckeys rxe0 a1
