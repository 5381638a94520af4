# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Variables of Slurm in a script, by name.
. "$CASE"
# Not compared: addresses of Slurm's daemons, and variables that only a Slurm with accounting or a later one sets.
export LEFT_OUT='CONF|WORKING_CLUSTER|JOB_QOS|JOB_START_TIME|JOB_END_TIME'
script show <<'S'
#!/bin/bash
env | grep -E "^(SLURM|HOSTNAME)" | grep -vE "^SLURM_($LEFT_OUT)=" | sort
S
submit -o plain.txt show; finished "$id"
submit -n 3 -c 2 -J named -t 10 --mem=64M -o sized.txt show; finished "$id"
submit -N 1 --ntasks-per-node=2 --mem-per-cpu=16M -o pernode.txt show; finished "$id"
submit -a 5 -o array.txt show; finished "$id"
script step <<'S'
#!/bin/bash
srun -n 1 bash -c 'env | grep -E "^SLURM_(NTASKS|NPROCS|STEP_[A-Z_]*|PROCID|LOCALID|JOB_NAME|JOB_NODELIST)=" | grep -v LAUNCHER' | sort
S
submit -n 3 -J steps -o step.txt step; finished "$id"
submit -A lab -d singleton -J given -O -m block -o given.txt show; finished "$id"
submit -G 0 --ntasks-per-core=1 -n 2 -o gpus.txt show; finished "$id"
script times <<'S'
#!/bin/bash
#SBATCH -t 10
: "${SLURM_JOB_START_TIME=$(date +%s)}" "${SLURM_JOB_END_TIME=$((SLURM_JOB_START_TIME + 600))}"
echo "$((SLURM_JOB_END_TIME - SLURM_JOB_START_TIME)) $(( ($(date +%s) - SLURM_JOB_START_TIME) / 60 ))"
S
submit -o times.txt times; finished "$id"
