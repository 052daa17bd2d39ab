# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# boot: own
# hca: 2
#
# Faults of the device model that the kernel's own driver knows how to live with: page
# requests at run time, link down and up, a lost interrupt, a command that fails. It
# shows that the model raises them as hardware does; what each does to it by itself is
# in tools/model/test/test_fault.py.

. /ohca/testing/hca.sh

pages() { hca_ask 0 show | sed 's/.* pages \([0-9]*\).*/\1/'; }
carrier() { ip netns exec hca cat "/sys/class/net/$one/carrier"; }
# until SECONDS COMMAND...
until_true()
{
	local i
	for ((i = 0; i < $1 * 5; i++)); do
		! "${@:2}" || return 0
		sleep 0.2
	done
	return 1
}
has_pages() { [ "$(pages)" = "$1" ]; }
has_carrier() { [ "$(carrier)" = "$1" ]; }

hca_two_namespaces
had=$(pages)

echo '== pages'
hca_ask 0 'pages 100'
until_true 10 has_pages $((had + 100)) || fail "pages: $(pages), not $((had + 100))"
hca_ask 0 'pages -60'
until_true 10 has_pages $((had + 40)) || fail "pages: $(pages), not $((had + 40))"

echo '== link'
hca_ask 0 'link down'
until_true 10 has_carrier 0 || fail 'the carrier stays'
ibv_devinfo -d "$first" | grep -q PORT_DOWN || fail 'the port stays active'
hca_ask 0 'link up'
until_true 10 has_carrier 1 || fail 'no carrier again'
until_true 10 ping -c 1 -W 1 10.77.0.1 || fail 'ping'
hca_both ibv_rc_pingpong -g 1 -n 50

echo '== a command fails'
hca_ask 0 'fail 800 0f'			# ALLOC_PD, no resources
! ip netns exec hca timeout 20 ibv_rc_pingpong -d "$first" -g 1 >failed.log 2>&1 ||
	fail 'a protection domain without a command'
cat failed.log
hca_both ibv_rc_pingpong -g 1 -n 50

# Of the command that was made to fail.
hca_allowed='ALLOC_PD'
hca_end
