# SPDX-License-Identifier: GPL-2.0
# timeout: 150
# hca: 1
#
# ohca_pci on the wire with others, each as client and as server: the kernel's rxe, and
# ohca_soft. Those are on a virtio-net device, the model's neighbour.
#
#   near: hca0 --- HCA --- wire --- virtio-net --- rxe0, then a1: init

. "$(dirname "$0")/pci.sh"

modprobe -a ohca_pci virtio_net
take 0
settle 0 near
eventually 10 grep -l 02:0c:a0:00:01:00 /sys/class/net/*/address
wire=$(grep -l 02:0c:a0:00:01:00 /sys/class/net/*/address | cut -d/ -f5)
netdev_up init "$wire" 2 4200
eventually 10 ping -c 1 -W 1 10.77.0.1

# each_way DEVICE - hca0 and the device, each as client and as server
each_way()
{
	local ends
	for ends in "hca0 $1" "$1 hca0"; do
		set -- $ends
		step "server $1, client $2"
		for GID in v4 v6; do
			pingpong "$1" "$2" -n 50
		done
		GID=v4
		pingpong "$1" "$2" -n 20 -e -s 70000
		between "$1" "$2" ibv_ud_pingpong -n 50
		perftest "$1" "$2" ib_write_bw -n 50 -s 65536
		perftest "$1" "$2" ib_read_bw -n 50 -s 65536
		perftest "$1" "$2" ib_send_bw -n 50 -s 9000
		perftest "$1" "$2" ib_atomic_bw -n 50
		connections "$1" "$2"
	done
}

device rxe0 "$wire" 2 init rxe
each_way rxe0
rdma link del rxe0
modprobe -r rdma_rxe
device a1 "$wire" 2 init ohca
each_way a1
rdma link del a1
no_bus_errors
end_of_pci
modprobe -r virtio_net
