# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# kernels: debian13
#
# On-demand paging: pages that come with their use, that go under traffic, and that
# can't be had.

. "$(dirname "$0")/lib.sh"

two_devices
step 'same-host delivery'
python odp.py a0 a1
same_host off
step 'the wire on one host'
python odp.py a0 a1
