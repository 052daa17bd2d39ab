# SPDX-License-Identifier: GPL-2.0
# timeout: 240
#
# Connections by rdma_cm are made, used and closed 200 times ($CYCLES in the
# environment is another number), one after another: no object is left of them, and
# the last take no longer than the first.

. "$(dirname "$0")/lib.sh"

CYCLES=${CYCLES:-200}

# objects - how many of each kind the devices have
objects()
{
	rdma resource show | sed 's/^[0-9]*: //'
}

# same_objects BEFORE - as many as then
same_objects()
{
	[ "$(objects)" = "$1" ]
}

# unreclaimable - kernel memory in use, KiB
unreclaimable()
{
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}

# cycles COUNT - one server, one client after another
cycles()
{
	local at
	at=$(address a0)
	serve a0 rping -s -P -a "$at"
	on a1 bash -c "for ((i = 0; i < $1; i++)); do
			timeout $LIMIT rping -c -a $at -C 1 >/dev/null || exit
			echo \${EPOCHREALTIME/./}
		done" >moments 2>client.err || { cat client.err server.err; fail 'a client'; }
	end_server
}

# median FIRST LAST - of the microseconds that the cycles with these numbers took
median()
{
	awk 'NR > 1 { print $1 - last } { last = $1 }' moments |
		sed -n "$1,$2p" | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'
}

modprobe rdma_ucm
two_namespaces
step 'warm up'
cycles 10
before=$(objects)
slab=$(unreclaimable)

step "$CYCLES connections"
cycles $CYCLES
first=$(median 1 $((CYCLES / 3)))
last=$(median $((CYCLES * 2 / 3)) $CYCLES)
echo "$first us each at first, $last us at last"
# Medians: of a moment when the machine has other work they don't know.
[ "$last" -lt $((first * 3 / 2)) ] || fail 'it gets slower'

eventually 20 same_objects "$before"
slab=$(($(unreclaimable) - slab))
echo "$slab KiB more are in use"
# A KiB lost each time would be seen.
[ $slab -lt $((CYCLES + 2048)) ] || fail 'memory is lost'
