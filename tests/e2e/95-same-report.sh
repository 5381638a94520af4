#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The report of an application is the same while it runs, when it has ended, after a restart of the resource manager, and
# when only the history has it, but for the keys that are listed here with a reason. So are its attempts and containers.
. "$(dirname "$0")/lib.sh"
conf_with() { # conf_with N: the resource manager remembers N ended applications
    mkdir -p "$T/conf"
    printf '<configuration><property><name>%s</name><value>%s</value></property></configuration>\n' \
        yarn.resourcemanager.max-completed-applications "$1" >"$T/conf/yarn-site.xml"
}
conf_with 100
cluster_up -n 1 --conf "$T/conf"

# --- what differs, and why --------------------------------------------------------------
# The end itself, and what is measured or counted up to it:
at_the_end='state finalStatus exitStatus diagnostics finishedAt finishedMs elapsedMs progress runningContainers allocated
    memoryMbSeconds vcoreSeconds tasks failedTasks'
# A container has its present use only while it runs:
container_at_the_end='state exitStatus diagnostics finishedAt finishedMs elapsedMs cpuTimeUs memoryBytes memoryPeakBytes
    memoryAdvisedMb readBytes writtenBytes pids pidsPeak figuresAt figuresMs'
# Only a job that waits has a reason for it, and requests:
while_it_lives='reason reasonCode reasonShort pending pendingContainers'
# The history adds up the containers:
history_only='used'
# The history counts the use of an array with its tasks, which it has, too:
of_arrays='memoryMbSeconds vcoreSeconds'

# --- jobs ---------------------------------------------------------------------------------
open=$T/out/open
until_open="while [ ! -e $open ]; do sleep 0.1; done"
declare -A ids
ids[first]=$(creel submit --id -m 32M -n first -- sh -c 'exit 1')
creel wait "${ids[first]}" --timeout 60 >/dev/null
ids[plain]=$(creel submit --id -m 32M -n plain --tag night --tag weekly -T 1h -d "any:${ids[first]}" -- sh -c "$until_open")
ids[tasks]=$(creel submit --id -m 32M -N 2 -n tasks -- sh -c "$until_open")
ids[array]=$(creel submit --id -m 32M --array 1-2 -n array -- sh -c "$until_open; exit \$((CREEL_ARRAY_TASK_ID - 1))")
ids[master]=$(creel submit --id --am -m 32M -n master -- "$BUILD/tests/e2e/notice-master" 2 32 sh -c "$until_open")
ids[killed]=$(creel submit --id -m 32M -n killed -- sleep "$(unlike_others)")
ids[failed]=$(creel submit --id -m 32M -n failed -- sh -c "$until_open; exit 7")
ids[broken]=$(creel submit --id -m 32M -N 2 -n broken -- sh -c 'exit $((CREEL_TASK_INDEX % 2))')
ids[rerun]=$(creel app rerun "${ids[first]}" --json | jq -r '.items[0].id')
for job in plain tasks array master killed failed; do
    becomes "the $job job runs" 60 state_is "${ids[$job]}" RUNNING
done
becomes "the containers of the master run" 60 running_is "${ids[master]}" 3
becomes "the containers of the tasks run" 60 running_is "${ids[tasks]}" 3

