#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# figures.sh - benchmark: measures the figures of docs/performance.md: BUILD=build bench/figures.sh [PART...]
#
# Parts: submissions start tasks agents masters (default: all). Each part has a cluster of its own with one agent,
# started by tests/e2e/lib.sh. Needs root, an otherwise idle machine, and a build without sanitizers.
# COUNTS="1000 10000": numbers of tasks per job for part tasks; AT_ONCE=500: tasks that run at the same time;
# STARTS=101: jobs of part start; AGENTS="1000 10000": numbers of agents for part agents; MASTERS="1000 5000":
# numbers of application masters for part masters; SECONDS_EACH=5: length of a measurement of submissions,
# HEARTBEATS_S=20 of heartbeats.
. "$(dirname "$0")/../tests/e2e/lib.sh"
COUNTS=${COUNTS:-1000 10000}
AT_ONCE=${AT_ONCE:-500}
STARTS=${STARTS:-101}
AGENTS=${AGENTS:-1000 10000}
MASTERS=${MASTERS:-1000 5000}
SECONDS_EACH=${SECONDS_EACH:-5}
HEARTBEATS_S=${HEARTBEATS_S:-20}

# memory_of PID: prints current and peak resident memory; cpu_of PID: prints CPU seconds so far.
memory_of() { awk '/VmRSS|VmHWM/ { kib[$1] = $2 } END { printf "%.1f MiB (at most %.1f)", kib["VmRSS:"] / 1024, kib["VmHWM:"] / 1024 }' "/proc/$1/status"; }
cpu_of() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%.1f", ($12 + $13) / hz }' "/proc/$1/stat"; }
# must COMMAND...: ends the benchmark if COMMAND fails: a figure that was not measured is not printed.
must() { "$@" || { echo "figures.sh: failed: $*" >&2; exit 1; }; }
now_us() { echo "${EPOCHREALTIME/[.,]/}"; }
spread() { sort -n | awk '{ x[NR] = $1 } END { printf "min %.1f, median %.1f, max %.1f ms of %d\n", x[1], x[int((NR + 1) / 2)], x[NR], NR }'; }

# Acknowledged submissions per second, without an agent, so that the RM only handles submissions.
part_submissions() {
    local address agent clients
    agent=$(pid_of agent)
    kill "$agent"
    wait_until 20 gone "$agent"
    address=$(creel dev status --dir "$T/dev" --json | jq -r '.items[0].ports.client')
    echo "idle resource manager: $(memory_of "$(pid_of rm)")"
    for clients in 1 10 100; do
        must "$BUILD/bench/submit-rate" "$T/dev/keys" "127.0.0.1:$address" "$clients" "$SECONDS_EACH"
    done
    echo "resource manager after $(creel app list -o id | wc -l) submissions: $(memory_of "$(pid_of rm)")"
}

# Time from the call of creel submit to the first line of the job's shell.
part_start() {
    local i begin id
    echo "idle resource manager: $(memory_of "$(pid_of rm)"); idle agent: $(memory_of "$(pid_of agent)")"
    for i in $(seq "$STARTS"); do
        begin=$(now_us)
        # shellcheck disable=SC2016 # the job's shell reads the clock
        id=$(creel submit --id -- bash -c 'echo "${EPOCHREALTIME/[.,]/}" >'"$T/out/$i")
        must creel wait "$id" >/dev/null
        awk -v begin="$begin" '{ print ($1 - begin) / 1000 }' "$T/out/$i" >>"$T/starts"
    done
    spread <"$T/starts"
}

# Jobs of many empty tasks on one node, and a job whose tasks all run at the same time.
part_tasks() {
    local count begin id
    for count in $COUNTS; do
        begin=$(now_us)
        id=$(creel submit --id -N "$count" -m 16M -- true)
        must creel wait "$id" --timeout 1800 >/dev/null
        awk -v t=$(($(now_us) - begin)) -v n="$count" 'BEGIN { printf "%d tasks: %.1f s, %.0f a second; ", n, t / 1e6, n * 1e6 / t }'
        creel status "$id" --json | jq -r '.items[0].finalStatus'
        echo "  resource manager $(memory_of "$(pid_of rm)"), $(cpu_of "$(pid_of rm)") s of CPU"
        echo "  agent $(memory_of "$(pid_of agent)"), $(cpu_of "$(pid_of agent)") s of CPU"
        creel container list --app "$id" --json | jq -r '.items[] | select(.master) |
            "  application master \(.memoryPeakBytes / 1048576 * 10 | round / 10) MiB, \(.cpuTimeUs / 1e5 | round / 10) s of CPU"'
    done
    begin=$(now_us)
    id=$(creel submit --id -N "$AT_ONCE" -m 16M -- sleep 1000)
    must wait_until 300 running_is "$id" $((AT_ONCE + 1))
    awk -v t=$(($(now_us) - begin)) -v n="$AT_ONCE" 'BEGIN { printf "%d tasks at once: all run after %.1f s; ", n, t / 1e6 }'
    begin=$(cpu_of "$(pid_of agent)")
    read -rt 20 <> <(:) || true
    awk -v a="$begin" -v b="$(cpu_of "$(pid_of agent)")" 'BEGIN { printf "then the agent takes %.1f %% of a core\n", (b - a) * 5 }'
    echo "  agent $(memory_of "$(pid_of agent)")"
    begin=$(now_us)
    creel kill "$id" >/dev/null 2>&1
    must wait_until 300 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' | grep -q ."
    awk -v t=$(($(now_us) - begin)) 'BEGIN { printf "  killed, nothing is left after %.1f s\n", t / 1e6 }'
}

