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
    $node.resource.memory.cgroups.soft-limit-percentage=50
cluster_up -n 1 --conf "$T/conf"

# --- the kernel's limits -------------------------------------------------------
job=$(creel submit --id -m 128M -- sh -c "$holds")
becomes "a container runs" 60 state_is "$job" RUNNING
cid=$(first_container "$job")
is "with a hard limit of memory" $((128 << 20)) "$(of_group "$cid" memory.limit_in_bytes memory.max)"
is "a soft one, as the key states" $((64 << 20)) "$(of_group "$cid" memory.soft_limit_in_bytes memory.low)"
like "no swap" "^($((128 << 20))|0|)\$" "$(of_group "$cid" memory.memsw.limit_in_bytes memory.swap.max)"
like "and no wish to" '^0?$' "$(of_group "$cid" memory.swappiness)"
half=$(($(nproc) * 1000000 / 2))
like "all containers together get half of the CPUs" "^($half|[0-9]+)( [0-9]+)?$" \
    "$(cat "$(find /sys/fs/cgroup -path "*/$cgroup-*/agent-*" -prune -name 'agent-*' -exec sh -c 'ls $1/cpu.cfs_quota_us $1/cpu.max 2>/dev/null' - {} \; | head -1)")"
quota=$(of_group "$cid" cpu.cfs_quota_us cpu.max | cut -d' ' -f1)
is "one vcore of eight gets an eighth of that" $(($(nproc) * 1000000 / 16)) "$quota"
is "open files are bounded" 777 "$(creel run -m 16M -- sh -c 'ulimit -Hn' 2>/dev/null)"

# --- figures -------------------------------------------------------------------
memory_now() { [ "$(field "$1" memoryBytes)" -gt $((50 << 20)) ]; }
becomes "its memory now becomes known" 30 memory_now "$cid"
is "so do its processes" true "$(creel container show "$cid" --json | jq '.items[0].pids >= 2 and .items[0].cpuTimeUs > 0')"
like "for people, too" 'Memory now: +[0-9.]+M' "$(creel container show "$cid")"
like "in a table" 'NOW +PEAK +PEAK%' "$(creel container stats --app "$job")"
check "kill" creel kill "$job"
creel wait "$job" --timeout 60 >/dev/null 2>&1
is "what it took is kept" true "$(creel container stats "$cid" --json | jq '.items[0].memoryPeakBytes > 52428800')"
advises() { creel container show "$cid" | grep -Eq "$1"; }
becomes "with what to ask for next time, once it is gone" 30 advises 'Next time: +--memory [0-9]+M'
job=$(creel submit --id --scratch -m 32M -- sh -c 'head -c 8000000 /dev/zero >big; sync big')
creel wait "$job" --timeout 60 >/dev/null 2>&1
is "what it wrote as well" true "$(creel container show "$(first_container "$job")" --json | jq '.items[0].writtenBytes >= 8000000')"

# --- reasons of a kill -----------------------------------------------------------
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c "$holds")
ends_with "the kernel's OOM kill has a status of its own" -104 "$job"
like "reports limit and peak" 'memory limit 32 MiB reached \(peak [0-9.]+ MiB\)' "$(creel container show "$cid")"
like "and advises twice as much" 'Next time: +--memory 64M' "$(creel container show "$cid")"
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c 'kill -9 $$')
ends_with "any other SIGKILL is none" 137 "$job"
is "and nothing is reported of memory" "" "$(creel container show "$cid" | grep -i 'memory limit')"

