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
is "a job runs in the directory of the submitter" "$T/here $T/here" "$(creel run -- sh -c 'echo "$(pwd) $PWD"' 2>/dev/null)"
is "each task runs in the directory of the submitter" "$T/here $T/here" "$(lines_of -N 2 -m 16M -- pwd)"
is "each step runs in the directory of the submitter" \
    "$T/here" "$(creel run -m 128M -- creel run --quiet -m 16M -- pwd 2>/dev/null)"
check "a job that writes a file to its directory succeeds" creel run -- sh -c 'echo result >result.csv'
is "the file is in the directory of the submitter" result "$(cat result.csv)"
is "-C is relative to the directory of the submitter" \
    "$T/here/below" "$(creel run -C below -- pwd 2>/dev/null)"
is "--scratch runs the job in CREEL_SCRATCH" same "$(creel run --scratch -- sh -c '[ "$(pwd)" = "$CREEL_SCRATCH" ] && [ "$PWD" = "$CREEL_SCRATCH" ] && echo same' 2>/dev/null)"
echo word >"$T/sent"
is "a job with -f runs in the directory with its files" \
    word "$(creel run -f "$T/sent" -- cat sent 2>/dev/null)"
is "with -C the files of -f are in CREEL_SCRATCH" "word $T/here" "$(creel run -C . -f "$T/sent" -- sh -c 'echo "$(cat $CREEL_SCRATCH/sent) $PWD"' 2>/dev/null)"
printf '#!/bin/sh\necho "$1 in $(pwd)"\n' >below/script.sh
is "a script that is sent runs in the directory of the submitter" "it in $T/here" "$(creel run below/script.sh it 2>/dev/null)"
exits "--chdir with --scratch is a usage error" 2 creel run -C / --scratch -- true
like "the error for --chdir with --scratch names both options" '--chdir and --scratch: one of them' "$OUTPUT"

# The node does not have the submitter's directory: it is renamed before the job begins.
mkdir "$T/moved"
check "creel node drain exits with 0" creel node drain "$(value .nodeId node list)" --reason test
id=$(cd "$T/moved" && creel submit --id -m 16M -- sh -c 'pwd; echo x >left; mkdir "a dir"')
mv "$T/moved" "$T/elsewhere"
check "creel node undrain exits with 0" creel node undrain "$(value .nodeId node list)"
check "a job whose directory does not exist on the node ends" creel wait "$id" --timeout 60
is "the job whose directory does not exist succeeds" SUCCEEDED "$(value .finalStatus status "$id")"
like "creel status reports that the job ran in the scratch directory, and why" "Ran in the scratch directory, since $T/moved could not be entered there: No such file" "$(creel status "$id")"
like "creel status lists the files left in the scratch directory" 'Left in the scratch directory, which is removed: .*left' "$(creel status "$id")"
like "the standard error of the job reports that its directory could not be entered" "creel: $T/moved could not be entered on this node" "$(creel logs "$id" --stderr)"
exits "a job whose -C directory does not exist fails" 1 creel run -C "$T/moved" -- true
like "the error for a missing -C directory names the directory" \
    "directory could not be entered: $T/moved: No such file" "$OUTPUT"

# --- files left in the working directory ----------------------------------------------
left=$(creel run --scratch -f "$T/sent" -- sh -c 'for i in 1 2 3 4 5 6 7; do echo >file$i; done; mkdir -p $TMPDIR; echo >$TMPDIR/x' 2>&1 >/dev/null)
like "creel run lists the files left in the scratch directory" 'Left in the scratch directory, which is removed: file[0-9](, file[0-9]){4} and 2 more$' "$left"
like "the message of a job of tasks names files that a task left" \
    'task [01]: Left in the scratch directory, which is removed: result.csv \(2 tasks have such a message\)' \
    "$(creel run -N 2 -m 16M --scratch -- sh -c 'echo >result.csv' 2>&1)"
exits "a command that leaves no file succeeds" 0 creel run --scratch -f "$T/sent" -- cat sent
unlike "creel run lists nothing when no file is left" '[Ll]eft' "$OUTPUT"

