#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A second attempt of a job of tasks runs only the tasks that had not ended in the first one.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2

runs() { cat "$T/out/$1" 2>/dev/null; }
runs_are() { [ "$(runs "$1" | sort | paste -sd' ')" = "$2" ]; }
tasks_are() { [ "$(value '.tasks | "\(.running) \(.succeeded) \(.failed)"' status "$1")" = "$2" ]; }
attempt_is() { [ "$(value .attempt status "$1")" = "$2" ]; }
# The process of the application master of ID, found by the container in its environment.
master_of() {
    local container
    container=$(creel container list --app "$1" --json | jq -r '[.items[] | select(.master and .state == "RUNNING")][0].id')
    grep -lz "^CREEL_CONTAINER_ID=$container\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 |
        while read -r pid; do tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q '__task-master' && echo "$pid"; done | tail -n 1
}
kill_master() { local pid; pid=$(master_of "$1"); [ -n "$pid" ] && kill -9 "$pid"; }

# Tasks 0 to 2 end at once, task 1 with exit status 7; the others wait for a file.
task='echo "$CREEL_TASK_INDEX" >>"$0"; [ "$CREEL_TASK_INDEX" -lt 3 ] && exit $((CREEL_TASK_INDEX == 1 ? 7 : 0)); while [ ! -e "$0.go" ]; do sleep 0.1; done'
id=$(creel submit --id -N 6 -m 32M -- sh -c "$task" "$T/out/one")
becomes "three tasks of a job end and three wait" 60 tasks_are "$id" "3 2 1"
check "the application master is killed" kill_master "$id"
becomes "the second attempt of the first job starts" 60 attempt_is "$id" 2
becomes "the second attempt runs only the tasks that had not ended" 60 runs_are one "0 1 2 3 3 4 4 5 5"
becomes "the second attempt knows the results of the ended tasks" 60 tasks_are "$id" "3 2 1"
touch "$T/out/one.go"
exits "the job ends" 0 creel wait "$id" --timeout 60
is "the exit status of the job is that of a task of the first attempt" 7 "$(value .exitStatus status "$id")"
is "a job of tasks that failed is FAILED" "FAILED FAILED" "$(value '| "\(.state) \(.finalStatus)"' status "$id")"
is "creel app list --state FAILED lists a job of tasks that failed" "$id" "$(creel app list --state FAILED -o id)"
is "no task of the first job that had ended ran again" "0 1 2 3 3 4 4 5 5" "$(runs one | sort | paste -sd' ')"
is "the tasks of both attempts are counted" \
    "5 1" "$(value '.tasks | "\(.succeeded) \(.failed)"' status "$id")"
like "the application master logs how many tasks had ended" '3 of 6 tasks ended in an attempt before this one' "$(creel logs "$id" 02_000001 2>&1)"

# The same when the resource manager is killed in between.
id=$(creel submit --id -N 6 -m 32M -- sh -c "$task" "$T/out/two")
becomes "three tasks of a second job end and three wait" 60 tasks_are "$id" "3 2 1"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null
becomes "the tasks of the second job continue after a restart of the resource manager" 60 \
    tasks_are "$id" "3 2 1"
becomes "the application master is killed" 30 kill_master "$id"
becomes "the second attempt of the job starts" 60 attempt_is "$id" 2
becomes "the second attempt runs only the tasks that had not ended" 60 runs_are two "0 1 2 3 3 4 4 5 5"
touch "$T/out/two.go"
exits "the job ends" 0 creel wait "$id" --timeout 60
is "the exit status of the second job is that of a task of the first attempt" \
    7 "$(value .exitStatus status "$id")"
is "no task of the second job that had ended ran again" \
    "0 1 2 3 3 4 4 5 5" "$(runs two | sort | paste -sd' ')"

# An application master of libcreel stores its own state.
id=$(creel submit --id --am -m 64M -- "$BUILD/tests/e2e/notice-master" 3 32 sh -c \
    "echo run >>$T/out/three; mkdir $T/out/w1 2>/dev/null && exit; mkdir $T/out/w2 2>/dev/null && exit; while [ ! -e $T/out/three.go ]; do sleep 0.1; done")
becomes "two of three workers of a libcreel application master end" 60 running_is "$id" 2
becomes "all three workers have run" 30 runs_are three "run run run"
pid=$(pgrep -f "notice-master 3 32 sh -c echo run >>$T/out/three" | head -n 1)
check "the libcreel application master is killed" kill -9 "$pid"
becomes "the second attempt of the job starts" 60 attempt_is "$id" 2
becomes "the second attempt runs one worker" 60 runs_are three "run run run run"
touch "$T/out/three.go"
exits "the job ends" 0 creel wait "$id" --timeout 60
is "no worker that had ended ran again" "run run run run" "$(runs three | paste -sd' ')"
like "the application master reads its stored state" 'continues after 2' "$(creel logs "$id" 02_000001 2>&1)"
finish
