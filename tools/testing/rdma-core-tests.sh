# SPDX-License-Identifier: GPL-2.0
# timeout: 400
#
# rdma-core's own test suite, the parts that the device can be asked for. A
# module has an interpreter of its own: pyverbs keeps state between them. Left out
# is test_device.DMTest: skipping it (no device memory) ends the interpreter in a
# segmentation fault inside pyverbs, on rxe as here.

. "$(dirname "$0")/lib.sh"

suites='test_addr. test_atomic. test_cq. test_cq_events. test_cqex.
	test_device.DeviceTest. test_mr. test_odp. test_pd. test_qp. test_qp_ex_rc_send
	test_qp_ex_rc_rdma test_qp_ex_rc_atomic_cmp test_qp_ex_rc_atomic_fetch
	test_qp_ex_rc_bind_mw test_qp_ex_ud_
	test_rdmacm. test_relaxed_ordering. test_shared_pd. test_srq.'

modprobe rdma_ucm
one_device
echo 16 >/proc/sys/vm/nr_hugepages
cp -r /usr/share/doc/rdma-core/tests .
gunzip -f tests/*.gz
gid=$(gid_index a0 v4)
: >out
bad=
for suite in $suites; do
	(cd tests && python3 run_tests.py --dev a0 --gid "$gid" -v -k "$suite") >one 2>&1 ||
		bad="$bad $suite"
	cat one >>out
	printf '%s %s\n' "$suite" "$(grep -E '^(OK|FAILED)' one)"
done
[ -z "$bad" ] || { grep -vE ' \.\.\. (ok|skipped)' out; fail "not all of them pass:$bad"; }
# The sum of "Ran N tests" less that of "skipped=N": what was really tried.
tried=$(sed -nE 's/^Ran ([0-9]+) .*/\1/p; s/^OK \(skipped=([0-9]+)\)/-\1/p' out |
	awk '{ n += $1 } END { print n + 0 }')
echo "$tried tests passed"
echo 0 >/proc/sys/vm/nr_hugepages
[ "$tried" -ge 101 ] || { cat out; fail 'too few of them ran'; }
