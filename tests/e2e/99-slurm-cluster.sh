#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sinfo and scontrol: partitions, nodes and jobs in the forms that tools parse, and what scontrol changes.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
mkdir -m 0777 "$T/work" && cd "$T/work" || exit 1
PATH=$BUILD/slurm:$PATH
mark=$(unlike_others)
batch() { sbatch -Q --parsable --mem=16M "$@"; }
sinfo_is() { [ "$(sinfo -h "${@:2}")" = "$1" ]; }
queue_is() { [ "$(squeue -h "${@:2}")" = "$1" ]; }
shown() { scontrol -o show job "$1" | grep -oE " $2=[^ ]*" | cut -d= -f2; }

# --- sinfo --------------------------------------------------------------------------------
is "the usual columns and row" "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST default* up infinite 1 idle 127.0.0.1" "$(sinfo | xargs)"
is "names of partitions, for -p" "default" "$(sinfo -h -o %R)"
like "each node: processors and memory" '^127\.0\.0\.1 [0-9]+ [0-9]+ default\*$' "$(sinfo -N -h -o '%N %c %m %P')"
like "-s adds up" '^default\* +up +infinite +0/1/0/1 127\.0\.0\.1$' "$(sinfo -s -h)"
is "long names" "PARTITION STATE default* idle" "$(sinfo -O partition,statelong | xargs)"
like "a partition without such nodes has a row, as in Slurm" '^default\* +up +infinite +0 +n/a $' "$(sinfo -h -t down)"
is "with -N there is none" "" "$(sinfo -h -N -t down)"
is "by partition" "" "$(sinfo -h -p elsewhere)"
is "by the partition of the environment" "" "$(SINFO_PARTITION=elsewhere sinfo -h)"
running=$(batch -J alpha -t 10 --wrap "sleep $mark")
becomes "a node with a job is mixed" 30 sinfo_is mix -o %t
is "the columns of nodes" "NODELIST NODES PARTITION STATE CPUS S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON" "$(sinfo -N -l | sed -n 2p | xargs)"
like "the row of a node" '^127\.0\.0\.1 1 default\* mixed [0-9]+ [0-9]+:1:1 [0-9]+ 0 1 \(null\) none$' "$(sinfo -l -N -h | tail -1 | xargs)"
is "the columns of partitions" "PARTITION AVAIL TIMELIMIT JOB_SIZE ROOT OVERSUBS GROUPS NODES STATE NODELIST" "$(sinfo -l | sed -n 2p | xargs)"
like "all fields" 'PARTITION\|.*NODELIST\|' "$(sinfo -o %all | head -1)"
exits "no such state" 1 sinfo -t bogus
like "the state is named" '^sinfo: error: Bad state string: "bogus"' "$OUTPUT"
exits "no such field" 1 sinfo -o %j
like "sinfo --version" '^slurm [0-9.]+ ' "$(sinfo --version)"

# --- scontrol show ----------------------------------------------------------------------------
becomes "the job runs" 30 queue_is R -j "$running" -o %t
is "a job: state, reason, limit, partition, node" "RUNNING None 00:10:00 default 127.0.0.1" \
    "$(for key in JobState Reason TimeLimit Partition NodeList; do shown "$running" "$key"; done | paste -sd' ')"
is "a job has a line for a few pairs" "JobId=$running JobName=alpha" "$(scontrol show job "$running" | head -1)"
exits "a job that is not there" 1 scontrol show job 999
is "the error is that of Slurm" "slurm_load_jobs error: Invalid job id specified" "$OUTPUT"
like "a node" '^NodeName=127\.0\.0\.1 CPUAlloc=[0-9]+ CPUTot=[0-9]+ .* RealMemory=[0-9]+ .* State=MIXED' "$(scontrol -o show node)"
like "a partition" '^PartitionName=default Default=YES MaxTime=UNLIMITED .* State=UP TotalCPUs=[0-9]+ TotalNodes=1' "$(scontrol -o show partition default)"
like "the largest array, as Snakemake reads it" '^MaxArraySize +=[ ]?[0-9]+$' "$(scontrol show config | head -1)"
like "ping" '^Slurmctld\(primary\) at .* is UP$' "$(scontrol ping)"
exits "what is not there" 1 scontrol show federation
exits "no command" 1 scontrol nothing

