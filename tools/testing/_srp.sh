# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# packages: e2fsprogs fio libfabric-bin nfs-kernel-server open-iscsi openmpi-bin python3-mpi4py srptools ucx-utils
#
# SRP, ib_srpt (LIO) and ib_srp over rdma_cm: a file system, data with checksums.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ulp.sh"

LIO=/sys/kernel/config/target

# What the target calls itself.
SERVICE=0000000000007777

# The port's name in configfs is its first GID's digits; a session's, in this
# version of ib_srpt, the address that the login came to.
target()
{
	lio_disk
	name=0x$(tr -d : <$CLASS/a1/ports/1/gids/0)
	mkdir -p "$LIO/srpt/$name/$name"
	say 5555 $LIO/srpt/discovery_auth/rdma_cm_port
	TPG=$LIO/srpt/$name/$name
	mkdir $TPG/lun/lun_0
	ln -s $LIO/core/iblock_0/ram $TPG/lun/lun_0/ram
	mkdir "$TPG/acls/${ADDR4[a1]}"
	mkdir "$TPG/acls/${ADDR4[a1]}/lun_0"
	ln -s $TPG/lun/lun_0 "$TPG/acls/${ADDR4[a1]}/lun_0/ram"
	say 1 $TPG/enable
}

remove_target()
{
	say 0 "$TPG/enable"
	say 0 $LIO/srpt/discovery_auth/rdma_cm_port
	rm "$TPG/acls/${ADDR4[a1]}/lun_0/ram"
	rmdir "$TPG/acls/${ADDR4[a1]}/lun_0" "$TPG/acls/${ADDR4[a1]}"
	rm $TPG/lun/lun_0/ram
	rmdir $TPG/lun/lun_0 "$TPG" "$LIO/srpt/$name" $LIO/srpt
	remove_lio_disk
}

login()
{
	say "id_ext=$SERVICE,ioc_guid=$SERVICE,dest=${ADDR4[a1]}:5555,src=${ADDR4[a0]}:0" \
		/sys/class/infiniband_srp/srp-a0-1/add_target
	eventually 20 scsi_disk
}

disk=
two_devices
modprobe ib_srpt srpt_service_guid=0x$SERVICE
modules ib_srp ib_srpt target_core_iblock sd_mod
ram_disk 64
target
step 'a file system'
login
file_system "$disk"
step 'data'
verified_io "$disk" 48
step 'logout'
for port in /sys/class/srp_remote_ports/*; do
	say 1 "$port/delete"
done
eventually 20 not test -b "$disk"
remove_target
rdma link del a0
rdma link del a1
unload_modules
