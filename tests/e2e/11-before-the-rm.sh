#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Agents and clients that start before the resource manager wait for it, and then continue. This test starts the
# daemons one by one, as an administrator would.
. "$(dirname "$0")/lib.sh"
trap 'kill -9 $(jobs -p) 2>/dev/null; cleanup' EXIT
cluster_up -n 2
conf=$T/dev/conf
address=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "rm") | "127.0.0.1:\(.ports.client)"')
for pid in $(creel dev status --dir "$T/dev" --json | jq '.items[].pid'); do kill "$pid"; done
becomes "the cluster is stopped" 20 sh -c "! creel dev status --dir '$T/dev' --json | jq -e '.items[] | select(.pid)'"

by_hand() { "$@" >>"$T/$1.log" 2>&1 & last=$!; }
agent() { by_hand creel-nm --conf "$T/dev/agent-$1/conf"; }
rm_by_hand() { by_hand creel-rm --conf "$conf"; rm=$last; }
# A process that has the threads of ZeroMQ has begun to connect.
connects() { [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -gt 1 ]; }

agent 1
first=$last
becomes "an agent starts without resource manager" 30 grep -q 'offers' "$T/creel-nm.log"
creel submit --timeout 60 --id -- sh -c 'echo it ran' >"$T/submitted" 2>&1 & submit=$!
creel node list --timeout 60 -o id >"$T/listed" 2>&1 & list=$!
becomes "a client waits for one" 30 connects "$submit"
becomes "and another" 30 connects "$list"
exits "with a short timeout it names what is not there" 5 creel ps --timeout 1
like "with the address and what to do" "$address: .*is creel-rm running there.*--rm" "$OUTPUT"
check "all still wait" kill -0 "$first" "$submit" "$list"
rm_by_hand
ends "the submission goes through when it appears" 0 "$submit" "$T/submitted"
ends "the list, too" 0 "$list" "$T/listed"
id=$(cat "$T/submitted")
like "with an id" '^application_[0-9]+_0001$' "$id"
becomes "the agent has connected by itself" 30 nodes_running_is 1
exits "and runs what was submitted" 0 creel wait "$id" --timeout 60
is "as it should" "it ran" "$(creel logs "$id")"
check "the agent is the same process" kill -0 "$first"

# Another order: the resource manager ends, an agent starts, the resource manager starts again with the same state.
kill "$rm"
ends "a resource manager that is ordered to stop does" 0 "$rm" "$T/creel-rm.log"
agent 2
second=$last
becomes "a second agent starts meanwhile" 30 sh -c "[ \$(grep -c offers '$T/creel-nm.log') = 2 ]"
creel wait "$id" --timeout 60 >"$T/waited" 2>&1 & waits=$!
becomes "who asks for what was submitted before" 30 connects "$waits"
rm_by_hand
becomes "both agents connect" 60 nodes_running_is 2
ends "who asked gets the answer" 0 "$waits" "$T/waited"
exits "a job of both" 0 creel run -N 4 -m 16M -- true
check "no agent was started again" kill -0 "$first" "$second"
exits "of several addresses the one that answers is taken" 0 creel --rm "127.0.0.1:1,$address" status "$id"

exits "a second agent on the same state refuses" 1 timeout 20 creel-nm --conf "$T/dev/agent-1/conf"
like "and who has it" "$first" "$OUTPUT"
exits "so does a second resource manager" 1 timeout 20 creel-rm --conf "$conf"
like "and who has it" "$rm" "$OUTPUT"
for pid in "$second" "$rm" "$first"; do
    kill "$pid"
    ends "a daemon that is ordered to stop ends well" 0 "$pid" "$T"/creel-*.log
done
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/creel-*.log)"
finish
