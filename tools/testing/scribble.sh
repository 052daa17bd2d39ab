# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# kernels: debian13 test
# programs: scribble
#
# A program that scribbles over the queues it shares with the kernel, an SRQ among
# them, gets errors on its own QPs, and harms nothing else: not the kernel, not
# memory that it did not register, not the programs beside it.

. "$(dirname "$0")/lib.sh"

two_devices
seed=$((RANDOM * 32768 + RANDOM + 1))

step "same-host delivery, seed $seed, with other traffic on the device"
start_traffic a0 a1 ib_write_bw -s 4096
scribble a0 "$(gid_index a0 v4)" $seed 15
moves a0 a1 || { show_outputs; fail 'the other traffic has stopped'; }
kill "$client_pid" "$server_pid"
wait "$client_pid" "$server_pid" || true

step 'the wire on one host'
same_host off
scribble a1 "$(gid_index a1 v6)" $((seed + 1000)) 15
pingpong a0 a1 -n 20
