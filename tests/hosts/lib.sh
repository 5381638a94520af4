# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib.sh - clusters of hosts: small Debians with systemd as process 1, each in namespaces of its own
#
# A test sources this, calls hosts_up, then check/is/... and ends with finish; tests/hosts/run calls
# it with HOST_ROOT, the root directory with creel in it. Hosts are n1, n2, ..., at 10.99.0.1, ... in
# network namespaces whose veths meet in a bridge, which is in a namespace, too: nothing of this is
# seen in the machine's own. All that is made goes away at exit, also after a failure.
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/lib.sh"
: "${HOST_ROOT:?HOST_ROOT must name the root directory: use tests/hosts/run}"
run=${HOST_RUN:-crt$$}                  # begins the name of all that is made outside of $T
[ -z "${HOST_RUN:-}" ] || echo "$T" >"$BUILD/hosts/$run.directory"
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

# The groups of host I, in each hierarchy of this machine that matters.
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

# host_start I: boot it. What it wrote below /var/lib/creel is as it left it; /out is $T/out on all hosts.
host_start() {
    local i=$1
    mkdir -p "$T/n$i"
    (   while read -r group; do
            mkdir -p "$group" && echo "$BASHPID" >"$group/cgroup.procs" || exit 1
        done < <(host_groups "$i")
        exec systemd-nspawn -q -D "$HOST_ROOT" --volatile=overlay --machine="$run-n$i" --hostname="n$i" \
            --register=no --keep-unit --network-namespace-path="/run/netns/$run-n$i" \
            --bind="$T/n$i:/var/lib/creel" --bind="$T/out:/out" \
            --link-journal=no --console=pipe -b </dev/null >"$T/n$i.console" 2>&1
    ) &
    host_pid[$i]=$!
    disown $!
}

# Process 1 of host I, as this machine sees it.
host_init() { pgrep -P "${host_pid[$1]:-none}" 2>/dev/null | head -1; }
# on I COMMAND...: as root, on the host.
on() {
    local init
    init=$(host_init "$1")
    [ -n "$init" ] || return 255
    shift
    nsenter -t "$init" -m -u -i -n -p -C -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
        HOME=/root NO_COLOR=1 "$@"
}
host_booted() { case $(on "$1" systemctl is-system-running) in running|degraded) ;; *) return 1 ;; esac; }
# Hierarchies of v1 are handed to the inside read-only.
host_ready() {
    local i=$1 controller
    wait_until 30 host_booted "$i" || return 1
    for controller in memory cpu cpuacct pids; do
        [ ! -f "/sys/fs/cgroup/$controller/cgroup.procs" ] ||
            on "$i" mount -o remount,rw,bind "/sys/fs/cgroup/$controller" || return 1
    done
}

# As if the plug were pulled: nothing on it hears of its end.
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

# hosts_boot N: boot them; or the test ends here.
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

# hosts_up N: the same, with the resource manager on n1 and agents on the others.
hosts_up() {
    local i
    hosts_boot "$1"
    on 1 systemctl start creel-rm || { fail "creel-rm starts"; finish; }
    for ((i = 2; i <= hosts; i++)); do
        on "$i" systemctl start creel-nm || { fail "creel-nm starts on n$i"; finish; }
    done
    wait_until 30 nodes_running_is $((hosts - 1)) || { fail "the agents register" "$(creel node list)"; finish; }
}

# The cable of host I, pulled out and put in again.
cut_off() { ip -n "$run-sw" link set "v$1" down; }
heal() { ip -n "$run-sw" link set "v$1" up; }

# The client is on n1, where the resource manager is.
creel() { on 1 creel "$@"; }
node_state() { creel node list --json | jq -r --arg n "$1:8041" '.items[] | select(.nodeId == $n) | .state'; }
node_state_is() { [ "$(node_state "$1")" = "$2" ]; }
# show I UNIT PROPERTY
show() { on "$1" systemctl show -p "$3" --value "$2"; }
show_is() { [ "$(show "$1" "$2" "$3")" = "$4" ]; }
status_has() { show "$1" "$2" StatusText | grep -qE -- "$3"; }
main_pid() { show "$1" "$2" MainPID; }
# The host on which application ID's master runs, and one of the others that have agents.
host_of_master() { creel status "$1" --json | jq -r '.items[0].masterNodeId' | sed 's/^n\([0-9]*\):.*/\1/'; }
another_host() { local i; for ((i = 2; i <= hosts; i++)); do [ "$i" = "$1" ] || { echo "$i"; return; }; done; }
# The first process of each container on host I, as it sees them: in groups below the keeper's,
# whatever the hierarchy.
payloads() {
    on "$1" sh -c 'for f in $(find /sys/fs/cgroup -path "*/creel/agent-*/container_*/cgroup.procs"); do
        sort -n $f 2>/dev/null | head -n 1; done' | sort -nu | tr '\n' ' '
}
payloads_are() { [ "$(payloads "$1")" = "$2" ]; }
payloads_gone() { [ -z "$(payloads "$1")" ]; }
container_groups() { on "$1" find /sys/fs/cgroup -type d -path '*/creel/agent-*/container_*'; }
container_groups_gone() { [ -z "$(container_groups "$1")" ]; }
# job_start N: N tasks that write down their start and their end, and end once /out/go is there.
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
# job_ends N [MOST]: well, with each task started once (or at most MOST times) and ended at least once.
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
# drop_in I UNIT TEXT: change a unit of the host, as its operator would.
drop_in() {
    on "$1" mkdir -p "/etc/systemd/system/$2.service.d"
    printf '%b' "$3" | on "$1" tee "/etc/systemd/system/$2.service.d/test.conf" >/dev/null
    on "$1" systemctl daemon-reload
}
