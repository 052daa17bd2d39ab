# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Words for cases about ohca_pci, on top of lib.sh. Not a case.
#
#   two_hcas          near                    far     two network namespaces, the
#                     hca0 --- HCA -- HCA --- hca1    wire of the models between

. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PCI=/sys/bus/pci
FUNCTIONS=()	# the adapters, as PCI calls them
HCA=()		# the RDMA device of each, once it has one
NETDEV=()	# and its netdev

for dev in "$PCI"/devices/*; do
	[ "$(cat "$dev/vendor")" = 0x15b3 ] || continue
	FUNCTIONS+=("${dev##*/}")
	# Another case in this guest may have had it.
	echo >"$dev/driver_override"
done

# ask N WORDS... - tells model N what is to go wrong, and prints its answer, less "ok"
ask()
{
	local answer port=/dev/virtio-ports/hca$1
	exec 7<>"$port"
	echo "${*:2}" >&7
	read -r -t 10 answer <&7 || fail "$port: no answer to ${*:2}"
	exec 7>&-
	[ "${answer%% *}" = ok ] || { echo "$answer"; return 1; }
	answer=${answer#ok}
	[ -z "$answer" ] || echo "$answer"
}

# ask_for N WORD - the number behind WORD of what `show` says of model N
ask_for()
{
	ask "$1" show | sed "s/.* $2 \([0-9]*\).*/\1/"
}

# take N [DRIVER] - has the driver take function N
take()
{
	echo "${2:-ohca_pci}" >"$PCI/devices/${FUNCTIONS[$1]}/driver_override"
	echo "${FUNCTIONS[$1]}" >$PCI/drivers_probe
	eventually 30 made "$1"
	HCA[$1]=$(ls "$PCI/devices/${FUNCTIONS[$1]}/infiniband")
	NETDEV[$1]=$(ls "$PCI/devices/${FUNCTIONS[$1]}/net")
}

# made N - function N has an RDMA device and a netdev, which is in this namespace
made()
{
	[ -n "$(ls "$PCI/devices/${FUNCTIONS[$1]}"/{infiniband,net})" ] &&
		[ -d "$PCI/devices/${FUNCTIONS[$1]}/infiniband" ] &&
		[ -n "$(ls "$PCI/devices/${FUNCTIONS[$1]}/net")" ]
}

# leave N - the driver leaves it
leave()
{
	echo "${FUNCTIONS[$1]}" >"$PCI/devices/${FUNCTIONS[$1]}/driver/unbind"
}

# settle N NAMESPACE [MTU] - puts function N's netdev there, up, with address 10.77.0.(N+1)
settle()
{
	if [ "$2" != init ]; then
		[ -e "/run/netns/$2" ] || ip netns add "$2"
		in_ns "$2" ip link set lo up
		ip link set "${NETDEV[$1]}" netns "$2"
	fi
	netdev_up "$2" "${NETDEV[$1]}" $(($1 + 1)) "${3:-4200}"
	device_is_there "${HCA[$1]}" $(($1 + 1)) "$2"
	eventually 10 port_is "${HCA[$1]}" ACTIVE
}

two_hcas()
{
	modprobe ohca_pci
	[ ${#FUNCTIONS[@]} = 2 ] || fail "there are ${#FUNCTIONS[@]} adapters"
	take 0
	take 1
	settle 0 near
	settle 1 far
	meets
}

# meets - there is a way from the second function to the first
meets()
{
	eventually 10 on "${HCA[1]}" ping -c 1 -W 1 "${ADDR4[${HCA[0]}]}"
}

# pinned - pages that the kernel has pinned for somebody
pinned()
{
	# Each CPU counts for itself for a while.
	echo 1 >/proc/sys/vm/stat_refresh
	awk '$1 == "nr_foll_pin_acquired" { n += $2 } $1 == "nr_foll_pin_released" { n -= $2 }
		END { print n }' /proc/vmstat
}

pinned_is()
{
	[ "$(pinned)" = "$1" ]
}

# bus_errors N - how often model N missed a bus address since the case began
bus_errors()
{
	echo $(($(ask_for "$1" bus_errors) - BUS_ERRORS[$1]))
}

# no_bus_errors - no model did, nor did the IOMMU
no_bus_errors()
{
	local i
	for i in "${!FUNCTIONS[@]}"; do
		[ "$(bus_errors "$i")" = 0 ] || fail "model $i: $(bus_errors "$i") bus errors"
	done
	! dmesg | grep -E 'DMAR:.*(fault|DMA (Read|Write))' || fail 'the IOMMU faulted'
}

# end_of_pci [ALLOWED] - the driver has no more to tell than ALLOWED, and goes
end_of_pci()
{
	if dmesg | grep -E 'ohca_pci.*(fail|error|syndrome|not answered|no answer|not added)' |
		grep -vE "${1:-nothing is allowed}"; then
		fail 'the log'
	fi
	modprobe -r ohca_pci
}

BUS_ERRORS=()
for n in "${!FUNCTIONS[@]}"; do
	ask "$n" clear
	BUS_ERRORS[n]=$(ask_for "$n" bus_errors)
done
