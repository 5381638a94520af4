#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# creel run -it: runs a command on the terminal, in a job of its own.
on_a_terminal=$(cd "$(dirname "$0")" && pwd)/on-a-terminal.py
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
mkdir "$T/here"
cd "$T/here" || exit 1
on_a_terminal() { timeout 120 "$on_a_terminal" "$@"; }
last_app() { creel app list --json | jq -r '.items[-1].id'; }
last_is() { [ "$(state "$(last_app)")" = "$1" ]; }

text=$(on_a_terminal 'see=[#$] ' 'press=test -t 0 -a -t 1 && echo x$((1+1))y\n' 'see=x2y' 'press=pwd\n' "see=$T/here" \
    'press=(echo x$((2+3))y; exec sleep 1000)\n' 'see=x5y' 'press=\x03' 'see=[#$] ' 'press=exit 5\n' -- creel run -it -m 64M -n shell -- bash --norc)
is "a shell on a terminal: Ctrl-C, and its exit status" 5 $?
like "in the submitter's directory" "$T/here" "$text"
is "the job has that status, too" "shell FAILED 5" "$(value '| "\(.name) \(.state) \(.exitStatus)"' status "$(last_app)")"
on_a_terminal -- creel run -it -m 64M -- true >/dev/null
is "a command that succeeds" "0 FINISHED" "$? $(state "$(last_app)")"
printf '#!/bin/sh\necho "sent $1"; exit 3\n' >script.sh
like "a script is sent" '^sent it' "$(on_a_terminal -- creel run -it -m 64M -- script.sh it)"
is "and its status is the job's" 3 "$(value .exitStatus status "$(last_app)")"
like "Ctrl-C ends a command that is no shell" '130$' "$(on_a_terminal 'see=begins' 'press=\x03' -- creel run -it -m 64M -- sh -c 'echo begins; exec sleep 1000'; echo $?)"
is "which the job reports" 130 "$(value .exitStatus status "$(last_app)")"

creel node drain "$(value .nodeId node list)" --reason test >/dev/null
on_a_terminal 'until=creel app list --json | jq -e ".items[-1].name == \"waits\""' 'press=\x03' -- creel run -it -n waits -- bash >/dev/null
is "Ctrl-C while it waits kills the job" KILLED "$(state "$(last_app)")"
creel node undrain "$(value .nodeId node list)" >/dev/null

on_a_terminal 'see=[#$] ' "press=kill -9 \$(cat $T/client)\n" -- sh -c "echo \$\$ >$T/client; exec creel run -it -m 64M -- bash --norc" >/dev/null
becomes "without its client the job ends" 30 last_is FAILED
is "with a status of its own" 129 "$(value .exitStatus status "$(last_app)")"

before=$(count app list)
exits "without a terminal it is refused" 2 creel run -it -- bash
like "with what to do" 'standard input and output are no terminal' "$OUTPUT"
exits "so it is with tasks" 2 creel run -it -N 2 -- bash
exits "and by creel submit" 2 creel submit -it -- bash
is "and nothing is submitted" "$before" "$(count app list)"
finish
