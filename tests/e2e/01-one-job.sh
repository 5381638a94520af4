#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs one command and one job of many tasks, from submission to result.
. "$(dirname "$0")/lib.sh"
cluster_up -n 3

is "three nodes are RUNNING" 3 "$(nodes_running)"

id=$(creel submit --id -n hello -- sh -c 'echo to-stdout; echo to-stderr >&2')
like "creel submit --id prints an application id" '^application_[0-9]+_[0-9]{4,}$' "$id"
exits "creel wait exits with 0 when the application has ended" 0 creel wait "$id" --timeout 60
is "the application is FINISHED" FINISHED "$(state "$id")"
is "creel logs --stdout prints the standard output" to-stdout "$(creel logs "$id" --stdout 2>/dev/null)"
like "creel logs --stderr prints the standard error" 'to-stderr' "$(creel logs "$id" --stderr 2>/dev/null)"
exits "creel status accepts the last digits of an application id" 0 creel status "${id##*_}"

exits "creel submit exits with 0 for a command that fails later" 0 creel submit -n seven -- sh -c 'exit 7'
id7=$(grep -oE 'application_[0-9_]+' <<<"$OUTPUT" | head -1)
exits "an application whose command exits with 7 becomes FAILED" 0 wait_until 60 state_is "$id7" FAILED
is "creel status shows exit status 7 of the command" 7 "$(value .exitStatus status "$id7")"
exits "creel submit --wait exits with the exit status of the command" 7 creel submit --wait -- sh -c 'exit 7'
exits "creel run exits with the exit status of the command" 3 creel run -- sh -c 'exit 3'
exits "creel run exits with 128 plus the number of the signal that killed the command" 137 \
    creel run -- sh -c 'kill -9 $$'

exits "a job of 12 tasks succeeds" 0 creel run -N 12 -m 32M -n many -- sh -c 'echo "task $CREEL_TASK_INDEX of $CREEL_TASK_COUNT in $CREEL_APP_ID"'
is "the output of a job of 12 tasks has a line of each task" \
    12 "$(grep -c 'task [0-9]* of 12 in application_' <<<"$OUTPUT")"
is "the output of a job of 12 tasks has each task index exactly once" \
    "$(seq 0 11)" "$(grep -oE 'task [0-9]+ of' <<<"$OUTPUT" | grep -oE '[0-9]+' | sort -n)"
exits "the exit status of a job is the highest exit status of its tasks" 9 creel run -N 5 -m 32M -- sh -c 'exit $((CREEL_TASK_INDEX == 3 ? 9 : CREEL_TASK_INDEX == 1 ? 4 : 0))'

cat >"$T/script.sh" <<'S'
#!/bin/sh
cat data renamed
echo "args: $*"
S
echo one >"$T/data"; echo two >"$T/other"
exits "a job with a script and two files of -f succeeds" 0 creel run -f "$T/data" -f "$T/other#renamed" -- "$T/script.sh" a 'b c'
is "the script receives its files and arguments unchanged" "one
two
args: a b c" "$(grep -E '^(one|two|args)' <<<"$OUTPUT")"

exits "a job that starts two steps with creel run succeeds" 0 creel run -m 256M -- sh -c 'creel run -N 3 -m 32M -- sh -c "echo step one \$CREEL_TASK_INDEX" && creel run -N 2 -m 32M -- sh -c "echo step two \$CREEL_TASK_INDEX"'
is "all five tasks of the two steps run" 5 "$(grep -cE 'step (one|two) [0-9]' <<<"$OUTPUT")"

is "the environment has the variables that YARN sets" 5 "$(creel run -- env 2>/dev/null | grep -cE '^(CONTAINER_ID=container_|NM_HOST=.|LOCAL_DIRS=/|LOG_DIRS=/|USER=.)')"
is "control characters in arguments and variables reach the command unchanged" $'\e[1m\x01\r|\e\x02' "$(creel run -e $'WORD=\e[1m\x01\r' -- sh -c 'printf %s "$WORD|$0"' $'\e\x02' 2>/dev/null)"
exits "a variable of -e reaches the command" 0 creel run -e WORD=fish -- sh -c 'test "$WORD" = fish'

like "the third agent has a control group" "/$cgroup-3" "$(cgroups_of_cluster)"
becomes "no control group of a container is left" 20 sh -c "! find /sys/fs/cgroup -type d -path '*/$cgroup-*/container_*' 2>/dev/null | grep ."
check "no working directory of a container is left" sh -c "! find '$T/dev' -type d -path '*appcache*' -name 'container_*' | grep ."
finish
