# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Steps that read standard input of a loop, and messages of srun.
. "$CASE"
script steps <<'S'
#!/bin/bash
#SBATCH -n 2 -o out.txt -e err.txt
printf '%s\n' a b c | while read -r line; do
    srun -n 1 --input=none echo "line $line"
done
printf '%s\n' a b c | while read -r line; do
    srun -n 1 cat
    echo "then $line"
done
srun -n 2 -i /dev/null cat
srun -n 2 bash -c '[ $SLURM_PROCID = 0 ] || exit 7'
echo "status $?"
srun -n 2 -K bash -c '[ $SLURM_PROCID = 0 ] && exec sleep 60; exit 9'
echo "status $?"
srun -n 1 -t 0:02 true; echo "status $?"
srun -J step bash -c 'echo $SLURM_JOB_NAME'
srun -n 1 -u printf 'no newline'
echo
srun -n 1 /etc/passwd; echo "status $?"
S
submit steps; finished "$id"
sort -o err.txt err.txt
