# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# kernels: debian13 test
#
# rdma link add and del: the module loads by itself, what is wrong is refused,
# and nothing stays behind.

. "$(dirname "$0")/lib.sh"

loaded()
{
	grep -q "^$1 " /proc/modules
}

add()
{
	rdma link add "$1" type ohca netdev "$2"
}

dummy d0 1
dummy d1 2

step 'the module loads by its alias'
not loaded ohca_soft || fail 'it is loaded already'
add a0 d0
loaded ohca_soft || fail 'it is not loaded'
rdma link show a0/1 | grep -q 'netdev d0' || fail 'no device'

step 'what is wrong is refused'
refuse 'exist|in use' add again d0
# IB core's errno for a name that is taken is ENFILE.
refuse 'exist|in use|Too many' add a0 d1
refuse 'ind|No such|not' add b0 nosuchdev
refuse . add "$(printf 'n%.0s' $(seq 80))" d1
refuse . rdma link add b0 type nosuchtype netdev d1
refuse . rdma link del nosuchdevice

step 'not every netdev will do'
modprobe tun
eventually 5 test -e /dev/net/tun
ip tuntap add mode tun name t0
refuse 'supported' add b0 t0
ip link add link d1 name d1.5 type vlan id 5
refuse 'supported' add b0 d1.5
[ "$(ls $CLASS)" = a0 ] || fail "there are: $(ls $CLASS)"

step 'the UDP port is taken: rxe has it'
rdma link del a0
rdma link add rxe0 type rxe netdev d1
refuse 'in use' add a0 d0
rdma link del rxe0
# rxe gives its sockets back when its module goes.
rmmod rdma_rxe
add a0 d0
rdma link del a0

step 'made and removed many times'
for i in $(seq 20); do
	add a0 d0
	add a1 d1
	rdma link del a0
	rdma link del a1
done
[ -z "$(ls $CLASS)" ] || fail "there are: $(ls $CLASS)"

step 'made and removed by several at once'
for worker in 1 2 3; do
	for i in $(seq 10); do
		add "b$worker" d0 2>/dev/null && rdma link del "b$worker"
	done &
done
wait
[ -z "$(ls $CLASS)" ] || fail "there are: $(ls $CLASS)"

step 'the module goes with its devices, when nobody uses them'
add a0 d0
add a1 d1
rmmod ohca_soft
[ -z "$(ls $CLASS 2>/dev/null)" ] || fail "there are: $(ls $CLASS)"
not loaded ohca_soft || fail 'it is still loaded'
add a0 d0
