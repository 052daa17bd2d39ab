# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the cases share.  A case reads like a specification: it sets up an end
# or two, and says with the words below what must happen.
#
#   one_device        a0 on the dummy netdev d0
#   two_devices       a0 on d0 and a1 on d1, same namespace: same-host delivery
#   two_namespaces    near                 far        two network namespaces,
#                     a0 on v0 --- veth --- v1 a1      the wire in between
#   rxe_and_ours      init                 far        the kernel's rxe, which
#                     rxe0 on v0 - veth -- v1 a1      lives in the first one only
#
# Every netdev has 10.77.0.N/24 and fd00:77::N/64.  DUT_TYPE=rxe in the
# environment runs a case against the kernel's own device, to try the case.

set -euE -o pipefail
trap 'echo "line $LINENO: failed: $BASH_COMMAND"' ERR

DUT_TYPE=${DUT_TYPE:-ohca}
TESTING=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CLASS=/sys/class/infiniband
declare -A NS=() ADDR4=()
GID=v4		# kind of GID that between() uses: v4, v6 or ll
LIMIT=60	# seconds a tool may take
port=18600

# step TEXT... - says what comes, so that a failure shows where it was
step()
{
	echo "- $*"
}

fail()
{
	echo "failed: $*"
	exit 1
}

# refuse PATTERN COMMAND... - COMMAND must fail and say something like PATTERN
refuse()
{
	local pattern=$1 said
	shift
	if said=$("$@" 2>&1); then
		fail "was not refused: $*"
	fi
	grep -qE -- "$pattern" <<<"$said" || fail "$*: said: $said"
}

# eventually SECONDS COMMAND... - COMMAND succeeds within so many seconds
eventually()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "did not come true: $*"
		sleep 0.1
	done
}

# not COMMAND... - for use under eventually
not()
{
	! "$@"
}

# in_ns NAMESPACE COMMAND... - `init` is the namespace of the case itself
in_ns()
{
	local ns=$1
	shift
	if [ "$ns" = init ]; then
		"$@"
	else
		ip netns exec "$ns" "$@"
	fi
}

# on DEVICE COMMAND... - runs COMMAND where the device's addresses are
on()
{
	local ns=${NS[$1]}
	shift
	in_ns "$ns" "$@"
}

# netdev_up NAMESPACE NETDEV N [MTU] - addresses number N, and up
netdev_up()
{
	in_ns "$1" sysctl -qw "net.ipv6.conf.$2.accept_dad=0"
	in_ns "$1" ip link set "$2" mtu "${4:-9000}" up
	in_ns "$1" ip addr replace "10.77.0.$3/24" dev "$2"
	in_ns "$1" ip addr replace "fd00:77::$3/64" dev "$2" nodad
}

# device NAME NETDEV N [NAMESPACE] [TYPE] - an RDMA device on a netdev that is up
device()
{
	in_ns "${4:-init}" rdma link add "$1" type "${5:-$DUT_TYPE}" netdev "$2"
	device_is_there "$1" "$3" "${4:-init}"
}

# device_is_there NAME N [NAMESPACE] - on a netdev with addresses number N
device_is_there()
{
	NS[$1]=${3:-init}
	ADDR4[$1]=10.77.0.$2
	eventually 5 gid_index "$1" v6
	eventually 5 gid_index "$1" v4
}

dummy()
{
	ip link add "$1" type dummy
	netdev_up init "$1" "$2" "${3:-9000}"
}

one_device()
{
	dummy d0 1
	device a0 d0 1
}

two_devices()
{
	one_device
	dummy d1 2
	device a1 d1 2
}

# veth_pair NAMESPACE NAMESPACE - v0 and v1, up
veth_pair()
{
	local ns
	for ns in "$1" "$2"; do
		[ "$ns" = init ] || ip netns add "$ns"
		in_ns "$ns" ip link set lo up
	done
	ip link add v0 type veth peer name v1
	[ "$1" = init ] || ip link set v0 netns "$1"
	[ "$2" = init ] || ip link set v1 netns "$2"
	netdev_up "$1" v0 1
	netdev_up "$2" v1 2
}

two_namespaces()
{
	veth_pair near far
	device a0 v0 1 near
	device a1 v1 2 far
}

rxe_and_ours()
{
	veth_pair init far
	device rxe0 v0 1 init rxe
	device a1 v1 2 far
}

