#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Commands of Slurm about jobs, squeue, scancel and sacct, in the forms that tools parse.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
mkdir -m 0777 "$T/work" && cd "$T/work" || exit 1
PATH=$BUILD/slurm:$PATH
mark=$(unlike_others)
batch() { sbatch -Q --parsable --mem=16M "$@"; }
queue_is() { [ "$(squeue -h "${@:2}" | paste -sd' ')" = "$1" ]; }

creel_history_has() { creel history apps --json | jq -e --argjson n "$1" 'any(.items[]; (.id | split("_")[2] | tonumber) == $n)'; }

running=$(batch -J alpha -A lab -t 10 --wrap "sleep $mark")
waiting=$(batch -J beta -d "afterok:$running" --wrap true)
held=$(batch -J beta --hold --wrap true)
array=$(batch -J gamma -a 0-9%2 --wrap "sleep $mark")
failed=$(batch -J delta --wait --wrap 'exit 3')
completed=$(batch -J delta --wait --wrap true)
becomes "two tasks of the array run" 30 queue_is "$array $array" -n gamma -t R -o %F

batch -W -t 5 -o own.out --wrap 'squeue -h -j $SLURM_JOB_ID -o "%t %l %N %S"' >/dev/null
like "a job sees itself running, also at its start" '^R 5:00 127\.0\.0\.1 2[0-9T:-]+$' "$(cat own.out)"

# --- squeue -----------------------------------------------------------------------------
is "jobs that wait and run: number, state, reason; an array has a row for its waiting tasks" \
    "$running R None|$waiting PD Dependency|$held PD JobHeldUser|${array}_[2-9%2] PD JobArrayTaskLimit|${array}_0 R None|${array}_1 R None" \
    "$(squeue -h -o '%i %t %r' | paste -sd'|')"
is "the usual columns" "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)" "$(squeue | head -1 | xargs)"
like "the usual row" "^ +$waiting +default +beta +$(id -un) PD +0:00 +1 \(Dependency\)\$" "$(squeue -j "$waiting" -h)"
is "the form of Nextflow" "$running R|$failed F|$completed CD" \
    "$(squeue --noheader -o '%i %t' -t all -u "$(id -un)" | grep -E "^($running|$failed|$completed) " | paste -sd'|')"
is "the form of psij" "JOBID ST REASON|$failed F NonZeroExitCode" \
    "$(squeue -O JobArrayID,StateCompact,Reason -t all --me | tr -s ' ' | sed 's/ $//' | grep -E "JOBID|^$failed " | paste -sd'|')"
is "without a width a column is as wide as the value" "$running R" "$(squeue -h -j "$running" -O 'JobID: ,StateCompact:')"
is "the form of parsl: ids behind --job" "$running R|$failed F" \
    "$(squeue --noheader --format='%i %t' --job "$running,$failed" -t all | paste -sd'|')"
is "the form of batchspawner" "RUNNING $(squeue -h -j "$running" -o %N)" "$(squeue -h -j "$running" -o '%T %B')"
is "the form of Snakemake" "$failed|FAILED $completed|COMPLETED" \
    "$(squeue --format='%i|%T' --states=all --noheader --name delta | paste -sd' ')"
