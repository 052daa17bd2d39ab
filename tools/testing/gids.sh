# SPDX-License-Identifier: GPL-2.0
# timeout: 180
#
# RoCE v2 GIDs follow the netdev's addresses.

. "$(dirname "$0")/lib.sh"

# has_gid DEVICE GID [NETDEV]
has_gid()
{
	local dir=$CLASS/$1/ports/1 i is
	for ((i = 0; i < 64; i++)); do
		read -r is <"$dir/gids/$i" && [ "$is" = "$2" ] || continue
		read -r is 2>/dev/null <"$dir/gid_attrs/types/$i" && [ "$is" = "RoCE v2" ] || continue
		[ -z "${3:-}" ] || [ "$(cat "$dir/gid_attrs/ndevs/$i")" = "$3" ] || continue
		return 0
	done
	return 1
}

one_device
four=0000:0000:0000:0000:0000:ffff:0a4d
six=fd00:0077:0000:0000:0000:0000:0000

step 'those that were there before the device'
has_gid a0 $four:0001 d0
has_gid a0 $six:0001 d0

step 'they come'
ip addr add 10.77.1.9/24 dev d0
ip addr add fd00:77::9/64 dev d0 nodad
eventually 5 has_gid a0 $four:0109 d0
eventually 5 has_gid a0 $six:0009 d0

step 'they are usable'
ADDR4[a0]=10.77.1.9
pingpong a0 a0 -n 10

step 'they go'
ip addr del 10.77.1.9/24 dev d0
ip addr del fd00:77::9/64 dev d0
eventually 5 not has_gid a0 $four:0109
eventually 5 not has_gid a0 $six:0009
has_gid a0 $four:0001

step 'the link-local one is of the MAC address'
ip link set d0 down
ip link set d0 address 02:00:00:00:00:77
ip link set d0 up
eventually 5 has_gid a0 fe80:0000:0000:0000:0000:00ff:fe00:0077

step "a VLAN's address is a GID of the device below"
ip link add link d0 name d0.5 type vlan id 5
ip addr add 10.77.5.1/24 dev d0.5
ip link set d0.5 up
eventually 5 has_gid a0 $four:0501 d0.5
ip link del d0.5
eventually 5 not has_gid a0 $four:0501

step 'none is in the table twice'
cat $CLASS/a0/ports/1/gids/* | grep -v '^0000:0000:0000:0000:0000:0000:0000:0000' |
	sort | uniq -d >twice
[ ! -s twice ] || fail "twice: $(cat twice)"
