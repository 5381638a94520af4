#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pages "Jobs do not start", "A node is silent" and "Submissions are refused" of docs/operations.md: each symptom is brought
# about, and each command of creel on these pages shows what the page describes. (12-full-disk has the row of the full disk.)
. "$(dirname "$0")/lib.sh"
pages=$(cd "$(dirname "$0")/../.." && pwd)/docs/operations.md
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>1024</value></property>
  <property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name><value>30000</value></property>
  <property><name>yarn.admin.acl</name><value>root</value></property>
  <property><name>creel.submit.user-jobs-max</name><value>2</value></property>
</configuration>
X
cat >"$T/conf/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default,small</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>75</value></property>
  <property><name>yarn.scheduler.capacity.root.default.maximum-capacity</name><value>100</value></property>
  <property><name>yarn.scheduler.capacity.root.default.user-limit-factor</name><value>10</value></property>
  <property><name>yarn.scheduler.capacity.root.small.capacity</name><value>25</value></property>
  <property><name>yarn.scheduler.capacity.root.small.maximum-capacity</name><value>25</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/conf"
creel keygen user nobody >/dev/null 2>&1
user=nobody id='' node='' queue='' # what the pages call USER, ID, NODE and QUEUE

# typed STATUS COMMAND: runs a command as the pages have it; ID, NODE, QUEUE and USER are $id, $node, $queue and $user.
typed() {
    local status=$1 command=$2
    echo "$command" >>"$T/typed"
    command=${command/ ID/ $id} command=${command/ NODE/ $node} command=${command/ QUEUE/ $queue} command=${command/ USER/ $user}
    # shellcheck disable=SC2086 # the words of the command
    exits "$2 exits with $status" "$status" $command
}
# shows REGEX: what the page describes of the output of the command before.
shows() { like "... and shows: $1" "$1" "$OUTPUT"; }
reason_is() { [ "$(reason_of "$id")" = "$1" ]; }
runs() { state_is "$id" RUNNING; }
submit() { creel submit --id "$@" -- sleep 600; }
none_live() { count_is 0 ps; }
end_jobs() {
    creel ps --json | jq -r '.items[].id' | xargs creel kill >"$T/killed" 2>&1
    wait_until 30 none_live || fail "all jobs end"
}
# For some time after the start of the resource manager, a larger node may yet register.
too_large_is_refused() {
    local status=0
    OUTPUT=$(submit -m 5G 2>&1) || status=$?
    [ $status != 0 ] || creel kill "$OUTPUT"
    [ $status = 8 ]
}

# --- Jobs do not start
typed 0 'creel cluster health'
id=$(submit --hold)
becomes "a job is held" 20 reason_is Held
typed 0 'creel ps -a'
shows 'PENDING .*Held'
typed 0 'creel why ID'
shows '1. Held'
typed 0 'creel release ID'
shows released
becomes "the job runs" 30 runs
typed 0 'creel why ID'
shows 'runs: it has no pending requests'
typed 0 'creel logs ID'
typed 0 'creel kill ID'

mapfile -t nodes < <(creel node list --json | jq -r '.items[].nodeId')
creel node drain --reason "new disk" "${nodes[@]}" >"$T/drained" 2>&1
id=$(submit)
becomes "no node is in service" 30 reason_is NoNodes
typed 0 'creel node list'
shows 'DRAINED .*new disk'
for node in "${nodes[@]}"; do
    typed 0 'creel node undrain NODE'
    shows RUNNING
done
becomes "the job runs when the nodes are in service" 30 runs

large=$(submit -m 700M)
submit -m 700M >/dev/null
waiting=$(submit -m 700M)
id=$waiting
becomes "the cluster is full" 30 reason_is ClusterFull
typed 0 'creel ps -a --state RUNNING'
shows 'RUNNING .*704M'
typed 0 'creel queue list'
shows 'root.default +RUNNING'
id=$large
typed 0 'creel kill ID'
id=$waiting
becomes "the job runs when another has ended" 30 runs
end_jobs

queue=small
submit -q small -m 400M >/dev/null
id=$(submit -q small -m 400M)
becomes "the queue is at its maximum" 30 reason_is QueueLimit
typed 0 'creel queue explain QUEUE'
shows 'maximum'
shows 'QueueLimit'
end_jobs

