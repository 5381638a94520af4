# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# cluster.sh - a Slurm of one node, as root, without systemd and without a file outside of its directory
#
# slurm_up DIR starts munged, slurmctld and slurmd; all their files are in DIR, and their ports are those of the network
# namespace of the caller. SLURM_CONF then names the configuration for the commands of Slurm. slurm_down ends them.

slurm_programs="munged slurmctld slurmd sbatch srun squeue scancel sinfo scontrol"
slurm_pids=()

# slurm_missing: prints the programs of Slurm that are not installed.
slurm_missing() {
    local program
    for program in $slurm_programs; do
        [ -x "$(PATH=/usr/bin:/bin:/usr/sbin:/sbin command -v "$program")" ] || printf '%s ' "$program"
    done
}

# slurm_configuration DIR: prints slurm.conf. (Debian's slurm.conf(5) explains each name.)
slurm_configuration() {
    local host
    host=$(hostname -s)
    cat <<C
ClusterName=side
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# (A requeued job begins when its old credential has expired; 120 s are the default.)
AuthInfo=socket=$1/munge/socket,cred_expire=5
SlurmctldPort=6817
SlurmdPort=6818
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.log
MpiDefault=none
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ReturnToService=2
KillWait=2
MinJobAge=600
FirstJobId=701
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,bf_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=32 RealMemory=65536 State=UNKNOWN
PartitionName=general Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
}

slurm_ready() { [ "$(/usr/bin/sinfo -h -o %t)" = idle ]; }

slurm_up() {        # DIR
    local dir=$1
    # (slurmd finds no address to listen at where only 127.0.0.1 is configured: getaddrinfo with AI_ADDRCONFIG.)
    ip address replace 192.0.2.1/32 dev lo || return 1
    mkdir -p "$dir/munge" "$dir/state" "$dir/spool"
    chmod 0755 "$dir" "$dir/munge"
    (umask 077 && head -c 128 /dev/urandom >"$dir/munge/key")
    slurm_configuration "$dir" >"$dir/slurm.conf"
    export SLURM_CONF=$dir/slurm.conf
    munged --foreground --socket "$dir/munge/socket" --key-file "$dir/munge/key" --pid-file "$dir/munge/pid" \
        --seed-file "$dir/munge/seed" --log-file "$dir/munge/log" >"$dir/munge/out" 2>&1 &
    slurm_pids+=($!)
    wait_until 30 test -S "$dir/munge/socket" || return 1
    slurmctld -D -f "$SLURM_CONF" >"$dir/slurmctld.out" 2>&1 &
    slurm_pids+=($!)
    slurmd -D -f "$SLURM_CONF" >"$dir/slurmd.out" 2>&1 &
    slurm_pids+=($!)
    wait_until 60 slurm_ready
}

slurm_down() {
    local pid
    [ ${#slurm_pids[@]} -gt 0 ] || return 0
    /usr/bin/scancel --user="$(id -un)" >/dev/null 2>&1
    slurm_idle() { [ -z "$(/usr/bin/squeue -h)" ]; }
    wait_until 20 slurm_idle
    for pid in "${slurm_pids[2]-}" "${slurm_pids[1]-}" "${slurm_pids[0]}"; do
        [ -n "$pid" ] || continue
        kill "$pid" 2>/dev/null
        wait_until 20 gone "$pid" || kill -9 "$pid" 2>/dev/null
    done
    slurm_pids=()
}
