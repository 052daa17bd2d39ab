# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# packages: e2fsprogs fio libfabric-bin nfs-kernel-server open-iscsi openmpi-bin python3-mpi4py srptools ucx-utils
#
# NVMe over Fabrics, nvmet-rdma and nvme-rdma: a file system, data with checksums,
# the connection lost and made again under load, the link down and up under load.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ulp.sh"

NVMET=/sys/kernel/config/nvmet
NQN=ohca-test

target()
{
	mkdir $NVMET/subsystems/$NQN
	say 1 $NVMET/subsystems/$NQN/attr_allow_any_host
	mkdir $NVMET/subsystems/$NQN/namespaces/1
	say /dev/ram0 $NVMET/subsystems/$NQN/namespaces/1/device_path
	say 1 $NVMET/subsystems/$NQN/namespaces/1/enable
	mkdir $NVMET/ports/1
	say rdma $NVMET/ports/1/addr_trtype
	say ipv4 $NVMET/ports/1/addr_adrfam
	say "${ADDR4[a1]}" $NVMET/ports/1/addr_traddr
	say 4420 $NVMET/ports/1/addr_trsvcid
	offer
}

offer()
{
	ln -s $NVMET/subsystems/$NQN $NVMET/ports/1/subsystems/$NQN
}

withdraw()
{
	rm $NVMET/ports/1/subsystems/$NQN
}

remove_target()
{
	withdraw
	rmdir $NVMET/ports/1 $NVMET/subsystems/$NQN/namespaces/1 $NVMET/subsystems/$NQN
}

# connect [OPTION]...
connect()
{
	nvme connect -t rdma -a "${ADDR4[a1]}" -s 4420 -n $NQN -i 2 "$@" \
		--hostnqn=nqn.2014-08.org.nvmexpress:uuid:$ID --hostid=$ID \
		--keep-alive-tmo=3 --reconnect-delay=1 --ctrl-loss-tmo=60
	eventually 10 test -b /dev/nvme0n1
}

ID=11111111-2222-3333-4444-555555555555

disconnect()
{
	nvme disconnect -n $NQN
}

state_is()
{
	grep -qx "$1" /sys/class/nvme/nvme0/state
}

modules nvme-rdma nvmet-rdma
ram_disk 96
two_devices
target
step 'discovery'
nvme discover -t rdma -a "${ADDR4[a1]}" -s 4420 \
	--hostnqn=nqn.2014-08.org.nvmexpress:uuid:$ID --hostid=$ID >found
grep -q "subnqn: *$NQN" found || { cat found; fail 'nothing is found'; }
step 'a file system, between two devices'
connect --host-traddr "${ADDR4[a0]}"
file_system /dev/nvme0n1
step 'data'
verified_io /dev/nvme0n1 64
disconnect
step 'one device, as on a wire'
same_host off
connect
verified_io /dev/nvme0n1 24

# load NAME - behind the case; the disk comes and goes meanwhile
load()
{
	verified_io /dev/nvme0n1 64 --time_based --runtime=8 >load.out 2>&1 &
	load_pid=$!
	sleep 2
}

loaded_well()
{
	wait $load_pid || { cat load.out fio.out; fail "$1"; }
	state_is live || fail "$1: is $(cat /sys/class/nvme/nvme0/state)"
}

step 'reset under load'
load
for _ in 1 2 3; do
	say 1 /sys/class/nvme/nvme0/reset_controller
	eventually 20 state_is live
done
loaded_well 'reset under load'
step 'link down and up under load'
load
ip link set d1 down
sleep 2
ip link set d1 up
eventually 30 state_is live
loaded_well 'link down and up'
step 'disconnected under load'
head -c 1048576 /dev/urandom >kept
dd if=kept of=/dev/nvme0n1 bs=64k seek=1024 oflag=direct status=none
load
disconnect
if wait $load_pid; then
	fail 'the load did not see that its disk is gone'
fi
connect
dd if=/dev/nvme0n1 bs=64k skip=1024 count=16 iflag=direct status=none | cmp - kept
disconnect
remove_target
rdma link del a0
rdma link del a1
unload_modules
