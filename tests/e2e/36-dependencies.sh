#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Jobs that wait for other jobs.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
reason_is() { [ "$(reason_of "$1")" = "$2" ]; }
gate() { creel submit --id -m 32M -n "$1" -- sh -c "while [ ! -e '$T/$1' ]; do sleep 0.05; done; exit ${2:-0}"; }
after() { creel submit --id -m 32M -n after -d "$1" -- true; }

good=$(gate good) bad=$(gate bad 7)
both=$(after "ok:$good,any:$bad") never=$(after "ok:$bad") chained=$(after "ok:$never") notok=$(after "afternotok:$bad")
started=$(after "after:$good")
becomes "a job waits for two" 30 reason_is "$both" Dependency
becomes "ps shows for which" 30 sh -c "creel ps | grep -E '_0003 .*Dependency\(_0001 runs'"
like "and why what has to become of them" 'has to succeed first, and 1 more' "$(creel why "$both")"
is "status has them as data" '[["ok","WAITS"],["any","WAITS"]]' "$(creel status "$both" --json | jq -c '[.items[0].dependencies[] | [.condition, .state]]')"
exits "after: a start is enough" 0 creel wait "$started" --timeout 60
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
is "they wait after a restart, too" Dependency "$(reason_of "$both")"
touch "$T/bad"
becomes "a job that can never begin is killed" 60 state_is "$never" KILLED
like "with the reason" "Dependency: _0002 failed \(exit status 7\)" "$(creel status "$never")"
becomes "and what depends on it" 60 state_is "$chained" KILLED
exits "the one for a failure runs" 0 creel wait "$notok" --timeout 60
is "the other still waits" Dependency "$(reason_of "$both")"
touch "$T/good"
exits "until the last has ended" 0 creel wait "$both" --timeout 60
is "then it ran" FINISHED "$(state "$both")"

late=$(after "ok:$good")
exits "one that has ended is remembered" 0 creel wait "$late" --timeout 60
is "and met at once" FINISHED "$(state "$late")"
late=$(after "ok:$bad")
becomes "or never" 30 state_is "$late" KILLED

one=$(gate one) two=$(creel submit --id -m 32M -n one -d singleton -- true)
becomes "a singleton waits for the job of its name" 30 reason_is "$two" Dependency
touch "$T/one"
exits "and follows it" 0 creel wait "$two" --timeout 60
is "which ended first" FINISHED "$(state "$one")"

wide=$(creel submit --id -m 16M --array 1-3 -- sh -c "while [ ! -e '$T/wide'\$CREEL_ARRAY_TASK_ID ]; do sleep 0.05; done; exit \$((CREEL_ARRAY_TASK_ID == 2))")
each=$(creel submit --id -m 16M --array 1-3 -d "corr:$wide" -- true)
becomes "tasks wait for those of another array" 30 reason_is "$each" Dependency
like "and why names it" 'runs, 0 of 3 tasks ended, and each of its tasks has to succeed before the one with the same index' "$(creel why "$each")"
touch "$T/wide3"
becomes "each follows its own" 60 value_is .tasks.succeeded 1 status "$each"
is "and no other" "0 0" "$(creel status "$each" --json | jq -r '.items[0].tasks | "\(.running) \(.failed)"')"
touch "$T/wide2"
becomes "one whose own failed fails with it" 60 value_is .tasks.failed 1 status "$each"
touch "$T/wide1"
exits "the array ends with the others" 0 creel wait "$each" --timeout 60
like "with the reason" '1 of 3 tasks failed; Dependency: task 2 of _[0-9]* failed' "$(creel status "$each")"
late=$(creel submit --id -m 16M --array 1,3 -d "aftercorr:$wide" -- true)
exits "an array that has ended is remembered, with its tasks" 0 creel submit --wait -m 16M -d "ok:$late" -- true
exits "an array that has not all of them is refused" 1 creel submit --array 1-4 -d "corr:$wide" -- true
like "with the index" 'has no task 4' "$OUTPUT"
exits "so is a job that is no array" 1 creel submit --array 1-4 -d "corr:$one" -- true

exits "an unknown job is refused" 3 creel submit -d ok:999 -- true
like "with its id" 'dependency "ok:999": application 999: not known here' "$OUTPUT"
exits "so is no dependency" 1 creel submit -d soon:1 -- true
like "with those that there are" 'expected ok:ID, any:ID, notok:ID, after:ID, corr:ID or singleton' "$OUTPUT"
exits "the job itself" 1 creel submit -d "ok:$(( $(creel app list --state ALL -o id | tail -1 | sed 's/.*_0*//') + 1 ))" -- true
like "is no other" 'that is the job itself' "$OUTPUT"
exits "and a mixture" 1 creel submit -d 'ok:1,any:2?ok:1' -- true
finish
