#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Logs of ended applications move to shared storage: they outlive their node, an agent that is killed meanwhile, and
# storage that cannot be written for a time. Old files are deleted.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf" "$T/shared"
chmod 1777 "$T/shared"
configure() {
    cat >"$T/conf/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.log-aggregation-enable</name><value>true</value></property>
  <property><name>yarn.nodemanager.remote-app-log-dir</name><value>$1</value></property>
  <property><name>yarn.log-aggregation.retain-check-interval-seconds</name><value>1</value></property>
  <property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>5000</value></property>
  ${2:-}
</configuration>
X
}
configure "file://$T/shared"
cluster_up -n 2 --conf "$T/conf"
user=$(id -un)
start_agents() { creel dev up --dir "$T/dev" -n 2 --conf "$T/conf" >"$T/up.log" 2>&1; }
files() { find "$T/shared" -path "*/$1/*.tar.gz" | wc -l; }
# Prints the number of nodes on which containers of the application ran.
nodes_of() { creel container list --app "$1" --json | jq '[.items[].nodeId] | unique | length'; }
files_are() { [ "$(files "$1")" = "$2" ]; }
local_logs() { find "$T"/dev/agent-*/logs -path "*/$1/*" -type f | wc -l; }
local_logs_are() { [ "$(local_logs "$1")" = "$2" ]; }
agent_says() { cat "$T"/dev/agent-*/log | grep -q -- "$1"; }

# shellcheck disable=SC2016  # the tasks expand it
id=$(creel submit --id -N 4 -m 64M -- sh -c 'echo out $CREEL_TASK_INDEX; echo err $CREEL_TASK_INDEX >&2')
check "a job of four tasks ends" creel wait "$id"
becomes "each node has written one file" 30 files_are "$id" "$(nodes_of "$id")"
becomes "the log aggregation status of the application is SUCCEEDED" 30 value_is .logAggregationStatus SUCCEEDED status "$id"
like "creel status prints the log aggregation status" 'Log aggregation: +SUCCEEDED' "$(creel status "$id")"
like "creel-yarn application -status prints the log aggregation status as YARN" 'Log Aggregation Status : SUCCEEDED' "$(creel-yarn application -status "$id")"
file=$(find "$T/shared" -name '*.tar.gz' | head -n 1)
is "the path of the file has the user and the application" "$T/shared/$user/logs/$id" "$(dirname "$file")"
is "the owner and the group of the file can read it" 640 "$(stat -c %a "$file")"
like "tar lists the logs of containers" '^container_.*/stdout$' "$(tar tzf "$file")"
expected=$'[c00] out 0\n[c01] out 1\n[c02] out 2\n[c03] out 3'
is "creel logs prints the logs of all tasks" "$expected" "$(creel logs --stdout "$id")"
becomes "the agents delete the logs from their local disks" 40 local_logs_are "$id" 0
is "creel logs prints the same logs from shared storage" "$expected" "$(creel logs --stdout "$id")"
container=$(first_container "$id")
# http_of CONTAINER: prints the address of the REST interface on its node.
http_of() { value .httpAddress node show "$(value .nodeId container show "$1")"; }
http=http://$(http_of "$container")
node_of_container=$(value .nodeId container show "$container")
page() { curl -sS -m 20 "$@"; }
where="$T/shared/USER/logs/$id/"
like "the REST interface of the agent names the directory" "^404 .*$where" \
    "$(page -w '%{http_code} ' -o "$T/answer" "$http/ws/v1/node/containers/$container/logs"; jq -r .RemoteException.message "$T/answer")"
like "the page of the log names the directory" "$where" "$(page "$http/node/containerlogs/$container/$user/stdout")"
is "creel logs -n 1 prints the last line of one task" "err 2" "$(creel logs --stderr -n 1 "$id" '#2')"
is "creel logs --bytes counts from the end of the log" "3" "$(creel logs --stdout --bytes 2 "$id" '#3')"
is "creel logs -f prints all logs of an ended application and ends" "$expected" "$(timeout 20 creel logs -f --stdout "$id")"
check "creel logs --out writes files" creel logs --out "$T/copy" "$id"
is "creel logs --out writes one file for each container and stream" 8 "$(find "$T/copy" -type f | wc -l)"

