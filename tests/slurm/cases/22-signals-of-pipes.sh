# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# --signal without B: reaches the step alone: a program behind its pipe, and the shell, go on.
. "$CASE"
script piped <<'S'
#!/bin/bash
#SBATCH -t 1 --signal=USR1@50 -o piped.txt
srun bash -c 'trap "echo the step got USR1; exit 4" USR1; while :; do sleep 0.2; done' | tee log.txt
echo "statuses: ${PIPESTATUS[*]}"
S
script checkpoint <<'S'
#!/bin/bash
#SBATCH -t 1 --signal=B:SIGTERM@50 -o checkpoint.txt --open-mode=append
trap 'echo "saves in run ${SLURM_RESTART_COUNT-0}"; exit 0' TERM
sleep 300 & wait
S
submit piped; one=$id
submit checkpoint; two=$id
finished "$one" "$two"; exit_code "$one"; exit_code "$two"
# (bash reports the signal of its sleep if there is one at that moment.)
sed -i '/^User defined signal/d' piped.txt
sort -o piped.txt piped.txt
