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
creel release "$id" >/dev/null 2>&1
creel node undrain "$node" >/dev/null 2>&1
becomes "creel events -f prints a release and a start" 30 followed_is "$id" "SUBMITTED HELD RELEASED STARTED "
touch "$T/go"
becomes "creel events -f prints the failure of the application" 30 \
    followed_is "$id" "SUBMITTED HELD RELEASED STARTED FAILED "
like "the event of the failure has the exit status" 'exit status 5' "$(grep FAILED "$T/followed")"
kill "$follower"
is "creel events -f prints no error" "" "$(cat "$T/errors")"

like "creel events --app prints the same events later" '^SUBMITTED .*STARTED .*FAILED' "$(names --app "$id")"
like "creel events prints events in order of time" \
    '^true$' "$(creel events --json | jq '[.items[].timeMs] | . == sort')"
like "creel events --app has the events of the containers" "container_" "$(creel events --app "$id" --json | jq -r '.items[].id')"
is "creel events -q prints the events of a queue" "SUBMITTED STARTED FAILED" "$(names -q default)"
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
like "creel events -q of a parent queue has the events of its leaf queues" "^SUBMITTED STARTED FAILED" "$(names -q root)"
finish
