#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Many agents and one resource manager: all agents register, a hundred jobs run, and after a kill of the resource
# manager all agents register again. bench/many-agents simulates the agents: it reports containers without running them.
. "$(dirname "$0")/lib.sh"
MANY=150
trap 'kill "$many" 2>/dev/null; cleanup' EXIT
cluster_up -n 1
port=$(value .ports.agent dev status --dir "$T/dev")
"$BUILD/bench/many-agents" "$T/dev/keys" "127.0.0.1:$port" "$MANY" 600 >"$T/many" 2>&1 & many=$!
becomes "all agents register" 60 nodes_running_is $((MANY + 1))
like "creel cluster info counts the nodes" "Nodes: +$((MANY + 1)) running" "$(creel cluster info)"
is "creel node list has each node once" \
    $((MANY + 1)) "$(creel node list --json | jq '[.items[].nodeId] | unique | length')"

seq 100 | xargs -P 8 -I{} creel submit --id -m 16M -- true >"$T/jobs" 2>&1
all=$(wc -l <"$T/jobs")
is "a hundred jobs are accepted" 100 "$(grep -c '^application_' "$T/jobs")"
ended_is() { count_is "$1" app list --state FINISHED; }
becomes "all $all jobs are FINISHED" 120 ended_is "$all"
is "each job succeeded in its first attempt" "$all" "$(creel app list --json | jq '[.items[] | select(.finalStatus == "SUCCEEDED" and .attempt == 1)] | length')"
nodes_of() { creel app list -o id | head -40 | while read -r app; do creel app containers "$app" --json; done | jq -r '.items[].nodeId' | sort -u; }
is "the jobs run on more than ten nodes" true "$([ "$(nodes_of | wc -l)" -gt 10 ] && echo true || nodes_of)"

kill_nine "$(pid_of rm)"
check "the resource manager is killed and started again" creel dev up --dir "$T/dev" -n 1
becomes "all agents register again" 60 nodes_running_is $((MANY + 1))
exits "a new job succeeds after the restart" 0 creel submit --wait -m 16M -- true
check "the simulated agents still run" kill -0 "$many"
is "the simulated agents print no error" "all are registered" "$(cat "$T/many")"
finish
