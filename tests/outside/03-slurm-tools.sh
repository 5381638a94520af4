#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs that call the commands of Slurm, from the Python Package Index and unchanged, with the commands of creel:
# submitit, dask-jobqueue, psij, parsl and snakemake. PROGRAMS is the folder that fetch filled.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
: "${PROGRAMS:?PROGRAMS must name the folder that tests/outside/fetch filled}"
mkdir "$T/base"
cat >"$T/base/yarn-site.xml" <<'Y'
<configuration>
  <property><name>yarn.scheduler.minimum-allocation-mb</name><value>1024</value></property>
  <property><name>yarn.nodemanager.resource.memory-mb</name><value>16384</value></property>
  <property><name>yarn.nodemanager.resource.cpu-vcores</name><value>16</value></property>
</configuration>
Y
cluster_up -n 1 --conf "$T/base"
mkdir -m 0777 "$T/work" "$T/home" && cd "$T/work" || exit 1
# A HOME of its own: psij and dask write there.
export HOME=$T/home
PATH=$BUILD/slurm:$PROGRAMS/slurm/bin:$PATH

# runs NAME EXPECTED COMMAND...: passes if the command exits with 0 and has the line EXPECTED on standard output.
runs() {
    local name=$1 expected=$2 status=0
    shift 2
    timeout -k 10 150 "$@" >"$T/output" 2>"$T/errors" || status=$?
    if [ $status = 0 ]; then
        is "$name" "$expected" "$(paste -sd'|' "$T/output")"
    else
        fail "$name" "status $status
$(tail -n 15 "$T/output" "$T/errors")"
    fi
}
runs "submitit: results, an exception, an array, cancel" "result 12|exception ZeroDivisionError|array 11 22 33|cancelled" \
    python "$here/slurm_submitit.py"
runs "dask-jobqueue: two workers add up" "sum 2470|jobs 2" python "$here/slurm_dask.py"
runs "psij: states and exit statuses" "good COMPLETED 0|bad FAILED 7|long CANCELED" python "$here/slurm_psij.py"
runs "parsl: results and an error of apps" "squares 0 1 4 9 16|error of the app|number True" python "$here/slurm_parsl.py"
mkdir snakemake && cd snakemake || exit 1
runs "snakemake: a workflow of three rules ends" "" snakemake --snakefile "$here/slurm_snakefile" --executor slurm --jobs 4 \
    --default-resources slurm_partition=default --latency-wait 10 \
    --seconds-between-status-checks 1 --slurm-init-seconds-before-status-checks 1
is "its last job has the results of the others" 14 "$(cat total.txt)"
nothing_runs() { [ -z "$(squeue -h)" ]; }
becomes "no job is left" 60 nothing_runs
finish
