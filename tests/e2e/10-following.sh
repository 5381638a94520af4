#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Staying with an application: across tasks, tries and attempts, across a restart of the resource
# manager, to its end and no longer.
. "$(dirname "$0")/lib.sh"
cluster_up -n 2

# Runs a command in the background. Its output is in $T/followed, which is empty before the command starts.
follow() { : >"$T/followed"; "$@" >"$T/followed" 2>"$T/chatter" & follower=$!; }
followed_has() { [ "$(grep -c "$1" "$T/followed")" -ge "$2" ]; }
over() { ends "$1" "$2" "$follower" "$T/followed" "$T/chatter"; }
words() { sed 's/^\[[^]]*\] //' "$T/followed" | sort | uniq -c | xargs; }
waits="while [ ! -e $T/out/go ]; do sleep 0.1; done"
newest() { creel app list -o id --sort -app | head -1; }
has_master() { [ -n "$(master_of "$1")" ]; }
master_of() { creel container list --app "$1" --json | jq -r '.items[] | select(.master and .state == "RUNNING") | .id'; }
attempt_is() { value_is .attempt "$2" status "$1"; }

# --- tasks, and tries of a task
id=$(creel submit --id -N 6 -m 16M --max-attempts 2 -- sh -c 'echo task $CREEL_TASK_INDEX try $CREEL_TASK_TRY; [ $CREEL_TASK_INDEX != 4 ] || [ $CREEL_TASK_TRY = 2 ]')
follow creel logs -f "$id"
over "logs -f ends when the application does" 0
is "it has shown every task, and both tries of one" \
    "task 0 try 1,task 1 try 1,task 2 try 1,task 3 try 1,task 4 try 1,task 4 try 2,task 5 try 1" \
    "$(sed 's/^\[[^]]*\] //' "$T/followed" | sort | paste -sd,)"
is "each under its task's number" "" "$(grep -vE '^\[c0?([0-9])\] task \1 ' "$T/followed")"
follow creel logs -f "$id"
over "of an application that is over it shows all and ends" 0
is "all of it" 7 "$(wc -l <"$T/followed")"

# --- attempts
id=$(creel submit --id -N 3 -m 16M -- sh -c "echo begins; $waits; echo ends")
follow creel logs -f "$id"
becomes "three tasks are followed" 60 followed_has begins 3
becomes "its master runs" 30 has_master "$id"
pgrep -P "$(pgrep -xf "creel-shim $(master_of "$id")")" | xargs kill -9
becomes "the application's next attempt begins" 60 attempt_is "$id" 2
becomes "its tasks are followed, too" 60 followed_has begins 6
touch "$T/out/go"
over "logs -f ends when the last attempt does" 0
is "and has shown the whole of both" "6 begins 3 ends" "$(words)"
is "the application is well" FINISHED "$(state "$id")"
rm "$T/out/go"

# A command's attempt counts only for what the command did: if it was lost it runs again.
follow creel run --quiet -- sh -c "echo begins; $waits; echo ends; exit 6"
becomes "a command is followed" 60 followed_has begins 1
id=$(newest)
becomes "its container runs" 30 has_master "$id"
pgrep -xf "creel-shim $(master_of "$id")" | xargs kill -9
becomes "its next attempt begins" 60 attempt_is "$id" 2
becomes "and is followed" 60 followed_has begins 2
touch "$T/out/go"
over "run ends as the second attempt does" 6
is "and has shown both" "2 begins 1 ends" "$(words)"
rm "$T/out/go"

# --- before it runs
all=$(value .total.memoryMb cluster info)
hog=$(creel submit --id -N 2 -m "$((all * 2 / 5))M" -- sh -c "$waits")
becomes "the cluster is full" 60 running_is "$hog" 3
id=$(creel submit --id -m "$((all / 4))M" -- sh -c "echo begins; echo ends")
follow creel logs -f "$id"
becomes "logs -f of what is pending waits" 60 state_is "$id" ACCEPTED
touch "$T/out/go"
over "until it ran and is over" 0
is "and shows it" "1 begins 1 ends" "$(words)"
rm "$T/out/go"

# --- the resource manager is killed meanwhile
follow creel run -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends; exit \$CREEL_TASK_INDEX"
becomes "a job is followed" 60 followed_has begins 4
id=$(newest)
kill_nine "$(pid_of rm)"
exits "the resource manager is away" 5 creel ps --timeout 1
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
exits "it is back" 0 creel status "$id"
touch "$T/out/go"
over "run goes on and ends with the job's result" 3
is "having shown all, once" "4 begins 4 ends" "$(words)"
is "in one attempt" 1 "$(value .attempt status "$id")"
rm "$T/out/go"

follow creel run -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends; exit \$CREEL_TASK_INDEX"
becomes "another is followed" 60 followed_has begins 4
id=$(newest)
creel logs -f "$id" >"$T/second" 2>&1 & second=$!
becomes "by two" 60 sh -c "[ \$(grep -c begins $T/second) = 4 ]"
kill_nine "$(pid_of rm)"
touch "$T/out/go"
becomes "output arrives while the resource manager is away" 60 followed_has ends 4
becomes "at both" 60 sh -c "[ \$(grep -c ends $T/second) = 4 ]"
check "nobody gives up" kill -0 "$follower" "$second"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
over "run hears of the result later" 3
is "having shown all, once" "4 begins 4 ends" "$(words)"
follower=$second
over "so does logs -f" 0
is "and the job has failed" "FAILED" "$(value .finalStatus status "$id")"

# --- an agent is killed meanwhile: its containers go on, and so does their output
rm "$T/out/go"
follow creel run -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends"
becomes "a third is followed" 60 followed_has begins 4
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
touch "$T/out/go"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
over "run outlives its agents" 0
is "having shown all, once" "4 begins 4 ends" "$(words)"
finish
