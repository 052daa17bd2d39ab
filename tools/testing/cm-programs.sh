# SPDX-License-Identifier: GPL-2.0
# timeout: 240
#
# The other programs of librdmacm between two namespaces: rdma_client, rstream and
# riostream with the bytes looked at, rcopy, cmtime with 300 connections, perftest
# with -R.  Connections are made and closed 300 times: nothing is left of them, and
# the last take no longer than the first.

. "$(dirname "$0")/lib.sh"

CONNECTIONS=300

# streams TOOL - an rsocket, with calls that wait and that don't; both look at the bytes.
# Not with poll: these tools take it for an error when the other end closes the
# connection with bytes still to be read.
streams()
{
	local tool=$1 at mode
	at=$(address a0)
	for mode in b n; do
		meet a0 a1 "$tool" -b "$at" -S 30000 -C 20 -I 4 -T v -T $mode -- \
			"$tool" -s "$at" -S 30000 -C 20 -I 4 -T v -T $mode
		for end in server client; do
			grep -q '^custom ' $end.out ||
				{ show_outputs; fail "$tool: the $end has no result"; }
		done
	done
}

# copies - a server for ever, to which two files go
copies()
{
	local size
	serve a0 rcopy
	for size in 1 5000001; do
		head -c $size /dev/urandom >original
		on a1 timeout "$LIMIT" rcopy original "$(address a0):$PWD/copy" \
			>client.out 2>client.err ||
			{ show_outputs; fail "rcopy of $size bytes"; }
		cmp original copy
	done
	end_server
}

# many_at_once COUNT - connections, all there at the same time
many_at_once()
{
	local at
	at=$(address a0)
	LIMIT=120 meet a0 a1 cmtime -b "$at" -c "$1" -- cmtime -s "$at" -c "$1"
	# With QPs, and without.
	[ "$(grep -c '^full connect ' client.out)" = 2 ] ||
		{ show_outputs; fail 'cmtime has no results'; }
	grep -E '^(.._conn|full connect|disconnect|destroy qp)' client.out
}

# perftest_cm SERVER CLIENT TOOL [OPTION]... - connected by rdma_cm
perftest_cm()
{
	local at tool=$3
	at=$(address "$1")
	: $((port += 1))
	meet "$1" "$2" "$tool" -R -F -p $port "${@:4}" -- \
		"$tool" -R -F -p $port "${@:4}" "$at"
	[ "$(rows)" -ge 1 ] || { show_outputs; fail "no table: ${*:3}"; }
}

modprobe rdma_ucm
two_namespaces
for GID in v4 v6; do
	at=$(address a0)
	step "rdma_client, $GID"
	meet a0 a1 rdma_server -s "$at" -- rdma_client -s "$at"
	step "rstream, riostream, $GID"
	streams rstream
	streams riostream
done
GID=v4
step 'rcopy'
copies
step 'perftest with -R'
for options in '-c RC' '-c UD -s 1024' '-c RC -e'; do
	# shellcheck disable=SC2086 # several options
	perftest_cm a0 a1 ib_send_bw -n 200 $options
done
perftest_cm a0 a1 ib_write_lat -n 200
perftest_cm a0 a1 ib_read_bw -n 200 -s 100000
step "cmtime, $CONNECTIONS connections"
many_at_once $CONNECTIONS
