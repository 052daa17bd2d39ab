# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# boot: own
# hca: 2
#
# The device model's judge: the kernel's own mlx5_core and mlx5_ib, with none of
# our modules, bring up two functions. The netdevs pass ping, and RDMA passes
# between the two.

fail()
{
	echo "FAIL: $*"
	dmesg | grep -i mlx5 | tail -n 30
	exit 1
}

# both PROGRAM ARG... - the server on one function, the client on the other
both()
{
	echo "== $*"
	timeout 60 "$1" -d "$first" "${@:2}" >server.log 2>&1 &
	local server=$!
	sleep 2
	timeout 60 "$1" -d "$second" "${@:2}" localhost >client.log 2>&1 ||
		{ cat server.log client.log; fail "$1: the client"; }
	wait $server || { cat server.log client.log; fail "$1: the server"; }
}

modprobe mlx5_core && modprobe mlx5_ib || fail 'the modules'
for ((i = 0; i < 60; i++)); do
	[ "$(ls /sys/class/infiniband 2>/dev/null | grep -c mlx5)" != 2 ] || break
	sleep 1
done
read -r first second <<<"$(ls /sys/class/infiniband | grep mlx5 | paste -sd' ')"
[ -n "$second" ] || fail 'there are not two RDMA devices'
one=$(ls "/sys/class/infiniband/$first/device/net")
two=$(ls "/sys/class/infiniband/$second/device/net")
ip link set "$one" up
ip link set "$two" up
for ((i = 0; i < 20; i++)); do
	[ "$(ibv_devinfo | grep -c PORT_ACTIVE)" != 2 ] || break
	sleep 1
done
ibv_devinfo | grep -E 'hca_id|fw_ver|state'
[ "$(ibv_devinfo | grep -c PORT_ACTIVE)" = 2 ] || fail 'a port is not active'

both ibv_rc_pingpong -g 0 -n 200
both ibv_rc_pingpong -g 0 -n 50 -e -s 100000
both ibv_srq_pingpong -g 0 -n 50
both ib_write_bw -x 0 -n 50 -s 65536
both ib_read_bw -x 0 -n 50 -s 65536
both ib_send_bw -x 0 -n 50 -s 65536

echo '== ping'
ip netns add hca
ip link set "$one" netns hca
ip -n hca addr add 10.77.0.1/24 dev "$one"
ip -n hca link set "$one" up
ip addr add 10.77.0.2/24 dev "$two"
for ((i = 0; i < 20; i++)); do
	ping -c 1 -W 1 10.77.0.1 >/dev/null && break
done
ping -c 5 -i 0.2 10.77.0.1 || fail 'ping'
ping -c 3 -i 0.2 -s 4000 10.77.0.1 || fail 'ping in fragments'

# The function has no vendor-specific capability, of which the driver warns.
if dmesg | grep -E 'mlx5.*(fail|error|syndrome|timeout)' |
	grep -v 'Failed to get valid vendor specific ID'; then
	fail 'the log'
fi
ip netns del hca
modprobe -r mlx5_ib mlx5_core || fail 'the modules do not go'
