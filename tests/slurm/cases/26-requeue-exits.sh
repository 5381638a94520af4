# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# A job that requeues itself more than once, a task of an array that does, and --no-requeue.
. "$CASE"
script twice <<'S'
#!/bin/bash
#SBATCH -o twice.txt --open-mode=append
echo "run ${SLURM_RESTART_COUNT-0}"
if [ "${SLURM_RESTART_COUNT-0}" -lt 2 ]; then scontrol requeue "$SLURM_JOB_ID"; exec sleep 60; fi
exit 7
S
script never <<'S'
#!/bin/bash
#SBATCH --no-requeue -o never.txt
scontrol requeue "$SLURM_JOB_ID" 2>/dev/null; echo "requeue: $?"
kill -INT $$
S
submit twice; one=$id
submit never; two=$id
finished "$one" "$two"
exit_code "$one"; exit_code "$two"
scontrol show job "$one" | grep -oE '\b(Requeue|Restarts)=[0-9]+'
scontrol show job "$two" | grep -oE '\b(Requeue|Restarts)=[0-9]+'