# The command of YARN.
yarn() { creel-yarn "$@" 2>&1; }
output=$(yarn logs -applicationId "$id" -log_files stdout)
is "creel-yarn logs prints the logs of all tasks" 4 "$(grep -c '^out [0-3]$' <<<"$output")"
is "creel-yarn logs prints that the logs are aggregated" "LogAggregationType: AGGREGATED" "$(grep '^LogAggregationType' <<<"$output" | sort -u)"
like "creel-yarn logs -show_container_log_info prints the sizes of the logs" 'stdout[[:space:]]+6[[:space:]].*AGGREGATED' "$(yarn logs -applicationId "$id" -show_container_log_info)"

# Agents that do not answer cost one time limit for all containers. The application runs, so that its logs are there.
many=$(creel submit --id -N 8 -m 64M -- sh -c 'echo here; exec sleep 1000')
becomes "eight tasks run" 60 running_is "$many" 9
kill -STOP "$(pid_of agent 0)" "$(pid_of agent 1)"
exits "creel logs exits with 5 when agents do not answer" 5 timeout 60 creel --timeout 1 logs "$many"
is "creel logs requests one log only, and names each node that does not answer" "$((1 + $(nodes_of "$many")))" "$(wc -l <<<"$OUTPUT")"
like "creel logs prints how many logs of a silent node it did not read" 'node .* did not answer: logs of [0-9] more containers were not read' "$OUTPUT"
is "creel-yarn logs requests one log only, and names each node that does not answer" "$((1 + $(nodes_of "$many")))" "$(yarn logs -applicationId "$many" -log_files stdout | grep -c '^yarn: ')"
kill -CONT "$(pid_of agent 0)" "$(pid_of agent 1)"
becomes "both nodes are RUNNING when their agents continue" 60 nodes_running_is 2
check "creel kill accepts the job of the silent agents" creel kill "$many"

# Its nodes are gone.
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
becomes "both nodes are lost when their agents are killed" 60 nodes_running_is 0
is "creel logs prints aggregated logs while no agent runs" "$expected" "$(timeout 20 creel logs --stdout "$id")"
check "creel dev up starts the lost agents again" start_agents
becomes "both nodes are RUNNING after the restart of the agents" 60 nodes_running_is 2

# The agent is killed while it writes.
id=$(creel submit --id -N 2 -m 64M -- sh -c 'head -c 10000000 /dev/urandom; printf "\nend\n"')
check "a job with large logs ends" creel wait "$id"
becomes "an agent writes the large log to shared storage" 30 sh -c "find '$T/shared' -name '.*.tmp' -o -path '*/$id/*.tar.gz' | grep -q ."
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
check "creel dev up starts the agents that were killed while they wrote" start_agents
becomes "the agents write the logs after their restart" 60 value_is .logAggregationStatus SUCCEEDED status "$id"
becomes "no unfinished file is left in shared storage" 60 sh -c "[ -z \"\$(find '$T/shared' -name '*.tmp')\" ]"
becomes "every file in shared storage is a complete archive" 60 sh -c "for f in '$T/shared/$user/logs/$id'/*.tar.gz; do tar tzf \"\$f\" >/dev/null || exit 1; done"
is "creel logs prints every byte of the large log" 10000005 "$(creel logs --stdout "$id" '#1' | wc -c)"
becomes "the agents delete the large logs from their local disks" 60 local_logs_are "$id" 0

# The storage cannot be used: containers run, logs stay, the reason is shown, and it is tried again.
mv "$T/shared" "$T/away"
id=$(creel submit --id -m 64M -- echo later)
check "a job ends without the storage" creel wait "$id"
becomes "the log of the agent has the reason why logs cannot be moved" 30 agent_says "logs cannot be moved to shared storage: $T/shared: No such file"
becomes "creel node list shows that logs cannot be moved" 30 sh -c "creel node list -o json | grep -q 'logs cannot be moved to shared storage'"
check_is() { creel cluster health --json | jq -r --arg c "$1" '.items[] | select(.check == $c) | .result + ": " + .text' | grep -qE "$2"; }
becomes "creel cluster health warns of it, and names the node and the reason" 30 \
    check_is node-reports '^warning: [12] healthy nodes? reports? a problem: .*:[0-9]+: logs cannot be moved to shared storage: '
is "both nodes are RUNNING without the shared storage" 2 "$(nodes_running)"
is "the log aggregation status is RUNNING without the shared storage" RUNNING "$(value .logAggregationStatus status "$id")"
is "creel logs reads the log from the agent" later "$(creel logs --stdout "$id")"
mv "$T/away" "$T/shared"
becomes "the agent writes the log when the storage can be used again" 60 files_are "$id" 1
becomes "the log aggregation status is SUCCEEDED when the log is written" 30 value_is .logAggregationStatus SUCCEEDED status "$id"
becomes "the log of the agent reports that logs can be moved again" 30 agent_says "logs can be moved to shared storage again"

