# SPDX-License-Identifier: GPL-2.0
# timeout: 300
#
# Every operation, size and cut into SGEs moves the right bytes and no others;
# immediate data, inline data, atomics, fences and completions are right.

. "$(dirname "$0")/lib.sh"

two_devices
step 'one device with itself'
SMALL=1 python data.py a0 a0
step 'two devices of one host'
python data.py a0 a1
same_host off
step 'the wire on one host'
SMALL=1 python data.py a0 a1
step 'the wire, IPv6'
SMALL=1 python data.py a1 a0 v6
