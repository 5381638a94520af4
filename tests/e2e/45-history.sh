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

is "the history is empty at first" 0 "$(count history apps)"
first=$(creel submit --id -m 32M -n first -- sh -c 'echo the first; exit 3')
creel wait "$first" --timeout 60 >/dev/null
tasks=$(creel submit --id -m 32M -n tasks -N 3 -- sh -c 'exit $((CREEL_TASK_INDEX == 1))')
creel wait "$tasks" --timeout 60 >/dev/null
for i in 1 2 3; do creel run -m 32M -n "more-$i" -- true >/dev/null 2>&1; done
becomes "creel history apps lists all ended applications, the last one first" 60 \
    history_is "more-3 more-2 more-1 tasks first"
is "the resource manager keeps two ended applications" 2 "$(creel app list --json | jq '.items | length')"

names() { creel app list --quiet --json "$@" | jq -r '[.items[].name] | join(" ")'; }
is "creel app list --limit lists the last submitted application" "more-3" "$(names --limit 1)"
like "creel app list --limit prints a hint about the other applications" \
    'there are 1 more: --limit 2' "$(creel app list --limit 1 2>&1)"
is "creel app list filters by the time of submission" \
    "more-2 more-3 " "$(names --since 1h) $(names --until 1h)"
exits "creel app list --limit with a word is a usage error" 2 creel app list --limit many
exits "creel app list with --since after --until is a usage error" 2 creel app list --since 1h --until 2h
is "creel history apps filters by name" "more-2 first" "$(history -n 'more-2') $(history -n 'fir*')"
is "creel history apps filters by state" "tasks first" "$(history --state FAILED)"
is "creel history apps accepts the states of Slurm" "tasks first" "$(history --state F)"
is "creel history apps filters by user" "more-3 more-2 more-1 tasks first|" "$(history -u root)|$(history -u nobody)"
is "creel history apps filters by queue" "more-3 more-2 more-1 tasks first" "$(history -q default)"
is "creel history apps filters by the time of the end" "more-3 more-2 more-1 tasks first|" "$(history --since 2h)|$(history --until 2h)"
is "creel history apps --limit lists the last applications" "more-3 more-2" "$(history --limit 2)"
like "creel history apps --limit prints a hint about the other applications" \
    'there are more: --limit 20' "$(creel history apps --limit 2 2>&1)"
exits "creel history apps with a malformed --since is a usage error" 2 creel history apps --since soon
like "the error of creel history apps reports that --since expects a time" \
    '--since soon: expected a time' "$OUTPUT"

is "creel status shows an application from the history" "FAILED 3 first" "$(creel status "$first" --json | jq -r '.items[0] | "\(.state) \(.exitStatus) \(.name)"')"
becomes "creel status shows the number of containers from the history" 30 \
    value_is .used.containers 1 status "$first"
like "creel status shows the nodes from the history" 'Nodes: +.+:[0-9]+' "$(creel status "$first")"
is "creel app containers lists containers from the history" \
    3 "$(creel app containers "$first" --json | jq '.items[0].exitStatus')"
is "creel history attempts lists the attempts of an application in the history" "true 3" \
    "$(creel history attempts "$first" --json | jq -r '.items[0] | "\(.master) \(.exitStatus)"')"
