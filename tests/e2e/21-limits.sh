#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Limits of containers, their enforcement by the kernel and by the agent's monitor, and usage figures; disks and
# the health of a node.
. "$(dirname "$0")/lib.sh"
mkdir "$T/conf"
small=$T/small
mkdir "$small"
trap 'umount -l "$small" 2>/dev/null; cleanup' EXIT

# site NAME=VALUE...: writes the configuration for the next start of the agent.
site() {
    local pair
    {
        echo '<configuration>'
        for pair in creel.container.allowed-system-users=root,nobody "$@"; do
            echo "<property><name>${pair%%=*}</name><value>${pair#*=}</value></property>"
        done
        echo '</configuration>'
    } >"$T/conf/creel-site.xml"
}
restart_agent() {
    local pid
    pid=$(pid_of agent)
    kill "$pid" && wait_until 20 gone "$pid" && creel dev up --dir "$T/dev" -n 1 --conf "$T/conf" &&
        wait_until 60 nodes_running_is 1
}
# of_group CONTAINER FILE...: prints the first of these files that exists in a control group of the container.
of_group() {
    local id=$1 file path
    shift
    for file in "$@"; do
        path=$(find /sys/fs/cgroup -path "*/$cgroup-*/$id/$file" 2>/dev/null | head -1)
        [ -n "$path" ] && cat "$path" && return
    done
}
field() { value ".$2" container show "$1"; }
# ends_with NAME STATUS APP: checks the exit status of the application's first container; sets $cid to its id.
ends_with() {
    creel wait "$3" --timeout 60 >/dev/null 2>&1
    cid=$(first_container "$3")
    is "$1" "$2" "$(field "$cid" exitStatus)"
}
holds='x=$(head -c 60000000 /dev/zero | tr "\0" x); echo holds; sleep 300'

node=yarn.nodemanager
site creel.container.open-files-max=777 $node.container-monitor.interval-ms=200 \
    $node.resource.percentage-physical-cpu-limit=50 \
    $node.linux-container-executor.cgroups.strict-resource-usage=true $node.resource.cpu-vcores=8 \
    $node.resource.memory.cgroups.soft-limit-percentage=50 \
    $node.sleep-delay-before-sigkill.ms=1000
cluster_up -n 1 --conf "$T/conf"

# --- the kernel's limits -------------------------------------------------------
job=$(creel submit --id -m 128M -- sh -c "$holds")
becomes "a container runs" 60 state_is "$job" RUNNING
cid=$(first_container "$job")
is "the container has a hard memory limit" \
    $((128 << 20)) "$(of_group "$cid" memory.limit_in_bytes memory.max)"
is "the container has the soft memory limit of the configured percentage" \
    $((64 << 20)) "$(of_group "$cid" memory.soft_limit_in_bytes memory.low)"
like "the container has no swap" \
    "^($((128 << 20))|0|)\$" "$(of_group "$cid" memory.memsw.limit_in_bytes memory.swap.max)"
like "the swappiness of the container is 0" '^0?$' "$(of_group "$cid" memory.swappiness)"
half=$(($(nproc) * 1000000 / 2))
like "all containers together have half of the CPUs" "^($half|[0-9]+)( [0-9]+)?$" \
    "$(cat "$(find /sys/fs/cgroup -path "*/$cgroup-*/agent-*" -prune -name 'agent-*' -exec sh -c 'ls $1/cpu.cfs_quota_us $1/cpu.max 2>/dev/null' - {} \; | head -1)")"
quota=$(of_group "$cid" cpu.cfs_quota_us cpu.max | cut -d' ' -f1)
is "a container with one of eight vcores has an eighth of that CPU quota" \
    $(($(nproc) * 1000000 / 16)) "$quota"
is "the limit of open files of a container is creel.container.open-files-max" \
    777 "$(creel run -m 16M -- sh -c 'ulimit -Hn' 2>/dev/null)"

# --- figures -------------------------------------------------------------------
memory_now() { [ "$(field "$1" memoryBytes)" -gt $((50 << 20)) ]; }
becomes "creel container show has the memory in use" 30 memory_now "$cid"
is "creel container show has the number of processes and the CPU time" true "$(creel container show "$cid" --json | jq '.items[0].pids >= 2 and .items[0].cpuTimeUs > 0')"
like "creel container show prints the memory in use" 'Memory now: +[0-9.]+M' "$(creel container show "$cid")"
like "creel container stats prints a table" 'NOW +PEAK +PEAK%' "$(creel container stats --app "$job")"
check "creel kill accepts the job" creel kill "$job"
creel wait "$job" --timeout 60 >/dev/null 2>&1
is "the peak memory is known after the end of the container" true "$(creel container stats "$cid" --json | jq '.items[0].memoryPeakBytes > 52428800')"
advises() { creel container show "$cid" | grep -Eq "$1"; }
becomes "creel container show advises a value of --memory after the end of the container" 30 \
    advises 'Next time: +--memory [0-9]+M'
