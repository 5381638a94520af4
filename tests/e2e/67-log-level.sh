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

becomes "all levels are shown" 30 level_is "$second" info
is "that of the resource manager, too" info "$(level rm)"
like "as a table" "^$first +info" "$(creel admin log-level "$first")"
is "of the named daemons only" "$first" "$(creel admin log-level "$first" -o id)"

rm_log=$T/dev/rm/log
exits "the level of the resource manager is set" 0 creel admin log-level rm debug
is "at once" debug "$(level rm)"
exits "a job runs" 0 creel run -m 32M -- true
becomes "its log has lines of that level" 20 has_debug "$rm_log"
is "that of an agent does not" 0 "$(debug_lines "$T/dev/agent-1/log")"
like "the change is an audit line" "audit USER=root.*OPERATION=setLogLevel.*TARGET=rm.*RESULT=SUCCESS" "$(cat "$rm_log")"
exits "it is set back" 0 creel admin log-level rm info

exits "the level of one agent is set" 0 creel admin log-level "$first" error
becomes "with its next heartbeat" 20 level_is "$first" error
is "the other one stays" info "$(level "$second")"
exits "those of all agents are set" 0 creel admin log-level nodes warning
becomes "on the first" 20 level_is "$first" warn
becomes "and the second" 20 level_is "$second" warn
is "the resource manager stays" info "$(level rm)"
rm=$(pid_of rm)
kill_nine "$rm"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
becomes "a restart of the resource manager keeps those of agents" 30 level_is "$second" warn
agent=$(pid_of agent)
kill -HUP "$agent"
becomes "an agent that reads its configuration again has its level" 20 \
    sh -c "creel admin log-level --json | jq -e '[.items[] | select(.role == \"agent\") | .level] | sort == [\"info\", \"warn\"]'"

exits "a level without a daemon is refused" 2 creel admin log-level debug
like "with the usage" "of which daemon\\? creel admin log-level rm\\|nodes\\|NODE... debug" "$OUTPUT"
exits "a node that is not known" 3 creel admin log-level nowhere:1 debug
exits "a level that does not exist is a node that is not known" 3 creel admin log-level rm loud
is "then nothing is changed" info "$(level rm)"
finish
