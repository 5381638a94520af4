# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Scripts of tests/scripts/slurm that need nothing else.
. "$CASE"
for it in 19-nothing 26-out-J 27-time-day-24 28-time-day-28 29-time-90-minutes 30-tasks-per-node 34-export-unset; do
    cp "$SCRIPTS/$it.sbatch" .
    submit "$it.sbatch"
    finished "$id"
    squeue -h -t all -j "$id" -o '%j %l %C'
done
rm ./*.sbatch
