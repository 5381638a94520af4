#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Commands that follow an application until its end: over tasks, retries and attempts, and over a restart of the
# resource manager.
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
is "the output has every task, and both attempts of the repeated one" \
    "task 0 try 1,task 1 try 1,task 2 try 1,task 3 try 1,task 4 try 1,task 4 try 2,task 5 try 1" \
    "$(sed 's/^\[[^]]*\] //' "$T/followed" | sort | paste -sd,)"
is "each line has the number of its task" "" "$(grep -vE '^\[c0?([0-9])\] task \1 ' "$T/followed")"
follow creel logs -f "$id"
over "logs -f of an ended application prints its output and ends" 0
is "the output of the ended application is complete" 7 "$(wc -l <"$T/followed")"

# --- attempts
id=$(creel submit --id -N 3 -m 16M -- sh -c "echo begins; $waits; echo ends")
follow creel logs -f "$id"
becomes "logs -f prints the output of three tasks" 60 followed_has begins 3
becomes "the container of the application master runs" 30 has_master "$id"
shim=$(pgrep -xf "creel-shim $(master_of "$id")")
is "the command line of a shim is its name and the container, without empty arguments" \
    "creel-shim $(master_of "$id")|" "$(tr '\0' '|' <"/proc/$shim/cmdline")"
pgrep -P "$shim" | xargs kill -9
becomes "the second attempt of the application begins" 60 attempt_is "$id" 2
becomes "logs -f prints the tasks of the second attempt" 60 followed_has begins 6
touch "$T/out/go"
over "logs -f ends when the last attempt does" 0
is "the output has the tasks of both attempts" "6 begins 3 ends" "$(words)"
is "the application is FINISHED" FINISHED "$(state "$id")"
rm "$T/out/go"

# Only failures of the command itself count as attempts: a lost command runs again.
follow creel run --quiet -- sh -c "echo begins; $waits; echo ends; exit 6"
becomes "creel run prints the output of the command" 60 followed_has begins 1
id=$(newest)
becomes "the container of the command runs" 30 has_master "$id"
pgrep -xf "creel-shim $(master_of "$id")" | xargs kill -9
becomes "the second attempt of the command begins" 60 attempt_is "$id" 2
becomes "creel run prints the output of the second attempt" 60 followed_has begins 2
touch "$T/out/go"
over "creel run ends with the exit status of the second attempt" 6
is "the output has both attempts" "2 begins 1 ends" "$(words)"
rm "$T/out/go"

# --- before it runs
all=$(value .total.memoryMb cluster info)
hog=$(creel submit --id -N 2 -m "$((all * 2 / 5))M" -- sh -c "$waits")
becomes "a job uses the whole cluster" 60 running_is "$hog" 3
id=$(creel submit --id -m "$((all / 4))M" -- sh -c "echo begins; echo ends")
follow creel logs -f "$id"
becomes "logs -f waits while the application is pending" 60 state_is "$id" ACCEPTED
touch "$T/out/go"
over "logs -f ends when that application has ended" 0
is "the output of that application is complete" "1 begins 1 ends" "$(words)"
rm "$T/out/go"

# --- the resource manager is killed meanwhile
follow creel run -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends; exit \$CREEL_TASK_INDEX"
becomes "creel run prints the output of four tasks" 60 followed_has begins 4
id=$(newest)
kill_nine "$(pid_of rm)"
exits "creel ps exits with 5 while the resource manager is down" 5 creel ps --timeout 1
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
exits "creel status works after the restart of the resource manager" 0 creel status "$id"
touch "$T/out/go"
over "creel run exits with the result of the job after the restart" 3
is "each line was printed exactly once" "4 begins 4 ends" "$(words)"
is "the job needed one attempt" 1 "$(value .attempt status "$id")"
rm "$T/out/go"

follow creel run -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends; exit \$CREEL_TASK_INDEX"
becomes "a first command follows four tasks" 60 followed_has begins 4
id=$(newest)
creel logs -f "$id" >"$T/second" 2>&1 & second=$!
becomes "a second command follows the same tasks" 60 sh -c "[ \$(grep -c begins $T/second) = 4 ]"
kill_nine "$(pid_of rm)"
touch "$T/out/go"
becomes "the first command prints output while the resource manager is down" 60 followed_has ends 4
becomes "the second command prints output while the resource manager is down" 60 \
    sh -c "[ \$(grep -c ends $T/second) = 4 ]"
check "both commands still run" kill -0 "$follower" "$second"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
over "creel run exits with the result of the job when the resource manager is back" 3
is "the first command printed each line exactly once" "4 begins 4 ends" "$(words)"
follower=$second
over "creel logs -f exits with 0 when the resource manager is back" 0
is "the job has FAILED" "FAILED" "$(value .finalStatus status "$id")"

# --- an agent is killed meanwhile: its containers continue, and so does their output
rm "$T/out/go"
follow creel run -N 4 -m 16M -- sh -c "echo begins; $waits; echo ends"
becomes "a command follows another job of four tasks" 60 followed_has begins 4
kill_nine "$(pid_of agent 0)" "$(pid_of agent 1)"
touch "$T/out/go"
creel dev up --dir "$T/dev" -n 2 >/dev/null 2>&1
over "creel run exits with 0 after a restart of both agents" 0
is "each line of that job was printed exactly once" "4 begins 4 ends" "$(words)"
finish
