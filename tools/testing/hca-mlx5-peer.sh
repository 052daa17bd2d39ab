# SPDX-License-Identifier: GPL-2.0
# timeout: 150
# hca: 2
#
# ohca_pci and the kernel's own mlx5 drivers in one guest, a function each, with the
# same stock library on both: each as client and as server.
#
#   near: hca0 --- HCA --- wire --- HCA --- mlx5_0: far

. "$(dirname "$0")/pci.sh"

modprobe ohca_pci
take 0
modprobe mlx5_ib
take 1 mlx5_core
settle 0 near
settle 1 far
meets
theirs=${HCA[1]}
[ "$(basename "$(readlink "$PCI/devices/${FUNCTIONS[0]}/driver")")" = ohca_pci ] ||
	fail "mlx5_core took the other's function"

for ends in "hca0 $theirs" "$theirs hca0"; do
	set -- $ends
	step "server $1, client $2"
	pingpong "$1" "$2" -n 50
	pingpong "$1" "$2" -n 20 -e -s 70000
	between "$1" "$2" ibv_srq_pingpong -n 50
	between "$1" "$2" ibv_ud_pingpong -n 50
	perftest "$1" "$2" ib_write_bw -n 50 -s 65536 -q 2
	perftest "$1" "$2" ib_read_bw -n 50 -s 65536
	perftest "$1" "$2" ib_send_bw -n 50 -s 9000
	perftest "$1" "$2" ib_atomic_bw -n 50
	connections "$1" "$2"
done
no_bus_errors
modprobe -r mlx5_ib mlx5_core
end_of_pci
