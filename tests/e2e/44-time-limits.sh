#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limits: --time, --lifetime, CREEL_DEADLINE, and the time between SIGTERM and SIGKILL.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1

id=$(creel submit --id -m 32M -t 3s -- bash -c 'trap "echo saved; exit 0" TERM; echo "$CREEL_DEADLINE"; while :; do sleep 0.1; done')
exits "a job with a time limit of 3 s ends" 0 creel wait "$id" --timeout 60
is "the job is KILLED at its time limit" KILLED "$(state "$id")"
like "creel status names the time limit as the reason" \
    'its time limit of 3 s is reached' "$(creel status "$id")"
like "creel status has the time limit" 'Time limit: +00:03' "$(creel status "$id")"
like "creel why names the time limit as the reason" 'its time limit of 3 s is reached' "$(creel why "$id")"
saved() { creel logs "$id" 2>/dev/null | grep -q saved; }
becomes "the command handles SIGTERM before it is killed" 20 saved
deadline=$(creel logs "$id" 2>/dev/null | head -1)
started=$(value .startedMs status "$id")
check "CREEL_DEADLINE is the start plus the time limit" test "$((deadline * 1000 - started))" -ge 1000 -a "$((deadline * 1000 - started))" -le 4000
check "the job ended after CREEL_DEADLINE" test "$(value .finishedMs status "$id")" -ge "$((deadline * 1000))"
is "a job without a time limit has no CREEL_DEADLINE" none "$(creel run --quiet -m 32M -- sh -c 'echo "${CREEL_DEADLINE-none}"')"
moment=$(creel run --quiet -m 32M --lifetime 1h -- sh -c 'echo "$CREEL_DEADLINE"')
check "a lifetime sets CREEL_DEADLINE" test "$((moment - $(date +%s)))" -gt 3500
tasks=$(creel run --quiet -N 2 -m 32M -t 1h -- sh -c 'echo "$CREEL_DEADLINE"' | sed 's/.*] //' | sort -u | head -1)
check "tasks have CREEL_DEADLINE" test "$((tasks - $(date +%s)))" -gt 3500

held=$(creel submit --id --hold -m 32M -t 1s -- true)
check "the time limit of a held job does not begin" test "$(value .expiresMs status "$held")" = null
exits "the held job is released" 0 creel release "$held"
exits "the released job ends" 0 creel wait "$held" --timeout 60

long=$(creel submit --id -m 32M -t 1h -- sleep 1000)
becomes "a job with a time limit of an hour runs" 60 state_is "$long" RUNNING
before=$(value .expiresMs status "$long")
exits "creel app lifetime accepts +1h" 0 creel app lifetime "$long" +1h
is "creel app lifetime +1h moves the end of the lifetime by an hour" \
    3600000 "$(($(value .expiresMs status "$long") - before))"
exits "creel app lifetime accepts 1s" 0 creel app lifetime "$long" 1s
exits "the job with a lifetime of 1 s ends" 0 creel wait "$long" --timeout 60

# --- the signal ahead of the limit ---
id=$(creel submit --id -m 32M -t 5s --signal USR1@3 -- bash -c 'trap "echo warned; cat \$CREEL_PREEMPT_FILE; exit 3" USR1; while :; do sleep 0.1; done')
exits "a job with --signal ends" 0 creel wait "$id" --timeout 60
is "the job has ended before its time limit, with its own exit status" "FAILED 3" "$(state "$id") $(value .exitStatus status "$id")"
like "the command has received the signal of --signal" warned "$(creel logs "$id" 2>/dev/null)"
like "the command finds the notice with the time of the limit" '"deadlineMs":[0-9]+,"reason":"the time limit is reached then"' "$(creel logs "$id" 2>/dev/null)"
file=$T/out/notice
id=$(creel submit --id -m 32M -t 4s --signal USR1@3 -- bash -c 'echo $CREEL_PREEMPT_FILE >"$0"; trap "echo warned >>$0" USR1; while :; do sleep 0.1; done' "$file")
becomes "another command receives the signal" 60 grep -q warned "$file"
check "the notice is there" test -f "$(head -n 1 "$file")"
exits "its limit is put off" 0 creel app lifetime "$id" +1h
becomes "the notice is removed" 30 test ! -e "$(head -n 1 "$file")"
creel kill "$id" >/dev/null
like "creel submit --signal without a limit prints a hint" 'signal USR1@60: the job has no time limit' "$(creel submit --dry-run --signal USR1@60 -- true 2>&1)"
exits "--signal without a time sends the signal a minute before the limit" 0 creel run --quiet -m 32M -t 62s --signal USR1 -- sh -c 'trap "exit 0" USR1; while :; do sleep 0.1; done'
exits "--signal STOP@60 is refused" 2 creel submit --signal STOP@60 -- true
like "the error for --signal STOP@60 reports that a signal and a time are expected" \
    '\-\-signal STOP@60: expected a signal and a time' "$OUTPUT"

# --- the limit while the resource manager is down ---
word=alone-$$-$RANDOM
id=$(creel submit --id -m 32M -t 4s -- bash -c "exec -a $word sleep 1000")
running() { pgrep -f "^$word" >/dev/null; }
gone_by_itself() { ! running; }
becomes "a job runs" 60 running
kill_nine "$(pid_of rm)"
becomes "the agent kills the container at the time limit" 60 gone_by_itself
creel dev up --dir "$T/dev" >/dev/null 2>&1
becomes "the application is KILLED after the resource manager is back" 60 state_is "$id" KILLED
like "creel status names the time limit after the restart" \
    'its time limit of 4 s is reached' "$(creel status "$id")"
is "the application had one attempt" 1 "$(value .attempt status "$id")"
finish
