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

becomes "the metrics count both nodes as heard" 30 metric_is creel_nodes_heard 2
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
becomes "the metric of running nodes that are heard of does not" 30 metric_is creel_nodes_heard 1
like "the overview names it" "1 node is silent, longest $node" "$(curl -s "$web/cluster" | tr -d '\n')"
like "its page has the time left" 'Its agent is silent for [0-9]+ s; counts as lost in [0-9]+ min' "$(curl -s "$web/cluster/node/$node")"
page=$(curl -s "$web/cluster/app/$id" | tr -d '\n')
like "the page of the job has the sentence of creel status" "node $node, where it has containers, is silent for" "$page"
like "... and marks its containers there" "$node.{1,80}silent for [0-9]+ s; counts as lost in [0-9]+ min" "$page"
rest() { curl -s "$web/ws/v1/cluster/nodes/$node" | jq -r "[.node.state, .node.creelSilent, (.node.creelLostAtMs // 0) > 0] | join(\" \")"; }
is "REST marks the node, in YARN's state" "RUNNING true true" "$(rest)"
others=$(for _ in 1 2 3 4; do creel submit --id -m 64M -- sleep 600; done)
all_run() { local other; for other in $others; do [ "$(state "$other")" = RUNNING ] || return 1; done; }
becomes "jobs that are submitted now run: none of them waits for the silent node" 30 all_run

check "a silent node can be drained" creel node drain "$node" --reason "new disk"
like "creel node list then has the silence, and the reason of the drain" 'silent for [0-9]+s; counts as lost in [0-9ms ]+; [^ ]+: new disk' "$(creel node list -o csv)"
check "... and undrained" creel node undrain "$node"

last() { creel node list --json | jq -r --arg n "$node" '.items[] | select(.nodeId == $n) | .lastHeartbeatMs'; }
before=$(last)
like "creel node list has the time of its last heartbeat" "^[0-9]{13}$" "$before"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" -n 2 >"$T/up-again.log" 2>&1
check "the node is silent right after a restart of the resource manager" silent
is "... since its last heartbeat before" "$before" "$(last)"

kill -CONT "$agent"
well() { creel cluster health >/dev/null && ! silent; }
becomes "the node is not silent any more when its agent goes on" 40 well
becomes "the metric counts none" 30 metric_is creel_nodes_silent 0
is "REST does not mark the node any more" "RUNNING false false" "$(rest)"
# All agents are silent.
agents=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "agent") | .pid')
# shellcheck disable=SC2086 # several process ids
kill -STOP $agents
nodes_check() { creel cluster health -o wide | grep -E '^nodes '; }
nodes_check_is() { nodes_check | grep -qE "^nodes +$1"; }
becomes "the check nodes fails when all nodes are silent" 40 nodes_check_is failed
like "it says that no node is heard of" 'no node is heard of: 2 count as running, and all are silent .*see the check silent-nodes' "$(nodes_check)"
like "creel submit --test-only says that no node could run a job, since they are silent" 'NoNodes: no node in service could run it, and 2 out of service could, of which 2 are silent' \
    "$(creel submit --test-only -m 16M -- true 2>&1)"
exits "creel cluster health exits with 9 then" 9 creel cluster health --quiet
becomes "no running node is heard of, says the metric of the alert" 30 metric_is creel_nodes_heard 0
# shellcheck disable=SC2086
kill -CONT $agents
becomes "the check is ok when the agents go on" 40 nodes_check_is 'ok +2 nodes are running'
# A container that does not end as long as its agent is stopped is listed, though its application has ended.
late=$(creel submit --id -m 16M -- sleep 600)
becomes "another job runs" 30 state_is "$late" RUNNING
on=$(creel container list --app "$late" --json | jq -r '.items[0].nodeId')
agent=$(creel dev status --dir "$T/dev" --json | jq -r --argjson p "${on##*:}" '.items[] | select(.role == "agent" and .ports.agent == $p) | .pid')
kill -STOP "$agent"
check "it is killed while its agent is stopped" creel kill "$late"
becomes "it is KILLED" 30 state_is "$late" KILLED
states_of() { creel container list --json | jq -r --arg a "$1" '[.items[] | select(.appId == $a).state] | join(" ")'; }
is "creel container list has its container, which is still being stopped" STOPPING "$(states_of "$late")"
kill -CONT "$agent"
is_gone() { [ -z "$(states_of "$late")" ]; }
becomes "the list lacks it when it has ended" 40 is_gone
is "all containers still run" 5 "$(running_containers "$id")"

# A node without containers whose agent ends while the resource manager is down is missed after the start.
check "all jobs are killed" creel kill "$id" $others
becomes "no container is left" 60 count_is 0 container list
agent=$(creel dev status --dir "$T/dev" --json | jq -r --argjson p "$port" '.items[] | select(.role == "agent" and .ports.agent == $p) | .pid')
kill_nine "$(pid_of rm)" "$agent"
trap 'kill -9 $(jobs -p) 2>/dev/null; cleanup' EXIT
creel-rm --conf "$T/dev/conf" >>"$T/creel-rm.log" 2>&1 &
becomes "the other node registers after the start" 60 nodes_running_is 1
becomes "the node is silent" 60 silent
like "health names it" "silent-nodes +warning +1 node is silent: $node" "$(creel cluster health)"
finish
