#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel events: changes of applications and nodes in order of time, and new ones as they occur.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
names() { creel events --json "$@" | jq -r '[.items[].event] | join(" ")'; }
node=$(value .nodeId node list)

creel events -f -o jsonl >"$T/followed" 2>"$T/errors" &
follower=$!
followed() { jq -r "select(.id == \"$1\") | .event" "$T/followed" 2>/dev/null | tr '\n' ' '; }
followed_is() { [ "$(followed "$1")" = "$2" ]; }
creel node drain "$node" --reason "new disk" >/dev/null 2>&1
becomes "a drain is printed as it happens" 30 grep -q 'by root: new disk' "$T/followed"
id=$(creel submit --id -m 32M -n one --hold -- sh -c "while [ ! -e '$T/go' ]; do sleep 0.05; done; exit 5")
becomes "a hold as well" 30 followed_is "$id" "SUBMITTED HELD "
creel release "$id" >/dev/null 2>&1
creel node undrain "$node" >/dev/null 2>&1
becomes "and a start" 30 followed_is "$id" "SUBMITTED HELD RELEASED STARTED "
touch "$T/go"
becomes "and an end" 30 followed_is "$id" "SUBMITTED HELD RELEASED STARTED FAILED "
like "with its end" 'exit status 5' "$(grep FAILED "$T/followed")"
kill "$follower"
is "without an error" "" "$(cat "$T/errors")"

like "the same is found later" '^SUBMITTED .*STARTED .*FAILED' "$(names --app "$id")"
like "in order of time" '^true$' "$(creel events --json | jq '[.items[].timeMs] | . == sort')"
like "with the containers of the application" "container_" "$(creel events --app "$id" --json | jq -r '.items[].id')"
is "and of a queue" "SUBMITTED STARTED FAILED" "$(names -q default)"
like "nodes have events, too" "REGISTERED" "$(names --node "$node")"
like "as a table" 'FAILED +_0001 +root +root.default +exit status 5' "$(creel events)"
is "nothing has happened since" "" "$(names --since 0)"
exits "a job is followed to its end" 0 timeout 60 creel events -f --app "$(creel submit --id -m 32M -- true)"
exits "two subjects are refused" 2 creel events --app 1 --node "$node"
exits "an unknown job, too" 3 creel events --app 99
finish
