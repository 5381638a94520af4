#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Job arrays: one row in lists, tasks with ids of their own, a limit of tasks that run at the same time.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
tasks() { creel status "$1" --json | jq -c '.items[0].tasks | [.running, .succeeded, .failed, .killed]'; }
tasks_are() { [ "$(tasks "$1")" = "$2" ]; }

# shellcheck disable=SC2016 # for the task's shell
a=$(creel submit --id --array 1-9:2%2 -m 32M -n squares -- sh -c 'echo $((CREEL_ARRAY_TASK_ID * CREEL_ARRAY_TASK_ID)) >"$0/$CREEL_ARRAY_TASK_ID"; echo "of $CREEL_ARRAY_TASK_COUNT, $CREEL_ARRAY_TASK_MIN to $CREEL_ARRAY_TASK_MAX, of $CREEL_ARRAY_JOB_ID"; exit $((CREEL_ARRAY_TASK_ID == 5 ? 9 : 0))' "$T/out")
exits "an array ends" 0 creel wait "$a" --timeout 90
is "each task has the CREEL_ARRAY_TASK_ID of its index" "1 9 25 49 81" "$(cat "$T/out/1" "$T/out/3" "$T/out/5" "$T/out/7" "$T/out/9" | paste -sd' ')"
is "the array is FAILED with the exit status of its failed task" "FAILED 9" "$(creel status "$a" --json | jq -r '.items[0] | "\(.state) \(.exitStatus)"')"
like "creel status counts the failed tasks" '1 of 5 tasks failed' "$(creel status "$a")"
is "creel status of a task has its state and exit status" "FAILED 9" "$(creel status "${a##*_}_5" --json | jq -r '.items[0] | "\(.state) \(.exitStatus)"')"
like "creel status names the failed task" 'Failed tasks: *5$' "$(creel status "$a")"
line=$(creel status "$a" | sed -n 's/^ *One of them: *//p')
like "creel status prints a command that shows it" '^creel logs _0*[0-9]*_5$' "$line"
like "and the command works" 'of 5, 1 to 9' "$($line 2>/dev/null)"
like "creel status prints the command that runs failed tasks again" 'Run again: *creel app rerun _0*1 --failed$' "$(creel status "$a")"
web=$(creel dev status --dir "$T/dev" --json | jq -r '.items[] | select(.role == "web") | "http://127.0.0.1:\(.ports.web)"')
page_has() { curl -s "$web/cluster/app/$1" | grep -q "$2"; }
becomes "the page of the array names the failed task" 30 page_has "$a" "Failed tasks: 5 .*creel logs ${a}_5<"
is "JSON counts waiting and failed tasks" "0 1 5" "$(creel status "$a" --json | jq -r '.items[0] | "\(.tasks.waiting) \(.tasks.failed) \(.failedTasks)"')"
check "the array has the use of its tasks" test "$(value .memoryMbSeconds status "$a")" -ge 0
is "creel logs of a task prints its output" \
    "of 5, 1 to 9, of $a" "$(creel logs "_${a##*_}_3" --stdout 2>/dev/null)"
exits "creel status of an unknown task exits with 3" 3 creel status "${a##*_}_2"
like "the error of creel status names the unknown task" 'has no task 2' "$OUTPUT"

b=$(creel submit --id --array 0-99%2 -m 32M -n gates -- sh -c "while [ ! -e '$T/go' ]; do sleep 0.05; done")
becomes "two tasks of an array with %2 run at the same time" 60 tasks_are "$b" '[2,0,0,0]'
is "creel ps shows the array in one row" 1 "$(creel ps -o id | wc -l)"
like "creel ps shows how many tasks run and wait" '_0*7 .* 2/100 .*AtOnce.2 of 100 tasks run, 98 wait' "$(creel ps)"
is "creel app list --tasks shows the running tasks in rows of their own" \
    3 "$(creel app list --tasks --state LIVE -o id | wc -l)"
like "creel app list --tasks names tasks by their index" '_0*7_1 ' "$(creel app list --tasks)"
is "creel why names the reason AtOnce" AtOnce "$(reason_of "$b")"
exits "creel app set --at-once raises the limit" 0 creel app set "$b" --at-once 3
becomes "three tasks run at the same time" 60 tasks_are "$b" '[3,0,0,0]'
is "creel status has the limit that is in force" "0-99%3 3" "$(creel status "$b" | awk '/^Array:/ { a = $2 } /^Parallel tasks:/ { p = $3 } END { print a, p }')"
exits "creel kill accepts a list of running and waiting tasks" 0 creel kill "${b##*_}_[1,10-19]"
becomes "other tasks run in place of the killed ones" 60 tasks_are "$b" '[3,0,0,11]'
exits "creel kill of an ended task is refused" 6 creel kill "${b##*_}_15"
exits "creel kill of an unknown task exits with 3" 3 creel kill "${b##*_}_[100]"
exits "creel kill of indexes that are no list exits with 2" 2 creel kill "${b##*_}[5-]"
like "the error of creel kill names the indexes" 'array 5-' "$OUTPUT"
is "creel why of a task that has not begun explains its array" AtOnce "$(reason_of "${b##*_}_90")"
exits "creel status of a task that has not begun is refused" 6 creel status "${b##*_}_90"
exits "creel wait of a task that has not begun waits" 124 creel wait "${b##*_}_90" --timeout 1s
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
becomes "the array has the same tasks after a restart of the resource manager" 60 tasks_are "$b" '[3,0,0,11]'
exits "creel kill accepts the array" 0 creel kill "$b"
becomes "no task of the array is left" 60 sh -c "! creel app list --tasks --state LIVE -o id | grep ."
is "the array is KILLED" KILLED "$(state "$b")"

c=$(creel submit --id --array 0-99%1 --stop-after-failures 2 -m 32M -- false)
exits "an array with --stop-after-failures ends" 0 creel wait "$c" --timeout 60
like "creel status counts the failed tasks and those that did not begin" \
    '2 of 100 tasks failed; 98 did not begin' "$(creel status "$c")"
like "the line of its tasks counts them, too" 'Tasks: .* 2 failed, 98 did not begin$' "$(creel status "$c")"

d=$(creel submit --id --array 5,7 -m 32M -- sleep 1000)
number=$((10#${d##*_}))
becomes "two tasks of an array run" 60 tasks_are "$d" '[2,0,0,0]'
is "creel status accepts the whole id of an array with an index" 7 "$(value .arrayIndex status "${d}_7")"
becomes "creel container exec accepts a task" 30 sh -c "creel container exec ${number}_7 -- sh -c 'echo \$CREEL_ARRAY_TASK_ID' </dev/null | grep -x 7"
exits "creel container signal accepts a task" 0 creel container signal "_${number}_5" CONT
exits "creel container exec of an array is refused" 3 creel container exec "$number" -- true
like "the error for creel container exec of an array names what is missing" "$d: has no container now" "$OUTPUT"
exits "creel app requeue accepts a task by its number" 0 creel app requeue "${number}_5"
becomes "the task runs in a second attempt" 60 sh -c "creel status ${number}_5 --json | jq -e '.items[0] | .attempt == 2 and .state == \"RUNNING\"'"
like "creel logs of an array names its tasks" "is an array; its tasks have logs, as those of _0*${number}_5" "$(creel logs "$d" 2>&1)"
exits "creel kill accepts the whole id of an array with indexes" 0 creel kill "${d}_[5,7]"
exits "creel run of an array is refused" 2 creel run --array 0-1 -- true

exits "an array without an index is refused" 1 creel submit --array 5-1 -- true
like "the error for an array without an index names the wrong part" \
    'array 5-1: "5-1": expected an index' "$OUTPUT"
exits "an array of more than a million tasks is refused" 1 creel submit --array 0-1000000 -- true
exits "an array of a million tasks is accepted" 0 creel submit --id --array 0-999999%1 -m 32M -- sleep 1000
exits "creel kill accepts an array of a million tasks" 0 creel kill "$(tail -1 <<<"$OUTPUT")"
held=$(creel submit --id --hold --array 0-9 -m 16M -- true)
exits "creel kill accepts all tasks of a held array" 0 creel kill "${held}_[0-9]"
is "a held array is KILLED when all its tasks are killed" "KILLED killed by root" "$(value '| "\(.state) \(.diagnostics)"' status "$held")"
finish
