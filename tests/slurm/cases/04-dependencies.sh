# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Dependencies: afterok, afternotok, afterany, after, singleton, and those that cannot be fulfilled.
. "$CASE"
submit --wrap 'true' -o /dev/null; good=$id
submit --wrap 'exit 1' -o /dev/null; bad=$id
submit --hold --wrap 'echo first >>order' -o /dev/null; held=$id
submit -d "afterok:$held" --wrap 'echo second >>order' -o /dev/null; second=$id
submit -d "afterany:$bad,afterok:$second" --wrap 'echo third >>order' -o /dev/null; third=$id
submit -d "afternotok:$bad" --wrap 'echo after a failure >failure' -o /dev/null; failure=$id
submit --kill-on-invalid-dep=yes -d "afterok:$bad" --wrap 'echo never >never' -o /dev/null; never=$id
submit --kill-on-invalid-dep=yes -d "afternotok:$good" --wrap 'echo never >never' -o /dev/null; neither=$id
submit -d "afterany:$bad?afterok:$bad" --wrap 'echo or >or' -o /dev/null; or=$id
submit -d "after:$second" --wrap 'echo after' -o /dev/null; after=$id
squeue -h -j "$second" -o '%t %r'
scontrol release "$held"
finished "$good" "$bad" "$held" "$second" "$third" "$failure" "$never" "$neither" "$or" "$after"
sbatch -d afterok:99999 --wrap true -o /dev/null >submitted; echo "status $?"; sed "s,[0-9]*$,N," submitted; rm submitted
sbatch -d nothing:1 --wrap true; echo "status $?"
submit -a 0-2 --wrap '[ $SLURM_ARRAY_TASK_ID != 1 ]' -o /dev/null; array=$id
submit -a 0-2 -d "aftercorr:$array" --wrap 'echo $SLURM_ARRAY_TASK_ID' -o 'corr.%a' --kill-on-invalid-dep=yes; finished "$id"
submit -d "$bad" --wrap 'echo alone >alone' -o /dev/null; alone=$id
submit -d "AfterOK:$good,afterburstbuffer:$bad" --wrap 'echo upper >upper' -o /dev/null; upper=$id
submit -a 0-1 --wrap true -o /dev/null; array=$id
submit -d "afterok:${array}_*" --wrap 'echo all tasks >all' -o /dev/null; finished "$alone" "$upper" "$id"
