# SPDX-License-Identifier: GPL-2.0
# timeout: 150
# boot: own
# hca: 2 iommu
#
# ohca_pci behind an IOMMU that maps strictly: traffic causes no fault. After dereg_mr,
# and after a program was killed, its pages are unpinned, and an access of the device to
# where they were faults.

. "$(dirname "$0")/pci.sh"

[ -n "$(ls /sys/class/iommu)" ] || fail 'there is no IOMMU'
two_hcas
LIMIT=30

step 'traffic'
on hca1 ping -q -c 3 -i 0.2 -s 4000 10.77.0.1
pingpong hca0 hca1 -n 50 -s 100000
pingpong hca1 hca0 -n 20 -e
between hca0 hca1 ibv_ud_pingpong -n 50
between hca0 hca1 ibv_srq_pingpong -n 50
perftest hca0 hca1 ib_write_bw -n 50 -s 65536
perftest hca0 hca1 ib_read_bw -n 20 -s 65536
perftest hca1 hca0 ib_send_bw -n 20 -s 65536 -b
perftest hca0 hca1 ib_atomic_bw -n 20
no_bus_errors

# region - a program registers memory; leaves its process in $program, and in $at the
# bus address of the memory's first byte
region()
{
	local key address
	coproc PROGRAM { exec python3 "$TESTING/late.py" hca0; }
	program=$PROGRAM_PID
	read -r -t 20 key address <&"${PROGRAM[0]}"
	at=$(ask 0 where "$key" "$address")
}

# gone PINNED ERRORS - nothing is pinned any more, and the access to $at faults
gone()
{
	eventually 5 pinned_is "$1"
	refuse 'bus error' ask 0 read "$at"
	[ "$(bus_errors 0)" = "$2" ] || fail "$(bus_errors 0) bus errors"
}

step 'pages go with their region'
before=$(pinned)
region
ask 0 read "$at" >/dev/null
[ "$(pinned)" -ge $((before + 2048)) ] || fail 'the memory is not pinned'
echo >&"${PROGRAM[1]}"
read -r -t 20 <&"${PROGRAM[0]}"
with_program=$(pinned)
[ "$with_program" -lt $((before + 64)) ] || fail "$with_program pages, $before before"
gone "$with_program" 1
kill -9 "$program"
wait "$program" || true
eventually 5 pinned_is "$before"

step 'pages go with a program that is killed'
region
ask 0 read "$at" >/dev/null
kill -9 "$program"
wait "$program" || true
gone "$before" 2

step 'pages go with programs that are killed under traffic'
start_server hca0 ib_write_bw -D 30 -s 65536
on hca1 ib_write_bw $(device_options hca1 ib_write_bw) -D 30 -s 65536 10.77.0.1 >client.out 2>&1 &
client_pid=$!
sleep 2
kill -9 "$client_pid"
pkill -9 ib_write_bw
wait "$client_pid" "$server_pid" || true
eventually 5 pinned_is "$before"
[ "$(bus_errors 0) $(bus_errors 1)" = '2 0' ] || fail "$(bus_errors 0) $(bus_errors 1) bus errors"
end_of_pci
