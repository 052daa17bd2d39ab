# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# kernels: debian13 newest
#
# What the stock tools say of a device: ibv_devices, ibv_devinfo, ibstat, rdma.

. "$(dirname "$0")/lib.sh"

# says PATTERN COMMAND... - the command succeeds and prints such a line
says()
{
	local pattern=$1 said
	shift
	said=$("$@" 2>&1) || fail "$*: $said"
	grep -qE -- "$pattern" <<<"$said" || fail "$*: nothing like '$pattern' in: $said"
}

# value NAME - a number that ibv_devinfo -v gives
value()
{
	awk -v name="$1:" '$1 == name { print $2; exit }' devinfo
}

# at_least NAME N
at_least()
{
	local is
	is=$(value "$1")
	[ $((is)) -ge "$2" ] || fail "$1 is ${is:-missing}, less than $2"
}

two_devices

step 'ibv_devices, ibv_devinfo'
says '^ *a0[[:space:]]+[0-9a-f]{16}' ibv_devices
says '^ *a1[[:space:]]+[0-9a-f]{16}' ibv_devices
ibv_devinfo -v -d a0 >devinfo
says 'transport:.*InfiniBand' cat devinfo
says 'state:.*PORT_ACTIVE' cat devinfo
says 'phys_state:.*LINK_UP' cat devinfo
says 'link_layer:.*Ethernet' cat devinfo
says 'active_mtu:.*4096' cat devinfo
says 'max_mtu:.*4096' cat devinfo
says 'max_msg_sz:.*0x80000000' cat devinfo
says 'atomic_cap:.*ATOMIC_(HCA|GLOB)' cat devinfo
says 'GID\[.*::ffff:10.77.0.1, RoCE v2' cat devinfo
says 'GID\[.*fd00:77::1, RoCE v2' cat devinfo
says 'GID\[.*fe80::.*, RoCE v2' cat devinfo
says 'fw_ver:.*[0-9]+\.[0-9]+' cat devinfo

step 'sizes that programs ask for'
at_least phys_port_cnt 1
at_least max_qp 1024
at_least max_qp_wr 8192
at_least max_cq 1024
at_least max_cqe 16384
at_least max_mr 1024
at_least max_pd 1024
at_least max_sge 16
at_least max_sge_rd 16
at_least max_qp_rd_atom 16
at_least max_qp_init_rd_atom 16
at_least gid_tbl_len 16
at_least pkey_tbl_len 1
at_least num_comp_vectors 1
[ $(($(value max_mr_size))) -lt 0 ] || at_least max_mr_size $((1 << 32))

step 'the devices are two: GUIDs differ'
[ "$(cat $CLASS/a0/node_guid)" != "$(cat $CLASS/a1/node_guid)" ] || fail 'same GUID'
[ "$(cat $CLASS/a0/node_guid)" != 0000:0000:0000:0000 ] || fail 'no GUID'

step 'ibstat'
says "^CA 'a0'" ibstat
says 'State: Active' ibstat a0
says 'Physical state: LinkUp' ibstat a0
says 'Link layer: Ethernet' ibstat a0

step 'rdma'
says 'a0/1 state ACTIVE physical_state LINK_UP netdev d0' rdma link show
says 'a1/1 state ACTIVE physical_state LINK_UP netdev d1' rdma link show a1/1
says 'a0: node_type ca' rdma dev show a0
says 'a0: .*qp [0-9]+' rdma resource show

step 'rdma resource and statistic while a program runs'
start_traffic a0 a1 ib_write_bw -s 4096
says 'link a1/1 .*type RC state RTS.*comm ib_write_bw' rdma resource show qp
says 'dev a1 .*comm ib_write_bw' rdma resource show cq
says 'dev a1 .*comm ib_write_bw' rdma resource show mr
says 'dev a1 .*comm ib_write_bw' rdma resource show pd
says 'sent_pkts [1-9]' rdma statistic show link a1/1
kill "$client_pid" "$server_pid"
wait "$client_pid" "$server_pid" || true
eventually 10 not grep -q ib_write_bw <(rdma resource show qp)
