# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Formats of squeue for jobs that wait, run and have ended.
. "$CASE"
submit --mem=32M -J runs -t 30 -n 2 -o /dev/null --wrap 'sleep 100'; runs=$id
submit -J held --hold -t 1-02:03:04 -c 3 --mem=96M -o /dev/null --wrap true; held=$id
submit --mem=32M -J later --begin=now+1hour -A lab --comment=words -o /dev/null --wrap true; later=$id
submit --mem=32M -J depends -d "afterok:$runs" -o /dev/null --wrap true; depends=$id
submit --mem=32M -J array --hold -a 1-3,7%2 -o /dev/null --wrap true; array=$id
submit --mem=32M -J ended -o /dev/null --wrap 'exit 2'; ended=$id
wait_for ended "$ended"
wait_for state_is "$runs" RUNNING
all="$runs,$held,$later,$depends,$array,$ended"
for format in '%i|%P|%j|%u|%t|%D|%R' '%i %T %r' '%i %l' '%i %C %c' '%A %F %K' '%i %h' '%i %N' '%i %U' '%i %m' '%i %E' '%10i|%.10j|%.3T|' '%i %B' '%i %a' '%i %k'; do
    echo "-- $format"
    squeue -h -t all -j "$all" -o "$format" | sort
done
squeue -h -j "$runs" -o '%q %o'
echo "-- long names"
squeue -h -t all -j "$all" -O 'JobID:12,JobArrayID:16,State:12,Reason:22,NumCPUs:6,NumNodes:5,TimeLimit:14' | sort
squeue -h -r -j "$array" -o '%i %t' | sort
squeue -h -j "$runs,$held" -t PD -o %i
squeue -h --name=held,runs -j "$all" -o '%j %t' | sort
squeue -h -u "$(id -un)" --states=PENDING --name=depends -o '%j %r'
squeue -j "$held" -o '%i %j' | tail -n 1
squeue -j "$held" -o '%.8i %.9P %.8j %.8u %.2t %.6D' | head -n 1
squeue -h -j "$held" -S i -o %t
squeue -t nonsense; echo "status $?"
squeue -j notanumber; echo "status $?"
squeue -j 99999999 -h; echo "status $?"
squeue --nothing; echo "status $?"
scancel "$runs" "$held" "$later" "$depends" "$array"; echo "scancel $?"
finished "$runs" "$held" "$later"