is "-r: a row for each task" "${array}_2 PD ${array}_9 PD" "$(squeue -r -h -n gamma -t PD -o '%i %t' | sed -n '1p;$p' | paste -sd' ')"
is "tasks by their indexes" "${array}_3 ${array}_1" "$(squeue -h -j "${array}_[1,3]" -o %i | paste -sd' ')"
is "an account, a limit, a partition" "lab 10:00 default" "$(squeue -h -j "$running" -o '%a %l %P')"
is "by state" "$held $waiting" "$(squeue -h -t pending -n beta -o %i | sort -n | tac | paste -sd' ')"
is "an empty list of jobs has no job, as in Slurm" "" "$(squeue -h -j '')"
is "nor has an empty list of users or names" "" "$(squeue -h -u ''; squeue -h -n '')"
exits "an empty list of states" 1 squeue -t ''
exits "an empty list of clusters" 1 squeue -M ''
exits "an empty list of jobs for sacct" 1 sacct -n -j ''
like "the error has the form of an id" 'sacct: error: Invalid job id specified: "".*expected a number' "$OUTPUT"
exits "an empty id for scancel" 1 scancel ''
exits "a list of commas alone" 1 scancel ,
is "no job was cancelled" R "$(squeue -h -j "$running" -o %t)"
is "without --states ended jobs are left out" "" "$(squeue -h -j "$failed")"
is "by partition" "" "$(squeue -h -p elsewhere)"
is "by user" "" "$(squeue -h -u nobody)"
exits "a job that is not there" 1 squeue -j 999
is "the error is that of Slurm" "slurm_load_jobs error: Invalid job id specified" "$OUTPUT"
is "beside others it is left out" "$running" "$(squeue -h -j "999,$running" -o %i)"
exits "no such state" 1 squeue -t XX
is "the state is named" "squeue: error: Invalid job state specified: XX" "$OUTPUT"
exits "no such field" 1 squeue -o '%i %J'
like "the field is named" '^squeue: error: Invalid format specification: %J' "$OUTPUT"
exits "what would change the result, and creel has not" 1 squeue -q high
like "the option is named" '^squeue: error: --qos: creel has nothing similar' "$OUTPUT"
for name in squeue scancel sacct sinfo scontrol; do
    arguments=()
    [ $name = scancel ] && arguments=("$held")
    [ $name = scontrol ] && arguments=(show job)
    exits "$name -M with the name of another cluster" 1 $name -M othercluster "${arguments[@]}"
    is "it says so" "$name: error: --clusters=othercluster: 'othercluster' is not the name of this cluster, which is 'creel'; CREEL_RM chooses another" "$OUTPUT"
    exits "$name with SLURM_CLUSTERS" 1 env SLURM_CLUSTERS=creel,othercluster $name "${arguments[@]}"
    like "the variable is named" "^$name: error: SLURM_CLUSTERS=creel,othercluster: 'othercluster' is not" "$OUTPUT"
done
is "no job was cancelled" PD "$(squeue -h -M creel -j "$held" -o %t)"
is "all clusters are this one" PD "$(squeue -h -M all -j "$held" -o %t)"
is "sacct, too" "$held" "$(sacct -nXP --clusters creel -j "$held" -o jobid)"
is "an unknown user has no jobs" "" "$(squeue -h -u nosuchuser 2>/dev/null)"
exits "that is no error, as in Slurm" 0 squeue -h -u nosuchuser
is "the user is named" "squeue: error: Invalid user: nosuchuser" "$OUTPUT"
exits "scancel refuses an unknown user" 1 scancel -u nosuchuser
is "the user is named" "scancel: error: Invalid user name: nosuchuser" "$OUTPUT"
exits "so does sacct" 1 sacct -u nosuchuser
is "all fields" "$running alpha" "$(squeue -h -j "$running" -o %all | awk -F'|' '{ print $1, $5 }')"
is "the header of all fields" "JOBID|JOBID|ARRAY_JOB_ID" "$(squeue -o %all | head -1 | cut -d'|' -f1-3)"
like "--long has the date before the header" '^[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:]{8} [0-9]{4}$' "$(squeue -l | head -1)"
exits "an unknown option" 1 squeue --nothing
like "the error is that of Slurm" "^squeue: unrecognized option '--nothing'" "$OUTPUT"
is "users and names of the environment" "$held $waiting" \
    "$(SQUEUE_USERS=$(id -un) SQUEUE_NAMES=beta squeue -h -o %i | sort -n | tac | paste -sd' ')"
