# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Three folders with a Debian 13 in each:
#
#   build   compilers, headers of both stock kernels, the kernel's source
#   guest   what runs in the virtual machine
#   qemu    a QEMU with vfio-user-pci, when the host's is too old
#
# QEMU and the kernel headers from backports want different versions of libelf,
# so they can't share one.

SUITE=trixie
BUILD_PACKAGES='build-essential linux-headers-amd64 linux-source-6.12 bc bison
	flex libelf-dev libssl-dev kmod cpio rsync xz-utils zstd python3 sparse
	pkg-config libibverbs-dev librdmacm-dev busybox-static'
GUEST_PACKAGES='iproute2 iputils-ping rdma-core ibverbs-utils ibverbs-providers
	perftest rdmacm-utils infiniband-diags qperf python3 python3-pyverbs
	tcpdump tshark ethtool strace kmod nftables procps util-linux psmisc
	socat nvme-cli'
# Of other Debians, whose rdma-core has its own ideas of the kernel.
SUITE_PACKAGES='base-files coreutils ibverbs-utils ibverbs-providers perftest rdmacm-utils'
QEMU_PACKAGES='qemu-system-x86'

# The main Debian archive, as this machine's apt knows it.
debian_mirror()
{
	if [ -n "${OHCA_MIRROR:-}" ]; then
		printf '%s\n' "$OHCA_MIRROR"
		return
	fi
	apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Component: main' |
		sort -u | grep -v -e security -e '-updates' | grep -m1 'debian/*$' ||
		die 'no Debian archive in the configuration of apt; set OHCA_MIRROR'
}

# The host's way to its archive (proxies, certificates and the like).
apt_transport_options()
{
	apt-config dump | grep '^Acquire::' |
		grep -v -e '""' -e '^Acquire::Languages' -e '^Acquire::Gzip' \
			-e '^Acquire::IndexTargets' -e '^Acquire::Changelogs' || true
}

# make_root PACKAGES HOOK DIR - a minimal Debian with PACKAGES in DIR/root
make_root()
{
	local packages=$1 hook=$2 dir=$3 mirror
	mirror=$(debian_mirror)
	apt_transport_options >"$dir/apt.conf"
	mmdebstrap --mode=root --variant=apt \
		--aptopt="$dir/apt.conf" \
		--dpkgopt=force-unsafe-io \
		--aptopt='Apt::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-include=/usr/share/doc/rdma-core*/*' \
		--dpkgopt='path-include=/usr/share/doc/python3-pyverbs/*' \
		--include="$(printf '%s' "$packages" | tr -s ' \n\t' ',')" \
		--customize-hook="$hook" \
		"$SUITE" "$dir/root" \
		"deb $mirror $SUITE main" \
		"deb $mirror $SUITE-updates main" \
		"deb $mirror $SUITE-backports main"
}

# Runs in the build root's hook: the newest kernel's headers beside the stock
# ones, and both kernels' images as plain folders under /kernels.  Image and
# headers are taken in one step so that they always agree.
build_root_hook()
{
	cat <<'HOOK'
set -e
meta() {
	chroot "$1" apt-cache show "$2" | sed -n 's/^Depends:.*\(linux-'"$3"'-[0-9][^ ,]*\).*/\1/p' | head -n 1
}
stock=$(meta "$1" linux-headers-amd64/trixie headers)
newest=$(meta "$1" linux-headers-amd64/trixie-backports headers)
test -n "$stock" && test -n "$newest"
chroot "$1" apt-get install -y --no-install-recommends -t trixie-backports "$newest"
for pair in "debian13 $stock" "newest $newest"; do
	set -- "$1" $pair
	release=${3#linux-headers-}
	mkdir -p "$1/kernels/$2"
	# Newer kernels are split: the image, and the modules.
	debs=$(chroot "$1" apt-cache pkgnames linux- |
		grep -xF -e "linux-image-$release" -e "linux-binary-$release" \
			-e "linux-modules-$release")
	chroot "$1" sh -ec "mkdir /tmp/debs && cd /tmp/debs &&
		apt-get download $(echo $debs) &&
		for deb in *.deb; do dpkg-deb -x \$deb /kernels/$2; done &&
		rm -r /tmp/debs"
	echo "$release" >"$1/kernels/$2/release"
done
mkdir -p "$1/src"
chroot "$1" sh -ec 'cd /src && tar xf /usr/src/linux-source-6.12.tar.xz &&
	mv linux-source-6.12 linux && rm /usr/src/linux-source-6.12.tar.xz'
HOOK
}

build_root()
{
	cache_entry build-root "$(hash_text "$BUILD_PACKAGES" "$(build_root_hook)")" \
		'about 3 minutes' make_root "$BUILD_PACKAGES" "$(build_root_hook)"
}

guest_root()
{
	cache_entry guest-root "$(hash_text "$GUEST_PACKAGES")" \
		'about 2 minutes' make_root "$GUEST_PACKAGES" true
}

qemu_hook()
{
	cat <<'HOOK'
chroot "$1" apt-get install -y --no-install-recommends -t trixie-backports qemu-system-x86
HOOK
}

qemu_root()
{
	cache_entry qemu-root "$(hash_text "$QEMU_PACKAGES" "$(qemu_hook)")" \
		'about 2 minutes' make_root apt-utils "$(qemu_hook)"
}

# in_build_root DIR COMMAND... - runs COMMAND in the build root, where the
# folders named in OHCA_BIND (absolute, colon-separated) appear under the same
# names, and the working folder is DIR.
in_build_root()
{
	local dir=$1 root
	shift
	root=$(build_root)/root
	unshare --mount --propagation private bash -ec '
		root=$1 dir=$2 binds=$3
		shift 3
		mount -t tmpfs ohca-build "$root/mnt"
		mkdir "$root/mnt/upper" "$root/mnt/work"
		mount -t overlay ohca-build -o \
			"lowerdir=$root,upperdir=$root/mnt/upper,workdir=$root/mnt/work" \
			"$root/media"
		new=$root/media
		rm -f "$new/etc/resolv.conf"
		cp -L /etc/resolv.conf "$new/etc/resolv.conf" || true
		mount -t proc proc "$new/proc"
		mount --rbind /dev "$new/dev"
		IFS=:
		for path in $binds; do
			[ "$path" != / ] || continue
			mkdir -p "$new$path"
			mount --rbind "$path" "$new$path"
		done
		unset IFS
		exec chroot "$new" /bin/bash -ec "cd \"\$0\" && exec \"\$@\"" "$dir" "$@"
	' in_build_root "$root" "$dir" "${OHCA_BIND:-$dir}" "$@"
}
