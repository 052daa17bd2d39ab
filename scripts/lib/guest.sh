# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# One run of the guest: what goes in, QEMU, and what came out.
#
# The guest says how it went as a word on a virtio port of its own, after its
# last check.  No word means that it died or hung, and never that all is well.

STATUS_UNCLEAN=96
STATUS_DIED=97
STATUS_TIMEOUT=98

# run_initramfs RUN MODE COMMANDS MODULES - what differs from run to run, as the
# second part of the initramfs
run_initramfs()
{
	local run=$1 mode=$2 commands=$3 modules=$4 tree item from to size
	tree=$run/tree
	mkdir -p "$tree/overlay/ohca" "$tree/overlay/root"
	cp "$OHCA_TOP/scripts/guest/init" "$tree/init"
	cp "$OHCA_TOP/scripts/guest/run" "$OHCA_TOP/scripts/guest/checks.sh" \
		"$tree/overlay/ohca/"
	chmod 755 "$tree/init" "$tree/overlay/ohca/run"
	mkdir -p "$tree/overlay/usr/lib/modules"
	cp -a "$modules/usr/lib/modules/." "$tree/overlay/usr/lib/modules/"
	printf '%s\n' "$commands" >"$tree/overlay/ohca/commands"
	size=$(stty size 2>/dev/null || echo 24 80)
	cat >"$tree/overlay/ohca/job.env" <<JOB
JOB_MODE=$mode
JOB_KERNEL=$VM_KERNEL
JOB_ROWS=${size% *}
JOB_COLS=${size#* }
JOB
	for item in ${VM_ADD[@]+"${VM_ADD[@]}"}; do
		from=${item%%:*}
		to=/root/$(basename "$from")
		[ "$from" = "$item" ] || to=${item#*:}
		[ -e "$from" ] || die "no such file: $from"
		mkdir -p "$tree/overlay$(dirname "$to")"
		cp -aL "$from" "$tree/overlay$to"
	done
	(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) >"$run/run.cpio"
	rm -rf "$tree"
}

# console_tail RUN - the end of the console, for a guest that gave no result
console_tail()
{
	printf -- '--- the end of the console ---\n' >&2
	tail -n 60 "$1/console.log" | tr -d '\r' >&2
	printf -- '------------------------------\n' >&2
}

# judge RUN STATUS-OF-QEMU - turns what the guest said into an exit status
judge()
{
	local run=$1 word code
	if [ "$2" = 124 ] || [ "$2" = 137 ]; then
		console_tail "$run"
		printf 'the guest did not finish in %s s\n' "$VM_TIMEOUT" >&2
		return $STATUS_TIMEOUT
	fi
	read -r word code <"$run/result" 2>/dev/null || word=none
	case $word in
	checks-ok)
		return "$code"
		;;
	checks-failed)
		cat "$run/report" >&2
		[ "$code" != 0 ] || code=$STATUS_UNCLEAN
		return "$code"
		;;
	*)
		console_tail "$run"
		printf 'the guest died (QEMU: %s)\n' "$2" >&2
		return $STATUS_DIED
		;;
	esac
}