job=$(creel submit --id --scratch -m 32M -- sh -c 'head -c 8000000 /dev/zero >big; sync big')
creel wait "$job" --timeout 60 >/dev/null 2>&1
is "the written bytes are known after the end of the container" true "$(creel container show "$(first_container "$job")" --json | jq '.items[0].writtenBytes >= 8000000')"

# --- reasons of a kill -----------------------------------------------------------
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c "$holds")
ends_with "a container killed by the OOM killer has exit status -104" -104 "$job"
like "the diagnostics of an OOM kill name the memory limit and the peak" 'memory limit 32 MiB reached \(peak [0-9.]+ MiB\)' "$(creel container show "$cid")"
like "creel container show advises twice the memory after an OOM kill" \
    'Next time: +--memory 64M' "$(creel container show "$cid")"
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c 'kill -9 $$')
ends_with "a container killed by another SIGKILL has exit status 137" 137 "$job"
unlike "the diagnostics of another SIGKILL do not name the memory limit" '[Mm]emory limit' "$(creel container show "$cid")"

# --- commands that cannot be run --------------------------------------------------
exits "creel run of a directory exits with 2" 2 creel run -m 16M -- /etc
like "the error for a directory as the command reports that it is a directory" \
    '/etc: is a directory' "$OUTPUT"
exits "a job of an unknown user fails" 126 \
    sh -c 'creel --as ghost run -m 16M -- id -un; [ $? != 0 ] && exit 126'
like "the error for an unknown user names the user" 'ghost' "$OUTPUT"
many=()
for i in $(seq 11); do many+=(-e "V$i=$(head -c 60000 /dev/zero | tr '\0' v)"); done
is "an environment of 640 kB reaches the command" 11 "$(creel run -m 32M "${many[@]}" -- sh -c 'env | grep -c "^V[0-9]*=v"' 2>/dev/null)"
many+=("${many[@]}")
for i in "${!many[@]}"; do many[i]=${many[i]/#V/W$i}; done
before=$(creel app list --no-header | wc -l)
exits "an environment that is too large for a message is refused" 1 creel submit -m 32M "${many[@]}" -- true
like "the error for too large an environment has both sizes, the largest variable and a remedy" \
    'arguments and variables have [0-9]+ KiB together, at most 768 are allowed; the largest is variable W[0-9]+ with 60000 bytes: put its value into a file that the job reads' "$OUTPUT"
is "no application is submitted for too large an environment" \
    "$before" "$(creel app list --no-header | wc -l)"
letters() { head -c "$1" /dev/zero | tr '\0' v; }
long=$(letters 131070)
is "an argument may have as many bytes as Linux allows" 131071 "$(creel run -m 32M -- sh -c 'printf %s ${#1}' sh "${long}v" 2>/dev/null)"
is "so may a variable, with its name" 131069 "$(creel run -m 32M -e "V=${long%v}" -- sh -c 'printf %s ${#V}' 2>/dev/null)"
is "--env all sends it, too" 131069 "$(V=${long%v} creel run -m 32M --env all -- sh -c 'printf %s ${#V}' 2>/dev/null)"
is "each task has it" "131069 131069" "$(creel run -N 2 -m 16M -e "V=${long%v}" -- sh -c 'echo ${#V}' 2>/dev/null | sed 's/.*] //' | xargs)"
id=$(creel submit --id --wait --quiet -m 32M -- sh -c true sh "$long")
like "creel status shows the beginning of a long argument" '^Command: .* v{1000,}\.\.\.$' "$(creel status "$id" | cut -c1-80000)"
latin=$(head -c 40000 /dev/zero | tr '\0' '\351')
exits "a variable of 160 kB, with escapes, is refused" 1 creel submit -m 32M -e "V=$latin" -- true
like "the error for too large a variable names it, the limit and a remedy" \
    'variable V has 160000 bytes, with four for each one that is not UTF-8; at most 131071 are allowed: put its value into a file that the job reads' "$OUTPUT"
exits "so is an argument" 1 creel submit -m 32M -- true short "$latin"
like "the error for too large an argument has its number, the limit and a remedy" \
    'argument 2 \(the command is argument 0\) has 160000 bytes, with four for each one that is not UTF-8; at most 131071 are allowed: put it into a file that the job reads' "$OUTPUT"
exits "a queue of 300 characters is refused" 1 creel submit -q "$(head -c 300 /dev/zero | tr '\0' q)" -m 32M -- true
like "the error names the option, not the message" '(^|: )--queue: ' "$OUTPUT"
unlike "no path of a message is shown" 'submit_app' "$OUTPUT"
is "a command may have 5,000 arguments" 5000 "$(creel run -m 32M -- sh -c 'echo $#' sh $(seq 5000) 2>/dev/null)"
exits "70,000 arguments are refused" 1 creel submit -m 32M -- true $(seq 70000)
like "the error for too many arguments has the limit and a remedy" \
    'more than 65536 arguments: put the others into a file that the job reads' "$OUTPUT"

# --- a control group that is removed ---------------------------------------------
take_away() {
    local path pid
    while read -r path; do
        while read -r pid; do echo "$pid" >"$path/../cgroup.procs"; done <"$path/cgroup.procs"
        rmdir "$path"
    done < <(find /sys/fs/cgroup -type d -path "*/$cgroup-*/$1" 2>/dev/null)
}
if [ -d /sys/fs/cgroup/memory ]; then       # v2 allows no processes in inner groups
    nap=$(unlike_others)
    job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c "trap '' TERM; sleep $nap & sleep $nap")
    becomes "a job that ignores SIGTERM runs" 60 state_is "$job" RUNNING
    cid=$(first_container "$job")
    becomes "the processes of the job run" 20 pgrep -f "^sleep $nap\$"
    take_away "$cid"
    becomes "a container whose control group is removed is COMPLETE" 30 \
        value_is .state COMPLETE container show "$cid"
    like "creel container show names the removed control group" \
        'control group was removed' "$(creel container show "$cid")"
    check "creel kill accepts the job, which would run again" creel kill "$job"
    becomes "no process of the job is left" 20 sh -c "! pgrep -f '^sleep $nap\$'"
