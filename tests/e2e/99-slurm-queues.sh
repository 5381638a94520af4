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
finish
