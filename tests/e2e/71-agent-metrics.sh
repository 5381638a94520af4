#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Metrics of agents: each is there, and moves with what it counts: a job, its files and logs, a kill for memory, containers
# that an agent finds after the loss of its state.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
url=http://127.0.0.1:$(creel dev status --dir "$T/dev" --json | jq '.items[] | select(.role == "agent").ports.http')/metrics
metrics() { curl -sS -m 20 "$url"; }
# metric SAMPLE: prints the value of a sample, NAME or NAME{LABELS}.
metric() { metrics | awk -v name="$1" 'index($0, name " ") == 1 { print $NF }'; }
# metric_is EXPRESSION SAMPLE: true if EXPRESSION of awk holds for its value v; numbers may be written as 1e+06.
metric_is() { metric "$2" | awk "{ v = \$1 + 0; good = ($1) } END { exit !good }"; }
registered() { metric_is "v == 1" creel_agent_registered; }
becomes "the agent is registered" 30 registered

# --- every metric is there
families=$(metrics | sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p')
for name in registered rm_rtt_seconds containers container_start_seconds localize_seconds localize_bytes_total oom_kills_total \
    memory_bytes cpu_seconds_total disk_free_bytes disk_ok health_ok log_bytes_total orphans_killed_total; do
    like "/metrics has creel_agent_$name" "^creel_agent_$name\$" "$families"
done
for name in cpu_seconds_total resident_memory_bytes virtual_memory_bytes start_time_seconds open_fds max_fds; do
    like "/metrics has process_$name" "^process_$name\$" "$families"
done
# The kernel measures pressure for groups of cgroup v2 alone.
pressure=$(find /sys/fs/cgroup -path "*/$cgroup-1/*/cpu.pressure" 2>/dev/null | head -1)
is "pressure is there if the kernel measures it" "$([ -n "$pressure" ] && echo 1 || echo 0)" "$(grep -cx creel_agent_pressure_ratio <<<"$families")"
for kind in total allocated used limit anon file shmem kernel; do
    like "the memory has the kind $kind" '^[0-9.e+]+$' "$(metric "creel_agent_memory_bytes{kind=\"$kind\"}")"
done
check "the limit of memory is at most that of the machine" \
    metric_is "v > 0 && v <= $(awk '/^MemTotal:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)" 'creel_agent_memory_bytes{kind="limit"}'
check "the agent is healthy" metric_is "v == 1" creel_agent_health_ok
check "a heartbeat takes more than no time, and less than a minute" metric_is "v > 0 && v < 60" creel_agent_rm_rtt_seconds
for dir in state local logs; do
    check "the disk of $dir is good" metric_is "v == 1" "creel_agent_disk_ok{dir=\"$T/dev/agent-1/$dir\"}"
    check "and has free space" metric_is "v > 0" "creel_agent_disk_free_bytes{dir=\"$T/dev/agent-1/$dir\"}"
done

# --- a job with a file and logs
head -c 200000 /dev/urandom >"$T/data"
for name in container_start_seconds_count localize_seconds_count localize_bytes_total log_bytes_total; do
    check "creel_agent_$name is 0 before the first job" metric_is "v == 0" "creel_agent_$name"
done
id=$(creel submit --id -f "$T/data" -- sh -c 'echo twelve bytes; i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exec sleep $0' "$(unlike_others)")
becomes "the job runs" 60 state_is "$id" RUNNING
runs() { metric_is "v == 1" 'creel_agent_containers{state="running"}'; }
becomes "one container runs" 20 runs
check "its start is counted" metric_is "v == 1" creel_agent_container_start_seconds_count
check "it took some time" metric_is "v > 0 && v < 60" creel_agent_container_start_seconds_sum
check "the highest bucket has it" metric_is "v == 1" 'creel_agent_container_start_seconds_bucket{le="+Inf"}'
check "the fetch of its files is counted" metric_is "v == 1" creel_agent_localize_seconds_count
check "with their bytes" metric_is "v >= 200000 && v < 400000" creel_agent_localize_bytes_total
log_counted() { metric_is "v == 13" creel_agent_log_bytes_total; }
becomes "what it has written to its log is counted while it runs" 30 log_counted
used_cpu() { metric_is "v > 0.01" creel_agent_cpu_seconds_total; }
becomes "its processor time is counted" 30 used_cpu
check "it has memory" metric_is "v > 0" 'creel_agent_memory_bytes{kind="anon"}'

# --- a kill for memory
oom=$(creel submit --id -m 16M -- sh -c 'head -c 100m /dev/zero | tail -c 90m >/dev/null; exit $?')
creel wait "$oom" --timeout 60 >"$T/wait" 2>&1
is "a job over its memory limit fails" FAILED "$(state "$oom")"
killed() { metric_is "v >= 1" 'creel_agent_oom_kills_total{scope="container"}'; }
becomes "its kill is counted for the container" 20 killed
check "and not for the slice" metric_is "v == 0" 'creel_agent_oom_kills_total{scope="slice"}'

# --- containers whose state is lost
check "no orphan was ended so far" metric_is "v == 0" creel_agent_orphans_killed_total
kill_nine "$(pid_of agent)"
rm -r "$T/dev/agent-1/state/containers"
exits "the agent is started again" 0 creel dev up --dir "$T/dev" -n 1
becomes "the agent registers again" 60 registered
check "the container whose state was lost is counted as an orphan" metric_is "v == 1" creel_agent_orphans_killed_total
creel kill "$id" >"$T/kill.log" 2>&1
finish
