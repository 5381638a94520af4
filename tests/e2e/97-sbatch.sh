#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sbatch: what it prints and how it exits, the script, options of script and command line, files of output.
# shellcheck disable=SC2016 # variables are for the shell of the job
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
mkdir -m 0777 "$T/work" && cd "$T/work" || exit 1
PATH=$BUILD/slurm:$PATH
script() { cat >"$1"; }

script job.sbatch <<'S'
#!/bin/bash
#SBATCH --job-name=first --mem=64M --time=10
echo "$SLURM_JOB_NAME $SLURM_JOB_ID $CREEL_APP_ID $*"
echo wrong >&2
exit "${1:-0}"
S

# --- results ------------------------------------------------------------------------
submitted=$(sbatch job.sbatch 0 "two words")
like "the submission prints the number of the job" '^Submitted batch job [0-9]+$' "$submitted"
number=${submitted##* }
check "it ends" creel wait "$number"
like "the number is SLURM_JOB_ID and the end of the id of creel; errors and output are in one file" \
    "^first $number application_[0-9]+_0*$number 0 two words\|wrong\$" "$(paste -sd'|' "slurm-$number.out")"
like "--parsable prints the number alone" '^[0-9]+$' "$(sbatch --parsable job.sbatch)"
exits "--wait exits as the job does" 3 sbatch --wait -o out-%j -e err-%j job.sbatch 3
number=${OUTPUT##* }
like "-o and -e name files" "^first $number .*3\|wrong\$" "$(cat "out-$number" "err-$number" | paste -sd'|')"
exits "--wait of a job that a signal ended is 1" 1 sbatch --wait --wrap 'kill -9 $$'
exits "a status above those of signals stays" 200 sbatch --wait --wrap "exit 200"
number=$(sbatch --parsable --wait -i not-there --wrap cat)
like "a job whose files cannot be opened has the status of Slurm" "ExitCode=0:53" "$(scontrol show job "$number")"
exits "a directory that is not there" 1 sbatch -Q --parsable --wait -D /nodir --wrap true
is "such a job could not be launched" "F JobLaunchFailure 0:53" "$(squeue -h -t all -j "$OUTPUT" -o '%t %r') $(sacct -nXPj "$OUTPUT" -o exitcode)"
printf '#!/not-there\n' >interpreter.sh
exits "an interpreter that is not there" 126 sbatch -Q --parsable --wait interpreter.sh
is "its status is that of a shell" "F NonZeroExitCode 126:0" "$(squeue -h -t all -j "$OUTPUT" -o '%t %r') $(sacct -nXPj "$OUTPUT" -o exitcode)"
like "--test-only names the partition" " in partition default$" "$(sbatch --test-only --wrap true 2>&1)"
exits "--wait of an array is the highest status" 2 sbatch -Q --parsable -a 0-2 --wait --wrap='echo $SLURM_ARRAY_TASK_ID; exit $SLURM_ARRAY_TASK_ID'
number=${OUTPUT##* }
is "tasks of an array have a file each" "0 1 2" "$(cat "slurm-${number}"_[0-2].out | paste -sd' ')"
is "a job has the soft limits of its submitter, as in Slurm" 777 \
    "$(ulimit -S -n 777; sbatch --wait -o limits.out --wrap 'ulimit -S -n' >/dev/null 2>&1; cat limits.out)"
like "--version has the form that scripts read" '^slurm [0-9]+\.[0-9]+\.[0-9]+ ' "$(sbatch --version)"
like "--help has the form of the command line" '^sbatch \[OPTION\.\.\.\] \[SCRIPT' "$(sbatch --help)"

# --- the script -----------------------------------------------------------------------
number=$(printf '#!/bin/sh\n#SBATCH --mem=64M\necho "$SLURM_JOB_NAME $1"\n' | sbatch --parsable --wait)
is "a script of standard input" "sbatch " "$(cat "slurm-$number.out")"
number=$(printf '#!/bin/sh\n#SBATCH --mem=64M\necho "$1"\n' | sbatch --parsable --wait /dev/stdin argument)
is "a script of a pipe has arguments" "argument" "$(cat "slurm-$number.out")"
number=$(sbatch --parsable --wait --wrap 'echo "$PATH" | tr : "\n" | grep -c "/slurm$"')
is "the directory of these commands is in PATH once, also where the submission has it" 1 "$(cat "slurm-$number.out")"
number=$(sbatch --parsable --wait -A physics --wrap 'echo "$SLURM_JOB_PARTITION $SLURM_JOB_ACCOUNT"')
is "the queue and the account of the job" "default physics" "$(cat "slurm-$number.out")"
number=$(SLURM_JOB_ID=99 SLURM_ARRAY_TASK_ID=7 WORD=kept sbatch --parsable --wait --wrap 'echo "$SLURM_JOB_NAME $WORD ${SLURM_ARRAY_TASK_ID-none} $SLURM_JOB_ID"')
is "a command: the environment of the submission without that of another job" "wrap kept none $number" "$(cat "slurm-$number.out")"
number=$(FOO=foo sbatch --parsable --wait --export="'A=1,2',\"FOO\"" --wrap 'echo "$A $FOO"')
is "quotes around a word of --export are none of it" "1,2 foo" "$(cat "slurm-$number.out")"
number=$(SBATCH_JOB_NAME=variable sbatch --parsable --wait job.sbatch)
like "variables come after the script" "^variable $number " "$(cat "slurm-$number.out")"
number=$(SBATCH_JOB_NAME=variable sbatch --parsable --wait -J line job.sbatch)
like "the command line comes last" "^line $number " "$(cat "slurm-$number.out")"
number=$(sbatch --parsable --wait --cpus-per-t=2 --wrap 'echo "$SLURM_CPUS_PER_TASK"')
is "an option by its prefix" 2 "$(cat "slurm-$number.out")"
exits "an empty dependency is none, as in Slurm" 0 sbatch -Q --wait -d '' -o none -e none --wrap 'echo x; echo y >&2'
check "output into none leaves no file" test ! -e none
exits "--mem and --mem-per-cpu of the command line exclude each other" 1 sbatch --mem=100 --mem-per-cpu=5 --wrap true
like "both are named" 'command line: --mem, --mem-per-cpu and --mem-per-gpu: give one of them$' "$OUTPUT"
exits "a priority above the limit of the queue" 0 sbatch --hold --priority=7 --wrap true
like "that it is reduced is printed" 'sbatch: --priority=7: is reduced: the priority is 0' "$OUTPUT"
scancel --me --state=PENDING
exits "a cluster of creel dev up counts vcores" 0 sbatch --parsable -c 2 --hold --wrap true
is "nothing is reduced" "2" "$(squeue -h -j "$OUTPUT" -o %C)"
scancel --me --state=PENDING
first=$(sbatch --parsable --hold job.sbatch)
second=$(sbatch --parsable -d "afterok:$first" job.sbatch)
is "a dependency by the number" Dependency "$(reason_of "$second")"
check "a held job is released" creel release "$first"
check "the job that waited for it runs" creel wait "$second"

# --- what is refused, and what is ignored ------------------------------------------------
before=$(count app list)
exits "another cluster" 1 sbatch -M east job.sbatch
is "both names are in the error" "sbatch: error: -M east: 'east' is not the name of this cluster, which is 'creel'; CREEL_RM chooses another" "$OUTPUT"
exits "another cluster of the environment" 1 env SBATCH_CLUSTERS=creel,east sbatch --wrap true
is "the variable is named" "sbatch: error: SBATCH_CLUSTERS: --clusters=creel,east: 'east' is not the name of this cluster, which is 'creel'; CREEL_RM chooses another" "$OUTPUT"
sed '2i #SBATCH --clusters=east' job.sbatch >east.sbatch
exits "another cluster of the script" 1 sbatch east.sbatch
like "the line is named" "^sbatch: error: east.sbatch:2: --clusters=east: 'east' is not" "$OUTPUT"
exits "no cluster" 1 sbatch -M '' job.sbatch
exits "another list of variables" 1 sbatch --export-file=job.sbatch job.sbatch
like "it says what to do" '^sbatch: error: --export-file: creel does not have it; .*--export=NAME=VALUE' "$OUTPUT"
exits "a heterogeneous job" 1 sbatch -n 1 : -n 2 --wrap true
like "it says what to do" "^sbatch: error: ':': creel has no heterogeneous jobs; submit a job for each part" "$OUTPUT"
is "none is submitted" "$before" "$(count app list)"
exits "the own cluster replaces those of the environment" 0 env SLURM_CLUSTERS=east SBATCH_CLUSTERS=west sbatch --hold -M creel east.sbatch
exits "all clusters are this one" 0 sbatch --hold -M all job.sbatch
scancel --me --state=PENDING
exits "an unknown option" 1 sbatch --nothing job.sbatch
is "an unknown option is named as in Slurm" "sbatch: unrecognized option '--nothing'
Try \"sbatch --help\" for more information" "$OUTPUT"
exits "no such script" 1 sbatch nothing.sbatch
is "the file is named" "sbatch: error: Unable to open file nothing.sbatch: No such file or directory" "$OUTPUT"
echo true >plain
exits "a script without an interpreter" 1 sbatch plain
like "it says how a script begins" '^sbatch: error: plain:1: .*must begin with "#!"' "$OUTPUT"
exits "no script" 1 sbatch
is "no script is an error as in Slurm" "sbatch: error: Batch script is empty!" "$OUTPUT"
exits "a command and a script" 1 sbatch --wrap=date job.sbatch
exits "a value that sbatch refuses" 1 sbatch --time=1.5 job.sbatch
like "the option is named" '^sbatch: error: --time=1.5: expected a time' "$OUTPUT"
exits "no such queue" 1 sbatch -p nothing job.sbatch
like "the submission failed" '^sbatch: error: Batch job submission failed: command line: -p nothing: no such queue' "$OUTPUT"
exits "an option without a counterpart" 0 sbatch --qos=high job.sbatch
like "it is named" '^creel: command line: --qos: ignored' "$OUTPUT"
exits "with --quiet it is not" 0 sbatch -Q --qos=high job.sbatch
is "with --quiet nothing is printed, as in Slurm" "" "$OUTPUT"
before=$(count app list)
exits "--test-only: where and when" 0 sbatch --test-only -n 2 job.sbatch
like "--test-only has the form of Slurm" '^sbatch: Job to start at [0-9]{4}-[0-9-]+T[0-9:]+ using 2 processors on nodes .* in partition ' "$OUTPUT"
exits "--test-only: what can never run" 1 sbatch --test-only --mem=900T job.sbatch
like "--test-only: the error begins as in Slurm" '^sbatch: error: allocation failure: ' "$OUTPUT"
is "--test-only submits nothing" "$before" "$(count app list)"
exits "without a resource manager" 1 env CREEL_RM=127.0.0.1:1 sbatch job.sbatch
like "the error names the address" '^sbatch: error: .*127\.0\.0\.1:1' "$OUTPUT"
# --- errors name what the user wrote -------------------------------------------------------
long=$(printf 'x%.0s' {1..300})
shown="$(printf 'x%.0s' {1..60})\.\.\."
printf '#!/bin/sh\n#SBATCH -n 1\n#SBATCH -J %s\ntrue\n' "$long" >long.sbatch
printf '#!/bin/sh\n#SBATCH --account=%s\ntrue\n' "$long" >account.sbatch
printf '#!/bin/sh\n#SBATCH -n 1000\n#SBATCH -c 10000\ntrue\n' >cpus.sbatch
printf '#!/bin/sh\n#SBATCH -o /%s%s\ntrue\n' "$(printf 'y%.0s' {1..60})" "$(printf 'x%.0s' {1..4400})" >output.sbatch
refused() { exits "$1 is refused" 1 "${@:3}"; like "the error names it" "$2" "$OUTPUT"; }
refused "a long name in a script" "long\.sbatch:3: -J $shown: has 300 bytes" sbatch long.sbatch
refused "the same with creel submit" "^creel: long\.sbatch:3: -J $shown: has 300 bytes" creel submit long.sbatch
refused "a trial of it" "long\.sbatch:3: -J $shown: has 300 bytes" sbatch --test-only long.sbatch
refused "a long name of the command line" "command line: --job-n=$shown: has 300 bytes" sbatch --job-n "$long" --wrap true
refused "a long name of the environment" "SBATCH_JOB_NAME: --job-name=$shown: has 300 bytes" env SBATCH_JOB_NAME="$long" sbatch --wrap true
refused "a long account" "account\.sbatch:2: --account=$shown: has 308 bytes" sbatch account.sbatch
refused "a product" "cpus\.sbatch:3: -c 10000: 10000000 vcores for all tasks together: expected" sbatch cpus.sbatch
refused "a long path" "output\.sbatch:2: -o /y{59}\.\.\.: has [0-9]+ bytes" sbatch output.sbatch
refused "a time" "^sbatch: error: -t 1.5: expected a time" sbatch -t 1.5 --wrap true
exits "mail where no notify command is configured" 0 sbatch --mail-type=END,FAIL --mail-user=ann@example.org --wrap true
like "it is said that none is sent" '^sbatch: --mail-type: no mail is sent: the resource manager has no notify command' "$OUTPUT"
exits "an option that is ignored" 0 sbatch -q high --wrap true
like "it is named as it was written" "command line: -q: ignored" "$OUTPUT"
# --- a scheduler that does not count vcores ----------------------------------------------
creel dev down --dir "$T/dev" >/dev/null 2>&1
mkdir "$T/memory-only"
cluster_up -n 1 --conf "$T/memory-only"
exits "virtual cores where the scheduler counts memory alone" 0 sbatch --hold -c 2 --wrap true
like "sbatch says that they are reduced" 'sbatch: 2 virtual cores are reduced: the scheduler counts memory alone, and the containers have 1; ' "$OUTPUT"
exits "so with creel submit" 0 creel submit --hold -m 16M -c 2 -- true
like "it says so, too" 'creel: application_[0-9_]+: 2 virtual cores are reduced' "$OUTPUT"
is "squeue shows the same" 1 "$(squeue -h -j 1 -o %C)"
finish
