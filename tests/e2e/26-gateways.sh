#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A user and unknown peers send invalid bytes to the ports of the resource manager and of an agent while a job runs; then
# processes are stopped for longer than any timeout of a peer. Gateways may end, daemons and jobs do not.
. "$(dirname "$0")/lib.sh"
COUNT=${E2E_ATTACKS:-$(size 50 100)}
# As many connections as this machine has descriptors for.
ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"
FLOOD=$(($(ulimit -n) - 1000))
most=${E2E_FLOOD:-$(size 6000 21000)}
[ "$FLOOD" -le "$most" ] || FLOOD=$most
# Longer than HEARTBEAT_TIMEOUT_MS of a client.
STALL_S=${E2E_STALL_S:-$(size 18 30)}
MEMORY_MAX_KB=$((400 * 1024))
peer=$BUILD/tests/hostile/raw-peer
keys=$T/dev/keys
mkdir "$T/conf"
cat >"$T/conf/creel-site.xml" <<'X'
<configuration>
  <property><name>creel.gateway.handshake-timeout-ms</name><value>10000</value></property>
  <property><name>creel.gateway.connections-per-address-max</name><value>30000</value></property>
</configuration>
X
cluster_up -n 2 --conf "$T/conf"

ports=$(creel dev status --dir "$T/dev" --json)
rm_port() { jq -r --arg p "$1" '.items[] | select(.role == "rm") | .ports[$p]' <<<"$ports"; }
agent_port=$(jq -r '[.items[] | select(.role == "agent") | .ports.agent][0]' <<<"$ports")
daemons() { creel dev status --dir "$T/dev" --json | jq -c '[.items[].pid]'; }
gateways() { for pid in $(daemons | jq '.[]'); do pgrep -P "$pid" -x creel-gateway; done; }
# shellcheck disable=SC2046 # several files
memory_kb() { awk '/^VmHWM/ { if ($2 > most) most = $2 } END { print most + 0 }' $(for pid in $(daemons | jq '.[]') $(gateways); do echo "/proc/$pid/status"; done) 2>/dev/null; }

cat >"$T/task.sh" <<'S'
#!/bin/sh
echo "start" >>"$1/$CREEL_TASK_INDEX"
while [ ! -e "$1/go" ]; do sleep 0.2; done
echo "end" >>"$1/$CREEL_TASK_INDEX"
S
chmod +x "$T/task.sh"
id=$(creel submit --id -N 30 -m 16M -- "$T/task.sh" "$T/out")
becomes "at least 20 tasks run" 90 running_at_least "$id" 20
before=$(daemons)

# --- a gateway of each daemon has no rights (a build with sanitizers cannot restrict system calls)
filter=2
grep -qE '__asan_init|__tsan_init' "$BUILD/creel-gateway" && filter=0
sandbox() {     # PID: prints what differs in /proc/PID from the expected restrictions
    awk -v filter=$filter -v user="$(id -u)" '
        /^Cap(Inh|Prm|Eff|Amb):/ && $2 !~ /^0+$/ || /^CapBnd:/ && $2 !~ /^0+$/ && user == 0 || /^Uid:/ && $2 * $3 * $4 * $5 == 0 ||
        /^Groups:/ && NF > 1 || /^NoNewPrivs:/ && $2 != 1 || /^Seccomp:/ && $2 != filter' "/proc/$1/status"
    find "/proc/$1/fd" -type l -printf '%l\n' | grep -vE '^(socket|pipe):|^anon_inode:\[event(poll|fd)\]$|^/dev/null$|^/proc/'"$1"'/statm$'
}
like "a shell does not have the restrictions of a gateway" '^NoNewPrivs:' "$(sandbox $$)"
check "at least three gateways run" test "$(gateways | wc -l)" -ge 3
is "each gateway has no capability, no user id 0 and no open file but its memory figures" \
    "" "$(for pid in $(gateways); do sandbox "$pid"; done)"

# --- which peers may connect
exits "the port for application masters refuses an unknown key" 1 "$peer" "$(rm_port am)" "$keys/rm" open 1
check "the port for application masters accepts a user" \
    "$peer" "$(rm_port am)" "$keys/rm" open 1 "$keys/users/root"
