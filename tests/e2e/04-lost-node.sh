#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A node without heartbeats is lost, its tasks run again on other nodes, and it registers again when it returns.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>3000</value></property>
  <property><name>yarn.resourcemanager.nodemanagers.heartbeat-interval-ms</name><value>200</value></property>
</configuration>
X
cluster_up -n 3 --conf "$T/conf"

cat >"$T/task.sh" <<'S'
#!/bin/sh
echo "$CREEL_NODE_ID" >>"$1/$CREEL_TASK_INDEX"
while [ ! -e "$1/go" ]; do sleep 0.1; done
S
chmod +x "$T/task.sh"
id=$(creel submit --id -N 12 -m 16M -- "$T/task.sh" "$T/out")
becomes "all tasks are running" 60 running_at_least "$id" 13

# Stop an agent that does not run the application's master.
master=$(value .masterNodeId status "$id")
victim=
for i in 0 1 2; do
    pid=$(pid_of agent $i)
    port=$(creel dev status --dir "$T/dev" --json | jq -r --argjson i $i '[.items[] | select(.role == "agent")][$i].ports | (if type == "object" then .[] else .[] end)' | head -1)
    case $master in *:$port) ;; *) victim=$pid victim_port=$port; break ;; esac
done
kill -STOP "$victim"
becomes "the node of the stopped agent is LOST" 30 sh -c "creel node list --state LOST --json | jq -e '.items | length == 1'"
becomes "the tasks of the lost node run again on other nodes" 60 running_at_least "$id" 13
is "all tasks run on the two remaining nodes" 2 "$(creel container list --app "$id" --json | jq -r '[.items[] | select(.state == "RUNNING") | .nodeId] | unique | length')"
kill -CONT "$victim"
becomes "the stopped agent registers again after it continues" 60 nodes_running_is 3
becomes "the former containers of the returned node are stopped" 60 sh -c "[ \$(creel container list --node \"\$(creel node list --json | jq -r '.items[].nodeId' | grep ':$victim_port\$')\" --json | jq '[.items[] | select(.state == \"RUNNING\")] | length') = 0 ]"
touch "$T/out/go"
exits "the job ends" 0 creel wait "$id" --timeout 120
is "some tasks ran on two nodes, one after the other" 1 "$(for f in "$T"/out/[0-9]*; do [ "$(wc -l <"$f")" -gt 1 ] && echo twice; done | sort -u | wc -l)"
finish
