# SPDX-License-Identifier: GPL-2.0
# timeout: 180
#
# Tracepoints: QP state, send, receive, retransmit, and drop with its reason.

. "$(dirname "$0")/lib.sh"

trace=/sys/kernel/tracing

two_namespaces
[ "$(ls -d $trace/events/ohca/ohca_* | wc -l)" = 5 ] || fail "events: $(ls $trace/events/ohca)"
echo >$trace/trace
echo 1 >$trace/events/ohca/enable
echo 1 >$trace/tracing_on

step 'traffic on a good wire'
pingpong a0 a1 -n 10
cp $trace/trace trace.txt
echo >$trace/trace
step 'traffic on a bad wire'
ip netns exec near tc qdisc add dev v0 root netem loss 10% corrupt 5%
python data.py a0 a1 v4 psn_wraps many_in_flight both_directions
echo 0 >$trace/events/ohca/enable
cat $trace/trace >>trace.txt

step 'what was traced'
seen()
{
	grep -qE "$1" trace.txt || fail "no line like: $1"
}
for state in INIT RTR RTS; do
	seen "ohca_qp_state: dev=a0 qpn=0x[0-9a-f]+ state=$state"
done
seen 'ohca_send: dev=a0 .*op=[a-zA-Z_ ]*.*psn=0x[0-9a-f]+ npkts=[0-9]+ length=4096'
seen 'ohca_receive: dev=a1 '
seen 'ohca_retransmit: dev=a[01] qpn=0x[0-9a-f]+ psn=0x[0-9a-f]+ why='
seen 'ohca_drop: .*reason=icrc'
