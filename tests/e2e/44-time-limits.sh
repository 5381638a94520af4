#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Limits of time: --time, --lifetime, CREEL_DEADLINE, and the time between SIGTERM and SIGKILL.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1

id=$(creel submit --id -m 32M -t 3s -- bash -c 'trap "echo saved; exit 0" TERM; echo "$CREEL_DEADLINE"; while :; do sleep 0.1; done')
exits "a job is killed at its time limit" 0 creel wait "$id" --timeout 60
is "as its state shows" KILLED "$(state "$id")"
like "and the reason" 'its time limit of 3 s is reached' "$(creel status "$id")"
like "with the limit" 'Time limit: +00:03' "$(creel status "$id")"
like "and why" 'its time limit of 3 s is reached' "$(creel why "$id")"
saved() { creel logs "$id" 2>/dev/null | grep -q saved; }
becomes "it had time to end by itself" 20 saved
deadline=$(creel logs "$id" 2>/dev/null | head -1)
started=$(value .startedMs status "$id")
check "CREEL_DEADLINE is that long after its start" test "$((deadline * 1000 - started))" -ge 1000 -a "$((deadline * 1000 - started))" -le 4000
check "which is no later than its end" test "$(value .finishedMs status "$id")" -ge "$((deadline * 1000))"
is "without a limit there is none" none "$(creel run --quiet -m 32M -- sh -c 'echo "${CREEL_DEADLINE-none}"')"
moment=$(creel run --quiet -m 32M --lifetime 1h -- sh -c 'echo "$CREEL_DEADLINE"')
check "a lifetime is one, too" test "$((moment - $(date +%s)))" -gt 3500
tasks=$(creel run --quiet -N 2 -m 32M -t 1h -- sh -c 'echo "$CREEL_DEADLINE"' | sed 's/.*] //' | sort -u | head -1)
check "tasks find it, too" test "$((tasks - $(date +%s)))" -gt 3500

held=$(creel submit --id --hold -m 32M -t 1s -- true)
check "what waits does not use it up" test "$(value .expiresMs status "$held")" = null
exits "it runs when it is released" 0 creel release "$held"
exits "to its end" 0 creel wait "$held" --timeout 60

long=$(creel submit --id -m 32M -t 1h -- sleep 1000)
becomes "a job with an hour runs" 60 state_is "$long" RUNNING
before=$(value .expiresMs status "$long")
exits "its end is moved" 0 creel app lifetime "$long" +1h
is "by an hour" 3600000 "$(($(value .expiresMs status "$long") - before))"
exits "and to the next second" 0 creel app lifetime "$long" 1s
exits "where it is killed" 0 creel wait "$long" --timeout 60

# --- the signal ahead of the limit ---
id=$(creel submit --id -m 32M -t 5s --signal USR1@3 -- bash -c 'trap "echo warned; exit 3" USR1; while :; do sleep 0.1; done')
exits "a job that gets its signal can end by itself" 0 creel wait "$id" --timeout 60
is "before the limit" "FAILED 3" "$(state "$id") $(value .exitStatus status "$id")"
like "as it decides" warned "$(creel logs "$id" 2>/dev/null)"
exits "a signal without a time is a minute ahead" 0 creel run --quiet -m 32M -t 62s --signal USR1 -- sh -c 'trap "exit 0" USR1; while :; do sleep 0.1; done'
exits "what is no signal is refused" 2 creel submit --signal STOP@60 -- true
like "with what is expected" '\-\-signal STOP@60: expected a signal and a time' "$OUTPUT"

# --- the limit while the resource manager is down ---
word=alone-$$-$RANDOM
id=$(creel submit --id -m 32M -t 4s -- bash -c "exec -a $word sleep 1000")
running() { pgrep -f "^$word" >/dev/null; }
gone_by_itself() { ! running; }
becomes "a job runs" 60 running
kill_nine "$(pid_of rm)"
becomes "its agent ends it at its limit" 60 gone_by_itself
creel dev up --dir "$T/dev" >/dev/null 2>&1
becomes "the resource manager learns that" 60 state_is "$id" KILLED
like "with the reason" 'its time limit of 4 s is reached' "$(creel status "$id")"
is "and starts it no second time" 1 "$(value .attempt status "$id")"
finish
