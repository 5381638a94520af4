#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C on a terminal: once leaves the application running, twice ends it.
. "$(dirname "$0")/lib.sh"
terminal=$(cd "$(dirname "$0")" && pwd)/on-a-terminal.py
cluster_up -n 1

# A job that lives until it is ordered to end, and reports that it runs.
long=(sh -c "echo it runs; while [ ! -e $T/out/go ]; do sleep 0.2; done; echo it ends; exit 5")
last() { creel app list -o id --sort -app | head -1; }

exits "Ctrl-C once ends creel run, not the job: 125" 125 \
    "$terminal" 'see=it runs' 'press=\x03' 'see=goes on' -- creel run -- "${long[@]}"
id=$(last)
like "the hint comes at once, with what another Ctrl-C does" \
    "leaving $id running \(Ctrl-C again now kills it\)" "$OUTPUT"
like "and how to see its output again, when it is left" "creel logs -f $id" "${OUTPUT##*goes on}"
is "the application goes on" RUNNING "$(state "$id")"
exits "the hint's command attaches again; Ctrl-C there ends only the looking: 130" 130 \
    "$terminal" 'see=it runs' 'press=\x03' -- creel logs -f "$id"
is "the application still goes on" RUNNING "$(state "$id")"
exits "attached to the end, the rest of the output comes" 0 \
    "$terminal" 'see=it runs' "until=touch $T/out/go" 'see=it ends' -- creel logs -f "$id"
exits "it ended by itself" 0 wait_until 30 state_is "$id" FAILED
is "with its own status" 5 "$(value .exitStatus status "$id")"
rm "$T/out/go"

exits "submit --wait is left in the same way: 125" 125 \
    "$terminal" 'see=RUNNING' 'press=\x03' 'see=creel logs -f' -- creel submit --wait -- "${long[@]}"
id=$(last)
is "that application goes on, too" RUNNING "$(state "$id")"

exits "Ctrl-C twice kills it, and its end is the result" 143 \
    "$terminal" 'see=it runs' 'press=\x03' 'see=Ctrl-C again' 'press=\x03' 'see=killing' -- creel run -- "${long[@]}"
is "it is KILLED when creel has ended" KILLED "$(state "$(last)")"
is "the other one is not" RUNNING "$(state "$id")"
exits "--kill-on-interrupt kills it at the first" 143 \
    "$terminal" 'see=it runs' 'press=\x03' 'see=killing' -- creel run --kill-on-interrupt -- "${long[@]}"
is "it is KILLED" KILLED "$(state "$(last)")"
exits "so does submit --wait with it" 143 \
    "$terminal" 'see=RUNNING' 'press=\x03' 'see=killing' -- creel submit --wait --kill-on-interrupt -- "${long[@]}"
is "that is KILLED, too" KILLED "$(state "$(last)")"

exits "a job of many tasks is killed whole" 143 \
    "$terminal" 'see=3 running|\[2\] it runs' 'press=\x03' 'see=Ctrl-C again' 'press=\x03' -- \
    creel run -N 3 -m 16M -- "${long[@]}"
becomes "with all its tasks" 30 running_is "$(last)" 0
exits "wait is left by Ctrl-C as any command is" 130 \
    "$terminal" "until=pgrep -f '^creel wait $id'" 'press=\x03' -- creel wait "$id"
is "what it waited for goes on" RUNNING "$(state "$id")"
touch "$T/out/go"
becomes "to its end" 30 state_is "$id" FAILED
finish
