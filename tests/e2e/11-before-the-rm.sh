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
becomes "all daemons are stopped" 20 sh -c "! creel dev status --dir '$T/dev' --json | jq -e '.items[] | select(.pid)'"

by_hand() { "$@" >>"$T/$1.log" 2>&1 & last=$!; }
agent() { by_hand creel-nm --conf "$T/dev/agent-$1/conf"; }
rm_by_hand() { by_hand creel-rm --conf "$conf"; rm=$last; }
# A process that has the threads of ZeroMQ has begun to connect.
connects() { [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -gt 1 ]; }

agent 1
first=$last
becomes "an agent starts without a resource manager" 30 grep -q 'offers' "$T/creel-nm.log"
creel submit --timeout 60 --id -- sh -c 'echo it ran' >"$T/submitted" 2>&1 & submit=$!
creel node list --timeout 60 -o id >"$T/listed" 2>&1 & list=$!
becomes "creel submit waits for a resource manager" 30 connects "$submit"
becomes "creel node list waits for a resource manager" 30 connects "$list"
exits "creel ps --timeout 1 exits with 5 without a resource manager" 5 creel ps --timeout 1
like "the error of creel ps names the address, creel-rm and --rm" \
    "$address: .*is creel-rm running there.*--rm" "$OUTPUT"
check "the agent, creel submit and creel node list still wait" kill -0 "$first" "$submit" "$list"
rm_by_hand
ends "creel submit succeeds when the resource manager starts" 0 "$submit" "$T/submitted"
ends "creel node list succeeds when the resource manager starts" 0 "$list" "$T/listed"
id=$(cat "$T/submitted")
like "creel submit prints the application id" '^application_[0-9]+_0001$' "$id"
becomes "the waiting agent registers" 30 nodes_running_is 1
exits "the job submitted before the start of the resource manager ends" 0 creel wait "$id" --timeout 60
is "creel logs prints the output of the job submitted before that start" "it ran" "$(creel logs "$id")"
check "the agent was not restarted" kill -0 "$first"

# Another order: the resource manager ends, an agent starts, the resource manager starts again with the same state.
kill "$rm"
ends "the resource manager exits with 0 on SIGTERM" 0 "$rm" "$T/creel-rm.log"
agent 2
second=$last
becomes "a second agent starts while the resource manager is down" 30 \
    sh -c "[ \$(grep -c offers '$T/creel-nm.log') = 2 ]"
creel wait "$id" --timeout 60 >"$T/waited" 2>&1 & waits=$!
becomes "creel wait waits for the resource manager" 30 connects "$waits"
rm_by_hand
becomes "both agents register with the restarted resource manager" 60 nodes_running_is 2
ends "creel wait exits with 0 when the resource manager is back" 0 "$waits" "$T/waited"
exits "a job of four tasks succeeds" 0 creel run -N 4 -m 16M -- true
check "neither agent was restarted" kill -0 "$first" "$second"
exits "the client uses the address of --rm that replies" 0 creel --rm "127.0.0.1:1,$address" status "$id"

exits "a second agent with the same state directory does not start" 1 \
    timeout 20 creel-nm --conf "$T/dev/agent-1/conf"
like "the second agent names the process of the running agent" "$first" "$OUTPUT"
exits "a second resource manager with the same state directory does not start" 1 \
    timeout 20 creel-rm --conf "$conf"
like "the second resource manager names the process of the running one" "$rm" "$OUTPUT"
for pid in "$second" "$rm" "$first"; do
    kill "$pid"
    ends "a daemon exits with 0 on SIGTERM" 0 "$pid" "$T"/creel-*.log
done
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/creel-*.log)"
finish
