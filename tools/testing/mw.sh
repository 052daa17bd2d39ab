# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# kernels: debian13
#
# Memory windows, and the limits that the device announces.

. "$(dirname "$0")/lib.sh"

two_devices
step 'same-host delivery'
python mw.py a0 a1
step 'as many as there are'
python limits.py a0 a1
same_host off
step 'the wire on one host'
python mw.py a0 a1
