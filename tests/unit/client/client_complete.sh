#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# client_complete.sh - what creel __complete offers without a resource manager: TAP
set -u
creel=${BUILD:-.}/creel
n=0 failed=0

# offers NAME EXPECTED WORD...: the candidates without their explanations, and the line for the shell.
offers() {
    local name=$1 expected=$2 got
    shift 2
    got=$("$creel" __complete -- "$@" 2>/dev/null | cut -f1 | tr '\n' ' ')
    n=$((n + 1))
    if [ "$got" = "$expected " ]; then
        echo "ok $n - $name"
    else
        printf 'not ok %s - %s\n# expected: %s\n# got:      %s\n' "$n" "$name" "$expected" "$got"
        failed=1
    fi
}

offers "words of commands" "submit status setup :done" s
offers "first words of two" "queue :done" q
offers "second words" "show start stop :done" queue s
offers "aliases, too" "show status set submit :done" app s
offers "no hidden command" ":done" __
offers "nothing behind a word that is no command" ":done" nosuch ''
offers "options of the command and global ones" "--conf --columns --color :done" ps --co
offers "options before the command" "--rm :done" --r
offers "the command behind a global option and its value" "queue :done" --conf /tmp q
offers "values of an option" "json jsonl :done" ps -o j
offers "values of an option, long" "json jsonl :done" ps --output j
offers "values of an option with =" "--output=json --output=jsonl :done" ps --output=j
offers "the state to wait for" "running finished :done" wait 42 --for ''
offers "a directory" ":directories" --conf ''
offers "the program of a job" ":programs" submit -m 64M ''
offers "files behind the program" ":files" submit ls ''
offers "no options behind the program" ":files" submit ls --wa
offers "the program behind --" ":programs" run -- -
offers "words of a usage line" "set add remove :done" node label n1 ''
offers "keys of the configuration" "yarn.acl.enable :done" conf show yarn.acl.
offers "commands to be explained" "queue :done" help q
offers "commands of two words to be explained" "show start stop :done" help queue s
offers "signals" "USR1 USR2 :done" container signal 42_01_000003 US
offers "what can be refreshed" "queues nodes acls groups all :done" admin refresh ''
offers "nothing where an argument is free text" ":done" app lifetime 42 ''
offers "nothing without a resource manager" ":done" --conf /nonexistent kill ''

n=$((n + 1))
if "$creel" __complete -- queue s | grep -q "^show	show one queue$"; then
    echo "ok $n - a candidate has the explanation of the help"
else
    echo "not ok $n - a candidate has the explanation of the help"
    failed=1
fi
echo "1..$n"
exit $failed
