# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib.sh - clusters of hosts: small Debian systems with systemd as process 1, each in its own namespaces
#
# A test sources this file, calls hosts_up, then check, is, ..., and ends with finish. tests/hosts/run calls the
# test with HOST_ROOT, the root directory with creel. The hosts are n1, n2, ... with the addresses 10.99.0.1, ...
# Each has a network namespace; a bridge in a further namespace connects them, so the network of the machine does
# not change. Everything is removed at exit, also after a failure.
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/lib.sh"
: "${HOST_ROOT:?HOST_ROOT must name the root directory: use tests/hosts/run}"
run=${HOST_RUN:-crt$$}                  # prefix of all names outside of $T
[ -z "${HOST_RUN:-}" ] || echo "$T" >"$HOSTS/$run.directory"
hosts=0
declare -A host_pid

cleanup() {
    trap - EXIT INT TERM HUP
    local i
    if [ "$failures" -gt 0 ]; then
        for ((i = 1; i <= hosts; i++)); do
            echo "# --- n$i"
            on "$i" journalctl --no-pager -o short-precise 2>/dev/null | grep creel | tail -n 40 | sed 's/^/#   /'
            [ ! -s "$T/n$i.console" ] || tail -n 5 "$T/n$i.console" | sed 's/^/#   /'
        done
    fi
    for ((i = 1; i <= hosts; i++)); do host_crash "$i"; done
    for ((i = 1; i <= hosts; i++)); do ip netns del "$run-n$i" 2>/dev/null; done
    ip netns del "$run-sw" 2>/dev/null
    rm -rf "$T"
}

# host_groups I: prints the control groups of the host, one for each hierarchy that creel uses.
host_groups() {
    local name
    if [ -f /sys/fs/cgroup/cgroup.procs ]; then
        echo "/sys/fs/cgroup/$run-n$1"
        return
    fi
    for name in systemd unified memory cpu cpuacct pids; do
        [ -L "/sys/fs/cgroup/$name" ] || [ ! -f "/sys/fs/cgroup/$name/cgroup.procs" ] ||
            echo "/sys/fs/cgroup/$name/$run-n$1"
    done
}

host_net() {
    local i=$1
    ip netns add "$run-n$i"
    ip -n "$run-sw" link add "v$i" type veth peer name eth0 netns "$run-n$i"
    ip -n "$run-sw" link set "v$i" master br0 up
    ip -n "$run-n$i" link set lo up
    ip -n "$run-n$i" addr add "10.99.0.$i/24" dev eth0
    ip -n "$run-n$i" link set eth0 up
}

# systemd from 256 on boots on a machine with cgroup v1 only if it is forced to. (A container's process 1 takes its arguments
# as those of a kernel.)
boot_options=()
[ -f /sys/fs/cgroup/cgroup.procs ] || boot_options=(SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 systemd.unified_cgroup_hierarchy=0)

# host_start I: boots the host. Its /var/lib/creel is kept over boots; /out is $T/out on all hosts.
host_start() {
    local i=$1
    mkdir -p "$T/n$i"
    (   while read -r group; do
            mkdir -p "$group" && echo "$BASHPID" >"$group/cgroup.procs" || exit 1
        done < <(host_groups "$i")
        exec systemd-nspawn -q -D "$HOST_ROOT" --volatile=overlay --machine="$run-n$i" --hostname="n$i" \
            --register=no --keep-unit --network-namespace-path="/run/netns/$run-n$i" \
            --bind="$T/n$i:/var/lib/creel" --bind="$T/out:/out" \
            --link-journal=no --console=pipe -b "${boot_options[@]}" </dev/null >"$T/n$i.console" 2>&1
    ) &
    host_pid[$i]=$!
    disown $!
}

# Process 1 of the host, as pid of this machine.
host_init() { pgrep -P "${host_pid[$1]:-none}" 2>/dev/null | head -1; }
# on I COMMAND...: runs a command on the host, as root.
on() {
    local init
    init=$(host_init "$1")
    [ -n "$init" ] || return 255
    shift
    nsenter -t "$init" -m -u -i -n -p -C -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
        HOME=/root NO_COLOR=1 "$@"
}
host_booted() { case $(on "$1" systemctl is-system-running) in running|degraded) ;; *) return 1 ;; esac; }
# Inside of a host the v1 hierarchies are read-only at first: they are remounted.
host_ready() {
    local i=$1 controller
    wait_until 30 host_booted "$i" || return 1
    for controller in memory cpu cpuacct pids; do
        [ ! -f "/sys/fs/cgroup/$controller/cgroup.procs" ] ||
            on "$i" mount -o remount,rw,bind "/sys/fs/cgroup/$controller" || return 1
    done
}

