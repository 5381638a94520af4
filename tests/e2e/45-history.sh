#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ended applications that the resource manager has forgotten are read from the history.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
printf '<configuration><property><name>%s</name><value>%s</value></property></configuration>\n' \
    yarn.resourcemanager.max-completed-applications 2 >"$T/conf/yarn-site.xml"
cluster_up -n 1 --conf "$T/conf"
history() { creel history apps --quiet --json "$@" | jq -r '[.items[].name] | join(" ")'; }
history_is() { local expected=$1; shift; [ "$(history "$@")" = "$expected" ]; }

is "nothing has ended yet" "" "$(history)"
first=$(creel submit --id -m 32M -n first -- sh -c 'echo the first; exit 3')
creel wait "$first" --timeout 60 >/dev/null
tasks=$(creel submit --id -m 32M -n tasks -N 3 -- sh -c 'exit $((CREEL_TASK_INDEX == 1))')
creel wait "$tasks" --timeout 60 >/dev/null
for i in 1 2 3; do creel run -m 32M -n "more-$i" -- true >/dev/null 2>&1; done
becomes "all that ended are listed, the last one first" 60 history_is "more-3 more-2 more-1 tasks first"
is "the resource manager keeps two of them" 2 "$(creel app list --json | jq '.items | length')"

names() { creel app list --quiet --json "$@" | jq -r '[.items[].name] | join(" ")'; }
is "app list has the last ones that were submitted" "more-3" "$(names --limit 1)"
like "and a hint about the others" 'there are 1 more: --limit 2' "$(creel app list --limit 1 2>&1)"
is "app list by the time of the submission" "more-2 more-3 " "$(names --since 1h) $(names --until 1h)"
exits "a false number is refused" 2 creel app list --limit many
exits "and an order of times" 2 creel app list --since 1h --until 2h
is "by name" "more-2 first" "$(history -n 'more-2') $(history -n 'fir*')"
is "by state" "first" "$(history --state FAILED)"
is "by user" "" "$(history -u nobody)"
is "by queue" "more-3 more-2 more-1 tasks first" "$(history -q default)"
is "by the time of the end" "" "$(history --until 2h)"
is "the last ones" "more-3 more-2" "$(history --limit 2)"
like "a hint names the others" 'there are more: --limit 20' "$(creel history apps --limit 2 2>&1)"
exits "a false time is refused" 2 creel history apps --since soon
like "with what is expected" '--since soon: expected a time' "$OUTPUT"