is "a partition of the environment" "" "$(SQUEUE_PARTITION=elsewhere squeue -h)"
is "the command line replaces it" "$running" "$(SQUEUE_PARTITION=elsewhere SQUEUE_STATES=PD squeue -h -p default -t R -n alpha -o %i)"
is "a format with names of the environment" "ST$running " "$(SQUEUE_FORMAT2=StateCompact:2 squeue -j "$running" | head -1)$(SQUEUE_FORMAT2=JobID:4 squeue -h -j "$running" | tr -s ' ')"
is "times in a format of the environment" "$(date +%Y)" "$(SLURM_TIME_FORMAT=%Y squeue -h -j "$running" -o %V)"
exits "a format of times that creel has not" 1 env SLURM_TIME_FORMAT=relative squeue
like "the variable is named" '^squeue: error: SLURM_TIME_FORMAT=relative: expected "standard" or a format of strftime' "$OUTPUT"
exits "a variable that would change the result, and creel has nothing similar" 1 env SQUEUE_QOS=high squeue
like "the variable is named" '^squeue: error: SQUEUE_QOS: creel has nothing similar' "$OUTPUT"
export CREEL_RM=127.0.0.1:9
exits "squeue without a resource manager" 1 squeue
is "the first line is that of Slurm" "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" "${OUTPUT%%$'\n'*}"
like "the next one has the reason" '^squeue: error: no resource manager runs at 127.0.0.1:9' "$OUTPUT"
exits "sbatch without a resource manager" 1 sbatch --wrap true
is "the first line is that of Slurm" "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" \
    "${OUTPUT%%$'\n'*}"
unset CREEL_RM
like "squeue --version" '^slurm [0-9.]+ ' "$(squeue --version)"

# --- scancel: signals --------------------------------------------------------------------------------
cat >signals.sbatch <<'S'
#!/bin/bash
#SBATCH --mem=64M
trap 'echo shell' USR1
bash -c 'trap "echo child; exit 0" USR1; touch ready; while :; do read -rt 0.05 <> <(:); done'
echo rest
read -rt 100 <> <(:)
S
said() { grep -qx "$1" "slurm-$signals.out"; }
signals=$(sbatch --parsable signals.sbatch)
becomes "a job with a shell and a program runs" 30 test -e ready
exits "a signal for a job" 0 scancel --signal USR1 "$signals"
becomes "the program gets it" 20 said child
becomes "the script goes on" 20 said rest
unlike "the shell of the script does not get it" '^shell$' "$(cat "slurm-$signals.out")"
exits "a signal for the shell alone" 0 scancel -b -s SIGUSR1 "$signals"
becomes "the shell gets it" 20 said shell
cat >steps.sbatch <<'S'
#!/bin/bash
#SBATCH --mem=64M
trap 'echo shell' USR1
bash -c 'trap "echo child" USR1; while :; do read -rt 0.05 <> <(:); done' &
srun bash -c 'trap "echo step; exit 0" USR1; touch ready.step; while :; do read -rt 0.05 <> <(:); done'
echo rest
while :; do read -rt 0.05 <> <(:); done
S
stepped=$(sbatch --parsable steps.sbatch)
said_of_steps() { grep -qx "$1" "slurm-$stepped.out"; }
becomes "a job with a step runs" 30 test -e ready.step
exits "a signal for its steps" 0 scancel -s USR1 "$stepped"
becomes "the script goes on after the step" 20 said_of_steps rest
exits "a signal while no step runs is no error, as in Slurm" 0 scancel -s USR1 "$stepped"
exits "the same signal for all processes" 0 scancel -f -s USR1 "$stepped"
becomes "the shell gets it" 20 said_of_steps shell
becomes "its program gets it" 20 said_of_steps child
is "each got it once" "1 1 1" "$(for word in step child shell; do grep -cx "$word" "slurm-$stepped.out"; done | paste -sd' ')"
exits "the job is no longer needed" 0 scancel "$stepped"
exits "a signal for a job that waits" 1 scancel -s USR1 "$held"
is "the error is that of Slurm" "scancel: error: Kill job error on job id $held: Job is pending execution" "$OUTPUT"
exits "an unknown signal" 1 scancel -s NOTHING "$signals"
is "the signal is named" "scancel: error: Unknown job signal: NOTHING" "$OUTPUT"
exits "scancel without --signal ends it" 0 scancel "$signals"

