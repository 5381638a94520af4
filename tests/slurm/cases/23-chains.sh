# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Chains of dependencies: what runs after a failure, a cancelled job, an array and a singleton.
. "$CASE"
submit --hold -J first -o chain.txt --open-mode=append --wrap 'echo first; exit 3'; first=$id
submit -d "afternotok:$first" -o chain.txt --open-mode=append --wrap 'echo repair'; repair=$id
submit -d "afterok:$repair,afterany:$first" -o chain.txt --open-mode=append --wrap 'echo second'; second=$id
submit -d "afterany:$second" -a 1-2 -o chain.txt --open-mode=append --wrap 'echo part'; parts=$id
submit -d "afterok:$parts" -o chain.txt --open-mode=append --wrap 'echo last; echo "$SLURM_JOB_DEPENDENCY" | cut -d: -f1'; last=$id
squeue -h -j "$repair,$second,$last" -o '%T' | sort
scontrol release "$first"
finished "$first" "$repair" "$second" "$parts" "$last"
exit_code "$first"; exit_code "$last"
submit --hold -o /dev/null --wrap true; held=$id
submit -d "afterany:$held" -o cancelled.txt --wrap 'echo after a cancelled job'; after=$id
scancel "$held"
finished "$held" "$after"
submit -J alone -d singleton -o alone.txt --open-mode=append --wrap 'sleep 1; echo one'; one=$id
submit -J alone -d singleton -o alone.txt --open-mode=append --wrap 'echo two'; two=$id
finished "$one" "$two"