fi

# --- health --------------------------------------------------------------------
cat >"$T/judge" <<'S'
#!/bin/sh
echo "looked at $1"
cat "$1"
exit 3
S
chmod 0755 "$T/judge"
echo "all well" >"$T/words"
site $node.health-checker.script.path="$T/judge" $node.health-checker.script.opts="$T/words" \
    $node.health-checker.interval-ms=200 $node.local-dirs="$T/dev/agent-1/local,$small/local" \
    $node.disk-health-checker.max-disk-utilization-per-disk-percentage=95
mount -t tmpfs -o size=4m,mode=0755 creel-e2e "$small"
mkdir "$small/local"
# The cluster's own file overrides local-dirs, so it has the same value.
sed -i "s|<name>$node.local-dirs</name><value>[^<]*|<name>$node.local-dirs</name><value>$T/dev/agent-1/local,$small/local|" \
    "$T/dev/agent-1/conf/creel-site.xml"
check "the agent starts with a health script and a second disk" restart_agent
node_is() { value_is .state "$1" node list; }
report() { creel node list --json | jq -r '.items[0].healthReport // ""'; }
reported() { report | grep -qE "$1"; }
echo "ERROR the kernel is tainted" >"$T/words"
becomes "a line with ERROR from the health script makes the node UNHEALTHY" 40 node_is UNHEALTHY
like "the health report has the line of the health script" \
    'health script: ERROR the kernel is tainted' "$(report)"
job=$(creel submit --id -m 16M -- true)
exits "a job waits while the node is UNHEALTHY" 124 creel wait "$job" --timeout 3
echo "all well again" >"$T/words"
becomes "the node is RUNNING when the health script prints no ERROR" 40 node_is RUNNING
exits "the job that waited for the node ends" 0 creel wait "$job" --timeout 60
is "a container has directories on both disks" \
    2 "$(creel run -m 16M -- sh -c 'echo "$LOCAL_DIRS" | tr , "\n" | wc -l' 2>/dev/null)"
head -c 4050000 /dev/zero >"$small/fill"
becomes "the health report names a disk above the maximum utilization" 40 \
    reported '1 of 2 local-dirs are bad.*small.*95'
check "the node with the full disk is RUNNING" node_is RUNNING
is "a container has no directory on the full disk" \
    1 "$(creel run -m 16M -- sh -c 'echo "$LOCAL_DIRS" | tr , "\n" | wc -l' 2>/dev/null)"
rm "$small/fill"
becomes "the health report is empty when the disk has free space again" 40 sh -c "[ -z \"\$(creel node list --json | jq -r '.items[0].healthReport // \"\"')\" ]"

