# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Arrays whose indexes repeat, are not in order, have steps and limits; what is refused.
. "$CASE"
for indexes in 3,1,3 0-6:3,2,0 5 1-4%1 7,7,7 0-3%0; do
    submit -a "$indexes" -o "a-$(tr -c '0-9\n' - <<<"$indexes")-%a.txt" --wrap 'echo "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT: $SLURM_ARRAY_TASK_MIN to $SLURM_ARRAY_TASK_MAX"'
    finished "$id"
    squeue -h -t all -j "$id" -r -o '%K %T' | sort -n
done
for indexes in '' a 3- 5-1 -1 1,,2 1-3:0 1-3%x; do
    sbatch -a "$indexes" -o /dev/null --wrap true >/dev/null 2>&1 && echo "'$indexes': accepted" || echo "'$indexes': refused"
done
