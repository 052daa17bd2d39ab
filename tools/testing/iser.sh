# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# packages: e2fsprogs fio libfabric-bin nfs-kernel-server open-iscsi openmpi-bin python3-mpi4py srptools ucx-utils
#
# iSER, ib_isert (LIO) and ib_iser (open-iscsi): a file system, data with checksums,
# the session lost and made again under load.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ulp.sh"

LIO=/sys/kernel/config/target
TARGET=iqn.2026-01.org.example:ohca
TPG=$LIO/iscsi/$TARGET/tpgt_1

target()
{
	lio_disk
	mkdir -p $LIO/iscsi/$TARGET/tpgt_1
	say 0 $TPG/attrib/authentication
	say 1 $TPG/attrib/generate_node_acls
	say 1 $TPG/attrib/cache_dynamic_acls
	say 0 $TPG/attrib/demo_mode_write_protect
	mkdir $TPG/lun/lun_0
	ln -s $LIO/core/iblock_0/ram $TPG/lun/lun_0/ram
	mkdir "$TPG/np/${ADDR4[a1]}:3260"
	say 1 "$TPG/np/${ADDR4[a1]}:3260/iser"
	say 1 $TPG/enable
}

remove_target()
{
	say 0 $TPG/enable
	rmdir "$TPG/np/${ADDR4[a1]}:3260"
	rm $TPG/lun/lun_0/ram
	rmdir $TPG/lun/lun_0 $TPG $LIO/iscsi/$TARGET $LIO/iscsi
	remove_lio_disk
}

initiator()
{
	echo 'InitiatorName=iqn.2026-01.org.example:initiator' >/etc/iscsi/initiatorname.iscsi
	# In a session of its own: at its end it kills its process group.
	setsid iscsid --foreground --no-pid-file >iscsid.out 2>&1 &
	iscsid_pid=$!
	iscsiadm -m node -o new -T $TARGET -p "${ADDR4[a1]}:3260,1" -I iser
}

login()
{
	iscsiadm -m node -T $TARGET -p "${ADDR4[a1]}:3260" -I iser --login
	eventually 20 scsi_disk
}

logout()
{
	iscsiadm -m node -T $TARGET -p "${ADDR4[a1]}:3260" -I iser --logout
}

modules ib_iser ib_isert iscsi_target_mod target_core_iblock sd_mod
ram_disk 64
disk=
iscsid_pid=
trap '[ -z "$iscsid_pid" ] || kill "$iscsid_pid" 2>/dev/null || true' EXIT
two_devices
target
initiator
step 'a file system'
login
file_system "$disk"
step 'data'
verified_io "$disk" 48
step 'the session is lost under load'
verified_io "$disk" 48 --time_based --runtime=5 >load.out 2>&1 &
load_pid=$!
sleep 2
ip link set d1 down
sleep 1
ip link set d1 up
wait $load_pid || { cat load.out; fail 'the load'; }
logout
iscsiadm -k 0
wait $iscsid_pid || true
remove_target
rdma link del a0
rdma link del a1
unload_modules
