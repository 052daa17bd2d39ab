# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# kernels: debian13 test
#
# QPs: states, attributes, sizes, what is refused.  CQs: notification, solicited
# events, overflow, resizing.

. "$(dirname "$0")/lib.sh"

two_devices
step 'queue pairs'
python qp.py a0 a1
step 'completion queues'
python cq.py a0 a1
same_host off
step 'completion queues, the wire on one host'
python cq.py a0 a1
