# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# A script that submits further jobs, waits for them, and passes variables on.
. "$CASE"
script part <<'S'
#!/bin/bash
#SBATCH -o part-%a.txt
echo "part $SLURM_ARRAY_TASK_ID of $RUN, job ${SLURM_JOB_NAME}"
S
script driver <<'S'
#!/bin/bash
#SBATCH -J driver -n 2 -o driver.txt
export RUN=seven
job=$(sbatch --parsable --wait -J part -a 1-2 part)
echo "status $?"
[ -n "$job" ] && echo "a number"
squeue -h -t all -j "$job" -o '%T' | sort -u
sbatch -Q --wait -o inner.txt --wrap 'echo "${SLURM_NTASKS-unset} ${SLURM_ARRAY_TASK_ID-unset} $SLURM_JOB_NAME"' >message; echo "status $?"
rm message
S
submit driver; finished "$id"
