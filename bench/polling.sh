#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# polling.sh - benchmark: effect of many listing clients on submissions and heartbeats: BUILD=build bench/polling.sh
#
# A resource manager has APPS pending applications (100000), which wait for a drained node, and AGENTS agents
# (100) without processes (bench/many-agents). The script measures submissions and heartbeats for SECONDS (20)
# in three rounds: without other load; while POLLERS clients (100) list all applications repeatedly
# (bench/list-load); and while the clients list the applications of a user without applications, which also
# scans all applications. Needs root (tests/e2e/lib.sh), an otherwise idle machine, and a build without
# sanitizers. The scheduler is FIFO: the capacity scheduler scans all pending applications when a node
# registers, which would distort the result.
. "$(dirname "$0")/../tests/e2e/lib.sh"
APPS=${APPS:-100000}
AGENTS=${AGENTS:-100}
POLLERS=${POLLERS:-100}
SECONDS_EACH=${SECONDS_EACH:-20}

memory_of() { awk '/VmRSS|VmHWM/ { kib[$1] = $2 } END { printf "%.1f MiB (at most %.1f)", kib["VmRSS:"] / 1024, kib["VmHWM:"] / 1024 }' "/proc/$1/status"; }
port() { creel dev status --dir "$T/dev" --json | jq -r ".items[0].ports.$1"; }
apps() { creel cluster info --json | jq '.items[0] | .appsPending + .appsRunning + .appsFinished + .appsFailed + .appsKilled'; }
# must COMMAND...: ends the benchmark if COMMAND fails: a figure that was not measured is not printed.
must() { "$@" || { echo "polling.sh: failed: $*" >&2; exit 1; }; }
pause() { read -rt "$1" <> <(:) || true; }

# round NAME COMMAND...: measures one submitting client and all agents while COMMAND runs.
round() {
    local name=$1
    shift
    echo "$name"
    "$@" & local load=$!
    pause 1
    "$BUILD/bench/many-agents" "$T/dev/keys" "127.0.0.1:$(port agent)" "$AGENTS" "$SECONDS_EACH" & local agents=$!
    pause 2
    must "$BUILD/bench/submit-rate" "$T/dev/keys" "127.0.0.1:$(port client)" 1 "$SECONDS_EACH"
    must wait "$agents"
    must wait "$load"
    echo "  resource manager: $(memory_of "$(pid_of rm)"), $(apps) applications"
}

mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.resourcemanager.max-completed-applications</name><value>$((APPS * 3))</value></property>
  <property><name>yarn.resourcemanager.scheduler.class</name><value>org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler</value></property>
  <property><name>creel.gateway.connections-per-address-max</name><value>100000</value></property>
  <property><name>creel.submit.user-jobs-max</name><value>100000000</value></property>
  <property><name>creel.submit.user-jobs-size-max</name><value>64g</value></property>
  <property><name>yarn.scheduler.maximum-allocation-mb</name><value>400000</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>400000</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
creel node drain 127.0.0.1:8041 --reason "what waits for it is to wait" >/dev/null 2>&1
while [ "$(apps)" -lt "$APPS" ]; do
    must "$BUILD/bench/submit-rate" "$T/dev/keys" "127.0.0.1:$(port client)" 50 5 131072
done
echo "resource manager with $(apps) applications: $(memory_of "$(pid_of rm)")"
load=("$BUILD/bench/list-load" "$T/dev/keys" "127.0.0.1:$(port client)" "$POLLERS" $((SECONDS_EACH + 3)))
round "alone" true
round "while $POLLERS clients list all applications" "${load[@]}"
round "while $POLLERS clients list those of a user who has none" "${load[@]}" nobody
pause 5
echo "5 seconds later: resource manager $(memory_of "$(pid_of rm)")"
kill -9 "$(pid_of rm)"         # otherwise the shutdown of the cluster first kills each application
