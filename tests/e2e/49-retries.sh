#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Jobs that start again: --retry-on with --retries, CREEL_ATTEMPT, creel app requeue.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1

id=$(creel submit --id -m 32M --retries 2 --retry-on exit:75 -- sh -c 'echo "attempt $CREEL_ATTEMPT"; [ "$CREEL_ATTEMPT" -gt 1 ] || exit 75')
exits "a job with a retry ends" 0 creel wait "$id" --timeout 60
is "with success in its second attempt" "FINISHED 2 1" "$(creel status "$id" --json | jq -r '.items[0] | "\(.state) \(.attempt) \(.retriesUsed)"')"
like "which status shows" 'Attempt: +2, 1 of 2 retries used' "$(creel status "$id")"
like "with the end of the first one" 'Restart reason: +attempt 1: .*exit status 75' "$(creel status "$id")"
like "the command finds the number of its attempt" 'attempt 2' "$(creel logs "$id")"

id=$(creel submit --id -m 32M --retries 2 --retry-on oom,exit:75 -- sh -c 'exit 75')
exits "a job that ends so again and again ends" 0 creel wait "$id" --timeout 60
is "with that exit status when its retries are used" "FAILED 75 3" "$(creel status "$id" --json | jq -r '.items[0] | "\(.state) \(.exitStatus) \(.attempt)"')"

exits "an unknown end is refused" 2 creel submit --retries 1 --retry-on sometimes -- true
like "with what is expected" 'expected node, preempt, oom and exit:N' "$OUTPUT"
exits "and ends without a number of retries" 1 creel submit --retry-on oom -- true
like "with what is missing" 'retry-on needs --retries' "$OUTPUT"
exits "tasks have no such retries" 1 creel submit -N 2 --retries 1 --retry-on oom -- true
like "as the message states" 'jobs of one command' "$OUTPUT"

word=requeued-$$-$RANDOM
id=$(creel submit --id -m 32M -- bash -c "exec -a $word-\$CREEL_ATTEMPT sleep 1000")
first() { pgrep -f "^$word-1" >/dev/null; }
second() { pgrep -f "^$word-2" >/dev/null; }
becomes "a job runs" 30 first
exits "it is put back into its queue" 0 creel app requeue "$id" --reason 'slow disk'
becomes "it starts again" 30 second
exits "when its first container has ended" 1 pgrep -f "^$word-1"
like "for that reason" 'Restart reason: +requeued by root: slow disk' "$(creel status "$id")"
like "which is in the events" 'ENDED +.*requeued by root: slow disk' "$(creel events --app "$id")"
creel kill "$id" >/dev/null
becomes "it ends" 30 state_is "$id" KILLED
exits "and is not started again" 6 creel app requeue "$id"
like "as the message states" 'is over already: KILLED' "$OUTPUT"
finish
