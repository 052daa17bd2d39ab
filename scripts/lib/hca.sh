# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Models of the PCI HCA beside the guest, on one wire.

HCA_ARGS=()
HCA_PIDS=()

# hca_program - builds the device model where this checkout's builds are, and
# prints its path
hca_program()
{
	local dir
	"$OHCA_TOP/scripts/setup-host" build sim || return 1
	build_root >/dev/null || return 1
	dir=$(module_build_dir model)
	mkdir -p "$dir"
	(
		flock 9
		if ! make -C "$OHCA_TOP/tools/model" OUT="$dir/out" -j"$OHCA_JOBS" \
			>"$dir/build.log" 2>&1; then
			grep -v '^make' "$dir/build.log" | tail -n 40 >&2
			die "the device model does not build; see $dir/build.log"
		fi
		printf '%s\n' "$dir/out/ohca-model"
	) 9>"$dir/lock"
}

# hca_wire RUN COUNT I - the wire of model I: two are joined by a pair of
# sockets, more by a multicast group, a lone one has a virtio-net device of the
# guest's as its neighbour
hca_wire()
{
	if [ "$2" -gt 2 ]; then
		printf 'mcast:239.%d.%d.%d:%d\n' $((RANDOM_HUB >> 16 & 127)) \
			$((RANDOM_HUB >> 8 & 255)) $((RANDOM_HUB & 255)) 20491
	else
		printf 'dgram:%s,%s\n' "$1/wire$3" "$1/wire$((1 - $3))"
	fi
}

# start_hcas COUNT RUN - starts the models; sets HCA_ARGS to what QEMU needs
start_hcas()
{
	local count=$1 run=$2 program i wait options
	program=$(hca_program) || return 1
	RANDOM_HUB=$$
	read -ra options <<<"$VM_HCA_OPTIONS"
	# The models see the guest's memory as a file.
	HCA_ARGS=(-object "memory-backend-memfd,id=guest,size=$VM_MEM,share=on"
		-machine memory-backend=guest)
	[ "$count" != 1 ] || HCA_ARGS+=(-netdev
		"dgram,id=wire,local.type=unix,local.path=$run/wire1,remote.type=unix,remote.path=$run/wire0"
		-device virtio-net-pci,netdev=wire,mac=02:0c:a0:00:01:00)
	for ((i = 0; i < count; i++)); do
		"$program" --socket "$run/hca$i" --wire "$(hca_wire "$run" "$count" "$i")" \
			--control "$run/control$i" \
			--mac "$(printf '02:0c:a0:00:00:%02x' $((i + 1)))" \
			${VM_VERBOSE:+--verbose} "${options[@]}" >"$run/hca$i.log" 2>&1 9>&- &
		HCA_PIDS+=($!)
		# The guest tells a model by a port what is to go wrong.
		HCA_ARGS+=(-chardev "socket,id=control$i,path=$run/control$i"
			-device "virtserialport,chardev=control$i,name=hca$i")
		HCA_ARGS+=(-device "pcie-root-port,id=port$i,slot=$((i + 1))"
			-device "{\"driver\":\"vfio-user-pci\",\"bus\":\"port$i\",\"socket\":{\"type\":\"unix\",\"path\":\"$run/hca$i\"}}")
		for ((wait = 0; wait < 100; wait++)); do
			[ ! -S "$run/hca$i" ] || [ ! -S "$run/control$i" ] || break
			sleep 0.05
		done
	done
}

# stop_hcas RUN - ends them, and keeps their logs if that is wanted; whoever ended
# by itself has something to say
stop_hcas()
{
	local i
	for i in ${HCA_PIDS[@]+"${!HCA_PIDS[@]}"}; do
		if ! kill "${HCA_PIDS[i]}" 2>/dev/null; then
			say "device model $i ended by itself:"
			tail -n 20 "$1/hca$i.log" >&2
		fi
		wait "${HCA_PIDS[i]}" 2>/dev/null
	done
	HCA_PIDS=()
	if [ -n "$VM_HCA_LOG" ]; then
		mkdir -p "$VM_HCA_LOG"
		cp "$1"/hca*.log "$VM_HCA_LOG/"
	fi
}
