# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# A job that is requeued runs again, with SLURM_RESTART_COUNT.
# (exec: a shell reports the end of its sleep if that is before its own.)
. "$CASE"
script again <<'S'
#!/bin/bash
#SBATCH -o again.txt --open-mode=append --requeue
echo "run ${SLURM_RESTART_COUNT-unset}"
if [ -z "${SLURM_RESTART_COUNT-}" ]; then scontrol requeue $SLURM_JOB_ID; exec sleep 60; fi
S
submit again
wait_for test -s again.txt
wait_for grep -q 'run 1' again.txt
finished "$id"
scontrol show job "$id" | grep -oE '\b(Requeue|Restarts)=[0-9]+'
