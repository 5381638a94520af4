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
is "a shell on a terminal handles Ctrl-C, and its exit status is returned" 5 $?
like "the shell runs in the directory of the submitter" "$T/here" "$text"
is "the job of the shell is FAILED with the exit status of the shell" "shell FAILED 5" "$(value '| "\(.name) \(.state) \(.exitStatus)"' status "$(last_app)")"
on_a_terminal -- creel run -it -m 64M -- true >/dev/null
is "creel run -it exits with 0 for a command that succeeds, and the job is FINISHED" \
    "0 FINISHED" "$? $(state "$(last_app)")"
printf '#!/bin/sh\necho "sent $1"; exit 3\n' >script.sh
like "creel run -it sends a script and runs it" \
    '^sent it' "$(on_a_terminal -- creel run -it -m 64M -- script.sh it)"
is "the job of a script on a terminal has the exit status of the script" \
    3 "$(value .exitStatus status "$(last_app)")"
like "creel run -it exits with 130 when Ctrl-C ends a command that is no shell" '130$' "$(on_a_terminal 'see=begins' 'press=\x03' -- creel run -it -m 64M -- sh -c 'echo begins; exec sleep 1000'; echo $?)"
is "the job of the command that Ctrl-C ended has exit status 130" \
    130 "$(value .exitStatus status "$(last_app)")"

like "creel run -it reports that the job was killed" 'was killed: killed by root: enough' \
    "$(on_a_terminal 'see=begins' 'until=creel kill --reason enough $(creel ps -o id | tail -n 1)' -- creel run -it -m 64M -- sh -c 'echo begins; exec sleep 1000')"
creel node drain "$(value .nodeId node list)" --reason test >/dev/null
on_a_terminal 'until=creel app list --json | jq -e ".items[-1].name == \"waits\""' 'press=\x03' -- creel run -it -n waits -- bash >/dev/null
is "Ctrl-C kills the job while it is pending" KILLED "$(state "$(last_app)")"
creel node undrain "$(value .nodeId node list)" >/dev/null

on_a_terminal 'see=[#$] ' "press=kill -9 \$(cat $T/client)\n" -- sh -c "echo \$\$ >$T/client; exec creel run -it -m 64M -- bash --norc" >/dev/null
becomes "the job is FAILED when its client is killed" 30 last_is FAILED
is "the job whose client was killed has exit status 129" 129 "$(value .exitStatus status "$(last_app)")"

before=$(count app list)
exits "creel run -it without a terminal is a usage error" 2 creel run -it -- bash
like "the error of creel run -it reports that there is no terminal" \
    'standard input and output are no terminal' "$OUTPUT"
exits "creel run -it with two tasks is a usage error" 2 creel run -it -N 2 -- bash
exits "creel submit -it is a usage error" 2 creel submit -it -- bash
is "no job was submitted for the refused -it" "$before" "$(count app list)"
finish