exits "the port of an agent refuses an unknown key" 1 "$peer" "$agent_port" "$keys/agents/default" open 1
exits "the port of an agent refuses the key of an agent" 1 "$peer" "$agent_port" "$keys/agents/default" open 1 "$keys/agents/default"
check "the port of an agent accepts a user" \
    "$peer" "$agent_port" "$keys/agents/default" open 1 "$keys/users/root"

# --- attacks, each on a port of the resource manager and of an agent
for attack in random handshakes endless pings; do
    times=$((COUNT / 10))
    [ $attack = pings ] && times=$COUNT
    check "$attack: the attack on the resource manager runs to its end" "$peer" "$(rm_port am)" "$keys/rm" $attack $times "$keys/users/root"
    check "$attack: the attack on an agent runs to its end" "$peer" "$agent_port" "$keys/agents/default" $attack $((COUNT / 10)) "$keys/users/root"
    check "$attack: creel ps works after the attacks" creel ps --timeout 10
done
check "handshakes: the attack on the port for agents runs to its end" \
    "$peer" "$(rm_port agent)" "$keys/rm" handshakes $((COUNT / 5))
check "the resource manager closes connections with slow handshakes" \
    "$peer" "$(rm_port client)" "$keys/rm" slow 20

# --- many connections that send nothing: a client is served meanwhile and afterwards
mkfifo "$T/hold"
"$peer" "$(rm_port client)" "$keys/rm" bare "$FLOOD" <"$T/hold" >"$T/flood" 2>&1 & flood=$!
exec 9>"$T/hold"
becomes "raw-peer opens connections that send nothing" 60 grep -q "connections$" "$T/flood"
is "raw-peer has $FLOOD open connections" "$FLOOD connections" "$(cat "$T/flood")"
check "creel ps works while raw-peer has its connections open" creel ps --timeout 10
exec 9>&-
ends "raw-peer closes its connections" 0 "$flood" "$T/flood"
becomes "the log of the resource manager reports the flood of connections" 60 grep -q 'a flood: 1000 connections ended' "$T/dev/rm/log"
check "the flood is logged at most once a minute for each gateway" test "$(grep -c 'a flood' "$T/dev/rm/log")" -le $(($(pgrep -cP "$(pid_of rm)" -x creel-gateway) * (1 + SECONDS / 60)))
check "creel ps works after the flood" creel ps --timeout 10
is "no daemon was restarted by the attacks" "$before" "$(daemons)"
like "the log of the resource manager reports the end of a gateway" 'gateway [0-9]: .*this is death 1' "$(cat "$T/dev/rm/log")"
# Pings end a gateway only if they arrive at a bad moment.
agent_reports_death() {
    grep -q 'gateway [0-9]: .*this is death 1' "$T/dev/agent-1/log" && return
    "$peer" "$agent_port" "$keys/agents/default" pings $((COUNT / 10)) "$keys/users/root" >/dev/null 2>&1
    return 1
}
becomes "the log of the agent reports the end of a gateway" 60 agent_reports_death
most=$(memory_kb)
check "no process used more than $MEMORY_MAX_KB KiB of memory (maximum: $most)" \
    test "$most" -lt "$MEMORY_MAX_KB"

# --- stalls
stall() {       # NAME PID...
    local name=$1
    shift
    kill -STOP "$@"
    # This test has to sleep here: a stopped process has no state that could be polled.
    read -rt "$STALL_S" <> <(:) || true
    kill -CONT "$@" 2>/dev/null     # gateways were killed, and replaced, meanwhile
    becomes "$name stopped for $STALL_S s: creel ps works afterwards" 30 creel ps --timeout 5
    becomes "$name stopped for $STALL_S s: both nodes are RUNNING" 30 nodes_running_is 2
}
stall "resource manager" "$(pid_of rm)"
# shellcheck disable=SC2046 # several
stall "all gateways" $(gateways)
stall "one agent" "$(pid_of agent 1)"
is "no daemon was restarted after the stops" "$before" "$(daemons)"

touch "$T/out/go"
exits "the job ends" 0 creel wait "$id" --timeout 120
is "each task started and ended exactly once" 0 "$(for f in "$T"/out/[0-9]*; do
    [ "$(xargs <"$f")" = "start end" ] || echo "$f: $(cat "$f")"; done | wc -l)"
is "every task ran" 30 "$(find "$T/out" -name '[0-9]*' | wc -l)"
finish
