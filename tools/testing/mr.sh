# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# kernels: debian13
# programs: iova memory
#
# Memory regions: huge pages, odd addresses, 512 MiB, zero-based, an I/O virtual
# address of the program's choice; what can't be registered is refused. Regions are
# registered anew, pages on demand are fetched ahead.

. "$(dirname "$0")/lib.sh"

echo 16 >/proc/sys/vm/nr_hugepages
two_devices
step 'same-host delivery'
python mr.py a0 a1
iova a0 "$(gid_index a0 v4)"
step 'registered anew, and fetched ahead'
memory a0 "$(gid_index a0 v4)"
same_host off
step 'the wire on one host'
python mr.py a0 a1
iova a0 "$(gid_index a0 v4)"
echo 0 >/proc/sys/vm/nr_hugepages
