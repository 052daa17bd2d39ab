# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which QEMU, and with what machine.

qemu_is_enough()
{
	command -v qemu-system-x86_64 >/dev/null &&
		qemu-system-x86_64 -device help 2>/dev/null |
		grep -q '"vfio-user-pci"'
}

# Sets QEMU to the words that start one: the host's when it can serve a
# vfio-user device, else the newer Debian's, run with its own libraries.
find_qemu()
{
	local root
	if qemu_is_enough; then
		QEMU=(qemu-system-x86_64)
		return
	fi
	root=$(qemu_root)/root || return 1
	export QEMU_MODULE_DIR=$root/usr/lib/x86_64-linux-gnu/qemu
	QEMU=("$root/lib64/ld-linux-x86-64.so.2" --library-path
		"$root/usr/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu/pulseaudio"
		"$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu"
		-L "$root/usr/share/seabios" -L "$root/usr/lib/ipxe/qemu")
}

# Sets ACCEL.  Under TCG `rep movsb` is a slow loop, so memcpy must not think
# that it is fast.  Five levels of page tables only cost time, and KASAN sees a
# wild access when an interrupt comes while the kernel re-reads the CPU's
# features and has forgotten for a moment that it has them.
find_accel()
{
	if [ -w /dev/kvm ]; then
		ACCEL=(-accel kvm -cpu host)
	else
		ACCEL=(-accel tcg,thread=multi -cpu 'max,-erms,-fsrm,-la57')
	fi
}
