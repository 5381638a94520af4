#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Job scripts: directives (#CREEL), scripts of Slurm, scripts from standard input.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
cd "$T" || exit 1
script() { cat >"$1"; }
# request FILTER ARGUMENT...: prints FILTER (jq) of the output of --dry-run.
request() { local filter=$1; shift; creel submit --dry-run "$@" 2>/dev/null | jq -r ".items[0]$filter"; }

# --- directives ------------------------------------------------------------------
script job.sh <<'S'
#!/bin/sh
#CREEL --memory 20M --name "night run"     # a comment
#CREEL -t 1:30:00 --tag one --env WORD=fish
echo "$WORD $1"
#CREEL --vcores 7
S
is "directives set the options of the job" "night run 5400 20 one" "$(request '| "\(.name) \(.timeLimitSeconds) \(.memoryMb) \(.tags[0])"' job.sh)"
is "options of the command line override directives" "day 20" "$(request '| "\(.name) \(.memoryMb)"' -n day job.sh)"
is "the job runs with the options of its directives" "fish chips" "$(creel run job.sh chips 2>/dev/null)"
exits "a directive after the first command is ignored" 0 creel submit --dry-run job.sh
like "the warning for the ignored directive has its line" \
    'job.sh:5: #CREEL behind the first command is ignored' "$OUTPUT"
exits "a directive after the first command is refused with --strict" 2 creel submit --strict job.sh
printf '#!/bin/sh\n#CREEL --memroy 2g\ntrue\n' | script bad.sh
before=$(count app list)
exits "an unknown option in a directive is refused" 2 creel submit bad.sh
like "the error for an unknown option in a directive has file, line and a suggestion" 'bad.sh:2: unknown option --memroy; did you mean --memory' "$OUTPUT"
printf '#!/bin/sh\n#CREEL --memory much\ntrue\n' | script bad.sh
exits "a wrong value in a directive is refused" 2 creel submit bad.sh
like "the error for a wrong value in a directive has file and line" \
    'bad.sh:2: --memory much: expected a size' "$OUTPUT"
printf '#!/bin/sh\r\ntrue\r\n' | script bad.sh
exits "a script with CRLF line ends is refused" 2 creel submit bad.sh
like "the error for CRLF line ends suggests dos2unix" 'bad.sh:1: .*carriage return.*dos2unix' "$OUTPUT"
printf '\xef\xbb\xbf#!/bin/sh\necho marked\n' >marked.sh
exits "a script with a byte order mark is refused" 2 creel submit marked.sh
like "the error for a byte order mark names the line" 'marked.sh:1: .*byte order mark' "$OUTPUT"
chmod +x marked.sh
exits "an executable script with a byte order mark is refused" 2 creel submit ./marked.sh
exits "a byte order mark on standard input is refused" 2 sh -c 'creel submit <marked.sh'
is "no job was submitted for the refused scripts" "$before" "$(count app list)"

# --- standard input --------------------------------------------------------------
is "a script from standard input runs with its directives" "fish " "$(creel run <job.sh 2>/dev/null)"
is "a script from standard input gets the arguments after -" \
    "fish soup" "$(creel run - soup <job.sh 2>/dev/null)"
exits "standard input that is no script is refused" 2 sh -c 'echo hello | creel submit'
like "the error for text on standard input reports that it is no script" \
    'standard input is not a script' "$OUTPUT"
exits "empty standard input is a usage error" 2 sh -c 'creel submit </dev/null'

# --- Slurm -----------------------------------------------------------------------
script slurm.sh <<'S'
#!/bin/bash
#SBATCH --job-name=slurmy
#SBATCH --ntasks=2 --cpus-per-task=1
#SBATCH --mem-per-cpu=10M
#SBATCH --time=10
#SBATCH --qos=high
echo "$SLURM_JOB_ID $SLURM_NTASKS $SLURM_CPUS_ON_NODE $SLURM_JOB_NAME $SLURM_PROCID $SLURM_SUBMIT_DIR"
[ "$SLURM_JOB_NODELIST" = "$SLURMD_NODENAME" ]
S
is "a script with #SBATCH is recognized as a script of Slurm" "slurm 600 2 20" "$(request '| "\(.from) \(.timeLimitSeconds) \(.vcores) \(.memoryMb)"' slurm.sh)"
is "--from creel ignores the directives of Slurm" "null" "$(request .timeLimitSeconds --from creel slurm.sh)"
OUTPUT=$(creel run slurm.sh 2>"$T/notices")
number=$(creel app list --json | jq -r '.items[-1].id | capture("_0*(?<n>[0-9]+)$").n')
is "a script of Slurm runs with the variables of Slurm" "$number 2 2 slurmy 0 $T" "$OUTPUT"
like "an option of Slurm without a counterpart is reported" 'slurm.sh:6: --qos: ignored' "$(cat "$T/notices")"
exits "an option of Slurm without a counterpart is refused with --strict" 2 creel submit --strict slurm.sh
like "the error of --strict for an option of Slurm has file and line" \
    'slurm.sh:6: --qos: ignored \(--strict\)' "$OUTPUT"
