# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# scontrol requeue and update of tasks of an array, as training libraries call it, of several and of all.
. "$CASE"
runs() { [ "$(squeue -h -t R -j "$1" -o %K | sort | paste -sd' ')" = "$2" ]; }
began() { [ "$(grep -c '^run' "$1")" -ge "$2" ]; }
restarts() { scontrol show job "$1" | grep -o 'Restarts=[0-9]*' | paste -sd' '; }
restarted() { [ "$(restarts "$1")" = "Restarts=$2" ]; }
script save <<'S'
#!/bin/bash
#SBATCH -a 0-1 -o saved-%a.out --open-mode=append --requeue
#SBATCH --signal=SIGUSR1@90 -t 10
[ -z "${SLURM_RESTART_COUNT-}" ] || { echo "again $SLURM_RESTART_COUNT"; exit; }
trap 'scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"' USR1
echo started
for _ in $(seq 600); do sleep 0.1; done
S
script keep <<'S'
#!/bin/bash
#SBATCH -a 0-2 -o keep-%a.out --open-mode=append --requeue -t 10
echo "run ${SLURM_RESTART_COUNT-0}"
exec sleep 300
S
submit save; saved=$id
submit keep
wait_for runs "$id" "0 1 2"
scontrol update "jobid=${id}_1" timelimit=5; echo "update $?"
squeue -h -j "${id}_1" -o %l
scontrol update job "${id}_1" timelimit=+5; echo "update $?"
squeue -h -j "${id}_1" -o %l
scontrol sho par | grep -o 'PartitionName=.*' | head -1; scontrol show hostn 'n[1-2]'
scontrol sh job >/dev/null 2>&1 || echo refused; scontrol show host >/dev/null 2>&1 || echo refused
wait_for grep -q started saved-0.out
wait_for grep -q started saved-1.out
scancel -b --signal=USR1 "$saved"
scontrol requeue "${id}_[0-1]"; echo "two $?"
wait_for began keep-0.out 2
wait_for began keep-1.out 2
wait_for runs "$id" "0 1 2"
scontrol requeue "$id"; echo "all $?"
for task in 0 1; do wait_for restarted "${id}_$task" 2; done
wait_for restarted "${id}_2" 1
scontrol requeue "${id}_9" >/dev/null 2>&1; echo "no such task $?"
scancel "$id"
wait_for ended "$id"
finished "$saved"
rm keep-*
