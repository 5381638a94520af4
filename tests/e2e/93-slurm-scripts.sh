#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scripts of Slurm mean what they meant there: signals, the environment, own variables, names of files, values.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
cd "$T" || exit 1
script() { cat >"$1"; }
request() { local filter=$1; shift; creel submit --dry-run "$@" 2>/dev/null | jq -r ".items[0]$filter"; }
# words SCRIPT: standard output and error of --dry-run, without the request.
words() { { creel submit --dry-run "$@" >/dev/null; } 2>&1; }

# --- signals ---------------------------------------------------------------------
script usr1.py <<'S'
import signal
import time


def save(number, frame):
    print("saving", flush=True)
    time.sleep(1)
    open("usr1.done", "w").close()
    print("saved", flush=True)


signal.signal(signal.SIGUSR1, save)
end = time.time() + 20
while time.time() < end:
    time.sleep(0.1)
S
script signal-shell.sbatch <<'S'
#!/bin/bash
#SBATCH --time=0:12 --mem=64M
#SBATCH --signal=SIGUSR1@9
python3 ./usr1.py
echo "the script went on: $?"
S
script signal-b.sbatch <<'S'
#!/bin/bash
#SBATCH --time=0:12 --mem=64M
#SBATCH --signal=B:USR1@9
trap 'echo "the shell asks the program to stop"; touch stop.asked' USR1
rm -f stop.asked
( for _ in $(seq 1 90); do [ -e stop.asked ] && { echo "the program stops in good order"; exit 0; }; sleep 0.1; done; exit 3 ) &
program=$!
wait $program
status=$?
while [ $status -gt 128 ] && kill -0 $program 2>/dev/null; do wait $program; status=$?; done
echo "status of the program: $status"
S
script signal-creel.sh <<'S'
#!/bin/bash
#CREEL --time 12 --memory 64M --signal B:USR1@9
trap 'echo asked' USR1
sleep 5 &
wait $!
while kill -0 $! 2>/dev/null; do wait $!; done
wait $!
echo "status of sleep: $?"
S
creel run signal-shell.sbatch >shell.out 2>shell.err & shell=$!
creel run signal-b.sbatch >b.out 2>b.err & b=$!
creel run signal-creel.sh >creel.out 2>creel.err & own=$!
is "--signal without B: is translated to the steps" "60 USR1@57s steps" "$(request '| "\(.timeLimitSeconds) \(.signal) \(.signalTo)"' signal-shell.sbatch)"
is "--signal with B: is translated to the shell alone" "USR1@57s first" "$(request '| "\(.signal) \(.signalTo)"' signal-b.sbatch)"
is "creel's own --signal goes to all processes" "USR1@9 null" "$(request '| "\(.signal) \(.signalTo)"' --signal USR1@9 -t 20 -- true)"
printf '#!/bin/bash\n#SBATCH --time=10\n#SBATCH --signal=B:10@60\n' >signal-number.sbatch
is "the signal may be a number" "USR1@60s first" "$(request '| "\(.signal) \(.signalTo)"' signal-number.sbatch)"