# --- Submissions are refused
id=$(creel --as nobody submit --id --hold -- true)
creel --as nobody submit --hold -- true >/dev/null
exits "a job above the limit is refused" 6 creel --as nobody submit --hold -- true
shows 'jobs that have not ended.* and creel.submit.user-jobs-max is 2'
typed 0 'creel cluster info'
shows 'Near a limit: +nobody: 2 of 2'
typed 0 'creel ps --user USER'
shows 'nobody .*Held'
typed 0 'creel kill ID'
exits "a job is accepted then" 0 creel --as nobody submit --hold -- true
sed -i '/user-jobs-max/s/>2</>3</' "$T/conf/creel-site.xml" "$T/dev/conf/creel-site.xml"
typed 0 'creel admin refresh queues'
exits "one more is accepted after the key was raised" 0 creel --as nobody submit --hold -- true

creel queue stop small >"$T/stopped" 2>&1
exits "a job for a stopped queue is refused" 6 submit -q small
shows 'queue root.small: is stopped'
typed 0 'creel queue list'
shows 'root.small +(STOPPED|DRAINING)'
typed 0 'creel queue start QUEUE'
exits "the queue accepts jobs then" 0 submit -q small
becomes "a container larger than every node is refused" 60 too_large_is_refused
shows 'more memory than any node has'
typed 0 'creel node list'
shows '1.0G'

# --- A node is silent
id=$(creel submit --id -N 2 -m 64M -- sleep 600)
becomes "a job runs" 60 running_is "$id" 3
node=$(value .nodeId container list --app "$id")
port=${node##*:}
agent=$(creel dev status --dir "$T/dev" --json | jq -r --argjson p "$port" '.items[] | select(.role == "agent" and .ports.agent == $p) | .pid')
kill -STOP "$agent"
silent() { creel node show "$node" | grep -q '^Silence:'; }
becomes "a node is silent" 40 silent
typed 1 'creel cluster health'
shows "1 node is silent: $node"
typed 0 'creel node show NODE'
shows 'Silence: +silent for [0-9]+s; counts as lost in'
typed 0 'creel container list --node NODE --live'
shows "01_000001 .*$node +RUNNING"
unlike "... and shows no container that has ended" COMPLETE "$OUTPUT"
typed 0 'creel why ID'
shows SilentNode
node_state_is() { [ "$(value .state node show "$node")" = "$1" ]; }
becomes "the node is lost" 60 node_state_is LOST
becomes "its tasks run again on the other node" 60 running_is "$id" 3
typed 0 'creel node decommission NODE'
shows DECOMMISSIONED
is "no check reports it any more" "" "$(creel cluster health | grep -F "$node")"
kill -CONT "$agent"
becomes "its agent is refused, and ends" 60 gone "$agent"
is "no check reports it then" "" "$(creel cluster health | grep -F "$node")"
typed 0 'creel node recommission NODE'
creel dev up --dir "$T/dev" -n 2 --conf "$T/conf" >"$T/up.log" 2>&1
becomes "it is in service again" 60 nodes_running_is 2
typed 0 'creel node drain NODE --reason network'
shows 'DRAIN'

# --- Jobs fail within seconds
creel kill --user nobody --yes >"$T/killed" 2>&1
fails_on_a_node() {
    local who
    for who in nobody root; do
        id=$(creel --as "$who" submit --id -- sh -c 'echo it breaks; exit 3')
        creel wait "$id" >"$T/waited" 2>&1
    done
    creel cluster health | grep -q '^failing-nodes *warning'
}
becomes "a node on which jobs fail at once is named" 60 fails_on_a_node
typed 1 'creel cluster health'
shows 'failing-nodes *warning .*most containers fail soon after their start: .*with exit status 3'
typed 0 'creel logs ID'
shows 'it breaks'
typed 0 'creel node drain NODE --reason TEXT'
typed 0 'creel node undrain NODE'

# --- Submissions are refused: the resource manager does not run
kill_nine "$(pid_of rm)"
exits "a submission cannot reach the resource manager" 5 creel submit --timeout 3s -- true
shows 'the resource manager at .* did not answer'
typed 5 'creel cluster health'

commands_of_pages() {
    sed -n '/^## Jobs do not start/,/^## The page is old/p' "$pages" | grep '^|' | grep -o '`creel [^`]*`' | tr -d '`' | sort -u
}
is "every command of the tables was typed" "" "$(commands_of_pages | comm -23 - <(sort -u "$T/typed"))"
finish