script same.sh <<'S'
#!/bin/bash
#SBATCH --ntasks=2
#SBATCH --mem=16M
[ "$SLURM_TASK_PID" = "$$" ] && task=shell
echo "$SLURM_JOB_CPUS_PER_NODE $SLURM_JOB_UID $SLURM_JOB_GID $SLURM_CLUSTER_NAME $SLURM_GTIDS $ENVIRONMENT $task $SLURM_PRIO_PROCESS"
S
is "Slurm's variables of size, account, cluster and process" "2 $(id -u) $(id -g) creel 0 BATCH shell 0" \
    "$(creel run same.sh 2>/dev/null)"
is "the variables of another job have no effect" "2 $(id -u) $(id -g) creel 0 BATCH shell 0" \
    "$(SLURM_JOB_UID=77 SLURM_CLUSTER_NAME=other SLURM_TASK_PID=1 SLURM_JOB_CPUS_PER_NODE=9 creel run same.sh 2>/dev/null)"
printf '#!/bin/sh\n#SBATCH -n 2\nsrun -n 2 hostname\n' >srun.sh
exits "srun in a script of Slurm is no difference (96-srun.sh)" 0 creel submit --strict --dry-run srun.sh
is "tasks have SLURM_PROCID and SLURM_NTASKS" "0 2,1 2" "$(creel run -N 2 -m 16M --from slurm -- sh -c 'echo $SLURM_PROCID $SLURM_NTASKS' 2>/dev/null | sed 's/.*] //' | sort | paste -sd,)"

cat >array.sh <<'S'
#!/bin/sh
#SBATCH --array=1-3%2 --mem=16M --output=array.%A_%3a
echo "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT in $SLURM_ARRAY_JOB_ID"
S
id=$(creel submit --id array.sh)
number=$((10#${id##*_}))
printf '#!/bin/sh\n#SBATCH --dependency=afterok:%s --mem=16M --begin=now+1second\necho after\n' "$number" >after.sh
is "a script with --dependency=afterok of an array runs" "after" "$(creel run after.sh 2>/dev/null)"
is "the tasks of the array have the variables of Slurm" "1 of 3 in $number,2 of 3 in $number,3 of 3 in $number" "$(cat "array.$number"_* | paste -sd,)"

# --- habits of Slurm users --------------------------------------------------------
like "creel submit -n 4 prints a hint about -N" '-n 4 is the name of the job; -N 4 runs that many tasks' "$(creel submit --dry-run -n 4 -- true 2>&1)"
like "creel submit -t 10 prints a hint about minutes" '-t 10 is 10 seconds; -t 10m is minutes' "$(creel submit --dry-run -t 10 -- true 2>&1)"
like "the error for an unknown short option has its meaning in Slurm" "Slurm's -J, --job-name is --name here" "$(creel submit -J x -- true 2>&1)"
like "the error for a value of -p has the meaning of -p in Slurm" "Slurm's -p, --partition is --queue here" "$(creel submit -p debug -- true 2>&1)"
like "a hint is printed behind a long option, too" "Slurm's -J, --job-name is --name here" "$(creel submit --dry-run -J x -- true 2>&1)"
like "the error for an unknown long option has its meaning in Slurm" "Slurm's -d, --dependency is --depends-on here" "$(creel submit --dependency afterok:1 -- true 2>&1)"
like "creel run --pty prints a hint about -it" "Slurm's --pty is -it here" "$(creel run --pty bash 2>&1)"
like "creel submit --time 10 prints a hint about minutes" '--time 10 is 10 seconds; --time 10m is minutes' "$(creel submit --dry-run --time 10 -- true 2>&1)"
echo 'echo no first line' >plain.sh
exits "a file of this directory that is no script is refused" 2 creel submit plain.sh
like "the error for such a file names what is missing" 'plain.sh: is neither executable nor a script with a first line' "$OUTPUT"
exits "a script that does not exist is refused" 1 creel submit nosuch.sh
like "the error for it says what is allowed" 'nosuch.sh: there is no such file here, .*write -- before it: -- nosuch.sh' "$OUTPUT"
exits "a program that only agents have may follow --" 0 creel submit --dry-run -- nosuch.sh
for option in --array='1-$N' --depends-on=ok: --retries=3 "--deadline=now+1h --begin=now+2h" --priority=x; do
    message=$(creel submit $option -- true 2>&1)
    is "--dry-run refuses $option as the submission does" "1 $message" "$([ -n "$message" ] && echo 1) $(creel submit --dry-run $option -- true 2>&1)"
done
exits "--dry-run without a resource manager prints the request" 0 creel --rm 127.0.0.1:1 submit --dry-run -- true
like "and a message that the job was not judged" 'creel: --dry-run: the resource manager did not judge the job: ' "$OUTPUT"
like "creel submit --mail-type prints that a cluster without a notify command sends no mail" \
    'no mail is sent: the resource manager has no notify command' "$(creel submit -m 32M --mail-type END -- true 2>&1)"
# shellcheck disable=SC2016 # for sbatch
printf '#!/bin/sh\n#SBATCH --mail-type=$NOTIFY\n#SBATCH --mail-user=%s\ntrue\n' "$(seq -s, -f 'user%g@mail.example.org' 1 20)," >mail.sh
exits "a script of Slurm with many addresses and an event that is none is submitted" 0 creel submit --id -m 32M mail.sh
mkdir folder
exits "a directory is refused" 2 creel submit folder
like "the error for a directory names it" 'folder: is a directory' "$OUTPUT"
for option in --array --depends-on --chdir; do
    exits "an empty value of $option is refused" 2 creel submit $option "" -- true
done
finish