# --- names of files --------------------------------------------------------------
script out-J.sbatch <<'S'
#!/bin/bash
#SBATCH --job-name=pattern --mem=16M
#SBATCH --output=%x-%J.%q.out
#SBATCH --error=%x.%s.%n.err
echo done
echo wrong >&2
S
id=$(creel submit --id --wait out-J.sbatch 2>/dev/null | head -1)
number=$((10#${id##*_}))
is "%J is the number of the job, and an unknown sequence stays" "done" "$(cat "pattern-$number.%q.out")"
is "%s is batch and %n is 0" "wrong" "$(cat pattern.batch.0.err)"
printf '#!/bin/bash\n#SBATCH --mem=16M --array=12,3 --output=ends-in-%%b --input=in.%%a\ncat\n' >last.sbatch
echo three >in.3; echo twelve >in.12
exits "an array reads the files of --input" 0 creel submit --wait last.sbatch
is "%b is the last digit of the index" "three twelve" "$(cat ends-in-3 ends-in-2 | paste -sd' ')"
printf '#!/bin/bash\n#SBATCH --mem=16M --input=no-such-file\ncat\n' >no-input.sbatch
like "an input that is not there is named" "the file of --in could not be opened: no-such-file" "$(creel run no-input.sbatch 2>&1)"
is "creel run reads the file of --in" "three" "$(creel run -m 16M --in in.3 -- cat 2>/dev/null)"

# --- the environment ---------------------------------------------------------------
script module.sbatch <<'S'
#!/bin/bash
#SBATCH --job-name=module --mem=16M
module load compiler
echo "status $?, GREETING=$GREETING"
S
module() { echo "module $*"; }
export -f module
export GREETING=hello
is "a script of Slurm gets the environment, and exported functions" "module load compiler|status 0, GREETING=hello" "$(creel run module.sbatch 2>/dev/null | paste -sd'|')"
sed 's/SBATCH/CREEL/; s/--job-name=/--name /; s/--mem=/--memory /' module.sbatch >module.sh
like "a script of creel that calls module gets a notice" 'module.sh:3: the script calls module, .*--env all copies it' "$(words module.sh)"
like "a virtual environment is named, too" 'module.sh:3: the script calls module, a virtual environment is active here \(VIRTUAL_ENV\), and the job' "$(VIRTUAL_ENV=/v words module.sh)"
is "with --env all there is no notice" "" "$(words --env all module.sh)"
like "an active virtual environment gives a notice" 'a virtual environment is active here \(VIRTUAL_ENV\)' \
    "$(printf '#!/bin/sh\ntrue\n' >venv.sh; VIRTUAL_ENV=/v words venv.sh)"
printf '#!/bin/bash\n#SBATCH --export=ALL,NEVER_SET_ANYWHERE,A=b --mem=16M\necho "$A ${NEVER_SET_ANYWHERE-unset} $GREETING"\n' >export-unset.sbatch
is "--export leaves out what is not set" "b unset hello" "$(creel run export-unset.sbatch 2>/dev/null)"
printf '#!/bin/bash\n#SBATCH --export=NONE --mem=16M\necho "${GREETING-unset}"\n' >none.sbatch
is "--export=NONE copies nothing" "unset" "$(creel run none.sbatch 2>none.err)"
unlike "there is no notice" 'none.sbatch:' "$(cat none.err; echo .)"
mkdir -p "$T/home"; as_home() { getent passwd "$(id -un)" | cut -d: -f6; }
printf '#!/bin/bash\n#SBATCH --export=NONE --mem=16M\necho "$HOME $USER $LOGNAME $SHELL"; echo "$PATH" | tr : "\\n" | head -1 | xargs basename; [ "$(env -i HOME="$HOME" USER="$USER" LOGNAME="$LOGNAME" SHELL="$SHELL" PATH=/usr/local/bin:/usr/bin:/bin bash -lc "printf %%s \\$PATH" 2>/dev/null)" = "$(echo "$PATH" | cut -d: -f3-)" ] && echo same\n' >login.sbatch
is "it has the environment of a login: HOME, USER, SHELL, and the PATH behind creel's directories" \
    "$(as_home) $(id -un) $(id -un) $(getent passwd "$(id -un)" | cut -d: -f7)|slurm|same" "$(creel run login.sbatch 2>/dev/null | paste -sd'|')"
printf '#!/bin/bash\n#SBATCH --export=PATH=/bin:/usr/bin,A=b --mem=16M\necho "$A ${PATH#*:} $1"; exit 3\n' >own-path.sbatch
exits "the exit status is that of the script" 3 creel run own-path.sbatch word
is "variables of --export take precedence, and arguments arrive" "b /bin:/usr/bin word" "$(creel run own-path.sbatch word 2>/dev/null)"
printf '#!/bin/bash\n#SBATCH --get-user-env --mem=16M\necho "$GREETING $HOME"\n' >user-env.sbatch
is "--get-user-env adds it to the environment of the submission" "hello $HOME" "$(creel run user-env.sbatch 2>/dev/null)"
is "--env none on the command line wins" "unset" "$(creel run --env none export-unset.sbatch 2>/dev/null | cut -d' ' -f2)"
BIG=$(head -c 40000 /dev/zero | tr '\0' '\351')
like "a variable that cannot be sent is named" 'these variables are not sent: BIG \(too long\)' "$(BIG=$BIG words module.sbatch)"
script inner.sbatch <<'S'
#!/bin/bash
#SBATCH --job-name=inner --mem=16M
#SBATCH --ntasks=1
echo "id=$SLURM_JOB_ID name=$SLURM_JOB_NAME tasks=$SLURM_NTASKS array=$SLURM_ARRAY_TASK_ID step=$SLURM_STEP_ID"
S
foreign() { SLURM_JOB_ID=88 SLURM_JOBID=88 SLURM_JOB_NAME=outer SLURM_NTASKS=3 SLURM_ARRAY_TASK_ID=5 SLURM_STEP_ID=0 "$@"; }
got=$(foreign creel run inner.sbatch 2>/dev/null)
number=$(creel app list --json | jq -r '.items[-1].id | capture("_0*(?<n>[0-9]+)$").n')
is "a job has its own variables of Slurm" "id=$number name=inner tasks=1 array= step=" "$got"
got=$(foreign creel run --env all inner.sbatch 2>/dev/null)
like "also with --env all" "^id=[0-9]+ name=inner tasks=1 array= step=$" "$got"
unlike "the id is not that of the other job" "id=88 " "$got"
is "a job of creel does not inherit them either" "none" "$(foreign creel run -m 16M --env all -- sh -c 'echo ${SLURM_ARRAY_TASK_ID-none}' 2>/dev/null)"
got=$(creel run -m 16M --from slurm -e SLURM_JOB_ID=88 -e SLURM_ARRAY_TASK_ID=5 -- sh -c 'echo $SLURM_JOB_ID ${SLURM_ARRAY_TASK_ID-none}' 2>/dev/null)
like "the agent does not take the id of another job from a submission" "^[0-9]+ none$" "$got"
unlike "the agent replaces the id" "^88 " "$got"

# --- values ----------------------------------------------------------------------
made() { printf '#!/bin/bash\n#SBATCH %s\n' "$1" >value.sbatch; request "$2" value.sbatch; }
is "hours without a bound" 5400 "$(made --time=00:90:00 .timeLimitSeconds)"
is "a day of 24 hours" 86400 "$(made --time=0-24:00:00 .timeLimitSeconds)"
is "28 hours" 100800 "$(made --time=0-28:00 .timeLimitSeconds)"
printf '#!/bin/bash\n#SBATCH --time=1.5\nsleep 30\n' >fraction.sbatch
exits "a fraction of a minute is refused" 2 creel submit fraction.sbatch
like "the error has file and line" 'fraction.sbatch:2: --time=1.5: expected a time as in sbatch' "$OUTPUT"
is "an alias and a size of each core" "4 400" "$(made '--nodes=1 --tasks-per-node=4 --mem-per-cpu=100M' '| "\(.vcores) \(.memoryMb)"')"
is "prefixes of options" "short 2" "$(made '--job=short --out=short.txt --cpus-per-t=2 --cluster=east' '| "\(.name) \(.vcores)"')"
is "sizes of each GPU" "8 32768" "$(made '--gpus=2 --cpus-per-gpu=4 --mem-per-gpu=16G' '| "\(.vcores) \(.memoryMb)"')"
printf '#!/bin/bash\n#SBATCH --mem-p=1G\n' >ambiguous.sbatch
exits "an ambiguous prefix is refused" 2 creel submit ambiguous.sbatch
like "its candidates are named" 'ambiguous.sbatch:2: --mem-p: is ambiguous: --mem-per-cpu, --mem-per-gpu' "$OUTPUT"
printf '#!/bin/bash\n#SBATCH --partition=short,default,long --mem=16M\necho "$SLURM_JOB_PARTITION"\n' >partitions.sbatch
is "the first partition that exists" "default" "$(creel run partitions.sbatch 2>partitions.err)"
like "the others are named" 'partitions.sbatch:2: --partition=short,default,long: the job is submitted to default alone' "$(cat partitions.err)"
exits "several partitions are refused with --strict" 2 creel submit --strict partitions.sbatch
printf '#!/bin/sh\n#SBATCH --time=5 --qos=low\n' >variables.sbatch
export SBATCH_TIMELIMIT=0-28:00 SBATCH_JOB_NAME=night SBATCH_RESERVATION=course
is "SBATCH_* come after the directives" "night 100800" "$(request '| "\(.name) \(.timeLimitSeconds)"' variables.sbatch)"
is "the command line comes after SBATCH_*" "day 100800" "$(request '| "\(.name) \(.timeLimitSeconds)"' -n day variables.sbatch)"
like "one without a counterpart is named" 'SBATCH_RESERVATION: --reservation: ignored' "$(words variables.sbatch)"
SBATCH_TIMELIMIT=soon exits "a wrong value of one is refused" 2 creel submit variables.sbatch
like "the error names the variable" 'SBATCH_TIMELIMIT: --time=soon: expected a time' "$OUTPUT"
is "scripts of creel do not read SBATCH_*" "venv.sh" "$(request .name venv.sh)"
unset SBATCH_TIMELIMIT SBATCH_JOB_NAME SBATCH_RESERVATION
printf '#SBATCH --job-name=lost\n#SBATCH --time=5\necho done\n' >no-interpreter-line.txt
chmod +x no-interpreter-line.txt
for from in "" "--from slurm"; do
    # shellcheck disable=SC2086 # no word, or two
    exits "a script without an interpreter is refused, ${from:-without --from}" 2 creel submit $from ./no-interpreter-line.txt
    like "as sbatch does, ${from:-without --from}" 'no-interpreter-line.txt:1: a script of Slurm must begin with "#!"' "$OUTPUT"
done

# --- the end of the signals --------------------------------------------------------
wait "$shell"; status=$?
is "the program saves, and the script goes on" "saving|saved|the script went on: 0" "$(paste -sd'|' shell.out)"
is "its exit status is that of the script" 0 "$status"
wait "$b"; status=$?
is "with B: the shell alone gets the signal" "the shell asks the program to stop|the program stops in good order|status of the program: 0" "$(paste -sd'|' b.out)"
is "the exit status with B: is that of the script" 0 "$status"
wait "$own"; status=$?
is "B: of creel's own --signal goes to the shell alone" "asked|status of sleep: 0" "$(paste -sd'|' creel.out)"
finish
