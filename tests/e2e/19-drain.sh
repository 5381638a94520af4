#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Nodes are drained with and without a deadline, decommissioned by a command and by a list of hosts, and resized,
# with restarts of the resource manager and of agents.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
notice_ms=2000
: >"$T/conf/exclude"
cat >"$T/conf/creel-site.xml" <<X
<configuration>
  <property><name>yarn.resourcemanager.nodemanagers.heartbeat-interval-ms</name><value>200</value></property>
  <property><name>creel.resourcemanager.drain-notice-ms</name><value>$notice_ms</value></property>
  <property><name>yarn.resourcemanager.nodes.exclude-path</name><value>$T/conf/exclude</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>512</value></property>
  <property><name>yarn.resourcemanager.node-removal-untracked.timeout-ms</name><value>2000</value></property>
</configuration>
X
cluster_up -n 3 --conf "$T/conf"
mapfile -t nodes < <(creel node list -o id)
is "the cluster has three nodes" 3 "${#nodes[@]}"

node() { creel node list --json | jq -r --arg n "$1" ".items[] | select(.nodeId == \$n) | $2"; }
node_is() { [ "$(node "$1" .state)" = "$2" ]; }
agent_of() { creel dev status --dir "$T/dev" --json | jq -r --arg p "${1##*:}" '.items[] | select(.role == "agent" and ([.ports[]? | tostring] | index($p))) | .pid'; }
on_node() { count container list --node "$1" --live; }
restart_rm() {
    local pid
    pid=$(pid_of rm)
    kill_nine "$pid"
    wait_until 10 gone "$pid"
    creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1 || [ $# = 1 ] || fail "the resource manager starts again" "$(cat "$T/up.log")"
}

cat >"$T/task" <<S
#!/bin/bash
index=\$CREEL_TASK_INDEX
save() { cp "\$CREEL_PREEMPT_FILE" $T/out/notice.\$index; echo saved >$T/out/saved.\$index; exit 0; }
if [ \$((index % 2)) = 1 ]; then trap save USR1; else trap '' USR1 TERM; fi
echo "\$CREEL_NODE_ID" >>$T/out/ran.\$index
while [ ! -e $T/out/go ] && [ ! -e $T/out/go.\$index ]; do read -rt 0.1 <> <(:); done
exit 0
S
chmod +x "$T/task"
job=$(creel submit --id -N 9 -m 64M --preempt-signal USR1 -- "$T/task")
becomes "a job of nine tasks runs" 60 running_is "$job" 10
master=$(value .masterNodeId status "$job")
others=()
for n in "${nodes[@]}"; do [ "$n" = "$master" ] || others+=("$n"); done
victim=${others[0]} second=${others[1]}

# Ranges of hosts. (The nodes are on one host, so that the range is that of ports.)
host=${victim%:*}
range="$host:[${others[0]##*:},${others[1]##*:}]"
like "creel node list --summary has a row for each state" \
    "^RUNNING +3 .*${host}" "$(creel node list --summary)"
is "creel node show accepts the host range of the summary" 3 \
    "$(creel node show "$(value .hosts node list --summary)" -o id | sort -u | wc -l)"
is "creel node show of a host range shows all its nodes" "$(printf '%s\n' "$victim" "$second" | sort)" "$(creel node show "$range" -o id | sort)"
exits "creel node drain of a host range with an unknown node exits with 3" 3 creel node drain "$range" "nowhere[1-2]" --reason x
is "no node was drained: the summary has one state" 1 "$(count node list --summary)"
exits "creel node resources accepts a host range" 0 creel node resources "$range" vcores=3
is "all nodes of the host range have the new size" \
    "3 3" "$(echo "$(node "$victim" .total.vcores)" "$(node "$second" .total.vcores)")"
exits "creel node resources default accepts a host range" 0 creel node resources "$range" default
exits "a malformed host range is a usage error" 2 creel node drain "n[3-1]" --reason x
like "the error for a malformed host range has an example" "expected hosts, as n7 or n\[1-40\]" "$OUTPUT"

# Invalid arguments change nothing.
exits "creel node drain without --reason is a usage error" 2 creel node drain "$victim"
exits "creel node drain with an unknown node exits with 3" 3 creel node drain "$victim" nowhere:1 --reason x
like "the error of creel node drain names the unknown node" "node nowhere:1: not known here" "$OUTPUT"
is "no node was drained: the first one is RUNNING" RUNNING "$(node "$victim" .state)"
exits "--deadline with --no-deadline is a usage error" 2 \
    creel node drain "$victim" --reason x --deadline 1h --no-deadline
exits "a malformed --deadline is a usage error" 2 creel node drain "$victim" --reason x --deadline soon
exits "creel node drain of a host with several nodes exits with 3" 3 \
    creel node drain "${victim%:*}" --reason x
like "the error of creel node drain reports that the host has several nodes" "has several nodes" "$OUTPUT"
exits "creel node undrain of a node that is not drained exits with 0" 0 creel node undrain "$victim"

# Without a deadline: no new containers, and the running ones may finish.
before=$(on_node "$victim")
exits "creel node drain exits with 0" 0 creel node drain "$victim" --reason "new disk"
like "creel node drain prints the number of remaining containers" \
    "DRAINING, $before containers? left" "$OUTPUT"
is "the node has the reason of the drain" "new disk" "$(node "$victim" .adminState.reason)"
is "the node has the user of the drain" \
    "$(creel cluster info --json | jq -r .items[0].user)" "$(node "$victim" .adminState.by)"
is "the drain has no deadline" null "$(node "$victim" .adminState.deadlineMs)"
like "creel node list -R shows state, containers and reason" \
    "$victim +DRAINING +$before .*new disk" "$(creel node list -R)"
like "creel node list shows the remaining containers and the reason" \
    "$before containers? left; .*new disk" "$(creel node list)"
like "creel node show prints the remaining containers" \
    "^Remaining: +$before container" "$(creel node show "$victim")"
small=$(creel submit --id -N 4 -m 32M -- sh -c "echo \$CREEL_NODE_ID >>$T/out/small; sleep 0.2")
exits "a job that is submitted during the drain ends" 0 creel wait "$small" --timeout 60
is "no task of that job runs on the draining node" 0 "$(grep -c "$victim" "$T/out/small")"
is "the containers of the draining node continue" "$before" "$(on_node "$victim")"
big=$(creel submit --id -m 512M -- true)
becomes "creel why names the drained node, which is large enough for a pending job" 30 sh -c "creel why $big | grep -q 'is drained ($victim \"new disk\"), large enough'"
like "creel why names the command that ends the drain" "creel node undrain $victim" "$(creel why "$big")"
is "creel why --json counts the drained node" 1 "$(creel why "$big" --json | jq '.items[0].reasons[] | select(.code == "Nodes") | .passedOver[] | select(.reason == "Drained") | .largeEnough')"
creel kill "$big" >/dev/null 2>&1

# The resource manager is killed: the node stays in the drain.
restart_rm
becomes "all three nodes send heartbeats after a restart of the resource manager" 30 sh -c "[ \$(creel node list --json | jq '[.items[] | select(.lastHeartbeatMs > 0)] | length') = 3 ]"
becomes "the node is still DRAINING after the restart" 30 node_is "$victim" DRAINING
is "the reason of the drain is kept over the restart" "new disk" "$(node "$victim" .adminState.reason)"
becomes "the containers of the draining node continue after the restart" 30 \
    count_is "$before" container list --node "$victim" --live

# The agent is killed: the node stays in the drain, and its containers run.
pid=$(agent_of "$victim")
kill_nine "$pid"
wait_until 10 gone "$pid"
creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1
becomes "the agent of the draining node sends heartbeats after its restart" 30 sh -c "[ \$(creel node list --json | jq -r '.items[] | select(.nodeId == \"$victim\") | (now * 1000 - .lastHeartbeatMs) < 2000') = true ]"
is "the node is still DRAINING after the restart of its agent" DRAINING "$(node "$victim" .state)"
is "the containers of the node continue after the restart of its agent" "$before" "$(on_node "$victim")"

# With a deadline: containers get notice, save their state or not, are killed, and run again on other nodes.
exits "creel node drain --wait ends after --timeout with status 124" 124 \
    creel node drain "$victim" --reason "new disk" --wait --timeout 1
creel node drain "$victim" --reason "new disk" --deadline 1s --wait >"$T/drained" 2>&1 &
waiting=$!
ends "creel node drain --wait exits with 0 at the end of the drain" 0 "$waiting" "$T/drained"
like "creel node drain --wait prints that the node is DRAINED" "$victim: DRAINED" "$(cat "$T/drained")"
is "the node is DRAINED and has no container" "DRAINED 0" "$(node "$victim" .state) $(on_node "$victim")"
ended=$(creel container list --app "$job" --json | jq -c --arg n "$victim" '[.items[] | select(.nodeId == $n and .state == "COMPLETE")]')
is "all containers of the drained node end as preempted (-102)" \
    "[-102]" "$(jq -c '[.[].exitStatus] | unique' <<<"$ended")"
like "the diagnostics of containers on the drained node name the drain and its reason" "node $victim is being drained by .*: new disk" "$(jq -r '.[].diagnostics' <<<"$ended")"
notified=$(find "$T/out" -name 'notice.*' | wc -l)
saved=$(find "$T/out" -name 'saved.*' | wc -l)
check "some tasks handle the signal and save their state ($saved)" [ "$saved" -gt 0 ]
is "each notice has the reason of the drain" "$notified" "$(cat "$T"/out/notice.* | jq -s 'map(select(.reason | test("new disk"))) | length')"
becomes "the tasks of the drained node run on other nodes" 60 running_is "$job" 10
is "the job is still in its first attempt" 1 "$(creel status "$job" --json | jq .items[0].attempt)"
exits "creel node drain of a drained node exits with 0" 0 \
    creel node drain "$victim" --reason "new disk" --wait
exits "creel node undrain of the drained node exits with 0" 0 creel node undrain "$victim"
is "the node is RUNNING after the undrain" RUNNING "$(node "$victim" .state)"

# Decommissioned: the agent is ordered to stop.
pid=$(agent_of "$victim")
exits "creel node decommission of an empty node exits with 0" 0 \
    creel node decommission "$victim" --reason sold --kill-now --wait
is "the node is DECOMMISSIONED" DECOMMISSIONED "$(node "$victim" .state)"
becomes "the agent of the decommissioned node stops" 20 gone "$pid"
exits "creel node drain of a decommissioned node is refused" 6 creel node drain "$victim" --reason x
exits "creel node undrain of a decommissioned node is refused" 6 creel node undrain "$victim"
like "the error of creel node undrain names creel node recommission" "creel node recommission" "$OUTPUT"
restart_rm wrongly                       # the agent, started again, is refused
becomes "the node is still DECOMMISSIONED after a restart of the resource manager" 30 \
    node_is "$victim" DECOMMISSIONED
exits "creel node recommission exits with 0" 0 creel node recommission "$victim"
like "creel node recommission suggests to start the agent again" "start its agent again" "$OUTPUT"
creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1
becomes "the recommissioned node is RUNNING" 30 node_is "$victim" RUNNING

# A list of hosts.
list=$T/conf/exclude
echo "$second # out" >"$list"
exits "creel admin refresh nodes -g reads an exclude list with a node" 0 creel admin refresh nodes -g 600
like "... and prints what it changes for the host" "host $second: not listed -> excluded" "$OUTPUT"
like "... and for the node" "node $second: RUNNING -> DECOMMISSIONING \(ends in 10m\)" "$OUTPUT"
exits "another refresh of the same list is accepted" 0 creel admin refresh nodes -g 600
like "... and nothing changed" "; nothing changed$" "$OUTPUT"
is "the excluded node is DECOMMISSIONING" DECOMMISSIONING "$(node "$second" .state)"
is "the source of the decommissioning is the list of hosts" hosts "$(node "$second" .adminState.source)"
is "the deadline of the decommissioning is ten minutes after its begin" \
    true "$(node "$second" '(.adminState.deadlineMs - .adminState.sinceMs) == 600000')"
exits "creel node recommission of an excluded node is refused" 6 creel node recommission "$second"
: >"$list"
exits "creel admin refresh nodes -g reads the emptied exclude list" 0 creel admin refresh nodes -g
is "the node that is no longer excluded is RUNNING" RUNNING "$(node "$second" .state)"
printf '<hosts>\n<host><name>%s</name>\n<timeout>soon</timeout></host></hosts>\n' "$second" >"$list.xml"
sed -i "s|conf/exclude<|conf/exclude.xml<|" "$T/conf/creel-site.xml"
exits "a refresh with an invalid exclude list is refused" 7 creel admin refresh nodes
like "the error for the invalid exclude list names file and line" "exclude.xml:3: timeout: \"soon\"" "$OUTPUT"
exits "creel conf check refuses the invalid exclude list" 7 creel conf check "$T/conf"
printf '<hosts><host><name>%s, elsewhere</name><timeout>3000</timeout></host></hosts>\n' "$second" >"$list.xml"
exits "creel admin refresh nodes -g reads an exclude list with a timeout" 0 creel admin refresh nodes -g 600
is "the deadline is that of the exclude list, not that of -g" \
    true "$(node "$second" '(.adminState.deadlineMs - .adminState.sinceMs) == 3000000')"
is "a host of the exclude list that is not known is DECOMMISSIONED" DECOMMISSIONED "$(node elsewhere .state)"
pid=$(agent_of "$second")
exits "creel admin refresh nodes without -g exits with 0" 0 creel admin refresh nodes
becomes "the excluded node is DECOMMISSIONED" 30 node_is "$second" DECOMMISSIONED
becomes "the agent of the excluded node stops" 20 gone "$pid"
echo '<hosts/>' >"$list.xml"
exits "creel admin refresh nodes reads an empty exclude list" 0 creel admin refresh nodes --json
is "the output counts the recommissioned node" 1 "$(jq .items[0].recommissioned <<<"$OUTPUT")"
like "... and has each change" "host $second: excluded \(timeout 50m\) -> not listed" "$(jq -r '.items[0].changes[]' <<<"$OUTPUT")"
creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1
becomes "the node is RUNNING when its agent has started again" 30 node_is "$second" RUNNING

# Resized nodes.
exits "creel node resources accepts a larger size" 0 creel node resources "$victim" mem=2g,vcores=32
is "creel node list has the larger size of the node" \
    "2048 32" "$(node "$victim" '"\(.total.memoryMb) \(.total.vcores)"')"
is "the node still has the size that its agent offers" 512 "$(node "$victim" .offered.memoryMb)"
becomes "the memory of the cluster includes the larger size" 30 sh -c "creel cluster info --json | jq -e '.items[0].total.memoryMb == 3072'"
big=$(creel submit --id -m 768M -- sh -c "while [ ! -e $T/out/go ]; do sleep 0.1; done")
becomes "a job that is too large for the other nodes runs" 30 running_is "$big" 1
is "the large job runs on the enlarged node" "$victim" "$(creel container list --app "$big" --json | jq -r '.items[] | select(.memoryMb == 768) | .nodeId')"
exits "creel node resources accepts a smaller size with --overcommit 0s" 0 \
    creel node resources "$victim" mem=256m --overcommit 0s
becomes "the container that is now too large is preempted" 30 sh -c "creel container list --app $big --json | jq -e '.items[] | select(.memoryMb == 768) | .exitStatus == -102'"
restart_rm
becomes "the smaller size is kept over a restart of the resource manager" 30 sh -c "[ \"\$(creel node list --json | jq -r '.items[] | select(.nodeId == \"$victim\") | .total.memoryMb')\" = 256 ]"
exits "a memory size of 1 MiB is refused" 1 creel node resources "$victim" mem=1m
exits "a malformed size is a usage error" 2 creel node resources "$victim" mem=lots
exits "creel node resources default exits with 0" 0 creel node resources "$victim" default
is "the node has the size that its agent offers" \
    "512 null" "$(node "$victim" '"\(.total.memoryMb) \(.offered.memoryMb)"')"

# The whole cluster.
exits "all nodes are drained for a reason" 2 creel admin drain-all --yes
exits "and not by mistake" 1 creel admin drain-all --reason move </dev/null
like "the number of nodes is named" "changes 3 nodes; add --yes" "$OUTPUT"
is "then none is drained" 3 "$(nodes_running)"
exits "a node that is drained already" 0 creel node drain "$victim" --reason "new disk"
exits "the others are drained" 0 creel admin drain-all --reason move --yes
is "each of them is named" 2 "$(grep -c "DRAIN" <<<"$OUTPUT")"
is "no node is in service" 0 "$(nodes_running)"
is "an earlier reason stays" "new disk move move" "$(creel node list --json | jq -r '[.items[].adminState.reason] | sort_by(. == "move") | join(" ")')"
exits "a second time there is nothing to do" 0 creel admin drain-all --reason move --yes
like "which is reported" "no node is in service" "$OUTPUT"
restart_rm --drained
is "a restart changes nothing" 0 "$(nodes_running)"
exits "a decommissioned node" 0 creel node decommission "$second" --reason sold --deadline 1h
exits "all drained nodes return" 0 creel admin undrain-all --yes
becomes "to service" 20 sh -c "[ \"\$(creel node list --json | jq '[.items[] | select(.state == \"RUNNING\")] | length')\" = 2 ]"
like "but the one that leaves" "DECOMMISSION" "$(node "$second" .state)"
exits "until it is taken back" 0 creel node recommission "$second"
exits "then no node is drained" 0 creel admin undrain-all
like "which is reported, too" "no node is drained" "$OUTPUT"

touch "$T/out/go"
creel kill "$big" >/dev/null 2>&1
exits "the job that ran during all drains ends" 0 creel wait "$job" --timeout 120

# SIGHUP, which systemctl reload sends, has the effect of creel admin refresh.
rm=$(pid_of rm) log=$T/dev/rm/log
printf '%s\n' "$master" "$victim" >"$T/conf/include"
sed -i "s|</configuration>|<property><name>yarn.resourcemanager.nodes.include-path</name><value>$T/conf/nowhere</value></property></configuration>|" "$T/conf/creel-site.xml"
kill -HUP "$rm"
becomes "the log reports that SIGHUP refused a list of hosts that cannot be read" 10 grep -q "lists of hosts not refreshed for SIGHUP, all stays as it was: .*$T/conf/nowhere" "$log"
is "all three nodes are still RUNNING after the refused SIGHUP" 3 "$(nodes_running)"
sed -i "s|$T/conf/nowhere|$T/conf/include|" "$T/conf/creel-site.xml"
pid=$(agent_of "$second")
kill -HUP "$rm"
becomes "the log reports that SIGHUP read the corrected list of hosts" 10 grep -q "lists of hosts refreshed for SIGHUP: 2 included, 0 excluded; of the nodes 0 leaving, 1 left" "$log"
like "the log names the changed key" "yarn.resourcemanager.nodes.include-path: \"$T/conf/nowhere\" -> \"$T/conf/include\"" "$(cat "$log")"
becomes "the agent of a node that is not in the include list stops" 20 gone "$pid"
becomes "creel node list no longer has the node that is not in the include list" 30 count_is 2 node list
like "the log reports that the node is forgotten" "node $second: forgotten" "$(cat "$log")"
becomes "no control group of a container is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