# --- scancel: jobs -------------------------------------------------------------------------------------
exits "a running job" 0 scancel "$running"
becomes "it is cancelled" 30 queue_is "$running CA" -j "$running" -t all -o '%i %t'
is "one that depends on it ends, too" "$waiting CA" "$(squeue -h -j "$waiting" -t all -o '%i %t')"
exits "once more is no error, as in Slurm" 0 scancel "$running"
exits "a number that is not there" 1 scancel 999
is "the error is that of Slurm" "scancel: error: Kill job error on job id 999: Invalid job id specified" "$OUTPUT"
exits "with --quiet there is no message" 1 scancel -Q 999
is "with --quiet there is no message, but the status" "" "$OUTPUT"
exits "nothing" 1 scancel
is "it says so" "scancel: error: No job identification provided" "$OUTPUT"
exits "tasks of an array" 0 scancel "${array}_[3-4]" "${array}_9"
is "the others are left" "${array}_[2,5-8%2]" "$(squeue -h -n gamma -t PD -o %i)"
is "the tasks that were cancelled before they began have a row" "${array}_[3-4,9] CA" "$(squeue -h -j "$array" -t CA -o '%i %t')"
is "each by its index" "${array}_4 CA" "$(squeue -h -j "${array}_4" -t all -o '%i %t')"
is "sacct has them, too, with the status of a job that has not begun" "${array}_[3-4,9]|CANCELLED|0:0" "$(sacct -n -X -P -o JobID,State,ExitCode -s CA -j "$array")"
like "creel status of the array names them" '^Failed tasks: +3-4,9$' "$(creel status "$array")"
exits "such a task has no status of its own" 3 creel status "${array}_4"
like "the error has the reason" 'a task that was killed before it began is counted by its array alone' "$OUTPUT"
odd=$(batch -J odd --hold -a 1,3,5 --wrap true)
exits "a range of which the array has one task" 0 scancel "${odd}_[1,2]"
is "this task is cancelled" "${odd}_[3,5]" "$(squeue -h -j "$odd" -t PD -o %i)"
exits "a range of which the array has none is no error, as in Slurm" 0 scancel "${odd}_[9,11]"
is "no task was cancelled" "${odd}_[3,5]" "$(squeue -h -j "$odd" -t PD -o %i)"
exits "one task that is not there is an error" 1 scancel "${odd}_9"
is "the error is that of Slurm" "scancel: error: Kill job error on job id ${odd}_9: Invalid job id specified" "$OUTPUT"
exits "a range that has all tasks of the array" 0 scancel "${odd}_[1-5]"
is "the array is cancelled" "" "$(squeue -h -j "$odd" -t PD -o %i)"
exits "jobs by state and name" 0 scancel -t PENDING -n gamma
becomes "those that run are left" 30 queue_is "$held PD ${array}_0 R ${array}_1 R" -o '%i %t'
left() { queue_is "$held PD ${array}_1 R" -o '%i %t'; }
exits "a task by its own number, with --me" 0 scancel --me "$(squeue -h -j "${array}_0" -o %A)"
becomes "the other tasks of the array are left" 30 left
exits "a step" 1 scancel "${array}_1.0"
is "the step is named" "scancel: error: Kill job error on job id ${array}_1.0: creel cancels and signals whole jobs, not the steps of srun" "$OUTPUT"
exits "a step of a job that matches" 1 scancel --me "$held.0"
exits "a signal for a step" 1 scancel -s USR1 "${array}_1.0"
exits "an empty id, and a job" 1 scancel "" "$held"
like "the id is named" 'scancel: error: Invalid job id specified: "";' "$OUTPUT"
exits "an empty id with --me" 1 scancel --me ""
exits "an empty state" 1 scancel --me -t ""
for it in -u -n -p; do
    exits "an empty list of scancel $it" 1 scancel "$it" ""
    like "the option of scancel with the empty list is named" "scancel: error: --[a-z]*=\"\": the list is empty, and would choose all" "$OUTPUT"