# --- the monitor ---------------------------------------------------------------
site $node.resource.memory.enforced=false $node.vmem-pmem-ratio=10 $node.container-monitor.interval-ms=200 \
    $node.container-log-monitor.enable=true $node.container-log-monitor.interval-ms=200 \
    $node.container-log-monitor.dir-size-limit-bytes=1000000 creel.container.disk-limit-mb=20
check "the agent starts with memory.enforced=false" restart_agent
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c "$holds")
ends_with "the monitor kills a container above its memory limit (-104)" -104 "$job"
like "the diagnostics of a killed container name usage and limit of physical memory" 'limit of physical memory: [0-9.]+ MiB of 32.0 MiB physical' "$(creel container show "$cid")"
like "the diagnostics of a killed container list the processes with their memory" 'pid [0-9]+: RSS [0-9.]+ MiB, VSZ [0-9.]+ MiB: .*sh -c' "$(creel container show "$cid")"
job=$(creel submit --id -m 32M --max-attempts 1 -- python3 -c '
import mmap, time
m = mmap.mmap(-1, 400 << 20)
time.sleep(300)')
ends_with "the monitor kills a container above its virtual memory limit (-103)" -103 "$job"
like "the diagnostics of a killed container name limit and ratio of virtual memory" 'limit of virtual memory.*of 320.0 MiB virtual \(10(.0)? times' "$(creel container show "$cid")"
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c 'head -c 5000000 /dev/zero; sleep 300')
ends_with "the monitor kills a container whose logs are too large (-109)" -109 "$job"
like "the diagnostics of a killed container name size and limit of its logs" 'logs are too large: [0-9.]+ MiB.*1.0 MiB.*dir-size-limit-bytes' "$(creel container show "$cid")"
job=$(creel submit --id --scratch -m 32M --max-attempts 1 -- sh -c 'mkdir a; head -c 30000000 /dev/zero >a/b; sleep 300')
ends_with "the monitor kills a container whose working directory is too large (-110)" -110 "$job"
like "the diagnostics of a killed container name size and limit of its directory" 'working directory is too large: [0-9.]+ MiB.*20.0 MiB.*disk-limit-mb' "$(creel container show "$cid")"
exits "a job within all limits succeeds" 0 creel run -m 64M -- sh -c 'sleep 1; exit 0'

# --- a long time to end ----------------------------------------------------------
site $node.sleep-delay-before-sigkill.ms=600000
check "the agent starts with ten minutes between SIGTERM and SIGKILL" restart_agent
job=$(creel submit --id -m 16M -- sh -c 'trap "" TERM; echo on; while :; do sleep 1; done')
said_on() { [ "$(creel logs "$job" 2>/dev/null)" = on ]; }
becomes "a job that ignores SIGTERM runs" 60 said_on
cid=$(first_container "$job")
check "creel kill accepts the job that ignores SIGTERM" creel kill "$job"
becomes "the application that ignores SIGTERM is KILLED" 20 state_is "$job" KILLED
exits "a second creel kill is refused" 6 creel kill "$job"
is "the container of the killed application is STOPPING" STOPPING "$(field "$cid" state)"
check "creel kill --force accepts the killed application" creel kill --force "$job"
gone_by_kill() { [ "$(field "$cid" state)" = COMPLETE ]; }
becomes "the container that ignores SIGTERM is COMPLETE after creel kill --force" 20 gone_by_kill
exits "a second creel kill --force is refused" 6 creel kill --force "$job"
is "creel logs --since 1h prints the log" on "$(creel logs --since 1h "$job")"
like "creel logs --since 1ms reports that no container is that recent" 'none of its containers runs, or ended since' "$(creel logs --since 1ms "$job" 2>&1)"
exits "creel logs --since 0 is a usage error" 2 creel logs --since 0 "$job"
like "the error for creel logs --since 0 reports that a time is expected" \
    '--since 0: expected a time' "$OUTPUT"

# --- wrong keys ----------------------------------------------------------------
site $node.vmem-pmem-ratio=0.5
pid=$(pid_of agent)
kill "$pid" && wait_until 20 gone "$pid"
exits "creel-nm does not start with a vmem-pmem-ratio of 0.5" 7 \
    timeout 20 creel-nm --conf "$T/dev/agent-1/conf"
like "the error for vmem-pmem-ratio names the key, the value and the range" \
    'vmem-pmem-ratio.*0.5.*above 0.99' "$OUTPUT"
is "no sanitizer reports an error" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
