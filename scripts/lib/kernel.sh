# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The kernels that the guest can boot.  Each is an entry with
#
#   release    what uname -r says
#   vmlinuz    the image
#   lib/       lib/modules/RELEASE, decompressed, without what no test can use
#   headers    where `make -C` builds modules for it, inside the build root

KERNELS='debian13 newest test'
KERNEL_FRAGMENTS='base net rdma debug'

# The stock kernels' modules that no guest of ours can use; without them depmod
# and the module disk are three times smaller.
UNUSED_MODULES='kernel/drivers/gpu kernel/drivers/media kernel/sound
	kernel/drivers/staging kernel/drivers/iio kernel/drivers/hid
	kernel/drivers/usb kernel/drivers/net/wireless kernel/drivers/input
	kernel/drivers/hwmon kernel/drivers/mtd kernel/drivers/bluetooth
	kernel/net/wireless kernel/net/mac80211 kernel/net/bluetooth
	kernel/drivers/comedi kernel/drivers/leds kernel/drivers/platform
	kernel/drivers/power kernel/drivers/mfd kernel/drivers/regulator
	kernel/drivers/thunderbolt kernel/drivers/ata kernel/drivers/mmc
	kernel/drivers/isdn kernel/drivers/accel kernel/drivers/video'

kernel_is_known()
{
	case " $KERNELS " in
	*" $1 "*) ;;
	*) die "no kernel '$1'; there are: $KERNELS" ;;
	esac
}

test_kernel_fragments()
{
	local name
	for name in $KERNEL_FRAGMENTS; do
		printf '%s\n' "$OHCA_TOP/scripts/kernel/$name.config"
	done
}

# The key of the test kernel: its configuration and the source's version.
test_kernel_key()
{
	local root fragments
	root=$(build_root)
	mapfile -t fragments < <(test_kernel_fragments)
	hash_of "${fragments[@]}" "$root/root/src/linux/Makefile" \
		"$root/root/kernels/debian13/release"
}

# Inside the build root: compile the test kernel from /src/linux in $1/build.
test_kernel_script()
{
	cat <<'SCRIPT'
set -e
dir=$1 jobs=$2
shift 2
mkdir -p "$dir/build"
cd /src/linux
make -s O="$dir/build" tinyconfig
cd "$dir/build"
/src/linux/scripts/kconfig/merge_config.sh -m -O . .config "$@" >merge.log
make -s olddefconfig
# What was asked for and not granted is written down, for who edits fragments.
cat "$@" | grep -E '^CONFIG_[A-Z0-9_]+=[ym]' | while read -r line; do
	grep -qxF "$line" .config || echo "not granted: $line"
done | tee not-granted
make -s -j"$jobs" bzImage modules
make -s INSTALL_MOD_PATH="$dir" INSTALL_MOD_STRIP=1 modules_install
cp arch/x86/boot/bzImage "$dir/vmlinuz"
make -s kernelrelease | tail -n 1 >"$dir/release"
# Objects are not needed to build modules against the folder.
find . -name '*.o' -path './*/*' ! -path './scripts/*' ! -path './tools/*' -delete
find . -name '*.cmd' ! -path './scripts/*' ! -path './tools/*' -delete
rm -f vmlinux vmlinux.* .tmp_vmlinux* lib/modules/*/build
SCRIPT
}

make_test_kernel()
{
	local dir=$1 fragments
	mapfile -t fragments < <(test_kernel_fragments)
	mkdir "$dir/fragments"
	cp "${fragments[@]}" "$dir/fragments"
	OHCA_BIND=$dir in_build_root / bash -c "$(test_kernel_script)" \
		test-kernel "$dir" "$OHCA_JOBS" \
		"${fragments[@]/#*\//$dir/fragments/}"
	rm -rf "$dir"/lib/modules/*/{build,source}
}

make_stock_kernel()
{
	local name=$1 dir=$2 root release module
	root=$(build_root)/root
	release=$(cat "$root/kernels/$name/release")
	mkdir -p "$dir/lib/modules"
	printf '%s\n' "$release" >"$dir/release"
	# Debian 13's kernel is in /boot; newer ones keep it by their modules,
	# and the lists of built-in modules in a package that the headers need.
	find "$root/kernels/$name" \( -path "*/boot/vmlinuz-$release" -o \
		-path "*/$release/vmlinuz" \) -exec cp {} "$dir/vmlinuz" \;
	[ -s "$dir/vmlinuz" ]
	cp -a "$root/kernels/$name/usr/lib/modules/$release" "$dir/lib/modules/"
	for module in modules.order modules.builtin modules.builtin.modinfo; do
		[ -e "$dir/lib/modules/$release/$module" ] ||
			cp "$root/usr/lib/modules/$release/$module" \
				"$dir/lib/modules/$release/"
	done
	rm -f "$dir/lib/modules/$release/vmlinuz"
	for module in $UNUSED_MODULES; do
		rm -rf "$dir/lib/modules/$release/${module:?}"
	done
	rm -rf "$dir/lib/modules/$release"/{build,source}
	find "$dir/lib/modules" -name '*.ko.xz' -print0 |
		xargs -0 -r -P "$OHCA_JOBS" -n 64 xz -d
	if [ "$name" = debian13 ]; then
		add_siw "$dir" "$release"
	fi
	depmod -b "$dir" "$release"
}

# Debian's kernel has no siw; as a peer it is built from the same source.
add_siw()
{
	local dir=$1 release=$2
	mkdir -p "$dir/siw"
	cp "$(build_root)"/root/src/linux/drivers/infiniband/sw/siw/* "$dir/siw/"
	OHCA_BIND=$dir in_build_root "$dir/siw" make -s \
		-C "/usr/src/linux-headers-$release" M="$dir/siw" \
		CONFIG_RDMA_SIW=m modules
	mkdir -p "$dir/lib/modules/$release/extra"
	strip -g -o "$dir/lib/modules/$release/extra/siw.ko" "$dir/siw/siw.ko"
	rm -rf "$dir/siw"
}

# kernel_entry KERNEL - prints the folder of a bootable kernel
kernel_entry()
{
	local name=$1
	kernel_is_known "$name"
	case $name in
	test)
		cache_entry kernel-test "$(test_kernel_key)" \
			'about 25 minutes with 2 CPUs' make_test_kernel
		;;
	*)
		cache_entry "kernel-$name" \
			"$(hash_text "$(basename "$(build_root)")" "$UNUSED_MODULES")" \
			'about 1 minute' make_stock_kernel "$name"
		;;
	esac
}

# kernel_headers KERNEL - the folder for `make -C`, as the build root sees it
kernel_headers()
{
	local entry
	entry=$(kernel_entry "$1")
	case $1 in
	test) printf '%s/build\n' "$entry" ;;
	*) printf '/usr/src/linux-headers-%s\n' "$(cat "$entry/release")" ;;
	esac
}
