#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# srun and scontrol in scripts of Slurm: steps run in the container of the job, and share its vcores and memory.
. "$(dirname "$0")/lib.sh"
cluster_up -n 1
cd "$T" || exit 1
script() { cat >"$1"; }
# lines SCRIPT...: standard output of a job, its lines joined by "|".
lines() { creel run "$@" 2>"$T/job.err" | paste -sd'|'; }

# --- forms of scripts ---------------------------------------------------------------
script rank <<'S'
#!/bin/sh
echo "$SLURM_PROCID of $SLURM_NTASKS local $SLURM_LOCALID node $SLURM_NODEID step $SLURM_STEP_ID"
S
chmod +x rank
script one.sbatch <<'S'
#!/bin/bash
#SBATCH --mem=64M --job-name=one
srun echo trained
echo "status $?"
srun --ntasks=1 sh -c 'exit 3'
echo "status $?"
srun -n1 sh -c 'kill -9 $$'
echo "status $?"
srun ./no-such-program
echo "status $?"
S
is "a job of one task runs commands and gets their status" "trained|status 0|status 3|status 137|status 2" "$(lines one.sbatch)"
like "a task that failed is named as in Slurm" '^srun: error: .*: task 0: Exited with exit code 3$' "$(cat job.err)"
check "the submission has no objection to srun" creel submit --strict --dry-run one.sbatch
script ranks.sbatch <<'S'
#!/bin/bash
#SBATCH --ntasks=3 --mem=64M
srun ./rank | sort
srun -n 2 -l ./rank | sort
srun --exclusive -N1 -n1 -c2 --mem=8M --cpu-bind=cores --mpi=none printenv SLURM_CPUS_PER_TASK
S
is "without -n a step has the tasks of the job; steps are counted; lines have labels" \
    "0 of 3 local 0 node 0 step 0|1 of 3 local 1 node 0 step 0|2 of 3 local 2 node 0 step 0|0: 0 of 2 local 0 node 0 step 1|1: 1 of 2 local 1 node 0 step 1|2" "$(lines ranks.sbatch)"
script highest.sbatch <<'S'
#!/bin/bash
#SBATCH --ntasks=3 --mem=64M
exec srun sh -c 'exit $((SLURM_PROCID * 2))'
S
creel run highest.sbatch >/dev/null 2>&1; status=$?
is "vcores of the command line count" "5" "$(printf '#!/bin/bash\n#SBATCH -n 2 --mem=64M\nsrun -n 5 echo rank\n' >more.sbatch; creel run -c 5 more.sbatch 2>/dev/null | grep -c rank)"
is "the status of a step is the highest of its tasks" 4 $status
script files.sbatch <<'S'
#!/bin/bash
#SBATCH --ntasks=2 --mem=64M --job-name=files
srun -J part -o out-%x-%s-%2t.txt sh -c 'echo $SLURM_PROCID; echo wrong >&2'
srun -o both.txt -e err.txt -D / sh -c 'pwd; echo $SLURM_PROCID >&2'
printf 'a\nb\n' | srun --label cat
srun -n1 -i in.txt cat
srun -n2 -o none echo lost
srun -n2 -o 1 ./rank
S
echo input >in.txt
got=$(lines files.sbatch)
is "standard input goes to all tasks, -i is a file, -o none is lost, -o N is one task" \
    "0: a|0: b|1: a|1: b|input|1 of 2 local 1 node 0 step 5" "$(tr '|' '\n' <<<"$got" | head -4 | sort | paste -sd'|')|$(tr '|' '\n' <<<"$got" | tail -n +5 | paste -sd'|')"
is "names of files of each task" "0 wrong 1 wrong" "$(cat out-part-0-00.txt out-part-0-01.txt | paste -sd' ')"
is "one file of all tasks, and another for errors" "/ / 0 1" "$(cat both.txt <(sort err.txt) | paste -sd' ')"
script exported.sbatch <<'S'
#!/bin/bash
#SBATCH --mem=64M
export FIRST=1 SECOND=2
srun --export=FIRST,THIRD=3 sh -c 'echo "$FIRST ${SECOND-unset} $THIRD"'
srun --export=ALL,THIRD=3 sh -c 'echo "$FIRST $SECOND $THIRD"'
srun --export=NONE sh -c 'echo "${FIRST-unset} $SLURM_JOB_ID"'
S
like "--export chooses variables" '^1 unset 3\|1 2 3\|unset [0-9]+$' "$(lines exported.sbatch)"