# --- commands that cannot be run --------------------------------------------------
exits "a command that is a directory" 2 creel run -m 16M -- /etc
like "is called one" '/etc: is a directory' "$OUTPUT"
exits "a user that does not exist" 126 sh -c 'creel --as ghost run -m 16M -- id -un; [ $? != 0 ] && exit 126'
like "is named" 'ghost' "$OUTPUT"
many=()
for i in $(seq 11); do many+=(-e "V$i=$(head -c 60000 /dev/zero | tr '\0' v)"); done
is "an environment of 640 kB goes through" 11 "$(creel run -m 32M "${many[@]}" -- sh -c 'env | grep -c "^V[0-9]*=v"' 2>/dev/null)"
many+=("${many[@]}")
for i in "${!many[@]}"; do many[i]=${many[i]/#V/W$i}; done
before=$(creel app list --no-header | wc -l)
exits "an environment that no message carries is refused" 1 creel submit -m 32M "${many[@]}" -- true
like "by its size and the limit" 'KiB' "$OUTPUT"
is "and nothing is submitted" "$before" "$(creel app list --no-header | wc -l)"
exits "a variable that no message carries is refused" 1 creel submit -m 32M -e "V=$(head -c 100000 /dev/zero | tr '\0' v)" -- true
like "by its place and the limit" 'environment.*6553[56]|65536' "$OUTPUT"

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
    becomes "another runs" 60 state_is "$job" RUNNING
    cid=$(first_container "$job")
    becomes "its processes" 20 pgrep -f "^sleep $nap\$"
    take_away "$cid"
    becomes "with its control group gone it is ended" 30 value_is .state COMPLETE container show "$cid"
    like "with the reason" 'control group was removed' "$(creel container show "$cid")"
    check "which is no fault of the job: it would run again" creel kill "$job"
    becomes "all of it is gone" 20 sh -c "! pgrep -f '^sleep $nap\$'"
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
check "with a health script and a second disk" restart_agent
node_is() { value_is .state "$1" node list; }
report() { creel node list --json | jq -r '.items[0].healthReport // ""'; }
reported() { report | grep -qE "$1"; }
echo "ERROR the kernel is tainted" >"$T/words"
becomes "a line with ERROR makes the node unhealthy" 40 node_is UNHEALTHY
like "with that line" 'health script: ERROR the kernel is tainted' "$(report)"
job=$(creel submit --id -m 16M -- true)
exits "nothing new runs there" 124 creel wait "$job" --timeout 3
echo "all well again" >"$T/words"
becomes "without it the node is well" 40 node_is RUNNING
exits "and runs what waited" 0 creel wait "$job" --timeout 60
is "on both disks" 2 "$(creel run -m 16M -- sh -c 'echo "$LOCAL_DIRS" | tr , "\n" | wc -l' 2>/dev/null)"
head -c 4050000 /dev/zero >"$small/fill"
becomes "a disk that is fuller than allowed is reported" 40 reported '1 of 2 local-dirs are bad.*small.*95'
check "and does no harm to the node" node_is RUNNING
is "it is just not used" 1 "$(creel run -m 16M -- sh -c 'echo "$LOCAL_DIRS" | tr , "\n" | wc -l' 2>/dev/null)"
rm "$small/fill"
becomes "with room again it is" 40 sh -c "[ -z \"\$(creel node list --json | jq -r '.items[0].healthReport // \"\"')\" ]"

# --- the monitor ---------------------------------------------------------------
site $node.resource.memory.enforced=false $node.vmem-pmem-ratio=10 $node.container-monitor.interval-ms=200 \
    $node.container-log-monitor.enable=true $node.container-log-monitor.interval-ms=200 \
    $node.container-log-monitor.dir-size-limit-bytes=1000000 creel.container.disk-limit-mb=20
check "without the kernel's limit" restart_agent
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c "$holds")
ends_with "the monitor ends who takes too much" -104 "$job"
like "with limit and usage" 'limit of physical memory: [0-9.]+ MiB of 32.0 MiB physical' "$(creel container show "$cid")"
like "and the processes" 'pid [0-9]+: RSS [0-9.]+ MiB, VSZ [0-9.]+ MiB: .*sh -c' "$(creel container show "$cid")"
job=$(creel submit --id -m 32M --max-attempts 1 -- python3 -c '
import mmap, time
m = mmap.mmap(-1, 400 << 20)
time.sleep(300)')
ends_with "who takes too much virtual memory, too" -103 "$job"
like "with the ratio" 'limit of virtual memory.*of 320.0 MiB virtual \(10(.0)? times' "$(creel container show "$cid")"
job=$(creel submit --id -m 32M --max-attempts 1 -- sh -c 'head -c 5000000 /dev/zero; sleep 300')
ends_with "and whose log grows too large" -109 "$job"
like "with both sizes" 'logs are too large: [0-9.]+ MiB.*1.0 MiB.*dir-size-limit-bytes' "$(creel container show "$cid")"
job=$(creel submit --id --scratch -m 32M --max-attempts 1 -- sh -c 'mkdir a; head -c 30000000 /dev/zero >a/b; sleep 300')
ends_with "and whose working directory does" -110 "$job"
like "with both sizes" 'working directory is too large: [0-9.]+ MiB.*20.0 MiB.*disk-limit-mb' "$(creel container show "$cid")"
exits "who keeps within all that is left alone" 0 creel run -m 64M -- sh -c 'sleep 1; exit 0'

# --- a long time to end ----------------------------------------------------------
site $node.sleep-delay-before-sigkill.ms=600000
check "ten minutes between TERM and KILL" restart_agent
job=$(creel submit --id -m 16M -- sh -c 'trap "" TERM; echo on; while :; do sleep 1; done')
said_on() { [ "$(creel logs "$job" 2>/dev/null)" = on ]; }
becomes "what ignores TERM runs" 60 said_on
cid=$(first_container "$job")
check "it is killed" creel kill "$job"
becomes "and is over" 20 state_is "$job" KILLED
exits "twice is refused" 6 creel kill "$job"
is "while it goes on" STOPPING "$(field "$cid" state)"
check "but not by force" creel kill --force "$job"
gone_by_kill() { [ "$(field "$cid" state)" = COMPLETE ]; }
becomes "then it is gone" 20 gone_by_kill
exits "and force is refused, too" 6 creel kill --force "$job"
is "its log is of now" on "$(creel logs --since 1h "$job")"
like "and not of the last millisecond" 'none of its containers runs, or ended since' "$(creel logs --since 1ms "$job" 2>&1)"
exits "no time is no time" 2 creel logs --since 0 "$job"
like "the error names the reason" '--since 0: expected a time' "$OUTPUT"

# --- wrong keys ----------------------------------------------------------------
site $node.vmem-pmem-ratio=0.5
pid=$(pid_of agent)
kill "$pid" && wait_until 20 gone "$pid"
exits "a ratio that cannot be stops the agent" 7 timeout 20 creel-nm --conf "$T/dev/agent-1/conf"
like "with the key and what was expected" 'vmem-pmem-ratio.*0.5.*above 0.99' "$OUTPUT"
is "no sanitizer has complained" "" "$(grep -hE 'runtime error|Sanitizer' "$T"/dev/*/log)"
finish
