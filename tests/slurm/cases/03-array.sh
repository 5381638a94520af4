# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Arrays: files with %A and %a, variables of tasks, states.
. "$CASE"
script task <<'S'
#!/bin/bash
#SBATCH --array=1-7:3,9%2 -J sweep
#SBATCH -o %x-%A_%a.out
echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT, $SLURM_ARRAY_TASK_MIN to $SLURM_ARRAY_TASK_MAX by $SLURM_ARRAY_TASK_STEP"
echo "array $SLURM_ARRAY_JOB_ID"
[ "$SLURM_ARRAY_TASK_ID" != 4 ]
S
submit task; finished "$id"
squeue -h -t all -j "$id" -o '%F_%K %T %j' | sort
submit -a 0-2 --wrap 'echo $SLURM_ARRAY_TASK_ID' -o one-file.txt --open-mode=append; finished "$id"
sort -o one-file.txt one-file.txt
submit -a 11,25 --wrap 'echo ends' -o 'digit-%b-%4a'; finished "$id"
submit -a 3 --wrap 'exit $SLURM_ARRAY_TASK_ID'; finished "$id"
sbatch -Q --wait -a 0-4 -o /dev/null --wrap 'exit $SLURM_ARRAY_TASK_ID' >message; echo "highest status: $?"; rm message