# save PHASE: writes the reports of all jobs to $T/PHASE.JOB.KIND.
save() {
    local job
    for job in "${!ids[@]}"; do
        creel status "${ids[$job]}" --json | jq -S '.items[0]' >"$T/$1.$job.status"
        creel app attempts "${ids[$job]}" --json | jq -S '[.items[]] | map({key: .id, value: .}) | from_entries' >"$T/$1.$job.attempts"
        creel app containers "${ids[$job]}" --json | jq -S '[.items[]] | map({key: .id, value: .}) | from_entries' >"$T/$1.$job.containers"
    done
}
# differing JOB KIND BEFORE AFTER KEY...: prints the keys that differ and are not named.
differing() {
    local job=$1 kind=$2 before=$3 after=$4
    shift 4
    jq -rn --slurpfile a "$T/$before.$job.$kind" --slurpfile b "$T/$after.$job.$kind" --arg except "$*" --arg kind "$kind" '
        ($except | split(" ")) as $named |
        def changed($x; $y): [($x + $y | keys[]) | select(. as $k | $named | index($k) | not) | select($x[.] != $y[.])
            | "\(.): \($x[.]) -> \($y[.])"];
        if $kind == "status" then changed($a[0]; $b[0])
        else [$a[0] + $b[0] | keys[] as $id | changed($a[0][$id] // {}; $b[0][$id] // {}) | .[] | "\($id) " + .] end
        | .[]'
}
# same_reports TEXT BEFORE AFTER JOBS CONTAINER-KEYS KEY...
same_reports() {
    local text=$1 before=$2 after=$3 jobs=$4 of_containers=$5 job
    shift 5
    for job in $jobs; do
        is "$text: status of the $job job" "" "$(differing "$job" status "$before" "$after" "$@")"
        is "$text: attempts of the $job job" "" "$(differing "$job" attempts "$before" "$after" $of_containers)"
        is "$text: containers of the $job job" "" "$(differing "$job" containers "$before" "$after" $of_containers)"
    done
}

# --- phases -------------------------------------------------------------------------------
save running
touch "$open"
creel kill "${ids[killed]}" >/dev/null
for job in "${!ids[@]}"; do exits "the $job job ends" 0 creel wait "${ids[$job]}" --timeout 90; done
ids[task]=${ids[array]}_2
have_stopped() { [ "$(creel container list --json | jq '[.items[] | select(.state != "COMPLETE")] | length')" = 0 ]; }
becomes "all containers have stopped" 60 have_stopped
save ended
live="plain tasks array master killed failed"
# shellcheck disable=SC2086 # lists of words
same_reports "the end changes no other key" running ended "$live" "$container_at_the_end" $at_the_end $while_it_lives
for job in broken killed; do
    is "the $job job has diagnostics" true "$(jq '.diagnostics | length > 0' "$T/ended.$job.status")"
done

web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
rest() { curl -s "$web/ws/v1/cluster/apps/${ids[$1]}" | jq -S '.app'; }
rest_of() { [ "$(rest "$1" | jq -r .id)" = "${ids[$1]}" ]; }
for job in $live broken rerun; do rest "$job" >"$T/ended.$job.rest"; done

restart() { kill_nine "$(pid_of rm)"; creel dev up --dir "$T/dev" --conf "$T/conf" >"$T/up.log" 2>&1; }
restart
becomes "the resource manager runs again" 60 state_is "${ids[plain]}" FINISHED
becomes "the node is back" 60 nodes_running_is 1
save restarted
all="first $live broken rerun task"
# shellcheck disable=SC2086
same_reports "a restart changes no other key" ended restarted "$all" ""
for job in $live broken rerun; do
    becomes "REST has the $job job after the restart" 60 rest_of "$job"
    rest "$job" >"$T/rest.after"
    is "REST has the same $job job after the restart" "" "$(diff "$T/ended.$job.rest" "$T/rest.after")"
done

conf_with 1
restart
creel run --quiet -m 32M -n last -- true >/dev/null 2>&1
only_one_is_left() { [ "$(creel app list --json | jq '.items | length')" = 1 ]; }
becomes "the resource manager has forgotten them" 60 only_one_is_left
becomes "the history has the last of them" 60 creel status "${ids[rerun]}"
save forgotten
# shellcheck disable=SC2086
same_reports "the history has the same" restarted forgotten "first plain tasks master killed failed broken rerun task" "" $history_only
# shellcheck disable=SC2086
same_reports "the history has the same" restarted forgotten array "" $history_only $of_arrays
finish
