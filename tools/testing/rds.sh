# SPDX-License-Identifier: GPL-2.0
# timeout: 90
# programs: rds
# packages: e2fsprogs fio libfabric-bin nfs-kernel-server open-iscsi openmpi-bin python3-mpi4py srptools ucx-utils
#
# RDS over IB: datagrams of all sizes, and RDMA by the kernel's rds into a program's
# memory, between two devices.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/ulp.sh"

modules rds_rdma rds
two_devices
rds server "${ADDR4[a1]}" >server.out 2>&1 &
server_pid=$!
eventually 20 grep -q ready server.out
rds client "${ADDR4[a0]}" "${ADDR4[a1]}" 200 || { cat server.out; fail 'the client'; }
wait "$server_pid" || { cat server.out; fail 'the server'; }
rdma link del a0
rdma link del a1
unload_modules