is "creel status accepts the last digits of an id in the history" \
    "$first" "$(value .id status "${first##*_}")"
like "creel logs prints the output of an application in the history" "^the first$" "$(creel logs "$first")"
# The application master exits with the status of the failed task.
is "creel status counts all containers and those that failed" "4 2" "$(creel status "$tasks" --json | jq -r '.items[0].used | "\(.containers) \(.failedContainers)"')"
exits "creel wait of an application in the history exits with 0" 0 creel wait "$first" --timeout 10
is "creel history usage counts the applications of a queue by result" "1 5 3 2 0" \
    "$(creel history usage --by queue --json | jq -r '"\(.items | length) \(.items[0] | "\(.jobs) \(.succeeded) \(.failed) \(.killed)")"')"
is "creel history usage --by day counts all applications" \
    5 "$(creel history usage --by day --since 1d --json | jq '[.items[].jobs] | add')"
is "creel history usage --by hour has the time at which an hour begins" "5 0" \
    "$(creel history usage --by hour --json | jq -r '"\([.items[].jobs] | add) \([.items[].beginMs % 900000] | add)"')"
is "creel history usage filters by state" \
    "2" "$(creel history usage --state FAILED --json | jq '.items[0].jobs')"
is "creel history usage filters by name" "3" "$(creel history usage -n 'more-*' --json | jq '.items[0].jobs')"
like "creel history usage prints CSV" '^[a-z]+,5,3,2,0,' "$(creel history usage --csv | tail -1)"
exits "creel history usage with an unknown group is a usage error" 2 creel history usage --by planet
like "the error of creel history usage lists the groups" "expected user, queue, hour or day" "$OUTPUT"
busy=$(creel submit --id -m 64M -n busy -- sh -c '(ulimit -t 2; while :; do :; done); exit 0')     # two seconds of CPU time
creel wait "$busy" --timeout 60 >/dev/null
busy_percent() { creel history efficiency "$busy" --json | jq '.items[0] | .cpuPercent > 3 and .cpuPercent <= 110 and .memoryPercent > 0 and .memoryPercent < 100'; }
is "creel history efficiency shows an application of the resource manager" true "$(busy_percent)"
busy_in_history() { creel history efficiency -n busy --json | jq -e '.items[0].cpuPercent > 3'; }
becomes "creel history efficiency shows an application of the history" 30 busy_in_history
is "creel history efficiency --by user has the sums of a user" true "$(creel history efficiency --by user --json | jq '.items[0] | .jobs == 6 and .cpuTimeUs > 1000000')"
exits "creel history efficiency with an id and a filter is a usage error" 2 \
    creel history efficiency "$busy" -u ann
plain=$(creel submit --id -n plain -- true)
exits "a job of the default size" 0 creel wait "$plain"
size=$(value .requested.memoryMb status "$plain")
becomes "has the size of its containers in the history" 20 \
    sh -c "creel history apps -n plain --json | jq -e '.items[0].requested.memoryMb == $size and $size > 0'"
is "creel history apps --fields prints fields of sacct" "$first,first,3:0,root.default,FAILED" \
    "$(creel history apps -n first --csv --no-header --fields jobid,JobName%30,EXITCODE,account,State | tr -d "\r")"
like "creel history apps --format prints times and nodes as sacct does" \
    '^[0-9-]+T[0-9:]+,00:00:0[0-9],[^,:]+$' \
    "$(creel history apps -n first --no-header --csv --format End,Elapsed,NodeList | tr -d "\r")"
is "a field of sacct that creel does not have is empty" ",3:0,cpu=1" \
    "$(creel history apps -n first --csv --no-header --fields QOS,DerivedExitCode,AllocTRES | tr -d '"\r' | cut -d, -f1-3)"
is "the reason of a failed application is its exit status" "exit status 3" \
    "$(creel history apps -n first --csv --no-header --fields Reason | tr -d "\r")"
exits "an unknown field is a usage error" 2 creel history apps --fields JobID,Shoe
like "the error for an unknown field lists all fields" \
    'no field "Shoe"; there are: JobID,.*NodeList' "$OUTPUT"
exits "--fields with --json is a usage error" 2 creel history apps --fields JobID --json
like "creel history app shows one application" "$first" "$(creel history app "$first" | head -1)"
exits "a job that depends on the failure of an application in the history succeeds" 0 \
    creel run -m 32M -n notok -d "notok:$first" -- true
never=$(creel submit --id -m 32M -n never -d "ok:$first" -- true)
becomes "a job that depends on the success of a failed application is KILLED" 60 state_is "$never" KILLED
like "creel status of the job names the failed dependency" \
    'Dependency: _0001 failed \(exit status 3\)' "$(creel status "$never")"
exits "a dependency on an unknown application is refused" 3 \
    creel submit -m 32M -d "any:${first%_*}_4711" -- true
exits "creel kill of an application in the history is refused" 6 creel kill "$first"
exits "creel why answers from the history" 0 creel why "$first"
like "creel why of an application in the history names its end" '^_0001 first .* failed 00:0[0-9] after its submission' "$OUTPUT"
like "creel why of an application in the history names its exit status" 'Exit +its exit status is 3' "$OUTPUT"
like "creel why of an application in the history names the container" 'Exit +container_.*_0001_01_000001 on .* ended with 3' "$OUTPUT"
exits "creel hold of an application in the history is refused" 3 creel hold "$first"
like "the error of creel hold reports that only the history has the application" 'has ended, and only the history has it' "$OUTPUT"
exits "creel status of an unknown id exits with 3" 3 creel status 4711

kill_nine "$(pid_of rm)"
creel dev up --dir "$T/dev" --conf "$T/conf" >/dev/null 2>&1
is "the history is the same after a restart of the resource manager" \
    "never notok plain busy more-3 more-2 more-1 tasks first" "$(history)"
is "creel events --app has the events of an application that only the history has" "SUBMITTED STARTED FAILED" \
    "$(creel events --app "$first" --json | jq -r '[.items[].event] | join(" ")')"
is "creel events -f --app with --since prints them and ends" "SUBMITTED STARTED FAILED" \
    "$(timeout 60 creel events -f --app "$first" --since 1h -o jsonl | jq -r .event | paste -sd ' ')"
creel events -f --since 1h -o jsonl >"$T/followed" &
follower=$!
ended_in_order() { jq -r 'select(.event == "FAILED" or .event == "KILLED") | .id' "$T/followed" | paste -sd ' '; }
ended_is() { [ "$(ended_in_order)" = "$1" ]; }
becomes "creel events -f --since begins with the events of the history" 30 ended_is "$first $tasks $never"
kill "$follower"
file=$(echo "$T"/dev/rm/state/history/*.db)
is "the history is an SQLite database with a row for each application" 9 "$(python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM apps").fetchone()[0])' "$file")"
stop=$(pid_of rm)
kill "$stop"
becomes "the resource manager stops on SIGTERM" 60 gone "$stop"
for f in "$file" "$file-wal"; do yes damaged | head -c 65536 >"$f"; done
creel dev up --dir "$T/dev" --conf "$T/conf" >/dev/null 2>&1
exits "a job succeeds after the resource manager has started with a damaged history" 0 \
    creel run -m 32M -n after -- true
history_begins() { [[ "$(history)" == "$1"* ]]; } # the state may have some more for the history
becomes "a new history has the applications that the state has" 60 history_begins "after never notok"
like "the damaged history is kept under another name" '\.db\.damaged-[0-9]+' "$(ls "$(dirname "$file")")"

array=$(creel submit --id -m 32M -n array --array 4,2147483647 -- sh -c 'echo task $CREEL_ARRAY_TASK_ID; [ $CREEL_ARRAY_TASK_ID = 4 ]')
creel wait "$array" --timeout 60 >/dev/null
for _ in 1 2 3; do creel run --quiet -m 32M -n later -- true; done
becomes "creel status finds a task of an array that only the history has" 30 creel status "${array}_2147483647"
is "the task has its index and exit status" "2147483647 1" "$(value '| "\(.arrayIndex) \(.exitStatus)"' status "${array##*_}_2147483647")"
is "creel logs prints the output of a task that only the history has" "task 4" "$(creel logs "${array##*_}_4" 2>/dev/null)"
exits "creel wait knows the result of a task that only the history has" 0 creel wait "${array##*_}_4"
exits "creel why explains a task that only the history has" 0 creel why "${array##*_}_2147483647"
exits "creel status of a task that the array did not have exits with 3" 3 creel status "${array##*_}_5"

# A long command must not fill the history.
long=$(creel submit --id -m 32M -n long -- true $'caf\xe9' $(seq 1 3000))
creel wait "$long" --timeout 60 >/dev/null
is "the resource manager has the whole command" "3002 3000" \
    "$(creel status "$long" --json | jq -r '.items[0].command | "\(length) \(last)"')"
for i in 1 2; do creel run -m 32M -n "after-$i" -- true >/dev/null 2>&1; done
is_shortened() {
    creel status "$long" --json | jq -e '.items[0].command | first == "true" and .[1] == "caf?" and (last | endswith("[...]")) and (join(" ") | length > 4090 and length < 4110)' >/dev/null
}
becomes "the history has its first 4,096 bytes" 30 is_shortened

# A read that does not end: the file of a month that no other request has is a FIFO.
creel keygen user nobody >/dev/null 2>&1
hanging=$(dirname "$file")/2001-01.db
mkfifo "$hanging"
creel history usage --since 2001-01-02 --until 2001-01-03 >/dev/null 2>&1 &
reader=$!
rm_opens_it() { grep -q '^wait_for_partner\|^fifo_open' /proc/"$(pid_of rm)"/task/*/wchan; }
becomes "a request for the history waits for a file" 30 rm_opens_it
is "the requests of another user for the history do not wait for it" "after-2" \
    "$(timeout 20 creel --as nobody history apps --quiet --json --since 1h -n after-2 2>&1 | jq -r .items[].name)"
: >"$hanging"
wait "$reader"
rm "$hanging"

# A full disk of the history: jobs go on, and cluster info has a warning.
stop=$(pid_of rm)
kill "$stop"
becomes "the resource manager stops on SIGTERM again" 60 gone "$stop"
disk=$(dirname "$file")
trap 'umount -l "$disk" 2>/dev/null; cleanup' EXIT
mount -t tmpfs -o size=1m,mode=0700 creel-e2e "$disk"
creel dev up --dir "$T/dev" --conf "$T/conf" >/dev/null 2>&1
dd if=/dev/zero of="$disk/fill" bs=1k count=2000 2>/dev/null
exits "a job succeeds while the disk of the history is full" 0 creel run -m 32M -n full -- true
becomes "creel cluster info warns that the history is not written" 30 \
    sh -c "creel cluster info | grep '^Warning: *the history is not written: .*disk is full'"
like "creel cluster health warns, too" '^history +warning +for [^ ]+: the history is not written' "$(creel cluster health)"
rm "$disk/fill"
becomes "the history has the job when there is room" 60 sh -c "creel history apps --quiet -n full -o id | grep ."
becomes "creel cluster info does not warn any more" 30 sh -c "! creel cluster info | grep '^Warning: *the history'"
finish
