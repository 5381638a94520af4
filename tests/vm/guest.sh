#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# guest.sh - the tests inside of the virtual machine, which has only cgroup v2: limits, OOM, restarts of keeper and
# agent, a reboot, and project quotas. Runs once in each boot; its progress is stored on the disk.
note=/var/lib/creel-test
mkdir -p $note
. "$(dirname "$0")/lib.sh"
cleanup() { rm -rf "$T"; }
stage=$(cat $note/stage 2>/dev/null || echo 1)
tests=$(cat $note/tests 2>/dev/null || echo 0)
failures=$(cat $note/failures 2>/dev/null || echo 0)
at() { wait_until 240 "$@"; }           # everything is thirty times slower here
run() { timeout 240 creel run "$@"; }   # a node that is out of service must not use up the time of the other tests
tree=/sys/fs/cgroup/system.slice/creel-keeper.service
show() { systemctl show -p "$2" --value "$1"; }
groups() { ls -d $tree/creel/agent-*/container_* 2>/dev/null; }
no_groups() { [ -z "$(groups)" ]; }
payloads() { for g in $(groups); do head -n 1 "$g/cgroup.procs"; done | sort -n | tr '\n' ' '; }
active() { [ "$(systemctl is-active "$1")" = active ]; }
one_node() { nodes_running_is 1; }
over() { echo "1..$tests"; sync; systemctl poweroff -ff; }

