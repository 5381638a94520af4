#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A cluster of the last release is upgraded part by part under load, the resource manager or the agents first: no
# container notices, no job fails, and nothing that ended before is lost. OLD is the build folder of the last release.
. "$(dirname "$0")/../e2e/lib.sh"
: "${OLD:?OLD must name the build folder of the last release}"
OLD=$(cd "$OLD" && pwd)
nodes=2

old() { "$OLD/creel" "$@"; }
payloads() { pgrep -xf "sleep $naptime" | sort; }
payloads_are() { [ "$(payloads | wc -l)" = "$1" ]; }
program_of() { readlink "/proc/$(pid_of "$@")/exe"; }

# stop_daemon ROLE INDEX: as systemctl stop does.
stop_daemon() { local pid; pid=$(pid_of "$@"); kill -TERM "$pid"; wait_until 60 gone "$pid"; }
start_new() { creel dev up --dir "$T/dev" -n "$nodes" >"$T/up.log" 2>&1 || { cat "$T/up.log"; return 1; }; }

upgrade_rm() {
    stop_daemon rm
    check "the new resource manager starts on the state of the old one" start_new
    is "it is the new program" "$BUILD/creel-rm" "$(program_of rm)"
    is "it has kept a copy of the old state" 1 "$(find "$T/dev/rm/state" -name 'state.db.schema-4-*Z' | wc -l)"
}

upgrade_agents() {
    local index
    for ((index = 0; index < nodes; index++)); do
        stop_daemon agent "$index"
        check "the new agent $index starts on the state of the old one" start_new
        is "it is the new program" "$BUILD/creel-nm" "$(program_of agent "$index")"
    done
}

# Runs one job after another, with the old and the new client in turn, until $T/enough is there.
run_jobs() {
    local client number=0
    while [ ! -e "$T/enough" ]; do
        for client in "$OLD" "$BUILD"; do
            "$client/creel" run --quiet --timeout 5m -m 32M -- true >>"$T/jobs.log" 2>&1 || echo "$client" >>"$T/failed"
            number=$((number + 1))
        done
        echo "$number" >"$T/jobs.new" && mv "$T/jobs.new" "$T/jobs"
    done
}
jobs_exceed() { [ "$(cat "$T/jobs" 2>/dev/null || echo 0)" -gt "$1" ]; }

# nothing_lost WHEN: what must hold after each step.
nothing_lost() {
    local now
    becomes "$1: all nodes are in service" 60 nodes_running_is "$nodes"
    is "$1: the containers are the same processes" "$before" "$(payloads)"
    becomes "$1: the job of tasks runs" 30 running_is "$tasks" 3
    is "$1: the old client sees it, too" RUNNING "$(old status "$tasks" --json | jq -r '.items[0].state')"
    wait_until 60 test -s "$T/jobs"
    now=$(cat "$T/jobs")
    becomes "$1: further jobs run" 120 jobs_exceed $((now + 2))
}

# upgrade_in_order STEP...: STEP is rm or agents.
upgrade_in_order() {
    local step ended jobs
    rm -f "$T/enough" "$T/failed" "$T/jobs"
    check "a cluster of the last release comes up" old dev up --dir "$T/dev" -n "$nodes"
    eval "$(old dev env --dir "$T/dev")"
    # shellcheck disable=SC2034  # for lib.sh
    cgroup=$(sed -n 's|.*<value>/\(creel-dev-[0-9a-f]*\)-1</value>.*|\1|p' "$T/dev/agent-1/conf/creel-site.xml")
    naptime=$(unlike_others)
    tasks=$(old submit --id -N 2 -m 64M -- sleep "$naptime")
    becomes "a job of tasks runs" 60 payloads_are 2
    before=$(payloads)
    exits "a job of the last release ends with its status" 3 old run -m 32M -- sh -c 'exit 3'
    ended=$(old app list --state FAILED --json | jq -r '.items[0].id')
    old submit --id --hold -m 32M -- true >"$T/held"
    run_jobs &
    jobs=$!
    for step; do
        "upgrade_$step"
        nothing_lost "after the upgrade of $step"
    done
    touch "$T/enough"
    wait "$jobs"
    is "no job failed meanwhile" "" "$(cat "$T/failed" 2>/dev/null)"
    is "an application that had ended is still known" 3 "$(value .exitStatus status "$ended")"
    is "the history has it, too" "$ended" "$(creel history apps --state FAILED --json | jq -r '.items[-1].id')"
    is "and its use" 1 "$(creel history usage --by user --json | jq '.items[0].failed')"
    check "an application that the old version holds is released" creel release "$(cat "$T/held")"
    becomes "and runs" 60 state_is "$(cat "$T/held")" FINISHED
    check "the state is complete" creel cluster health
}

# The old program must leave a state alone that it does not understand.
go_back() {
    stop_daemon rm
    timeout -k 5 20 "$OLD/creel-rm" --conf "$T/dev/conf" >"$T/back.log" 2>&1
    check "after a start of the old program the new one continues" start_new
    becomes "the job of tasks still runs" 60 running_is "$tasks" 3
    is "its containers are the same processes" "$before" "$(payloads)"
}

upgrade_in_order rm agents
go_back
check "the cluster is removed" creel dev down --dir "$T/dev"
upgrade_in_order agents rm
finish