done
for it in user queue state tag; do
    exits "an empty --$it of creel app kill" 2 creel app kill "--$it" ''
    like "the empty --$it is named" "^creel: --$it \"\": the list is empty, and would choose all" "$OUTPUT"
    exits "an empty --$it of creel app list" 2 creel app list "--$it" ','
done
for it in 'show job' 'show node' 'hold' 'requeue'; do
    # shellcheck disable=SC2086 # two words
    exits "an empty name of scontrol $it" 1 scontrol $it ""
done
exits "a task of a job that is no array" 1 scancel "${held}_7"
is "the task is named" "scancel: error: Kill job error on job id ${held}_7: Invalid job id specified" "$OUTPUT"
exits "no job matches such a task" 0 scancel --me "${held}_7"
exits "a signal for such a task" 1 scancel -s USR1 "${held}_7"
check "none of them ended a job" left
exits "a variable that would change the result, and creel has nothing similar" 1 env SCANCEL_INTERACTIVE=1 scancel "$held"
like "the variable is named" '^scancel: error: SCANCEL_INTERACTIVE: creel has nothing similar' "$OUTPUT"
check "they ended no job" left
exits "the state of the environment with --me" 0 env SCANCEL_STATE=PENDING scancel --me
becomes "jobs in other states are left" 30 queue_is "${array}_1 R" -o '%i %t'
exits "jobs of the user" 0 scancel -u "$(id -un)"
becomes "no job is left" 30 queue_is ""

# --- sacct --------------------------------------------------------------------------------------------
limited=$(creel submit --id -q default -t 1s -- sleep "$mark")
creel wait "$limited" >/dev/null 2>&1
limited=$(creel app list --state ALL --json | jq -r '.items[-1].id | split("_")[2] | tonumber')
memory=$(batch --wait --wrap 'python3 -c "x = bytearray(200000000)"')
is "the form of submitit" "JobID|State|NodeList $failed|FAILED $failed.batch|FAILED $completed|COMPLETED $completed.batch|COMPLETED" \
    "$(sacct -o JobID,State,NodeList --parsable2 -j "$failed" -j "$completed" | sed 's/|[^|]*$/&/; s/|[0-9.a-z-]*$//' | paste -sd' ')"
is "the form of Snakemake" "$failed|FAILED $completed|COMPLETED" \
    "$(sacct -X --parsable2 --clusters all --noheader --format=JobIdRaw,State --starttime "$(date -d '2 days ago' +%Y-%m-%dT%H:00)" --endtime now --name delta | paste -sd' ')"
is "the form of parsl" "$failed FAILED $completed COMPLETED" \
    "$(sacct -X --noheader --format='jobid,state%20' --job "$failed,$completed" | xargs)"
is "how jobs ended" "$failed|FAILED|3:0|NonZeroExitCode $limited|TIMEOUT|0:15|TimeLimit $memory|OUT_OF_MEMORY|0:125|OutOfMemory $running|CANCELLED|0:15|None" \
    "$(for job in "$failed" "$limited" "$memory" "$running"; do sacct -XnPj "$job" -o jobid,state,exitcode,reason; done | paste -sd' ')"
