#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A gateway that hangs is killed and replaced within seconds, that of the resource manager as that of an agent: nodes and jobs
# go on, and log, health and metrics name it. A daemon that was stopped itself kills none.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
url() { creel dev status --dir "$T/dev" --json | jq -r --arg r "$1" --arg p "$2" '.items[] | select(.role == $r) | "http://127.0.0.1:\(.ports[$p])/metrics"'; }
web=$(url web web) agent=$(url agent http)
metric() { curl -s "$1" | awk -v name="$2" 'index($0, name " ") == 1 { print $NF }'; }
metric_is() { [ "$(metric "$1" "$2")" = "$3" ]; }
gateways_of() { pgrep -P "$1" -x "$2" | sort; }
text_of() { creel cluster health --json | jq -r '.items[] | select(.check == "gateways") | .result + ": " + .text'; }
well() { nodes_running_is 1 && [ "$(creel cluster health --json | jq -r '.items[] | select(.check == "silent-nodes").result')" = ok ]; }
works() { creel ps --timeout 2 && creel container exec "$(first_container "$id")" -- true; }
replaced() { local pid; for pid in $1; do gone "$pid" || return 1; done; [ -n "$(gateways_of "$2" "$3")" ]; }
lines() { grep -cE "$2" "$1"; }
killed='did not answer for [0-9]+\.[0-9]+ s: it is killed'

id=$(creel submit --id -m 64M -- sleep 100000)
becomes "a job runs" 60 state_is "$id" RUNNING
rm=$(pid_of rm) nm=$(pid_of agent) rm_log=$T/dev/rm/log nm_log=$T/dev/agent-1/log
becomes "the metric of the resource manager counts no death" 30 metric_is "$web" creel_gateway_deaths_total 0
is "that of the agent counts none" 0 "$(metric "$agent" 'creel_agent_gateway_deaths_total{process="creel-gateway"}')"

# --- a daemon that is stopped for longer than its gateways may hang
before=$(gateways_of "$rm" creel-gateway)
kill -STOP "$rm"
# This test has to sleep here: a stopped process has no state that could be polled.
read -rt 14 <> <(:) || true
kill -CONT "$rm"
becomes "the resource manager works after it was stopped" 30 works
is "it has killed none of its gateways" "$before" "$(gateways_of "$rm" creel-gateway)"

# --- the gateways of the resource manager hang
# shellcheck disable=SC2086 # several
kill -STOP $before
becomes "gateways of the resource manager that hang are replaced" 20 replaced "$before" "$rm" creel-gateway
becomes "creel works again" 30 works
becomes "the node goes on" 60 well
check "the job still runs" state_is "$id" RUNNING
is "the log has one line for each" "$(wc -w <<<"$before")" "$(lines "$rm_log" "gateway [0-9]: process [0-9]+ $killed")"
like "with its process" "gateway [0-9]: process ${before%%$'\n'*} did not answer" "$(cat "$rm_log")"
like "health names it" '^warning: gateways have ended .*\(did not answer for [0-9]+ s, killed\)' "$(text_of)"
becomes "the metric counts them" 30 metric_is "$web" creel_gateway_deaths_total "$(wc -w <<<"$before")"

# --- the processes of the agent hang
gateway=$(gateways_of "$nm" creel-gateway) server=$(gateways_of "$nm" creel-nm-web)
kill -STOP "$gateway"
becomes "the gateway of an agent that hangs is replaced" 20 replaced "$gateway" "$nm" creel-gateway
becomes "creel container exec works again" 30 works
like "the log of the agent has a line for it" " gateway 0: process $gateway $killed" "$(cat "$nm_log")"
becomes "the metric of the agent counts it" 30 metric_is "$agent" 'creel_agent_gateway_deaths_total{process="creel-gateway"}' 1
kill -STOP "$server"
becomes "its REST server that hangs is replaced" 20 replaced "$server" "$nm" creel-nm-web
becomes "its metric counts it" 30 metric_is "$agent" 'creel_agent_gateway_deaths_total{process="creel-nm-web"}' 1
like "and the log" "creel-nm-web 0: process $server $killed" "$(cat "$nm_log")"
is "no daemon was restarted" "$rm $nm" "$(pid_of rm) $(pid_of agent)"
check "the job ran all the time" state_is "$id" RUNNING
finish
