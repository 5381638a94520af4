# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# scancel: jobs that wait and run, signals, statuses.
. "$CASE"
script traps <<'S'
#!/bin/bash
#SBATCH -o traps.txt
trap 'echo "shell USR1"' USR1
touch traps.ready
while [ ! -e traps.end ]; do sleep 0.2; done
echo ends
S
submit traps; wait_for test -e traps.ready
scancel -b -s USR1 "$id"; echo "status $?"
wait_for grep -q USR1 traps.txt
touch traps.end; finished "$id"
rm -f traps.ready traps.end
submit -o term.txt --wrap 'trap "echo got TERM; exit 0" TERM; touch ready; while :; do sleep 0.2; done'
wait_for test -e ready
scancel "$id"; echo "status $?"
finished "$id"; exit_code "$id"
submit --hold -o /dev/null --wrap true; scancel "$id"; finished "$id"; exit_code "$id"
scancel "$id"; echo "once more: $?"
submit -a 0-3 --hold -o /dev/null --wrap true; array=$id
scancel "${array}_1" "${array}_[2-3]"; echo "status $?"
squeue -h -r -j "$array" -o '%K %T' | sort
scancel "$array"; finished "$array"
submit -J byname --hold -o /dev/null --wrap true
scancel -n byname; echo "status $?"; finished "$id"
scancel 99999999; echo "unknown number: $?"
scancel abc; echo "status $?"
scancel; echo "status $?"
scancel -s NOSUCH "$id"; echo "status $?"
for range in '[1-5]' '[1,2]' '[9,11]'; do
    submit -a 1,3,5 --hold -o /dev/null --wrap true
    scancel "${id}_$range"; echo "status $?"
    squeue -h -r -j "$id" -t PD -o '%K %T' | sort
    scancel "$id"
done
