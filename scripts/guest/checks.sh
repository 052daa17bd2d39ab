# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What must hold in the guest after a run, and after each case of a suite:
# nothing in the kernel's log that a kernel engineer would have to look at, our
# modules unload, nothing is left in memory.

# What the kernel prints when something is wrong with it.  A line that a test
# provokes on purpose from somebody else's code can be allowed by writing an
# extended regular expression to this file; it should be rare.
ALLOWED_LINES=/run/ohca-allowed-lines

KERNEL_COMPLAINTS='WARNING:|BUG:|kernel BUG|Oops|general protection fault|'
KERNEL_COMPLAINTS+='Kernel panic|INFO: task .* blocked|INFO: rcu|rcu: INFO|'
KERNEL_COMPLAINTS+='possible recursive locking|possible circular locking|'
KERNEL_COMPLAINTS+='inconsistent lock state|suspicious RCU usage|'
KERNEL_COMPLAINTS+='bad unlock balance|held lock freed|UBSAN:|KASAN:|'
KERNEL_COMPLAINTS+='DMA-API:|refcount_t:|list_(add|del) corruption|'
KERNEL_COMPLAINTS+='ODEBUG:|scheduling while atomic|sleeping function called|'
KERNEL_COMPLAINTS+='unregister_netdevice: waiting|soft lockup|hard LOCKUP|'
KERNEL_COMPLAINTS+='workqueue lockup|page allocation failure|'
KERNEL_COMPLAINTS+='trying to free nonexistent|leaked reference|'
KERNEL_COMPLAINTS+='restrack: .*(BUG|leak)|=+\[ cut here \]|Call Trace:'

# DMA-API's own start-up lines are no complaint, nor is what a CPU model lacks.
HARMLESS_LINES='DMA-API: (preallocated|debugging enabled|debugging disabled)'

# dmesg_since LINES - the log after its first LINES lines
dmesg_lines()
{
	dmesg 2>/dev/null | wc -l
}

dmesg_since()
{
	dmesg | tail -n "+$(($1 + 1))"
}

# check_log LINES - prints the complaints after the first LINES lines
check_log()
{
	local log allowed=$HARMLESS_LINES
	[ ! -s "$ALLOWED_LINES" ] || allowed+="|$(paste -sd'|' "$ALLOWED_LINES")"
	log=$(dmesg_since "$1" | grep -vE "$allowed")
	if printf '%s\n' "$log" | grep -qE "$KERNEL_COMPLAINTS"; then
		echo "the kernel complained:"
		printf '%s\n' "$log" |
			grep -E -m 5 -B 3 -A 40 "$KERNEL_COMPLAINTS" | head -n 200
		return 1
	fi
}

# Devices of our type go first, then the modules.
remove_our_devices()
{
	local link
	for link in /sys/class/infiniband/*; do
		[ -e "$link" ] || continue
		rdma link del "${link##*/}" 2>/dev/null
	done
}

# The kernel's own software devices hold the RoCE port of a namespace for as
# long as their module is loaded.
PEER_MODULES='rdma_rxe siw'

unload_peer_modules()
{
	local module
	remove_our_devices
	for module in $PEER_MODULES; do
		[ -d "/sys/module/$module" ] || continue
		if ! timeout 30 rmmod "$module" 2>/run/rmmod.err; then
			echo "can't unload $module: $(cat /run/rmmod.err)"
			return 1
		fi
	done
}

unload_our_modules()
{
	local module
	remove_our_devices
	for module in $(lsmod | awk '$1 ~ /^ohca_/ && $1 != "ohca_core" {print $1}') ohca_core; do
		[ -d "/sys/module/$module" ] || continue
		if ! timeout 30 rmmod "$module" 2>/run/rmmod.err; then
			echo "can't unload $module: $(cat /run/rmmod.err)"
			lsmod
			return 1
		fi
	done
}

# An object counts as lost once it is five seconds old and a scan finds no
# pointer to it.  A pointer that moved during the scan is missed, so what one
# scan reports must be there after another.  A scan takes seconds.
check_leaks()
{
	local leaks=/sys/kernel/debug/kmemleak report
	[ -w "$leaks" ] || return 0
	sleep 5
	echo scan >"$leaks" 2>/dev/null || return 0
	[ -n "$(head -c 1 "$leaks")" ] || return 0
	sleep 1
	echo scan >"$leaks"
	report=$(cat "$leaks")
	if [ -n "$report" ]; then
		echo "kmemleak:"
		printf '%s\n' "$report" | head -n 100
		return 1
	fi
}

final_checks()
{
	unload_our_modules && check_leaks && check_log 0
}
