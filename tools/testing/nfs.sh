# SPDX-License-Identifier: GPL-2.0
# timeout: 90
# packages: e2fsprogs fio libfabric-bin nfs-kernel-server open-iscsi openmpi-bin python3-mpi4py srptools ucx-utils
#
# NFS over RDMA between two namespaces, version 4.2: data with checksums, files
# compared at both ends, many small files, truncation and holes, the link down and up.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ulp.sh"

EXPORT=$PWD/export

serve_nfs()
{
	mkdir -p "$EXPORT"
	mount -t tmpfs -o size=200M tmpfs "$EXPORT"
	mount -t nfsd nfsd /proc/fs/nfsd
	mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/rpc_pipefs /run/rpcbind
	echo "$EXPORT *(rw,no_root_squash,insecure,no_subtree_check,fsid=0,async)" >/etc/exports
	rpc.mountd --foreground --no-udp --no-nfs-version 3 >mountd.out 2>&1 &
	mountd_pid=$!
	exportfs -ra
	rpc.nfsd --no-udp --no-nfs-version 3 --rdma=20049 --host "${ADDR4[a0]}" 4
	# Nobody has anything to claim.
	say Y /proc/fs/nfsd/v4_end_grace
	grep -q 'rdma 20049' /proc/fs/nfsd/portlist ||
		{ cat /proc/fs/nfsd/portlist; fail 'nfsd does not listen'; }
}

stop_nfs()
{
	rpc.nfsd 0
	exportfs -ua
	kill $mountd_pid
	umount /proc/fs/nfsd "$EXPORT"
}

# mounted OPTIONS - from the other namespace
mounted()
{
	mkdir -p mnt
	nsenter --net=/run/netns/far mount -t nfs \
		-o "rdma,port=20049,$1" "${ADDR4[a0]}:$2" mnt
	grep -q 'proto=rdma' <(grep " $PWD/mnt " /proc/mounts) ||
		{ cat /proc/mounts; fail 'it is not RDMA'; }
}

# use NAME - files at the two ends
use()
{
	local i
	step "$1: data"
	verified_io mnt/file 16 --bsrange=4k-1m
	dd if=/dev/urandom of=original bs=1M count=24 status=none
	cp original mnt/copy
	cmp original "$EXPORT/copy"
	cp "$EXPORT/copy" "$EXPORT/back"
	cmp original mnt/back
	step "$1: small files, truncation, holes"
	for ((i = 0; i < 100; i++)); do
		echo "$i" >"mnt/small$i"
	done
	[ "$(cat "$EXPORT"/small* | sort -n | md5sum)" = "$(seq 0 99 | md5sum)" ]
	truncate -s 12345 original mnt/copy
	cmp original mnt/copy
	truncate -s 3M original mnt/copy
	dd if=/dev/urandom of=piece bs=1000 count=7 status=none
	for i in original mnt/copy; do
		dd if=piece of=$i bs=1001 seek=1500 conv=notrunc status=none
	done
	sync -f mnt
	cmp original "$EXPORT/copy"
	rm mnt/small* mnt/copy mnt/back mnt/file
}

modules rpcrdma nfsd nfs nfsv4
veth_pair init far
device a0 v0 1
device a1 v1 2 far
serve_nfs
moved=$(moved a1)
mounted vers=4.2,sec=sys /
use 'version 4.2'
umount mnt
step 'link down and up'
mounted vers=4.2,sec=sys /
dd if=/dev/urandom of=original bs=1M count=8 status=none
dd if=original of=mnt/copy bs=64k oflag=sync status=none &
copy_pid=$!
sleep 0.3
ip link set v0 down
sleep 1
ip link set v0 up
netdev_up init v0 1
wait $copy_pid
cmp original "$EXPORT/copy"
umount mnt
moved=$(($(moved a1) - moved))
echo "$moved READs and WRITEs"
# Not in line with the calls: the pages go by RDMA.
[ $moved -gt 100 ]
stop_nfs
rdma link del a0
rdma link del a1
