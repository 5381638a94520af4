#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The commands of Slurm in a cluster of several queues: time limits of queues, and changes of arrays that have begun.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
q() { printf '  <property><name>yarn.scheduler.capacity.%s</name><value>%s</value></property>\n' "$1" "$2"; }
{
    echo '<configuration>'
    q root.queues default,short,hour,other
    q resource-calculator org.apache.hadoop.yarn.util.resource.DominantResourceCalculator
    q maximum-am-resource-percent 1
    for queue in default short hour other; do
        q "root.$queue.capacity" 25
        q "root.$queue.maximum-capacity" 100
        q "root.$queue.user-limit-factor" 100
    done
    q root.short.maximum-application-lifetime 1500
    q root.hour.maximum-application-lifetime 176400
    q root.hour.default-application-lifetime 120
    echo '</configuration>'
} >"$T/conf/capacity-scheduler.xml"
cluster_up -n 1 --conf "$T/conf"
mkdir -m 0777 "$T/work" && cd "$T/work" || exit 1
PATH=$BUILD/slurm:$PATH
mark=$(unlike_others)
batch() { sbatch -Q --parsable --mem=16M -o /dev/null "$@"; }
queue_is() { [ "$(squeue -h "${@:2}")" = "$1" ]; }
shown() { scontrol -o show job "$1" | grep -oE " $2=[^ ]*" | cut -d= -f2; }
limits() { echo "$(squeue -h -j "$1" -o '%l') $(shown "$1" TimeLimit) $(sacct -X -n -P -j "$1" -o timelimit)"; }

# --- limits of queues ---------------------------------------------------------------------------
is "limits of partitions, as sinfo of Slurm prints them" "default* infinite hour 2-01:00:00 other infinite short 25:00" "$(sinfo -h -o '%P %l' | sort | xargs)"
is "as scontrol prints them" "MaxTime=2-01:00:00 MaxTime=00:25:00" \
    "$(for queue in hour short; do scontrol -o show partition "$queue" | grep -o 'MaxTime=[^ ]*'; done | paste -sd' ')"
held=$(batch --hold -p short -t 60 --wrap true)
is "a job that waits: the limit of the queue is smaller" "25:00 00:25:00 00:25:00" "$(limits "$held")"
array=$(batch --hold -a 0-2 -p short --wrap true)
is "tasks of an array that wait" "25:00 00:25:00 00:25:00" "$(limits "$array")"
usual=$(batch --hold -p hour --wrap true)
is "a job without a limit: the default of the queue" "2:00 00:02:00 00:02:00" "$(limits "$usual")"
less=$(batch --hold -p short -t 10 --wrap true)
is "the limit of the job is smaller" "10:00 00:10:00 00:10:00" "$(limits "$less")"
scancel "$held" "$array" "$usual" "$less"
running=$(batch -p short -t 60 --wrap "sleep $mark")
becomes "a job runs" 30 queue_is R -j "$running" -o %t
like "its limit is what the queue leaves" '^(25:00|24:5[0-9])$' "$(squeue -h -j "$running" -o %l)"
like "so it is for sacct and scontrol" '^00:2(5:00|4:5[0-9]) 00:2(5:00|4:5[0-9])$' "$(sacct -X -n -P -j "$running" -o timelimit) $(shown "$running" TimeLimit)"
like "and what is left" '^2[0-5]:[0-9]{2}$' "$(squeue -h -j "$running" -o %L)"
start=$(date -d "$(shown "$running" StartTime)" +%s) end=$(date -d "$(shown "$running" EndTime)" +%s)
check "it ends at the limit of the queue" test $((end - start)) -ge 1440 -a $((end - start)) -le 1500
scancel "$running"

# --- arrays that have begun -----------------------------------------------------------------------
array=$(batch -a 0-4%2 -t 60 --wrap "sleep $mark")
becomes "two of five tasks run" 30 queue_is "${array}_0
${array}_1" -t R -j "$array" -o %i
each() { squeue -h -r -j "$array" -o '%K %P %l' | sort | paste -sd,; }
exits "a limit, a priority and a partition of all" 0 scontrol update "JobId=$array" TimeLimit=30 Partition=other Priority=3
is "a limit is that of all tasks, a partition that of those that wait, as in Slurm" \
    "0 default 30:00,1 default 30:00,2 other 30:00,3 other 30:00,4 other 30:00" "$(each)"
