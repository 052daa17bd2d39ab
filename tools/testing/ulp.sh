# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the cases of the kernel's protocols share.  Most of these protocols know the
# initial network namespace only, so their two ends are devices in it.

# modules NAME... - loaded for the case; unload_modules takes them out again
modules()
{
	modprobe -a "$@"
	loaded=("$@")
}

# In the order they were given.
unload_modules()
{
	local module
	for module in "${loaded[@]}"; do
		modprobe -r "$module" || fail "modprobe -r $module"
	done
}

# say TEXT FILE - in one write, which is what configfs takes
say()
{
	echo -n "$1" >"$2" || fail "$2 does not take $1"
}

# ram_disk MEGABYTES - /dev/ram0; after modules
ram_disk()
{
	modprobe brd rd_nr=1 rd_size=$(($1 * 1024))
	loaded+=(brd)
	eventually 5 test -b /dev/ram0
}

# verified_io FILE MEGABYTES [OPTION]... - fio writes it in pieces of all sizes, in
# any order, reads it again and looks at the checksum of each
verified_io()
{
	timeout "$LIMIT" fio --name=io --filename="$1" --size="$2M" --rw=randwrite \
		--bsrange=4k-256k --blockalign=4k --direct=1 --ioengine=libaio --iodepth=16 \
		--verify=crc32c --verify_fatal=1 --randrepeat=0 "${@:3}" >fio.out 2>&1 ||
		{ cat fio.out; fail "fio on $1"; }
}

# file_system DISK - is made, used and checked
file_system()
{
	mkfs.ext4 -q "$1"
	mkdir -p mnt
	mount "$1" mnt
	verified_io mnt/file 16
	cp "$(command -v bash)" mnt/bash
	umount mnt
	e2fsck -fn "$1" >fsck.out 2>&1 || { cat fsck.out; fail 'the file system is broken'; }
	mount "$1" mnt
	cmp "$(command -v bash)" mnt/bash
	umount mnt
}

# moved DEVICE - bytes of READs and WRITEs that the device has answered
moved()
{
	echo $(($(counter "$1" rx_read_requests) + $(counter "$1" rx_write_requests)))
}

# lio_disk - LIO's disk `ram' on /dev/ram0
lio_disk()
{
	mkdir -p /sys/kernel/config/target/core/iblock_0/ram
	say udev_path=/dev/ram0 /sys/kernel/config/target/core/iblock_0/ram/control
	say 1 /sys/kernel/config/target/core/iblock_0/ram/enable
}

remove_lio_disk()
{
	rmdir /sys/kernel/config/target/core/iblock_0/ram
	rmdir /sys/kernel/config/target/core/iblock_0
}

# scsi_disk - the disk that came to the initiator: its name is in $disk
scsi_disk()
{
	local name
	for name in /sys/block/sd*; do
		[ -e "$name/device" ] || continue
		disk=/dev/${name##*/}
		[ -b "$disk" ] && return
	done
	return 1
}