is "hostlist keeps the order and repeated names, as in Slurm" "n[2,1] n[1-3,2-5] a[1-2],b" \
    "$(for list in n2,n1 'n[1-3],n[2-5]' a1,a2,b; do scontrol show hostlist "$list"; done | paste -sd' ')"
is "hostlistsorted sorts" "n[1-2] n[1-2,2-3,3-5]" \
    "$(for list in n2,n1 'n[1-3],n[2-5]'; do scontrol show hostlistsorted "$list"; done | paste -sd' ')"
is "hostnames has a line for each name of the list" "n1 n2 n1" "$(scontrol show hostnames n1,n2,n1 | paste -sd' ')"

printf '#!/bin/sh\n' >lines.sbatch
lines=$(batch --hold lines.sbatch $'first\nJobId=1 JobState=RUNNING')
like "an argument of two lines is in one" 'Command=.*lines\.sbatch first\?JobId=1 JobState=RUNNING WorkDir=' "$(scontrol -o show job "$lines")"
like "so it is for squeue" 'lines\.sbatch first\?JobId=1 JobState=RUNNING$' "$(squeue -h -j "$lines" -o %o)"
exits "it is no longer needed" 0 scancel "$lines"

# --- scontrol changes ---------------------------------------------------------------------------
waiting=$(batch --begin now+1hour --wrap true)
exits "hold" 0 scontrol hold "$waiting"
is "the job is held" JobHeldUser "$(squeue -h -j "$waiting" -o %r)"
exits "release" 0 scontrol release "$waiting"
is "it waits for its time again" BeginTime "$(squeue -h -j "$waiting" -o %r)"
exits "tasks of a job that has none" 1 scontrol hold "${waiting}_[1,2]"
is "each is named" "scontrol: error: Invalid job id specified for job ${waiting}_1
scontrol: error: Invalid job id specified for job ${waiting}_2" "$OUTPUT"
exits "a job, and a word that is no id" 1 scontrol hold "$waiting,x"
is "no job is held" BeginTime "$(squeue -h -j "$waiting" -o %r)"
exits "a job that runs is held before its next start" 0 scontrol hold "$running"
is "it runs on" "R JobHeldUser" "$(squeue -h -j "$running" -o '%t %r')"
exits "release" 0 scontrol release "$running"
is "it is held no more" "R None" "$(squeue -h -j "$running" -o '%t %r')"
exits "a longer limit" 0 scontrol update "JobId=$running" TimeLimit=20
is "the job has it" 00:20:00 "$(shown "$running" TimeLimit)"
exits "a limit that is 30 minutes longer" 0 scontrol update "JobId=$running" TimeLimit+=30
is "the job has it" 00:50:00 "$(shown "$running" TimeLimit)"
exits "and one that is five minutes shorter" 0 scontrol update "JobId=$running" TimeLimit-=5
is "the job has it" 00:45:00 "$(shown "$running" TimeLimit)"
exits "as in this form" 0 scontrol update "JobId=$running" TimeLimit=-25
is "the job has it" 00:20:00 "$(shown "$running" TimeLimit)"
exits "a limit below 0" 1 scontrol update "JobId=$running" TimeLimit-=500
is "the job keeps its limit" 00:20:00 "$(shown "$running" TimeLimit)"
for wrong in NoSuch=3 ReqNodeList=n1 TimeLimit+=x Priority=abc Name word; do
    exits "a name, and $wrong" 1 scontrol update "JobId=$running" Name=xyz "$wrong"
    like "the request is aborted: $wrong" "^scontrol: error: .*