metrics() { exec 3<>/dev/tcp/127.0.0.1/8042; printf 'GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3; cat <&3; exec 3>&-; }

stage_1() {
    at one_node && pass "the agent registers" || { fail "the agent registers" "$(journalctl -u creel-nm -o cat | tail)"; return; }
    is "the machine has v2 alone" v2 "$(creel node list --json | jq -r '.items[0].cgroupMode')"

    # --- limits in the files of the kernel
    out=$(run -m 64M -- sh -c 'g=/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup); echo $g; cd $g; cat memory.max memory.swap.max pids.max cpu.weight memory.oom.group' 2>/dev/null)
    like "containers are below the keeper's unit" "^(\[.*\] )?$tree/creel/agent-[0-9a-f]*/container_" "$out"
    is "memory, swap, processes, weight, group kill" "67108864 0 4096 100 1" "$(tail -n 5 <<<"$out" | sed 's/^\[.*\] //' | tr '\n' ' ' | sed 's/ $//')"
    exits "nothing of the keeper's sandbox reaches them: disk, network" 0 \
        run -m 32M -- sh -c 'head -c 512 /dev/vda >/dev/null && (exec 3<>/dev/tcp/127.0.0.1/8032) 2>/dev/null || bash -c "exec 3<>/dev/tcp/127.0.0.1/8032"'

    # --- OOM
    exits "a container above its memory is killed by the kernel" 137 \
        run -m 32M -- sh -c 'head -c 100m /dev/zero | tail -c 90m'
    like "this is reported, with limit and peak" 'memory limit 32 MiB reached \(peak 3[0-9.]+ MiB\)' "$OUTPUT"
    check "the keeper's unit does not take it amiss" active creel-keeper
    check "nor the agent's" active creel-nm
    exits "a SIGKILL is no OOM" 137 run -m 32M -- sh -c 'kill -9 $$'
    is "and not called one" "" "$(grep -i 'memory limit' <<<"$OUTPUT")"
    becomes "no control group is left over" 60 no_groups

    # --- figures of the group above all containers
    counted() { metrics | grep -q '^creel_agent_oom_kills_total{scope="container"} [1-9]'; }
    at counted && pass "the agent's metrics count the kill" || fail "the agent's metrics count the kill" "$(metrics)"
    figures=$(metrics)
    for kind in limit anon file shmem kernel; do
        like "they have the memory: $kind" "^creel_agent_memory_bytes\{kind=\"$kind\"\} [0-9]" "$figures"
    done
    like "they have the processor time" '^creel_agent_cpu_seconds_total [0-9.e+-]*[1-9]' "$figures"
    measured=$(find $tree/creel/agent-* -maxdepth 1 -name '*.pressure' 2>/dev/null | grep -cE '/(cpu|memory|io)[.]pressure$')
    is "they have each pressure that the kernel measures" "$measured" "$(grep -c '^creel_agent_pressure_ratio{.*kind="some"' <<<"$figures")"

    # --- restarts
    id=$(creel submit --id -N 3 -m 32M -- sleep 5000)
    at running_at_least "$id" 4 && pass "three tasks run" || fail "three tasks run" "$(creel status "$id")"
    before=$(payloads)
    is "the agent's unit has no process but the agent and those that serve its ports" "creel-gateway creel-nm creel-nm-web" \
        "$(for p in $(cat /sys/fs/cgroup/system.slice/creel-nm.service/cgroup.procs); do cat /proc/$p/comm; done | sort | paste -sd ' ')"
    is "shims are the keeper's" 4 "$(for p in $(cat $tree/shims/cgroup.procs); do cat /proc/$p/comm; done | grep -c '^creel-shim$')"
    exits "systemctl restart creel-nm with controllers in use" 0 systemctl restart creel-nm
    kill -9 "$(show creel-nm MainPID)"
    restarted() { [ "$(show creel-nm NRestarts)" = 1 ] && active creel-nm; }
    at restarted && pass "kill -9: started again" || fail "kill -9: started again" "$(systemctl status creel-nm)"
    is "all containers run on" "$before" "$(payloads)"
    check "daemon-reload" systemctl daemon-reload
    like "leaves the tree its controllers" 'cpu.*memory pids' "$(cat $tree/cgroup.subtree_control)"
    at one_node
    exits "systemctl restart creel-keeper ends them" 0 systemctl restart creel-keeper
    is "all of them" "" "$(for p in $before; do ps -o pid= -p "$p"; done)"
    at active creel-keeper && pass "the keeper runs" || fail "the keeper runs" "$(keeper_state)"
    at active creel-nm && pass "the agent runs" || fail "the agent runs" "$(systemctl status creel-nm)"
    creel kill "$id" >/dev/null 2>&1
    at one_node && pass "the node is in service" || fail "the node is in service" "$(creel node list)"
    exits "containers start in the new tree" 0 run -m 32M -- grep -q creel-keeper.service/creel /proc/self/cgroup

    unkillable_process
    keeper_killed

    # --- a reboot without a shutdown
    id=$(creel submit --id -N 2 -m 32M -- sleep 5000)
    at running_at_least "$id" 3 && pass "two tasks run" || fail "two tasks run" "$(creel status "$id")"
    ls /var/lib/creel/nm/containers >$note/containers
    creel container list --app "$id" --json | jq -r '.items[] | select(.state == "RUNNING") | .id' >$note/running
    echo "$id" >$note/id
    echo $tests >$note/tests; echo $failures >$note/failures; echo 2 >$note/stage
    sync
    echo b >/proc/sysrq-trigger
    sleep 1000
}

# With the message of the process that systemd started, which is not in the status of the unit.
keeper_state() { systemctl status creel-keeper; journalctl -b -o short-precise | grep -i cgroup | tail; find $tree -type d; }
in_service() {
    at active creel-keeper && pass "$1: the keeper runs" || fail "$1: the keeper runs" "$(keeper_state)"
    at one_node && pass "$1: the node is in service" || fail "$1: the node is in service" "$(creel node list)"
    exits "$1: containers start" 0 run -m 32M -- grep -q creel-keeper.service/creel /proc/self/cgroup
}
# A process that writes to a frozen file system is in state D: its control group remains when the keeper has ended.
unkillable_process() {
    local id pid
    writes() { pid=$(pgrep -x touch) && [ "$(ps -o state= -p "$pid")" = D ]; }
    check "a file system for a process in state D" mount /dev/vdb /mnt
    chmod 1777 /mnt
    fsfreeze -f /mnt
    id=$(creel submit --id -m 32M -- touch /mnt/file)
    at writes && pass "a process cannot be killed" || fail "a process cannot be killed" "$(creel status "$id")"
    exits "systemctl restart creel-keeper beside it" 0 systemctl restart creel-keeper
    is "it is still there" D "$(ps -o state= -p "$pid")"
    in_service "beside a process that cannot be killed"
    fsfreeze -u /mnt
    creel kill "$id" >/dev/null 2>&1
    unmounted() { umount /mnt; }
    at unmounted && pass "it ends with the cause" || fail "it ends with the cause" "$(ps -ef)"
}
keeper_killed() {
    kill -9 "$(show creel-keeper MainPID)"
    again() { [ "$(show creel-keeper NRestarts)" = 1 ]; }
    at again && pass "kill -9 of the keeper: started again" || fail "kill -9 of the keeper: started again" "$(keeper_state)"
    in_service "after kill -9 of the keeper"
}

stage_2() {
    id=$(cat $note/id)
    at one_node && pass "after a reboot the agent registers" || { fail "after a reboot the agent registers" "$(journalctl -u creel-nm -o cat | tail)"; return; }
    exits "the resource manager knows the application" 0 creel status "$id"
    over_there() { ! creel container list --app "$id" --json | jq -r '.items[] | select(.state == "RUNNING") | .id' | grep -qxFf $note/running; }
    at over_there && pass "what ran is reported as over" || fail "what ran is reported as over" "$(creel container list --app "$id")"
    is "none of it runs a second time" "" "$(for g in $(groups); do basename "$g"; done | grep -xFf $note/running)"
    creel kill "$id" >/dev/null 2>&1
    at state_is "$id" KILLED && pass "the application can be killed" || fail "the application can be killed" "$(creel status "$id")"
    at no_groups && pass "no control group is left" || fail "no control group is left" "$(groups)"
    stale() { ls -d /var/lib/creel/nm/local/usercache/*/appcache/*/container_*; }
    fresh() { ! stale; }
    at fresh && pass "no working directory is left" || fail "no working directory is left" "$(stale)"
    exits "and jobs run" 0 run -m 32M -- true
    quotas
}

property() { printf '<property><name>%s</name><value>%s</value></property>' "$1" "$2"; }
work() { ls -d /srv/local/usercache/*/appcache/*/container_* 2>/dev/null; }
no_work() { ! work; }
# The kernel limits the directories of containers. There is only one project id: the second container reuses it.
quotas() {
    check "a file system with project quotas" mount -o prjquota /dev/vdb /srv
    {   echo "<configuration>"
        property yarn.nodemanager.local-dirs /srv/local
        property creel.container.disk-limit-mb 16
        property creel.container.quota-project-first 4000
        property creel.container.quota-project-count 1
        echo "</configuration>"
    } >/etc/creel/creel-site.xml
    printf '[Service]\nCapabilityBoundingSet=CAP_SYS_ADMIN\n' >/etc/systemd/system/creel-nm.service.d/quotas.conf
    systemctl daemon-reload
    exits "the daemons start" 0 systemctl restart creel-rm creel-nm
    at one_node && pass "the node is there" || fail "the node is there" "$(creel node list)"
    for i in 1 2; do
        at no_work && pass "container $i: the project is free" || fail "container $i: the project is free" "$(work)"
        exits "container $i: the kernel refuses what is above the limit" 9 run --scratch --as ann -m 32M -- sh -c '
            echo x >small; mkdir d; head -c 40000000 /dev/zero >d/large || stat -c "size %s" d/large; [ -s small ] && exit 9'
        like "container $i: which is an error of the write" 'Disk quota exceeded' "$OUTPUT"
        like "container $i: after 16 MiB" 'size 16[67][0-9]{5}$' "$OUTPUT"
    done
    is "all directories are bounded" "" "$(journalctl --no-pager -o cat -u creel-nm | grep 'only measured')"
}

stage_$stage
over
