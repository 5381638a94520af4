#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Standard input of creel run.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
cd "$T" || exit 1

is "the command reads standard input" 100 "$(seq 100 | creel run --quiet -- wc -l)"
is "an empty standard input ends at once" "" "$(printf '' | creel run --quiet -- cat)"
head -c 3000000 /dev/urandom >bytes
is "3 MB of standard input arrive complete" \
    "$(sha256sum <bytes)" "$(creel run --quiet -m 64M -- sha256sum <bytes)"
is "3 MB of standard input and output arrive complete" \
    "$(sha256sum <bytes)" "$(creel run --quiet -m 64M -- cat <bytes | sha256sum)"
exits "a command that does not read its standard input succeeds" 0 \
    sh -c 'head -c 10000000 /dev/zero | creel run -- true'
is "creel run does not report unread standard input" "" "$(grep -i input <<<"$OUTPUT")"
exits "unread standard input does not change the exit status" 7 sh -c 'yes | creel run --quiet -- sh -c "head -c 10 >/dev/null; exit 7"'
mkfifo endless
exec 9<>endless
is "a command ends although its standard input does not" \
    finished "$(creel run --quiet -- echo finished <endless)"
exec 9>&-
is "only task 0 gets standard input by default" "2 0" "$(printf 'a\nb\n' | creel run --quiet -N 2 -m 16M -- sh -c 'wc -l' | sort | sed 's/.*] //' | sort -rn | xargs)"
is "--stdin 1 passes standard input to task 1" "task 1" "$(echo x | creel run --quiet -N 2 -m 16M --stdin 1 -- sh -c '[ $(wc -l) = 1 ] && echo task $CREEL_TASK_INDEX' 2>/dev/null | sed 's/.*] //')"
is "--stdin none passes no standard input" 0 "$(seq 5 | creel run --quiet --stdin none -- wc -l)"
is "standard input from /dev/null ends at once" 0 "$(creel run --quiet -- wc -l </dev/null)"
is "--stdin all passes standard input to all tasks" "3 3 3" "$(printf 'a\nb\nc\n' | creel run --quiet -N 3 -m 16M --stdin all -- wc -l 2>/dev/null | sed 's/.*] //' | xargs)"
is "--stdin all passes every byte to each task" "$(sha256sum <bytes | sed 'p;p')" "$(creel run --quiet -m 64M -N 3 --stdin all -- sha256sum <bytes 2>/dev/null | sed 's/.*] //')"
is "--stdin all passes every byte to a slow task while others end early" "0 done
2 $(sha256sum <bytes)" "$(creel run --quiet -m 64M -N 3 --stdin all -- sh -c 'case $CREEL_TASK_INDEX in 0) head -c 5 >/dev/null; echo 0 done;; 1) exit 0;; 2) while [ ! -e go ]; do sleep 0.1; touch go; done; printf "2 "; sha256sum;; esac' <bytes 2>/dev/null | sed 's/.*] //' | sort)"
exits "tasks with --stdin all end although their standard input does not" 0 sh -c 'yes | timeout 60 creel run --quiet -N 2 -m 16M --stdin all -- sh -c "head -c 10 >/dev/null"'
is "--stdin all is accepted for a job of one command" 5 "$(seq 5 | creel run --quiet --stdin all -- wc -l)"
exits "--stdin all with 257 tasks is a usage error" 2 sh -c 'echo x | creel run -N 257 --stdin all -- cat'
like "the error of --stdin all has the limit of 256 tasks" 'at most 256 tasks; this job has 257' "$OUTPUT"
before=$(count app list)
exits "--stdin with an unknown task is a usage error" 2 sh -c 'echo x | creel run -N 2 --stdin 2 -- cat'
like "the error of --stdin lists the accepted values" '--stdin 2: expected all, none, or the number of a task, from 0 to 1' "$OUTPUT"
exits "creel submit --stdin is a usage error" 2 creel submit --stdin 0 -- true
exits "creel submit --stdin --dry-run is a usage error" 2 creel submit --stdin 0 --dry-run -- true
exits "creel run --dry-run with an unknown task in --stdin is a usage error" 2 \
    creel run -N 2 --stdin 2 --dry-run -- cat
exits "creel run with a directory as standard input is a usage error" 2 sh -c 'creel run -- cat </tmp'
like "the error for a directory as standard input names --stdin none" 'standard input is a directory; --stdin none' "$OUTPUT"
is "no job was submitted for the refused --stdin" "$before" "$(count app list)"
exits "creel run with standard input for a command that does not exist exits with 127" 127 \
    sh -c 'echo x | creel run -- no-such-command'
like "the error for a missing command with standard input names the command" \
    'command not found: "no-such-command"' "$OUTPUT"
id=$(seq 3 | creel run -n reader -- cat >/dev/null 2>&1; creel app list --json | jq -r '.items[-1].id')
unlike "creel status does not list the FIFO of standard input as a file left" '[Ll]eft' "$(creel status "$id")"
finish
