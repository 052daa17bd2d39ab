# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# rdma-core's own test suite, the parts that an RC device can be asked for.

. "$(dirname "$0")/lib.sh"

suites='test_addr test_atomic test_cq test_cq_events test_cqex test_device test_mr
	test_pd test_qp test_qpex test_relaxed_ordering test_shared_pd'

one_device
cp -r /usr/share/doc/rdma-core/tests .
gunzip -f tests/*.gz
words=()
for suite in $suites; do
	words+=(-k "$suite.")
done
cd tests
python3 run_tests.py --dev a0 --gid "$(gid_index a0 v4)" -v "${words[@]}" >../out 2>&1 || true
cd ..
grep -E ' \.\.\. (ok|FAIL|ERROR)|^Ran|^(OK|FAILED)' out
grep -qE '^OK' out || { cat out; fail 'not all of them pass'; }
[ "$(grep -c ' \.\.\. ok' out)" -ge 50 ] || { cat out; fail 'too few of them ran'; }
