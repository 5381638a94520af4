#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Job arrays: one row in lists, tasks with ids of their own, a limit of tasks at a time.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
tasks() { creel status "$1" --json | jq -c '.items[0].tasks | [.running, .succeeded, .failed]'; }
tasks_are() { [ "$(tasks "$1")" = "$2" ]; }

# shellcheck disable=SC2016 # for the task's shell
a=$(creel submit --id --array 1-9:2%2 -m 32M -n squares -- sh -c 'echo $((CREEL_ARRAY_TASK_ID * CREEL_ARRAY_TASK_ID)) >"$0/$CREEL_ARRAY_TASK_ID"; echo "of $CREEL_ARRAY_TASK_COUNT, $CREEL_ARRAY_TASK_MIN to $CREEL_ARRAY_TASK_MAX, of $CREEL_ARRAY_JOB_ID"; exit $((CREEL_ARRAY_TASK_ID == 5 ? 9 : 0))' "$T/out")
exits "an array runs to its end" 0 creel wait "$a" --timeout 90
is "each task had its number" "1 9 25 49 81" "$(cat "$T/out/1" "$T/out/3" "$T/out/5" "$T/out/7" "$T/out/9" | paste -sd' ')"
is "it fails as one of them does" "FAILED 9" "$(creel status "$a" --json | jq -r '.items[0] | "\(.state) \(.exitStatus)"')"
like "and counts them" '1 of 5 tasks failed' "$(creel status "$a")"
is "a task is an application" "FAILED 9" "$(creel status "${a##*_}_5" --json | jq -r '.items[0] | "\(.state) \(.exitStatus)"')"
is "with logs" "of 5, 1 to 9, of $a" "$(creel logs "_${a##*_}_3" --stdout 2>/dev/null)"
exits "one that is none" 3 creel status "${a##*_}_2"
like "is not there" 'has no task 2' "$OUTPUT"

b=$(creel submit --id --array 0-99%2 -m 32M -n gates -- sh -c "while [ ! -e '$T/go' ]; do sleep 0.05; done")
becomes "two tasks at a time" 60 tasks_are "$b" '[2,0,0]'
is "are one row of ps" 1 "$(creel ps -o id | wc -l)"
like "with what waits" '_0*7 .*98 of 100 tasks wait' "$(creel ps)"
is "and rows of their own with --tasks" 3 "$(creel app list --tasks --state LIVE -o id | wc -l)"
like "named by their index" '_0*7_1 ' "$(creel app list --tasks)"
is "why names the limit" AtOnce "$(reason_of "$b")"
exits "the limit is raised" 0 creel app set "$b" --at-once 3
becomes "and three run" 60 tasks_are "$b" '[3,0,0]'
exits "tasks are killed, those that wait, too" 0 creel kill "${b##*_}_[1,10-19]"
becomes "others follow" 60 tasks_are "$b" '[3,0,11]'
exits "a task that is over is not killed again" 6 creel kill "${b##*_}_15"
exits "nor one that is none" 3 creel kill "${b##*_}_[100]"
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
becomes "the resource manager comes back with it" 60 tasks_are "$b" '[3,0,11]'
exits "the rest is killed" 0 creel kill "$b"
becomes "all of it" 60 sh -c "! creel app list --tasks --state LIVE -o id | grep ."
is "it is KILLED" KILLED "$(state "$b")"

c=$(creel submit --id --array 0-99%1 --stop-after-failures 2 -m 32M -- false)
exits "failures stop an array" 0 creel wait "$c" --timeout 60
like "with the reason" '2 of 100 tasks failed; 98 did not begin' "$(creel status "$c")"

exits "an array of nothing is refused" 1 creel submit --array 5-1 -- true
like "with the part" 'array 5-1: "5-1": expected an index' "$OUTPUT"
exits "and one of too many" 1 creel submit --array 0-1000000 -- true
exits "a million tasks are accepted" 0 creel submit --id --array 0-999999%1 -m 32M -- sleep 1000
exits "and killed" 0 creel kill "$(tail -1 <<<"$OUTPUT")"
finish
