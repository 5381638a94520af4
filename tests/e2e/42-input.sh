#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Standard input of creel run.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
cd "$T" || exit 1

is "the command reads standard input" 100 "$(seq 100 | creel run --quiet -- wc -l)"
is "to its end" "" "$(printf '' | creel run --quiet -- cat)"
head -c 3000000 /dev/urandom >bytes
is "every byte" "$(sha256sum <bytes)" "$(creel run --quiet -m 64M -- sha256sum <bytes)"
is "so many times over" "$(sha256sum <bytes)" "$(creel run --quiet -m 64M -- cat <bytes | sha256sum)"
exits "a command that leaves input is no error" 0 sh -c 'head -c 10000000 /dev/zero | creel run -- true'
is "and nothing to report" "" "$(grep -i input <<<"$OUTPUT")"
exits "nor is its exit status another one" 7 sh -c 'yes | creel run --quiet -- sh -c "head -c 10 >/dev/null; exit 7"'
mkfifo endless
exec 9<>endless
is "input that does not end is left, too" finished "$(creel run --quiet -- echo finished <endless)"
exec 9>&-
is "task 0 of several reads it" "2 0" "$(printf 'a\nb\n' | creel run --quiet -N 2 -m 16M -- sh -c 'wc -l' | sort | sed 's/.*] //' | sort -rn | xargs)"
is "or the one of --stdin" "task 1" "$(echo x | creel run --quiet -N 2 -m 16M --stdin 1 -- sh -c '[ $(wc -l) = 1 ] && echo task $CREEL_TASK_INDEX' 2>/dev/null | sed 's/.*] //')"
is "or none" 0 "$(seq 5 | creel run --quiet --stdin none -- wc -l)"
is "/dev/null is the end at once" 0 "$(creel run --quiet -- wc -l </dev/null)"
is "or all of them" "3 3 3" "$(printf 'a\nb\nc\n' | creel run --quiet -N 3 -m 16M --stdin all -- wc -l 2>/dev/null | sed 's/.*] //' | xargs)"
is "every byte for each" "$(sha256sum <bytes | sed 'p;p')" "$(creel run --quiet -m 64M -N 3 --stdin all -- sha256sum <bytes 2>/dev/null | sed 's/.*] //')"
is "also if one of them reads slowly, and one ends before" "0 done
2 $(sha256sum <bytes)" "$(creel run --quiet -m 64M -N 3 --stdin all -- sh -c 'case $CREEL_TASK_INDEX in 0) head -c 5 >/dev/null; echo 0 done;; 1) exit 0;; 2) while [ ! -e go ]; do sleep 0.1; touch go; done; printf "2 "; sha256sum;; esac' <bytes 2>/dev/null | sed 's/.*] //' | sort)"
exits "input that does not end is left by all" 0 sh -c 'yes | timeout 60 creel run --quiet -N 2 -m 16M --stdin all -- sh -c "head -c 10 >/dev/null"'
is "one command is all" 5 "$(seq 5 | creel run --quiet --stdin all -- wc -l)"
exits "there is a limit of tasks" 2 sh -c 'echo x | creel run -N 257 --stdin all -- cat'
like "which the message names" 'at most 256 tasks; this job has 257' "$OUTPUT"
before=$(count app list)
exits "a task that there is not is refused" 2 sh -c 'echo x | creel run -N 2 --stdin 2 -- cat'
like "with those that there are" '--stdin 2: expected all, none, or the number of a task, from 0 to 1' "$OUTPUT"
exits "creel submit has no standard input to pass on" 2 creel submit --stdin 0 -- true
exits "--dry-run of creel submit refuses it, too" 2 creel submit --stdin 0 --dry-run -- true
exits "--dry-run of creel run refuses a task that does not exist" 2 creel run -N 2 --stdin 2 --dry-run -- cat
is "and nothing is submitted" "$before" "$(count app list)"
exits "a command that is not there is reported" 127 sh -c 'echo x | creel run -- no-such-command'
like "by name" 'command not found: "no-such-command"' "$OUTPUT"
id=$(seq 3 | creel run -n reader -- cat >/dev/null 2>&1; creel app list --json | jq -r '.items[-1].id')
is "the FIFO is not left" "" "$(creel status "$id" | grep -i left)"
finish
