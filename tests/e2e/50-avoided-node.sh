#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A node on which the launches of different applications fail one after another is avoided for a while.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2
becomes "both nodes are RUNNING" 30 nodes_running_is 2

# On the node that gets jobs while both are empty, directories of containers cannot be made any more.
creel run --quiet -m 32M -- true
first=$(value .masterNodeId status 1)
log=$(grep -l "node $first: registered" "$T"/dev/agent-*/log)
rm -rf "${log%/log}/local/usercache"
: >"${log%/log}/local/usercache"
broken() { creel node list --json | jq -r '.items[] | select(.state == "UNHEALTHY") | .nodeId'; }
exits "an allocation gets its containers from the other node" 0 timeout 100 creel alloc -N 3 -m 32M -- creel run -N 3 -- true
submitted=0 failed=0
while [ "$submitted" -lt 20 ] && [ -z "$(broken)" ]; do
    creel run --quiet -m 32M -- true >/dev/null 2>&1 || failed=$((failed + 1))
    submitted=$((submitted + 1))
done
is "jobs that this node could not start run on the other one" 0 "$failed"
exits "tasks that this node could not start run on the other one" 0 creel run --quiet -N 4 -m 32M -- true
node=$(broken)
is "the node on which launches fail is UNHEALTHY" "$first" "$node"
like "creel node show names the failed launches" 'avoided for 5 minutes: launches of 3 applications failed one after another; the last was container_' "$(creel node show "$node")"
for i in 1 2 3; do
    exits "job $i succeeds while that node is avoided" 0 creel run --quiet -m 32M -- true
done
finish