Request aborted\$" "$OUTPUT"
done
exits "a name, and a queue that is not there" 1 scontrol update "JobId=$running" Name=xyz Partition=nosuch
is "none of them changed the name" alpha "$(shown "$running" JobName)"
exits "a limit, a name, and tasks at a time of a job that is no array" 1 scontrol update "JobId=$running" TimeLimit=33 Name=xyz ArrayTaskThrottle=2
is "nothing is changed if one part is refused" "alpha 00:20:00" "$(shown "$running" JobName) $(shown "$running" TimeLimit)"
exits "two changes" 0 scontrol update "JobId=$running" Name=xyz TimeLimit=21
is "both are made" "xyz 00:21:00" "$(shown "$running" JobName) $(shown "$running" TimeLimit)"
exits "back" 0 scontrol update "JobId=$running" Name=alpha TimeLimit=20
exits "a line without a change" 1 scontrol update "JobId=$running"
exits "hold of jobs by their name" 0 scontrol hold jobname=wrap
is "the job is held" JobHeldUser "$(squeue -h -j "$waiting" -o %r)"
exits "release by the name" 0 scontrol release JobName=wrap
is "the job is released" BeginTime "$(squeue -h -j "$waiting" -o %r)"
exits "a name that no job has is no error, as in Slurm" 0 scontrol hold jobname=nosuch
exits "an empty name" 1 scontrol hold jobname=
exits "a limit of a job that has not begun" 0 scontrol update "JobId=$waiting" TimeLimit=30
exits "and one that is ten minutes shorter" 0 scontrol update "JobId=$waiting" TimeLimit-=10
is "the job has it" 00:20:00 "$(shown "$waiting" TimeLimit)"
exits "but not one below 0" 1 scontrol update "JobId=$waiting" TimeLimit-=20
exits "a priority" 0 scontrol update "jobid=$waiting" Priority=5
is "the job has it" 5 "$(shown "$waiting" Priority)"
exits "the priority 0" 0 scontrol update "jobid=$waiting" Priority=0
is "it holds the job, as in Slurm" JobHeldUser "$(squeue -h -j "$waiting" -o %r)"
exits "another priority, and a name" 1 scontrol update "jobid=$waiting" Name=xyz Priority=100
like "is refused in the words of Slurm" "job $waiting: Job is in held state, pending scheduler release; .*: scontrol release $waiting\$" "$OUTPUT"
is "the job stays held, with its name" "JobHeldUser wrap" "$(squeue -h -j "$waiting" -o '%r %j')"
exits "release" 0 scontrol release "$waiting"
exits "the priority of the released job" 0 scontrol update "jobid=$waiting" Priority=5
is "the job has it" "BeginTime 5" "$(squeue -h -j "$waiting" -o %r) $(shown "$waiting" Priority)"
array=$(batch -a 0-5%1 -t 10 --wrap "sleep $mark")
exits "more tasks at a time" 0 scontrol update "JobId=$array" ArrayTaskThrottle=2
becomes "two tasks run" 30 queue_is "${array}_0
${array}_1" -j "$array" -t R -o %i
exits "a task that waits is not held alone" 1 scontrol hold "${array}_5"
like "the array is named" "job ${array}_5: creel holds and releases the tasks that wait together: .*, $array; .*JobId=$array ArrayTaskThrottle=1 " "$OUTPUT"
exits "requeuehold of a task" 0 scontrol requeuehold "${array}_1"
task_held() { [ "$(squeue -h -j "$array" -o '%i %t %r' | grep "^${array}_1 ")" = "${array}_1 PD JobHeldUser" ]; }
becomes "it has a row of its own, with its reason" 60 task_held
is "scontrol show job has the reason, too" JobHeldUser "$(shown "${array}_1" Reason)"
exits "release of the task" 0 scontrol release "${array}_1"
becomes "it is held no longer" 30 eval '! squeue -h -j "$array" -o %r | grep JobHeld'
becomes "the two tasks run" 60 queue_is "${array}_0
${array}_1" -j "$array" -t R -o %i
exits "a longer limit of a task" 0 scontrol update "JobId=${array}_[0-1]" TimeLimit=20
is "each task has it" "00:20:00 00:20:00" "$(squeue -h -t R -j "$array" -o %l | sed 's/^20/00:20/' | xargs)"
unlimited=$(batch --wrap "sleep $mark")
becomes "a job without a limit runs" 30 queue_is "R UNLIMITED UNLIMITED" -j "$unlimited" -o '%t %l %L'
exits "it gets a limit" 0 scontrol update "JobId=$unlimited" TimeLimit=20
is "squeue, scontrol and sacct show it" "20:00 00:20:00 00:20:00" \
    "$(squeue -h -j "$unlimited" -o %l) $(shown "$unlimited" TimeLimit) $(sacct -X -n -P -j "$unlimited" -o timelimit)"
