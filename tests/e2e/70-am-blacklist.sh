#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The next attempt of an application is not placed on a node where its application master failed, within YARN's keys.
. "$(dirname "$0")/lib.sh"
long=$(unlike_others)
mkdir "$T/conf"
site() {        # FURTHER PROPERTIES
    cat >"$T/conf/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>512</value></property>
  <property><name>yarn.resourcemanager.am.max-attempts</name><value>9</value></property>
  $1
</configuration>
X
}
property() { echo "<property><name>$1</name><value>$2</value></property>"; }
# master ATTEMPTS: submits an application master whose first ATTEMPTS attempts exit with 3 when $T/out/go exists; later
# ones run on.
master() {
    rm -f "$T/out/go"
    creel submit --id --am -m 64M -- bash -c "[ \${CONTAINER_ID: -9:2} -gt $1 ] && exec sleep $long
        while [ ! -e $T/out/go ]; do sleep 0.1; done; exit 3"
}
attempt_is() { value_is '| "\(.attempt) \(.state)"' "$2 ACCEPTED" status "$1"; }
runs_on() { [ "$(creel app attempts "$1" --json | jq -r '.items[-1] | "\(.id[-9:-7]) \(.state) \(.nodeId)"')" = "$2 RUNNING $3" ]; }
node_of() { value .masterNodeId status "$1"; }
other() { creel node list --json | jq -r --arg n "$1" '.items[].nodeId | select(. != $n)'; }
avoided() { creel status "$1" --json | jq -c '.items[0].avoidedNodes'; }
# fill: a job that needs a whole node; prints its id.
fill() { creel submit --id -m 512M -- sleep "$long"; }
begins() { state_is "$1" RUNNING; }
ends() { creel kill "$1" >/dev/null; wait_until 30 running_is "$1" 0; }

site ""
cluster_up -n 2 --conf "$T/conf"

# --- another node
id=$(master 1)
becomes "the first attempt runs" 30 running_is "$id" 1
first=$(node_of "$id")
second=$(other "$first")
is "no node is avoided for it" null "$(avoided "$id")"
touch "$T/out/go"
becomes "the second attempt runs on the other node" 30 runs_on "$id" 02 "$second"
is "creel status --json names the avoided node" "[\"$first\"]" "$(avoided "$id")"
like "creel status names the avoided node" "^ *Avoided nodes:? +$first\$" "$(creel status "$id")"
is "creel app attempts marks the attempt that failed" "$first true,$second null" \
    "$(creel app attempts "$id" --json | jq -r '[.items[] | "\(.nodeId) \(.nodeAvoided)"] | join(",")')"
is "the column AVOIDED has the same" "$first,yes $second," "$(creel app attempts "$id" --columns node,avoided -o csv | tail -n +2 | tr -d '\r' | xargs)"
port=$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "web").ports.web')
attempts() { curl -sS -m 20 "http://127.0.0.1:$port/ws/v1/cluster/apps/$1/appattempts"; }
rest_names() { attempts "$1" | jq -e --arg n "$2" '[.appAttempts.appAttempt[].nodesBlacklistedBySystem] == [$n, $n]'; }
becomes "REST has it as nodesBlacklistedBySystem" 20 rest_names "$id" "$first"
ends "$id"

# --- an application that waits for another node, over a restart of the resource manager
id=$(master 1)
becomes "the first attempt of the next application runs" 30 running_is "$id" 1
first=$(node_of "$id")
second=$(other "$first")
full=$(fill)
becomes "a job fills the other node" 30 begins "$full"
touch "$T/out/go"
becomes "the second attempt waits, since only the avoided node has room" 30 \
    value_is '| "\(.attempt) \(.reasonCode)"' "2 NodeBlacklisted" status "$id"
like "creel status names the avoided node, and the reason" \
    "only nodes that it avoids have room: its first container avoids $first \(attempt 1 ended there with exit status 3\)" \
    "$(value .reason status "$id")"
like "creel why names the avoided node, and the reason" "first container avoids $first \(attempt 1 ended there with exit status 3\)" "$(creel why "$id")"
# (While the avoided node is the only one that has registered again, it is used: all nodes would be avoided.)
paused=$(pid_of agent "$([ "${first##*:}" = 8041 ] && echo 0 || echo 1)")
kill -STOP "$paused"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1 &
up=$!
becomes "the other node registers first after a restart of the resource manager" 60 nodes_running_is 1
kill -CONT "$paused"
wait "$up"
becomes "both nodes are registered" 60 nodes_running_is 2
becomes "the node is still avoided after a restart of the resource manager" 60 \
    value_is '| "\(.attempt) \(.reasonCode)"' "2 NodeBlacklisted" status "$id"
ends "$full"
becomes "the second attempt runs on the other node when that has room" 30 runs_on "$id" 02 "$second"
ends "$id"

# --- too few nodes
creel node drain "$second" --reason test >/dev/null
id=$(master 2)
becomes "with one open node an attempt runs there" 30 runs_on "$id" 01 "$first"
touch "$T/out/go"
becomes "the next attempts run there again" 30 runs_on "$id" 03 "$first"
is "creel status shows no avoided node then" null "$(avoided "$id")"
ends "$id"

# --- the keys
creel dev down --dir "$T/dev" >/dev/null 2>&1
site "$(property yarn.resourcemanager.am-scheduling.node-blacklisting-enabled false)
  $(property yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold 0.5)
  $(property yarn.am.blacklisting.enabled true)
  $(property yarn.am.blacklisting.disable-failure-threshold 0.6)"
exits "creel conf check accepts the keys" 0 creel conf check "$T/conf"
is "without a warning" "" "$(grep -i blacklisting <<<"$OUTPUT")"
cluster_up -n 2 --conf "$T/conf"
id=$(master 1)
becomes "without blacklisting an attempt runs" 30 running_is "$id" 1
first=$(node_of "$id")
full=$(fill)
becomes "a job fills the other node again" 30 begins "$full"
touch "$T/out/go"
becomes "the next attempt runs on the same node" 30 runs_on "$id" 02 "$first"

creel dev down --dir "$T/dev" >/dev/null 2>&1
site "$(property yarn.am.blacklisting.enabled false)"
is "the older name is the default of the newer one" false \
    "$(creel conf show --conf "$T/conf" --json | jq -r '.items[] | select(.key == "yarn.resourcemanager.am-scheduling.node-blacklisting-enabled").value')"
finish
