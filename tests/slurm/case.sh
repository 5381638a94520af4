# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# case.sh - functions of the cases in cases/
#
# A case runs in an empty directory, once with the commands of Slurm in its PATH and once with those of creel. What it
# prints, its exit status, and the files that it leaves are compared. IDS is the file for the numbers of its jobs.
set -u
: "${IDS:?IDS must name the file of the numbers of jobs}"

# submit OPTION...: submits a job, and sets id to its number.
submit() { id=$(sbatch --parsable "$@") && echo "$id" >>"$IDS"; }
# script NAME: writes standard input to NAME.
script() { cat >"$1" && chmod +x "$1"; }
# wait_for COMMAND...: repeats the command until it succeeds; ends the case after three minutes.
wait_for() {
    local deadline=$((SECONDS + 180))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $deadline ] || { echo "not within 180 s: $*"; exit 99; }
        read -rt 0.2 <> <(:) || true
    done
}
# states ID: prints the states of a job, or of the tasks of an array.
states() { squeue -h -t all -j "$1" -o '%T' | sort | uniq -c | awk '{ print $2 " " $1 }' | paste -sd' '; }
state_is() { [ "$(squeue -h -t all -j "$1" -o %T)" = "$2" ]; }
ended() { local left; left=$(squeue -h -t all -j "$1" -o '%T') && [ -n "$left" ] && ! grep -qE '^(PENDING|RUNNING|COMPLETING|CONFIGURING|SIGNALING|REQUEUED)' <<<"$left"; }
# finished ID...: waits for the ends of jobs, and prints their states.
finished() { local job; for job; do wait_for ended "$job"; echo "$job: $(states "$job")"; done; }
# exit_code ID: prints the status and the signal of a job, as scontrol shows them.
exit_code() { scontrol show job "$1" | grep -oE '\bExitCode=[0-9:]+'; }
