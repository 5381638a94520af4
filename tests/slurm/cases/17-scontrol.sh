# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# scontrol: lists of hosts, hold and release, update, show job.
. "$CASE"
scontrol show hostnames 'n[1-3,07-09],m'
scontrol show hostlist n1,n2,n3,x7
scontrol show hostnames; echo "status $?"
submit --hold -J shown -t 5 -n 2 -o shown.txt --wrap true
scontrol show job "$id" | grep -oE '\b(JobId|JobName|JobState|Reason|Dependency|TimeLimit|Partition|NumNodes|NumCPUs|NumTasks|CPUs/Task|GroupId|WorkDir|Command|Requeue|Restarts|BatchFlag|ExitCode|StdOut|StdErr|StdIn|UserId)=[^ ]*'
scontrol -o show job "$id" | wc -l
scontrol release "$id"; echo "release $?"
finished "$id"
submit --hold -o /dev/null --wrap true
scontrol update JobId="$id" TimeLimit=20 ; echo "update $?"
scontrol hold "$id"; echo "hold $?"
scontrol hold 99999999; echo "status $?"
scontrol release 99999999; echo "status $?"
scontrol show job 99999999; echo "status $?"
scontrol requeue 99999999; echo "status $?"
scontrol nonsense; echo "status $?"
scancel "$id"
script sized <<'S'
#!/bin/bash
#SBATCH -n 2 -c 3 --hold -o out/%j-%x-%u.txt -e %j.err --input=/etc/hostname
true
S
fields='NumCPUs|NumTasks|CPUs/Task|StdOut|StdErr|StdIn|WorkDir|ArrayTaskThrottle'
submit sized one 'two words'
scontrol show job "$id" | grep -oE "\b($fields)=[^ ]*|Command=.*"
squeue -h -j "$id" -o '%Z %g %G'
scancel "$id"
submit --hold -a 1-9%2 -o 'a-%A.txt' sized
scontrol show job "$id" | grep -oE "\b($fields)=[^ ]*|Command=.*"
scancel "$id"
submit -D /tmp --hold <sized
scontrol show job "$id" | grep -oE "\b($fields)=[^ ]*|Command=.*"
scancel "$id"
for list in n2,n1 a1,a2,b 'n[1-3],n[2-5]' n1,n1,n2,n1 n01,n02,n3 n08,n9,n10 n09,n10 n099,n100 n1,n01 001,002 n1x,n2x n1-ib,n2-ib \
    n1.a.org,n2.a.org gpu-1-1,gpu-1-2,gpu-2-1 'n[1-2]m[3-4]' 'r1n[01-02,5]' login,n1,n2; do
    scontrol show hostlist "$list"
    scontrol show hostlistsorted "$list"
    scontrol show hostnames "$list" | paste -sd' '
done
submit --hold -J both -t 60 -o /dev/null --wrap true
scontrol update JobId="$id" Name=other NoSuch=3 >/dev/null 2>&1; echo "update $?"
squeue -h -j "$id" -o %j
scontrol update JobId="$id" Name=other TimeLimit=5 Partition=nosuch >/dev/null 2>&1; echo "update $?"
squeue -h -j "$id" -o '%j %l'
scontrol update JobId="$id" Name=other TimeLimit=5; echo "update $?"
squeue -h -j "$id" -o '%j %l'
scancel "$id"
submit -o /dev/null --wrap 'sleep 100'; wait_for state_is "$id" RUNNING
scontrol hold "$id"; echo "hold $?"
squeue -h -j "$id" -o %T
scontrol release "$id"; echo "release $?"
scancel "$id"; finished "$id"