# --- steps side by side ----------------------------------------------------------------
script together.sbatch <<'S'
#!/bin/bash
#SBATCH --ntasks=2 --mem=64M --time=1
# Each waits for the other: they run at the same time.
meet() { touch "$1"; for _ in $(seq 1 200); do [ -e "$2" ] && exit 0; sleep 0.05; done; exit 1; }
export -f meet
srun --ntasks=1 --exclusive bash -c 'meet here.a here.b' &
srun --ntasks=1 --exclusive bash -c 'meet here.b here.a' &
wait -n; first=$?; wait -n; echo "together $first $?"
# A third has to wait for the vcore of one of them.
srun -n1 bash -c 'touch running.1; until [ -e go ]; do sleep 0.05; done; echo end >>order' & srun -n1 bash -c 'touch running.2; until [ -e go ]; do sleep 0.05; done; echo end >>order' &
until [ -e running.1 ] && [ -e running.2 ]; do sleep 0.05; done
srun -n1 sh -c 'echo third >>order' 2>waiting &
until grep -q 'temporarily disabled' waiting; do sleep 0.05; done
srun -n1 --overlap sh -c 'echo overlap >>order'
touch go; wait
head -1 order; tail -1 order | sed 's/end/third/'
grep -c . order
srun bash -c 'srun -n1 echo nested' | sort -u
S
is "steps run side by side while there are vcores; others wait; --overlap and steps in steps do not" \
    "together 0 0|overlap|third|4|nested" "$(lines together.sbatch)"
script memory.sbatch <<'S'
#!/bin/bash
#SBATCH --ntasks=4 --mem=64M --time=1
srun -n1 --mem=40M sh -c 'touch holds; until [ -e freed ]; do sleep 0.05; done; echo first >>memory' &
until [ -e holds ]; do sleep 0.05; done
srun -n1 --mem=40M sh -c 'echo second >>memory' 2>waiting.memory &
until grep -q 'temporarily disabled' waiting.memory; do sleep 0.05; done
touch freed; wait; paste -sd' ' memory
srun -n1 --mem=65M true; echo "status $?"
S
is "a step waits for its memory" "first second|status 1" "$(lines memory.sbatch)"
like "more memory than the job has is refused" 'Memory required by task is not available: the step needs 65 MiB, and job [0-9]+ has 64 MiB' "$(cat job.err)"

# --- what is refused -----------------------------------------------------------------------
script refused.sbatch <<'S'
#!/bin/bash
#SBATCH --ntasks=2 --mem=64M
for words in "-n 3" "-N 2" --wrap=x --parsable --mpi=pmix --multi-prog --nodelist=elsewhere --no-such -j --ove "--jobid=999999"; do
    srun $words true; echo $?
done
for words in --gpus=1 -G1 --gres=gpu:1 --gpus-per-task=1; do srun -n1 $words true; echo $?; done
srun -n 3 -O echo crowded
srun
srun -n 2 --test-only echo started && echo tested
S
is "what a step cannot do is refused" "1|1|1|1|1|1|1|1|1|1|1|1|1|1|1|crowded|crowded|crowded|tested" "$(lines refused.sbatch)"
got=$(cat job.err)
like "too many tasks: what the job has, and what to do" 'More processors requested than permitted: 3 tasks need 3 vcores, and job [0-9]+ has 2 here; .*creel run -N 3' "$got"
like "GPUs that the job does not have" 'Unable to create step for job [0-9]+: Invalid generic resource \(gres\) specification: the step needs 1 GPU, and the job has 0 here; request more' "$got"
like "several nodes: creel run" '-N 2: the container of this job is on one node; creel run -N 2' "$got"
like "MPI: mpirun" '--mpi=pmix: creel has no process manager of MPI; start the program with mpirun' "$got"
like "an ambiguous prefix" "option '--ove' is ambiguous: --overlap, --overcommit, --oversubscribe" "$got"
like "no command" 'there is no command to run' "$got"
like "--test-only: what would be done" 'a step of job [0-9]+ on .* would have 2 tasks of 1 vcores; nothing is started' "$got"
exits "outside of a job it names creel run" 1 env -u SLURM_JOB_ID -u CREEL_SCRATCH "$BUILD/slurm/srun" true
like "outside of a job the error says what to do" 'this is no job of a Slurm script .*; creel run submits a job' "$OUTPUT"
like "jobs of creel have no srun of creel" '^PATH=/[^:]*' "$(creel run -m 16M -- sh -c 'echo "PATH=$PATH"' 2>/dev/null | grep -v /slurm:)"

# --- limits and signals -----------------------------------------------------------------------
script ends.sbatch <<'S'
#!/bin/bash
#SBATCH --ntasks=2 --mem=64M --time=1
srun -K sh -c 'if [ $SLURM_PROCID = 0 ]; then until [ -e second.waits ]; do sleep 0.05; done; exit 3; fi; touch second.waits; sleep 100'
echo "status $?"
srun -W 1 sh -c '[ $SLURM_PROCID = 0 ] || sleep 100'
echo "status $?"
# A step ends with its tasks; what they left running ends, too.
srun -n2 sh -c 'sleep 99 & echo $!' >left
while read -r pid; do
    for _ in $(seq 1 200); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
    kill -0 "$pid" 2>/dev/null && echo "$pid runs"