# The storage has little room left.
if mount -t tmpfs -o size=20m,mode=1777 none "$T/shared" 2>/dev/null; then
    head -c 20400000 /dev/zero >"$T/shared/fill"
    check "a job ends while shared storage has little room" creel run --quiet -m 64M -- true
    becomes "creel cluster health warns of the little room" 30 \
        check_is node-reports '^warning: .*shared storage of logs has little room: [01] MiB of 20 MiB are free'
    rm "$T/shared/fill"
    check "another job ends on each node" creel run --quiet -N 2 -m "$(($(value .total.memoryMb node list) * 6 / 10))M" -- true
    becomes "the warning ends with the next logs that are moved" 60 check_is node-reports '^ok: '
    umount "$T/shared"
fi

# Another user has made the directory of this user.
if [ "$(id -u)" = 0 ]; then
    mv "$T/shared/$user" "$T/mine"
    mkdir "$T/shared/$user"
    chown 1234 "$T/shared/$user"
    id=$(creel submit --id -m 64M -- echo mine)
    check "a job ends while another user owns the directory of its user" creel wait "$id"
    becomes "the agent logs that another user owns the directory" 30 agent_says "$user belongs to user id 1234"
    is "the agent writes nothing to the directory of another user" "" "$(find "$T/shared/$user" -mindepth 1)"
    rmdir "$T/shared/$user"
    mv "$T/mine" "$T/shared/$user"
    becomes "the agent writes the log when the directory belongs to the user again" 90 files_are "$id" 1
fi

# Old files are deleted, those of other nodes, too.
configure "$T/shared" "<property><name>yarn.log-aggregation.retain-seconds</name><value>3600</value></property>
  <property><name>yarn.log.server.url</name><value>http://logs.example.org/jobhistory/logs</value></property>
  <property><name>yarn.log.server.web-service.url</name><value>http://logs.example.org/ws/v1/applicationhistory</value></property>"
mkdir -p "$T/shared/nobody/logs/application_1_0001"
touch -d '2 hours ago' "$T/shared/nobody/logs/application_1_0001/gone_1.tar.gz" "$T/shared/nobody/logs/application_1_0001"
chown -R nobody "$T/shared/nobody"
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
check "creel dev up starts the agents with a retention time" start_agents
becomes "the agents delete files older than the retention time" 60 sh -c "[ ! -e '$T/shared/nobody/logs/application_1_0001/gone_1.tar.gz' ]"
becomes "both agents register again" 60 nodes_running_is 2
becomes "the agents keep files younger than the retention time" 5 files_are "$id" 1

# With a log server, agents lead to it.
leads() { page -o "$T/answer" -w '%{http_code} %{redirect_url}' "$1"; }
is "the page of a log that has moved redirects to the log server" \
    "302 http://logs.example.org/jobhistory/logs/$node_of_container/$container/$container/$user/stdout?start=-10" \
    "$(leads "$http/node/containerlogs/$container/$user/stdout/?start=-10")"
is "the REST interface redirects to the log server" \
    "307 http://logs.example.org/ws/v1/applicationhistory/containers/$container/logs/stdout?redirected_from_node=true" \
    "$(leads "$http/ws/v1/node/containers/$container/logs/stdout")"

# A configuration of YARN with HDFS, and a directory that is not for all.
configure "hdfs://namenode/logs"
exits "creel conf check accepts a directory of HDFS with a warning" 0 creel conf check "$T/conf"
like "the warning about HDFS names the file and the key" 'yarn-site.xml:[0-9]+: yarn.nodemanager.remote-app-log-dir: "hdfs://namenode/logs"' "$OUTPUT"
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
check "creel dev up starts the agents with a directory of HDFS" start_agents
reported() { creel cluster health -o wide | grep -qE '^node-reports +warning .*yarn.nodemanager.remote-app-log-dir: "hdfs://namenode/logs".*logs stay on the nodes'; }
becomes "creel cluster health names the agents that do not move logs" 60 reported
configure "$T/shared"
chmod 0777 "$T/shared"
exits "creel conf check accepts a directory without the sticky bit with a warning" 0 creel conf check "$T/conf"
like "the warning about the directory names the expected mode" "must be 1777" "$OUTPUT"
finish
