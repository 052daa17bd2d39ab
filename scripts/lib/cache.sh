# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The cache: one folder an entry, named NAME-KEY, where KEY is a hash of what
# the entry is made from.  An entry is made in a temporary folder under its own
# lock and renamed when it is whole, so that a folder with the final name and
# its stamp is always good, whoever was killed in between.

# cache_path NAME KEY
cache_path()
{
	printf '%s/%s-%s\n' "$OHCA_CACHE" "$1" "$2"
}

# cache_has NAME KEY
cache_has()
{
	[ -e "$(cache_path "$1" "$2")/.complete" ]
}

# tell_time NAME STARTED - once a minute.  It waits by reading from a pipe that no
# one writes to, because a sleep would outlive it and hold our output open.
tell_time()
{
	while :; do
		read -rt 60 <> <(:) || true
		say "still making $1, $((SECONDS - $2)) s"
	done
}

# cache_entry NAME KEY ESTIMATE BUILDER [ARG]...
#
# Prints the path of the entry.  When it is not there, runs BUILDER ARG... DIR
# in a shell with errexit; DIR is an empty folder that becomes the entry.
# What BUILDER prints goes to a log beside the entry.
cache_entry()
{
	local name=$1 key=$2 estimate=$3 path log tmp started clock status
	shift 3
	path=$(cache_path "$name" "$key")
	log=$OHCA_CACHE/log/$name-$key.log

	if [ -e "$path/.complete" ]; then
		printf '%s\n' "$path"
		return 0
	fi

	mkdir -p "$OHCA_CACHE/lock" "$OHCA_CACHE/log" "$OHCA_CACHE/tmp"
	(
		if ! flock -n 9; then
			say "waiting for another run to make $name"
			flock 9
		fi
		[ ! -e "$path/.complete" ] || exit 0

		# Left by a run that was killed; its lock is ours now.
		rm -rf --one-file-system "$path" \
			"$OHCA_CACHE/tmp/$name-$key".*
		tmp=$(mktemp -d "$OHCA_CACHE/tmp/$name-$key.XXXXXX")
		chmod 755 "$tmp"
		started=$SECONDS
		say "making $name ($estimate; log: $log)"
		tell_time "$name" "$started" >/dev/null 9>&- &
		clock=$!
		# A shell of its own: errexit is off in whatever a condition runs,
		# and a builder that goes on after an error makes a bad entry.
		status=0
		bash -ec '. "$0"; "$@"' "$OHCA_TOP/scripts/lib/all.sh" \
			"$@" "$tmp" >"$log" 2>&1 9>&- </dev/null || status=$?
		kill "$clock"
		if [ "$status" != 0 ]; then
			tail -n 25 "$log" >&2
			rm -rf --one-file-system "$tmp"
			die "could not make $name; see $log"
		fi
		: >"$tmp/.complete"
		mv -T "$tmp" "$path"
		say "made $name in $((SECONDS - started)) s"
	) 9>"$OHCA_CACHE/lock/$name-$key" || return 1
	printf '%s\n' "$path"
}
