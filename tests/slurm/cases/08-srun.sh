# shellcheck shell=bash disable=SC1090,SC2016
# SPDX-License-Identifier: Apache-2.0
# Steps: tasks, labels, files, variables, several beside each other, statuses.
. "$CASE"
script steps <<'S'
#!/bin/bash
#SBATCH -n 3 -o steps.txt
srun bash -c 'echo "task $SLURM_PROCID of $SLURM_NTASKS, local $SLURM_LOCALID, node $SLURM_NODEID"' | sort
echo "status $?"
srun -l bash -c 'echo "labelled"' | sort
srun -n 2 bash -c 'echo "two: $SLURM_PROCID of $SLURM_NTASKS, step $SLURM_STEP_ID"' | sort
srun -n 3 -o 'step-%t.out' bash -c 'echo "file of $SLURM_PROCID"'
srun -n 3 -o together.out bash -c 'echo "one line"'
srun -n 1 -e step.err bash -c 'echo out; echo error >&2'
for i in 1 2 3; do srun -n 1 --exclusive bash -c "echo beside $i >beside-$i" & done
wait
srun -n 3 bash -c 'exit $SLURM_PROCID' 2>exits; echo "highest status $?"; sort exits; rm exits
srun -n 1 bash -c 'kill -TERM $$'; echo "signal status $?"
srun -n 1 no-such-program 2>/dev/null; echo "no program: $?"
echo input | srun -n 1 cat
echo input | srun -n 3 cat | sort
srun -n 1 --chdir=/ pwd
srun -n 1 --export=NONE /bin/bash -c 'echo ${GREETING-unset}'
srun -n 1 --export=ALL,A=b bash -c 'echo $A ${GREETING-unset}'
srun -n 4 true 2>/dev/null; echo "too many tasks: $?"
srun -n 1 --multi-prog 2>/dev/null; echo "status $?"
S
export GREETING=hello
submit steps; finished "$id"
