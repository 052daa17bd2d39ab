# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Building this checkout's modules for a kernel of the guest.  The sources are
# copied to a folder of their own for each kernel, so that builds for different
# kernels, and a plain `make` in the checkout, never mix.

# W=1: lint wants to hear of it, and builds in the same folders.
VM_MAKEFLAGS=W=1
MODULE_SOURCES='Kbuild drivers include kunit'

# What git would call the build folder of this checkout: one a kernel.
module_build_dir()
{
	printf '%s/build/%s-%s\n' "$OHCA_CACHE" \
		"$(hash_text "$OHCA_TOP" | cut -c1-8)" "$1"
}

# sync_sources DIR - copies what the build reads; only changed files are touched
sync_sources()
{
	local dir=$1 name sources=()
	for name in $MODULE_SOURCES; do
		[ ! -e "$OHCA_TOP/$name" ] || sources+=("$name")
	done
	[ -e "$OHCA_TOP/Kbuild" ] || return 1
	(cd "$OHCA_TOP" && rsync -rl --checksum --delete --delete-excluded \
		--filter='P *.o' --filter='P *.ko' --filter='P *.mod' \
		--filter='P *.mod.c' --filter='P .*.cmd' --filter='P *.symvers' \
		--filter='P modules.order' --filter='P .*.d' \
		--include='*/' --include='Kbuild' --include='Makefile' \
		--exclude='*.mod.c' --include='*.[chS]' --exclude='*' \
		"${sources[@]}" "$dir/")
}

source_key()
{
	(cd "$1" && find . -type f \( -name '*.[chS]' -o -name Kbuild \
		-o -name Makefile \) ! -name '*.mod.c' -print0 |
		sort -z | xargs -0 -r sha256sum | sha256sum | cut -c1-16)
}

# The parts of depmod's result that modprobe reads.
DEPMOD_FILES='modules.dep modules.dep.bin modules.alias modules.alias.bin
	modules.symbols modules.symbols.bin modules.softdep modules.devname
	modules.builtin.bin modules.builtin.alias.bin modules.weakdep'

# index_modules ENTRY RELEASE UPDATES OUT - depmod over the kernel's modules and
# ours; OUT gets what the guest lays over the kernel's own folder
index_modules()
{
	local entry=$1 release=$2 updates=$3 out=$4 tree file
	tree=$(mktemp -d)
	mkdir -p "$tree/lib/modules" "$out/usr/lib/modules/$release/updates"
	cp -as "$entry/lib/modules/$release" "$tree/lib/modules/"
	if compgen -G "$updates/*.ko" >/dev/null; then
		cp "$updates"/*.ko "$out/usr/lib/modules/$release/updates/"
	fi
	cp -a "$out/usr/lib/modules/$release/updates" \
		"$tree/lib/modules/$release/"
	(cd "$tree/lib/modules/$release" && rm -f $DEPMOD_FILES)
	depmod -b "$tree" "$release"
	for file in $DEPMOD_FILES; do
		[ ! -e "$tree/lib/modules/$release/$file" ] ||
			cp "$tree/lib/modules/$release/$file" \
				"$out/usr/lib/modules/$release/"
	done
	rm -rf "$tree"
}

# build_modules KERNEL - prints a folder to lay over the guest's root: the fresh
# modules and their index.  A build that fails prints the compiler's words.
build_modules()
{
	local kernel=$1 dir entry headers release key out log
	entry=$(kernel_entry "$kernel") || return 1
	headers=$(kernel_headers "$kernel")
	release=$(cat "$entry/release")
	dir=$(module_build_dir "$kernel")
	mkdir -p "$dir/src"
	(
		flock 9
		key=bare
		if [ -z "${VM_BARE:-}" ] && sync_sources "$dir/src"; then
			key=$(source_key "$dir/src")
		fi
		out=$dir/out-$(hash_text "$key" "$entry")
		if [ ! -e "$out/.complete" ]; then
			rm -rf "$dir/new"
			mkdir -p "$dir/new" "$dir/ko"
			rm -f "$dir/ko"/*.ko
			log=$dir/build.log
			if [ "$key" != bare ]; then
				say "building the modules for $kernel"
				if ! compile_modules "$dir/src" "$headers" \
					"$entry" >"$log" 2>&1; then
					grep -v '^make' "$log" | tail -n 60 >&2
					die "the modules do not build for $kernel; see $log"
				fi
				grep -E 'warning:|WARNING:' "$log" >&2 || true
				find "$dir/src" -name '*.ko' -exec cp {} "$dir/ko/" \;
				strip -g "$dir/ko"/*.ko 2>/dev/null || true
			fi
			index_modules "$entry" "$release" "$dir/ko" "$dir/new"
			: >"$dir/new/.complete"
			rm -rf "$out"
			mv -T "$dir/new" "$out"
			# Runs that use an older one have it in memory by now.
			find "$dir" -maxdepth 1 -name 'out-*' -mmin +60 \
				! -path "$out" -exec rm -rf {} +
		fi
		touch "$out"
		printf '%s\n' "$out"
	) 9>"$dir/lock"
}

# compile_modules DIR HEADERS ENTRY
#
# KASAN makes frames large; the test kernel's limit is for those without it.
compile_modules()
{
	local flags=$VM_MAKEFLAGS
	[ "$VM_KERNEL" != test ] || flags=KCFLAGS=-Wframe-larger-than=2048
	find "$1" -name '*.ko' -delete
	OHCA_BIND=$1:$3 in_build_root "$1" \
		make -C "$2" M="$1" -j"$OHCA_JOBS" $flags ${OHCA_MAKEFLAGS:-} modules
}
