# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# A time limit: the signal of --signal, then the end of the job.
. "$CASE"
script trapped <<'S'
#!/bin/bash
#SBATCH -t 1 --signal=B:USR1@50 -o trapped.txt
trap 'echo "got USR1"; exit 7' USR1
sleep 300 & wait
S
script steps <<'S'
#!/bin/bash
#SBATCH -t 1 --signal=USR2@50 -o steps.txt
trap 'echo "the shell got USR2"' USR2
srun bash -c 'trap "echo the step got USR2; exit 4" USR2; while :; do sleep 0.2; done'
echo "status of the step: $?"
S
script limited <<'S'
#!/bin/bash
#SBATCH -t 1 -o limited.txt
trap 'echo "got TERM"' TERM
echo begins
while :; do sleep 0.2; done
S
submit trapped; one=$id
submit steps; two=$id
submit limited; three=$id
finished "$one"; exit_code "$one"
finished "$two"; exit_code "$two"
finished "$three"; exit_code "$three"
squeue -h -t all -j "$three" -o '%T %r %l'
# (bash reports the signal of its sleep if there is one at that moment.)
sed -i '/^User defined signal/d' steps.txt
sort -o steps.txt steps.txt