# same_host on|off - whether devices of one host meet without packets
same_host()
{
	[ "$DUT_TYPE" = ohca ] || return 0
	modprobe ohca_soft
	case $1 in
	on) echo Y ;;
	off) echo N ;;
	esac >/sys/module/ohca_soft/parameters/local_delivery
}

# gid_index DEVICE v4|v6|ll - prints the index of the RoCE v2 GID of that kind
gid_index()
{
	if [ -e "$CLASS/$1" ]; then
		gid_index_here "$@"
	else
		# `rdma system set netns exclusive`: only its namespace shows it.
		on "$1" bash -c "CLASS=$CLASS; $(declare -f gid_index_here)
			gid_index_here $*"
	fi
}

gid_index_here()
{
	local dir=$CLASS/$1/ports/1 kind=$2 i gid type
	for ((i = 0; i < 64; i++)); do
		read -r gid 2>/dev/null <"$dir/gids/$i" || continue
		case $kind:$gid in
		v4:0000:0000:0000:0000:0000:ffff:* | v6:fd00:* | ll:fe80:*) ;;
		*) continue ;;
		esac
		read -r type 2>/dev/null <"$dir/gid_attrs/types/$i" || continue
		[ "$type" = "RoCE v2" ] || continue
		echo "$i"
		return
	done
	return 1
}

# port_is DEVICE STATE - as in ACTIVE, DOWN
port_is()
{
	grep -q ": $2$" "$CLASS/$1/ports/1/state"
}

active_mtu_is()
{
	ibv_devinfo -d "$1" | grep -q "active_mtu:.*$2 ("
}

# counter DEVICE NAME - a hardware counter's value
counter()
{
	cat "$CLASS/$1/ports/1/hw_counters/$2"
}

# listens NAMESPACE PORT
listens()
{
	[ -n "$(in_ns "$1" ss -Hltn "sport = :$2")" ]
}

# start_server DEVICE TOOL [OPTION]... - leaves its process in $server_pid
start_server()
{
	local dev=$1 tool=$2
	shift 2
	: $((port += 1))
	on "$dev" timeout "$LIMIT" "$tool" $(device_options "$dev" "$tool") \
		"$@" >server.out 2>server.err &
	server_pid=$!
	eventually 20 server_is_ready "$dev"
}

# A server that ended at once is for the caller to see, not to be waited for.
server_is_ready()
{
	listens "${NS[$1]}" $port || not kill -0 "$server_pid"
}

# device_options DEVICE TOOL - what names device, GID and port to the tool
device_options()
{
	local index
	index=$(gid_index "$1" "$GID")
	case $2 in
	*pingpong) echo "-d $1 -g $index -p $port" ;;
	*) echo "-d $1 -x $index -p $port -F" ;;
	esac
}

# between SERVER CLIENT TOOL [OPTION]... - both ends run TOOL and succeed.
# What the client said is left in client.out, the server's in server.out.
between()
{
	local server=$1 client=$2 tool=$3
	shift 3
	start_server "$server" "$tool" "$@"
	if ! on "$client" timeout "$LIMIT" "$tool" \
		$(device_options "$client" "$tool") \
		"$@" "${ADDR4[$server]}" >client.out 2>client.err; then
		kill "$server_pid" 2>/dev/null || true
		show_outputs
		fail "client $client: $tool $* (GID $GID)"
	fi
	if ! wait "$server_pid"; then
		show_outputs
		fail "server $server: $tool $* (GID $GID)"
	fi
}

show_outputs()
{
	local name
	for name in server client; do
		echo "--- $name:"
		cat "$name.out" "$name.err"
	done
}

# pingpong SERVER CLIENT [OPTION]... - checks the bytes too
pingpong()
{
	between "$1" "$2" ibv_rc_pingpong -c "${@:3}"
	local out
	for out in server.out client.out; do
		grep -q 'bytes in' $out || { show_outputs; fail "no result: $*"; }
		! grep -q 'invalid data' $out || { show_outputs; fail "wrong data: $*"; }
	done
}

# perftest SERVER CLIENT TOOL [OPTION]... - the client prints a table of rates
perftest()
{
	between "$@"
	[ "$(rows)" -ge 1 ] || { show_outputs; fail "no table: $*"; }
}

