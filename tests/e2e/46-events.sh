#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel events: changes of applications and nodes in order of time, and new ones as they occur.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
names() { creel events --json "$@" | jq -r '[.items[].event] | join(" ")'; }
node=$(value .nodeId node list)

# (--since: on a busy machine, the drain below happens before the command has read the clock.)
creel events -f --since 10m -o jsonl >"$T/followed" 2>"$T/errors" &
follower=$!
followed() { jq -r "select(.id == \"$1\") | .event" "$T/followed" 2>/dev/null | tr '\n' ' '; }
followed_is() { [ "$(followed "$1")" = "$2" ]; }
creel node drain "$node" --reason "new disk" >/dev/null 2>&1
becomes "creel events -f prints a drain when it happens" 30 grep -q 'by root: new disk' "$T/followed"
id=$(creel submit --id -m 32M -n one --hold -- sh -c "while [ ! -e '$T/go' ]; do sleep 0.05; done; exit 5")
becomes "creel events -f prints a submission and a hold" 30 followed_is "$id" "SUBMITTED HELD "
creel hold "$id" --reason "not yet" >/dev/null 2>&1
becomes "creel events -f prints the new reason of a hold" 30 grep -q 'by root: not yet' "$T/followed"
creel release "$id" >/dev/null 2>&1
creel node undrain "$node" >/dev/null 2>&1
becomes "creel events -f prints a release and a start" 30 followed_is "$id" "SUBMITTED HELD HELD RELEASED STARTED "
touch "$T/go"
becomes "creel events -f prints the failure of the application" 30 \
    followed_is "$id" "SUBMITTED HELD HELD RELEASED STARTED FAILED "
like "the event of the failure has the exit status" 'exit status 5' "$(grep FAILED "$T/followed")"
like "creel events --app prints the same events later" '^SUBMITTED .*STARTED .*FAILED' "$(names --app "$id")"
like "creel events prints events in order of time" \
    '^true$' "$(creel events --json | jq '[.items[].timeMs] | . == sort')"
like "creel events --app has the events of the containers" "container_" "$(creel events --app "$id" --json | jq -r '.items[].id')"
is "creel events -q prints the events of a queue" "SUBMITTED HELD HELD RELEASED STARTED FAILED" "$(names -q default)"
like "creel events --node prints the events of a node" "REGISTERED" "$(names --node "$node")"
like "creel events prints a table" 'FAILED +_0001 +root +root.default +exit status 5' "$(creel events)"
is "creel events --since 0 prints no event" 0 "$(count events --since 0)"
exits "creel events -f --app exits with 0 when the application has ended" 0 \
    timeout 60 creel events -f --app "$(creel submit --id -m 32M -- true)"
exits "creel events with --app and --node is a usage error" 2 creel events --app 1 --node "$node"
exits "creel events --app of an unknown application exits with 3" 3 creel events --app 99
like "the error names the application" '99' "$OUTPUT"
exits "creel events --queue of an unknown queue exits with 3" 3 creel events -q nosuch
like "the error names the queue" 'nosuch' "$OUTPUT"
exits "creel events -f --queue of an unknown queue exits with 3" 3 timeout 60 creel events -f -q nosuch
exits "creel events --node of an unknown node exits with 3" 3 creel events --node nosuch
like "the error names the node" 'nosuch' "$OUTPUT"
exits "creel events -f --node of an unknown node exits with 3" 3 timeout 60 creel events -f --node nosuch
exits "creel events --node of a range with an unknown node exits with 3" 3 creel events --node "nosuch[1-2]"
like "creel events --node accepts the host of a node" "REGISTERED" "$(names --node "${node%:*}")"
like "creel events -q of a parent queue has the events of its leaf queues" "^SUBMITTED HELD HELD RELEASED STARTED FAILED" "$(names -q root)"
# Ids in tables can be typed, also in lists of several applications.
other=$(creel submit --id -m 32M -- true)
exits "another application ends" 0 creel wait "$other" --timeout 60
first=$(creel submit --id -m 32M -- sleep 1000)
second=$(creel submit --id -m 32M -- sleep 1000)
both_run() { [ "$(state "$first") $(state "$second")" = "RUNNING RUNNING" ]; }
becomes "two applications run" 60 both_run
short=$(creel container list --no-header | awk -v number="${second##*_}" 'index($1, number "_") == 1 { print $1; exit }')
is "creel container list prints ids that name the application" "${second##*_}_01_000001" "$short"
exits "creel container show accepts such an id" 0 creel container show "$short"
short=$(creel events --app "$other" --no-header | awk '$4 ~ /_01_000001$/ { print $4; exit }')
is "creel events prints such ids" "${other##*_}_01_000001" "$short"
exits "creel logs accepts the id of an application as creel app list prints it" 0 creel logs "_${other##*_}"
exits "creel app requeue of an application that has ended exits with 6" 6 creel app requeue "$other"
like "the error names what to do" 'is over already: FINISHED; creel app rerun .* submits it again' "$OUTPUT"
kill_nine "$(pid_of rm)"
exits "the resource manager starts again" 0 creel dev up --dir "$T/dev" -n 1
later=$(creel submit --id -m 32M -q root.default -- true)
becomes "creel events -f continues after a restart of the resource manager" 60 followed_is "$later" "SUBMITTED STARTED FINISHED "
is "creel events -f prints no event again" "SUBMITTED HELD HELD RELEASED STARTED FAILED " "$(followed "$id")"
like "creel events -f prints on standard error that events may be missing" \
    'creel: the resource manager has started again: events .* may be missing' "$(cat "$T/errors")"
like "creel events lists the earlier events after the restart" '^SUBMITTED .*FAILED$' "$(names --app "$id")"
kill "$follower"
wait "$follower" 2>/dev/null
is "creel events -f prints no other error" "" "$(grep -v 'has started again\|no resource manager runs\|did not answer\|answers again' "$T/errors")"

creel events -f --since 10m --timeout 1 >"$T/followed" 2>"$T/errors" &
follower=$!
becomes "another creel events -f prints the events so far" 30 grep -q FAILED "$T/followed"
kill -STOP "$(pid_of rm)"
becomes "creel events -f prints that the resource manager does not answer" 60 grep -q 'did not answer within .*; trying again' "$T/errors"
kill -CONT "$(pid_of rm)"
becomes "creel events -f prints that it answers again" 60 grep -q 'the resource manager answers again' "$T/errors"
is "creel events -f prints both once" 2 "$(wc -l <"$T/errors")"
kill "$follower"
finish
