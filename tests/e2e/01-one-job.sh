#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs one command and one job of many tasks, from submission to result.
. "$(dirname "$0")/lib.sh"
cluster_up -n 3

is "three agents are there" 3 "$(nodes_running)"

id=$(creel submit --id -n hello -- sh -c 'echo to-stdout; echo to-stderr >&2')
like "submit prints the application's id" '^application_[0-9]+_[0-9]{4,}$' "$id"
exits "wait ends with 0 for a command that did" 0 creel wait "$id" --timeout 60
is "it is FINISHED" FINISHED "$(state "$id")"
is "its standard output is in the logs" to-stdout "$(creel logs "$id" --stdout 2>/dev/null)"
like "and its standard error" 'to-stderr' "$(creel logs "$id" --stderr 2>/dev/null)"
exits "an id's last digits will do" 0 creel status "${id##*_}"

exits "the command's exit status is the result" 0 creel submit -n seven -- sh -c 'exit 7'
id7=$(grep -oE 'application_[0-9_]+' <<<"$OUTPUT" | head -1)
exits "wait returns how it ended" 0 wait_until 60 state_is "$id7" FAILED
is "and the report has the status" 7 "$(value .exitStatus status "$id7")"
exits "submit --wait ends with the command's status" 7 creel submit --wait -- sh -c 'exit 7'
exits "run ends with the command's status" 3 creel run -- sh -c 'exit 3'
exits "a signal is 128 and its number" 137 creel run -- sh -c 'kill -9 $$'

exits "a job of 12 tasks" 0 creel run -N 12 -m 32M -n many -- sh -c 'echo "task $CREEL_TASK_INDEX of $CREEL_TASK_COUNT in $CREEL_APP_ID"'
is "every task wrote its line" 12 "$(grep -c 'task [0-9]* of 12 in application_' <<<"$OUTPUT")"
is "each index once" "$(seq 0 11)" "$(grep -oE 'task [0-9]+ of' <<<"$OUTPUT" | grep -oE '[0-9]+' | sort -n)"
exits "the highest status of the tasks is the job's" 9 creel run -N 5 -m 32M -- sh -c 'exit $((CREEL_TASK_INDEX == 3 ? 9 : CREEL_TASK_INDEX == 1 ? 4 : 0))'

cat >"$T/script.sh" <<'S'
#!/bin/sh
cat data renamed
echo "args: $*"
S
echo one >"$T/data"; echo two >"$T/other"
exits "a script and files travel with the submission" 0 creel run -f "$T/data" -f "$T/other#renamed" -- "$T/script.sh" a 'b c'
is "and are what they were" "one
two
args: a b c" "$(grep -E '^(one|two|args)' <<<"$OUTPUT")"

exits "steps inside a job" 0 creel run -m 256M -- sh -c 'creel run -N 3 -m 32M -- sh -c "echo step one \$CREEL_TASK_INDEX" && creel run -N 2 -m 32M -- sh -c "echo step two \$CREEL_TASK_INDEX"'
is "ran all tasks of both" 5 "$(grep -cE 'step (one|two) [0-9]' <<<"$OUTPUT")"

is "the environment is set as YARN's" 5 "$(creel run -- env 2>/dev/null | grep -cE '^(CONTAINER_ID=container_|NM_HOST=.|LOCAL_DIRS=/|LOG_DIRS=/|USER=.)')"
is "the command gets what was given" $'\e[1m\x01\r|\e\x02' "$(creel run -e $'WORD=\e[1m\x01\r' -- sh -c 'printf %s "$WORD|$0"' $'\e\x02' 2>/dev/null)"
exits "env reaches the command" 0 creel run -e WORD=fish -- sh -c 'test "$WORD" = fish'

like "the cluster has its control groups" "/$cgroup-3" "$(cgroups_of_cluster)"
becomes "no container's is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
check "no working directory is left" sh -c "! find '$T/dev' -type d -path '*appcache*' -name 'container_*' | grep ."
finish
