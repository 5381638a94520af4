#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A hundred clients list all applications repeatedly: submissions and heartbeats are still answered, each client gets
# its pages, and the resource manager releases the memory afterwards. bench/many-agents simulates the agents.
. "$(dirname "$0")/lib.sh"
# (the quarantine of the address sanitizer keeps freed memory)
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1:thread_local_quarantine_size_kb=64
APPS=${E2E_APPS:-$(size 2000 4000)} CLIENTS=100 AGENTS=50 TIME=${E2E_SECONDS:-$(size 12 20)}
trap 'kill $children 2>/dev/null; cleanup' EXIT
children=
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<X
<configuration>
  <property><name>yarn.resourcemanager.max-completed-applications</name><value>100000</value></property>
  <property><name>yarn.scheduler.capacity.maximum-applications</name><value>100000</value></property>
  <property><name>yarn.scheduler.maximum-allocation-mb</name><value>400000</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>400000</value></property>
</configuration>
X
cluster_up -n 1 --conf "$T/conf"
port() { creel dev status --dir "$T/dev" --json | jq -r ".items[0].ports.$1"; }
client=127.0.0.1:$(port client)
agent=127.0.0.1:$(port agent)
apps() { creel cluster info --json | jq '.items[0] | .appsPending + .appsRunning + .appsFinished + .appsFailed + .appsKilled'; }
memory_mb() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$(pid_of rm)/status"; }

# Only one node is large enough for these jobs, and it is drained: they wait, with a reason.
creel node drain 127.0.0.1:8041 --reason "what waits for it is to wait" >/dev/null 2>&1
for _ in $(seq 30); do
    [ "$(apps)" -ge $APPS ] || "$BUILD/bench/submit-rate" "$T/dev/keys" "$client" 20 1 131072 >"$T/submitted" 2>&1
done
count=$(apps)
is "there are at least $APPS applications" true "$([ "$count" -ge $APPS ] && echo true || cat "$T/submitted")"
is "creel app list prints all applications" \
    true "$([ "$(creel app list -o id | sort -u | wc -l)" -ge "$count" ] && echo true)"
before=$(memory_mb)
rm=$(pid_of rm)

"$BUILD/bench/list-load" "$T/dev/keys" "$client" $CLIENTS $TIME >"$T/lists" 2>&1 & children="$children $!"
lists=$!
"$BUILD/bench/list-load" "$T/dev/keys" "$client" 10 $TIME nobody >"$T/empty-lists" 2>&1 & children="$children $!"
empty_lists=$!
"$BUILD/bench/many-agents" "$T/dev/keys" "$agent" $AGENTS $((TIME / 2)) >"$T/agents" 2>&1 & children="$children $!"
agents=$!
for i in 1 2 3; do
    exits "submission $i is accepted while clients list applications" 0 \
        timeout 20 creel submit --id -m 16M -- true
done
exits "a job that waits for resources is accepted while clients list applications" 0 \
    timeout 20 creel submit --id -m 131072M -- true
exits "creel kill accepts the job that waits for resources" 0 timeout 20 creel kill "$OUTPUT"
becomes "all simulated agents register" 20 grep -q "all are registered" "$T/agents"
ends "the simulated agents exit with 0" 0 "$agents" "$T/agents"
like "each heartbeat was answered within five seconds" ", 0 unanswered; " "$(cat "$T/agents")"
ends "the clients that list all applications exit with 0" 0 "$lists" "$T/lists"
like "each client that lists all applications gets pages" \
    "of a client: [1-9][0-9]* to [0-9]+; [0-9]+ busy, 0 unanswered" "$(cat "$T/lists")"
ends "the clients that list the applications of a user without any exit with 0" 0 \
    "$empty_lists" "$T/empty-lists"
like "each client that lists the applications of a user without any gets pages" "of a client: [1-9][0-9]* to [0-9]+; [0-9]+ busy, 0 unanswered" "$(cat "$T/empty-lists")"
memory_is_back() { [ "$(memory_mb)" -le $((before + 64)) ]; }
becomes "the resource manager has released the memory (before: $before MiB)" 20 memory_is_back
is "the resource manager was not restarted" "$rm" "$(pid_of rm)"
finish
