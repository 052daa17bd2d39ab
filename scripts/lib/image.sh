# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the guest's disks hold.  All are read-only and shared by every run; what
# a run writes goes to a tmpfs in the guest and is gone with it.

# What the initramfs runs, and the drivers that it needs to see a disk.
BOOT_APPLETS='sh mount mkdir cp rm insmod poweroff switch_root'
BOOT_MODULES='virtio_pci virtio_blk virtio_console ext4 overlay'

# make_disk FOLDER IMAGE - an ext4 image a little larger than the folder
make_disk()
{
	local size
	size=$(du -sm --apparent-size "$1" | cut -f1)
	mke2fs -q -t ext4 -O '^has_journal' -E lazy_itable_init=1 -m 0 -N \
		$(($(find "$1" | wc -l) + 4096)) -d "$1" "$2" $((size * 5 / 4 + 64))M
}

make_guest_image()
{
	make_disk "$1/root" "$2/root.img"
}

guest_image()
{
	local root
	root=$(guest_root) || return 1
	cache_entry guest-image "$(hash_text "$(basename "$root")")" \
		'about 20 seconds' make_guest_image "$root"
}

# make_packages_image ROOT PACKAGES DIR - what installing PACKAGES adds to ROOT
make_packages_image()
{
	local root=$1 packages=$2 dir=$3
	unshare --mount --propagation private bash -ec '
		root=$1 dir=$2 packages=$3
		mkdir "$dir/upper" "$dir/work" "$dir/new"
		mount -t overlay overlay -o \
			"lowerdir=$root,upperdir=$dir/upper,workdir=$dir/work" "$dir/new"
		mount -t proc proc "$dir/new/proc"
		mount --rbind /dev "$dir/new/dev"
		cp -L /etc/resolv.conf "$dir/new/etc/resolv.conf"
		printf "#!/bin/sh\nexit 101\n" >"$dir/new/usr/sbin/policy-rc.d"
		chmod 755 "$dir/new/usr/sbin/policy-rc.d"
		export DEBIAN_FRONTEND=noninteractive
		chroot "$dir/new" apt-get update
		chroot "$dir/new" apt-get install -y --no-install-recommends $packages
		chroot "$dir/new" apt-get clean
		rm -rf "$dir"/new/var/lib/apt/lists/* "$dir/new/etc/resolv.conf"
	' make_packages_image "$root" "$dir" "$packages"
	make_disk "$dir/upper" "$dir/packages.img"
	rm -rf "$dir/upper" "$dir/work" "$dir/new"
}

# packages_image 'PACKAGE...'
packages_image()
{
	local packages root
	packages=$(printf '%s\n' $1 | sort -u | paste -sd' ')
	root=$(guest_root) || return 1
	cache_entry packages \
		"$(hash_text "$(basename "$root")" "$packages")" \
		'a minute or so' make_packages_image "$root/root" "$packages"
}

# make_suite_image SUITE DIR - the programs of another Debian, under /suite/SUITE
make_suite_image()
{
	local suite=$1 dir=$2 mirror
	mirror=$(debian_mirror)
	apt_transport_options >"$dir/apt.conf"
	mkdir -p "$dir/root/suite"
	mmdebstrap --mode=root --variant=extract \
		--aptopt="$dir/apt.conf" \
		--aptopt='Apt::Install-Recommends "false"' \
		--include="$(printf '%s' "$SUITE_PACKAGES" | tr -s ' \n\t' ',')" \
		"$suite" "$dir/root/suite/$suite" "deb $mirror $suite main"
	make_disk "$dir/root" "$dir/suite.img"
	rm -rf "$dir/root" "$dir/apt.conf"
}

suite_image()
{
	cache_entry "suite-$1" "$(hash_text "$SUITE_PACKAGES")" \
		'a minute or so' make_suite_image "$1"
}

# make_boot_files ENTRY DIR - the disk with the kernel's modules, and the
# initramfs less what changes from run to run
make_boot_files()
{
	local entry=$1 dir=$2 release tree root module applet
	release=$(cat "$entry/release")
	root=$(build_root)/root
	mkdir -p "$dir/modules/usr/lib"
	cp -a "$entry/lib/modules" "$dir/modules/usr/lib/"
	make_disk "$dir/modules" "$dir/modules.img"
	rm -rf "$dir/modules"

	tree=$dir/initramfs
	mkdir -p "$tree/bin" "$tree/boot-modules"
	cp "$root/bin/busybox" "$tree/bin/busybox"
	for applet in $BOOT_APPLETS; do
		ln -s busybox "$tree/bin/$applet"
	done
	# What is built in has no file and needs none.
	for module in $BOOT_MODULES; do
		modprobe -d "$entry" -S "$release" --show-depends "$module" |
			awk '$1 == "insmod" { print $2 }'
	done | awk '!seen[$0]++' >"$dir/order"
	while read -r module; do
		cp "$module" "$tree/boot-modules/"
		basename "$module"
	done <"$dir/order" >"$tree/boot-modules/order"
	(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) >"$dir/initramfs.cpio"
	rm -rf "$tree" "$dir/order"
}

boot_files()
{
	local entry
	entry=$(kernel_entry "$1") || return 1
	cache_entry "boot-$1" "$(hash_text \
		"$(basename "$entry")" "$BOOT_MODULES" "$BOOT_APPLETS")" \
		'about 20 seconds' make_boot_files "$entry"
}
