#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The log levels of the resource manager and of agents are shown and set while they run.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2
mapfile -t nodes < <(creel node list -o id)
first=${nodes[0]} second=${nodes[1]}

level() { creel admin log-level --json | jq -r --arg d "$1" '.items[] | select(.daemon == $d) | .level'; }
level_is() { [ "$(level "$1")" = "$2" ]; }
debug_lines() { grep -c ' debug ' "$1"; }
has_debug() { [ "$(debug_lines "$1")" -gt 0 ]; }

becomes "creel admin log-level shows the level of an agent" 30 level_is "$second" info
is "creel admin log-level shows the level of the resource manager" info "$(level rm)"
like "creel admin log-level prints a table" "^$first +info" "$(creel admin log-level "$first")"
is "creel admin log-level with a node prints this node only" "$first" "$(creel admin log-level "$first" -o id)"

rm_log=$T/dev/rm/log
exits "creel admin log-level rm debug exits with 0" 0 creel admin log-level rm debug
is "the resource manager has the new level at once" debug "$(level rm)"
exits "a job succeeds at the level debug" 0 creel run -m 32M -- true
becomes "the log of the resource manager has debug lines" 20 has_debug "$rm_log"
is "the log of an agent has no debug lines" 0 "$(debug_lines "$T/dev/agent-1/log")"
like "the change of the level is an audit line" "audit USER=root.*OPERATION=setLogLevel.*TARGET=rm.*RESULT=SUCCESS" "$(cat "$rm_log")"
exits "creel admin log-level rm info exits with 0" 0 creel admin log-level rm info

exits "creel admin log-level accepts one node" 0 creel admin log-level "$first" error
becomes "the agent has the new level" 20 level_is "$first" error
is "the other agent keeps its level" info "$(level "$second")"
exits "creel admin log-level nodes exits with 0" 0 creel admin log-level nodes warning
becomes "the first agent has the level of all nodes" 20 level_is "$first" warn
becomes "the second agent has the level of all nodes" 20 level_is "$second" warn
is "the resource manager keeps its level" info "$(level rm)"
rm=$(pid_of rm)
kill_nine "$rm"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
becomes "agents keep their level when the resource manager is restarted" 30 level_is "$second" warn
agent=$(pid_of agent)
kill -HUP "$agent"
becomes "an agent has the level of its configuration again after SIGHUP" 20 \
    sh -c "creel admin log-level --json | jq -e '[.items[] | select(.role == \"agent\") | .level] | sort == [\"info\", \"warn\"]'"

exits "a level without a daemon is refused" 2 creel admin log-level debug
like "the error for a level without a daemon has the usage" "of which daemon\\? creel admin log-level rm\\|nodes\\|NODE... debug" "$OUTPUT"
exits "the level of an unknown node exits with 3" 3 creel admin log-level nowhere:1 debug
exits "creel admin log-level with an unknown level is a usage error" 2 creel admin log-level rm loud
like "the error lists the levels" 'loud is no node, and no level: error, warn, info or debug' "$OUTPUT"
is "a refused command changes no level" info "$(level rm)"
finish
