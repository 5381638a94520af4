#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A node whose agent is stopped is shown as silent within seconds by commands, metrics and pages, long before it counts
# as lost; and no longer when the agent goes on.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2
id=$(creel submit --id -N 4 -m 16M -- sleep 600)
becomes "a job runs" 60 running_is "$id" 5
exits "creel cluster health is content with a whole cluster" 0 creel cluster health
node=$(creel node list --json | jq -r '.items[1].nodeId')
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
port=${node##*:}
agent=$(creel dev status --dir "$T/dev" --json | jq -r --argjson p "$port" '.items[] | select(.role == "agent" and .ports.agent == $p) | .pid')
metric() { curl -s "$web/metrics" | sed -n "s/^$1 //p"; }
metric_is() { [ "$(metric "$1")" = "$2" ]; }
becomes "the metrics count no silent node" 30 metric_is creel_nodes_silent 0

kill -STOP "$agent"
silent() { creel node list --json | jq -e --arg n "$node" '.items[] | select(.nodeId == $n) | .lostInMs > 0'; }
becomes "a node whose agent is stopped is silent" 40 silent
like "creel node list says for how long, and when it counts as lost" 'silent for [0-9]+s; counts as lost in [0-9]+m' "$(creel node list)"
like "so does creel node show" 'silent for [0-9]+s; counts as lost in [0-9]+m' "$(creel node show "$node")"
is "its state is that of YARN" RUNNING "$(creel node list --json | jq -r --arg n "$node" '.items[] | select(.nodeId == $n) | .state')"
exits "creel cluster health exits with 1" 1 creel cluster health
like "... and names the node" "silent-nodes +warning +1 node is silent: $node" "$(creel cluster health)"
like "creel why of a job that runs there names the node" "node $node, where it has containers, is silent for" "$(creel why "$id")"
like "so does creel status" "node $node, where it has containers, is silent for" "$(creel status "$id")"
becomes "the metric counts it" 30 metric_is creel_nodes_silent 1
like "the overview names it" "1 node is silent, longest $node" "$(curl -s "$web/cluster" | tr -d '\n')"
like "its page names the time left" 'Its agent is silent. The node counts as lost in' "$(curl -s "$web/cluster/node/$node")"
others=$(for _ in 1 2 3 4; do creel submit --id -m 64M -- sleep 600; done)
all_run() { local other; for other in $others; do [ "$(state "$other")" = RUNNING ] || return 1; done; }
becomes "jobs that are submitted now run: none of them waits for the silent node" 30 all_run

kill -CONT "$agent"
well() { creel cluster health >/dev/null && ! silent; }
becomes "the node is not silent any more when its agent goes on" 40 well
becomes "the metric counts none" 30 metric_is creel_nodes_silent 0
is "all containers still run" 5 "$(running_containers "$id")"
finish
