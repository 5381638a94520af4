# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Exit statuses of scripts, signals included, and what sbatch --wait makes of them.
. "$CASE"
for it in true false 'exit 3' 'exit 255' 'kill -TERM $$' 'kill -KILL $$' 'sleep 100 & kill -SEGV $!; wait $!' no-such-command; do
    sbatch -Q --wait --wrap "$it" -J status >message
    echo "$it: $?"
    submit -J "status" --wrap "$it"; finished "$id"; exit_code "$id"
done
rm -f slurm-*.out message