exits "no limit" 0 scontrol update "JobId=$unlimited" TimeLimit=UNLIMITED
is "it has none" UNLIMITED "$(squeue -h -j "$unlimited" -o %l)"
exits "another limit" 0 scontrol update "JobId=$unlimited" TimeLimit=30
is "it has it" 30:00 "$(squeue -h -j "$unlimited" -o %l)"
scancel "$unlimited"
exits "a limit of a job that waits" 0 scontrol update "JobId=$waiting" TimeLimit=15
is "it has it" 15:00 "$(squeue -h -j "$waiting" -o %l)"
first=$(shown "$running" StartTime)
exits "requeue" 0 scontrol requeue "$running"
restarted() { [ "$(shown "$running" Restarts)" = 1 ] && [ "$(shown "$running" JobState)" = RUNNING ]; }
becomes "the job runs again" 60 restarted
second=$(shown "$running" StartTime)
is "its start is that of the second run" "$first" "$(printf '%s\n' "$second" "$first" | sort -u | sed '$d')"
like "its end is the limit after that" "^$(date -d "$second 20 minutes" +%FT%T)$" "$(shown "$running" EndTime)"
exits "requeuehold" 0 scontrol requeuehold "$running"
waits_held() { [ "$(squeue -h -j "$running" -o '%t %r')" = "PD JobHeldUser" ]; }
becomes "the job waits, held" 60 waits_held
is "it has no start, node or time" "0:00||N/A|N/A|20:00" "$(squeue -h -j "$running" -o '%M|%N|%S|%e|%L')"
is "its restarts are counted" 2 "$(shown "$running" Restarts)"
again=$(batch --wrap "sleep $mark")
becomes "another job runs" 30 queue_is R -j "$again" -o %t
scontrol requeuehold "$again"
again_held() { [ "$(squeue -h -j "$again" -o '%t %r')" = "PD JobHeldUser" ]; }
becomes "it is held, too" 60 again_held
exits "it is cancelled then" 0 scancel "$again"
becomes "it has ended" 30 queue_is CA -t all -j "$again" -o %t
is "it did not begin again: its start is its end, as in Slurm" "$(shown "$again" EndTime)" "$(shown "$again" StartTime)"
is "it has no time and no status, and its restart is counted" "00:00:00 0:0 1" "$(shown "$again" RunTime) $(shown "$again" ExitCode) $(shown "$again" Restarts)"
is "sacct has no start and no step of it" "$again|Unknown|00:00:00" "$(sacct -n -P -j "$again" -o jobid,start,elapsed)"
exits "release" 0 scontrol release "$running"
held_before() { [ "$(shown "$running" Restarts)" = 2 ] && [ "$(shown "$running" JobState)" = RUNNING ]; }
becomes "then it runs again" 60 held_before
exits "another name" 0 scontrol update "JobId=$running" Name=second
is "squeue shows it" second "$(squeue -h -j "$running" -o %j)"
scontrol update "JobId=$running" JobName=alpha
printf '#!/bin/sh\n# the script\nsleep 600\n' >stored.sh
stored=$(batch stored.sh) text=$(cat stored.sh)
rm stored.sh
is "write batch_script prints the script as it was submitted" "$text" "$(scontrol write batch_script "$stored" -)"
is "or writes a file" "batch script for job $stored written to slurm-$stored.sh" "$(scontrol write batch_script "$stored")"
is "with the script" "$text" "$(cat "slurm-$stored.sh")"
exits "a job without a script has none" 1 scontrol write batch_script "$(creel submit --id -m 16M -- true | sed 's/.*_0*//')"
like "the error says so" 'scontrol: error: job script retrieval failed: .* has no script of Slurm' "$OUTPUT"
exits "neither has a job that is not there" 1 scontrol write batch_script 999
scancel "$stored"
like "scontrol show job has the host of the submission" " AllocNode:Sid=$(hostname):0 " "$(scontrol -o show job "$running") "
either=$(batch -d "afterok:$running?afternotok:$waiting" --wrap true)
is "dependencies of which one is enough" "afterok:$running(unfulfilled)?afternotok:$waiting(unfulfilled)" "$(squeue -h -j "$either" -o %E)"
scancel "$either"
exits "a property that creel does not change" 1 scontrol update "JobId=$running" Nice=5
is "it is named" "scontrol: error: Nice=5: creel changes Name, TimeLimit, Partition, Priority and ArrayTaskThrottle of a job
Request aborted" "$OUTPUT"
printf '#!/bin/sh\necho "$# ${5000}"\n' >many.sh
batch -W -o many.txt many.sh $(seq 5000) >many.id
is "a script may have 5,000 arguments" "5000 5000" "$(cat many.txt)"
exits "a job that is not there" 1 scontrol requeue 999
is "the error has the words of Slurm" "scontrol: error: Invalid job id specified for job 999" "$OUTPUT"
exits "a queue that is not there" 1 scontrol update "JobId=$waiting" Partition=nosuch
like "the queue is named, not the job" "job $waiting: .*nosuch" "$OUTPUT"
exits "a job that has no tasks" 1 scontrol update "JobId=$(sbatch --parsable --hold --wrap true)" ArrayTaskThrottle=2
like "the error is a sentence" '^scontrol: error: job [0-9]+: .* is no array' "$OUTPUT"
ended=$(batch --wait --wrap 'exit 3')
exits "requeue Incomplete leaves a job that has ended alone" 0 scontrol requeue Incomplete "$ended"
is "it does not run again" "" "$OUTPUT"
exits "requeuehold with a state that creel has not" 1 scontrol requeuehold State=SpecialExit "$running"
like "the error names the state" '^scontrol: error: State=SpecialExit: jobs of creel have no such state; requeuehold without it' "$OUTPUT"
exits "requeue of a job that has ended" 0 scontrol requeue "$ended"
like "it names the number of the new job" "^scontrol: job $ended has ended: it runs again as job [0-9]+$" "$OUTPUT"
again=${OUTPUT##* }
becomes "the new job repeats it" 60 value_is .rerunOf "$(value .id status "$ended")" status "$again"

printf '#!/bin/sh\necho started\nexec sleep 600\n' >once.sh
once=$(batch --no-requeue -o once.out --open-mode=append once.sh)
becomes "a job with --no-requeue runs" 60 grep -q started once.out
is "scontrol show job has it" 0 "$(shown "$once" Requeue)"
is "and so has creel status" true "$(value .noRequeue status "$once")"
is "other jobs may start again" 1 "$(shown "$running" Requeue)"
exits "requeue of this job" 1 scontrol requeue "$once"
is "the error has the words of Slurm" "scontrol: error: Requested operation is presently disabled for job $once" "$OUTPUT"
is "the job runs on" RUNNING "$(shown "$once" JobState)"
variable=$(SBATCH_NO_REQUEUE=1 sbatch --parsable -Q --mem=32M --wrap true)
is "SBATCH_NO_REQUEUE means the same" 0 "$(shown "$variable" Requeue)"
node=$(creel node list -o id)
exits "its node is drained with a deadline" 0 creel node drain "$node" --deadline 1s --reason "new disk"
becomes "the job ends" 60 state_is "$once" FAILED
creel node undrain "$node" >/dev/null 2>&1
like "the reason is in its diagnostics" '; it does not start again \(--no-requeue\)$' "$(value .diagnostics status "$once")"
becomes "the jobs that may start again run again" 60 value_is .state RUNNING status "$running"
is "the job has run once" 1 "$(grep -c started once.out)"
is "its state in Slurm is that of the cause" PREEMPTED "$(sacct -X -n -P -j "$once" -o state)"
exits "requeue of the ended job" 1 scontrol requeue "$once"
like "creel submit has the option, too, and does not take it with --retry-on" 'no-requeue forbids that' \
    "$(creel submit --no-requeue --retry-on node --retries 1 -- true 2>&1)"
exits "a drain needs a reason" 1 scontrol update NodeName=127.0.0.1 State=DRAIN
exits "a node is drained" 0 scontrol update NodeName=127.0.0.1 State=DRAIN Reason="bad disk"
is "sinfo has state and reason" "drng bad disk" "$(sinfo -h -o '%t %E')"
exits "and resumed" 0 scontrol update NodeName=127.0.0.1 State=RESUME
is "it takes jobs again" "mix none" "$(sinfo -h -o '%t %E')"
finish
