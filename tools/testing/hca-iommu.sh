# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# boot: own
# hca: 2 iommu
#
# The device model behind an IOMMU that maps strictly, under the kernel's own driver:
# traffic causes no fault, and the kernel sees none.

. /ohca/testing/hca.sh

[ -n "$(ls /sys/class/iommu)" ] || fail 'there is no IOMMU'
hca_two_namespaces
ping -c 3 -i 0.2 10.77.0.1 || fail 'ping'
hca_both ibv_rc_pingpong -g 1 -n 50
hca_both ibv_rc_pingpong -g 1 -n 20 -e -s 300000
hca_both ibv_ud_pingpong -g 1 -n 50
hca_both ib_write_bw -x 1 -n 50 -s 65536
hca_both ib_read_bw -x 1 -n 20 -s 65536
for i in 0 1; do
	hca_ask "$i" show | grep -q 'bus_errors 0$' || fail "function $i: $(hca_ask "$i" show)"
done
! dmesg | grep -E 'DMAR:.*(fault|DMA (Read|Write))' || fail 'the IOMMU faulted'
hca_end
