#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# web.sh - benchmark: the web pages of a large cluster: BUILD=build bench/web.sh
#
# A resource manager with NODES agents (10000) that run no processes, QUEUES queues (1000) and APPS applications
# (100000), and a real creel-web. First nothing changes but heartbeats, one every 30 s from each agent; then one client
# submits applications, which run and end. bench/web-load.py has what is measured. Needs root, an otherwise idle machine,
# and a build without sanitizers.
. "$(dirname "$0")/../tests/e2e/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
NODES=${NODES:-10000}
QUEUES=${QUEUES:-1000}
APPS=${APPS:-100000}
agents=()
trap 'kill "${agents[@]}" 2>/dev/null; cleanup' EXIT

port() { creel dev status --dir "$T/dev" --json | jq -r ".items[] | select(.role == \"$1\").ports.$2" | head -1; }
memory_of() { awk '/VmRSS/ { printf "%.0f MiB", $2 / 1024 }' "/proc/$1/status"; }
apps() { creel cluster info --json | jq '.items[0] | .appsPending + .appsRunning + .appsFinished + .appsFailed + .appsKilled'; }
pause() { read -rt "$1" <> <(:) || true; }
submit() { "$BUILD/bench/submit-rate" "$T/dev/keys" "127.0.0.1:$(port rm client)" "$1" "$2" 1024 "$QUEUES"; }
load() { "$here/web-load.py" "$(port web web)" "$(pid_of web)" "$(pid_of rm)" "$1"; }

mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<Y
<configuration>
  <property><name>yarn.resourcemanager.max-completed-applications</name><value>$((APPS * 3))</value></property>
  <property><name>creel.gateway.connections-per-address-max</name><value>100000</value></property>
  <property><name>creel.submit.user-jobs-max</name><value>100000000</value></property>
  <property><name>creel.submit.user-jobs-size-max</name><value>64g</value></property>
  <property><name>yarn.resourcemanager.nodemanagers.heartbeat-interval-ms</name><value>30000</value></property>
</configuration>
Y
{
    echo '<configuration>'
    echo '<property><name>yarn.scheduler.capacity.maximum-applications</name><value>100000000</value></property>'
    echo '<property><name>yarn.scheduler.capacity.root.queues</name><value>default'
    seq -f ',q%.0f' 0 $((QUEUES - 1))
    echo '</value></property>'
    for queue in default $(seq -f 'q%.0f' 0 $((QUEUES - 1))); do
        echo "<property><name>yarn.scheduler.capacity.root.$queue.capacity</name><value>1w</value></property>"
    done
    echo '</configuration>'
} >"$T/conf/capacity-scheduler.xml"
cluster_up -n 1 --conf "$T/conf"
creel node drain 127.0.0.1:8041 --reason "it runs what it is given" >/dev/null 2>&1
# (some at a time: on a machine in use, thousands of handshakes at once take longer than agents wait for)
for ((first = 0; first < NODES; first += 1000)); do
    count=$((NODES - first < 1000 ? NODES - first : 1000))
    "$BUILD/bench/many-agents" "$T/dev/keys" "127.0.0.1:$(port rm agent)" "$count" 3600 "$first" >"$T/agents-$first" 2>&1 & agents+=($!)
    wait_until 120 grep -q registered "$T/agents-$first" || { echo "web.sh: agents do not register" >&2; exit 1; }
done
echo "$NODES agents have registered"
while [ "$(apps)" -lt "$APPS" ]; do
    submit 20 10 >"$T/submitted" 2>&1 && grep -q acknowledged.per "$T/submitted" || { head -3 "$T/submitted"; exit 1; }
done
echo "$(apps) applications, $(nodes_running) nodes; creel-rm $(memory_of "$(pid_of rm)")"
pause "${SETTLE_S:-65}"       # until what runs has been reported and has ended
# (the first request makes creel-web read everything)
loaded() { curl -sf -m 20 "http://127.0.0.1:$(port web web)/cluster/apps?state=ALL&n=1"; }
begin=$EPOCHREALTIME
wait_until 120 loaded || { echo "web.sh: creel-web does not read the cluster" >&2; exit 1; }
awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "creel-web has read all after %.1f s\n", b - a }'
echo "creel-web $(memory_of "$(pid_of web)")"
echo "-- nothing changes but heartbeats"
load pages
load apps
load master
load overviews
echo "-- one client submits"
submit 1 600 & submitting=$!
pause 5
load pages
load overviews
kill "$submitting" || { echo "web.sh: the client that submits has failed" >&2; exit 1; }
kill -9 "$(pid_of rm)"      # otherwise the shutdown of the cluster first kills each application