# --- output ----------------------------------------------------------------------------
id=$(creel submit --id --wait -n "two/words" --out 'log-%j-%x-%u-%t-%a-%%.txt' -- sh -c 'echo out; echo err >&2' 2>/dev/null)
is "standard output and standard error go to the file of --out" "out err" "$(xargs <"log-$(number_of "$id")-two_words-root-0-0-%.txt")"
is "creel logs succeeds, and does not print what is in the file of --out" "status 0" "$(creel logs "$id"; echo "status $?")"
check "a job with --out and --err succeeds" creel run --out below/out --err "$T/here/below/err" -- sh -c 'echo out; echo err >&2'
is "--out has standard output, --err has standard error" "out err" "$(cat below/out below/err | xargs)"
check "a second job with the same --out succeeds" creel run --out below/out -- echo again
is "the second job has truncated the file of --out" again "$(cat below/out)"
check "a job with --open-mode append succeeds" creel run --out below/out --open-mode append -- echo more
is "--open-mode append appends to the file of --out" "again more" "$(xargs <below/out)"
check "a job of three tasks with %t in --out succeeds" \
    creel run -N 3 -m 16M --out 'task-%t' -- sh -c 'echo $CREEL_TASK_INDEX'
is "each task has its own file" "0 1 2" "$(cat task-0 task-1 task-2 | xargs)"
before=$(count app list)
exits "one file for all tasks is refused" 2 creel run -N 3 --out log -- true
like "the error for one file for all tasks suggests %t" \
    '--out log: all tasks would write to one file; put %t' "$OUTPUT"
exits "an unknown letter after % in --out is refused" 2 creel run --out 'log-%q' -- true
like "the error for an unknown letter after % lists the known letters" \
    '--out log-%q: expected the path of a file, in which %j, %A' "$OUTPUT"
is "no job was submitted for the refused --out" "$before" "$(count app list)"
exits "a job whose --out file cannot be opened fails" 1 creel run --max-attempts 1 --out none/log -- true
like "the error for a file of --out names the file and the reason" 'file of --out could not be opened: none/log: No such file or directory' "$OUTPUT"

mkfifo "$T/here/fifo"
exits "a job whose --out is a FIFO fails at once" 1 creel run --max-attempts 1 --out "$T/here/fifo" -- true
like "the error for a FIFO names the file and the reason" 'file of --out could not be opened: .*/fifo: it is neither a file nor a device' "$OUTPUT"
exits "a job whose --out is /dev/null succeeds" 0 creel run --out /dev/null -- echo nothing
for kind in 'mkfifo' 'ln -s /etc/hostname'; do
    exits "creel run ends when a job replaces its log (${kind%% *})" 0 \
        timeout 60 creel run -- sh -c "f=\$(readlink /proc/\$\$/fd/1); rm \"\$f\"; $kind \"\$f\""
    like "creel run names the log that was replaced" 'stdout of container_.* may be incomplete: .*is no longer a plain file' "$OUTPUT"
done

# --- variables ---------------------------------------------------------------------------
export WORD=fish SIDE=chips
shows='echo "$WORD,$SIDE,$MORE"'
is "a job gets no variable of the submitter" ",," "$(creel run -- sh -c "$shows" 2>/dev/null)"
is "--env all passes all variables" "fish,chips," "$(creel run --env all -- sh -c "$shows" 2>/dev/null)"
is "--env all does not override TMPDIR" same "$(TMPDIR=/nowhere creel run --env all -- sh -c '[ "$TMPDIR" = "$CREEL_SCRATCH/tmp" ] && echo same' 2>/dev/null)"
is "--env NAME,NAME passes these variables" \
    "fish,chips,a,b" "$(creel run -e WORD,SIDE -e MORE=a,b -- sh -c "$shows" 2>/dev/null)"
is "--env none drops the variables of earlier options" \
    ",,x" "$(creel run -e all -e none -e MORE=x -- sh -c "$shows" 2>/dev/null)"
exits "--env with a variable that is not set is a usage error" 2 creel run -e WORD,NOSUCH -- true
like "the error for --env names the variable that is not set" \
    '--env WORD,NOSUCH: NOSUCH is not set here' "$OUTPUT"
finish
