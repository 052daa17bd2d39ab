# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# suite: bookworm
#
# Programs of Debian 12, as a container brings them along, on this kernel: its librxe,
# of rdma-core 44, is the oldest that the device is for.

. "$(dirname "$0")/lib.sh"

debian=/suite/bookworm
ls $debian/usr/lib/*/libibverbs.so.1.*.44.* >/dev/null || fail 'not rdma-core 44'
for fs in dev proc sys; do
	mount --rbind /$fs $debian/$fs
done
trap 'umount -lR $debian/dev $debian/proc $debian/sys' EXIT

# on DEVICE COMMAND... - of Debian 12
on()
{
	chroot $debian "${@:2}"
}

two_devices
step 'the device'
on a0 ibv_devinfo -v -d a0 >devinfo
grep -q 'state:.*PORT_ACTIVE' devinfo || fail "$(cat devinfo)"

step 'RC and UD'
pingpong a0 a1 -n 200
pingpong a0 a1 -n 50 -e -s 100000
between a0 a1 ibv_ud_pingpong -n 100

step 'perftest'
for kind in send write read atomic; do
	perftest a0 a1 ib_${kind}_lat -n 100
	perftest a1 a0 ib_${kind}_bw -n 100 -q 4
done
perftest a0 a1 ib_send_bw -e -n 100
perftest a0 a1 ib_write_lat -s 64 -I 64 -n 100
perftest a0 a1 ib_send_bw -c UD -s 1024 -n 100

step 'rdma_cm'
meet a0 a1 rping -s -a "${ADDR4[a0]}" -C 20 -- rping -c -a "${ADDR4[a0]}" -C 20