# run_guest exec|shell COMMANDS - uses the VM_ variables, exits with the status
run_guest()
{
	local mode=$1 commands=$2 run entry boot modules image status limit=()
	local reader follower
	local disk disks=()

	entry=$(kernel_entry "$VM_KERNEL") || exit 1
	boot=$(boot_files "$VM_KERNEL") || exit 1
	image=$(guest_image) || exit 1
	disks=("$image/root.img")
	if [ -n "$VM_PACKAGES" ]; then
		disk=$(packages_image "$VM_PACKAGES") || exit 1
		disks+=("$disk/packages.img")
	fi
	if [ -n "$VM_SUITE" ]; then
		disk=$(suite_image "$VM_SUITE") || exit 1
		disks+=("$disk/suite.img")
	fi
	disks+=("$boot/modules.img")
	modules=$(build_modules "$VM_KERNEL") || exit 1
	find_qemu || exit 1
	find_accel

	run=$(mktemp -d "${TMPDIR:-/tmp}/ohca-vm.XXXXXX") || exit 1
	# shellcheck disable=SC2064 # the folder is known now
	trap "stop_hcas '$run'; rm -rf '$run'" EXIT
	trap 'exit 130' INT TERM
	run_initramfs "$run" "$mode" "$commands" "$modules"
	cat "$boot/initramfs.cpio" "$run/run.cpio" >"$run/initramfs"
	rm -f "$run/run.cpio"

	local machine=(-machine q35)
	if [ -n "$VM_IOMMU" ]; then
		# Ahead of the devices that it stands in front of.
		machine=(-machine q35,kernel-irqchip=split
			-device intel-iommu,intremap=on,caching-mode=on)
		VM_APPEND="intel_iommu=on iommu.strict=1 $VM_APPEND"
	fi
	local args=("${machine[@]}" "${ACCEL[@]}" -smp "$VM_SMP" -m "$VM_MEM"
		-nodefaults -no-user-config -display none -no-reboot
		-kernel "$entry/vmlinuz" -initrd "$run/initramfs"
		-append "console=ttyS0 panic=-1 oops=panic mitigations=off no_timer_check tsc=reliable pty.legacy_count=0 quiet loglevel=5 $VM_APPEND"
		-device virtio-serial-pci
		-chardev "file,id=result,path=$run/result"
		-device virtserialport,chardev=result,name=result
		-chardev "file,id=report,path=$run/report"
		-device virtserialport,chardev=report,name=report)
	for disk in "${disks[@]}"; do
		args+=(-drive "if=virtio,format=raw,readonly=on,file.locking=off,file=$disk")
	done
	: >"$run/console.log"
	args+=(-chardev "file,id=console,path=$run/console.log" -serial chardev:console)
	if [ "$mode" = shell ]; then
		args+=(-chardev stdio,id=out,signal=off -device virtconsole,chardev=out)
	else
		# Not stdio: at the end of stdin QEMU calls the port disconnected,
		# and the guest's next write waits for ever.
		mkfifo "$run/out"
		args+=(-chardev "file,id=out,path=$run/out"
			-device virtserialport,chardev=out,name=out)
	fi
	if [ "$VM_HCA" != 0 ]; then
		start_hcas "$VM_HCA" "$run" || exit 1
		args+=("${HCA_ARGS[@]}")
	fi
	# shellcheck disable=SC2206 # split on purpose
	args+=($VM_QEMU)

	[ "$VM_TIMEOUT" = 0 ] || limit=(timeout -k 5 "$VM_TIMEOUT")
	follower=
	if [ -n "$VM_VERBOSE" ]; then
		tail -F "$run/console.log" >&2 2>/dev/null &
		follower=$!
	fi
	if [ "$mode" = shell ]; then
		"${QEMU[@]}" "${args[@]}"
		status=$?
	else
		cat "$run/out" &
		reader=$!
		# Held open here, so that the reader ends when QEMU has, even if
		# QEMU never came to open its end.
		${limit[@]+"${limit[@]}"} "${QEMU[@]}" "${args[@]}" \
			</dev/null 3>"$run/out"
		status=$?
		wait "$reader"
	fi
	[ -z "$follower" ] || kill "$follower"
	[ -z "$VM_CONSOLE" ] || cp "$run/console.log" "$VM_CONSOLE"
	judge "$run" "$status"
	exit $?
}

# compile_for_guest OUTPUT SOURCE... [FLAG]... - a program that runs in the guest
compile_for_guest()
{
	local output=$1 dir
	shift
	dir=$(cd "$(dirname "$output")" && pwd)
	OHCA_BIND=$PWD:$dir:$OHCA_TOP in_build_root "$PWD" \
		gcc -O2 -g -Wall -Wextra -o "$dir/$(basename "$output")" "$@" \
		-libverbs -lrdmacm -lpthread
}
