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

# Nothing is lost: where a file of --out, --err or --in is to be in that directory, the job does not run.
for files in "--out out.%j" "--err err.%j" "--out $T/out/all --in data"; do
    mkdir "$T/moved"
    # shellcheck disable=SC2086 # options
    id=$(cd "$T/moved" && creel submit --id -m 16M --hold $files -- sh -c "echo result; echo ran >>$T/out/ran")
    rmdir "$T/moved"
    exits "a job with $files is released" 0 creel release "$id"
    exits "it ends without the directory in which it was submitted" 0 creel wait "$id" --timeout 60
    is "it has failed, and was not started" "FAILED -1" "$(value '| "\(.finalStatus) \(.exitStatus)"' status "$id")"
    like "its diagnostics name the directory and the node" \
        "could not be started on node 127.0.0.1:[0-9]+: the directory in which it was submitted, $T/moved, could not be entered, and files of --out, --err or --in are to be there: No such file" "$(creel status "$id")"
done
check "none of them has run" test ! -e "$T/out/ran"
mkdir "$T/moved"
id=$(cd "$T/moved" && creel submit --id -m 16M --hold --out "$T/out/absolute" -- echo result)
rmdir "$T/moved"
creel release "$id" >/dev/null 2>&1
exits "where the files of --out are elsewhere" 0 creel wait "$id" --timeout 60
is "the job runs as without them" "SUCCEEDED result" "$(value .finalStatus status "$id") $(tail -n 1 "$T/out/absolute")"
id=$(creel submit --id -m 16M --out "$T/moved/out" -- true)
exits "a file of --out in a directory that the node does not have" 0 creel wait "$id" --timeout 60
like "is named with the node" "could not be started on node 127.0.0.1:[0-9]+: the file of --out could not be opened: $T/moved/out: No such file" "$(creel status "$id")"
mkdir "$T/moved"
id=$(cd "$T/moved" && PATH=$BUILD/slurm:$PATH sbatch --parsable -Q --mem=16M --hold --wrap 'echo r; echo d >result.txt')
rmdir "$T/moved"
creel release "$id" >/dev/null 2>&1
exits "a job of sbatch always has such a file" 0 creel wait "$id" --timeout 60
is "it has the exit status of Slurm" "FAILED 0:53" "$(PATH=$BUILD/slurm:$PATH sacct -X -n -P -j "$id" -o state,exitcode | tr '|' ' ')"

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

# --- the umask ---------------------------------------------------------------------------
modes_of() { stat -c %a "$@" | xargs; }
umask 077
is "a job has the umask of its submitter, and the file of --out, too" "600 600" "$(creel run --out private.out -- sh -c ': >private' >/dev/null 2>&1; modes_of private private.out)"
is "each task has the umask of the submitter" "0077 0077" "$(lines_of -N 2 -m 16M -- sh -c umask)"
is "each task of an array has it" "600 600" "$(creel submit --wait --quiet --array 1-2 -m 16M --out 'array-%a' -- true >/dev/null; modes_of array-1 array-2)"
is "a step has the umask of the process that starts it" 0027 \
    "$(creel run -m 128M -- sh -c 'umask 027; exec creel run --quiet -m 16M -- sh -c umask' 2>/dev/null)"
is "a command in the shell of creel alloc has the umask of that shell, or that of --umask" "0002 0007 0007" \
    "$(creel alloc -m 32M -- sh -c 'umask 002; creel run -- sh -c umask; umask 007; creel run --scratch -- sh -c umask; umask 0; creel run --umask 007 -C . -- sh -c umask' 2>/dev/null | xargs)"
is "--umask is before that of the submitter" 0022 "$(creel run --umask 022 -- sh -c umask 2>/dev/null)"
umask 022

# --- bytes that are not UTF-8 ---------------------------------------------------------------
latin=$'caf\xe9'
hex() { od -An -tx1 | tr -d ' \n'; }
is "an argument that is not UTF-8 arrives as it is" 636166e9 "$(creel run -- printf %s "$latin" 2>/dev/null | hex)"
is "with arguments in UTF-8, and escapes of other bytes" "c3a9e9f48fbba9" "$(creel run -- printf %s%s%s $'\xc3\xa9' $'\xe9' $'\xf4\x8f\xbb\xa9' 2>/dev/null | hex)"
is "a variable that is not UTF-8 arrives as it is" 636166e9 "$(creel run --env "WORD=$latin" -- sh -c 'printf %s "$WORD"' 2>/dev/null | hex)"
is "--env all sends it, too" 636166e9 "$(WORD=$latin creel run --env all -- sh -c 'printf %s "$WORD"' 2>/dev/null | hex)"
is "each task has it" "636166e9 636166e9" \
    "$(creel run -N 2 -m 16M --env "WORD=$latin" -- sh -c 'printf %s "$WORD" | od -An -tx1 | tr -d " \n"; echo' 2>/dev/null | sed 's/.*] //' | xargs)"
