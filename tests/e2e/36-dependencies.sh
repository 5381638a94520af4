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

exits "an unknown job is refused" 3 creel submit -d ok:999 -- true
like "with its id" 'dependency "ok:999": application 999: not known here' "$OUTPUT"
exits "so is no dependency" 1 creel submit -d soon:1 -- true
like "with those that there are" 'expected ok:ID, any:ID, notok:ID, after:ID or singleton' "$OUTPUT"
exits "the job itself" 1 creel submit -d "ok:$(( $(creel app list --state ALL -o id | tail -1 | sed 's/.*_0*//') + 1 ))" -- true
like "is no other" 'that is the job itself' "$OUTPUT"
exits "and a mixture" 1 creel submit -d 'ok:1,any:2?ok:1' -- true
finish
