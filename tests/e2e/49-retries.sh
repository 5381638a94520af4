#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Jobs that start again: --retry-on with --retries, CREEL_ATTEMPT, creel app requeue.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1

id=$(creel submit --id -m 32M --retries 2 --retry-on exit:75 -- sh -c 'echo "attempt $CREEL_ATTEMPT"; [ "$CREEL_ATTEMPT" -gt 1 ] || exit 75')
exits "a job with a retry ends" 0 creel wait "$id" --timeout 60
is "the job is FINISHED in its second attempt" "FINISHED 2 1" "$(creel status "$id" --json | jq -r '.items[0] | "\(.state) \(.attempt) \(.retriesUsed)"')"
like "creel status shows the attempt and the number of used retries" \
    'Attempt: +2, 1 of 2 retries used' "$(creel status "$id")"
like "creel status shows why the first attempt ended" \
    'Restart reason: +attempt 1: .*exit status 75' "$(creel status "$id")"
like "CREEL_ATTEMPT has the number of the attempt" 'attempt 2' "$(creel logs "$id")"

id=$(creel submit --id -m 32M --retries 2 --retry-on oom,exit:75 -- sh -c 'exit 75')
exits "a job that fails in each attempt ends" 0 creel wait "$id" --timeout 60
is "the job is FAILED in its third attempt with the exit status of its command" "FAILED 75 3" "$(creel status "$id" --json | jq -r '.items[0] | "\(.state) \(.exitStatus) \(.attempt)"')"

is "creel app attempts lists each attempt with its exit status" "01 75, 02 75, 03 75" \
    "$(creel app attempts "$id" --json | jq -r '[.items[] | (.id | split("_"))[-2] + " \(.exitStatus)"] | join(", ")')"

exits "--retry-on with an unknown value is a usage error" 2 \
    creel submit --retries 1 --retry-on sometimes -- true
like "the error for an unknown value lists the values of --retry-on" \
    'expected node, preempt, oom and exit:N' "$OUTPUT"
exits "--retry-on without --retries is refused" 1 creel submit --retry-on oom -- true
like "the error for --retry-on reports that it needs --retries" 'retry-on needs --retries' "$OUTPUT"
exits "--retry-on for a job of two tasks is refused" 1 creel submit -N 2 --retries 1 --retry-on oom -- true
like "the error for --retry-on reports that it is for jobs of one command" 'jobs of one command' "$OUTPUT"

word=requeued-$$-$RANDOM
id=$(creel submit --id -m 32M -- bash -c "exec -a $word-\$CREEL_ATTEMPT sleep 1000")
first() { pgrep -f "^$word-1" >/dev/null; }
second() { pgrep -f "^$word-2" >/dev/null; }
becomes "a job runs" 30 first
exits "creel app requeue exits with 0 for a running job" 0 creel app requeue "$id" --reason 'slow disk'
becomes "the second attempt of the job starts" 30 second
exits "the container of the first attempt of the requeued job has ended" 1 pgrep -f "^$word-1"
like "creel status shows the reason of the requeue" \
    'Restart reason: +requeued by root: slow disk' "$(creel status "$id")"
like "creel events has the reason of the requeue" \
    'ENDED +.*requeued by root: slow disk' "$(creel events --app "$id")"
creel kill "$id" >/dev/null
becomes "the requeued job is KILLED" 30 state_is "$id" KILLED
exits "creel app requeue of an ended job is refused" 6 creel app requeue "$id"
like "the error of creel app requeue reports that the job is over" 'is over already: KILLED' "$OUTPUT"
finish
