# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# boot: own
# hca: 2
#
# ohca_pci when its device fails, under traffic: programs learn of it, the other end gets
# its error, the device is reset and serves again, or leaves cleanly.

. "$(dirname "$0")/pci.sh"

two_hcas
LIMIT=30

# moves DEVICE... - instead of lib.sh's: a model sends packets of RDMA
moves()
{
	local before
	before=$(ask_for 0 rdma_tx)
	sleep 0.2
	[ "$(ask_for 0 rdma_tx)" != "$before" ]
}

# traffic - WRITEs from the second function to the first, where somebody watches
traffic()
{
	start_traffic hca0 hca1 ib_write_bw -s 65536
	ibv_asyncwatch -d hca0 >events 2>&1 &
	watcher=$!
	eventually 5 grep -q 'async event FD' events
}

# ends_of_traffic - programs on the first function, which completes nothing any more, are
# told that it failed; the other end gets an error by itself
ends_of_traffic()
{
	eventually 15 grep -q DEVICE_FATAL events
	client_fails 20
	# No right to access it, from a device that reaches no memory any more; or no answer.
	grep -qE 'Failed status (10|12)' client.out client.err || { show_outputs; fail 'no error'; }
	kill "$watcher" 2>/dev/null || true
	wait "$watcher" || true
	# The server would hear of it by TCP, if its netdev came back.
	kill -9 $(pidof ib_write_bw) || true
	eventually 10 not pidof ib_write_bw
}

# serves_again - the first function is there again, its netdev is as it was
serves_again()
{
	eventually 20 test -e $CLASS/hca0
	device_is_there hca0 1 near
	eventually 10 port_is hca0 ACTIVE
	meets
	pingpong hca0 hca1 -n 20
}

# said TEXT - the driver has told of it
said()
{
	[ -n "$(dmesg | grep "ohca_pci.*$1")" ]
}

step 'a command fails'
ask 0 fail 800 0f				# ALLOC_PD: no resources
refuse 'allocate PD' ibv_rc_pingpong -d hca0 -g 1
pingpong hca0 hca1 -n 20

step 'interrupts get lost'
ask 0 lose 3
pingpong hca0 hca1 -n 20 -e

step 'a command is never answered'
echo 2 >/sys/module/ohca_pci/parameters/command_timeout
traffic
ask 0 stall 800
refuse 'allocate PD' timeout 20 ibv_rc_pingpong -d hca0 -g 1
ends_of_traffic
serves_again
echo 60 >/sys/module/ohca_pci/parameters/command_timeout

step 'a second failure within a minute: left as it is, until somebody binds it anew'
traffic
ask 0 health 8
ends_of_traffic
eventually 10 said 'left as it is'
leave 0
ask 0 reset
take 0
settle 0 near
serves_again

step 'an internal error, that asks for a reset'
traffic
ask 0 health 8 rfr
ends_of_traffic
serves_again

step 'a reset by hand'
traffic
echo 1 >"$PCI/devices/${FUNCTIONS[0]}/reset"
ends_of_traffic
serves_again

step 'it is pulled out, and put in'
traffic
ask 0 unplug
ends_of_traffic
said 'it does not answer' || fail 'nothing in the log'
echo 1 >"$PCI/devices/${FUNCTIONS[0]}/remove"
[ ! -e $CLASS/hca0 ] || fail 'it is still there'
ask 0 plug
echo 1 >$PCI/rescan
take 0
settle 0 near
serves_again

step 'unbind and bind, 20 times, under traffic'
for ((i = 0; i < 20; i++)); do
	start_traffic hca0 hca1 ib_write_bw -s 65536
	leave 0
	kill -9 $(pidof ib_write_bw)
	wait "$server_pid" "$client_pid" || true
	take 0
	settle 0 near
done
serves_again

step 'the end'
modprobe -r ohca_pci
