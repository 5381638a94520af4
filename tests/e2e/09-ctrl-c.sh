#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C on a terminal: pressed once it leaves the application running, pressed twice it ends it.
. "$(dirname "$0")/lib.sh"
terminal=$(cd "$(dirname "$0")" && pwd)/on-a-terminal.py
cluster_up -n 1

# A job that reports that it runs, and continues until it is ordered to end.
long=(sh -c "echo it runs; while [ ! -e $T/out/go ]; do sleep 0.2; done; echo it ends; exit 5")
last() { creel app list -o id --sort -app | head -1; }

exits "after one Ctrl-C creel run exits with 125" 125 \
    "$terminal" 'see=it runs' 'press=\x03' 'see=continues' -- creel run -- "${long[@]}"
id=$(last)
like "the hint names the application and what a second Ctrl-C does" \
    "leaving $id running \(Ctrl-C again within a second kills it\)" "$OUTPUT"
like "the hint names the command that shows the output again" "creel logs -f $id" "${OUTPUT##*continues}"
is "the application runs after creel run has exited" RUNNING "$(state "$id")"
exits "the command of the hint follows the output; Ctrl-C ends it with 130" 130 \
    "$terminal" 'see=it runs' 'press=\x03' -- creel logs -f "$id"
is "the application runs after that Ctrl-C" RUNNING "$(state "$id")"
exits "creel logs -f shows the rest of the output until the application ends" 0 \
    "$terminal" 'see=it runs' "until=touch $T/out/go" 'see=it ends' -- creel logs -f "$id"
exits "the application ends by itself" 0 wait_until 30 state_is "$id" FAILED
is "the application has its own exit status" 5 "$(value .exitStatus status "$id")"
rm "$T/out/go"

exits "after one Ctrl-C creel submit --wait exits with 125" 125 \
    "$terminal" 'see=RUNNING' 'press=\x03' 'see=creel logs -f' -- creel submit --wait -- "${long[@]}"
id=$(last)
is "the application of submit --wait runs after that" RUNNING "$(state "$id")"

exits "after two Ctrl-C creel run exits with 143" 143 \
    "$terminal" 'see=it runs' 'press=\x03' 'see=Ctrl-C again' 'press=\x03' 'see=killing' -- creel run -- "${long[@]}"
is "the application is KILLED when creel run has exited" KILLED "$(state "$(last)")"
is "the application of submit --wait still runs" RUNNING "$(state "$id")"
exits "with --kill-on-interrupt one Ctrl-C makes creel run exit with 143" 143 \
    "$terminal" 'see=it runs' 'press=\x03' 'see=killing' -- creel run --kill-on-interrupt -- "${long[@]}"
is "the application of --kill-on-interrupt is KILLED" KILLED "$(state "$(last)")"
exits "with --kill-on-interrupt one Ctrl-C makes submit --wait exit with 143" 143 \
    "$terminal" 'see=RUNNING' 'press=\x03' 'see=killing' -- creel submit --wait --kill-on-interrupt -- "${long[@]}"
is "the application of submit --wait --kill-on-interrupt is KILLED" KILLED "$(state "$(last)")"

exits "two Ctrl-C kill a job of many tasks" 143 \
    "$terminal" 'see=3 running|\[2\] it runs' 'press=\x03' 'see=Ctrl-C again' 'press=\x03' -- \
    creel run -N 3 -m 16M -- "${long[@]}"
becomes "no task of the killed job runs" 30 running_is "$(last)" 0
exits "Ctrl-C ends creel wait with 130" 130 \
    "$terminal" "until=pgrep -f '^creel wait $id'" 'press=\x03' -- creel wait "$id"
is "the application that creel wait waited for still runs" RUNNING "$(state "$id")"
# --- with a resource manager that does not answer
rm_pid=$(pid_of rm)
on_stopped() {
    local code=0
    "$terminal" 'see=it runs' "until=kill -STOP $rm_pid" "$@" || code=$?
    kill -CONT "$rm_pid"
    return "$code"
}
exits "one Ctrl-C ends creel run, too, if the resource manager is stopped" 125 \
    on_stopped 'press=\x03' 'see=continues' -- creel run -- "${long[@]}"
id=$(last)
unlike "... without waiting for an answer" 'answer' "$OUTPUT"
exits "Ctrl-C ends creel logs -f with 130, too" 130 on_stopped 'press=\x03' -- creel logs -f "$id"
unlike "... without waiting for an answer" 'answer' "$OUTPUT"
exits "two Ctrl-C end creel run, too" 125 \
    on_stopped 'press=\x03' 'see=Ctrl-C again' 'press=\x03' 'see=killing' 'see=does not answer' -- creel run -- "${long[@]}"

exits "one Ctrl-C ends creel run --kill-on-interrupt, too, after three seconds" 125 \
    on_stopped 'press=\x03' 'see=killing' 'see=does not answer' -- creel run --kill-on-interrupt -- "${long[@]}"

# on_frozen STEP... -- COMMAND...: with a resource manager that is stopped before the last steps
on_frozen() {
    local code=0
    "$terminal" "$@" || code=$?
    kill -CONT "$rm_pid"
    return "$code"
}
freeze="until=kill -STOP $rm_pid"
# handles COMMAND...: a step that waits until creel COMMAND handles Ctrl-C itself
handles() { echo "until=pid=\$(pgrep -f '^creel $*') && grep -qE '^SigBlk:.*[2367abef]\$' /proc/\$pid/status"; }
exits "Ctrl-C ends creel top that draws" 0 on_frozen 'see=RUNNING' "$freeze" 'press=\x03' -- creel top
check "the node is drained, so that jobs wait" creel node drain "$(value .nodeId node list)" --reason test
for command in "alloc -N 2 -m 64M" "run -it -v -m 64M"; do
    read -ra words <<<"$command"
    exits "two Ctrl-C end creel $command that waits for its containers" 130 \
        on_frozen 'see=wait' "$(handles "$command")" "$freeze" 'press=\x03' 'see=Ctrl-C again' 'press=\x03' -- creel "${words[@]}" -- sleep 100
    unlike "... without waiting for an answer" 'answer' "$OUTPUT"
done
check "the node is in service again" creel node undrain "$(value .nodeId node list)"

# Each command, while it connects to a resource manager that is stopped.
head -c 50000000 /dev/zero >"$T/large"
kill -STOP "$rm_pid"
while read -r -a words; do
    exits "Ctrl-C ends creel ${words[*]} that connects" 130 \
        "$terminal" "until=pgrep -f '^creel ${words[*]}'" 'press=\x03' -- creel "${words[@]}"
    unlike "... without waiting for an answer" 'answer' "$OUTPUT"
done <<X
run -- true
run -it -- true
submit --wait -- true
submit -f $T/large -- true
alloc -- true
status $id
why $id
wait $id
kill $id
logs $id
logs -f $id
app list
events -f
node list
node drain 127.0.0.1 --reason test --wait
queue list
container list --app $id
cluster health
cluster info
admin refresh queues
token list
whoami
X
exits "Ctrl-C ends creel top that connects" 0 "$terminal" "$(handles top)" 'press=\x03' -- creel top
unlike "... without waiting for an answer" 'answer' "$OUTPUT"
kill -CONT "$rm_pid"

touch "$T/out/go"
becomes "the application that creel wait waited for ends by itself" 30 state_is "$id" FAILED
finish
