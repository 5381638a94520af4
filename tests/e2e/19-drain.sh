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
is "there are three nodes" 3 "${#nodes[@]}"

node() { creel node list --json | jq -r --arg n "$1" ".items[] | select(.nodeId == \$n) | $2"; }
node_is() { [ "$(node "$1" .state)" = "$2" ]; }
agent_of() { creel dev status --dir "$T/dev" --json | jq -r --arg p "${1##*:}" '.items[] | select(.role == "agent" and ([.ports[]? | tostring] | index($p))) | .pid'; }
on_node() { count container list --node "$1" --live; }
restart_rm() {
    local pid
    pid=$(pid_of rm)
    kill_nine "$pid"
    wait_until 10 gone "$pid"
    creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1 || [ $# = 1 ] || fail "the resource manager is up again" "$(cat "$T/up.log")"
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
becomes "a job runs everywhere" 60 running_is "$job" 10
master=$(value .masterNodeId status "$job")
others=()
for n in "${nodes[@]}"; do [ "$n" = "$master" ] || others+=("$n"); done
victim=${others[0]} second=${others[1]}

# Ranges of hosts. (The nodes are on one host, so that the range is that of ports.)
host=${victim%:*}
range="$host:[${others[0]##*:},${others[1]##*:}]"
like "a summary has a row for each state" "^RUNNING +3 .*${host}" "$(creel node list --summary)"
is "with the nodes as a range, which is an argument" 3 \
    "$(creel node show "$(value .hosts node list --summary)" -o id | sort -u | wc -l)"
is "a range shows several nodes" "$(printf '%s\n' "$victim" "$second" | sort)" "$(creel node show "$range" -o id | sort)"
exits "a range with a node that is not known drains none" 3 creel node drain "$range" "nowhere[1-2]" --reason x
is "so that the summary has one state" 1 "$(count node list --summary)"
exits "a range is resized" 0 creel node resources "$range" vcores=3
is "and all its nodes are" "3 3" "$(echo "$(node "$victim" .total.vcores)" "$(node "$second" .total.vcores)")"
exits "and get their own size again" 0 creel node resources "$range" default
exits "a range that is no range is refused" 2 creel node drain "n[3-1]" --reason x
like "with an example" "expected hosts, as n7 or n\[1-40\]" "$OUTPUT"

# Invalid arguments change nothing.
exits "a reason is wanted" 2 creel node drain "$victim"
exits "and a node that is there" 3 creel node drain "$victim" nowhere:1 --reason x
like "which is named" "node nowhere:1: not known here" "$OUTPUT"
is "then none of them is drained" RUNNING "$(node "$victim" .state)"
exits "one deadline" 2 creel node drain "$victim" --reason x --deadline 1h --no-deadline
exits "that is a time" 2 creel node drain "$victim" --reason x --deadline soon
exits "a host with several nodes is not one of them" 3 creel node drain "${victim%:*}" --reason x
like "and they are named" "has several nodes" "$OUTPUT"
exits "who is not drained cannot be taken back wrongly" 0 creel node undrain "$victim"

# Without a deadline: no new containers, and the running ones may finish.
before=$(on_node "$victim")
exits "a node is drained" 0 creel node drain "$victim" --reason "new disk"
like "which reports what is left" "DRAINING, $before containers? left" "$OUTPUT"
is "with a reason" "new disk" "$(node "$victim" .adminState.reason)"
is "by somebody" "$(creel cluster info --json | jq -r .items[0].user)" "$(node "$victim" .adminState.by)"
is "without a deadline" null "$(node "$victim" .adminState.deadlineMs)"
like "the list of reasons has it" "$victim +DRAINING +$before .*new disk" "$(creel node list -R)"
like "as has the list of nodes" "$before containers? left; .*new disk" "$(creel node list)"
like "and what is shown of it" "^Remaining: +$before container" "$(creel node show "$victim")"
small=$(creel submit --id -N 4 -m 32M -- sh -c "echo \$CREEL_NODE_ID >>$T/out/small; sleep 0.2")
exits "other work is done elsewhere" 0 creel wait "$small" --timeout 60
is "not there" 0 "$(grep -c "$victim" "$T/out/small")"
is "what ran there runs" "$before" "$(on_node "$victim")"
big=$(creel submit --id -m 512M -- true)
becomes "who finds no room hears of it" 30 sh -c "creel why $big | grep -q 'is drained ($victim \"new disk\"), large enough'"
like "and what can be done about it" "creel node undrain $victim" "$(creel why "$big")"
is "in figures" 1 "$(creel why "$big" --json | jq '.items[0].reasons[] | select(.code == "Nodes") | .passedOver[] | select(.reason == "Drained") | .largeEnough')"
creel kill "$big" >/dev/null 2>&1

# The resource manager is killed: the node stays in the drain.
restart_rm
becomes "the nodes are back" 30 sh -c "[ \$(creel node list --json | jq '[.items[] | select(.lastHeartbeatMs > 0)] | length') = 3 ]"
becomes "it is drained on" 30 node_is "$victim" DRAINING
is "for the same reason" "new disk" "$(node "$victim" .adminState.reason)"
becomes "with what runs there" 30 count_is "$before" container list --node "$victim" --live

# The agent is killed: the node stays in the drain, and its containers run.
pid=$(agent_of "$victim")
kill_nine "$pid"
wait_until 10 gone "$pid"
creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1
becomes "its agent is back" 30 sh -c "[ \$(creel node list --json | jq -r '.items[] | select(.nodeId == \"$victim\") | (now * 1000 - .lastHeartbeatMs) < 2000') = true ]"
is "and drained on" DRAINING "$(node "$victim" .state)"
is "with what runs there" "$before" "$(on_node "$victim")"

# With a deadline: containers get notice, save their state or not, are killed, and run again on other nodes.
creel node drain "$victim" --reason "new disk" --deadline 1s --wait >"$T/drained" 2>&1 &
waiting=$!
ends "who waits for the end of it hears" 0 "$waiting" "$T/drained"
like "that it is empty" "$victim: DRAINED" "$(cat "$T/drained")"
is "it is" "DRAINED 0" "$(node "$victim" .state) $(on_node "$victim")"
ended=$(creel container list --app "$job" --json | jq -c --arg n "$victim" '[.items[] | select(.nodeId == $n and .state == "COMPLETE")]')
is "all that ran there counts as preempted" "[-102]" "$(jq -c '[.[].exitStatus] | unique' <<<"$ended")"
like "with the reason" "node $victim is being drained by .*: new disk" "$(jq -r '.[].diagnostics' <<<"$ended")"
notified=$(find "$T/out" -name 'notice.*' | wc -l)
saved=$(find "$T/out" -name 'saved.*' | wc -l)
check "some saved what they had ($saved)" [ "$saved" -gt 0 ]
is "each notice has the reason" "$notified" "$(cat "$T"/out/notice.* | jq -s 'map(select(.reason | test("new disk"))) | length')"
becomes "the job has its tasks elsewhere" 60 running_is "$job" 10
is "on its first attempt" 1 "$(creel status "$job" --json | jq .items[0].attempt)"
exits "drained twice is drained" 0 creel node drain "$victim" --reason "new disk" --wait
exits "it is taken back" 0 creel node undrain "$victim"
is "and serves" RUNNING "$(node "$victim" .state)"

# Decommissioned: the agent is ordered to stop.
pid=$(agent_of "$victim")
exits "an empty node is decommissioned" 0 creel node decommission "$victim" --reason sold --kill-now --wait
is "it is gone" DECOMMISSIONED "$(node "$victim" .state)"
becomes "its agent has stopped" 20 gone "$pid"
exits "it cannot be drained" 6 creel node drain "$victim" --reason x
exits "nor undrained" 6 creel node undrain "$victim"
like "but there is another word" "creel node recommission" "$OUTPUT"
restart_rm wrongly                       # the agent, started again, is refused
becomes "a restart keeps it out" 30 node_is "$victim" DECOMMISSIONED
exits "until it is recommissioned" 0 creel node recommission "$victim"
like "the output names the next step" "start its agent again" "$OUTPUT"
creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1
becomes "its agent is let in" 30 node_is "$victim" RUNNING

# A list of hosts.
list=$T/conf/exclude
echo "$second # out" >"$list"
exits "gracefully" 0 creel admin refresh nodes -g 600
is "it leaves" DECOMMISSIONING "$(node "$second" .state)"
is "because of the list" hosts "$(node "$second" .adminState.source)"
is "in ten minutes" true "$(node "$second" '(.adminState.deadlineMs - .adminState.sinceMs) == 600000')"
exits "a person cannot change that" 6 creel node recommission "$second"
: >"$list"
exits "but the list" 0 creel admin refresh nodes -g
is "it serves again" RUNNING "$(node "$second" .state)"
printf '<hosts>\n<host><name>%s</name>\n<timeout>soon</timeout></host></hosts>\n' "$second" >"$list.xml"
sed -i "s|conf/exclude<|conf/exclude.xml<|" "$T/conf/creel-site.xml"
exits "what cannot be read is refused" 7 creel admin refresh nodes
like "with file and line" "exclude.xml:3: timeout: \"soon\"" "$OUTPUT"
exits "as by conf check" 7 creel conf check "$T/conf"
printf '<hosts><host><name>%s, elsewhere</name><timeout>3000</timeout></host></hosts>\n' "$second" >"$list.xml"
exits "its own time counts" 0 creel admin refresh nodes -g 600
is "of the file" true "$(node "$second" '(.adminState.deadlineMs - .adminState.sinceMs) == 3000000')"
is "unknown ones are listed" DECOMMISSIONED "$(node elsewhere .state)"
pid=$(agent_of "$second")
exits "without grace it leaves at once" 0 creel admin refresh nodes
becomes "it has left" 30 node_is "$second" DECOMMISSIONED
becomes "with its agent" 20 gone "$pid"
echo '<hosts/>' >"$list.xml"
exits "and comes back" 0 creel admin refresh nodes --json
is "the output counts the recommissioned node" 1 "$(jq .items[0].recommissioned <<<"$OUTPUT")"
creel dev up --dir "$T/dev" -n 3 --conf "$T/conf" >"$T/up.log" 2>&1
becomes "when its agent does" 30 node_is "$second" RUNNING

# Resized nodes.
exits "a node is made larger" 0 creel node resources "$victim" mem=2g,vcores=32
is "that counts" "2048 32" "$(node "$victim" '"\(.total.memoryMb) \(.total.vcores)"')"
is "what it offers is known" 512 "$(node "$victim" .offered.memoryMb)"
becomes "the cluster has it when its agent has applied it" 30 sh -c "creel cluster info --json | jq -e '.items[0].total.memoryMb == 3072'"
big=$(creel submit --id -m 768M -- sh -c "while [ ! -e $T/out/go ]; do sleep 0.1; done")
becomes "what is too large for others runs" 30 running_is "$big" 1
is "there" "$victim" "$(creel container list --app "$big" --json | jq -r '.items[] | select(.memoryMb == 768) | .nodeId')"
exits "it is made smaller" 0 creel node resources "$victim" mem=256m --overcommit 0s
becomes "what does not fit goes" 30 sh -c "creel container list --app $big --json | jq -e '.items[] | select(.memoryMb == 768) | .exitStatus == -102'"
restart_rm
becomes "a restart keeps the size" 30 sh -c "[ \"\$(creel node list --json | jq -r '.items[] | select(.nodeId == \"$victim\") | .total.memoryMb')\" = 256 ]"
exits "too small is refused" 1 creel node resources "$victim" mem=1m
exits "nonsense, too" 2 creel node resources "$victim" mem=lots
exits "it is as its agent offers" 0 creel node resources "$victim" default
is "again" "512 null" "$(node "$victim" '"\(.total.memoryMb) \(.offered.memoryMb)"')"

# The whole cluster.
exits "all nodes are drained for a reason" 2 creel admin drain-all --yes
exits "and not by mistake" 1 creel admin drain-all --reason move </dev/null
like "the number of nodes is named" "changes 3 nodes; say --yes" "$OUTPUT"
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
exits "the job ends well" 0 creel wait "$job" --timeout 120

# SIGHUP, which systemctl reload sends, has the effect of creel admin refresh.
rm=$(pid_of rm) log=$T/dev/rm/log
printf '%s\n' "$master" "$victim" >"$T/conf/include"
sed -i "s|</configuration>|<property><name>yarn.resourcemanager.nodes.include-path</name><value>$T/conf/nowhere</value></property></configuration>|" "$T/conf/creel-site.xml"
kill -HUP "$rm"
becomes "a file that cannot be read is refused and reported" 10 grep -q "lists of hosts not refreshed for SIGHUP, all stays as it was: .*$T/conf/nowhere" "$log"
is "all stays as it was" 3 "$(nodes_running)"
sed -i "s|$T/conf/nowhere|$T/conf/include|" "$T/conf/creel-site.xml"
pid=$(agent_of "$second")
kill -HUP "$rm"
becomes "a new list counts" 10 grep -q "lists of hosts refreshed for SIGHUP: 2 included, 0 excluded; of the nodes 0 leaving, 1 left" "$log"
like "the changed key is reported" "yarn.resourcemanager.nodes.include-path: \"$T/conf/nowhere\" -> \"$T/conf/include\"" "$(cat "$log")"
becomes "who is not on it leaves" 20 gone "$pid"
becomes "and is forgotten, for nobody names it" 30 count_is 2 node list
like "this is reported" "node $second: forgotten" "$(cat "$log")"
becomes "no control group is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
