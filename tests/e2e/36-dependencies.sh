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
becomes "a job with two dependencies waits with reason Dependency" 30 reason_is "$both" Dependency
becomes "creel ps shows the job that it depends on" 30 \
    sh -c "creel ps | grep -E '_0003 .*Dependency\(_0001 runs'"
like "creel why has the condition of one dependency and counts the other" \
    'has to succeed first, and 1 more' "$(creel why "$both")"
is "creel status --json has the conditions and states of both dependencies" '[["ok","WAITS"],["any","WAITS"]]' "$(creel status "$both" --json | jq -c '[.items[0].dependencies[] | [.condition, .state]]')"
either=$(after "notok:$good?any:$bad")
like "creel why says that one dependency is enough" '; one of 2 dependencies is enough' "$(creel why "$either")"
is "and so does creel status --json" true "$(creel status "$either" --json | jq '.items[0].oneDependencyIsEnough')"
exits "a job with after:ID ends while the other job runs" 0 creel wait "$started" --timeout 60
kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" >/dev/null 2>&1
is "the job still waits after a restart of the resource manager" Dependency "$(reason_of "$both")"
touch "$T/bad"
becomes "a job whose dependency can no longer be met is KILLED" 60 state_is "$never" KILLED
like "creel status names the failed dependency" \
    "Dependency: _0002 failed \(exit status 7\)" "$(creel status "$never")"
becomes "a job that depends on the killed job is KILLED" 60 state_is "$chained" KILLED
exits "a job with afternotok:ID ends after the failure of the other job" 0 creel wait "$notok" --timeout 60
is "the job with two dependencies still waits for the other one" Dependency "$(reason_of "$both")"
touch "$T/good"
exits "the job with two dependencies ends when the last one has ended" 0 creel wait "$both" --timeout 60
is "the job with two dependencies is FINISHED" FINISHED "$(state "$both")"

late=$(after "ok:$good")
exits "a job that depends on an ended job ends" 0 creel wait "$late" --timeout 60
is "the job that depends on an ended job is FINISHED" FINISHED "$(state "$late")"
late=$(after "ok:$bad")
becomes "a job with ok:ID of a failed job is KILLED" 30 state_is "$late" KILLED

one=$(gate one) two=$(creel submit --id -m 32M -n one -d singleton -- true)
becomes "a job with -d singleton waits for the job of the same name" 30 reason_is "$two" Dependency
touch "$T/one"
exits "the job with -d singleton ends after that job" 0 creel wait "$two" --timeout 60
is "the other job of the same name is FINISHED" FINISHED "$(state "$one")"

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
like "creel status names the failed dependency" \
    '1 of 3 tasks failed; Dependency: task 2 of _[0-9]* failed' "$(creel status "$each")"
late=$(creel submit --id -m 16M --array 1,3 -d "aftercorr:$wide" -- true)
exits "an array that has ended is remembered, with its tasks" 0 creel submit --wait -m 16M -d "ok:$late" -- true
exits "an array that has not all of them is refused" 1 creel submit --array 1-4 -d "corr:$wide" -- true
like "with the index" 'has no task 4' "$OUTPUT"
exits "so is a job that is no array" 1 creel submit --array 1-4 -d "corr:$one" -- true

exits "a dependency on an unknown job is refused" 3 creel submit -d ok:999 -- true
like "the error for an unknown job in a dependency names both" \
    'dependency "ok:999": application 999: not known here' "$OUTPUT"
exits "an unknown kind of dependency is refused" 1 creel submit -d soon:1 -- true
like "the error for an unknown kind of dependency lists the kinds" \
    'expected ok:ID, any:ID, notok:ID, after:ID, corr:ID or singleton' "$OUTPUT"
exits "a dependency on the job itself is refused" 1 creel submit -d "ok:$(( $(creel app list --state ALL -o id | tail -1 | sed 's/.*_0*//') + 1 ))" -- true
like "the error for a dependency on itself reports that it is the job itself" \
    'that is the job itself' "$OUTPUT"
exits "dependencies with both , and ? are refused" 1 creel submit -d 'ok:1,any:2?ok:1' -- true
finish