exits "a partition that is not there" 1 scontrol update "JobId=$array" TimeLimit=20 Partition=nosuch
like "the partition is named" 'nosuch: ' "$OUTPUT"
exits "a difference" 1 scontrol update "JobId=$array" TimeLimit=+5
like "the error is that of Slurm" 'TimeLimit increment/decrement not supported for job arrays' "$OUTPUT"
is "nothing has changed" "0 default 30:00,1 default 30:00,2 other 30:00,3 other 30:00,4 other 30:00" "$(each)"
exits "a task is cancelled" 0 scancel "${array}_0"
becomes "another one runs in the new partition" 30 queue_is "${array}_1 default 30:00
${array}_2 other 30:00" -t R -j "$array" -o '%i %P %l'
exits "creel app move and creel app priority, too" 0 creel app move "$array" default
is "the tasks that wait are there" "1 default 30:00,2 other 30:00,3 default 30:00,4 default 30:00" "$(each)"
exits "one lifetime of tasks that began at different times" 6 creel app lifetime "$array" 1h
like "is refused, with what to do" 'one by one, as [0-9_]+' "$OUTPUT"
exits "an array that has begun is not held as a whole" 1 scontrol hold "$array"
like "the error says so" 'is an array that has begun, and is not held as a whole: hold those of its tasks .*creel app set [0-9_]+ --at-once 1$' "$OUTPUT"
scancel "$array"

# --- messages name the option as it was written ---------------------------------------------------
refused() { local what=$1; shift; exits "$what" 1 "$@"; }
refused "a partition that is not there" sbatch -p nosuch --wrap true
like "the option is named" '^sbatch: error: Batch job submission failed: .*-p nosuch: no such queue' "$OUTPUT"
printf '#!/bin/sh\n#CREEL -q nosuch\ntrue\n' >own.sh
exits "so it is for a script of creel" 3 creel submit own.sh
like "with its line" '^creel: own.sh:2: --queue nosuch: no such queue' "$OUTPUT"
refused "a job that is not there" sbatch -d afterok:9999 --wrap true
like "the option is named" ' -d afterok:9999: .*application 9999: not known here' "$OUTPUT"
refused "a range of 2000 tasks" sbatch -d "afterok:${array}_[1-2000]" --wrap true
like "their number is named" '-d afterok:[0-9]+_\[1-2000\]: .*the range has 2000' "$OUTPUT"
exits "the same job, 1001 times" 0 sbatch --hold -d "afterany:$(printf "$array:%.0s" {1..1000})$array" --wrap true
scancel -u "$(id -un)"
refused "sinfo: an empty list of states" sinfo -t ""
like "the option is named" '^sinfo: error: --states=""' "$OUTPUT"
refused "squeue: an empty word" squeue -a ""
like "it is quoted" '^squeue: error: Unrecognized option: ""$' "$OUTPUT"
refused "sinfo: an empty word" sinfo -a ""
like "it is quoted" '^sinfo: error: Unrecognized option: ""$' "$OUTPUT"

# --- sizes of steps -------------------------------------------------------------------------------
cat >steps.sh <<'S'
#!/bin/bash
#SBATCH -n 2 -o steps.txt
for value in x 0 1.5 -1 ""; do SRUN_CPUS_PER_TASK=$value srun -n 1 true || echo "refused: $?"; done
SRUN_CPUS_PER_TASK=99 srun -n 1 true || echo "refused: $?"
SRUN_CPUS_PER_TASK=2 srun -n 1 sh -c 'echo "cpus $SLURM_CPUS_PER_TASK"'
SLURM_NTASKS=x srun true || echo "refused: $?"
SLURM_KILL_BAD_EXIT=x srun -n 1 true || echo "refused: $?"
srun -n 1 --open-mode=x true || echo "refused: $?"
srun -n 1 --mem=100G true || echo "refused: $?"
srun -n 1 --mem-per-cpu=100G true || echo "refused: $?"
srun -n 1 --mem=8M true && echo fits
S
exits "a job without --mem has steps" 0 sbatch -Q -W steps.sh
is "values that are no number are refused, as are steps that are larger than the job" "cpus 2 fits $(printf 'refused: 1%.0s ' {1..11})" \
    "$(grep -E '^(cpus|fits)' steps.txt | paste -sd' ') $(grep '^refused' steps.txt | paste -sd' ') "
like "the variable and the value are named" '^srun: error: SRUN_CPUS_PER_TASK: --cpus-per-task=1.5: expected a number' "$(cat steps.txt)"
like "the memory of the job is named" 'the step needs 102400 MiB, and job [0-9]+ has [0-9]+ MiB' "$(cat steps.txt)"
finish