# rows - lines of the table that the client of perftest printed
rows()
{
	grep -cE '^ *[0-9]+ +[0-9]+ +' client.out || true
}

# python PROGRAM [ARGUMENT]... - a program of this folder
python()
{
	PYTHONPATH=$TESTING PYTHONDONTWRITEBYTECODE=1 python3 "$TESTING/$1" "${@:2}"
}

# start_traffic SERVER CLIENT TOOL [OPTION]... - endless traffic behind the case.
# The ends' processes are in $server_pid and $client_pid.
start_traffic()
{
	local server=$1 client=$2 tool=$3
	shift 3
	LIMIT=1000 start_server "$server" "$tool" -n 100000000 "$@"
	on "$client" timeout 1000 "$tool" $(device_options "$client" "$tool") \
		-n 100000000 "$@" "${ADDR4[$server]}" >client.out 2>client.err &
	client_pid=$!
	local end=$((SECONDS + 20))
	until moves "$client" "$server"; do
		if [ $SECONDS -ge $end ]; then
			show_outputs
			fail "no traffic: $tool $*"
		fi
	done
}

# moves DEVICE... - one of their counters of packets goes up
moves()
{
	local dev before after
	before=$(for dev; do counter "$dev" sent_pkts; done | paste -sd' ')
	sleep 0.2
	after=$(for dev; do counter "$dev" sent_pkts; done | paste -sd' ')
	[ "$before" != "$after" ]
}

# traffic_fails SECONDS - both ends come to an end within so many seconds, and
# they know that it went wrong
traffic_fails()
{
	local pid
	for pid in "$client_pid" "$server_pid"; do
		ends_within "$pid" "$1"
		if wait "$pid"; then
			show_outputs
			fail 'an end of the traffic claims that all went well'
		fi
	done
}

# client_fails SECONDS - as traffic_fails, where the server can't know: its device is
# as it was, and the TCP connection has lost its other end without a word
client_fails()
{
	ends_within "$client_pid" "$1"
	if wait "$client_pid"; then
		show_outputs
		fail 'the client claims that all went well'
	fi
	kill "$server_pid" 2>/dev/null || true
	wait "$server_pid" || true
}

# ends_within PID SECONDS - the process ends by itself within so many seconds
ends_within()
{
	local end=$((SECONDS + $2))
	while kill -0 "$1" 2>/dev/null; do
		if [ $SECONDS -ge $end ]; then
			show_outputs
			fail "process $1 still runs after $2 s"
		fi
		sleep 0.1
	done
}

# meet DEVICE DEVICE SERVER -- CLIENT - two commands of librdmacm's, both succeed
meet()
{
	local server_dev=$1 client_dev=$2 server=()
	shift 2
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	on "$server_dev" timeout "$LIMIT" "${server[@]}" >server.out 2>server.err &
	server_pid=$!
	eventually 20 someone_listens
	on "$client_dev" timeout "$LIMIT" "$@" >client.out 2>client.err ||
		{ show_outputs; fail "client: $*"; }
	wait $server_pid || { show_outputs; fail "server: ${server[*]}"; }
}

someone_listens()
{
	rdma resource show cm_id | grep -q LISTEN || not kill -0 "$server_pid"
}

# serve DEVICE COMMAND... - a server of librdmacm's that ends when it is killed;
# its process is in $server_pid
serve()
{
	# Not by on(): it is the program that must be killed, not a shell around it.
	ip netns exec "${NS[$1]}" "${@:2}" >server.out 2>server.err &
	server_pid=$!
	eventually 20 someone_listens
}

end_server()
{
	kill "$server_pid"
	wait "$server_pid" || true
}

# address DEVICE - of the family that $GID says
address()
{
	case $GID in
	v4) echo "${ADDR4[$1]}" ;;
	v6) echo "fd00:77::${ADDR4[$1]##*.}" ;;
	esac
}

# connections SERVER CLIENT - by rdma_cm: a stream of messages, RC and UD
connections()
{
	local at
	at=$(address "$1")
	meet "$1" "$2" rping -s -a "$at" -C 20 -v -- rping -c -a "$at" -C 20 -v
	meet "$1" "$2" ucmatose -b "$at" -c 10 -- ucmatose -s "$at" -c 10
	meet "$1" "$2" udaddy -b "$at" -c 10 -- udaddy -s "$at" -c 10
}
