# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Dates of --begin and --deadline: what waits, what is refused, what begins at once.
. "$CASE"
for begin in now+1hour now+90minutes now+2days 2100-01-01 2100-01-01T12:34 2100-01-01T12:34:56 01/20/99-16:00; do
    submit --begin="$begin" -o /dev/null --wrap true; echo "$begin: $?"
    squeue -h -j "$id" -o %T
    case $begin in 2100*) squeue -h -j "$id" -o %S | tr -d '\n'; scontrol show job "$id" | grep -oE '\bEligibleTime=\S+' ;; esac
    scancel "$id"
done | sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T/DATE-/g'
submit --begin=now -o now.txt --wrap 'echo at once'; finished "$id"
for begin in yesterdays 25:00 now+x 2100-13-01; do
    sbatch --begin="$begin" --wrap true >/dev/null 2>&1 && echo "$begin: accepted" || echo "$begin: refused"
done