is "status answers from the history" "FAILED 3 first" "$(creel status "$first" --json | jq -r '.items[0] | "\(.state) \(.exitStatus) \(.name)"')"
becomes "with what its containers used" 30 value_is .used.containers 1 status "$first"
like "and where they ran" 'Nodes: +.+:[0-9]+' "$(creel status "$first")"
is "its containers are listed" 3 "$(creel app containers "$first" --json | jq '.items[0].exitStatus')"
is "a number is enough" "$first" "$(value .id status "${first##*_}")"
like "logs finds its output" "^the first$" "$(creel logs "$first")"
# The application master exits with the status of the failed task.
is "containers of several tasks are added up" "4 2" "$(creel status "$tasks" --json | jq -r '.items[0].used | "\(.containers) \(.failedContainers)"')"
exits "wait has nothing to wait for" 0 creel wait "$first" --timeout 10
is "usage adds up the applications of a queue by result" "1 5 3 2 0" \
    "$(creel history usage --by queue --json | jq -r '"\(.items | length) \(.items[0] | "\(.jobs) \(.succeeded) \(.failed) \(.killed)")"')"
is "by day" 5 "$(creel history usage --by day --since 1d --json | jq '[.items[].jobs] | add')"
is "by hour, with the time at which it begins" "5 0" \
    "$(creel history usage --by hour --json | jq -r '"\([.items[].jobs] | add) \([.items[].beginMs % 900000] | add)"')"
is "by state" "1" "$(creel history usage --state FAILED --json | jq '.items[0].jobs')"
is "by user, of those with such a name" "3" "$(creel history usage -n 'more-*' --json | jq '.items[0].jobs')"
like "as CSV" '^[a-z]+,5,3,2,0,' "$(creel history usage --csv | tail -1)"
exits "a group that does not exist is refused" 2 creel history usage --by planet
like "with the groups" "expected user, queue, hour or day" "$OUTPUT"
busy=$(creel submit --id -m 64M -n busy -- sh -c 'timeout 4 sh -c "while :; do :; done"; exit 0')
creel wait "$busy" --timeout 60 >/dev/null
busy_percent() { creel history efficiency "$busy" --json | jq '.items[0] | .cpuPercent > 30 and .cpuPercent <= 110 and .memoryPercent > 0 and .memoryPercent < 100'; }
is "efficiency of one application that the resource manager has" true "$(busy_percent)"
busy_in_history() { creel history efficiency -n busy --json | jq -e '.items[0].cpuPercent > 30'; }
becomes "and from the history" 30 busy_in_history
is "sums of users" true "$(creel history efficiency --by user --json | jq '.items[0] | .jobs == 6 and .cpuTimeUs > 1000000')"
exits "an option that chooses excludes an ID" 2 creel history efficiency "$busy" -u ann
plain=$(creel submit --id -n plain -- true)
exits "a job of the default size" 0 creel wait "$plain"
size=$(value .requested.memoryMb status "$plain")
becomes "has the size of its containers in the history" 20 \
    sh -c "creel history apps -n plain --json | jq -e '.items[0].requested.memoryMb == $size and $size > 0'"
is "fields of sacct" "$first,first,3:0,root.default,FAILED" \
    "$(creel history apps -n first --csv --no-header --fields jobid,JobName%30,EXITCODE,account,State | tr -d "\r")"
like "times as sacct prints them, and nodes" '^[0-9-]+T[0-9:]+,00:00:0[0-9],[^,:]+$' \
    "$(creel history apps -n first --no-header --csv --format End,Elapsed,NodeList | tr -d "\r")"
exits "a field that does not exist is refused" 2 creel history apps --fields JobID,Shoe
like "with the names of all" 'no field "Shoe"; there are: JobID,.*NodeList' "$OUTPUT"
exits "fields are not for JSON" 2 creel history apps --fields JobID --json
like "history app shows one" "$first" "$(creel history app "$first" | head -1)"
exits "a job that depends on its failure runs" 0 creel run -m 32M -n notok -d "notok:$first" -- true
never=$(creel submit --id -m 32M -n never -d "ok:$first" -- true)
becomes "one that depends on its success never does" 60 state_is "$never" KILLED
like "with the reason" 'Dependency: _0001 failed \(exit status 3\)' "$(creel status "$never")"
exits "an application that never was is refused" 3 creel submit -m 32M -d "any:${first%_*}_4711" -- true
exits "it cannot be killed" 6 creel kill "$first"
exits "an id that never was is unknown" 3 creel status 4711

kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" --conf "$T/conf" >/dev/null 2>&1
is "a restart loses nothing" "never notok plain busy more-3 more-2 more-1 tasks first" "$(history)"
file=$(echo "$T"/dev/rm/state/history/*.db)
is "the file is an SQLite database of its own" 9 "$(python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM apps").fetchone()[0])' "$file")"
stop=$(pid_of rm)
kill "$stop"
becomes "the resource manager stops" 60 gone "$stop"
for f in "$file" "$file-wal"; do yes damaged | head -c 65536 >"$f"; done
creel dev up --dir "$T/dev" --conf "$T/conf" >/dev/null 2>&1
exits "with a damaged file it starts, and jobs run" 0 creel run -m 32M -n after -- true
becomes "what the state has is written to a new file" 60 history_is "after never notok"
like "and the damaged one is kept" '\.db\.damaged-[0-9]+' "$(ls "$(dirname "$file")")"
finish
