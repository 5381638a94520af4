#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The directory in which a job runs, its output files, and its environment variables.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
mkdir "$T/here" "$T/here/below"
cd "$T/here" || exit 1
number_of() { local digits=${1##*_}; echo $((10#$digits)); }
lines_of() { creel run "$@" 2>/dev/null | sed 's/.*] //' | sort | xargs; }

# --- the directory -----------------------------------------------------------------
is "a job runs in the submitter's directory" "$T/here $T/here" "$(creel run -- sh -c 'echo "$(pwd) $PWD"' 2>/dev/null)"
is "so does each task" "$T/here $T/here" "$(lines_of -N 2 -m 16M -- pwd)"
is "and each step" "$T/here" "$(creel run -m 128M -- creel run --quiet -m 16M -- pwd 2>/dev/null)"
check "a result is written" creel run -- sh -c 'echo result >result.csv'
is "and is there for the submitter" result "$(cat result.csv)"
is "-C is below the submitter's directory" "$T/here/below" "$(creel run -C below -- pwd 2>/dev/null)"
is "--scratch is a directory of its own" same "$(creel run --scratch -- sh -c '[ "$(pwd)" = "$CREEL_SCRATCH" ] && [ "$PWD" = "$CREEL_SCRATCH" ] && echo same' 2>/dev/null)"
echo word >"$T/sent"
is "a job with files of -f runs where they are" word "$(creel run -f "$T/sent" -- cat sent 2>/dev/null)"
is "with -C they are in CREEL_SCRATCH" "word $T/here" "$(creel run -C . -f "$T/sent" -- sh -c 'echo "$(cat $CREEL_SCRATCH/sent) $PWD"' 2>/dev/null)"
printf '#!/bin/sh\necho "$1 in $(pwd)"\n' >below/script.sh
is "a script that was sent runs in the submitter's directory" "it in $T/here" "$(creel run below/script.sh it 2>/dev/null)"
exits "a directory twice is refused" 2 creel run -C / --scratch -- true
like "with both options" '--chdir and --scratch: one of them' "$OUTPUT"

# The node does not have the submitter's directory: it is renamed before the job begins.
mkdir "$T/moved"
check "the node takes nothing new" creel node drain "$(value .nodeId node list)" --reason test
id=$(cd "$T/moved" && creel submit --id -m 16M -- sh -c 'pwd; echo x >left; mkdir "a dir"')
mv "$T/moved" "$T/elsewhere"
check "and then again" creel node undrain "$(value .nodeId node list)"
check "a job without its directory runs" creel wait "$id" --timeout 60
is "and succeeds" SUCCEEDED "$(value .finalStatus status "$id")"
like "its status reports where" "Ran in the scratch directory, since $T/moved could not be entered there: No such file" "$(creel status "$id")"
like "and what it left there" 'Left in the scratch directory, which is removed: .*left' "$(creel status "$id")"
like "its log reports it too" "creel: $T/moved could not be entered on this node" "$(creel logs "$id" --stderr)"
exits "a directory of -C has to be there" 1 creel run -C "$T/moved" -- true
like "the error names it" "directory could not be entered: $T/moved: No such file" "$OUTPUT"

# --- files left in the working directory ----------------------------------------------
left=$(creel run --scratch -f "$T/sent" -- sh -c 'for i in 1 2 3 4 5 6 7; do echo >file$i; done; mkdir -p $TMPDIR; echo >$TMPDIR/x' 2>&1 >/dev/null)
like "files left in the scratch directory are named at the end" 'Left in the scratch directory, which is removed: file[0-9](, file[0-9]){4} and 2 more$' "$left"
is "nothing left, nothing named" "" "$(creel run --quiet --scratch -f "$T/sent" -- cat sent 2>&1 | grep -i left)"

# --- output ----------------------------------------------------------------------------
id=$(creel submit --id --wait -n "two/words" --out 'log-%j-%x-%u-%t-%a-%%.txt' -- sh -c 'echo out; echo err >&2' 2>/dev/null)
is "output goes to the file of --out, errors too" "out err" "$(xargs <"log-$(number_of "$id")-two_words-root-0-0-%.txt")"
is "and not to the logs" "" "$(creel logs "$id")"
check "errors have a file of their own" creel run --out below/out --err "$T/here/below/err" -- sh -c 'echo out; echo err >&2'
is "for output and errors" "out err" "$(cat below/out below/err | xargs)"
check "once more" creel run --out below/out -- echo again
is "the file is truncated" again "$(cat below/out)"
check "and appended to" creel run --out below/out --open-mode append -- echo more
is "with --open-mode append" "again more" "$(xargs <below/out)"
check "tasks have files of their own" creel run -N 3 -m 16M --out 'task-%t' -- sh -c 'echo $CREEL_TASK_INDEX'
is "by their numbers" "0 1 2" "$(cat task-0 task-1 task-2 | xargs)"
before=$(count app list)
exits "one file for all tasks is refused" 2 creel run -N 3 --out log -- true
like "with what to do" '--out log: all tasks would write to one file; put %t' "$OUTPUT"
exits "so is an unknown letter" 2 creel run --out 'log-%q' -- true
like "with those that are known" '--out log-%q: expected the path of a file, in which %j, %A' "$OUTPUT"
is "and nothing is submitted" "$before" "$(count app list)"
exits "a file that cannot be written ends the job" 1 creel run --max-attempts 1 --out none/log -- true
like "with its name and the reason" 'file of --out could not be opened: none/log: No such file or directory' "$OUTPUT"

# --- variables ---------------------------------------------------------------------------
export WORD=fish SIDE=chips
shows='echo "$WORD,$SIDE,$MORE"'
is "no variable goes along by itself" ",," "$(creel run -- sh -c "$shows" 2>/dev/null)"
is "--env all takes all" "fish,chips," "$(creel run --env all -- sh -c "$shows" 2>/dev/null)"
is "but creel's own, and those of this machine" same "$(TMPDIR=/nowhere creel run --env all -- sh -c '[ "$TMPDIR" = "$CREEL_SCRATCH/tmp" ] && echo same' 2>/dev/null)"
is "a list takes those" "fish,chips,a,b" "$(creel run -e WORD,SIDE -e MORE=a,b -- sh -c "$shows" 2>/dev/null)"
is "none drops what was before it" ",,x" "$(creel run -e all -e none -e MORE=x -- sh -c "$shows" 2>/dev/null)"
exits "a variable that is not set is refused" 2 creel run -e WORD,NOSUCH -- true
like "by name" '--env WORD,NOSUCH: NOSUCH is not set here' "$OUTPUT"
finish
