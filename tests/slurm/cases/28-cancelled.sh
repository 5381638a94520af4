# shellcheck shell=bash disable=SC1090
# SPDX-License-Identifier: Apache-2.0
# Jobs that are cancelled before they begin, or before they begin again; empty values of options.
. "$CASE"
# times ID: prints whether the start of a job is its end, how long it ran, and how often it was started again.
times() {
    local shown
    shown=$(scontrol -o show job "$1")
    [ "$(grep -o 'StartTime=[^ ]*' <<<"$shown" | cut -d= -f2)" = "$(grep -o ' EndTime=[^ ]*' <<<"$shown" | cut -d= -f2)" ] &&
        echo "starts at its end"
    grep -oE '(RunTime|Restarts|ExitCode)=[^ ]*' <<<"$shown"
    squeue -h -t all -j "$1" -o '%T|%M|%N'
}
submit -o /dev/null --wrap 'sleep 300'; wait_for state_is "$id" RUNNING
scontrol requeuehold "$id"; wait_for state_is "$id" PENDING
scancel "$id"; finished "$id"
times "$id"
submit -o /dev/null --hold --wrap true
scancel "$id"; finished "$id"
times "$id"
for option in -p -t -n -c -N --mem; do
    sbatch "$option" '' -o /dev/null --wrap true >/dev/null 2>&1 || echo "$option is refused"
done
SBATCH_PARTITION='' sbatch -o /dev/null --wrap true >/dev/null 2>&1 || echo "SBATCH_PARTITION is refused"
squeue -M '' >/dev/null 2>&1 || echo "-M is refused"
scancel -u '' >/dev/null 2>&1 || echo "-u is refused"