is "a step has it" 636166e9 "$(creel run -m 128M --env "WORD=$latin" -- sh -c 'exec creel run --quiet -m 16M -- printf %s "$WORD"' 2>/dev/null | hex)"
mkdir "$latin"
is "a job runs in a directory whose name is not UTF-8" "$(cd "$latin" && pwd | hex)" "$(cd "$latin" && creel run -- pwd 2>/dev/null | hex)"
is "--chdir enters it" "$(cd "$latin" && pwd | hex)" "$(creel run -C "$latin" -- pwd 2>/dev/null | hex)"
check "--out writes to a file whose name is not UTF-8" creel run --out "$latin/out-$latin-%j" -- echo written
is "the file has the name" written "$(cat "$latin/out-$latin-"*)"
echo sent >"$latin/$latin.txt"
is "a file whose name is not UTF-8 is sent" sent "$(creel run -f "$latin/$latin.txt" -- cat "$latin.txt" 2>/dev/null)"
is "a step has the file, too" sent "$(creel run -m 128M -f "$latin/$latin.txt" -- creel run --quiet -m 16M -- sh -c 'cat caf*.txt' 2>/dev/null)"
printf '#!/bin/sh\n#SBATCH --job-name=%s\necho "$0"\n' "$latin" >"$latin.sh"
id=$(creel submit --id --wait --quiet "$latin.sh" "$latin")
is "the name of a job has ? in place of such a byte" 'caf?' "$(creel status --json "$id" | sed -n 's/.*"name": "\(caf[^"]*\)".*/\1/p' | head -1)"
is "so has its command" "'./caf?.sh' 'caf?'" "$(creel status "$id" | sed -n 's/^Command: *//p')"
is "lists have no such byte" 0 "$(creel ps -a | grep -c -a -P '\xe9')"

# --- soft limits -------------------------------------------------------------------------
# (A build with the address sanitizer has no core files, so CPU is used here.)
shows='echo "$(ulimit -S -n) $(ulimit -S -t)"'
ulimit -S -n 777 -t 1000
is "without --propagate a job has the soft limits of the agent" 1024 "$(creel run -- sh -c 'ulimit -S -n' 2>/dev/null)"
is "--propagate: a job has the soft limits of its submitter" "777 1000" "$(creel run --propagate -- bash -c "$shows" 2>/dev/null)"
is "--propagate=NOFILE: this limit alone" 777 "$(creel run --propagate=NOFILE -- sh -c 'ulimit -S -n' 2>/dev/null)"
is "--propagate=CPU: the others are those of the agent" "1024 1000" "$(creel run --propagate=cpu -- bash -c "$shows" 2>/dev/null)"
is "each task has them" "777 1000 777 1000" "$(creel run -N 2 -m 16M --propagate=NOFILE,CPU -- bash -c "$shows" 2>/dev/null | sed 's/.*] //' | xargs)"
is "a step has the limits of the process that starts it" "555 1000" \
    "$(creel run -m 128M --propagate -- bash -c "ulimit -S -n 555; exec creel run --quiet -m 16M -- bash -c '$shows'" 2>/dev/null)"
exits "--propagate with an unknown limit is a usage error" 2 creel run --propagate=NOFILES -- true
like "the error names the limits" '--propagate=NOFILES: expected ALL, NONE, or names .*NOFILE' "$OUTPUT"
printf '#!/bin/bash\n#SBATCH -o slurm.out\n%s\n' "$shows" >slurm.sbatch
check "a Slurm script ends" creel submit --wait --quiet slurm.sbatch
is "a job of a Slurm script has the soft limits of its submitter" "777 1000" "$(cat slurm.out)"
printf '#!/bin/bash\n#SBATCH -o slurm.out\n#SBATCH --propagate=NONE\n%s\n' "ulimit -S -n; srun --quiet bash -c 'ulimit -S -n 99; srun sh -c \"ulimit -S -n\"'" >slurm.sbatch
check "a Slurm script with --propagate=NONE ends" creel submit --wait --quiet slurm.sbatch
is "it has the limits of the agent, and srun those of its shell" "1024 99" "$(xargs <slurm.out)"
with_key() { mkdir -p "$T/keyed" && cp -r "$CREEL_CONF_DIR/." "$T/keyed" && sed -i "s|</configuration>|<property><name>creel.submit.propagate-limits</name><value>$1</value></property>&|" "$T/keyed/creel-site.xml"; }
with_key NOFILE
is "creel.submit.propagate-limits is the default" "777" "$(creel --conf "$T/keyed" run -- sh -c 'ulimit -S -n' 2>/dev/null)"
is "--propagate=NONE is before the key" 1024 "$(creel --conf "$T/keyed" run --propagate=NONE -- sh -c 'ulimit -S -n' 2>/dev/null)"
with_key FILES
exits "a wrong value of the key refuses the submission" 7 creel --conf "$T/keyed" submit -- true
like "the error names the key and its values" 'creel.submit.propagate-limits: FILES: expected ALL, NONE' "$OUTPUT"
ulimit -S -n "$(ulimit -H -n)"
exits "a limit above the hard one of the agent does not fail the job" 0 creel run --propagate=NOFILE -- sh -c '[ "$(ulimit -S -n)" = "$(ulimit -H -n)" ]'
[ "$(ulimit -H -n)" -le 65536 ] || like "the job names the limit" 'NOFILE [0-9]+ \(hard limit 65536\)' "$OUTPUT"
ulimit -S -n 1024

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