like "figures are those of the step" '^[0-9]+\|\|32M$' "$(sacct -nPX -j "$(batch --mem=32M --wait --wrap true)" -o jobid,maxrss,reqmem)"
like "the peak of the memory, and times" '^[0-9]+\.batch\|[0-9]+K\|00:00\.[0-9]{3}\|[0-9-]+T[0-9:]+$' "$(sacct -nPj "$completed.batch" -o jobid,maxrss,totalcpu,end)"
is "tasks of an array: their numbers, and own ones" "${array}_0 CANCELLED" "$(sacct -nX -j "${array}_0" -o jobid,state | xargs)"
is "a task by its own number" "${array}_0" "$(sacct -nXP -j "$(sacct -nXP -j "${array}_0" -o jobidraw)" -o jobid)"
# shellcheck disable=SC2016 # for the task's shell
pair=$(batch --wait -a 1-2 --wrap 'exit $((SLURM_ARRAY_TASK_ID == 1))')
is "one task has the number of the array as JobIDRaw, as in Slurm: the last one that did not succeed" "$pair|${pair}_1|FAILED" \
    "$(sacct -nXP -j "$pair" -o jobidraw,jobid,state | grep "^$pair|")"
is "the fields of a second --format follow those of the first" "${pair}_1|FAILED" "$(sacct -nXP -j "${pair}_1" -o jobid -o state)"
is "--brief replaces the fields of an earlier --format" "${pair}_1|FAILED|1:0" "$(sacct -nXP -j "${pair}_1" -o user -b)"
is "more ids than are requested one by one" "$failed $completed" "$(sacct -nXj "$completed,$(seq -s, 900 920),$failed" -o jobid | xargs)"
is "by state" "$limited" "$(sacct -nXP -S now-1day -s TIMEOUT -o jobid)"
is "the usual columns" "JobID JobName Partition Account AllocCPUS State ExitCode" "$(sacct | head -1 | xargs)"
like "columns have lines below" '^------------ ---------- ' "$(sacct | sed -n 2p)"
is "an account" "lab" "$(sacct -nXPj "$running" -o account)"
is "without one the field is empty" "$completed|" "$(sacct -nXPj "$completed" -o jobid,account)"
is "a field by its prefix" "ExitCode 3:0" "$(sacct -XPj "$failed" -o exit | paste -sd' ')"
exits "a prefix of several fields" 1 sacct -o Alloc
is "all fields" "$failed|FAILED" "$(sacct -XPj "$failed" --format=ALL | awk -F'|' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "State") state = i; next } { print $1 "|" $state }')"
like "--parsable ends with the separator" '^JobID;State;$' "$(sacct -p --delimiter=';' -o jobid,state | head -1)"
is "a job that is not there has no row" "" "$(sacct -nj 999)"
is "before it was submitted" "" "$(sacct -nX -E now-2days -S now-3days)"
exits "no such field" 1 sacct -o jobid,nothing
is "the field is named" 'sacct: error: Invalid field requested: "nothing"' "$OUTPUT"
exits "no time" 1 sacct -S whenever
is "the time is named" "sacct: error: Invalid time specification: --starttime=whenever" "$OUTPUT"
exits "what would change the result, and creel has not" 1 sacct -N n1
becomes "the history has the jobs" 30 creel_history_has "$memory"
files_of() { scontrol -o show job "$1" | grep -oE ' (WorkDir|StdOut|StdErr)=[^ ]*' | sort -u | paste -sd' '; }
becomes "the history has the tasks of an array" 30 creel_history_has "$pair"
is "scontrol show job has directory and files of tasks that have ended" \
    " StdErr=$T/work/slurm-${pair}_1.out  StdErr=$T/work/slurm-${pair}_2.out  StdOut=$T/work/slurm-${pair}_1.out  StdOut=$T/work/slurm-${pair}_2.out  WorkDir=$T/work" \
    "$(files_of "$pair")"
like "and the host of the submission" " AllocNode:Sid=$(hostname):0 " "$(scontrol -o show job "${pair}_2") "
is "figures of the history are the same" "$memory OUT_OF_MEMORY" "$(sacct -nX -S now-1day --name wrap -s OOM -o jobid,state%15 | xargs)"
finish