# One resource manager and many agents without processes, over real connections, during many submissions.
part_agents() {
    local agents agent client begin pid
    agent=$(creel dev status --dir "$T/dev" --json | jq -r '.items[0].ports.agent')
    client=$(creel dev status --dir "$T/dev" --json | jq -r '.items[0].ports.client')
    creel node drain 127.0.0.1:8041 --reason "it runs what it is given" >/dev/null 2>&1
    for agents in $AGENTS; do
        mkfifo "$T/agents"
        begin=$(now_us)
        "$BUILD/bench/many-agents" "$T/dev/keys" "127.0.0.1:$agent" "$agents" "$HEARTBEATS_S" >"$T/agents" & pid=$!
        {
            must read -r _
            awk -v n="$agents" -v t=$(($(now_us) - begin)) 'BEGIN { printf "%d agents have registered after %.1f s; ", n, t / 1e6 }'
            echo "resource manager $(memory_of "$(pid_of rm)"), $(cpu_of "$(pid_of rm)") s of CPU so far"
            must "$BUILD/bench/submit-rate" "$T/dev/keys" "127.0.0.1:$client" 10 "$SECONDS_EACH"
            cat
        } <"$T/agents"
        must wait "$pid"
        echo "  resource manager $(memory_of "$(pid_of rm)"), $(cpu_of "$(pid_of rm)") s of CPU"
        rm "$T/agents"
    done
}

# Unmanaged application masters of one user, each of which sends an Allocate a second, while 100 agents report.
part_masters() {
    local masters client am agent pid begin
    client=$(creel dev status --dir "$T/dev" --json | jq -r '.items[0].ports.client')
    am=$(creel dev status --dir "$T/dev" --json | jq -r '.items[0].ports.am')
    agent=$(creel dev status --dir "$T/dev" --json | jq -r '.items[0].ports.agent')
    for masters in $MASTERS; do
        mkfifo "$T/masters"
        "$BUILD/bench/am-load" "$T/dev/keys" "127.0.0.1:$client" "127.0.0.1:$am" "$masters" "$HEARTBEATS_S" >"$T/masters" & pid=$!
        {
            must read -r _
            begin=$(cpu_of "$(pid_of rm)")
            echo "$masters application masters have registered; resource manager $(memory_of "$(pid_of rm)")"
            must "$BUILD/bench/many-agents" "$T/dev/keys" "127.0.0.1:$agent" 100 "$SECONDS_EACH"
            cat
        } <"$T/masters"
        must wait "$pid"
        awk -v a="$begin" -v b="$(cpu_of "$(pid_of rm)")" 'BEGIN { printf "  resource manager: %.1f s of CPU meanwhile\n", b - a }'
        rm "$T/masters"
    done
}

# The node offers more than it has, so that its size does not limit the number of running tasks. Nor do limits of
# applications and connections, which are for one user and one address.
mkdir "$T/conf"
cat >"$T/conf/yarn-site.xml" <<'X'
<configuration>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>400000</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>16000</value></property>
  <property><name>creel.submit.user-jobs-max</name><value>100000000</value></property>
  <property><name>creel.submit.user-jobs-size-max</name><value>64g</value></property>
  <property><name>creel.gateway.connections-per-address-max</name><value>100000</value></property>
</configuration>
X
cat >"$T/conf/capacity-scheduler.xml" <<'X'
<configuration>
  <property><name>yarn.scheduler.capacity.maximum-applications</name><value>100000000</value></property>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property>
  <property><name>yarn.scheduler.capacity.root.default.capacity</name><value>100</value></property>
</configuration>
X
[ $# -gt 0 ] || set -- submissions start tasks agents masters
for part; do
    cluster_up -n 1 --conf "$T/conf"
    "part_$part"
    creel dev down --dir "$T/dev" >/dev/null 2>&1
done