done <left
wc -l <left
# The shell passes a signal on, as the pages of many sites show.
srun -n1 python3 usr1.py & step=$!
until [ -e usr1.ready ]; do sleep 0.05; done
kill -USR1 $step; wait $step; echo "status $?"
# So does a process of another session, and one that starts srun in a session of its own.
rm usr1.ready
srun -n1 python3 usr1.py & step=$!
until [ -e usr1.ready ]; do sleep 0.05; done
setsid sh -c "kill -USR1 $step; until [ -e usr1.end ]; do sleep 0.05; done" &
wait $step; touch usr1.end; wait
python3 terminate.py
# Ctrl-C does not end the copies of standard input.
(until [ -e int.sent ]; do sleep 0.05; done; echo line) | srun -n2 python3 int.py &
until [ -e int.0 ] && [ -e int.1 ]; do sleep 0.05; done
for pid in $(cat /proc/$!/task/$!/children); do kill -INT "$pid"; done
touch int.sent; wait
# A step that cannot wait for its tasks, here since it may not have the descriptors, kills them and fails.
# (the address sanitizer opens files when it looks for leaks)
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 srun -n2 sh -c 'trap "" USR1; touch poll.$SLURM_PROCID; exec sleep 100' & step=$!
until [ -e poll.0 ] && [ -e poll.1 ]; do sleep 0.05; done
prlimit --pid $step --nofile=2; kill -USR1 $step; wait $step; echo "poll $?"
# An output that a process of another session keeps open and full does not keep the step.
srun -n2 ./full | head -c 1 | wc -c
# More tasks than the soft limit of descriptors has pipes for; tasks have the limit of the job.
ulimit -Sn 64; srun -O -n 40 sh -c 'ulimit -n' | sort -u
S
script full <<'S'
#!/bin/sh
setsid sh -c 'touch full.$SLURM_PROCID; exec yes' &
until [ -e full.$SLURM_PROCID ]; do sleep 0.05; done
echo full
S
chmod +x full
script terminate.py <<'S'
import os
import subprocess
import time

step = subprocess.Popen(["srun", "-n1", "sh", "-c", "touch session.ready; exec sleep 100"], start_new_session=True)
while not os.path.exists("session.ready"):
    time.sleep(0.05)
step.terminate()
print("terminated", step.wait(), flush=True)
S
script int.py <<'S'
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_IGN)
open("int." + os.environ["SLURM_PROCID"], "w").close()
print("read", sys.stdin.readline().strip(), flush=True)
S
script usr1.py <<'S'
import signal
import sys
import time

count = 0


def save(number, frame):
    global count
    count += 1


signal.signal(signal.SIGUSR1, save)
open("usr1.ready", "w").close()
end = time.time() + 30
while count == 0 and time.time() < end:
    time.sleep(0.05)
time.sleep(0.5)
print("saved", count, flush=True)
sys.exit(0 if count else 1)
S
is "-K and -W end the other tasks; nothing stays; signals are passed on" "status 143|status 143|2|saved 1|status 0|saved 1|terminated 143|read line|read line|poll 1|1|64" "$(lines ends.sbatch)"
rm -f usr1.ready
script signal.sbatch <<'S'
#!/bin/bash
#SBATCH --time=0:20 --mem=64M
#SBATCH --signal=USR1@13
sh -c 'until [ -e signal.end ]; do sleep 0.1; done; echo other' &
srun --cpu-bind=none --gres=gpu:0 python3 usr1.py
echo "the script went on: $?"; touch signal.end; wait
S
rm -f signal.end
is "--signal without B: reaches the step once; srun, the shell and its other programs go on" "saved 1|the script went on: 0|other" "$(lines signal.sbatch)"
like "srun names the options without effect" '^srun: without effect in creel: --cpu-bind, --gres$' "$(cat "$T/job.err")"

script first.sbatch <<'S'
#!/bin/bash
#SBATCH --time=0:20 --mem=64M
#SBATCH --signal=B:TERM@13
exec srun sh -c 'trap "echo caught; exit 0" TERM; while :; do sleep 0.1; done'
S
is "a signal for the first process alone, which is srun, reaches the task" "caught" "$(lines first.sbatch)"

# --- scontrol ------------------------------------------------------------------------------------
script hosts.sbatch <<'S'
#!/bin/bash
#SBATCH --mem=64M
[ "$(scontrol show hostnames)" = "$SLURM_JOB_NODELIST" ] && echo own
scontrol show hostnames 'n[01-03],login' | paste -sd' '
scontrol show hostname "$SLURM_JOB_NODELIST" | head -n 1 | wc -l
scontrol show hostlist n1,n2,n3
command -v sbatch squeue scancel sacct sinfo | sed 's|.*/\(slurm/\)|\1|' | paste -sd' '
S
is "scontrol expands and folds lists of hosts; other commands of Slurm are there" \
    "own|n01 n02 n03 login|1|n[1-3]|slurm/sbatch slurm/squeue slurm/scancel slurm/sacct slurm/sinfo" "$(lines hosts.sbatch)"
finish
