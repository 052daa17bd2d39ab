# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# Every failure that status.py knows: the right completion status on the right
# side, ERR, flushing in order, the event.  By same-host delivery, then by wire.

. "$(dirname "$0")/lib.sh"

two_devices
step 'same-host delivery'
python status.py a0 a1
same_host off
step 'the wire on one host'
python status.py a0 a1
step 'the wire, IPv6'
python status.py a1 a0 v6
