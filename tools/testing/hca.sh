# SPDX-License-Identifier: GPL-2.0
# Words for cases about the device model under the kernel's own mlx5 drivers. Not a
# case: it has no time to run in.

fail()
{
	echo "FAIL: $*"
	dmesg | grep -i mlx5 | tail -n 30
	exit 1
}

# hca_ask N WORDS - tells model N what is to go wrong; prints its answer
hca_ask()
{
	local answer port=/dev/virtio-ports/hca$1
	exec 7<>"$port" || fail "no $port"
	echo "${*:2}" >&7
	read -r -t 10 answer <&7 || fail "$port: no answer to ${*:2}"
	exec 7>&-
	echo "$answer"
	[ "${answer%% *}" = ok ] || fail "$answer"
}

# hca_two_namespaces - the drivers on both functions; the first one's netdev in the
# namespace "hca", with 10.77.0.1, the other's here, with 10.77.0.2. Sets first and
# second (RDMA devices), one and two (netdevs). GID 0 is of IPv6, GID 1 of IPv4.
hca_two_namespaces()
{
	local i
	modprobe mlx5_core && modprobe mlx5_ib || fail 'the modules'
	for ((i = 0; i < 60; i++)); do
		[ "$(ls /sys/class/infiniband 2>/dev/null | grep -c mlx5)" != 2 ] || break
		sleep 1
	done
	read -r first second <<<"$(ls /sys/class/infiniband | grep mlx5 | paste -sd' ')"
	[ -n "$second" ] || fail 'there are not two RDMA devices'
	one=$(ls "/sys/class/infiniband/$first/device/net")
	two=$(ls "/sys/class/infiniband/$second/device/net")
	ip netns add hca
	ip link set "$one" netns hca
	ip -n hca addr add 10.77.0.1/24 dev "$one"
	ip -n hca link set "$one" up
	ip addr add 10.77.0.2/24 dev "$two"
	ip link set "$two" up
	for ((i = 0; i < 20; i++)); do
		[ "$(ibv_devinfo | grep -c PORT_ACTIVE)" != 2 ] || break
		sleep 1
	done
	ibv_devinfo | grep -E 'hca_id|fw_ver|state'
	[ "$(ibv_devinfo | grep -c PORT_ACTIVE)" = 2 ] || fail 'a port is not active'
	for ((i = 0; i < 20; i++)); do
		ping -c 1 -W 1 10.77.0.1 >/dev/null && return
	done
	fail 'no way to the other netdev'
}

# hca_both PROGRAM ARG... - the server on the function in the namespace, the client on
# the other; they find each other over the netdevs
hca_both()
{
	echo "== $*"
	ip netns exec hca timeout 60 "$1" -d "$first" "${@:2}" >server.log 2>&1 &
	local server=$!
	sleep 0.7
	timeout 60 "$1" -d "$second" "${@:2}" 10.77.0.1 >client.log 2>&1 ||
		{ cat server.log client.log; fail "$1: the client"; }
	wait $server || { cat server.log client.log; fail "$1: the server"; }
}

# hca_end - the log is clean but for hca_allowed, and the modules go
hca_end()
{
	# The function has no vendor-specific capability, of which the driver warns.
	if dmesg | grep -E 'mlx5.*(fail|error|syndrome|timeout)' |
		grep -vE "Failed to get valid vendor specific ID${hca_allowed:+|$hca_allowed}"; then
		fail 'the log'
	fi
	ip netns del hca
	modprobe -r mlx5_ib mlx5_core || fail 'the modules do not go'
}