# host_crash I: simulates a power failure: kills all processes of the host with SIGKILL.
host_crash() {
    local i=$1 group
    [ -z "${host_pid[$i]:-}" ] || kill -9 "${host_pid[$i]}" 2>/dev/null
    host_pid[$i]=
    while read -r group; do
        [ -d "$group" ] || continue
        wait_until 20 host_group_emptied "$group" || echo "# $group: does not empty"
        find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null
    done < <(host_groups "$i")
}
host_group_emptied() {
    local pids
    mapfile -t pids < <(find "$1" -name cgroup.procs -exec cat {} + 2>/dev/null)
    [ ${#pids[@]} -gt 0 ] || return 0
    kill -9 "${pids[@]}" 2>/dev/null
    return 1
}

# hosts_boot N: boots N hosts, or ends the test.
hosts_boot() {
    local i
    ip netns add "$run-sw" || { fail "network namespaces can be made"; finish; }
    ip -n "$run-sw" link set lo up
    ip -n "$run-sw" link add br0 type bridge && ip -n "$run-sw" link set br0 up ||
        { fail "a bridge can be made"; finish; }
    hosts=$1
    for ((i = 1; i <= hosts; i++)); do host_net "$i"; host_start "$i"; done
    for ((i = 1; i <= hosts; i++)); do
        host_ready "$i" || { fail "n$i boots" "$(tail -n 20 "$T/n$i.console" 2>&1)"; finish; }
    done
}

# hosts_up N: the same, and starts the resource manager on n1 and agents on the other hosts.
hosts_up() {
    local i
    hosts_boot "$1"
    on 1 systemctl start creel-rm || { fail "creel-rm starts"; finish; }
    for ((i = 2; i <= hosts; i++)); do
        on "$i" systemctl start creel-nm || { fail "creel-nm starts on n$i"; finish; }
    done
    wait_until 30 nodes_running_is $((hosts - 1)) || { fail "the agents register" "$(creel node list)"; finish; }
}

# Disconnect and connect the network of a host.
cut_off() { ip -n "$run-sw" link set "v$1" down; }
heal() { ip -n "$run-sw" link set "v$1" up; }

# Commands of creel run on n1, the host of the resource manager.
creel() { on 1 creel "$@"; }
node_state() { creel node list --json | jq -r --arg n "$1:8041" '.items[] | select(.nodeId == $n) | .state'; }
node_state_is() { [ "$(node_state "$1")" = "$2" ]; }
# show I UNIT PROPERTY: prints a property of a unit of the host.
show() { on "$1" systemctl show -p "$3" --value "$2"; }
show_is() { [ "$(show "$1" "$2" "$3")" = "$4" ]; }
status_has() { show "$1" "$2" StatusText | grep -qE -- "$3"; }
main_pid() { show "$1" "$2" MainPID; }
# Print the host on which the AM of application ID runs, and another host with an agent.
host_of_master() { creel status "$1" --json | jq -r '.items[0].masterNodeId' | sed 's/^n\([0-9]*\):.*/\1/'; }
another_host() { local i; for ((i = 2; i <= hosts; i++)); do [ "$i" = "$1" ] || { echo "$i"; return; }; done; }
# Prints the first process of each container of the host, as pids of the host. Their control groups are below the
# keeper's, in any hierarchy.
payloads() {
    on "$1" sh -c 'for f in $(find /sys/fs/cgroup -path "*/creel/agent-*/container_*/cgroup.procs"); do
        sort -n $f 2>/dev/null | head -n 1; done' | sort -nu | tr '\n' ' '
}
payloads_are() { [ "$(payloads "$1")" = "$2" ]; }
payloads_gone() { [ -z "$(payloads "$1")" ]; }
container_groups() { on "$1" find /sys/fs/cgroup -type d -path '*/creel/agent-*/container_*'; }
container_groups_gone() { [ -z "$(container_groups "$1")" ]; }
# job_start N: submits N tasks that record their start and their end, and end when /out/go exists.
job_start() {
    cat >"$T/out/task.sh" <<'S'
#!/bin/sh
echo "start $CREEL_NODE_ID" >>"/out/$CREEL_TASK_INDEX"
until [ -e /out/go ]; do sleep 0.1; done
echo "end $CREEL_NODE_ID" >>"/out/$CREEL_TASK_INDEX"
S
    chmod +x "$T/out/task.sh"
    id=$(creel submit --id -N "$1" -m 16M -- /out/task.sh)
    becomes "$1 tasks run" 60 running_at_least "$id" $(($1 + 1))
}
# job_ends N [MOST]: checks that the job succeeds, and that each task started once (or at most MOST times) and ended at
# least once.
job_ends() {
    local task starts ends wrong=
    touch "$T/out/go"
    exits "the job ends well" 0 creel wait "$id" --timeout 90
    for ((task = 0; task < $1; task++)); do
        starts=$(grep -c ^start "$T/out/$task") ends=$(grep -c ^end "$T/out/$task")
        [ "$starts" -ge 1 ] && [ "$starts" -le "${2:-1}" ] && [ "$ends" -ge 1 ] || wrong+="$task: $starts/$ends "
    done
    is "each of $1 tasks ran${2:+, some again elsewhere}" "" "$wrong"
    rm -f "$T/out/go" "$T"/out/[0-9]*
}
# drop_in I UNIT TEXT: changes a unit of the host by a drop-in.
drop_in() {
    on "$1" mkdir -p "/etc/systemd/system/$2.service.d"
    printf '%b' "$3" | on "$1" tee "/etc/systemd/system/$2.service.d/test.conf" >/dev/null
    on "$1" systemctl daemon-reload
}
